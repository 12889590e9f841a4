#include "core/figures.h"
#include "core/units.h"

#include <math.h>

#define END 99                   /* position after all others */

const char *metric_unit_name(enum metric_unit unit)
{
    static const char *const names[] = { "", "us", "bytes", "bps", "share", "count", "per_s", "bps", "ps" };

    return names[unit];
}

const char *metric_better_name(enum metric_better better)
{
    static const char *const names[] = { "lower", "higher", "neither" };

    return names[better];
}

/* Fields common to all rows. The other arguments say where a figure is shown, and what it derives from. */
#define ROW(id, of_name, of_how, of_unit, of_better, text, about, ...) \
    [id] = { .name = #of_name, .how = FIGURE_##of_how, .unit = UNIT_##of_unit, .better = BETTER_##of_better, \
             .label = (text), .help = (about), __VA_ARGS__ },

#define GROUP_THROUGHPUT "throughput"
#define GROUP_RTT        "rtt"
#define GROUP_PAUSE      "pause"
#define GROUP_QUEUE      "queue"
#define GROUP_ECN        "ecn"
#define GROUP_LOSS       "loss"
#define GROUP_PATHS      "paths"
#define GROUP_FLOWS      "flows"

#define INTERVALS(at)              .place[FIGURE_INTERVALS] = (at)
#define CHART(of_group, at, curve) .place[FIGURE_CHART] = (at), .group = GROUP_##of_group, .chart = (curve)
#define HEADLINE(at)               .place[FIGURE_HEADLINE] = (at)
#define METRIC(at)                 .place[FIGURE_METRIC] = (at)
#define PACKETS(at, name)          .place[FIGURE_PACKETS] = (at), .key = (name)
#define PFC(at, name)              .place[FIGURE_PFC] = (at), .key = (name)
#define MANIFEST(at)               .place[FIGURE_MANIFEST] = (at)

const struct figure_info figure_info[FIGURE_COUNT] = {
#define COUNTER(name, counted, ...) ROW(FIGURE_##name, name, __VA_ARGS__)
#define STATE(name, ...)            ROW(FIGURE_##name, name, __VA_ARGS__)
#define DERIVED(name, how, of_row, over_row, ...) \
    ROW(FIGURE_##name, name, how, __VA_ARGS__, .of = FIGURE_##of_row, .over = FIGURE_##over_row)
#define RESULT(name, ...)           ROW(FIGURE_##name, name, __VA_ARGS__)
#define DETAIL(name, ...)           ROW(FIGURE_##name, name, __VA_ARGS__)
#include "core/figures.def"
};

const struct figure_info port_info[PORT_COUNTS] = {
#define PORT(name, column, ...) ROW(PORT_##name, name, __VA_ARGS__, .key = #column)
#include "core/figures.def"
};

#define COUNTER(name, ...) _Static_assert(FIGURE_##name < FIGURE_COUNTERS, #name ": counters come first");
#define STATE(name, ...)   _Static_assert(FIGURE_##name < FIGURE_COUNTS, #name ": states before figures");
#include "core/figures.def"

uint32_t figure_list(enum figure_output output, enum figure_id list[FIGURE_COUNT])
{
    uint32_t count = 0;

    for (int i = 0; i < FIGURE_COUNT; i++) {
        uint8_t  place = figure_info[i].place[output];
        uint32_t at = count;

        if (!place)
            continue;
        for (; at > 0 && figure_info[list[at - 1]].place[output] > place; at--)
            list[at] = list[at - 1];
        list[at] = (enum figure_id)i;
        count++;
    }
    return count;
}

/* ---- sums ---- */

static void add(const struct figure_info *row, int rows, uint64_t *sum, const uint64_t *next)
{
    for (int i = 0; i < rows; i++)
        if (row[i].how == FIGURE_SUM)
            sum[i] += next[i];
        else if (row[i].how == FIGURE_LAST || next[i] > sum[i])
            sum[i] = next[i];
}

void figure_add(uint64_t sum[FIGURE_COUNTS], const uint64_t next[FIGURE_COUNTS])
{
    add(figure_info, FIGURE_COUNTS, sum, next);
}

void figure_add_port(uint64_t sum[PORT_COUNTS], const uint64_t next[PORT_COUNTS])
{
    add(port_info, PORT_COUNTS, sum, next);
}

/* ---- values ---- */

struct figure_span figure_span(const uint64_t count[FIGURE_COUNTS], uint64_t ps, uint32_t ports)
{
    struct figure_span s = { .ps = (double)ps, .ports = ports };

    for (int i = 0; i < FIGURE_COUNTS; i++)
        s.count[i] = (double)count[i];
    return s;
}

static double quotient(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

double figure_raw(enum figure_id figure, const struct figure_span *s)
{
    const struct figure_info *f = &figure_info[figure];
    double of = f->of < FIGURE_COUNTS ? s->count[f->of] : 0,
        over = f->over < FIGURE_COUNTS ? s->count[f->over] : 0;

    switch (f->how) {
    case FIGURE_SUM:
    case FIGURE_MAX:
    case FIGURE_LAST:    return s->count[figure];
    case FIGURE_RATE:    return quotient(of * 8, s->ps / (double)PS_PER_S);
    case FIGURE_MEAN:    return quotient(of, over);
    case FIGURE_SHARE:   return of < over ? of / over : over > 0 ? 1 : NAN;
    case FIGURE_OF_TIME: return quotient(of, s->ps * s->ports);
    case FIGURE_SAME:    return of;
    case FIGURE_PEAK:    return over > 0 ? of : NAN;
    case FIGURE_ONCE:
    case FIGURE_STATS:   break;
    }
    return NAN;
}

double figure_value(enum figure_id figure, const struct figure_span *s)
{
    return figure_raw(figure, s) / (figure_info[figure].unit == UNIT_US ? (double)PS_PER_US : 1);
}
