/* src/tune/rehearse/proof/regret.h - does a setting turn bad while it is in force? Looked at after every
 * interval.
 *
 * Windows tell of a tenth, and need their time for it. What is worse by a large factor shows within a few
 * intervals: in slowdowns, in messages that wait, in round trips and pauses. Each is a series that is held
 * against what was seen before the setting came (base/evidence/shift.h), and what is not a harm by itself, as
 * round trips, also against what was seen while it was proved. The evidence is the mean of theirs, slowdowns
 * counted twice: so it reaches REGRET_EVIDENCE once in as many intervals at most if nothing has changed. Then
 * slowdowns must be up by REGRET_LEAST, and stay up for two more intervals: a few large messages that meet
 * make one interval slow.
 */
#ifndef TUNE_REHEARSE_PROOF_REGRET_H
#define TUNE_REHEARSE_PROOF_REGRET_H

#include "base/evidence/shift.h"
#include "core/report.h"
#include "tune/rehearse/search/tune_goal.h"

#include <stdbool.h>

#define REGRET_EVIDENCE 1000.0
#define REGRET_LEAST    0.22     /* log slowdowns: a quarter. Less is left to windows */
#define REGRET_RECENT   3        /* intervals that an alarm is about */

enum regret_signal { REGRET_SLOWDOWN, REGRET_WAITING, REGRET_RTT, REGRET_PAUSES, REGRET_SIGNALS };

struct regret {
    struct shift_reference under[REGRET_SIGNALS];    /* with the setting in force, since it came */
    struct shift_reference before[REGRET_SIGNALS];   /* with the one before */
    struct shift           shift[REGRET_SIGNALS];
    bool                   has[REGRET_SIGNALS];      /* there is enough to compare with */
    bool                   is_part[GOAL_PARTS];      /* such messages there are */
    bool                   is_watching, is_skipped;  /* skipped: the first interval with a setting, which
                                                      * shows what was before */
    double                 drift;        /* by which slowdowns would have risen by now without the setting: a
                                          * log ratio */
    double                 high;         /* by which they were up when the evidence was enough; 0: it is
                                          * not */
    uint32_t               still;        /* intervals since then */
    struct seen            recent[REGRET_RECENT];
    uint32_t               count;        /* intervals that were watched */
};

/* Another setting is in force, or other traffic: what was seen says nothing of it. */
void regret_forget(struct regret *);

/* A new setting has come: what was seen until now is what it is held against. */
void regret_begin(struct regret *, double drift);

/* It has been proved: what was seen of it tells more of the spread, and how long round trips are with it. */
void regret_keep(struct regret *);

/* It is not looked at any more. */
void regret_end(struct regret *);

/* An interval. True: it is worse by much, and surely. */
bool regret_add(struct regret *, const struct goal *, const struct report *);

/* What hosts saw in the last intervals. */
void regret_recent(const struct regret *, struct seen *);

/* What a series has in an interval; NAN: there is nothing to tell. */
double regret_value(struct regret *, enum regret_signal, const struct goal *, const struct report *);

#endif
