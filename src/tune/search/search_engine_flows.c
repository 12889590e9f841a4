#include "tune/search/search_engine.h"

#include <math.h>

#define ALIKE 0.2                /* largest difference in the share of elephants of similar traffic */

bool search_has_flows(const struct fsd *f)
{
    return f->elephants + f->mice > 0;
}

void search_look_at_flows(struct search *s, const struct fsd *f)
{
    if (!search_has_flows(f))
        return;
    s->elephants = fsd_elephant_share(f);
    s->is_known = true;
}

struct fsd search_recent_flows(const struct search *s)
{
    uint32_t   count = search_count(s, SEARCH_PERSIST);
    struct fsd sum = { 0 };

    for (uint32_t i = 0; i < count && i < s->recents; i++)
        fsd_add(&sum, &s->recent[(s->recents - 1 - i) % SEARCH_PERSIST_MAX]);
    return sum;
}

/* True if no setting was chosen for any flows yet. */
static bool search_is_first(const struct search *s)
{
    return s->searches == 0 && !search_is_on(s);
}

bool search_compare_flows(struct search *s, const struct fsd *f)
{
    bool differs = kl_trigger_step(&s->trigger, f);

    if (!search_has_flows(f))
        return false;
    s->recent[s->recents++ % SEARCH_PERSIST_MAX] = *f;
    s->divergence = s->trigger.last;
    if (search_is(s, SEARCH_AGAINST, AGAINST_SETTLED)) {
        struct fsd now = search_recent_flows(s);

        s->divergence = kl_fsd(&now, &s->settled, s->trigger.epsilon);
        differs = search_is_first(s) || s->divergence > s->trigger.theta;
    }
    s->changed = differs ? s->changed + 1 : 0;
    return s->changed >= search_count(s, SEARCH_PERSIST);
}

void search_say_change(const struct search *s, struct tuner_note *note)
{
    if (search_is_first(s) && s->divergence <= s->option[SEARCH_THETA]) {
        tuner_say(note, "no setting was chosen for these flows yet (elephants %.0f %% of flows)",
                   100 * s->elephants);
        return;
    }
    tuner_say(note, "flow sizes changed (divergence %.3g > %.3g; elephants %.0f %% of flows)", s->divergence,
               s->option[SEARCH_THETA], 100 * s->elephants);
}

bool search_is_due(const struct search *s, bool has_changed, const struct search_now *measured)
{
    switch (search_count(s, SEARCH_TRIGGER)) {
    case TRIGGER_CHANGE: return has_changed;
    case TRIGGER_ALWAYS: return measured != NULL;
    default:             return measured && s->searches == 0;
    }
}

const char *search_why_not(const struct search *s)
{
    if (search_is(s, SEARCH_TRIGGER, TRIGGER_CHANGE) && s->changed > 0)
        return "flow sizes have not differed for long enough";
    if (search_is(s, SEARCH_TRIGGER, TRIGGER_CHANGE))
        return "flow sizes have not changed";
    return search_is(s, SEARCH_TRIGGER, TRIGGER_ONCE) && s->searches > 0 ? "the only search is over"
                                                                         : "no uplink was active";
}

const struct search_memory *search_recall(const struct search *s)
{
    const struct search_memory *nearest = NULL;
    double                      least = ALIKE;

    for (uint32_t i = 0; i < s->memories && i < SEARCH_MEMORIES; i++) {
        double apart = fabs(s->memory[i].elephants - s->elephants);

        nearest = apart <= least ? &s->memory[i] : nearest;
        least = fmin(apart, least);
    }
    return nearest;
}
