/* src/tune/tuner.h - how knobs are chosen.
 *
 * A tuner is one file in this folder: it fills a struct tuner_algo and stands in tuner_all[] (tuner.c). Once
 * per monitor interval it is shown a report and may give another setting. It cannot tell whether the network
 * is real.
 *
 * Everything about a tuner that a person may want to change is a row of its table of options: it can be
 * written in a scenario, is refused when it is wrong, and has a line of help. Results depend on the seed and
 * the reports alone.
 */
#ifndef TUNE_TUNER_H
#define TUNE_TUNER_H

#include "base/err.h"
#include "core/decision.h"
#include "core/knobs.h"
#include "core/option.h"
#include "core/queue.h"
#include "core/report.h"
#include "core/world.h"

#include <stdbool.h>
#include <stdint.h>

enum tuner_verdict { TUNER_NO_VERDICT, TUNER_ACCEPTED, TUNER_REJECTED, TUNER_BEST };

struct tuner_tried {             /* a setting that was tried on a twin, and what it was predicted to be worth */
    const char  *name;           /* a constant; NULL: it has none, and was found */
    double       gain, low, high;                /* log of slowdowns over those with the setting in force: below 0 is better */
    uint32_t     blocks;         /* of messages that it has met */
    bool         is_out;         /* it fell behind, and was tried no further */
    bool         is_now;         /* it is the setting in force */
    struct knobs knobs;
};

struct tuner_note {              /* why a tuner did what it did in one step */
    const char        *phase;    /* "watch", "search", "confirm", "hold": a constant */
    double             utility;  /* of the interval that ended, 0 .. 1; NaN: not measured. So below */
    double             throughput, rtt, pfc;     /* its terms */
    double             divergence;               /* of flow sizes from those before */
    double             elephants;                /* share of flows, 0 .. 1 */
    double             temperature;
    enum tuner_verdict verdict;                  /* on the setting that was in force in the interval */
    char               why[480];                 /* one sentence in plain words, or two */
    const struct tuner_tried *tried;             /* the tuner's, until its next step */
    uint32_t           tries;
};

struct tuner_algo {
    /* Gives options that were not given the values that will be in force, where others decide on them:
     * those of a preset. NULL: the initial ones are. create() does the same by itself. */
    void (*fill)(struct option_values *);

    /* Makes one. What single options cannot know is refused here: weights that do not sum to 1. The reason
     * names the option first: "weight_rtt: ...". */
    int (*create)(void **state, const struct world *, const struct option_values *, struct err *);
    void (*destroy)(void *state);

    /* An interval has ended. 'knobs' holds the setting that was in force in it; the tuner may change it
     * for the next. 'note' comes zeroed, with NaN where that means "not measured". The report's outcome says what became of
     * the setting that it gave last; one that was refused is not in 'knobs'. */
    void (*step)(void *state, const struct report *, struct knobs *knobs, struct tuner_note *note);

    /* Writes the setting that it wants before the first interval. NULL: the one in force. */
    void (*first)(const void *state, struct knobs *);

    /* What it wants in parts of the network, tiers or devices or single queues, over the setting that holds everywhere; as
     * many as it says, in the order in which they are to be put over each other. Asked after 'first' and after every
     * step. NULL: nothing. */
    const struct scoped_set *(*parts)(const void *state, uint32_t *count);

    /* Scope egress queue. 'slot_ps' returns how long a slot is; when one has ended, 'slot' is shown what each queue
     * did in it. NULL, both: the tuner looks at intervals alone. */
    uint64_t (*slot_ps)(const void *state);
    void (*slot)(void *state, const struct queue_slot *);

    /* Writes the thresholds it wants for each queue, before the first slot and after each; false: it leaves the
     * queues alone. NULL: it always does, and the knobs say what holds for all. */
    bool (*queues)(const void *state, struct ecn *);

    /* The best setting found so far: what an offline search ends with. NULL: the one in force. */
    void (*best)(const void *state, struct knobs *);

    /* The knobs that it speaks of, also where it wants no other value than the one in force. NULL: those that it changes. */
    const bool *(*names)(const void *state);

    /* Is a search over, for now? NULL: there is none. */
    bool (*is_idle)(const void *state);

    /* Are reports to have what hosts see of messages? NULL: no. */
    bool (*wants_messages)(const void *state);

    const char                *name, *about;
    const struct key_row  *option;       /* ends with a row without a name */
};

extern const struct tuner_algo *const tuner_all[];       /* NULL-terminated */

/* Short names for a tuner with certain options: "expert" is fixed with setting=expert. */
struct tuner_alias { const char *name, *tuner, *option, *value, *about; };
extern const struct tuner_alias tuner_aliases[];         /* ends with a row without a name */

/* Names of tuners, then of aliases, NULL-terminated: for messages. */
#define TUNER_NAMES_MAX 64
void tuner_list_names(const char *names[TUNER_NAMES_MAX + 1]);

/* Returns the tuner or alias called 'name', or NULL; sets *alias to NULL or the alias. */
const struct tuner_algo *tuner_find(const char *name, const struct tuner_alias **alias);

/* Its options at their initial values; to be given back with option_values_fini(). */
void tuner_values_init(const struct tuner_algo *, struct option_values *);

/* Sets one option from its text: see option_values_set(). */
int tuner_values_set(const struct tuner_algo *, struct option_values *, const char *name, const char *text,
                     struct err *);

/* Values of options by preset, as people write them. What has no row is the same in all presets. Ends with an empty row. */
#define TUNER_PRESETS_MAX 3
struct tuner_preset { const char *option, *value[TUNER_PRESETS_MAX]; };

/* Sets options that were not given to the values of a preset: a column of the rows. is_given[] stays as it is. */
void tuner_values_preset(const struct tuner_algo *, struct option_values *, const struct tuner_preset *, int preset);

/* From what was given to what will be in force, for whoever shows it to people. is_given[] stays as it is. */
void tuner_values_fill(const struct tuner_algo *, struct option_values *);

/* A tuner that is ready to run. */
struct tuner { const struct tuner_algo *algo; void *state; };

int  tuner_open(struct tuner *, const struct tuner_algo *, const struct world *,
                const struct option_values *, struct err *);
void tuner_close(struct tuner *);
void tuner_first(const struct tuner *, struct knobs *);
void tuner_step(struct tuner *, const struct report *, struct knobs *, struct tuner_note *);

#endif
