/* tests/fuzz/fuzz_cdf.c - any text is a table of non-decreasing sizes, or rejected with a reason. */
#include "work/traffic/cdf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct cdf *cdf)
{
    uint64_t last = 1;

    for (uint32_t i = 0; i < 256; i++) {
        uint64_t bytes = cdf_size(cdf, i / 256.0);

        if (bytes < last)
            abort();
        last = bytes;
    }
    if (!(cdf->bytes_mean >= 0 && cdf->bytes_mean <= cdf->bytes[cdf->count - 1] * (1 + 1e-9)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memcpy(calloc(1, size + 1), data, size);
    struct err err = { "" };
    struct cdf cdf;

    if (cdf_read(&cdf, "t", text, &err) == 0) {
        check(&cdf);
        cdf_fini(&cdf);
    } else if (strncmp(err.text, "t:", 2) != 0) {
        abort();
    }
    free(text);
    return 0;
}
