#include "base/evidence/shift.h"

#include <assert.h>
#include <math.h>

#define STAKE_MAX  5.0           /* standard deviations that one value counts at most: tails are heavy */
#define BET_MAX    1e100         /* that stays a number */
#define MEAN_OFF   1.5           /* standard errors by which the mean of a reference may be off, */
#define SPREAD_OFF 1.5           /* and its standard deviation, in 1 / sqrt(2 n) */

static const double correlation[SHIFT_CORRELATIONS] = { 0, 0.4, 0.65, 0.8, 0.92 };
static const double size[SHIFT_BETS] = { 0.25, 0.5, 1, 2, 4 };

/* ---- what was before ---- */

void shift_reference_add(struct shift_reference *r, double value)
{
    if (isnan(value))
        return;
    if (r->count == 0)
        r->first = value;
    else
        r->products += value * r->last;
    r->last = value;
    r->sum += value;
    r->squares += value * value;
    r->count++;
}

double shift_reference_mean(const struct shift_reference *r)
{
    return r->count ? r->sum / r->count : NAN;
}

/* The inverse of the matrix of correlations r^|i-k| has three diagonals: its rows add up to (1 - r) / (1 +
 * r), those at both ends to 1 / (1 + r). */
struct shift_fit shift_fit(const struct shift_reference *x, double r)
{
    double           ends = x->first + x->last, end_squares = x->first * x->first + x->last * x->last, all;
    struct shift_fit f = { .weight = (x->count - (x->count - 2.0) * r) / (1 + r) };

    f.mean = ((1 - r) * x->sum + r * ends) / (1 + r) / f.weight;
    all = ((1 + r * r) * x->squares - r * r * end_squares - 2 * r * x->products) / (1 - r * r);
    f.squares = fmax(0, all - f.weight * f.mean * f.mean);
    return f;
}

/* ---- what comes after ---- */

/* Logarithm of the likelihood of a correlation, and the standard deviation of the series with it. */
static double explain(const struct shift_reference *r, const struct shift_reference *also, double corr,
                      double least, double *sd)
{
    struct shift_fit f = shift_fit(r, corr), g = { 0, 0, 1 };
    double           n = r->count - 1.0, squares;

    if (also && also->count > 1) {
        g = shift_fit(also, corr);
        n += also->count - 1.0;
    }
    squares = fmax(f.squares + g.squares, n * least * least);
    *sd = sqrt(squares / n) * (1 + SPREAD_OFF / sqrt(2 * n));
    return -0.5 * (n * log(1 - corr * corr) + log(f.weight) + log(g.weight) + n * log(squares));
}

void shift_init(struct shift *s, const struct shift_reference *r, const struct shift_reference *also,
                double least)
{
    double likely[SHIFT_CORRELATIONS], most = -INFINITY, sum = 0;

    assert(r->count >= SHIFT_LEAST && least > 0);
    *s = (struct shift){ .last = NAN };
    for (int i = 0; i < SHIFT_CORRELATIONS; i++) {
        struct shift_fit f = shift_fit(r, correlation[i]);

        likely[i] = explain(r, also, correlation[i], least, &s->sd[i]);
        most = fmax(most, likely[i]);
        s->level[i] = f.mean + MEAN_OFF * s->sd[i] / sqrt(f.weight);
    }
    for (int i = 0; i < SHIFT_CORRELATIONS; i++)
        sum += exp(likely[i] - most) / SHIFT_CORRELATIONS;
    for (int i = 0; i < SHIFT_CORRELATIONS; i++)
        s->against[i] = sum * exp(most - likely[i]);
}

/* What is new in a value, in standard deviations. */
static double news(const struct shift *s, int i, double value)
{
    double above = value - s->level[i], r = isnan(s->last) ? 0 : correlation[i];

    if (r > 0)
        above -= r * (s->last - s->level[i]);
    return fmin(STAKE_MAX, above / s->sd[i] / sqrt(1 - r * r));
}

void shift_add(struct shift *s, double value)
{
    for (int i = 0; i < SHIFT_CORRELATIONS && !isnan(value); i++) {
        double z = news(s, i, value);

        for (int j = 0; j < SHIFT_BETS; j++)
            s->bet[i][j] = fmin(BET_MAX, (s->bet[i][j] + 1.0 / SHIFT_BETS) *
                                             exp(size[j] * z - size[j] * size[j] / 2));
    }
    s->last = value;
}

double shift_evidence(const struct shift *s)
{
    double least = INFINITY;

    for (int i = 0; i < SHIFT_CORRELATIONS; i++) {
        double sum = 0;

        for (int j = 0; j < SHIFT_BETS; j++)
            sum += s->bet[i][j];
        least = fmin(least, sum * s->against[i]);
    }
    return least;
}
