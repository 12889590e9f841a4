/* src/tune/eigen.c - Jacobi's method: rotations that each make one pair of elements off the diagonal zero.
 * Later rotations undo earlier zeros, but the sum of squares off the diagonal decreases with every rotation,
 * and converges quadratically once it is small. */
#include "tune/eigen.h"

#include <math.h>
#include <stdbool.h>

#define SWEEPS_MAX 50            /* six or seven are usual */

/* Rotates the axes p and q of 'm' (symmetric, in both halves) so that its element (p, q) becomes 0. */
static void rotate(struct matrix *m, struct matrix *vector, uint32_t n, uint32_t p, uint32_t q)
{
    double (*a)[MATRIX_DIMS_MAX] = m->at, (*v)[MATRIX_DIMS_MAX] = vector->at;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));      /* the smaller angle */
    double c = 1 / sqrt(t * t + 1), s = t * c;

    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    for (uint32_t i = 0; i < n; i++) {
        double vp = v[i][p], vq = v[i][q], ap = a[i][p], aq = a[i][q];

        v[i][p] = c * vp - s * vq;
        v[i][q] = s * vp + c * vq;
        if (i == p || i == q)
            continue;
        a[i][p] = a[p][i] = c * ap - s * aq;
        a[i][q] = a[q][i] = s * ap + c * aq;
    }
}

/* Returns whether an element is negligible relative to the diagonal. */
static bool is_negligible(const struct matrix *m, uint32_t p, uint32_t q)
{
    double off = fabs(m->at[p][q]), pp = fabs(m->at[p][p]), qq = fabs(m->at[q][q]);

    return off == 0 || (pp + off == pp && qq + off == qq);
}

/* Returns whether there was anything to rotate. */
static bool sweep(struct matrix *m, struct matrix *vector, uint32_t n)
{
    bool has_rotated = false;

    for (uint32_t p = 0; p + 1 < n; p++)
        for (uint32_t q = p + 1; q < n; q++)
            if (!is_negligible(m, p, q)) {
                rotate(m, vector, n, p, q);
                has_rotated = true;
            }
    return has_rotated;
}

void eigen_solve(const struct matrix *a, uint32_t n, double *value, struct matrix *vector)
{
    struct matrix m = *a;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            vector->at[i][j] = i == j;
    for (int i = 0; i < SWEEPS_MAX && sweep(&m, vector, n); i++)
        ;
    for (uint32_t i = 0; i < n; i++)
        value[i] = m.at[i][i];
}
