#include "sim/partition.h"
#include "base/io/clock.h"
#include "sim/build.h"
#include "sim/parts/crossing.h"
#include "sim/parts/divide.h"
#include "sim/nic/flow.h"
#include "sim/parts/pace.h"
#include "sim/run.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROUND_PS    PS_PER_MS    /* longest round; after each, checks whether there is anything left to do */
#define ROUND_STEPS 256u         /* steps of the first round; later ones double at most */
#define STEPS_AHEAD 2            /* per look-ahead window: others can advance half-way (docs/perf.md) */
#define ROUND_ONE   128u         /* 'round' is a multiple of this plus the number of threads that run it */
#define SPINS       2000u        /* polls of another part's clock before yielding the processor */
#define YIELDS      50u

struct part {
    _Alignas(64) _Atomic uint64_t clock_ps;  /* all earlier events have run */
    atomic_flag      is_pulling;
    _Atomic uint32_t beat, sleepers;         /* beat: changes with the clock; futex word of sleepers */

    _Alignas(64) struct sim *sim;
    struct partition *all;
    uint32_t          index;
    uint64_t          mine_ps;   /* copy of clock_ps for the part itself */
    uint64_t          ahead_ps[PARTS_MAX];  /* minimum delay from each other part */
    uint64_t          step_ps;   /* interval at which it publishes its clock */
    struct gathered   gathered;
};

struct worker {                  /* a thread, and the parts it runs round robin */
    struct partition     *all;
    uint32_t              index;
    uint32_t              first, end;
    struct sim_thread time;
    pthread_t             thread;
    char                  apart[64];         /* padding: keeps workers in separate cache lines */
};

struct partition {
    _Alignas(64) _Atomic uint32_t round;     /* changes when there is work: see ROUND_ONE */
    char             apart[60];  /* padding: keeps 'round' apart from fields that change more often */
    struct sim      *whole;
    struct part     *part;
    struct gathered **gathered;  /* results by part */
    uint32_t         count;
    struct worker   *worker;
    uint32_t         workers, active;        /* active: threads of this round */
    struct pace      pace;
    uint32_t         rounds;
    uint64_t         round_ps;   /* largest length of the next round */
    struct ring     *ring;       /* [from * count + to] */
    uint64_t         end_ps;     /* end of the round, exclusive */
    _Atomic bool     is_over;
    _Atomic uint32_t busy;       /* threads that have not finished the round */
};

static struct ring *ring_of(const struct partition *all, uint32_t from, uint32_t to)
{
    return &all->ring[from * all->count + to];
}

/* ---- building ---- */

/* Determines from which other parts packets or signals may arrive, and after which delay. */
static void build_rings(struct partition *all, struct part *p)
{
    uint64_t signal_ps = traffic_signal_ps(all->whole->program.traffic), least = NEVER;

    for (uint32_t i = 0; i < all->count; i++) {
        if (i == p->index)
            continue;
        p->ahead_ps[i] = signal_ps < p->ahead_ps[i] ? signal_ps : p->ahead_ps[i];
        least = p->ahead_ps[i] < least ? p->ahead_ps[i] : least;
        if (p->ahead_ps[i] != NEVER)
            ring_build(ring_of(all, i, p->index), &p->sim->engine.packets, crossing_links(p->sim, i));
    }
    p->step_ps = least / STEPS_AHEAD > 0 ? least / STEPS_AHEAD : 1;
}

static void take_out(void *arg, const struct port *, uint32_t packet);

static void build_parts(struct partition *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct part *p = &all->part[i];

        p->all = all;
        p->index = i;
        p->sim = build_part(all->whole, i, all->count);
        crossing_build(p->sim, p->ahead_ps);
        p->sim->engine.border = (struct engine_border){ p, take_out };
        build_rings(all, p);
        p->gathered.sim = p->sim;
        all->gathered[i] = &p->gathered;
    }
}

/* Returns the length of the first round: a few steps, to measure their speed. */
static uint64_t first_round_ps(const struct partition *all)
{
    uint64_t step_ps = ROUND_PS;

    for (uint32_t i = 0; i < all->count; i++)
        step_ps = all->part[i].step_ps < step_ps ? all->part[i].step_ps : step_ps;
    return step_ps < ROUND_PS / ROUND_STEPS ? step_ps * ROUND_STEPS : ROUND_PS;
}

static void *work(void *arg);

int partition_new(struct sim *s, uint32_t count, uint32_t threads, struct err *err)
{
    struct partition *all = crossing_alloc(sizeof *all);

    all->whole = s;
    all->count = count;
    all->part = crossing_alloc(count * sizeof *all->part);
    all->gathered = xcalloc(count, sizeof(struct gathered *));
    all->ring = crossing_alloc((size_t)count * count * sizeof *all->ring);
    divide_world(s, count);
    build_parts(all);
    all->round_ps = first_round_ps(all);
    s->parts = all;
    all->worker = xcalloc(threads, sizeof *all->worker);
    for (uint32_t i = 0; i < threads; i++)
        all->worker[i] = (struct worker){ .all = all, .index = i };
    for (all->workers = 1; all->workers < threads; all->workers++)   /* worker 0 is the caller */
        if (pthread_create(&all->worker[all->workers].thread, NULL, work, &all->worker[all->workers]))
            return err_set(err, EAGAIN, "cannot start a thread, the %u-th", all->workers + 1);
    return 0;
}

void partition_free(struct partition *all)
{
    if (!all)
        return;
    atomic_store(&all->is_over, true);
    atomic_fetch_add(&all->round, 1);
    nap_wake(&all->round);
    for (uint32_t i = 1; i < all->workers; i++)
        pthread_join(all->worker[i].thread, NULL);
    free(all->worker);
    for (uint32_t i = 0; i < all->count; i++) {
        struct part *p = &all->part[i];

        build_free_part(p->sim);
        gather_free(&p->gathered);
    }
    for (uint32_t i = 0; i < all->count * all->count; i++)
        ring_free(&all->ring[i]);
    free(all->ring);
    free(all->gathered);
    free(all->part);
    free(all);
}

uint32_t partition_count(const struct partition *all)
{
    return all->count;
}

uint32_t partition_threads(const struct partition *all)
{
    return all->workers;
}

struct sim_thread partition_time(const struct partition *all, uint32_t thread)
{
    const struct worker *w = &all->worker[thread];
    struct sim_thread t = w->time;

    for (uint32_t i = all->count * thread / all->workers; i < all->count * (thread + 1) / all->workers; i++)
        t.events += all->part[i].sim->engine.counters.events;
    return t;
}

uint32_t partition_parts(const struct sim *s)
{
    return s->parts ? partition_count(s->parts) : 1;
}

struct sim *partition_part(const struct sim *s, uint32_t i)
{
    return s->parts ? s->parts->part[i].sim : (struct sim *)s;
}

struct sim *partition_of_node(struct sim *s, uint32_t node)
{
    return partition_part(s, s->net.node[node].part);
}

/* ---- crossing links ---- */

/* Receives packets for a part. Only one thread at a time may do so: another thread may help a part that has
 * finished its round (see await_room()). */
static void pull(struct part *p)
{
    while (atomic_flag_test_and_set_explicit(&p->is_pulling, memory_order_acquire))
        sched_yield();
    for (uint32_t i = 0; i < p->all->count; i++)
        if (p->ahead_ps[i] != NEVER)
            crossing_take(p->sim, ring_of(p->all, i, p->index));
    atomic_flag_clear_explicit(&p->is_pulling, memory_order_release);
}

/* Receives packets for all parts of this thread. A waiting thread must not block others that wait for room in
 * a ring, least of all itself. */
static void pull_all(const struct part *p)
{
    struct partition *all = p->all;

    for (uint32_t i = 0; i < all->active; i++)
        if (p->index >= all->worker[i].first && p->index < all->worker[i].end)
            for (uint32_t k = all->worker[i].first; k < all->worker[i].end; k++)
                pull(&all->part[k]);
}

/* The ring to part 'to' is full: waits until its reader takes entries out. If the reader is this thread, or
 * has finished the round, takes them out here. */
static void await_room(struct part *p, uint32_t to)
{
    const struct ring *r = ring_of(p->all, p->index, to);

    while (!ring_has_room(r)) {
        if (atomic_load_explicit(&p->all->part[to].clock_ps, memory_order_acquire) >= p->all->end_ps)
            pull(&p->all->part[to]);
        pull_all(p);
        sched_yield();
    }
}

/* Returns the ring to part 'to', with room for an entry. */
static struct ring *find_ring(struct part *p, uint32_t to)
{
    struct ring *r = ring_of(p->all, p->index, to);

    if (__builtin_expect(!ring_has_room(r), 0))
        await_room(p, to);
    return r;
}

/* Passes a packet that a port has sent to another part. */
static void take_out(void *arg, const struct port *port, uint32_t id)
{
    struct part        *p = arg;
    struct packet_pool *packets = &p->sim->engine.packets;

    ring_put_packet(find_ring(p, port->peer_part), packets, id);
    packet_free(packets, id);
}

static void push_signals(struct part *p)
{
    struct program *program = &p->sim->program;

    for (uint32_t i = 0; i < program->made_count; i++)
        for (uint32_t to = 0; to < p->all->count; to++)
            if (to != p->index)
                ring_put_signal(find_ring(p, to), &program->made[i]);
    program->made_count = 0;
}

/* ---- running ---- */

static double clock_s(void)
{
    return (double)clock_us() / 1e6;
}

/* Returns how far this part may advance, and the part whose clock limits it. */
static uint64_t horizon(const struct part *p, uint32_t *slowest)
{
    uint64_t least = p->all->end_ps;

    *slowest = p->index;
    for (uint32_t i = 0; i < p->all->count; i++) {
        if (p->ahead_ps[i] == NEVER)
            continue;
        uint64_t ps = atomic_load_explicit(&p->all->part[i].clock_ps, memory_order_acquire);
        ps = ps > UINT64_MAX - p->ahead_ps[i] ? UINT64_MAX : ps + p->ahead_ps[i];
        if (ps < least) {
            least = ps;
            *slowest = i;
        }
    }
    return least;
}

static void set_clock(struct part *p, uint64_t ps)
{
    p->mine_ps = ps;
    atomic_store_explicit(&p->clock_ps, ps, memory_order_release);
    atomic_fetch_add(&p->beat, 1);
    if (atomic_load(&p->sleepers))
        nap_wake(&p->beat);
}

/* Hint to the processor in a spin loop. */
static void relax(void)
{
#if defined(__aarch64__)
    __asm__ volatile("yield");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits until the clock of 'slowest' is later than 'was_ps': spins, then yields, then sleeps. */
static void await_clock(struct part *slowest, uint64_t was_ps, struct part *me)
{
    for (uint32_t i = 0; atomic_load_explicit(&slowest->clock_ps, memory_order_acquire) == was_ps; i++) {
        uint32_t beat = atomic_load(&slowest->beat);

        if (i < SPINS) {
            relax();
        } else if (i < SPINS + YIELDS) {
            pull_all(me);        /* a ring to us may be full */
            sched_yield();
        } else if (atomic_load(&slowest->clock_ps) == was_ps) {
            pull_all(me);
            atomic_fetch_add(&slowest->sleepers, 1);
            nap_while(&slowest->beat, beat);
            atomic_fetch_sub(&slowest->sleepers, 1);
        }
    }
}

/* Runs a part until the clocks of the others, or a limit, stop it. Returns false if it cannot advance. */
static bool step(struct part *p)
{
    uint32_t slowest;
    uint64_t to_ps = horizon(p, &slowest);

    if (to_ps <= p->mine_ps)
        return false;
    if (to_ps - p->mine_ps > p->step_ps)
        to_ps = p->mine_ps + p->step_ps;
    pull(p);
    run_part(p->sim, to_ps - 1);
    push_signals(p);
    set_clock(p, to_ps);
    return true;
}

/* None of a thread's parts can advance: waits for the clock that blocks one of them. */
static void await_others(struct worker *w)
{
    for (uint32_t i = w->first; i < w->end; i++) {
        struct part *p = &w->all->part[i];
        uint32_t     slowest;

        if (p->mine_ps >= w->all->end_ps || horizon(p, &slowest) > p->mine_ps)
            continue;
        struct part *other = &w->all->part[slowest];
        uint64_t was_ps = atomic_load(&other->clock_ps);
        if (was_ps + p->ahead_ps[slowest] <= p->mine_ps && (slowest < w->first || slowest >= w->end)) {
            await_clock(other, was_ps, p);
            return;
        }
    }
}

/* Runs a thread's parts round robin until the end of the round. */
static void run_parts(struct worker *w)
{
    struct partition *all = w->all;
    double            at_s = clock_s();

    for (;;) {
        uint32_t steps = 0, done = 0;

        for (uint32_t i = w->first; i < w->end; i++)
            if (all->part[i].mine_ps < all->end_ps)
                steps += step(&all->part[i]);
            else
                done++;
        if (done == w->end - w->first)
            break;
        if (!steps)
            await_others(w);
        double now_s = clock_s();
        *(steps ? &w->time.work_s : &w->time.wait_s) += now_s - at_s;
        w->time.windows += steps;
        at_s = now_s;
    }
    if (atomic_fetch_sub(&all->busy, 1) == 1)
        nap_wake(&all->busy);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct partition *all = w->all;
    uint32_t       seen = 0;

    for (;;) {
        uint32_t round;

        for (uint32_t i = 0; (round = atomic_load(&all->round)) == seen; i++)
            if (i > SPINS)
                nap_while(&all->round, seen);
            else
                relax();
        seen = round;
        if (atomic_load(&all->is_over))
            return NULL;
        if (w->index < round % ROUND_ONE)      /* not all->round, which may have changed since */
            run_parts(w);
    }
}

/* ---- before and after a round ---- */

/* Returns the time of the first event of any part. All rings are empty. */
static uint64_t next_ps(const struct partition *all)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t i = 0; i < all->count; i++) {
        uint64_t ps = evq_next_ps(&all->part[i].sim->engine.evq);

        next = ps < next ? ps : next;
    }
    return next;
}

/* Assigns the parts to the threads of a round. */
static void choose_workers(struct partition *all)
{
    all->active = pace_choose_one(&all->pace) ? 1 : all->workers;
    for (uint32_t i = 0; i < all->active; i++) {
        all->worker[i].first = all->count * i / all->active;
        all->worker[i].end = all->count * (i + 1) / all->active;
    }
}

/* Returns the work of all threads and parts so far. */
static struct pace_round done_so_far(const struct partition *all)
{
    struct pace_round r = { .took_s = clock_s(), .threads = all->active };

    for (uint32_t i = 0; i < all->count; i++)
        r.events += all->part[i].sim->engine.counters.events;
    for (uint32_t i = 0; i < all->workers; i++) {
        r.steps += all->worker[i].time.windows;
        r.wait_s += all->worker[i].time.wait_s;
    }
    return r;
}

static void keep_pace(struct partition *all, const struct pace_round *before)
{
    struct pace_round r = done_so_far(all);

    r.took_s -= before->took_s;
    r.events -= before->events;
    r.steps -= before->steps;
    r.wait_s -= before->wait_s;
    pace_keep(&all->pace, &r);
}

static void run_round(struct partition *all, uint64_t from_ps, uint64_t end_ps)
{
    struct pace_round before = done_so_far(all);

    choose_workers(all);
    all->end_ps = end_ps;
    for (uint32_t i = 0; i < all->count; i++) {
        struct part *p = &all->part[i];

        p->mine_ps = from_ps;
        atomic_store(&p->clock_ps, from_ps);
        gather_begin(&p->gathered, p->sim, &all->whole->engine.hooks);
    }
    atomic_store(&all->busy, all->active);
    all->rounds++;
    atomic_store(&all->round, all->rounds * ROUND_ONE + all->active);
    if (all->active > 1)
        nap_wake(&all->round);
    run_parts(&all->worker[0]);
    for (uint32_t i = 0, busy; (busy = atomic_load(&all->busy)) != 0; i++)
        if (i > SPINS)
            nap_while(&all->busy, busy);
        else
            relax();
    for (uint32_t i = 0; i < all->count; i++)
        pull(&all->part[i]);
    keep_pace(all, &before);
}

/* Fails the run if all parts together have more flows than one part may have. Each part has memory for all of
 * them, so that the limit does not depend on the number of parts. */
static void check_flows(const struct partition *all)
{
    uint64_t under_way = 0, most = all->whole->flows.limit / all->count - 1;

    for (uint32_t i = 0; i < all->count; i++) {
        const struct sim_counters *c = &all->part[i].sim->engine.counters;

        under_way += c->flows_started - c->flows_done;
    }
    if (under_way > most)
        flow_fail(&all->whole->engine, most);
}

/* Returns true if a part, and thus the world, has failed. The lowest-numbered one gives the reason. */
static bool has_failed(const struct partition *all)
{
    check_flows(all);
    if (all->whole->engine.has_failed)
        return true;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct engine *e = &all->part[i].sim->engine;

        if (e->has_failed) {
            engine_fail(&all->whole->engine, e->failure_code, "%s", e->failure.text);
            return true;
        }
    }
    return false;
}

static void set_clocks(struct sim *s, uint64_t now_ps)
{
    const struct partition *all = s->parts;

    s->engine.now_ps = now_ps;
    s->engine.order = UINT64_MAX;
    for (uint32_t i = 0; i < all->count; i++) {
        all->part[i].sim->engine.now_ps = now_ps;
        all->part[i].sim->engine.order = UINT64_MAX;
    }
}

bool partition_run_until(struct sim *s, uint64_t until_ps)
{
    struct partition *all = s->parts;
    uint64_t          from_ps, last_ps = s->engine.now_ps;

    while (!has_failed(all) && (from_ps = next_ps(all)) <= until_ps && from_ps != UINT64_MAX) {
        run_round(all, from_ps, until_ps - from_ps < all->round_ps ? until_ps + 1 : from_ps + all->round_ps);
        all->round_ps = all->round_ps < ROUND_PS / 2 ? 2 * all->round_ps : ROUND_PS;
        gather_report(all->gathered, all->count, &s->engine.hooks);
        traffic_tell(s->program.traffic);
    }
    gather_sums(s, all->gathered, all->count);
    for (uint32_t i = 0; i < all->count; i++)
        last_ps = all->part[i].sim->engine.now_ps > last_ps ? all->part[i].sim->engine.now_ps : last_ps;
    if (s->engine.has_failed)
        return false;
    set_clocks(s, next_ps(all) == UINT64_MAX ? last_ps : until_ps);
    return next_ps(all) != UINT64_MAX;
}
