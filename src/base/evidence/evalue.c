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
