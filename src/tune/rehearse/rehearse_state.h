/* src/tune/rehearse/rehearse_state.h - the state of the tuner `rehearse` between intervals, shared by its
 * parts:
 *
 *   rehearse.c (tune/)   watches, asks the twin, decides
 *   floor.h              the formula that applies without a twin
 *   traffic/             the traffic model, and earlier results for such traffic
 *   search/              settings tried on a twin: goals, space, race
 *   proof/               whether a twin is right, and whether a prediction came true
 */
#ifndef TUNE_REHEARSE_REHEARSE_STATE_H
#define TUNE_REHEARSE_REHEARSE_STATE_H

#include "core/report.h"
#include "tune/contest.h"
#include "tune/raise.h"
#include "tune/rehearse/floor.h"
#include "tune/rehearse/traffic/traffic_memory.h"
#include "tune/rehearse/proof/proof.h"
#include "tune/rehearse/proof/regret.h"
#include "tune/tuner.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OPT_BUDGET, OPT_OPENING, OPT_THINK, OPT_TRUST, OPT_PAIRS,
    OPT_WRONG_LOAD, OPT_WRONG_SIZES, OPTIONS
};

#define REHEARSE_WINDOW 3        /* intervals of a traffic model, at least */
enum phase { PHASE_WATCH, PHASE_THINKING, PHASE_SETTLING, PHASE_PROVING, PHASE_DUEL, PHASE_HOLD };

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
    /* of windows with this traffic and the current setting; the first is left out if possible, because it
     * still shows the previous setting */
    struct seen    under;
    uint32_t       under_windows;
    uint32_t       held, hold_for;       /* windows since the last search; after which more is known than
                                          * then */
    uint32_t       doubts;               /* windows in a row for which the twin was wrong */

    /* The setting that is being proved. */
    struct proof   proof;
    double         before_bps;
    uint32_t       proofs, regrets;      /* windows with other traffic; in a row in which it was worse after
                                          * all */
    bool           is_kept;              /* it was proved, and is in force */
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
    struct knobs   refuted[REFUTED];     /* that the network was slower with than was predicted, the last of
                                          * them */
    uint32_t       refutations;
    uint64_t       decisions;
    struct tuner_tried tried[RACE_RUNNERS];      /* in the last search */
};

/* What a tuner says of a step. */
void   rehearser_say(struct tuner_note *, const char *phase,
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

/* Where messages follow from others, how many there are is up to the setting: slower ones are its fault,
 * whatever the load. */
bool rehearser_is_endogenous(const struct traffic_model *);

/* What a setting must be better by on the twin, with confidence. */
double rehearser_margin(const struct traffic_model *);

/* A setting was taken back: it is not set again. */
void rehearser_refute(struct rehearser *, const struct knobs *);

/* A twin with such traffic, bent if that was asked for. */
int rehearser_make_twin(struct rehearser *, const struct traffic_model *, struct predictor *, struct err *);

#endif
