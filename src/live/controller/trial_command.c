#include "live/controller/trial.h"
#include "core/units.h"
#include "live/core/knobset.h"

#include <stdio.h>

void command_send(struct controller *c, const struct peer *p, struct msg *m)
{
    m->term = c->term;
    m->incarnation = p->incarnation;
    if (p->link == LINK_NONE)
        return;
    struct action *a = actions_add(c->out, ACTION_SEND);
    a->link = p->link;
    a->msg = *m;
}

static void send_step(struct controller *c, struct peer *p, const char *why, uint64_t now_us)
{
    static const enum msg_kind kind[] = {
        [STEP_PREPARING] = MSG_PREPARE, [STEP_COMMITTING] = MSG_COMMIT, [STEP_REVERTING] = MSG_REVERT,
        [STEP_CONFIRMING] = MSG_CONFIRM, [STEP_DRILLING] = MSG_DRILL,
    };
    struct msg m = { .kind = kind[p->step], .change = p->change };

    if (p->step == STEP_PREPARING)
        m.set = p->wanted;
    m.at_us = p->at_us ? roster_instant(p, p->at_us) : 0;
    snprintf(m.why, sizeof m.why, "%s", why);
    p->sent_us = now_us;
    command_send(c, p, &m);
}

void command_begin(struct controller *c, struct peer *p, enum peer_step step, uint64_t at_us, const char *why,
                   uint64_t now_us)
{
    if (step == STEP_PREPARING || step == STEP_DRILLING)
        p->change = ++c->changes;
    p->step = step;
    p->at_us = at_us;
    p->deadline_us = (at_us > now_us ? at_us : now_us) + c->cfg->answer_us;
    send_step(c, p, why, now_us);
}

const char *command_on_answer(struct peer *p, const struct msg *m)
{
    static const struct { enum msg_answer answer; enum peer_step from, to; } steps[] = {
        { ANSWER_PREPARED, STEP_PREPARING, STEP_PREPARED }, { ANSWER_APPLIED, STEP_COMMITTING, STEP_APPLIED },
        { ANSWER_APPLIED, STEP_DRILLING, STEP_DRILLED },
        { ANSWER_CONFIRMED, STEP_CONFIRMING, STEP_CONFIRMED },
        { ANSWER_REVERTED, STEP_REVERTING, STEP_NONE }, { ANSWER_REFUSED, STEP_REVERTING, STEP_NONE },
    };

    p->device = m->set;
    if (m->change != p->change || p->step == STEP_NONE)
        return NULL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (m->answer == steps[i].answer && p->step == steps[i].from) {
            p->step = steps[i].to;
            if (p->step == STEP_CONFIRMED)
                knobset_put(&p->confirmed, &p->wanted);
            return NULL;
        }
    if (m->answer != ANSWER_REVERTED && m->answer != ANSWER_REFUSED)
        return NULL;
    p->step = STEP_NONE;         /* not asked for */
    return m->why;
}

static bool is_under_way(const struct peer *p)
{
    return p->step == STEP_PREPARING || p->step == STEP_COMMITTING || p->step == STEP_REVERTING ||
           p->step == STEP_CONFIRMING || p->step == STEP_DRILLING;
}

bool command_on_tick(struct controller *c, struct peer *p, uint64_t now_us)
{
    if (!is_under_way(p))
        return true;
    if (now_us >= p->deadline_us)
        return false;
    if (now_us >= p->sent_us + 2 * c->cfg->interval_us)
        send_step(c, p, "", now_us);
    return true;
}
