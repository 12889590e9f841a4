/* src/tune/setting.h - presets, and settings in files. */
#ifndef TUNE_SETTING_H
#define TUNE_SETTING_H

#include "base/err.h"
#include "core/knobs.h"
#include "tune/tuner.h"

#include <stddef.h>

struct setting {
    const char *name, *about;
    void      (*make)(struct knobs *, const struct world *);
    int         toward;          /* +1: throughput, at the cost of queues; -1: low delay; 0: neither */
    bool        is_by_speed;     /* kmin and kmax hold for ports of the speed of hosts, for others in proportion */
};

/* default            NVIDIA's, kmin/kmax/pmax 400 KB, 1600 KB, 0.2; the first CNP leaves 85 % of line rate
 * default_artifact   the same, but the first CNP halves the rate, as in PARALEON's artifact
 * expert             PARALEON's table I on top of default
 * hpcc               the HPCC paper's, which grows with the speed of links
 * bdp                thresholds and timers in proportion to bandwidth x round trip of the empty network
 * gentle             short queues by many small cuts (gentle.h)
 * Ends with a row without a name. Searches try them. */
extern const struct setting setting_all[];

/* secn0, secn1, secn2, vendor: what ACC is compared with. Three thresholds, and all else as it was; those of secn2 go
 * with the speed of each port. Ends likewise. */
extern const struct setting setting_thresholds[];
extern const char *const    setting_names[];     /* NULL-terminated */

/* The setting of that name, or NULL. */
const struct setting *setting_find(const char *name);

/* The thresholds that a setting means for a queue. */
void setting_ecn(const struct setting *, const struct knobs *, const struct world *, const struct queue_facts *,
                 struct ecn *);

/* Writes the setting of that name or, if there is none, of the file of that name: a map of knobs in YAML, on
 * top of default. Knobs of balancers and HF2T that it does not name stay as they are; in a network that is in use all knobs
 * that a file does not name do. Refuses unknown knobs, units, ranges, kmin above kmax with "file:line:column: ...". */
int setting_read(const char *name_or_file, const struct world *, struct knobs *, struct err *);

/* The same, and which knobs it is about: those that a file names, or that a preset is made of. */
int setting_read_named(const char *name_or_file, const struct world *, struct knob_set *, struct err *);

/* The same from text; 'name' is used in messages. */
int setting_parse(const char *name, const char *text, size_t length, struct knobs *, struct err *);

#endif
