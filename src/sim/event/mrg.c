#include "sim/event/mrg.h"

#define M1 4294967087ull
#define M2 4294944443ull

typedef uint64_t matrix[3][3];

/* L'Ecuyer's MRG32k3a, one step. */
static const matrix A1 = { { 0, 1, 0 }, { 0, 0, 1 }, { M1 - 810728, 1403580, 0 } };
static const matrix A2 = { { 0, 1, 0 }, { 0, 0, 1 }, { M2 - 1370589, 0, 527612 } };

/* A^(2^127): the distance between two streams. */
static const matrix JUMP1 = {
    { 2427906178, 3580155704, 949770784 }, { 226153695, 1230515664, 3580155704 },
    { 1988835001, 986791581, 1230515664 }
};
static const matrix JUMP2 = {
    { 1464411153, 277697599, 1610723613 }, { 32183930, 1464411153, 1022607788 },
    { 2824425944, 32183930, 2093834863 }
};

static void multiply(matrix out, const matrix a, const matrix b, uint64_t m)
{
    matrix r;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r[i][j] = 0;
            for (int k = 0; k < 3; k++)
                r[i][j] = (r[i][j] + a[i][k] * b[k][j]) % m;
        }
    for (int i = 0; i < 9; i++)
        out[i / 3][i % 3] = r[i / 3][i % 3];
}

static inline void apply(uint64_t s[3], const matrix a, uint64_t m)
{
    uint64_t r[3];

    for (int i = 0; i < 3; i++)      /* each product is below 2^64 - 2^38 and reduced before the next */
        r[i] = (a[i][0] * s[0] % m + a[i][1] * s[1] % m + a[i][2] * s[2] % m) % m;
    s[0] = r[0], s[1] = r[1], s[2] = r[2];
}

/* s = A^(n * 2^power) s */
static void leap(uint64_t s[3], const matrix a, uint64_t m, uint64_t n, int power)
{
    matrix x;

    multiply(x, a, (const matrix){ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, m);
    for (int i = 0; i < power; i++)
        multiply(x, x, x, m);
    for (; n; n >>= 1) {
        if (n & 1)
            apply(s, x, m);
        multiply(x, x, x, m);
    }
}

void mrg_init(struct mrg *g, uint32_t seed, uint64_t stream, uint64_t run)
{
    for (int i = 0; i < 3; i++)
        g->s1[i] = g->s2[i] = seed;
    leap(g->s1, A1, M1, stream, 127);
    leap(g->s2, A2, M2, stream, 127);
    leap(g->s1, A1, M1, run, 76);
    leap(g->s2, A2, M2, run, 76);
}

/* Return the next number of each component. */
static inline uint64_t after1(const uint64_t s[3])
{
    return (1403580 * s[1] + (M1 - 810728) * s[0] % M1) % M1;
}

static inline uint64_t after2(const uint64_t s[3])
{
    return (527612 * s[2] + (M2 - 1370589) * s[0] % M2) % M2;
}

static inline double combine(uint64_t p1, uint64_t p2)
{
    return (double)(p1 > p2 ? p1 - p2 : p1 + M1 - p2) * (1.0 / (double)(M1 + 1));
}

double mrg_next(struct mrg *g)
{
    uint64_t p1 = after1(g->s1), p2 = after2(g->s2);

    apply(g->s1, JUMP1, M1);
    apply(g->s2, JUMP2, M2);
    return combine(p1, p2);
}

double mrg_step(struct mrg *g)
{
    uint64_t p1 = after1(g->s1), p2 = after2(g->s2);

    g->s1[0] = g->s1[1], g->s1[1] = g->s1[2], g->s1[2] = p1;
    g->s2[0] = g->s2[1], g->s2[1] = g->s2[2], g->s2[2] = p2;
    return combine(p1, p2);
}
