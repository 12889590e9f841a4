/* src/tune/rehearse/proof/regret.h - detects after every interval whether the current setting turns bad.
 *
 * Windows detect changes of a tenth, but take time. A large factor shows within a few intervals: in
 * slowdowns, waiting messages, round trips and pauses. Each is a series that is compared with values from
 * before the setting (base/evidence/evalue.h). Series that are not a harm themselves, such as round trips,
 * are also compared with values from the time of proof. The evidence is the mean of theirs, with slowdowns
 * counted twice: without a change it reaches REGRET_EVIDENCE at most once in as many intervals. In addition,
 * slowdowns must rise by REGRET_LEAST, and stay up for two more intervals: a few large messages that meet
 * make one interval slow.
 */
#ifndef TUNE_REHEARSE_PROOF_REGRET_H
#define TUNE_REHEARSE_PROOF_REGRET_H

#include "base/evidence/evalue.h"
#include "core/report.h"
#include "tune/rehearse/search/tune_goal.h"

#define REGRET_EVIDENCE 1000.0
#define REGRET_LEAST    0.22     /* log slowdowns: a quarter. Less is left to windows */
#define REGRET_RECENT   3        /* intervals that an alarm is about */

enum regret_signal { REGRET_SLOWDOWN, REGRET_WAITING, REGRET_RTT, REGRET_PAUSES, REGRET_SIGNALS };

struct regret {
    struct shift_reference under[REGRET_SIGNALS];    /* with the current setting, since it was applied */
    struct shift_reference before[REGRET_SIGNALS];   /* with the one before */
    struct shift           shift[REGRET_SIGNALS];
    bool                   has[REGRET_SIGNALS];      /* there is enough to compare with */
    bool                   is_part[GOAL_PARTS];      /* such messages there are */
    bool                   is_watching, is_skipped;  /* skipped: the first interval of a setting */
    double                 high;         /* increase when the evidence sufficed; 0: it does not */
    uint32_t               still;        /* intervals since then */
    struct seen            recent[REGRET_RECENT];
    uint32_t               count;        /* intervals that were watched */
};

/* The setting or the traffic has changed: earlier values do not apply. */
void regret_forget(struct regret *);

/* A new setting was applied: earlier values become its reference. */
void regret_begin(struct regret *);

/* It was proved: its values so far improve the estimates of spread and round trips. */
void regret_keep(struct regret *);

/* It is not looked at any more. */
void regret_end(struct regret *);

/* An interval. True: it is worse by much, and surely. */
bool regret_add(struct regret *, const struct goal *, const struct report *);

/* Sums what hosts saw in the last intervals. */
void regret_recent(const struct regret *, struct seen *);

/* The value of a series in an interval; NAN: none. */
double regret_value(struct regret *, enum regret_signal, const struct goal *, const struct report *);

#endif
