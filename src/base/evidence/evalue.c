#include "base/evidence/evalue.h"

#include <assert.h>
#include <math.h>

#define BISECTIONS 60

static const double width[] = { 0.1, 0.3, 1.0 };         /* of the bets, in 1 / sd */
enum { WIDTHS = sizeof width / sizeof *width };

void evalue_init(struct evalue *e, double sd)
{
    assert(sd > 0);
    *e = (struct evalue){ .sd = sd };
}

void evalue_add(struct evalue *e, double d)
{
    e->sum += d;
    e->squares += d * d;
    e->pairs++;
}

/* exp(x^2) erfc(-x). For x far below 0 the factors overflow and underflow, so an asymptotic series is
 * used. */
static double scaled_erfc(double x)
{
    double y = -x, z = y * y;

    if (y < 10)
        return exp(z) * erfc(y);
    return (1 - 0.5 / z + 0.75 / (z * z)) / (y * sqrt(M_PI));
}

/* The mean gain of bets on a positive sum. */
static double bet(const struct evalue *e, double sum, double squares)
{
    double total = 0;

    for (int j = 0; j < WIDTHS; j++) {
        double t = width[j] / e->sd, scale = 1 + t * t * squares;

        total += scaled_erfc(t * sum / sqrt(2 * scale)) / sqrt(scale);
    }
    return total / WIDTHS;
}

/* Sum of (d - m)^2. Rounding must not make it negative. */
static double squares_around(const struct evalue *e, double m)
{
    double v = e->squares - 2 * m * e->sum + e->pairs * m * m;

    return v > 0 ? v : 0;
}

double evalue_above(const struct evalue *e, double m)
{
    return bet(e, e->sum - e->pairs * m, squares_around(e, m));
}

double evalue_below(const struct evalue *e, double m)
{
    return bet(e, e->pairs * m - e->sum, squares_around(e, m));
}

double evalue_gain(const struct evalue *e)
{
    return e->pairs ? e->sum / e->pairs : 0;
}

double evalue_bound(const struct evalue *e, double limit)
{
    double high = evalue_gain(e), low = high - e->sd;

    for (int i = 0; evalue_above(e, low) < limit; i++) {
        if (i == BISECTIONS || e->pairs == 0)
            return -INFINITY;    /* too few pairs: no gain however low is refuted */
        low -= (high - low);
    }
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;

        if (evalue_above(e, middle) < limit)
            high = middle;
        else
            low = middle;
    }
    return low;
}
