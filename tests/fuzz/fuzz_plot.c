/* tests/fuzz/fuzz_plot.c - a report that somebody has changed: it is refused, or drawn without a number that is none. */
#include "plot/charts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err;
    json_t    *page = NULL;

    if (charts_read("f", (const char *)data, size, &page, &err))
        return 0;
    for (enum chart c = 0; c < CHARTS; c++) {
        struct picture p;
        char          *text = NULL;
        size_t         length;
        FILE          *out;

        if (!charts_draw(c, page, &p))
            continue;
        out = open_memstream(&text, &length);
        picture_svg(&p, out);
        fclose(out);
        if (length == 0)
            abort();
        free(text);
        picture_fini(&p);
    }
    json_decref(page);
    return 0;
}
