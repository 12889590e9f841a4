/* src/report/explain_partial.c - whether a run came to its end, by its summary. */
#include "report/explain.h"

#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "core/units.h"

#include <stdlib.h>

#define SUMMARY_BYTES_MAX (1u << 28)

static void print(const json_t *all, FILE *out)
{
    const char *stuck = json_string_value(json_object_get(all, "stuck_why"));
    const char *failed = json_string_value(json_object_get(all, "failed"));
    double      since_us = json_number_value(json_object_get(all, "stuck_since_us"));
    char        when[32];

    if (stuck)
        fprintf(out, "PARTIAL: nothing moved any more in this run after %s; what is told is of what came before. %s\n\n",
                text_from_time(when, sizeof(when), (uint64_t)(since_us * (double)PS_PER_US)), safe_name(stuck).buf);
    if (failed)
        fprintf(out, "PARTIAL: the run ended before its time: %s\n\n", safe_name(failed).buf);
}

void explain_print_partial(const char *summary_path, FILE *out)
{
    char      *text = NULL;
    size_t     length = 0;
    struct err ignored;
    json_t    *summary;

    if (text_read_file(summary_path, SUMMARY_BYTES_MAX, &text, &length, &ignored))
        return;
    summary = json_loadb(text, length, 0, NULL);
    print(json_object_get(summary, "all"), out);
    json_decref(summary);
    free(text);
}
