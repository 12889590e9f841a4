#include "live/controller/trial.h"
#include "live/core/knobset.h"

#include <stdio.h>
#include <string.h>

/* a setting that a device refused is not tried again before */
#define ROLLBACK_US_MAX 30000000u        /* devices that have not gone back by then are asked again later */

/* The baseline's values of knobs that differ from it on the device, or as confirmed. */
static struct knob_set part_back(const struct peer *p)
{
    struct knob_set part = knobset_changed(&p->baseline, &p->confirmed),
                    held = knobset_changed(&p->baseline, &p->device);

    knobset_put(&part, &held);
    return part;
}

static bool can_go_back(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    bool is_foreign = strncmp(p->frozen_why, MSG_FOREIGN, strlen(MSG_FOREIGN)) == 0;

    return p->may_write && (!p->is_frozen || is_foreign) && roster_is_fresh(c, p, now_us);
}

/* Takes the next step of one device; true: it holds its baseline. */
static bool step_back(struct controller *c, struct peer *p, uint64_t now_us)
{
    struct knob_set part = part_back(p);

    /* it has reported another baseline since it was asked: a lying relay may have reported the first */
    if (p->step == STEP_PREPARING && !knobset_is_same(&part, &p->wanted)) {
        p->step = STEP_NONE;
        p->deadline_us = now_us;
    }
    if (p->step == STEP_NONE && now_us >= p->deadline_us) {
        p->wanted = part;
        if (knobset_is_empty(&p->wanted))
            p->step = STEP_CONFIRMED;
        else
            command_begin(c, p, STEP_PREPARING, 0, "", now_us);
    } else if (p->step == STEP_PREPARED)
        command_begin(c, p, STEP_COMMITTING, 0, "", now_us);
    else if (p->step == STEP_APPLIED)
        command_begin(c, p, STEP_CONFIRMING, 0, "", now_us);
    else if (!command_on_tick(c, p, now_us)) {
        p->step = STEP_NONE;     /* no answer in time: ask again */
        p->deadline_us = now_us;
    }
    return p->step == STEP_CONFIRMED;
}

/* Each device separately: one that refuses or is silent does not stop the others. */
void trial_on_rollback(struct controller *c, uint64_t now_us)
{
    uint32_t left = 0, silent = 0;
    char     why[MSG_WHY_SIZE];

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        if (knobset_is_empty(&p->wanted) || p->step == STEP_CONFIRMED)
            continue;
        if (!can_go_back(c, p, now_us))
            silent++;
        else
            left += !step_back(c, p, now_us);
    }
    if (left && c->trial.intervals * c->cfg->interval_us <= ROLLBACK_US_MAX)
        return;
    snprintf(why, sizeof why,
             left || silent ? "%u devices are not back yet, and will be asked again%s%.70s"
                            : "back to the baseline",
             left + silent, *c->trial.end ? "; " : "", c->trial.end);
    trial_end(c, !left && !silent, why, now_us);
}

bool trial_begin_rollback(struct controller *c, uint64_t now_us)
{
    struct knob_set all = { 0 };

    trial_clear(c);
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (can_go_back(c, p, now_us)) {
            p->wanted = part_back(p);
            p->deadline_us = now_us;
            knobset_put(&all, &p->wanted);
        }
    if (knobset_is_empty(&all))
        return false;
    if (!memory_number(c))
        c->trials++;             /* the way back does not wait for the disk */
    c->trial = (struct trial){ .wanted = all };
    snprintf(c->trial.by, sizeof c->trial.by, "%s", c->rolled_back.who);
    trial_start(c, *c->rolled_back.why ? c->rolled_back.why : "rollback", now_us);
    trial_enter(c, TRIAL_ROLLBACK);
    trial_on_rollback(c, now_us);
    return true;
}
