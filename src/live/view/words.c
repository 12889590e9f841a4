/* src/live/view/words.c - see words.h. */
#include "live/view/words.h"
#include "live/controller/roster.h"

const char *words_role(enum controller_role role)
{
    static const char *const names[] = { "listening", "active", "deposed" };

    return names[role];
}

const char *words_mode(enum controller_mode mode)
{
    static const char *const names[] = { "observe", "approve", "auto", "direct" };

    return names[mode];
}

const char *words_phase(enum trial_phase phase)
{
    static const char *const names[] = { "none", "waiting", "lead-in", "run", "spread", "soak", "confirm", "abort", "direct",
                                         "rollback" };

    return names[phase];
}

const char *words_stage(enum trial_phase phase, uint32_t stage)
{
    static const char *const names[STAGES] = { "one", "few", "quarter", "halves" };

    return phase == TRIAL_LEAD_IN || phase == TRIAL_RUN ? names[stage] : "";
}

enum words_state words_state_of(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    return !roster_is_fresh(c, p, now_us) ? STATE_SILENT : p->is_broken ? STATE_BROKEN : p->is_frozen ? STATE_FROZEN :
           p->self.is_there ? (p->self.is_allowed ? STATE_TUNED : STATE_OBSERVED) : !p->may_write ? STATE_OBSERVED : p->rank == RANK_NONE ? STATE_HELD_BACK : STATE_TUNED;
}

const char *words_state(enum words_state state)
{
    static const char *const names[STATES] = { "silent", "broken", "frozen", "observed", "held back", "tuned" };

    return names[state];
}

bool words_has_trial(const struct peer *p)
{
    return p->step == STEP_APPLIED || p->step == STEP_CONFIRMING;
}
