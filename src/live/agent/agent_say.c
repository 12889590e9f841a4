#include "live/agent/agent.h"

#include <math.h>
#include <stdio.h>

static struct msg msg_of(const struct agent *a, enum msg_kind kind)
{
    return (struct msg){ .kind = kind, .term = a->saved.term, .incarnation = a->incarnation,
                         .phase = a->phase, .self = a->self,
                         .is_frozen = *a->saved.frozen || *a->stopped || a->is_lost,
                         .is_broken = a->is_broken || a->self.is_broken };
}

void say_answer(struct agent *a, enum msg_answer answer, uint64_t change, const char *why)
{
    struct msg m = msg_of(a, MSG_ANSWER);

    m.answer = answer;
    m.change = change;
    m.set = a->device;
    snprintf(m.why, sizeof m.why, "%s", why);
    a->io.send(a->io.arg, &m);
}

void say_hello(struct agent *a, uint64_t now_us)
{
    struct msg m = msg_of(a, MSG_HELLO);

    a->has_news = false;
    m.version = MSG_VERSION;
    m.stamp_us = now_us;
    m.change = a->change;
    m.where = a->cfg->where;
    m.may_write = a->cfg->may_write && !a->cfg->has_tuner && !agent_refusal(a);
    m.gap_us = a->cfg->gap_us;
    m.interval_us = a->cfg->interval_us;
    m.facts = a->cfg->facts;
    m.set = a->device;
    m.confirmed = a->saved.confirmed;
    m.baseline = a->saved.has_baseline ? a->saved.baseline : a->saved.confirmed;
    snprintf(m.name, sizeof m.name, "%s", a->cfg->name);
    snprintf(m.why, sizeof m.why, "%s", a->is_lost ? "its state on the disk is damaged" :
             *a->stopped ? a->stopped : a->saved.frozen);
    a->io.send(a->io.arg, &m);
}

static struct msg_sample brief_of(const struct msg_sample *s)
{
    static struct msg_detail flows;

    if (s->detail)
        flows.fsd = s->detail->fsd;
    return (struct msg_sample){ .interval_us = s->interval_us, .metric = s->metric, .is_brief = true,
                                .paused = NAN, .unknown = MSG_UNKNOWN_ALL,
                                .detail = s->detail ? &flows : NULL };
}

void agent_bye(struct agent *a, uint64_t now_us)
{
    struct msg m = msg_of(a, MSG_BYE);

    m.stamp_us = now_us;
    if (!a->is_broken)           /* a broken device needs attention */
        a->io.send(a->io.arg, &m);
}

void say_learn(struct agent *a, const struct msg_learn *learn, const char *why)
{
    struct msg m = msg_of(a, MSG_LEARN);

    m.learn = learn;
    snprintf(m.why, sizeof m.why, "%s", why);
    a->io.send(a->io.arg, &m);
}

void say_report(struct agent *a, uint64_t now_us)
{
    struct msg m = msg_of(a, MSG_REPORT);
    bool       is_brief = a->is_brief && now_us < a->lease_until_us && a->phase == PHASE_IDLE && !*a->breach;

    m.stamp_us = now_us;
    m.change = a->change;
    m.sample = is_brief ? brief_of(&a->sample) : a->sample;      /* news is always sent in full */
    snprintf(m.why, sizeof m.why, "%s", a->breach);
    a->io.send(a->io.arg, &m);
}
