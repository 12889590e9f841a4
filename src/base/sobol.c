#include "base/sobol.h"

#include <assert.h>

#define BITS 32

/* A primitive polynomial x^degree + a_1 x^(degree-1) + ... + 1 over two elements, and where its recurrence
 * starts. */
struct polynomial {
    uint8_t  degree, a;          /* the coefficients between first and last, as bits */
    uint16_t m[8];
};

/* From the second dimension on; the first is all ones. */
static const struct polynomial polynomials[SOBOL_DIMENSIONS - 1] = {
    { 1, 0, { 1 } },
    { 2, 1, { 1, 3 } },
    { 3, 1, { 1, 3, 1 } },
    { 3, 2, { 1, 1, 1 } },
    { 4, 1, { 1, 1, 3, 3 } },
    { 4, 4, { 1, 3, 5, 13 } },
    { 5, 2, { 1, 1, 5, 5, 17 } },
    { 5, 4, { 1, 1, 5, 5, 5 } },
    { 5, 7, { 1, 1, 7, 11, 19 } },
    { 5, 11, { 1, 1, 5, 1, 1 } },
    { 5, 13, { 1, 1, 1, 3, 11 } },
    { 5, 14, { 1, 3, 5, 5, 31 } },
    { 6, 1, { 1, 3, 3, 9, 7, 49 } },
    { 6, 13, { 1, 1, 1, 15, 21, 21 } },
    { 6, 16, { 1, 3, 1, 13, 27, 49 } },
    { 6, 19, { 1, 1, 1, 15, 7, 5 } },
    { 6, 22, { 1, 3, 1, 15, 13, 25 } },
    { 6, 25, { 1, 1, 5, 5, 19, 61 } },
    { 7, 1, { 1, 3, 7, 11, 23, 15, 103 } },
    { 7, 4, { 1, 3, 7, 13, 13, 15, 69 } },
    { 7, 7, { 1, 1, 3, 13, 7, 35, 63 } },
    { 7, 8, { 1, 3, 5, 9, 1, 25, 53 } },
    { 7, 14, { 1, 3, 1, 13, 9, 35, 107 } },
    { 7, 19, { 1, 3, 1, 5, 27, 61, 31 } },
    { 7, 21, { 1, 1, 5, 11, 19, 41, 61 } },
    { 7, 28, { 1, 3, 5, 3, 3, 13, 69 } },
    { 7, 31, { 1, 1, 7, 13, 1, 19, 1 } },
    { 7, 32, { 1, 3, 7, 5, 13, 19, 59 } },
    { 7, 37, { 1, 1, 3, 9, 25, 29, 41 } },
    { 7, 41, { 1, 3, 5, 13, 23, 1, 55 } },
    { 7, 42, { 1, 3, 7, 3, 13, 59, 17 } },
    { 7, 50, { 1, 3, 1, 3, 5, 53, 69 } },
    { 7, 55, { 1, 1, 5, 5, 23, 33, 13 } },
    { 7, 56, { 1, 1, 7, 7, 1, 61, 123 } },
    { 7, 59, { 1, 1, 7, 9, 13, 61, 49 } },
    { 7, 62, { 1, 3, 3, 5, 3, 55, 33 } },
    { 8, 14, { 1, 3, 1, 15, 31, 13, 49, 245 } },
    { 8, 21, { 1, 3, 5, 15, 31, 59, 63, 97 } },
    { 8, 22, { 1, 3, 1, 11, 11, 11, 77, 249 } },
};

/* Fills the direction numbers of a dimension: the coordinate of point 2^k, in the plain order. */
static void fill_directions(uint32_t direction[BITS], uint32_t dimension)
{
    const struct polynomial *p = &polynomials[dimension ? dimension - 1 : 0];

    assert(p->degree > 0);
    for (uint32_t k = 0; k < BITS; k++) {
        if (dimension == 0) {
            direction[k] = 1u << (BITS - 1 - k);
        } else if (k < p->degree) {
            direction[k] = (uint32_t)p->m[k] << (BITS - 1 - k);
        } else {
            direction[k] = direction[k - p->degree] ^ direction[k - p->degree] >> p->degree;
            for (uint32_t i = 1; i < p->degree; i++)
                if (p->a >> (p->degree - 1 - i) & 1)
                    direction[k] ^= direction[k - i];
        }
    }
}

uint32_t sobol_at(uint32_t dimension, uint32_t index)
{
    uint32_t direction[BITS], gray = index ^ index >> 1, at = 0;

    assert(dimension < SOBOL_DIMENSIONS);
    fill_directions(direction, dimension);
    for (uint32_t k = 0; k < BITS; k++)
        if (gray >> k & 1)
            at ^= direction[k];
    return at;
}
