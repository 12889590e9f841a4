/* src/tune/rehearse/rehearse_state.h - the state of the tuner `rehearse` between intervals, shared by its
 * parts:
 *
 *   rehearse.c (tune/)   watches, asks the twin, decides
 *   traffic/             the traffic model, and earlier results for such traffic
 *   search/              settings tried on a twin: goals, space, race
 *   proof/               whether a twin is right, and whether a prediction came true
 */
#ifndef TUNE_REHEARSE_REHEARSE_STATE_H
#define TUNE_REHEARSE_REHEARSE_STATE_H

#include "core/report.h"
#include "tune/contest.h"
#include "tune/raise.h"
#include "tune/rehearse/proof/proof.h"
#include "tune/rehearse/proof/regret.h"
#include "tune/rehearse/traffic/traffic_model.h"
#include "tune/tuner.h"

/* ---- the floor ----
 *
 * The formula that the tuner falls back to. It follows from the network alone and is applied before the
 * first message, so that no queue has to be drained. A setting found on a twin must be better; doubt about
 * the twin, or new traffic, returns to the formula. There are two, which the network can compare
 * (proof/proving.h). */

enum floor_formula { FLOOR_NONE, FLOOR_BDP, FLOOR_GENTLE };

extern const char *const floor_names[];      /* NULL-terminated */
extern const char *const floor_abouts[];     /* of each, for explanations */

struct floor {
    struct knobs knobs;          /* the formula, or the initial setting */
    struct knobs other;          /* the other formula; if the floor is the initial setting, the better one */
    bool         is_withdrawn;   /* the floor is the initial setting, or better than that */
    bool         has_formula;    /* else both are the initial setting: by option, for other controls than
                                  * DCQCN, or because the user chose the setting */
};

void floor_make(struct floor *, enum floor_formula, const struct world *);

/* True if this setting is the floor, and there is a formula. */
bool floor_is(const struct floor *, const struct knobs *);

/* Exchanges both: the other formula is better. */
void floor_swap(struct floor *);

/* Makes the initial setting the floor. False: done before, or there is no formula. */
bool floor_withdraw(struct floor *, const struct knobs *initial);

/* ---- the state ---- */

enum { OPT_BUDGET, OPT_OPENING, OPT_TRUST, OPT_PAIRS, OPTIONS };

#define REHEARSE_WINDOW 3        /* intervals of a traffic model, at least */
enum phase { PHASE_WATCH, PHASE_SETTLING, PHASE_PROVING, PHASE_DUEL, PHASE_HOLD };

#define REFUTED 8

struct rehearser {
    double         option[OPTIONS];
    struct goal    goal;
    struct world   world;
    uint32_t       hosts;
    uint32_t       age;                  /* intervals since the beginning */
    enum phase     phase;
    struct seen    window;               /* of the intervals that are being gathered */
    uint32_t       intervals;            /* in it, or of what else is waited for */
    double         seconds, lived_s;     /* of the window; that this traffic had gone on before it */
    struct seen    all;                  /* of the consecutive windows that agree, */
    double         all_s;                /* and how long they were */
    struct traffic_model last, chosen;   /* of the previous window; of the current setting's traffic */
    bool           has_last, has_chosen;
    /* of windows with this traffic and setting; if possible without the first, which shows the old one */
    struct seen    under;
    uint32_t       under_windows;
    uint32_t       held, hold_for;       /* windows since the last search; until the next */
    uint32_t       doubts;               /* windows in a row for which the twin was wrong */

    /* The setting that is being proved. */
    struct proof   proof;
    double         before_bps;
    uint32_t       proofs, regrets;      /* windows with other traffic; in a row that were worse */
    bool           is_kept;              /* it was proved and is the current one */
    struct regret  regret;               /* interval by interval */
    struct knobs   was, candidate;

    /* Without a twin. */
    struct floor   floor;
    bool           is_told;              /* the explanation has it */
    struct raise   raise;                /* when the initial setting returns */
    struct contest contest;              /* of the floor (A) and the other formula (B) */
    struct traffic_model duelled;        /* the traffic of the last comparison, */
    bool           has_duelled;          /* if there was one */

    struct memories memories;
    struct knobs   refuted[REFUTED];     /* recently refuted by the network */
    uint32_t       refutations;
    uint64_t       decisions;
    struct tuner_tried tried[RACE_RUNNERS];      /* in the last search */
};

/* Writes the phase and the reason of a step. */
void   rehearser_say(struct tuner_note *, enum tuner_phase,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));
double rehearser_percent(double log_ratio);

/* Goal and bound of harm, from the options. */
void rehearser_set_goal(struct rehearser *);

/* "the formula", or "the initial setting" where no formula applies. */
const char *rehearser_floor_name(const struct rehearser *);

/* A new window of intervals begins. */
void rehearser_begin_window(struct rehearser *);

/* A setting is applied, or about to be, for such traffic. */
void rehearser_choose_for(struct rehearser *, const struct traffic_model *, enum phase);

/* True if most messages depend on others. Slower ones are then due to the setting, whatever the load. */
bool rehearser_is_endogenous(const struct traffic_model *);

/* Least gain on the twin, with confidence. */
double rehearser_margin(const struct traffic_model *);

/* A setting was taken back: it is not set again. */
void rehearser_refute(struct rehearser *, const struct knobs *);

#endif
