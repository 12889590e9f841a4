/* src/tune/search/search_pair.c - see search_pair.h. */
#include "tune/search/search_pair.h"
#include "tune/search/search_keep.h"
#include "tune/search/search_measure.h"

#include <math.h>

#define PAIR_SD 0.1              /* of utility, of differences of blocks that have the same setting: a guess, which costs time at worst */
#define PAIR_E  20.0             /* evidence that decides: 1 in 20 is wrong at most */

#define INCUMBENT "the setting from before"

static const struct knobs *in_force(const struct search *s)
{
    return pairing_arm(&s->pair.term[0]) == ARM_B ? &s->pair.candidate : &s->before;
}

void search_pair_init(struct search *s, const struct search_now *measured)
{
    uint32_t settle = search_count(s, SEARCH_SETTLE), length = settle + search_count(s, SEARCH_MEASURE);

    /* The same coin for all terms. */
    for (int i = 0; i < SEARCH_TERMS; i++)
        pairing_init(&s->pair.term[i], length, settle, s->world.seed * 1000 + s->searches);
    s->pair.was = measured ? measured->terms : (struct utility_terms){ 0 };
    s->pair.intervals = 0;
    s->pair.has_was = measured != NULL;
    if (measured && search_has_pairs(s))
        search_take(s, &s->before, s->pair.was, INCUMBENT);
}

void search_pair_begin(struct search *s, struct knobs *knobs)
{
    s->pair.candidate = *knobs;
    *knobs = *in_force(s);
}

/* The first blocks of the incumbent are what it is worth; it takes part as one of the settings that were measured. */
static void add_incumbent(struct search *s, const struct search_now *now)
{
    uint32_t in_vain = s->in_vain;

    if (s->pair.has_was || pairing_arm(&s->pair.term[0]) != ARM_A || s->pair.term[0].interval < s->pair.term[0].burn_in)
        return;
    search_add_terms(&s->pair.was, now->terms);
    if (++s->pair.intervals < search_count(s, SEARCH_MEASURE))
        return;
    s->pair.was = search_mean_of(s->pair.was, s->pair.intervals);
    s->pair.has_was = true;
    search_take(s, &s->before, s->pair.was, INCUMBENT);
    s->in_vain = in_vain;
}

bool search_pair_add(struct search *s, struct search_now *now, struct knobs *knobs, struct tuner_note *note)
{
    double *gain[] = { &s->pair.gain.throughput, &s->pair.gain.rtt, &s->pair.gain.pfc };
    double  value[] = { now->terms.throughput, now->terms.rtt, now->terms.pfc };
    bool    is_pair = false, is_new = pairing_arm(&s->pair.term[0]) == ARM_B;

    add_incumbent(s, now);
    for (int i = 0; i < SEARCH_TERMS; i++)
        is_pair = pairing_add(&s->pair.term[i], value[i], gain[i]);
    if (!is_pair) {
        search_say(note, "%s and the incumbent take turns: an interval of the %s", s->phase == PHASE_CONFIRM ? "the best" : "a setting",
                   is_new ? "former" : "latter");
        *knobs = *in_force(s);
        return false;
    }
    *knobs = s->pair.candidate;
    *now = search_now_of(s, (struct utility_terms){ s->pair.was.throughput + s->pair.gain.throughput,
                                                    s->pair.was.rtt + s->pair.gain.rtt, s->pair.was.pfc + s->pair.gain.pfc });
    return true;
}

void search_pair_confirm(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    struct evalue *e = &s->pair.evalue;
    bool           is_better, is_worse;

    if (s->turn++ == 0)
        evalue_init(e, PAIR_SD);
    evalue_add(e, utility(search_weights(s), s->pair.gain));
    is_better = evalue_above(e, 0) >= PAIR_E;
    is_worse = evalue_below(e, 0) >= PAIR_E;
    if (!is_better && !is_worse && s->turn < search_count(s, SEARCH_INTERLEAVE)) {
        search_say(note, "after %u pairs the best is %+.4f off the incumbent, which chance may have made", s->turn, evalue_gain(e));
        *knobs = s->finalist;
        return;
    }
    note->verdict = is_better ? TUNER_ACCEPTED : TUNER_REJECTED;
    search_say(note, "in %u pairs of blocks the best is %+.4f off the incumbent: it is %s, and %s", s->turn, evalue_gain(e),
               is_better ? "better" : is_worse ? "worse" : "not surely better", is_better ? "is kept" : "the incumbent stays");
    search_keep(s, is_better ? &s->finalist : &s->before, knobs);
}
