#include "work/traffic/cdf.h"

#include "base/tokens.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (64ul << 20)
#define SIZE_BYTES_MAX 0x1p48

/* Returns the array with room for one more value. It doubles whenever its count is a power of two. */
static double *room_for_one_more(double *array, uint32_t count)
{
    if (count & (count - 1))
        return array;
    return xrealloc(array, (count ? 2ul * count : 1) * sizeof *array);
}

static void add_row(struct cdf *cdf, double bytes, double p)
{
    cdf->bytes = room_for_one_more(cdf->bytes, cdf->count);
    cdf->p = room_for_one_more(cdf->p, cdf->count);
    cdf->bytes[cdf->count] = bytes;
    cdf->p[cdf->count] = p;
    cdf->count++;
}

/* Sizes are uniform between two rows, so each step contributes its midpoint. */
static double cdf_mean(const struct cdf *cdf)
{
    double sum = cdf->p[0] * cdf->bytes[0];

    for (uint32_t i = 1; i < cdf->count; i++)
        sum += (cdf->p[i] - cdf->p[i - 1]) * (cdf->bytes[i] + cdf->bytes[i - 1]) / 2;
    return sum;
}

static void read_row(struct tokens *w, struct cdf *cdf)
{
    double bytes = 0, p = 0;

    tokens_real(w, "the size", 0, SIZE_BYTES_MAX, &bytes);
    tokens_real(w, "the probability", 0, 1, &p);
    tokens_end(w);
    if (cdf->count > 0 && bytes < cdf->bytes[cdf->count - 1])
        tokens_err(w, EINVAL, "sizes must not decrease, but %.15g follows %.15g", bytes,
                   cdf->bytes[cdf->count - 1]);
    if (cdf->count > 0 && p < cdf->p[cdf->count - 1])
        tokens_err(w, EINVAL, "probabilities must not decrease, but %.15g follows %.15g", p,
                   cdf->p[cdf->count - 1]);
    add_row(cdf, bytes, p);
}

static void read_rows(struct tokens *w, struct cdf *cdf)
{
    while (tokens_next_line(w))
        read_row(w, cdf);
    if (cdf->count < 2)
        tokens_err(w, EINVAL, "a table needs two rows or more");
    else if (cdf->p[cdf->count - 1] < 1)
        tokens_err(w, EINVAL, "the last probability must be 1, not %.15g", cdf->p[cdf->count - 1]);
    else if (cdf->bytes[cdf->count - 1] < 1)
        tokens_err(w, EINVAL, "all sizes are below one byte");
}

int cdf_read(struct cdf *cdf, const char *path, const char *text, struct err *err)
{
    struct cdf made = { 0 };
    struct tokens w;

    tokens_open(&w, path, text, FILE_BYTES_MAX, err);
    read_rows(&w, &made);
    int rc = tokens_close(&w);
    if (rc) {
        cdf_fini(&made);
        return rc;
    }
    made.bytes_mean = cdf_mean(&made);
    *cdf = made;
    return 0;
}

void cdf_fini(struct cdf *cdf)
{
    free(cdf->bytes);
    free(cdf->p);
    *cdf = (struct cdf){ 0 };
}

void cdf_scale(struct cdf *cdf, double factor)
{
    for (uint32_t i = 0; i < cdf->count; i++)
        cdf->bytes[i] *= factor;
    cdf->bytes_mean *= factor;
}

int cdf_builtin(struct cdf *cdf, const char *name)
{
    for (int i = 0; cdf_names[i]; i++) {
        const double *row = cdf_tables[i].rows, *end = row + 2ul * cdf_tables[i].count;

        if (strcmp(cdf_names[i], name) != 0)
            continue;
        *cdf = (struct cdf){ 0 };
        for (; row < end; row += 2)
            add_row(cdf, row[0], row[1]);
        cdf->bytes_mean = cdf_mean(cdf);
        return 0;
    }
    return -ENOENT;
}

/* Returns the first row whose probability exceeds u. It always exists: the last row's probability is 1. */
static uint32_t row_above(const struct cdf *cdf, double u)
{
    uint32_t low = 0, high = cdf->count - 1;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (cdf->p[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t cdf_size(const struct cdf *cdf, double u)
{
    uint32_t i = row_above(cdf, u);
    double bytes = cdf->bytes[i];

    assert(u >= 0 && u < 1);
    if (i > 0) {
        double from = cdf->bytes[i - 1];
        double share = (u - cdf->p[i - 1]) / (cdf->p[i] - cdf->p[i - 1]);

        bytes = from + (bytes - from) * share;
    }
    return bytes < 1 ? 1 : (uint64_t)bytes;
}
