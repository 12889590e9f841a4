#include "study/campaign/sweep.h"
#include "base/rng.h"
#include "base/text.h"
#include "core/knobs.h"
#include "tune/exp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text of a range ---- */

static int parse_knob(struct range *r, enum knob knob, const char *low, const char *high, struct err *err)
{
    enum knob_unit unit = knob_info[knob].unit;
    int rc = knob_parse(knob, low, &r->low, err);

    rc = rc ? rc : knob_parse(knob, high, &r->high, err);
    r->is_whole = unit != KNOB_RATIO;
    r->decimals_max = 4;
    /* Blocks and 1/1024 are written as plain numbers too. */
    if (unit == KNOB_MBPS || unit == KNOB_US || unit == KNOB_KB || unit == KNOB_PERCENT)
        snprintf(r->unit, sizeof(r->unit), "%s", knob_unit_name(unit));
    return rc;
}

/* Both ends are of this kind: they are written in the unit of the low one ("us" of "10us"), or, if that is 0,
 * of the high one. */
static int parse_quantity(struct range *r, int (*parse)(const char *, uint64_t *, struct err *),
                          const char *smallest, const char *low, const char *high)
{
    static const char digits[] = "0123456789. ";
    const char       *unit = low + strspn(low, digits);
    uint64_t          a, b, one;
    char              text[32];

    unit = *unit ? unit : high + strspn(high, digits);
    snprintf(text, sizeof(text), "1%s", unit);
    if (strlen(unit) >= sizeof(r->unit) || parse(low, &a, NULL) || parse(high, &b, NULL) ||
        parse(text, &one, NULL))
        return -EINVAL;
    r->low = (double)a / (double)one;
    r->high = (double)b / (double)one;
    r->is_whole = strcmp(unit, smallest) == 0;
    r->decimals_max = 4;
    snprintf(r->unit, sizeof(r->unit), "%s", unit);
    return 0;
}

static int parse_number(struct range *r, const char *low, const char *high)
{
    if (text_to_real(low, &r->low, NULL) || text_to_real(high, &r->high, NULL))
        return -EINVAL;
    r->is_whole = strspn(low, "0123456789") == strlen(low) && strspn(high, "0123456789") == strlen(high);
    r->decimals_max = 6;
    return 0;
}

static int parse_ends(struct range *r, const char *low, const char *high, struct err *err)
{
    enum knob knob = knob_find(r->key);

    if (knob < KNOB_COUNT)
        return parse_knob(r, knob, low, high, err);
    if (parse_number(r, low, high) && parse_quantity(r, text_to_time, "ps", low, high) &&
        parse_quantity(r, text_to_rate, "bps", low, high) && parse_quantity(r, text_to_bytes, "B", low, high))
        return err_set(err, EINVAL, "'%s' and '%s' are not two numbers, times, rates or sizes", low, high);
    return 0;
}

static int check_ends(struct range *r, struct err *err)
{
    if (r->is_whole) {
        r->low = ceil(r->low);
        r->high = floor(r->high);
    }
    if (!(r->low < r->high))
        return err_set(err, EINVAL, "the low end must be below the high end");
    if (r->is_log && r->low <= 0)
        return err_set(err, EINVAL, "a range with ':log' must begin above 0");
    return 0;
}

/* "50KB..800KB:log", in place. */
static int parse_text(struct range *r, char *ends, struct err *err)
{
    char *colon = strrchr(ends, ':');

    r->is_log = colon && strcmp(colon, ":log") == 0;
    if (colon && !r->is_log && strcmp(colon, ":linear") != 0)
        return err_set(err, EINVAL, "'%s' is not a scale; there are log and linear", colon + 1);
    if (colon)
        *colon = '\0';
    char *dots = strstr(ends, "..");
    *dots = '\0';
    int rc = parse_ends(r, ends, dots + 2, err);
    return rc ? rc : check_ends(r, err);
}

int range_parse(struct range *r, const char *text, struct err *err)
{
    const char *equals = strchr(text, '='), *dots = equals ? strstr(equals, "..") : NULL;
    struct err  why;

    *r = (struct range){ 0 };
    if (!dots || equals == text)
        return err_set(err, EINVAL, "--range: '%s' is not a range; write --range kmin=50KB..800KB", text);
    r->key = xprintf("%.*s", (int)(equals - text), text);
    char *ends = xstrdup(equals + 1);
    int   rc = parse_text(r, ends, &why);
    free(ends);
    if (!rc)
        return 0;
    range_fini(r);
    return err_set(err, -rc, "--range %s: %s", text, why.text);
}

void range_fini(struct range *r)
{
    free(r->key);
    *r = (struct range){ 0 };
}

/* ---- values ---- */

/* As many decimals as make four digits, and no zeros at the end. */
static char *number_text(char *buf, size_t size, double value, int decimals_max)
{
    int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : value >= 1 ? 3 : decimals_max;

    snprintf(buf, size, "%.*f", decimals < decimals_max ? decimals : decimals_max, value);
    for (size_t last = strlen(buf) - 1; strchr(buf, '.') && (buf[last] == '0' || buf[last] == '.'); last--)
        buf[last] = '\0';
    return buf;
}

static double value_at(const struct range *r, double share)
{
    double value;

    if (r->is_log)
        value = r->low * exp_of(share * rng_log(r->high / r->low));
    else if (r->is_whole)
        value = floor(r->low) + floor(share * (r->high - r->low + 1));       /* each equally likely */
    else
        value = r->low + share * (r->high - r->low);
    if (r->is_whole)
        value = floor(value + 0.5);
    return value < r->low ? r->low : value > r->high ? r->high : value;
}

char *range_value(char *buf, size_t size, const struct range *r, double share)
{
    char number[64];

    number_text(number, sizeof(number), value_at(r, share), r->is_whole ? 0 : r->decimals_max);
    snprintf(buf, size, "%s%s", number, r->unit);
    return buf;
}

/* ---- points ---- */

/* "kmin=100KB" also goes to the end of the name. */
static void add_set(struct axis_choice *c, const struct range *r, double share)
{
    char value[96], *set = xprintf("%s=%s", r->key, range_value(value, sizeof(value), r, share));
    char *name = xprintf("%s%s%s", c->name, *c->name ? " " : "", set);

    free(c->name);
    c->name = name;
    axis_choice_set(c, set);
}

/* Rounded values may meet; the first of equal choices stays. */
static void drop_equal(struct axis *a)
{
    json_t     *seen = json_object();
    struct axis dropped = { .choice = xcalloc(a->choices + 1ul, sizeof(*a->choice)) };
    uint32_t    kept = 0;

    for (uint32_t i = 0; i < a->choices; i++)
        if (json_object_get(seen, a->choice[i].name)) {
            dropped.choice[dropped.choices++] = a->choice[i];
        } else {
            json_object_set_new(seen, a->choice[i].name, json_true());
            a->choice[kept++] = a->choice[i];
        }
    a->choices = kept;
    axis_fini(&dropped);
    json_decref(seen);
}

/* The largest number of values a range of which all combinations are no more than 'samples'. */
static uint32_t values_each(uint32_t samples, uint32_t ranges)
{
    for (uint32_t each = 1;; each++) {
        uint64_t points = 1;

        for (uint32_t i = 0; i < ranges && points <= samples; i++)
            points *= each + 1;
        if (points > samples)
            return each;
    }
}

static int make_grid(struct axis *axes, const struct range *range, uint32_t ranges, uint32_t samples,
                     struct err *err)
{
    uint32_t each = values_each(samples, ranges);

    if (each < 2)
        return err_set(err, EINVAL, "--samples %u: a grid of %u range%s has %.0f points at least", samples,
                       ranges, ranges == 1 ? "" : "s", rng_pow(2, ranges));
    for (uint32_t i = 0; i < ranges; i++) {
        for (uint32_t n = 0; n < each; n++)
            add_set(axis_add(&axes[i], xstrdup("")), &range[i], (double)n / (each - 1));
        drop_equal(&axes[i]);
    }
    return (int)ranges;
}

static int make_samples(struct axis *a, const struct range *range, uint32_t ranges, enum sweep_method method,
                        uint32_t samples, uint64_t seed)
{
    struct rng rng[RANGES_MAX];
    uint32_t shift[RANGES_MAX];

    for (uint32_t i = 0; i < ranges; i++) {
        rng_init(&rng[i], seed, i);
        shift[i] = (uint32_t)(rng_next(&rng[i]) >> 32);
    }
    for (uint32_t n = 0; n < samples; n++) {
        struct axis_choice *c = axis_add(a, xstrdup(""));

        for (uint32_t i = 0; i < ranges; i++)
            add_set(c, &range[i],
                    method == METHOD_SOBOL ? (sobol_at(i, n) ^ shift[i]) * 0x1p-32 : rng_real(&rng[i]));
    }
    drop_equal(a);
    return 1;
}

int points_make(struct axis **axes, const struct range *range, uint32_t ranges, enum sweep_method method,
                uint32_t samples, uint64_t seed, struct err *err)
{
    *axes = xcalloc(ranges + 1ul, sizeof(**axes));
    if (ranges == 0)
        return 0;
    int rc = method == METHOD_GRID ? make_grid(*axes, range, ranges, samples, err)
                                   : make_samples(*axes, range, ranges, method, samples, seed);
    if (rc < 0) {
        free(*axes);
        *axes = NULL;
    }
    return rc;
}
