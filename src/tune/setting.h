/* src/tune/setting.h - presets, and settings in files. */
#ifndef TUNE_SETTING_H
#define TUNE_SETTING_H

#include "base/err.h"
#include "core/knobs.h"
#include "tune/tuner.h"

struct setting {
    const char *name, *about;
    void      (*make)(struct knobs *, const struct world *);
    int         toward;          /* +1: throughput, at the cost of queues; -1: low delay; 0: neither */
    bool        is_by_speed;     /* thresholds scale with the speed of each port */
};

/* default            NVIDIA's, kmin/kmax/pmax 400 KB, 1600 KB, 0.2; the first CNP leaves 85 % of line rate
 * default_artifact   like default, but the first CNP halves the rate, as in PARALEON's artifact
 * expert             PARALEON's table I on top of default
 * hpcc               the HPCC paper's, which scales with link speed
 * bdp                thresholds and timers in proportion to bandwidth x round trip of the empty network
 * gentle             like bdp, with short queues by many small cuts instead of few deep ones
 * Ends with a row without a name. Searches try these presets. */
extern const struct setting setting_all[];

/* secn0, secn1, secn2, vendor: baselines of ACC. They set only the three ECN thresholds; those of secn2
 * scale with the speed of each port. Ends with a row without a name. */
extern const struct setting setting_thresholds[];
extern const char *const    setting_names[];     /* NULL-terminated */

/* Returns the preset of that name, or NULL. */
const struct setting *setting_find(const char *name);

/* Writes the thresholds of a preset for a queue. */
void setting_ecn(const struct setting *, const struct knobs *, const struct world *,
                 const struct queue_facts *, struct ecn *);

/* Reads a preset or, if there is none of that name, a file: a YAML map of knobs, on top of 'default'.
 * Knobs of balancers and HF2T that it does not name stay as they are; in a live network all such knobs do.
 * Refuses unknown knobs, units, ranges, and kmin above kmax with "file:line:column: ...". */
int setting_read(const char *name_or_file, const struct world *, struct knobs *, struct err *);

/* Likewise, and marks the knobs that the file or the preset sets. */
int setting_read_named(const char *name_or_file, const struct world *, struct knob_set *, struct err *);

/* Likewise from text; 'name' is for messages. */
int setting_parse(const char *name, const char *text, size_t length, struct knobs *, struct err *);

#endif
