/* src/tune/rehearse/proof/duel.c - see duel.h. */
#include "tune/rehearse/proof/duel.h"
#include "tune/rehearse/traffic/traffic_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAIR_SD     0.1          /* of differences of blocks: a guess, which costs time at worst */
#define PAIR_E      20.0         /* evidence that decides: 1 in 20 is wrong at most */
#define PAIRS_LEAST 4            /* before it is given up */
#define BURN_IN_MAX 8            /* intervals: if messages take longer, blocks cannot tell settings apart */

/* Intervals for which messages of the previous block are seen: twice as long as messages take. */
static uint32_t burn_in_of(const struct seen *s, uint32_t intervals)
{
    double longest = 0;

    for (int c = 0; c < PREDICT_CLASSES; c++)
        if (s->waiting[c].messages > 0)
            longest = fmax(longest, s->waiting[c].messages * intervals / fmax(1, s->done[c].messages));
    return (uint32_t)fmin(BURN_IN_MAX + 1, fmax(1, ceil(2 * longest)));
}

void duel_begin(struct rehearser *t, struct knobs *knobs, struct tuner_note *note)
{
    uint32_t burn_in = burn_in_of(&t->window, t->intervals);
    size_t   at = strlen(note->why);

    if (t->option[OPT_PAIRS] < 1 || (t->has_duelled && model_distance(&t->last, &t->duelled) < 1))
        return;
    t->duelled = t->last;
    t->has_duelled = true;
    if (burn_in > BURN_IN_MAX) {
        snprintf(note->why + at, sizeof(note->why) - at, ". Messages take too long for a comparison of both "
                 "formulas in blocks");
        return;
    }
    pairing_init(&t->pairing, 2 * burn_in, burn_in, t->world.seed + ++t->decisions);
    evalue_init(&t->evalue, PAIR_SD);
    t->duel_before = t->window;
    t->phase = PHASE_DUEL;
    *knobs = pairing_arm(&t->pairing) == ARM_B ? t->floor.other : t->floor.knobs;
    snprintf(note->why + at, sizeof(note->why) - at,
             ". Both formulas take turns, in blocks of %u intervals, to "
             "find out which is better",
             2 * burn_in);
}

static void end(struct rehearser *t, bool is_other, struct knobs *knobs, struct tuner_note *note)
{
    double gain = evalue_gain(&t->evalue);

    rehearser_say(note, "confirm", "in %u pairs of blocks the other formula is %.0f %% %s than the one from "
                  "the beginning; %s", t->evalue.pairs, fabs(rehearser_percent(-gain)),
                  gain > 0 ? "faster" : "slower", is_other ? "it is set" :
                  gain > 0 ? "that may be chance, and nothing is changed" : "nothing is changed");
    if (is_other)
        floor_swap(&t->floor);
    *knobs = t->floor.knobs;
    t->phase = PHASE_WATCH;
    rehearser_begin_window(t);
}

void duel_step(struct rehearser *t, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct outcomes is = seen_outcomes(&r->seen), was = seen_outcomes(&t->duel_before);
    double          d, value = !isnan(goal_slowdown(&is, GOAL_ALL)) ? -goal_gain(&t->goal, &is, &was) : NAN;
    bool            is_pair = pairing_add(&t->pairing, value, &d), is_last;

    note->phase = "confirm";
    *knobs = pairing_arm(&t->pairing) == ARM_B ? t->floor.other : t->floor.knobs;
    if (!is_pair)
        return;
    evalue_add(&t->evalue, d);
    is_last = t->evalue.pairs >= t->option[OPT_PAIRS] ||
              (t->evalue.pairs >= PAIRS_LEAST && evalue_gain(&t->evalue) <= 0);
    if (evalue_above(&t->evalue, 0) >= PAIR_E)
        end(t, true, knobs, note);
    else if (is_last)
        end(t, false, knobs, note);
}
