/* tests/fuzz/fuzz_serve.c - a CSV that is still being written: for any content, all columns have equal
 * length.
 */
#include "study/serve/folder.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *series = folder_series((const char *)data, size), *column;
    size_t  points = json_array_size(json_object_get(series, "at_us")), i;

    json_array_foreach(json_object_get(series, "columns"), i, column)
        if (json_array_size(json_object_get(column, "values")) != points)
            abort();
    if (points > 512)
        abort();
    json_decref(series);
    return 0;
}
