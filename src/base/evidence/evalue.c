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

/* exp(x^2) erfc(-x). Far below 0 the factors overflow and underflow: an asymptotic series. */
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

/* ---- pairs of blocks ---- */

static enum arm toss(struct pairing *p)
{
    return rng_next(&p->coin) >> 63 ? ARM_B : ARM_A;
}

static void begin_pair(struct pairing *p)
{
    p->arm = p->next_pair;
    p->next_pair = toss(p);
    p->is_second = false;
    for (int i = 0; i < 2; i++) {
        p->sum[i] = 0;
        p->count[i] = 0;
    }
}

void pairing_init(struct pairing *p, uint32_t length, uint32_t burn_in, uint64_t seed)
{
    assert(burn_in < length);
    *p = (struct pairing){ .length = length, .burn_in = burn_in };
    rng_init(&p->coin, seed, 0);
    p->next_pair = toss(p);
    begin_pair(p);
}

enum arm pairing_arm(const struct pairing *p)
{
    return p->arm;
}

static enum arm other(enum arm arm)
{
    return arm == ARM_A ? ARM_B : ARM_A;
}

enum arm pairing_next_arm(const struct pairing *p)
{
    return p->is_second ? p->next_pair : other(p->arm);
}

/* Ends the pair. A pair with an unmeasured block gives no difference. */
static bool end_pair(struct pairing *p, double *d)
{
    bool is_whole = p->count[ARM_A] && p->count[ARM_B];

    if (is_whole)
        *d = p->sum[ARM_B] / p->count[ARM_B] - p->sum[ARM_A] / p->count[ARM_A];
    begin_pair(p);
    return is_whole;
}

bool pairing_add(struct pairing *p, double value, double *d)
{
    if (p->interval >= p->burn_in && !isnan(value)) {
        p->sum[p->arm] += value;
        p->count[p->arm]++;
    }
    if (++p->interval < p->length)
        return false;
    p->interval = 0;
    if (p->is_second)
        return end_pair(p, d);
    p->is_second = true;
    p->arm = other(p->arm);
    return false;
}

/* ---- shifts of a mean ---- */

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
    double           ends = x->first + x->last, end_squares = x->first * x->first + x->last * x->last;
    struct shift_fit f = { .weight = (x->count - (x->count - 2.0) * r) / (1 + r) };

    f.mean = ((1 - r) * x->sum + r * ends) / (1 + r) / f.weight;
    double all = ((1 + r * r) * x->squares - r * r * end_squares - 2 * r * x->products) / (1 - r * r);
    f.squares = fmax(0, all - f.weight * f.mean * f.mean);
    return f;
}

/* ---- what comes after ---- */

/* Logarithm of the likelihood of a correlation, and the standard deviation of the series with it. */
static double explain(const struct shift_reference *r, const struct shift_reference *also, double corr,
                      double least, double *sd)
{
    struct shift_fit f = shift_fit(r, corr), g = { 0, 0, 1 };
    double           n = r->count - 1.0;

    if (also && also->count > 1) {
        g = shift_fit(also, corr);
        n += also->count - 1.0;
    }
    double squares = fmax(f.squares + g.squares, n * least * least);
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
