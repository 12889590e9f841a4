#include "live/controller/trial.h"
#include "core/units.h"
#include "live/controller/roster.h"
#include "live/core/knobset.h"

#include <stdio.h>

void command_send(struct controller *c, const struct peer *p, struct msg *m)
{
    m->term = c->term;
    m->incarnation = p->incarnation;
    if (p->link != LINK_NONE)
        c->io.send(c->io.arg, p->link, m);
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

static void begin(struct controller *c, struct peer *p, enum peer_step step, uint64_t at_us, const char *why,
                  uint64_t now_us)
{
    p->step = step;
    p->at_us = at_us;
    p->deadline_us = (at_us > now_us ? at_us : now_us) + c->cfg->answer_us;
    send_step(c, p, why, now_us);
}

void command_prepare(struct controller *c, struct peer *p, uint64_t now_us)
{
    p->change = ++c->changes;
    begin(c, p, STEP_PREPARING, 0, "", now_us);
}

void command_commit(struct controller *c, struct peer *p, uint64_t at_us, uint64_t now_us)
{
    begin(c, p, STEP_COMMITTING, at_us, "", now_us);
}

void command_confirm(struct controller *c, struct peer *p, uint64_t now_us)
{
    begin(c, p, STEP_CONFIRMING, 0, "", now_us);
}

void command_drill(struct controller *c, struct peer *p, const char *why, uint64_t now_us)
{
    p->change = ++c->changes;
    begin(c, p, STEP_DRILLING, 0, why, now_us);
}

void command_revert(struct controller *c, struct peer *p, uint64_t at_us, const char *why, uint64_t now_us)
{
    begin(c, p, STEP_REVERTING, at_us, why, now_us);
}

/* ---- answers ---- */

static const char *on_reverted(struct peer *p, const char *why)
{
    bool was_asked = p->step == STEP_REVERTING;

    p->step = STEP_NONE;
    return was_asked ? NULL : why;
}

const char *command_on_answer(struct controller *c, struct peer *p, const struct msg *m)
{
    p->device = m->set;
    if (m->change != p->change || p->step == STEP_NONE)
        return NULL;
    switch (m->answer) {
    case ANSWER_PREPARED:
        if (p->step == STEP_PREPARING)
            p->step = STEP_PREPARED;
        return NULL;
    case ANSWER_APPLIED:
        p->step = p->step == STEP_COMMITTING ? STEP_APPLIED
                  : p->step == STEP_DRILLING ? STEP_DRILLED
                                             : p->step;
        return NULL;
    case ANSWER_CONFIRMED:
        if (p->step == STEP_CONFIRMING) {
            p->step = STEP_CONFIRMED;
            knobset_put(&p->confirmed, &p->wanted);
        }
        return NULL;
    case ANSWER_REVERTED:
    case ANSWER_REFUSED:
        (void)c;
        return on_reverted(p, m->why);
    default:
        return NULL;
    }
}

/* ---- time ---- */

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
