/* tests/chaos/process.c - see process.h. */
#include "process.h"
#include "base/err.h"
#include "base/minmax.h"
#include "core/units.h"
#include "chaos_check.h"
#include "chaos_guard.h"
#include "liar.h"
#include "live/agent/agent.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The current process may be killed here. */
static void maybe_kill(struct world *w)
{
    if (w->running && !w->is_quiet && world_chance(w, w->kill_chance))
        longjmp(w->running->killed, 1);
}

/* ---- stalls ---- */

#define STALLS_END_US 39000000ull        /* before the last fault */
#define WATCHDOG_US   10000000u          /* of systemd: ends a process that hangs */

static uint64_t draw_stall(struct world *w, uint64_t low, uint64_t high)
{
    return low + rng_below(&w->stalls, high - low + 1);
}

/* A system call takes up to 60 s, or never returns: then the watchdog may end the process. */
static void stall(struct world *w, struct proc *p)
{
    static const uint64_t most_us[] = { 500000, 2000000, 12000000, 60000000 };
    uint64_t              until_us = w->now_us + draw_stall(w, 0, most_us[draw_stall(w, 0, 3)]);
    bool                  is_ended = until_us > w->now_us + WATCHDOG_US && draw_stall(w, 0, 1);

    until_us = min_u64(is_ended ? w->now_us + WATCHDOG_US : until_us, STALLS_END_US);
    if (until_us <= w->now_us)
        return;
    world_loud(w, "process %u stalls for %.3f s%s", (unsigned)(p - w->proc),
               (double)(until_us - w->now_us) / 1e6, is_ended ? ", and is ended" : "");
    w->result->stalls++;
    p->is_stalled = true;
    p->must_die = is_ended;
    p->paused_until_us = max_u64(p->paused_until_us, until_us);
    world_push(w, (struct event){ .at_us = until_us, .kind = EV_GO_ON, .proc = (uint32_t)(p - w->proc),
                                  .life = ++p->stall });
    w->running = NULL;
    fiber_suspend(p->fiber);
    w->running = p;
    p->is_stalled = false;
    if (p->must_die)
        longjmp(p->killed, 1);
}

static void maybe_stall(struct world *w)
{
    struct proc *p = w->running;

    if (p && w->stall_chance > 0 && !w->is_quiet && !p->event.rack && rng_real(&w->stalls) < w->stall_chance)
        stall(w, p);
}

/* ---- disk ---- */

static bool is_full(const struct proc *p)
{
    return p->world->now_us < p->disk.full_until_us;
}

static struct file *file_of(struct disk *d, const char *name)
{
    for (uint32_t i = 0; i < d->files; i++)
        if (strcmp(d->file[i].name, name) == 0)
            return &d->file[i];
    return NULL;
}

static void put_file(struct disk *d, const char *name, const char *text, size_t length)
{
    struct file *f = file_of(d, name);

    if (!f) {
        assert(d->files < WORLD_FILES_MAX);
        f = &d->file[d->files++];
        *f = (struct file){ .text = NULL };
        snprintf(f->name, sizeof f->name, "%s", name);
    }
    f->text = xrealloc(f->text, length + 1);
    memcpy(f->text, text, length);
    f->length = length;
}

static int disk_save(void *arg, const char *name, const char *text, size_t length)
{
    struct proc *p = arg;

    maybe_kill(p->world);
    maybe_stall(p->world);
    if (is_full(p))
        return IS_MUTANT(p->world, full_disk) ? 0 : -ENOSPC;
    put_file(&p->disk, name, text, length);
    maybe_kill(p->world);
    return 0;
}

/* In place, so a full disk is no obstacle; a kill leaves any part of it. */
static int hold_write_file(void *arg, const char *text)
{
    struct proc  *p = arg;
    struct world *w = p->world;

    if (w->running && !w->is_quiet && world_chance(w, w->kill_chance)) {
        memcpy(p->disk.hold, text, world_draw(w, 0, HOLD_SIZE));
        longjmp(w->running->killed, 1);
    }
    memcpy(p->disk.hold, text, HOLD_SIZE);
    maybe_kill(w);
    return 0;
}

static int hold_read_file(void *arg, char *text)
{
    const struct proc *p = arg;

    memcpy(text, p->disk.hold, HOLD_SIZE);
    return *text ? 0 : -ENOENT;
}

static long disk_load(void *arg, const char *name, char *text, size_t size)
{
    struct proc *p = arg;
    struct file *f = file_of(&p->disk, name);

    if (!f || f->length > size || (p->disk.is_damaged && IS_MUTANT(p->world, one_copy)))
        return f && f->length > size ? -EFBIG : -ENOENT;
    memcpy(text, f->text, f->length);
    return (long)f->length;
}

static void put_log(struct disk *d, const char *text, size_t length)
{
    if (d->log_length + length > d->log_max) {
        d->log_max = 2 * (d->log_length + length);
        d->log = xrealloc(d->log, d->log_max);
    }
    memcpy(d->log + d->log_length, text, length);
    d->log_length += length;
}

/* A kill may leave any prefix of the line. */
static int disk_append(void *arg, const char *text, size_t length)
{
    struct proc  *p = arg;
    struct world *w = p->world;

    maybe_stall(w);
    if (p->disk.is_log_damaged)
        return -EIO;
    if (is_full(p))
        return IS_MUTANT(w, full_disk) ? 0 : -ENOSPC;
    if (w->running && !w->is_quiet && world_chance(w, w->kill_chance)) {
        put_log(&p->disk, text, world_draw(w, 0, length - 1));
        longjmp(p->killed, 1);
    }
    if (p->is_agent && IS_MUTANT(w, no_audit))
        return 0;
    put_log(&p->disk, text, length);
    if (p->is_agent)
        check_log_line(w, p->index, text, length);
    else
        check_controller_line(w, p, text, length);
    maybe_kill(w);
    return 0;
}

static uint64_t disk_replay(void *arg, void (*line)(void *, const char *, size_t), void *ctx)
{
    const struct proc *p = arg;
    const struct disk *d = &p->disk;
    uint64_t           count = 0;

    if (d->is_damaged && IS_MUTANT(p->world, one_copy))
        return 0;
    for (size_t at = 0, end; at < d->log_length; at = end + 1, count++) {
        const char *newline = memchr(d->log + at, '\n', d->log_length - at);

        end = newline ? (size_t)(newline - d->log) : d->log_length;
        line(ctx, d->log + at, newline ? end - at : 0);
    }
    return count;
}

static void disk_set_aside(void *arg, const char *name)
{
    struct disk *d = &((struct proc *)arg)->disk;
    struct file *f = file_of(d, name);

    if (!f)
        return;
    free(f->text);
    *f = d->file[--d->files];
}

static uint64_t disk_wall(void *arg)
{
    const struct proc *p = arg;

    return 1792141200000000 + p->world->now_us + (uint64_t)p->wall_us;
}

/* ---- device ---- */

static int device_read(void *arg, struct knob_set *set)
{
    struct proc   *p = arg;
    struct device *d = &p->world->device[p->index];

    maybe_kill(p->world);
    maybe_stall(p->world);
    if (p->world->now_us < d->blind_until_us)
        return -EIO;
    *set = d->is;
    if (IS_MUTANT(p->world, no_read_back))
        knobset_put(set, &d->claimed);
    for (int k = 0; k < KNOB_COUNT && IS_MUTANT(p->world, no_foreign) && p->agent.phase != PHASE_IDLE; k++)
        if (d->is_foreign[k] && p->agent.saved.confirmed.is_named[k])
            set->knobs.value[k] = p->agent.saved.confirmed.knobs.value[k];
    d->claimed = (struct knob_set){ 0 };
    return 0;
}

static void write_value(struct proc *p, enum knob knob, double value)
{
    struct world  *w = p->world;
    struct device *d = &w->device[p->index];
    bool           is_clamped = w->now_us < d->clamps_until_us && value > 4;

    check_write(w, p->index, knob, value);
    d->is.knobs.value[knob] = is_clamped ? floor(value * 0.75) + 0.5 : value;
    d->is_clamped[knob] = is_clamped;
    world_loud(w, "device %u: %s = %g%s", p->index, knob_info[knob].name, d->is.knobs.value[knob],
               is_clamped ? " (clamped)" : "");
}

static int write_late(struct proc *p, const struct knob_set *set)
{
    struct knob_set *later = xmalloc(sizeof *later);

    *later = *set;
    world_push(p->world, (struct event){ .at_us = p->world->now_us + world_draw(p->world, 100000, 2000000),
                                         .kind = EV_LATE, .proc = p->index, .set = later });
    return -ETIMEDOUT;
}

static int device_put(struct proc *p, const struct knob_set *set)
{
    struct world  *w = p->world;
    struct device *d = &w->device[p->index];

    knobset_put(&d->claimed, set);
    if (w->now_us < d->refuses_until_us || w->now_us < d->busy_until_us || d->is_fixed)
        return w->now_us < d->refuses_until_us ? -EIO : -EBUSY;
    if (w->now_us < d->late_until_us && world_chance(w, 0.5))
        return write_late(p, set);
    for (int k = 0; k < KNOB_COUNT; k++)
        if (set->is_named[k]) {
            if (!d->is_whole && !p->is_guarded)
                maybe_kill(w);
            write_value(p, (enum knob)k, set->knobs.value[k]);
        }
    if (!p->is_guarded)          /* else only the agent may be killed, before or after */
        maybe_kill(w);
    return 0;
}

static int device_write_set(void *arg, const struct knob_set *set)
{
    struct proc *p = arg;
    int          rc = chaos_guard_back(p, set);

    if (rc != -EPIPE)
        return rc;
    check_set(p->world, p->index, set);
    return device_put(p, set);
}

static uint64_t agent_now_us(void *arg)
{
    const struct proc *p = arg;

    return world_clock(p, p->world->now_us);
}

static const char *device_refuses(void *arg)
{
    const struct proc *p = arg;

    return p->world->device[p->index].is_fixed && !IS_MUTANT(p->world, no_refusal) ?
           "the device changes nothing while it is used" : NULL;
}

static int device_sample(void *arg, struct msg_sample *s)
{
    struct proc   *p = arg;
    struct world  *w = p->world;
    struct device *d = &w->device[p->index];
    double         effect = d->is_exposed ? w->effect : 0;

    *s = (struct msg_sample){ .interval_us = p->agent.cfg->interval_us,
                              .metric = 0.5 + effect + 0.01 * rng_real(&w->rng) };
    s->lossless_drops = w->now_us < d->breach_until_us && !IS_MUTANT(w, no_guard);
    return 0;
}

/* ---- network ---- */

/* Copies a rack into 'to', which must be empty. */
static void rack_copy(struct rack *to, const struct rack *from)
{
    rack_init(to, from->life);
    to->number = from->number;
    to->term = from->term;
    to->rows = from->rows;
    to->gones = from->gones;
    to->items = from->items;
    to->fsd = from->fsd;
    memcpy(to->row, from->row, from->rows * sizeof *to->row);    /* most of the array is unused */
    memcpy(to->gone, from->gone, from->gones * sizeof *to->gone);
    to->items_max = from->items;
    to->item = from->items ? xmalloc(from->items * sizeof *to->item) : NULL;
    if (from->items)
        memcpy(to->item, from->item, from->items * sizeof *to->item);
    for (uint32_t i = 0; i < from->messages_count; i++)
        seen_part_copy(rack_add_messages(to, from->messages[i].slot), &from->messages[i].part);
}

static void deliver(struct world *w, uint32_t from, uint32_t to, const struct msg *m, const struct rack *r)
{
    uint64_t delay_us = world_chance(w, w->slow) ? world_draw(w, 1000, 4000000) : world_draw(w, 100, 3000);
    struct event e = { .at_us = w->now_us + delay_us, .kind = EV_MSG, .proc = to, .from = from };

    if (m) {
        e.msg = world_take(&w->messages, sizeof *e.msg);
        *e.msg = *m;
    } else {
        e.rack = world_take(&w->racks, sizeof *e.rack);
        rack_copy(e.rack, r);
    }
    world_push(w, e);
}

static void pass(struct world *w, uint32_t from, uint32_t to, uint64_t cut_until_us, const struct msg *m,
                 const struct rack *r)
{
    if (w->now_us < cut_until_us || (!w->is_quiet && world_chance(w, w->drop)))
        return;
    deliver(w, from, to, m, r);
    if (!w->is_quiet && world_chance(w, w->twice))
        deliver(w, from, to, m, r);
}

/* Sends a liar's message, which partitions do not affect. */
static void pass_lie(struct world *w, uint32_t from, uint32_t to, const struct msg *m)
{
    pass(w, from, to, 0, m, NULL);
}

static uint32_t relay_proc(const struct world *w, uint32_t relay)
{
    return w->agents + w->controllers + relay;
}

/* Returns the relay on the path of an agent; w->relays: none. */
static uint32_t relay_of(const struct world *w, const struct proc *agent)
{
    return agent->path.at < w->relays ? (agent->path.at + agent->index) % w->relays : w->relays;
}

static void agent_send(void *arg, const struct msg *m)
{
    struct proc  *p = arg;
    struct world *w = p->world;
    uint32_t      relay = relay_of(w, p);

    if (relay < w->relays)
        pass(w, p->index, relay_proc(w, relay), w->cut_relay_us[relay], m, NULL);
    for (uint32_t i = 0; i < w->controllers && relay == w->relays; i++)
        pass(w, p->index, w->agents + i, w->cut_until_us[i][p->index], m, NULL);
}

static void controller_send(void *arg, uint32_t link, const struct msg *m)
{
    struct proc  *p = arg;
    struct world *w = p->world;

    check_command(w, p, link, m);
    if (link < w->agents)
        pass(w, w->agents + p->index, link, w->cut_until_us[p->index][link], m, NULL);
    else if (link < WORLD_PROCS_MAX)
        pass(w, w->agents + p->index, link, 0, m, NULL);
    for (uint32_t i = 0; i < w->relays && link >= w->agents; i++)
        if (mux_send(&p->mux[i], link, m))
            break;
}

/* ---- relays ---- */

static void relay_send(void *arg, uint32_t link, const struct msg *m)
{
    struct proc *p = arg;
    struct msg   lie = *m;

    if (p->is_liar && !p->world->is_quiet && link < p->world->agents) {
        p->world->device[link].is_misled = true;
        liar_order(p->world, p, &lie);
    }
    pass(p->world, relay_proc(p->world, p->index), link, p->world->cut_relay_us[p->index], &lie, NULL);
}

static void relay_cut(void *arg, uint32_t link)
{
    struct proc *p = arg;

    if (p->world->now_us >= p->world->cut_relay_us[p->index])
        world_push(p->world, (struct event){ .at_us = p->world->now_us + 1000, .kind = EV_CUT, .proc = link,
                   .from = relay_proc(p->world, p->index) });
}

static void relay_send_up(void *arg, const struct rack *r)
{
    struct proc *p = arg;
    uint32_t     from = relay_proc(p->world, p->index), to = p->world->agents + p->up;
    struct rack  lie;

    if (!p->is_liar || p->world->is_quiet) {
        pass(p->world, from, to, p->world->cut_relay_us[p->index], NULL, r);
        return;
    }
    rack_copy(&lie, r);
    if (liar_rack(p->world, p, &lie))
        pass(p->world, from, to, p->world->cut_relay_us[p->index], NULL, &lie);
    rack_fini(&lie);
}

/* ---- relay links of a controller ---- */

static uint32_t mux_link(void *arg, uint64_t now_us)
{
    struct proc *p = arg;
    uint32_t     link = 1000 + p->links++;

    control_link(&p->control, link, now_us);
    return link;
}

/* As in run_controller.c: a relay accepts a limited number of names. */
static void mux_msg(void *arg, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct proc *p = arg;

    if (m->kind != MSG_HELLO ||
        account_has_room(p->account[relay_proc(p->world, p->handing)], 2 * WORLD_NAMES_MAX, m->name))
        control_msg(&p->control, link, m, now_us);
}

static void mux_cut(void *arg, uint32_t link)
{
    struct proc *p = arg;

    control_cut(&p->control, link, world_clock(p, p->world->now_us));
}

/* The life of the relay identifies the link: see start_relay(). */
static void mux_down(void *arg, const struct rack *r)
{
    struct proc *p = arg;
    uint32_t     relay = (uint32_t)(r->life % WORLD_RELAYS_MAX);

    pass(p->world, p->world->agents + p->index, relay_proc(p->world, relay), p->world->cut_relay_us[relay],
         NULL, r);
}

/* ---- tuner ---- */

/* Returns a value that is mostly close to the device's current one. */
static double near(struct world *w, enum knob knob)
{
    const struct knob_set *is = &w->device[world_draw(w, 0, w->agents - 1)].is;
    double                 now = is->is_named[knob] ? is->knobs.value[knob] : knob == KNOB_kmin ? 400 : 5;

    return round(now * (world_chance(w, 0.1) ? 3 : 0.6 + 1.2 * rng_real(&w->rng))) + 1;
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    struct world *w = ((struct proc *)arg)->world;

    (void)now_us;
    if (w->is_quiet || !world_chance(w, 0.3))
        return false;
    knob_set_add(set, KNOB_rpg_ai_rate, near(w, KNOB_rpg_ai_rate));
    if (world_chance(w, 0.5))
        knob_set_add(set, KNOB_rpg_hai_rate, near(w, KNOB_rpg_hai_rate));
    if (world_chance(w, 0.3))
        knob_set_add(set, KNOB_kmin, near(w, KNOB_kmin));
    memcpy(why, "a guess", 8);
    return true;
}

static void ended(void *arg, bool is_kept, uint32_t missed, const char *why)
{
    world_loud(((struct proc *)arg)->world, "trial %s, %u missed: %s", is_kept ? "kept" : "dropped", missed,
               why);
}

/* ---- start and stop ---- */

static struct io_disk disk_of(struct proc *p)
{
    return (struct io_disk){ .save = disk_save, .load = disk_load, .append = disk_append,
                             .wall_us = disk_wall, .arg = p, .set_aside = disk_set_aside,
                             .replay = disk_replay };
}

/* Returns true for a party with a certificate but no device. */
static bool is_liar_agent(const struct proc *p)
{
    return p->is_liar && !p->is_relay;
}

#define SILENCE_US 1200000u      /* after this silence a path or a controller is given up */

static void start_agent(struct proc *p, const struct audit *a, uint64_t clock_us)
{
    struct agent_io io = { .disk = disk_of(p),
                           .device = { device_read, device_write_set, device_sample, p, device_refuses },
                           .guard = chaos_guard_io(p), .now_us = agent_now_us, .send = agent_send, .arg = p };

    chaos_guard_start(p, device_put);
    path_init(&p->path, p->world->relays + 1, p->world->relays, SILENCE_US, 5000000, clock_us);
    agent_init(&p->agent, &p->world->agent_cfg[p->index], &io, p->life * 1000 + p->index);
    agent_start(&p->agent, a, clock_us);
    say_hello(&p->agent, clock_us);
}

static void fini_ends(struct proc *p)
{
    for (uint32_t i = 0; i < WORLD_RELAYS_MAX; i++)
        mux_fini(&p->mux[i]);
}

static void start_controller(struct proc *p, const struct audit *a, uint64_t clock_us)
{
    struct mux_io        ends = { mux_link, mux_msg, mux_cut, mux_down, p };
    struct control_io    io = { .disk = disk_of(p), .hold = { hold_write_file, hold_read_file, p },
                                .send = controller_send, .propose = propose, .ended = ended, .arg = p };

    fini_ends(p);
    for (uint32_t i = 0; i < p->world->relays; i++)
        mux_init(&p->mux[i], &ends);
    control_fini(&p->control);
    control_init(&p->control, &p->world->controller_cfg[p->index], &io, WORLD_PEERS_MAX);
    if (control_start(&p->control, a, clock_us))
        check_stuck(p->world, p, "a controller cannot read its own state");
    if (IS_MUTANT(p->world, short_pause))
        p->control.c.caution = (struct caution){ .paused_until_us = 0 };
    for (uint32_t i = 0; i < WORLD_PROCS_MAX; i++)
        if (i < p->world->agents || i >= relay_proc(p->world, p->world->relays))
            control_link(&p->control, i, clock_us);
}

static void start_relay(struct proc *p, uint64_t clock_us)
{
    struct relay_config cfg = { .silence_us = SILENCE_US };
    struct relay_io     io = { relay_send, relay_cut, relay_send_up, p };

    relay_fini(&p->relay);
    relay_init(&p->relay, &cfg, &io, p->life * WORLD_RELAYS_MAX + p->index);
    relay_on_up(&p->relay, clock_us);
}

static void process_abandon(struct proc *);

/* Registers which parties a controller or a relay accepts, by their certificates. */
static void open_accounts(struct world *w, struct proc *p)
{
    accounts_fini(&p->accounts);
    p->accounts.limits = ACCOUNT_LIMITS;
    for (uint32_t i = 0; i < WORLD_PROCS_MAX; i++) {
        const struct proc   *other = &w->proc[i];
        struct account_names names = { .count = 1 };

        snprintf(names.name[0], sizeof names.name[0], "%s%u",
                 other->is_agent ? "host" : other->is_relay ? "rack" : "mallory", other->index);
        p->account[i] = account_enter(&p->accounts, &names, 0);
    }
}

void process_fini(struct proc *p)
{
    process_abandon(p);
    fiber_free(p->fiber);
    accounts_fini(&p->accounts);
    for (uint32_t i = 0; i < p->disk.files; i++)
        free(p->disk.file[i].text);
    free(p->disk.log);
    control_fini(&p->control);
    fini_ends(p);
    relay_fini(&p->relay);
}

/* As in disk.c: devices are restored first. Then the log is checked, and a new one begins if it is
 * damaged. */
static void mend_log(struct proc *p, struct audit *a)
{
    struct disk *d = &p->disk;
    struct audit whole = { .is_part = true };
    uint64_t     line = 0;
    FILE        *file = d->log_length ? fmemopen(d->log, d->log_length, "r") : NULL;
    bool         is_good = !file || !audit_check_file(&whole, file, &line);

    if (file)
        fclose(file);
    if (is_good && !d->is_log_damaged)
        return;
    d->log_length = 0;
    d->is_log_damaged = false;
    d->is_part = true;
    if (!a->seq)
        audit_init(a);
}

static void start_with_log(struct world *w, struct proc *p)
{
    struct disk *d = &p->disk;
    struct audit a;
    long         good;

    audit_init(&a);
    good = d->log_length ? audit_resume_tail(&a, d->log, d->log_length) : 0;
    d->is_log_damaged = good < 0;
    if (good >= 0)
        d->log_length = (size_t)good;            /* removes a partial line */
    if (p->is_agent) {
        start_agent(p, &a, world_clock(p, w->now_us));
        mend_log(p, &p->agent.audit);
    } else
        start_controller(p, &a, world_clock(p, w->now_us));
}

static void start(struct proc *p)
{
    struct world *w = p->world;

    if (p->is_agent && p->disk.is_damaged && IS_MUTANT(w, no_log_repair))
        process_kill(w, p);
    else if (is_liar_agent(p))
        p->incarnation = p->life * 1000 + 500 + p->index;
    else if (p->is_relay) {
        open_accounts(w, p);
        start_relay(p, world_clock(p, w->now_us));
    } else {
        if (!p->is_agent)
            open_accounts(w, p);
        start_with_log(w, p);
    }
}

static const char *kind_of(const struct proc *p)
{
    return is_liar_agent(p) ? "liar" : p->is_agent ? "agent" : p->is_relay ? "relay" : "controller";
}

void process_kill(struct world *w, struct proc *p)
{
    if (!p->is_alive)
        return;
    process_abandon(p);
    world_loud(w, "%s %u is killed", kind_of(p), p->index);
    p->is_alive = false;
    p->life++;
    w->result->kills++;
    if (p->is_agent) {
        chaos_guard_agent_died(p);
        check_kill(w, p->index);
    } else
        check_kill_controller(w, p);
    if (!p->is_gone)
        world_push(w, (struct event){ .at_us = w->now_us + world_draw(w, 20000, 2500000), .kind = EV_RESTART,
                   .proc = (uint32_t)(p - w->proc) });
}

/* Schedules the time at which the agent wants to be called, by its clock. */
static void set_timer(struct world *w, struct proc *p)
{
    uint64_t clock_us = p->is_agent && p->is_alive ? agent_timer_us(&p->agent) : NEVER;
    uint64_t at_us = clock_us == NEVER ? NEVER : world_true(p, clock_us);

    p->timer++;
    if (at_us != NEVER)
        world_push(w, (struct event){ .at_us = at_us > w->now_us ? at_us : w->now_us + 1, .kind = EV_TIMER,
                   .proc = (uint32_t)(p - w->proc), .life = p->timer });
}

static void set_tick(struct world *w, struct proc *p, uint64_t after_us)
{
    world_push(w, (struct event){ .at_us = w->now_us + after_us, .kind = EV_TICK,
                                  .proc = (uint32_t)(p - w->proc), .life = p->life });
}

static uint64_t interval_us(const struct proc *p)
{
    return p->is_relay || p->is_liar ? 100000
           : p->is_agent             ? p->agent.cfg->interval_us
                                     : p->control.c.cfg->interval_us;
}

/* Runs the handler within its fiber. It may be killed. */
static void run_inside(void *arg)
{
    struct proc *p = arg;

    p->was_killed = true;
    if (setjmp(p->killed) == 0) {
        p->handle(p->world, p, &p->event);
        p->was_killed = false;
    }
}

/* The handler has ended, in whatever way. */
static void finish(struct world *w, struct proc *p)
{
    w->running = NULL;
    if (p->was_killed)
        process_kill(w, p);
    set_timer(w, p);
    if (!p->is_alive)
        return;
    if (p->event.kind == EV_RESTART)
        set_tick(w, p, world_draw(w, 1, 100000));
    else if (p->event.kind == EV_TICK)
        set_tick(w, p, interval_us(p));
}

/* Runs one handler of the process until it ends or stalls. */
static void run(struct world *w, struct proc *p,
                void (*handle)(struct world *, struct proc *, const struct event *), const struct event *e)
{
    p->handle = handle;
    p->event = *e;
    if (e->msg) {                /* a stall outlives it */
        p->event_msg = *e->msg;
        p->event.msg = &p->event_msg;
    }
    w->running = p;
    if (w->stall_chance > 0 && !p->fiber)
        p->fiber = fiber_new();
    if (!p->fiber)
        run_inside(p);
    if (!p->fiber || fiber_start(p->fiber, run_inside, p))
        finish(w, p);
    w->running = NULL;
}

void process_go_on(struct world *w, const struct event *e)
{
    struct proc *p = &w->proc[e->proc];

    struct event later = *e;

    if (p->is_stalled && e->life == p->stall && w->now_us < p->paused_until_us) {
        later.at_us = p->paused_until_us;        /* it was stopped meanwhile */
        world_push(w, later);
    } else if (p->is_stalled && e->life == p->stall && fiber_resume(p->fiber))
        finish(w, p);
    w->running = NULL;
}

/* Its handler ends where it stalls. */
static void process_abandon(struct proc *p)
{
    if (!p->is_stalled)
        return;
    p->must_die = true;
    fiber_resume(p->fiber);
    p->world->running = NULL;
}

static void handle_start(struct world *w, struct proc *p, const struct event *e)
{
    (void)w, (void)e;
    start(p);
}

/* The guard of the last agent has the lock until the device is back. */
void process_start(struct world *w, struct proc *p)
{
    struct event e = { .at_us = w->now_us + 100000, .kind = EV_RESTART, .proc = (uint32_t)(p - w->proc) };

    if (chaos_guard_holds(p)) {
        world_push(w, e);
        return;
    }
    world_loud(w, "%s %u starts", kind_of(p), p->index);
    p->is_alive = true;
    run(w, p, handle_start, &e);
}

/* ---- events ---- */

static void handle_agent(struct world *w, struct proc *p, const struct event *e)
{
    uint64_t    clock_us = world_clock(p, w->now_us), before_us;
    struct msg  m;
    const char *news = chaos_guard_news(p);

    if (news)
        agent_on_guard(&p->agent, news, clock_us);
    if (e->kind == EV_TICK) {
        if (path_on_tick(&p->path, clock_us))
            say_hello(&p->agent, clock_us);
        agent_on_tick(&p->agent, clock_us);
    } else if (e->kind == EV_TIMER)
        agent_on_timer(&p->agent, clock_us);
    else if (e->kind == EV_CUT) {
        if (relay_of(w, p) == e->from - w->agents - w->controllers)
            path_lost(&p->path, clock_us);
        say_hello(&p->agent, clock_us);
    } else {
        check_before_msg(w, p->index, e->msg);
        m = *e->msg;
        if (IS_MUTANT(w, no_term) && m.term < p->agent.saved.term)
            m.term = p->agent.saved.term;
        before_us = p->agent.lease_until_us;
        agent_on_msg(&p->agent, &m, clock_us);
        if (p->agent.lease_until_us > before_us)
            p->path.heard_us = clock_us;
        if (IS_MUTANT(w, no_freeze))
            p->agent.saved.frozen[0] = '\0';
        if (IS_MUTANT(w, no_gap))
            p->agent.written_us = 0;
        check_after_msg(w, p->index, e->msg);
    }
}

static void hide_term(uint64_t *term, const struct controller *c)
{
    if (c->role == ROLE_ACTIVE && *term > c->term)
        *term = c->term;
}

static void hide_newer(const struct event *e, const struct controller *c)
{
    if (e->msg)
        hide_term(&e->msg->term, c);
    for (uint32_t i = 0; e->rack && i < e->rack->items; i++)
        hide_term(&e->rack->item[i].msg.term, c);
}

/* As in the daemons: an agent speaks only for the devices of its own host, and for a limited number. */
static bool admits(struct world *w, struct proc *p, const struct event *e)
{
    struct account *a = p->account[e->from];
    bool is_good =
        e->msg->kind != MSG_HELLO || ((IS_MUTANT(w, any_name) || account_speaks_for(a, e->msg->name)) &&
                                      account_has_room(a, WORLD_NAMES_MAX, e->msg->name));

    w->result->unreadable += !is_good;
    return is_good;
}

/* Behaves like a controller without the safeguard. */
static void be_mutant(struct world *w, struct controller *c, const struct event *e)
{
    uint64_t term = e->kind != EV_MSG ? 0 : e->msg ? e->msg->term : e->rack->term;

    if (IS_MUTANT(w, no_term))
        hide_newer(e, c);
    if (IS_MUTANT(w, any_term) && c->role == ROLE_ACTIVE && term > c->term)
        c->role = ROLE_DEPOSED;
    if (IS_MUTANT(w, any_first_term) && c->role == ROLE_GATHER && term >> MSG_TERM_ID_BITS > c->counter)
        c->counter = term >> MSG_TERM_ID_BITS;
    if (IS_MUTANT(w, no_pause))
        c->caution = (struct caution){ .paused_until_us = 0 };
    if (IS_MUTANT(w, any_gap))
        for (uint32_t i = 0; i < c->peers; i++)
            c->peer[i].may_write |= c->peer[i].gap_us > 1000000;
}

static void handle_controller(struct world *w, struct proc *p, const struct event *e)
{
    uint64_t clock_us = world_clock(p, w->now_us);
    uint64_t before = p->control.c.term;

    be_mutant(w, &p->control.c, e);
    check_heard(w, p, e);
    if (e->kind == EV_MSG && p->control.c.role == ROLE_DEPOSED)
        return;                  /* it disconnects agents and relays */
    if (e->kind == EV_MSG && e->rack) {
        p->handing = e->from - w->agents - w->controllers;
        mux_on_rack(&p->mux[p->handing], e->rack, clock_us);
    } else if (e->kind == EV_MSG && admits(w, p, e))
        control_msg(&p->control, e->from, e->msg, clock_us);
    else if (e->kind == EV_TICK)
        control_tick(&p->control, clock_us);
    for (uint32_t i = 0; i < w->relays; i++)
        mux_flush(&p->mux[i]);
    w->result->terms += p->control.c.term != before;
}

static void handle_liar(struct world *w, struct proc *p, const struct event *e)
{
    if (e->kind == EV_TICK && !w->is_quiet)
        liar_on_tick(w, p, pass_lie);
    else if (e->kind == EV_MSG && e->msg)
        liar_on_msg(w, p, e->msg);
}

/* A relay that has not heard from its controller switches to the other. */
static void handle_relay(struct world *w, struct proc *p, const struct event *e)
{
    uint64_t clock_us = world_clock(p, w->now_us);

    if (e->kind == EV_MSG && e->rack && e->from == w->agents + p->up)
        relay_on_rack(&p->relay, e->rack, clock_us);
    else if (e->kind == EV_MSG && e->msg) {
        if (admits(w, p, e))
            relay_on_agent(&p->relay, e->from, e->msg, clock_us);
        if (world_chance(w, 0.5))
            relay_flush(&p->relay);
    } else if (e->kind == EV_TICK) {
        bool is_silent = clock_us > p->relay.heard_us + SILENCE_US;

        relay_on_tick(&p->relay, clock_us);
        if (is_silent) {
            p->up = (p->up + 1) % w->controllers;
            relay_on_up(&p->relay, clock_us);
        }
        w->result->relayed += p->relay.agents;
    }
}

void process_on_event(struct world *w, const struct event *e)
{
    struct proc *p = &w->proc[e->proc];

    if (!p->is_alive || (e->kind == EV_TICK && e->life != p->life) ||
        (e->kind == EV_TIMER && e->life != p->timer))
        return;
    run(w, p, p->is_agent ? handle_agent : p->is_relay ? handle_relay :
              p->is_liar ? handle_liar : handle_controller, e);
}
