#include "live/controller/trial.h"

#include <stdio.h>

/* by then the lease of every device has ended */
#define DRILL_US_MAX 120000000u  /* longer than any lease that makes sense */
/* during a drill a message other than a lease shows the device that its connection works */
#define DRILL_ASK_US 1000000u

void trial_end_drill(struct controller *c, struct peer *p, bool is_passed, const char *why, uint64_t now_us)
{
    struct drill_result *d = &c->drill;
    char                 text[MSG_NAME_SIZE + MSG_WHY_SIZE + 80];

    *d = (struct drill_result){ .wall_us = c->wall_us,
                                .took_us = now_us - c->trial.at_us, .is_passed = is_passed,
                                .passed_us = d->passed_us };
    d->passed_us = is_passed ? d->wall_us : d->passed_us;
    snprintf(d->device, sizeof d->device, "%s", p->name);
    snprintf(d->why, sizeof d->why, "%s", why);
    if (is_passed)
        snprintf(text, sizeof text, "passed: %s had no lease and was back after %.2f s", p->name,
                 (double)d->took_us / 1e6);
    else
        snprintf(text, sizeof text, "failed: %s: %s", p->name, why);
    trial_log(c, "drill", text);
    c->trial.phase = TRIAL_NONE;
    trial_clear(c);
    memory_save_soon(c, now_us);
}

void trial_on_drill(struct controller *c, uint64_t now_us)
{
    struct trial *t = &c->trial;
    struct peer  *p = roster_find(c, t->device);

    if (!p) {
        t->phase = TRIAL_NONE;
        return;
    }
    if (p->step != STEP_DRILLED)
        t->at_us = now_us;       /* until then it has leases */
    if (p->step == STEP_DRILLED && p->phase == PHASE_IDLE && now_us > t->at_us + DRILL_ASK_US) {
        trial_log(c, "drill", "no result: the device ended it, and its answer was lost");
        t->phase = TRIAL_NONE;
        trial_clear(c);
    } else if (p->step == STEP_NONE || !command_on_tick(c, p, now_us))
        trial_end_drill(c, p, false, "it did not answer, or has restarted", now_us);
    else if (t->intervals * c->cfg->interval_us > DRILL_US_MAX) {
        command_send(c, p,
                     &(struct msg){ .kind = MSG_REVERT, .change = p->change, .why = "the drill is over" });
        trial_end_drill(c, p, false, "it was not back in two minutes", now_us);
    } else if (now_us >= p->sent_us + DRILL_ASK_US) {
        p->sent_us = now_us;
        command_send(c, p, &(struct msg){ .kind = MSG_WHO });
    }
}

void trial_begin_drill(struct controller *c, struct peer *p, const struct order_text *o, uint64_t now_us)
{
    trial_clear(c);
    c->trial = (struct trial){ .number = c->trials, .at_us = now_us };
    snprintf(c->trial.by, sizeof c->trial.by, "%s", o->who);
    snprintf(c->trial.why, sizeof c->trial.why, "a drill of the dead-man switch at %s", p->name);
    snprintf(c->trial.device, sizeof c->trial.device, "%s", p->name);
    trial_log_by(c, o->who, "drill", *o->why ? o->why : c->trial.why);
    trial_enter(c, TRIAL_DRILL);
    command_begin(c, p, STEP_DRILLING, 0, "a drill of the dead-man switch", now_us);
}
