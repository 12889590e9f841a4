/* src/core/knobs.h - what we set.
 *
 * A struct knobs is one complete setting. Tuners read and write it; sim/ and
 * live/ turn it into device configuration. Values are in the unit of the row.
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
};

enum knob {
#define KNOB(name, ...) KNOB_##name,
#include "core/knobs.def"
#undef KNOB
    KNOB_COUNT
};

struct knob_info {
    const char     *name;
    enum knob_where where;
    enum knob_unit  unit;
    double          initial, min, max, step;
    int             toward;      /* +1: raising it favours throughput, -1: low delay, 0: neither */
    const char     *about;
};

struct knobs {
    double value[KNOB_COUNT];
};

/* Some knobs of a setting: those that are named have a value, the others are left alone. */
struct knob_set {
    struct knobs knobs;
    bool         is_named[KNOB_COUNT];
};

extern const struct knob_info knob_info[KNOB_COUNT];
extern const char *const      knob_names[KNOB_COUNT + 1];    /* NULL-terminated */

/* Sets every knob to its initial value. */
void knobs_init(struct knobs *);

/* Brings every knob into [min, max]. */
void knobs_clamp(struct knobs *);

/* A setting as it holds at a link that is so many times as fast as the fastest host's: see by_speed. */
struct knobs knobs_at_speed(const struct knobs *, double share);

/* Is every knob of the one as in the other? */
bool knobs_equal(const struct knobs *, const struct knobs *);

/* Returns the knob called 'name', or KNOB_COUNT. */
enum knob knob_find(const char *name);

/* Parses 'text' (a plain number in the row's unit, or one with a unit of the same kind: "300us",
 * "0.3ms", "100KB", "20%") into a value of 'knob'. NUMBER, Q10, LOG2, BLOCKS and PERCENT take whole
 * numbers only. On failure the reason names the knob and its range. */
int knob_parse(enum knob, const char *text, double *value, struct err *);

/* Names a knob and gives it a value. */
void knob_set_add(struct knob_set *, enum knob, double value);

/* Puts what is named over a setting. Where that cannot work together with what was there (kmin > kmax), the one
 * that is not named gives way. */
void knob_set_put(const struct knob_set *, struct knobs *);

/* Refuses settings that cannot work together (kmin > kmax); the reason says which. */
int knobs_check(const struct knobs *, struct err *);

/* "us", "KB", ...: how the unit is written; "" for none. knob_parse() takes it behind a number. */
const char *knob_unit_name(enum knob_unit);

/* "NIC", "switch" or "host". */
const char *knob_where_name(enum knob_where);

#endif
