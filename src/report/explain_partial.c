/* src/report/explain_partial.c - whether a run came to its end, by its summary. */
#include "report/explain.h"

#include "base/text.h"
#include "core/units.h"

#include <stdlib.h>

#define SUMMARY_BYTES_MAX (1u << 28)

static char *sentence(const json_t *all)
{
    const char *stuck = json_string_value(json_object_get(all, "stuck_why"));
    const char *failed = json_string_value(json_object_get(all, "failed"));
    double      since_us = json_number_value(json_object_get(all, "stuck_since_us"));
    char        when[32];

    if (failed)
        return xprintf("the run ended before its time: %s", failed);
    if (!stuck)
        return NULL;
    return xprintf("nothing moved after %s; the figures are of the time before. %s",
                   text_from_time(when, sizeof(when), (uint64_t)(since_us * (double)PS_PER_US)), stuck);
}

char *explain_partial(const char *summary_path)
{
    char      *text = NULL, *said;
    size_t     length = 0;
    struct err ignored;
    json_t    *summary;

    if (text_read_file(summary_path, SUMMARY_BYTES_MAX, &text, &length, &ignored))
        return NULL;
    summary = json_loadb(text, length, 0, NULL);
    said = sentence(json_object_get(summary, "all"));
    json_decref(summary);
    free(text);
    return said;
}
