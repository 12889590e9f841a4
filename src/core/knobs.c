#include "core/knobs.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define SAFE(...)          .safe = { __VA_ARGS__, false }
#define SAFE_ANYWHERE(...) .safe = { __VA_ARGS__, true }
#define WIDE(...)          .wide = { __VA_ARGS__ }
#define AUTOMATIC(value)   .automatic = (value)
#define LIVE               .live = { true, false, 0 }
#define LIVE_NOT_0         .live = { true, true, 0 }
#define LIVE_STEP(step)    .live = { true, false, step }

const struct knob_info knob_info[KNOB_COUNT] = {
#define KNOB(id, ...) [KNOB_##id] = { .name = #id, __VA_ARGS__ },
#include "core/knobs.def"
#undef KNOB
};

const char *const knob_names[KNOB_COUNT + 1] = {
#define KNOB(name, ...) #name,
#include "core/knobs.def"
#undef KNOB
    NULL
};

void knobs_init(struct knobs *k)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        k->value[i] = knob_info[i].initial;
}

bool knob_is_read_by(enum knob knob, const char *name)
{
    size_t length = strlen(name);

    for (const char *word = knob_info[knob].readers; *word; word += strspn(word, " ")) {
        size_t end = strcspn(word, " ");

        if (end == length && memcmp(word, name, length) == 0)
            return true;
        word += end;
    }
    return false;
}

void knobs_clamp(struct knobs *k)
{
    for (int i = 0; i < KNOB_COUNT; i++) {
        if (k->value[i] < knob_info[i].min)
            k->value[i] = knob_info[i].min;
        if (k->value[i] > knob_info[i].max)
            k->value[i] = knob_info[i].max;
    }
}

struct knobs knobs_at_speed(const struct knobs *k, double share)
{
    struct knobs own = *k;

    if (k->value[KNOB_by_speed] == 0 || share == 1)
        return own;
    for (int i = 0; i < KNOB_COUNT; i++)
        if (knob_info[i].law == KNOB_BY_RATE || knob_info[i].law == KNOB_BY_BDP)
            own.value[i] *= share;
    knobs_clamp(&own);
    return own;
}

void knobs_watch(const struct knobs *k)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (k->value[i] != 0) {
            text_watch_text(knob_names[i]);
            text_watch_real(k->value[i]);
        }
}

bool knobs_equal(const struct knobs *a, const struct knobs *b)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (a->value[i] != b->value[i])
            return false;
    return true;
}

enum knob knob_find(const char *name)
{
    int i = 0;

    while (i < KNOB_COUNT && strcmp(knob_info[i].name, name) != 0)
        i++;
    return (enum knob)i;
}

bool knob_is_whole(enum knob_unit unit)
{
    return unit == KNOB_NUMBER || unit == KNOB_Q10 || unit == KNOB_LOG2 || unit == KNOB_BLOCKS ||
           unit == KNOB_PERCENT || unit == KNOB_BITS;
}

/* Parses "12", or "12us" if us is the knob's unit. */
static int parse_plain(enum knob_unit unit, const char *text, double *value)
{
    const char *own = knob_unit_name(unit);
    size_t length = strlen(text), own_length = strlen(own);
    char number[64];

    if (length > own_length && strcmp(text + length - own_length, own) == 0)
        length -= own_length;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length == 0 || length >= sizeof(number) || (unit != KNOB_RATIO && memchr(text, '%', length)))
        return -EINVAL;
    memcpy(number, text, length);
    number[length] = '\0';
    return text_to_real(number, value, NULL);
}

/* Parses a quantity of the same kind in another unit. */
static int parse_quantity(enum knob_unit unit, const char *text, double *value)
{
    uint64_t n = 0;
    int rc = -EINVAL;

    if (unit == KNOB_US && (rc = text_to_time(text, &n, NULL)) == 0)
        *value = (double)n / 1e6;
    else if (unit == KNOB_MBPS && (rc = text_to_rate(text, &n, NULL)) == 0)
        *value = (double)n / 1e6;
    else if (unit == KNOB_KB && (rc = text_to_bytes(text, &n, NULL)) == 0)
        *value = (double)n / 1e3;
    else if (unit == KNOB_BLOCKS && (rc = text_to_bytes(text, &n, NULL)) == 0)
        *value = (double)n / 64;
    return rc;
}

/* "'kmin' must be 0 .. 131071 KB, not 200000KB" */
static int refuse(const struct knob_info *info, int code, const char *text, struct err *err)
{
    const char *unit = knob_unit_name(info->unit);
    const char *blank = *unit && *unit != '%' && *unit != '/' ? " " : "";

    return err_set(err, code, "'%s' must be %s%.10g .. %.10g%s%s%s, not %.60s", info->name,
                   knob_is_whole(info->unit) ? "a whole number " : "", info->min, info->max, blank, unit,
                   info->unit == KNOB_BLOCKS ? " of 64 bytes" : "", *text ? text : "''");
}

/* "'kmin' is a size, not '5us'; write 400KB" */
static int refuse_unit(const struct knob_info *info, const char *text, struct err *err)
{
    static const struct { enum knob_unit unit; const char *what, *example; } kinds[] = {
        { KNOB_US, "a time", "50us" }, { KNOB_MBPS, "a rate", "40Mbps" }, { KNOB_KB, "a size", "400KB" },
        { KNOB_BLOCKS, "a size", "2MB" },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].unit == info->unit)
            return err_set(err, EINVAL, "'%s' is %s, not '%.60s'; write %s", info->name,
                           kinds[i].what, text,
                           kinds[i].example);
    return refuse(info, EINVAL, text, err);
}

int knob_parse(enum knob knob, const char *text, double *value, struct err *err)
{
    const struct knob_info *info = &knob_info[knob];
    double made = 0;
    int rc = parse_plain(info->unit, text, &made);

    if (rc == -EINVAL)
        rc = parse_quantity(info->unit, text, &made);
    if (rc == -EINVAL)
        return refuse_unit(info, text, err);
    if (!rc && (made < info->min || made > info->max))
        rc = -ERANGE;
    else if (!rc && knob_is_whole(info->unit) && made != (double)(uint64_t)made)
        rc = -EINVAL;
    if (rc)
        return refuse(info, -rc, text, err);
    *value = made;
    return 0;
}

void knob_set_add(struct knob_set *s, enum knob knob, double value)
{
    s->knobs.value[knob] = value;
    s->is_named[knob] = true;
}

/* If kmin exceeds kmax and one of them is new, the other becomes equal to it. */
static void keep_order(const struct knob_set *s, struct knobs *k, enum knob low, enum knob high)
{
    if (k->value[low] <= k->value[high] || (!s->is_named[low] && !s->is_named[high]))
        return;
    if (s->is_named[low])
        k->value[high] = k->value[low];
    else
        k->value[low] = k->value[high];
}

void knobs_apply(struct knobs *k, const struct knob_set *s)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (s->is_named[i])
            k->value[i] = s->knobs.value[i];
    keep_order(s, k, KNOB_kmin, KNOB_kmax);
    keep_order(s, k, KNOB_hf2t_min, KNOB_hf2t_max);
}

int knobs_check(const struct knobs *k, struct err *err)
{
    double kmin = k->value[KNOB_kmin], kmax = k->value[KNOB_kmax];

    if (kmin > kmax)
        return err_set(err, EINVAL, "'kmin' (%.10g KB) must not be above 'kmax' (%.10g KB)", kmin, kmax);
    if (k->value[KNOB_hf2t_min] > k->value[KNOB_hf2t_max])
        return err_set(err, EINVAL, "'hf2t_min' (%.10g) must not be above 'hf2t_max' (%.10g)",
                       k->value[KNOB_hf2t_min],
                       k->value[KNOB_hf2t_max]);
    return 0;
}

const char *knob_unit_name(enum knob_unit unit)
{
    switch (unit) {
    case KNOB_MBPS:    return "Mbps";
    case KNOB_US:      return "us";
    case KNOB_KB:      return "KB";
    case KNOB_PERCENT: return "%";
    case KNOB_BLOCKS:  return "blocks";
    case KNOB_Q10:     return "/1024";
    case KNOB_RATIO:
    case KNOB_LOG2:
    case KNOB_NUMBER:
    case KNOB_BITS:    break;
    }
    return "";
}

const char *knob_law_name(enum knob_law law)
{
    static const char *const names[] = { NULL, "the round trip", "the line rate",
                                         "the bandwidth-delay product" };

    return names[law];
}

const char *knob_where_name(enum knob_where where)
{
    switch (where) {
    case KNOB_NIC:    return "NIC";
    case KNOB_SWITCH: return "switch";
    case KNOB_HOST:   break;
    }
    return "host";
}
