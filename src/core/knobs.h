/* src/core/knobs.h - the parameters that can be set.
 *
 * A struct knobs is one complete setting. Tuners read and write it; sim/ and live/ turn it into device
 * configuration. Values are in the unit of the row.
 */
#ifndef CORE_KNOBS_H
#define CORE_KNOBS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum knob_where { KNOB_NIC, KNOB_SWITCH, KNOB_HOST };

enum knob_unit {
    KNOB_MBPS,                   /* megabits per second */
    KNOB_US,                     /* microseconds */
    KNOB_KB,                     /* 1000 bytes */
    KNOB_RATIO,                  /* 0 .. 1 */
    KNOB_PERCENT,
    KNOB_BLOCKS,                 /* of 64 bytes */
    KNOB_Q10,                    /* 1/1024 */
    KNOB_LOG2,
    KNOB_NUMBER,                 /* a count, a class, a switch of 0 and 1 */
    KNOB_BITS,                   /* a set: it has no steps */
};

/* What a knob is in proportion to, from network to network. */
enum knob_law { KNOB_FIXED, KNOB_BY_RTT, KNOB_BY_RATE, KNOB_BY_BDP };

#define KNOB_REFERENCE_MBPS   1e5        /* the network whose values rows have */
#define KNOB_REFERENCE_RTT_US 40

enum knob {
#define KNOB(name, ...) KNOB_##name,
#include "core/knobs.def"
#undef KNOB
    KNOB_COUNT
};

struct knob_info {
    const char     *name;
    enum knob_where where;
    const char     *readers;     /* see knobs.def */
    enum knob_unit  unit;
    double          initial, min, max, step;
    int             toward;      /* +1: raising it favours throughput, -1: low delay, 0: neither */
    enum knob_law   law;
    const char     *about;

    /* Options: see knobs.def. */
    struct { double min, max, step, grain; bool is_fixed; } safe;        /* step 0: not searched */
    struct { double min, max; } wide;            /* max 0: not searched */
    double          automatic;                   /* 0: 0 is a value like others */
    struct { bool is_allowed, is_not_0; double step; } live;     /* step 0: by the row's */
};

struct knobs {
    double value[KNOB_COUNT];
};

/* Some knobs of a setting: the named ones have a value, the others stay unchanged. */
struct knob_set {
    struct knobs knobs;
    bool         is_named[KNOB_COUNT];
};

extern const struct knob_info knob_info[KNOB_COUNT];
extern const char *const      knob_names[KNOB_COUNT + 1];    /* NULL-terminated */

/* Sets every knob to its initial value. */
void knobs_init(struct knobs *);

/* Returns true if a control or balancer reads the knob. */
bool knob_is_read_by(enum knob, const char *name);

/* Limits every knob to [min, max]. */
void knobs_clamp(struct knobs *);

/* Returns the setting for a link with 'share' times the speed of the fastest host: see by_speed. */
struct knobs knobs_at_speed(const struct knobs *, double share);

/* Reports all nonzero knobs to a watcher (base/text.h), by name: a new knob that is off changes nothing. */
void knobs_watch(const struct knobs *);

/* True if all knobs are equal. */
bool knobs_equal(const struct knobs *, const struct knobs *);

/* Returns the knob called 'name', or KNOB_COUNT. */
enum knob knob_find(const char *name);

/* Parses 'text' (a plain number in the row's unit, or one with a unit of the same kind: "300us",
 * "0.3ms", "100KB", "20%") into a value of 'knob'. NUMBER, Q10, LOG2, BLOCKS and PERCENT take whole
 * numbers only. On failure the reason names the knob and its range. */
int knob_parse(enum knob, const char *text, double *value, struct err *);

/* Names a knob and gives it a value. */
void knob_set_add(struct knob_set *, enum knob, double value);

/* Applies the named knobs to a setting. If kmin would exceed kmax, the one that is not named is adjusted. */
void knobs_apply(struct knobs *, const struct knob_set *);

/* Refuses contradictory settings (kmin > kmax). */
int knobs_check(const struct knobs *, struct err *);

/* The unit as written: "us", "KB", ...; "" for none. knob_parse() accepts it after a number. */
const char *knob_unit_name(enum knob_unit);

/* True if knobs of this unit take whole numbers only. */
bool knob_is_whole(enum knob_unit);

/* A value in a smaller unit (4.001 us in ps, 100.001 KB in bytes), without a fraction of that. A decimal that
 * is whole in the smaller unit is exact, although two roundings may leave its double below. */
static inline uint64_t knob_whole(double value, uint64_t units)
{
    return (uint64_t)(value * (double)units * (1 + 0x1p-51));
}

/* "the round trip", ...; NULL: KNOB_FIXED. */
const char *knob_law_name(enum knob_law);

/* "NIC", "switch" or "host". */
const char *knob_where_name(enum knob_where);

#endif
