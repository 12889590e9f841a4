#include "live/controller/trial.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool trial_takes_part(const struct peer *p)
{
    return !p->is_lost && !knobset_is_empty(&p->wanted);
}

void trial_enter(struct controller *c, enum trial_phase phase)
{
    c->trial.phase = phase;
    c->trial.intervals = c->trial.measured = c->trial.waits = 0;
    c->trial.has_committed = false;
}

/* ---- the log ---- */

static char *evidence_text(char *buf, size_t size, const struct controller *c)
{
    const struct evalue *e = &c->trial.evidence;

    if (!e->pairs)
        return buf[0] = '\0', buf;
    snprintf(buf, size, "%u pairs, gain %.4g (at least %.4g), e-value %.3g for a gain, %.3g for harm",
             e->pairs, evalue_gain(e), evalue_bound(e, c->cfg->bound_e), evalue_above(e, 0),
             evalue_below(e, -c->cfg->harm * c->trial.metric));
    return buf;
}

void trial_log_by(struct controller *c, const char *who, const char *what, const char *why)
{
    trial_note_by(c, who, what, why);
    struct action_record *r = &c->out->action[c->out->count - 1].record;
    evidence_text(r->evidence, sizeof r->evidence, c);
    r->change = c->trial.number;
    r->old = c->trial.was;
    r->new = c->trial.wanted;
}

void trial_log(struct controller *c, const char *what, const char *why)
{
    trial_log_by(c, c->cfg->name, what, why);
}

void trial_speak(struct controller *c)
{
    if (!c->trial.is_repeat)
        return;
    c->trial.is_repeat = false;
    trial_log(c, "try", c->trial.why);
}

void trial_clear(struct controller *c)
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        p->step = STEP_NONE;
        p->is_lost = false;
        p->wanted = (struct knob_set){ 0 };
    }
}

/* Describes the current setting for operators: since when, by whom, why. */
static void note_standing(struct controller *c, uint64_t now_us)
{
    static const char *const unnamed[] = { "", "", "the controller, mode auto", "the tuner, mode direct" };
    const struct trial *t = &c->trial;
    struct standing    *s = &c->standing;

    if (t->phase == TRIAL_ROLLBACK)
        s->set = (struct knob_set){ 0 };
    else
        knobset_put(&s->set, &t->wanted);
    s->wall_us = c->wall_us;
    s->trial = t->number;
    snprintf(s->by, sizeof s->by, "%s", *t->by ? t->by : unnamed[c->cfg->mode]);
    snprintf(s->why, sizeof s->why, "%s", t->why);
    memory_save_soon(c, now_us);
}

void trial_end(struct controller *c, bool is_kept, const char *why, uint64_t now_us)
{
    uint32_t missed = 0;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        missed += !knobset_is_empty(&p->wanted) && p->step != STEP_CONFIRMED;
        if (p->step == STEP_CONFIRMED)
            p->strikes = 0;
    }
    if (!c->trial.is_repeat)
        trial_log(c, is_kept ? "keep" : "drop", why);
    if (is_kept || c->trial.phase == TRIAL_ROLLBACK)
        note_standing(c, now_us);
    c->trial.phase = TRIAL_NONE;
    trial_clear(c);
    c->is_unranked = true;
    struct action *a = actions_add(c->out, ACTION_ENDED);
    a->is_kept = is_kept;
    a->number = missed;
    snprintf(a->why, sizeof a->why, "%s", why);
}

/* False: no device takes part. */
bool trial_start(struct controller *c, const char *why, uint64_t now_us)
{
    struct trial *t = &c->trial;
    bool          is_any = false;
    char          code[CAUTION_CODE_SIZE];

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        is_any |= trial_takes_part(p);
        t->is_whole |= trial_takes_part(p) && p->where == KNOB_SWITCH;
    }
    t->number = c->trials;
    caution_code(t->code, c->term, t->number, &t->wanted);
    snprintf(t->why, sizeof t->why, "%s", why);
    caution_code(code, 0, 0, &t->wanted);
    t->is_repeat = strcmp(code, c->refused.code) == 0;
    if (!t->is_repeat)
        trial_log(c, "try", why);
    if (!is_any)
        trial_end(c, false, "no device has anything to change", now_us);
    return is_any;
}
