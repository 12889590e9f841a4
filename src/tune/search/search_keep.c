/* src/tune/search/search_keep.c - see search_keep.h. */
#include "tune/search/search_keep.h"
#include "tune/search/search_flows.h"
#include "tune/search/search_guard.h"
#include "tune/search/search_measure.h"

static double share_of_recent(const struct search *s)
{
    struct fsd recent = search_recent_flows(s);

    return fsd_elephant_share(&recent);
}

void search_settle(struct search *s, const struct knobs *kept, struct knobs *knobs)
{
    *knobs = s->before = *kept;
    s->changed = 0;
    s->settled = search_recent_flows(s);
    s->phase = PHASE_HOLD;
    s->searches++;
}

void search_keep(struct search *s, const struct knobs *kept, struct knobs *knobs)
{
    s->memory[s->memories++ % SEARCH_MEMORIES] = (struct search_memory){ *kept, share_of_recent(s) };
    search_settle(s, kept, knobs);
}

static void begin_to_confirm(struct search *s, struct knobs *knobs)
{
    s->phase = PHASE_CONFIRM;
    s->turn = 0;
    s->sum[0] = s->sum[1] = (struct utility_terms){ 0 };
    *knobs = s->finalist = search_best_sample(s)->knobs;
}

void search_finish(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    const struct search_sample *best = search_best_sample(s);
    const struct knobs         *from = &s->from;

    search_say(note, "the search is over after %u settings", s->measured);
    if (!best || knobs_equal(&best->knobs, from)) {
        search_say(note, "the setting at which it began stays");
        search_keep(s, from, knobs);
        return;
    }
    if (search_count(s, SEARCH_CONFIRM)) {
        search_say(note, "the best, at %.4f, and the setting at which it began are measured again, in turn",
                   utility(search_weights(s), best->terms));
        begin_to_confirm(s, knobs);
    } else {
        search_say(note, "the best was measured at %.4f and is kept",
                   utility(search_weights(s), best->terms));
        search_keep(s, &best->knobs, knobs);
    }
}

static void decide(struct search *s, struct knobs *knobs, struct tuner_note *note)
{
    struct utility_weights w = search_weights(s);
    uint32_t               times = search_count(s, SEARCH_CONFIRM);
    double                 best = utility(w, search_mean_of(s->sum[0], times));
    double                 from = utility(w, search_mean_of(s->sum[1], times));

    bool                   is_better = best > from && !guard_refuses(s);

    note->verdict = is_better ? TUNER_ACCEPTED : TUNER_REJECTED;
    search_say(note, "measured again, the new setting has %.4f, the one at which the search began %.4f: "
               "the %s is kept%s", best, from, is_better ? "new one" : "latter",
               !is_better && best > from ? ", with which more is sent" : "");
    search_keep(s, is_better ? &s->finalist : &s->from, knobs);
}

void search_confirm(struct search *s, const struct search_now *now, struct knobs *knobs,
                    struct tuner_note *note)
{
    search_add_terms(&s->sum[s->turn % 2], now->terms);
    s->turn++;
    if (s->turn == 2 * search_count(s, SEARCH_CONFIRM)) {
        decide(s, knobs, note);
        return;
    }
    search_say(note, "measurement %u of %u of the %s", (s->turn + 1) / 2, search_count(s, SEARCH_CONFIRM),
               s->turn % 2 ? "new setting" : "one at which the search began");
    *knobs = s->turn % 2 ? s->from : s->finalist;
}
