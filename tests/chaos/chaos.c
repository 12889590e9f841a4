/* tests/chaos/chaos.c - see chaos.h. */
#include "chaos.h"
#include "base/err.h"
#include "chaos_check.h"
#include "chaos_guard.h"
#include "liar.h"
#include "operator.h"
#include "process.h"
#include "live/core/knobset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S        1000000ull
#define HEAL_US  (40 * S)        /* from here on there are no faults and no new trials */
#define LEAVE_US (52 * S)        /* controllers have left */
#define END_US   (62 * S)        /* the longest lease has ended */

/* ---- set-up ---- */

static void set_limits(struct world *w, struct limits *l)
{
    if (IS_MUTANT(w, no_limits)) {
        limits_lift(l);
        return;
    }
    memset(l->may_set, 0, sizeof l->may_set);
    for (int i = 0; i < WORLD_KNOBS; i++) {
        l->may_set[world_bound[i].knob] = true;
        l->min[world_bound[i].knob] = world_bound[i].min;
        l->max[world_bound[i].knob] = world_bound[i].max;
    }
}

static void set_up_device(struct world *w, uint32_t i)
{
    struct device       *d = &w->device[i];
    struct agent_config *c = &w->agent_cfg[i];
    bool                 is_nic = i < 2 || world_chance(w, 0.7);

    agent_config_init(c, is_nic ? KNOB_NIC : KNOB_SWITCH);
    snprintf(c->name, sizeof c->name, "host%u/nic", i);
    d->is_observed = i >= 2 && world_chance(w, 0.1);
    d->is_whole = is_nic && (w->seed + i) % 3 == 0;
    d->is_fixed = d->is_observed && w->seed % 2 && !IS_MUTANT(w, no_observe);
    c->may_write = !d->is_observed || d->is_fixed || IS_MUTANT(w, no_observe);
    if (world_chance(w, 0.1))
        c->switches_per_day = 10;
    set_limits(w, &c->limits);
    c->interval_us = 100000;
    c->gap_us = 200000;
    d->lease_us = is_nic ? 3 * S : 6 * S;
    c->lease_us = IS_MUTANT(w, no_lease) ? 3600 * S : d->lease_us;
    if (is_nic) {
        knob_set_add(&d->is, KNOB_rpg_ai_rate, 5);
        knob_set_add(&d->is, KNOB_rpg_hai_rate, 50);
    } else {
        knob_set_add(&d->is, KNOB_kmin, 400);
        knob_set_add(&d->is, KNOB_kmax, 1600);
    }
    d->first = d->is;
    for (int k = 0; k < KNOB_COUNT; k++)
        if (d->is.is_named[k])
            check_foreign(w, i, (enum knob)k, d->is.knobs.value[k]);
}

/* Intervals are short, so that a history contains several complete trials. */
static void set_up_controller(struct world *w, uint32_t i)
{
    struct controller_config *c = &w->controller_cfg[i];

    controller_config_init(c);
    snprintf(c->name, sizeof c->name, "controller%u", i);
    c->id = i + 1;
    c->mode = w->is_calm ? MODE_AUTO : world_chance(w, 0.2) ? MODE_DIRECT :
              world_chance(w, 0.15) ? MODE_APPROVE : world_chance(w, 0.05) ? MODE_OBSERVE : MODE_AUTO;
    c->dispatch_us = world_chance(w, 0.5) ? 300000 : 0;
    c->gather_us = S;
    c->block_length = 4;
    c->burn_in = 1;
    c->aa_pairs = 3;
    c->stage_pairs = 1;
    c->halves_intervals_max = 80;
    c->soak_intervals = 4;
    c->accept_e = 2;
    c->bound_e = 1.5;
    c->reverts_max = w->is_calm || world_chance(w, 0.7) ? 1000 : 2;
    c->pause_us = 12 * S;
    c->seed = w->seed;
}

static void set_up_process(struct world *w, uint32_t i)
{
    struct proc *p = &w->proc[i];

    p->world = w;
    p->is_agent = i < w->agents;
    p->is_liar = i >= w->agents + w->controllers + w->relays;
    p->is_relay = !p->is_liar && i >= w->agents + w->controllers;
    p->index = p->is_agent ? i : p->is_liar ? i - w->agents - w->controllers - w->relays :
               p->is_relay ? i - w->agents - w->controllers : i - w->agents;
    p->clock_us = world_draw(w, 1, 1000000000000);
    p->clock_rate = 1 + 2e-4 * (rng_real(&w->rng) - 0.5);
    p->life = 1;
}

/* Each history has a different mixture of faults. */
static void set_up_faults(struct world *w)
{
    static const double kill[] = { 0, 0, 1e-4, 1e-3 }, drop[] = { 0, 0, 0.02, 0.2 },
                        effect[] = { 0.05, 0.05, 0, -0.05 };

    w->kill_chance = kill[world_draw(w, 0, 3)];
    w->drop = drop[world_draw(w, 0, 3)];
    w->twice = world_chance(w, 0.5) ? 0.05 : 0;
    w->slow = world_chance(w, 0.5) ? 0.02 : 0;
    w->effect = effect[world_draw(w, 0, 3)];
    w->fault_gap_us = world_draw(w, S / 2, 8 * S);
    for (uint32_t i = 0; i < sizeof w->fault_weight / sizeof *w->fault_weight; i++)
        w->fault_weight[i] = world_chance(w, 0.5) ? (uint32_t)world_draw(w, 1, 4) : 0;
}

/* What each liar lies about: many things, or a few. */
static void set_up_liars(struct world *w)
{
    for (uint32_t i = 0; i < w->liars; i++) {
        struct proc *p = &w->proc[w->agents + w->controllers + w->relays + i];

        p->style = (unsigned)world_draw(w, 0, 255) | 1u << world_draw(w, 0, 7);
        if (w->is_calm)
            p->style = (p->style & LIES_HARMLESS) | LIE_TERMS;
    }
    for (uint32_t i = 0; i < w->relays && !w->is_calm; i++) {
        struct proc *p = &w->proc[w->agents + w->controllers + i];

        p->is_liar = world_chance(w, 0.2);
        p->style = (unsigned)world_draw(w, 0, 255);
        w->has_lying_relay |= p->is_liar;
    }
}

/* Of a stream of their own: without them a seed gives the history that it gave before. */
static void set_up_stalls(struct world *w)
{
    static const double chance[] = { 0, 3e-4, 3e-3, 1e-2 };

    rng_init(&w->stalls, w->seed, 1);
    w->stall_chance = w->is_calm ? 0 : chance[rng_below(&w->stalls, 4)];
    for (uint32_t i = 0; i < w->agents; i++)
        w->proc[i].may_be_guarded = !w->device[i].is_whole && rng_below(&w->stalls, 4);
}

static void be_calm(struct world *w)
{
    w->kill_chance = w->drop = w->twice = w->slow = 0;
    w->effect = 0.05;
    memset(w->fault_weight, 0, sizeof w->fault_weight);
}

static void set_up(struct world *w)
{
    w->liars = world_chance(w, 0.4) ? 0 : (uint32_t)world_draw(w, 1, WORLD_LIARS_MAX);
    w->is_calm = w->liars && world_chance(w, 0.2);
    w->agents = (uint32_t)world_draw(w, 3, WORLD_DEVICES_MAX);
    w->controllers = WORLD_CONTROLLERS_MAX;
    w->relays = (uint32_t)world_draw(w, 0, WORLD_RELAYS_MAX);
    for (uint32_t i = 0; i < w->agents; i++)
        set_up_device(w, i);
    for (uint32_t i = 0; i < w->controllers; i++)
        set_up_controller(w, i);
    for (uint32_t i = 0; i < w->agents + w->controllers + w->relays + w->liars; i++)
        set_up_process(w, i);
    set_up_liars(w);
    set_up_faults(w);
    if (w->is_calm)
        be_calm(w);
    set_up_stalls(w);
    for (uint32_t i = 0; i <= w->agents; i++)
        process_start(w, &w->proc[i]);           /* the second controller starts later, or never */
    for (uint32_t i = 0; i < w->relays + w->liars; i++)
        process_start(w, &w->proc[w->agents + w->controllers + i]);
    world_push(w, (struct event){ .at_us = 2 * S, .kind = EV_FAULT });
    world_push(w, (struct event){ .at_us = 3 * S, .kind = EV_PERSON });
    world_push(w, (struct event){ .at_us = HEAL_US, .kind = EV_HEAL });
    world_push(w, (struct event){ .at_us = LEAVE_US, .kind = EV_LEAVE });
}

/* ---- faults ---- */

static struct proc *any_agent(struct world *w)
{
    return &w->proc[world_draw(w, 0, w->agents - 1)];
}

static struct proc *any_controller(struct world *w)
{
    return &w->proc[w->agents + world_draw(w, 0, w->controllers - 1)];
}

static struct device *any_device(struct world *w)
{
    return &w->device[world_draw(w, 0, w->agents - 1)];
}

/* Returns NULL if there is none. */
static struct proc *any_relay(struct world *w)
{
    return w->relays ? &w->proc[w->agents + w->controllers + world_draw(w, 0, w->relays - 1)] : NULL;
}

static uint64_t soon(struct world *w)
{
    return w->now_us + world_draw(w, 50000, 5000000);
}

/* Events that were delayed until the end of an earlier pause stay delayed. */
static void pause(struct world *w, struct proc *p)
{
    uint64_t until_us = soon(w);

    if (until_us > p->paused_until_us)
        p->paused_until_us = until_us;
}

static void pause_agent(struct world *w)     { pause(w, any_agent(w)); }
static void pause_controller(struct world *w) { pause(w, any_controller(w)); }
static void kill_agent(struct world *w)      { process_kill(w, any_agent(w)); }
static void kill_guard(struct world *w)      { chaos_guard_kill(any_agent(w)); }
static void kill_controller(struct world *w) { process_kill(w, any_controller(w)); }
static void refuse(struct world *w)          { any_device(w)->refuses_until_us = soon(w); }
static void be_busy(struct world *w)         { any_device(w)->busy_until_us = soon(w); }
static void blind(struct world *w)           { any_device(w)->blind_until_us = soon(w); }
static void clamp(struct world *w)           { any_device(w)->clamps_until_us = soon(w); }
static void be_late(struct world *w)         { any_device(w)->late_until_us = soon(w); }

static void pause_guard(struct world *w)
{
    any_agent(w)->guard_paused_until_us = w->now_us + world_draw(w, 50000, 2900000);
}

static void fill_disk(struct world *w)
{
    w->proc[world_draw(w, 0, w->agents + w->controllers - 1)].disk.full_until_us = soon(w);
}

static void step_clock(struct world *w)
{
    any_agent(w)->wall_us = (int64_t)world_draw(w, 0, 7200 * S) - 3600 * (int64_t)S;
}


static void pause_relay(struct world *w)
{
    struct proc *p = any_relay(w);

    if (p)
        pause(w, p);
}

static void kill_relay(struct world *w)
{
    struct proc *p = any_relay(w);

    if (p)
        process_kill(w, p);
}

static void cut_relay(struct world *w)
{
    struct proc *p = any_relay(w);

    if (p)
        w->cut_relay_us[p->index] = soon(w);
}

static void cut(struct world *w)
{
    w->cut_until_us[world_draw(w, 0, w->controllers - 1)][world_draw(w, 0, w->agents - 1)] = soon(w);
}

static void cut_controller(struct world *w)
{
    uint64_t controller = world_draw(w, 0, w->controllers - 1), until_us = soon(w);

    for (uint32_t i = 0; i < w->agents; i++)
        w->cut_until_us[controller][i] = until_us;
}

static void break_guardrail(struct world *w)
{
    struct device *d = any_device(w);

    if (w->now_us >= d->breach_until_us)
        d->breach_since_us = w->now_us;
    d->breach_until_us = soon(w);
}

/* An operator sets a value at the device. */
static void edit(struct world *w)
{
    uint32_t       i = (uint32_t)world_draw(w, 0, w->agents - 1);
    struct device *d = &w->device[i];
    enum knob      knob = d->is.is_named[KNOB_kmin] ? KNOB_kmin : KNOB_rpg_hai_rate;
    double         value = (double)world_draw(w, 100, 390) + 0.25;

    /* Between a write and its reading an agent without a guard takes it for what the device made of it. */
    if (w->proc[i].is_stalled && !w->proc[i].may_be_guarded)
        return;
    d->is.knobs.value[knob] = value;
    d->is_clamped[knob] = false;
    /* Before its agent first reads the device, this counts as its initial value. */
    d->is_foreign[knob] = w->proc[i].disk.log_length > 0;
    check_foreign(w, i, knob, value);
    world_loud(w, "device %u: an operator sets %s = %g", i, knob_info[knob].name, value);
}

/* The driver reloads: settings are lost. */
static void load_driver(struct world *w)
{
    uint32_t       i = (uint32_t)world_draw(w, 0, w->agents - 1);
    struct device *d = &w->device[i];

    d->held = d->is;
    d->is = d->first;
    d->loaded_us = w->now_us;
    memset(d->is_clamped, 0, sizeof d->is_clamped);
    memset(d->is_foreign, 0, sizeof d->is_foreign);
    world_loud(w, "device %u: its driver reloads", i);
}

/* Returns an agent with an unconfirmed change, if there is one. */
static struct proc *any_open(struct world *w)
{
    struct proc *p = any_agent(w);

    for (uint32_t i = 0; i < w->agents && p->agent.phase != PHASE_APPLIED; i++)
        p = &w->proc[(p->index + 1) % w->agents];
    return p;
}

/* Changes a byte of a file, or truncates it. Damage to one file of an agent must do no harm. */
static void damage(struct world *w)
{
    struct proc *p = any_open(w);
    struct disk *d = &p->disk;
    uint32_t     i = (uint32_t)world_draw(w, 0, d->files);
    char        *text = i < d->files ? d->file[i].text : d->log;
    size_t      *length = i < d->files ? &d->file[i].length : &d->log_length;

    /* An agent whose first start hangs has only a log. If that is damaged it observes, until people look. */
    if (d->is_damaged || !*length || !d->files)
        return;
    if (world_chance(w, 0.5))
        *length = world_draw(w, 0, *length - 1);
    else
        text[world_draw(w, 0, *length - 1)] ^= (char)(1u << world_draw(w, 0, 6));
    d->is_damaged = true;
    w->result->damaged++;
    world_loud(w, "agent %u: %s is damaged", p->index, i < d->files ? d->file[i].name : "the log");
    if (world_chance(w, 0.7))
        process_kill(w, p);      /* as a crash that damaged the file would */
}

/* The machine was suspended: its clock jumps ahead. */
static void jump_clock(struct world *w)
{
    struct proc *p = &w->proc[world_draw(w, 0, w->agents + w->controllers - 1)];

    p->clock_us += world_draw(w, 1, 3600) * S;
    p->harms = 0;                /* pauses are measured with its clock */
    p->rests_until_us = 0;
    world_loud(w, "the clock of %u jumps", (unsigned)(p - w->proc));
}

static void start_second(struct world *w)
{
    struct proc *p = &w->proc[w->agents + 1];

    if (!p->is_alive && p->life == 1)
        process_start(w, p);
}

/* ---- operators ---- */

/* Returns a controller that an operator can reach, or NULL. */
static struct proc *any_hearing(struct world *w)
{
    struct proc *p = any_controller(w);

    return p->is_alive && w->now_us >= p->paused_until_us ? p : NULL;
}

/* An operator inspects a frozen device and thaws it. */
static void thaw(struct world *w)
{
    struct proc *p = any_hearing(w), *a = any_agent(w);

    if (p)
        operator_device(w, p, w->agent_cfg[a->index].name, false);
}

static void freeze(struct world *w)
{
    struct proc *p = any_hearing(w), *a = any_agent(w);

    if (p && world_chance(w, 0.5))
        operator_device(w, p, w->agent_cfg[a->index].name, true);
    else if (p)
        operator_fabric(w, p, p->is_frozen ? "thaw" : "freeze");
}

static void thaw_fabric(struct world *w)
{
    struct proc *p = any_hearing(w);

    if (p)
        operator_fabric(w, p, "thaw");
}

static void roll_back(struct world *w)
{
    struct proc *p = any_hearing(w);

    if (p)
        operator_fabric(w, p, "rollback");
}

/* An operator who is ignorant or malicious. */
static void lie_as_operator(struct world *w)
{
    struct proc *p = any_hearing(w);

    if (p)
        operator_lie(w, p);
}

static void (*const fault[])(struct world *) = {
    kill_agent, kill_controller, pause_agent, pause_controller, fill_disk, refuse, blind, clamp, be_late,
    step_clock, cut, cut_controller, break_guardrail, edit, start_second, thaw, pause_relay, kill_relay,
    cut_relay, load_driver, jump_clock, freeze, thaw_fabric, roll_back, lie_as_operator, damage, be_busy,
    kill_guard, pause_guard,
};

static void on_fault(struct world *w)
{
    uint32_t total = 0, pick;

    if (w->is_quiet)
        return;
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++)
        total += w->fault_weight[i];
    pick = total ? (uint32_t)world_draw(w, 0, total - 1) : 0;
    for (size_t i = 0; total && i < sizeof fault / sizeof *fault; pick -= w->fault_weight[i++])
        if (pick < w->fault_weight[i]) {
            world_loud(w, "fault %zu", i);
            fault[i](w);
            w->result->faults++;
            break;
        }
    world_push(w, (struct event){ .at_us = w->now_us + world_draw(w, 1, w->fault_gap_us), .kind = EV_FAULT });
}

static void heal(struct world *w)
{
    w->is_quiet = true;
    memset(w->cut_until_us, 0, sizeof w->cut_until_us);
    memset(w->cut_relay_us, 0, sizeof w->cut_relay_us);
    for (uint32_t i = 0; i < w->agents + w->controllers; i++) {
        w->proc[i].disk.full_until_us = 0;
    }
    for (uint32_t i = 0; i < w->controllers && w->has_lying_relay; i++)
        process_kill(w, &w->proc[w->agents + i]);        /* operators restart them */
    for (uint32_t i = 0; i < w->agents; i++) {
        struct device *d = &w->device[i];

        d->refuses_until_us = d->busy_until_us = d->blind_until_us = d->clamps_until_us = d->late_until_us =
            d->breach_until_us = 0;
    }
}

static void leave(struct world *w)
{
    check_leave(w);
    for (uint32_t i = w->agents; i < w->agents + w->controllers; i++) {
        w->proc[i].is_gone = true;
        process_kill(w, &w->proc[i]);
    }
}

/* ---- events ---- */

/* A write that timed out takes effect late. */
static void on_late(struct world *w, const struct event *e)
{
    struct device *d = &w->device[e->proc];

    knobset_put(&d->is, e->set);
    d->is_late = true;
    for (int k = 0; k < KNOB_COUNT; k++)
        d->is_foreign[k] &= !e->set->is_named[k];
    world_loud(w, "device %u: a late write takes effect", e->proc);
}

/* Returns true if the process hangs: the event is delayed. */
static bool is_put_off(struct world *w, const struct event *e)
{
    bool is_process = e->kind == EV_TICK || e->kind == EV_TIMER || e->kind == EV_MSG || e->kind == EV_CUT;
    struct event later = *e;

    if (!is_process || (w->now_us >= w->proc[e->proc].paused_until_us && !w->proc[e->proc].is_stalled))
        return false;
    later.at_us = w->proc[e->proc].paused_until_us + world_draw(w, 0, 500) + w->proc[e->proc].is_stalled;
    world_push(w, later);
    return true;
}

static void on_event(struct world *w, const struct event *e)
{
    struct proc *p = &w->proc[e->proc];

    switch (e->kind) {
    case EV_TICK: case EV_TIMER: case EV_MSG: case EV_CUT: process_on_event(w, e); break;
    case EV_RESTART: if (!p->is_alive && !p->is_gone) process_start(w, p); break;
    case EV_FAULT: on_fault(w); break;
    case EV_LATE:  on_late(w, e); break;
    case EV_HEAL:  heal(w); break;
    case EV_LEAVE: leave(w); break;
    case EV_PERSON: operator_come(w); break;
    case EV_GUARD: chaos_guard_on_timer(w, e); break;
    case EV_GO_ON: process_go_on(w, e); break;
    }
}

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * 0x100000001b3;
}

static void drop_event(struct world *w, struct event *e)
{
    world_give(&w->messages, e->msg);
    if (e->rack)
        rack_fini(e->rack);
    world_give(&w->racks, e->rack);
    free(e->set);
}

static void run(struct world *w)
{
    struct event e;

    while (!*w->result->broken && world_pop(w, &e)) {
        w->now_us = e.at_us;
        if (w->now_us > END_US) {
            drop_event(w, &e);
            break;
        }
        if (is_put_off(w, &e))
            continue;
        on_event(w, &e);
        check_all(w);
        w->result->events++;
        mix(&w->result->digest, e.at_us ^ (uint64_t)e.kind << 60 ^ (uint64_t)e.proc << 50);
        drop_event(w, &e);
    }
}

static void tear_down(struct world *w)
{
    for (uint32_t i = 0; i < w->events; i++)
        drop_event(w, &w->heap[i]);
    world_free(&w->messages);
    world_free(&w->racks);
    for (uint32_t i = 0; i < WORLD_PROCS_MAX; i++)
        process_fini(&w->proc[i]);
    free(w);
}

void chaos_run(uint64_t seed, enum chaos_mutation mutation, bool is_loud, struct chaos_result *result)
{
    struct world *w = xcalloc(1, sizeof *w);

    *result = (struct chaos_result){ .digest = 0xcbf29ce484222325 };
    w->seed = seed;
    w->mutation = mutation;
    w->is_loud = is_loud;
    w->result = result;
    rng_init(&w->rng, seed, 0);
    set_up(w);
    run(w);
    if (!*result->broken)
        check_end(w);
    tear_down(w);
}

static const char *const mutation_name[] = {
#define NAME(name, text) #name,
    CHAOS_MUTATIONS(NAME)
};

const char *chaos_mutation_name(enum chaos_mutation m)
{
    return mutation_name[m];
}

enum chaos_mutation chaos_mutation_of(const char *name)
{
    for (int m = 0; name && m < CHAOS_MUTATION_KINDS; m++)
        if (strcmp(mutation_name[m], name) == 0)
            return (enum chaos_mutation)m;
    return CHAOS_none;
}
