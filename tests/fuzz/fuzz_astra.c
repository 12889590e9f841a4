/* tests/fuzz/fuzz_astra.c - any text is a valid network and a list of dimensions, or rejected with a
 * reason. */
#include "peers/astra.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 12                /* a short text can describe a large network; limits the run time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t     dim[ASTRA_DIMS_MAX], dims = 0, digits = 0;
    struct err   err = { "" };
    struct graph g;

    if (astra_read_dims("l", (const char *)data, size, dim, &dims, &err) == 0
            ? !dims || dims > ASTRA_DIMS_MAX
            : strncmp(err.text, "l:", 2) != 0)
        abort();
    for (size_t i = 0; i < size; i++)
        digits += isdigit(data[i]) != 0;
    for (int is_inside = 0; is_inside < 2 && digits <= DIGITS_MAX; is_inside++) {
        if (astra_read_network("n", (const char *)data, size, is_inside, &g, &err) == 0) {
            if (graph_check(&g, &err) != 0)
                abort();
            graph_fini(&g);
        } else if (strncmp(err.text, "n:", 2) != 0) {
            abort();
        }
    }
    return 0;
}
