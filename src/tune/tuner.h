/* src/tune/tuner.h - the interface of a tuner.
 *
 * A tuner is one file in this folder. It fills a struct tuner_algo and is listed in tuner_all[] (tuner.c).
 * After each monitor interval it sees a report and may change the setting. It cannot tell whether the network
 * is simulated. Its options are rows of a table, with bounds and help. Results depend only on the seed and
 * the reports.
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

enum tuner_phase {               /* learn, frozen: of tuners that learn all the time, or no more */
    TUNER_NO_PHASE, TUNER_WATCH, TUNER_SEARCH, TUNER_CONFIRM, TUNER_HOLD, TUNER_LEARN, TUNER_FROZEN,
    TUNER_PHASES
};
extern const char *const tuner_phase_names[TUNER_PHASES];        /* no phase: "" */

enum tuner_verdict { TUNER_NO_VERDICT, TUNER_ACCEPTED, TUNER_REJECTED, TUNER_BEST };

struct tuner_tried {             /* a setting that was tried on a twin, and its predicted gain */
    const char  *name;           /* a constant; NULL: found by the search */
    double       gain, low, high;        /* log of slowdowns relative to the current one; < 0: better */
    uint32_t     blocks;         /* of messages that it was tried on */
    bool         is_out;         /* dropped early */
    bool         is_now;         /* the current setting */
    struct knobs knobs;
};

struct tuner_note {              /* why a tuner did what it did in one step */
    enum tuner_phase   phase;
    double             utility;  /* of the interval, 0 .. 1; NaN: not measured. Likewise below */
    double             throughput, rtt, pfc;     /* its terms */
    double             divergence;               /* of flow sizes from those before */
    double             elephants;                /* share of flows, 0 .. 1 */
    double             temperature;
    enum tuner_verdict verdict;                  /* on the setting of the interval */
    char               why[480];                 /* one or two sentences */
    const struct tuner_tried *tried;             /* owned by the tuner, valid until its next step */
    uint32_t           tries;
};

/* Appends to the note's reason, after "; " if there is one. */
void tuner_say(struct tuner_note *, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct tuner_algo {
    /* Sets options that depend on others, such as a preset, unless given; tuner_open() does so, too. */
    void (*fill)(struct option_values *);

    /* Refuses values that are wrong together, with option_refuse(). */
    int (*create)(void **state, const struct world *, const struct option_values *, struct err *);
    void (*destroy)(void *state);

    /* An interval has ended. 'knobs' is its setting, which the tuner may change. 'note' is zeroed, with NaN
     * for "not measured". report.outcome is that of the last decision; a refused one is not in 'knobs'. */
    void (*step)(void *state, const struct report *, struct knobs *knobs, struct tuner_note *note);

    /* Writes the setting to start with. NULL: the current one. */
    void (*first)(const void *state, struct knobs *);

    /* Tuners that set each egress queue: the length of a slot, and the counters of each queue at the end
     * of a slot. Both are NULL for other tuners. */
    uint64_t (*slot_ps)(const void *state);
    void (*slot)(void *state, const struct queue_slot *);

    /* Writes the thresholds of each queue, before the first and after each slot. False: as the knobs. */
    bool (*queues)(const void *state, struct ecn *);

    /* Writes the best setting found so far: the result of an offline search. NULL: the current one. */
    void (*best)(const void *state, struct knobs *);

    /* Returns the knobs that the tuner controls. NULL: those that it changes. */
    const bool *(*names)(const void *state);

    /* Returns true if no search is in progress. NULL: the tuner does not search. */
    bool (*is_idle)(const void *state);

    /* Returns true if reports must include what hosts see of messages. NULL: no. */
    bool (*wants_messages)(const void *state);

    /* Returns true if the tuner uses what hosts see of messages where they report it. NULL: no. */
    bool (*uses_messages)(const void *state);

    const char           *name, *about;
    const struct key_row *option;        /* ends with a row without a name */
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

/* Option values by preset, as text; other options are equal in all. Ends with an empty row. */
#define TUNER_PRESETS_MAX 3
struct tuner_preset { const char *option, *value[TUNER_PRESETS_MAX]; };

/* Sets options that were not given to a column of the rows. is_given[] does not change. */
void tuner_values_preset(const struct tuner_algo *, struct option_values *, const struct tuner_preset *,
                         int preset);

/* A tuner that is ready to run. */
struct tuner { const struct tuner_algo *algo; void *state; };

int  tuner_open(struct tuner *, const struct tuner_algo *, const struct world *,
                const struct option_values *, struct err *);
void tuner_close(struct tuner *);
void tuner_first(const struct tuner *, struct knobs *);

/* Returns true if reports should include messages: the tuner needs or uses them. */
bool tuner_reads_messages(const struct tuner *);
void tuner_step(struct tuner *, const struct report *, struct knobs *, struct tuner_note *);

#endif
