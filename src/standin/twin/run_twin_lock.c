#include "standin/twin/run_twin.h"
#include "live/controller/trial.h"
#include "live/controller/controller.h"
#include "live/tuner/live_tuner.h"

#include <stddef.h>
#include <stdlib.h>

/* simulated time 0, by the clocks of agents and controller, which are never 0 */
#define EPOCH_US 1000000u

/* ---- the agent ---- */

static struct lock_agent *agent_of(struct agent_pace *p)
{
    return (struct lock_agent *)(void *)((char *)p - offsetof(struct lock_agent, pace));
}

static void let(struct agent_pace *p, uint32_t device, uint64_t until_us)
{
    agent_of(p)->until_us[device] = until_us;
}

/* The first report is of time 0; then an interval passes when every device may run. */
static enum agent_step step_agent(struct agent_pace *p)
{
    struct lock_agent *a = agent_of(p);

    for (uint32_t i = 0; a->has_begun && i < fabric_nodes(a->fabric); i++)
        if (a->until_us[i] <= p->now_us)
            return AGENT_WAIT;
    if (fabric_is_over(a->fabric))
        return AGENT_END;
    if (a->has_begun)
        p->now_us = EPOCH_US + fabric_advance(a->fabric);
    a->has_begun = true;
    return AGENT_TICK;
}

void lock_agent_init(struct lock_agent *a, struct fabric *f)
{
    *a = (struct lock_agent){ .pace = { .now_us = EPOCH_US, .let = let, .step = step_agent }, .fabric = f,
                              .until_us = xcalloc(fabric_nodes(f), sizeof *a->until_us) };
    fabric_hold(f);
}

void lock_agent_fini(struct lock_agent *a)
{
    free(a->until_us);
}

/* ---- the controller ---- */

static bool has_all_reports(const struct lock_controller *l, const struct controller *c)
{
    for (uint32_t i = 0; i < c->peers; i++)
        if (c->peer[i].stamp_us != l->pace.now_us)
            return false;
    return c->peers == l->devices;
}

/* No device owes an answer but those that act later. */
static bool is_settled(const struct lock_controller *l, const struct controller *c)
{
    for (uint32_t i = 0; i < c->peers; i++) {
        const struct peer *p = &c->peer[i];

        if (p->step == STEP_PREPARING || p->step == STEP_REVERTING || p->step == STEP_CONFIRMING ||
            (p->step == STEP_COMMITTING && p->at_us <= l->pace.now_us))
            return false;
    }
    return true;
}

static void let_all(struct lock_controller *l, struct controller *c)
{
    uint64_t next_us = l->pace.now_us + l->interval_us;

    for (uint32_t i = 0; i < c->peers; i++)
        command_send(c, &c->peer[i],
                     &(struct msg){ .kind = MSG_LEASE, .stamp_us = l->pace.now_us, .at_us = next_us });
    l->pace.now_us = next_us;
    l->has_ticked = false;
}

static void step_controller(struct controller_pace *p, struct controller *c, const struct live_tuner *tuner)
{
    struct lock_controller *l = (struct lock_controller *)(void *)((char *)p -
                                                                   offsetof(struct lock_controller, pace));

    if (!has_all_reports(l, c) || !is_settled(l, c))
        return;
    if (!l->has_ticked || live_tuner_thinks(tuner))
        controller_on_tick(c, p->now_us);
    l->has_ticked = true;
    if (is_settled(l, c) && !live_tuner_thinks(tuner))
        let_all(l, c);
}

void lock_controller_init(struct lock_controller *l, uint32_t devices, uint64_t interval_us)
{
    *l = (struct lock_controller){ .pace = { .now_us = EPOCH_US, .epoch_us = EPOCH_US,
                                             .step = step_controller }, .devices = devices,
                                   .interval_us = interval_us };
}
