/* tests/chaos/operator.c - see operator.h. */
#include "operator.h"
#include "chaos_check.h"

#include <stdio.h>
#include <string.h>

/* Gives an order. */
static int tell(const struct world *w, struct proc *p, enum order_kind kind, const char *device,
                uint64_t number, const char *code)
{
    return control_order(&p->control, &(struct order){ "a person", "because", kind, device, code, number },
                         world_clock(p, w->now_us));
}

void operator_device(struct world *w, struct proc *p, const char *name, bool is_frozen)
{
    tell(w, p, is_frozen ? ORDER_FREEZE_DEVICE : ORDER_THAW_DEVICE, name, 0, "");
}

void operator_fabric(struct world *w, struct proc *p, const char *verb)
{
    int rc;

    if (strcmp(verb, "freeze") == 0)
        rc = tell(w, p, ORDER_FREEZE, "", 0, "");
    else if (strcmp(verb, "thaw") == 0)
        rc = tell(w, p, ORDER_THAW, "", 0, "");
    else if (IS_MUTANT(w, no_rollback) && p->control.c.trial.phase != TRIAL_NONE)
        rc = -EBUSY;
    else
        rc = tell(w, p, ORDER_ROLLBACK, "", 0, "");
    world_loud(w, "an operator orders controller %u: %s (%d)", p->index, verb, rc);
    check_order(w, p, verb, rc);
}

static int approve(struct world *w, struct proc *p, uint64_t number, const char *code)
{
    const struct trial *t = &p->control.c.trial;
    bool                is_any = IS_MUTANT(w, any_approval);

    return tell(w, p, ORDER_APPROVE, "", is_any ? t->number : number, is_any ? t->code : code);
}

void operator_lie(struct world *w, struct proc *p)
{
    static const char *const verbs[] = { "freeze", "thaw", "thaw", "rollback" };
    char                     name[MSG_NAME_SIZE];

    w->result->lies++;
    snprintf(name, sizeof name, "host%u/%s", (unsigned)world_draw(w, 0, 9),
             world_chance(w, 0.5) ? "nic" : "../../etc");
    if (world_chance(w, 0.3))
        operator_device(w, p, name, world_chance(w, 0.5));
    else if (world_chance(w, 0.5))
        approve(w, p, world_draw(w, 0, 5), "0123456789abcdef");
    else
        operator_fabric(w, p, verbs[world_draw(w, 0, 3)]);
}

static void look(struct world *w, const struct proc *p)
{
    const struct trial *t = &p->control.c.trial;
    uint32_t            i = w->looks++ % (sizeof w->look / sizeof *w->look);

    w->look[i].at_us = w->now_us;
    w->look[i].number = t->number;
    w->look[i].set = t->wanted;
    snprintf(w->look[i].code, sizeof w->look[i].code, "%s", t->code);
}

/* Approves the trial that was inspected, even if another one waits by then. */
static void decide(struct world *w, struct proc *p)
{
    uint32_t kept = w->looks < 8 ? w->looks : 8, i = kept ? (uint32_t)world_draw(w, 0, kept - 1) : 0;

    if (!kept)
        return;
    check_approval(w, &w->look[i].set);
    approve(w, p, w->look[i].number, w->look[i].code);
}

/* Tests the dead-man switch while faults occur. */
static void drill(struct world *w, struct proc *p)
{
    int rc = tell(w, p, ORDER_DRILL, "", 0, "");

    world_loud(w, "an operator orders controller %u: drill (%d)", p->index, rc);
    w->result->drills += rc == 0;
}

void operator_come(struct world *w)
{
    struct proc *any = &w->proc[w->agents + world_draw(w, 0, w->controllers - 1)];

    if (any->is_alive && w->now_us >= any->paused_until_us && !w->is_quiet && world_chance(w, 0.2))
        drill(w, any);
    for (uint32_t i = 0; i < w->controllers; i++) {
        struct proc *p = &w->proc[w->agents + i];

        if (!p->is_alive || w->now_us < p->paused_until_us || p->control.c.cfg->mode != MODE_APPROVE)
            continue;
        if (p->control.c.trial.phase == TRIAL_WAITING)
            look(w, p);
        if (world_chance(w, 0.7))
            decide(w, p);
    }
    if (!w->is_quiet)
        world_push(w, (struct event){ .at_us = w->now_us + world_draw(w, 300000, 2000000),
                                      .kind = EV_PERSON });
}
