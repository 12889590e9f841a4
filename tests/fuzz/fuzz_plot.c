/* tests/fuzz/fuzz_plot.c - a damaged charts.json is rejected, or drawn from the numbers that it contains. */
#include "study/plot/charts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *page = json_loadb((const char *)data, size, 0, NULL);

    if (!json_is_array(json_object_get(page, "runs"))) {
        json_decref(page);
        return 0;
    }
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
