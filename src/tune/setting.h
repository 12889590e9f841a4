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

/* The presets that searches try: 'default' and others of DCQCN and ECN. Ends with a row without a name. */
#define SETTINGS 6u
extern const struct setting setting_all[SETTINGS + 1];

/* Baselines of ACC, which set only the three ECN thresholds. Ends with a row without a name. */
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
