#include "sim/partition.h"
#include "traffic/traffic.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUND_PS    PS_PER_MS    /* then it is looked whether there is anything left to do */
#define PORTS_PER_PART 2048u     /* about as many as fit a cache of 1 MB: docs/perf.md */
#define PARTS_EACH  2u           /* of one thread at most: each costs memory for the slots of all ports */
#define STEPS_AHEAD 2            /* one has come half way, the other may go on: less waiting (docs/perf.md) */
#define EVENTS_ENOUGH   10000u   /* of a round, to tell how fast it was */
#define TRY_OTHER_AFTER 16u      /* rounds */
#define WAIT_MUCH       0.35     /* of the time */
#define ROUND_ONE   128u         /* the number of a round counts in these: how many do it fits below */
#define RING_SIZE   (1u << 14)
#define SPINS       2000u        /* looks at another's clock before the processor is given away */
#define YIELDS      50u
#define NAP_NS      1000000      /* a waker that is missed costs no more than this */

/* A packet, or a signal, that crosses. */
struct crossing {
    union { struct packet packet; struct signal signal; };
    struct lb_tag tag;
    uint64_t at_ps, order;
    uint32_t port;               /* that sent it; IS_SIGNAL: it is a signal */
};

#define IS_SIGNAL UINT32_MAX

struct ring {                    /* one writer, one reader; numbers go round */
    _Alignas(64) _Atomic uint32_t put;
    _Alignas(64) _Atomic uint32_t got;
    struct crossing *slot;       /* NULL: no link leads there */
};

/* What is told when the run is at rest, in the order of events. */
struct told {
    uint64_t at_ps, order;
    bool     is_flow;
    union { struct flow_result flow; struct pfc_result pfc; };
};

struct part {
    _Alignas(64) _Atomic uint64_t clock_ps;  /* all before has happened */
    atomic_flag      is_pulling;
    _Atomic uint32_t beat, sleepers;         /* beat: changes with the clock; for those who sleep until it does */

    _Alignas(64) struct sim *sim;
    struct partition *all;
    uint32_t      index;
    uint64_t      mine_ps;       /* clock_ps, without asking */
    uint32_t     *out, outs;     /* ports that send to other parts */
    uint32_t     *stays;         /* of each: the packet at the head of its list */
    struct port  *in;            /* wires of what comes from other parts */
    uint32_t     *in_of;         /* by sending port: which of them */
    uint32_t      ins;
    uint64_t      ahead_ps[PARTS_MAX];       /* from each other part: nothing arrives sooner */
    uint64_t      step_ps;       /* after which the others are told how far it has come */
    struct told  *told;
    uint32_t      told_count, told_max;
    struct arena  arena;
};

struct worker {                  /* a thread, and the parts it runs in turn */
    struct partition     *all;
    uint32_t          index;
    uint32_t          first, end;
    struct partition_time time;
    pthread_t         thread;
    char              apart[64]; /* from the next */
};

struct pace { double s_per_event; bool is_known; };

struct partition {
    _Alignas(64) _Atomic uint32_t round;     /* changes when there is work: its number and how many are to do it */
    char             apart[60];  /* from what changes more often */
    struct sim      *whole;
    struct part     *part;
    uint32_t         count;
    struct worker   *worker;
    uint32_t         workers, active;        /* active: of this round */
    struct pace      one, many;  /* what an event has cost one thread, and all of them together */
    uint32_t         rounds;
    uint32_t         rounds_same;            /* since the last change between the two */
    double           wait_share; /* of the time of the last rounds of many */
    struct ring     *ring;       /* [from * count + to] */
    uint64_t         end_ps;     /* of the round: first moment not run */
    _Atomic bool     is_over;
    _Atomic uint32_t busy;       /* threads that have not come to the end of the round */
};

static struct ring *ring_of(const struct partition *all, uint32_t from, uint32_t to)
{
    return &all->ring[from * all->count + to];
}

/* ---- who gets what ---- */

/* How much there is to do at a node. What a host sends passes its own switch, one in between and one at the
 * receiver, and as much comes in on average: three parts for the host and the switch it is at, one for those in
 * between, by the rates of their links. */
static double *weigh(const struct sim *s)
{
    double   *weight = xcalloc(s->nodes + 1ul, sizeof *weight), sent = 0, between = 0;
    uint64_t *rate_bps = xcalloc(s->nodes + 1ul, sizeof *rate_bps);

    for (uint32_t i = 0; i < s->hosts; i++)
        rate_bps[s->host[i].node] = s->port[s->host[i].port].rate_bps;
    traffic_weigh(s->traffic, rate_bps, weight);
    for (uint32_t i = 0; i < s->hosts; i++) {
        double *w = &weight[s->host[i].node];

        *w += (double)rate_bps[s->host[i].node] / 100;       /* everybody may receive */
        sent += *w;
        *w *= 3;
    }
    for (uint32_t i = 0; i < s->ports; i++)
        between += s->port[i].is_switch && s->port[i].peer->is_switch ? (double)s->port[i].rate_bps : 0;
    for (uint32_t i = 0; i < s->ports && between > 0; i++)
        if (s->port[i].is_switch && s->port[i].peer->is_switch)
            weight[s->port[i].node->id] += sent * (double)s->port[i].rate_bps / between;
    free(rate_bps);
    return weight;
}

/* A switch with its hosts: 1 + the switch, for each of them; 0 for other nodes. */
static uint32_t *find_racks(const struct sim *s, uint32_t *count)
{
    uint32_t *rack = xcalloc(s->nodes + 1ul, sizeof *rack);

    *count = 0;
    for (uint32_t i = 0; i < s->hosts; i++) {
        const struct node *peer = s->port[s->host[i].port].peer->node;

        if (!rack[peer->id])
            ++*count;
        rack[s->host[i].node] = rack[peer->id] = peer->id + 1;
    }
    return rack;
}

uint32_t partition_of(const struct sim *s, uint32_t threads)
{
    uint32_t racks, parts = s->ports / PORTS_PER_PART;

    free(find_racks(s, &racks));
    if (s->cfg.order == ORDER_NS3)
        return 1;                /* needs one number for all events, and one stream of random numbers */
    parts = parts < PARTS_EACH * threads ? parts : PARTS_EACH * threads;
    parts = (parts + threads - 1) / threads * threads;       /* as many for every thread */
    parts = parts < threads ? threads : parts;
    parts = parts < s->cfg.parts ? s->cfg.parts : parts;
    parts = parts < racks ? parts : racks;
    parts = parts < PARTS_MAX ? parts : PARTS_MAX;
    return parts ? parts : 1;
}

/* The part that a switch without hosts is linked to most, unless that has its share already; of equals, the one
 * with the least to do. */
static uint32_t choose_part(const struct sim *s, uint32_t node, const bool *is_placed, const double *load,
                            double share, uint32_t count)
{
    double   linked[PARTS_MAX] = { 0 };
    uint32_t best = 0;

    for (uint32_t i = 0; i < s->node[node].ports; i++) {
        const struct port *p = &s->port[s->node[node].first_port + i];

        if (is_placed[p->peer->node->id])
            linked[p->peer->node->part] += (double)p->rate_bps;
    }
    for (uint32_t i = 0; i < count; i++)
        if (load[i] >= share)
            linked[i] = -1;
    for (uint32_t i = 1; i < count; i++)
        if (linked[i] > linked[best] || (linked[i] == linked[best] && load[i] < load[best]))
            best = i;
    return best;
}

/* Racks in their order, each part as many as make up its share; then the other switches. */
static void divide(struct sim *s, uint32_t count)
{
    double   *weight = weigh(s), load[PARTS_MAX] = { 0 }, racks_weight = 0, all = 0, sum = 0;
    uint32_t  racks, *rack = find_racks(s, &racks);
    bool     *is_placed = xcalloc(s->nodes + 1ul, sizeof *is_placed);
    double   *rack_weight = xcalloc(s->nodes + 1ul, sizeof *rack_weight);

    for (uint32_t n = 0; n < s->nodes; n++) {
        all += weight[n];
        if (rack[n])
            rack_weight[rack[n] - 1] += weight[n], racks_weight += weight[n];
    }
    for (uint32_t n = 0; n < s->nodes; n++)
        if (rack_weight[n] > 0) {        /* n is the switch */
            uint32_t part = (uint32_t)((sum + rack_weight[n] / 2) / racks_weight * count);

            s->node[n].part = (uint8_t)(part < count ? part : count - 1);
            load[s->node[n].part] += rack_weight[n];
            sum += rack_weight[n];
            is_placed[n] = true;
        }
    for (uint32_t n = 0; n < s->nodes; n++)
        if (rack[n])
            s->node[n].part = s->node[rack[n] - 1].part;
    for (uint32_t n = 0; n < s->nodes; n++)
        if (!rack[n]) {
            s->node[n].part = (uint8_t)choose_part(s, n, is_placed, load, all / count, count);
            load[s->node[n].part] += weight[n];
            is_placed[n] = true;
        }
    free(rack_weight);
    free(is_placed);
    free(rack);
    free(weight);
}

static void divide_traffic(struct sim *s, uint32_t count)
{
    uint8_t *part = xcalloc(s->nodes + 1ul, sizeof *part);

    for (uint32_t i = 0; i < s->nodes; i++)
        part[i] = s->node[i].part;
    traffic_divide(s->traffic, part, count);
    free(part);
}

/* ---- building ---- */

/* The least time in which anything gets over a link. */
static uint64_t crossing_ps(const struct sim *s, const struct port *p)
{
    uint32_t least = s->cfg.header_bytes + 1;

    least = s->cfg.ack_bytes < least ? s->cfg.ack_bytes : least;
    least = s->cfg.cnp_bytes < least ? s->cfg.cnp_bytes : least;
    least = s->cfg.pfc_bytes < least ? s->cfg.pfc_bytes : least;
    return p->delay_ps + p->tx_ps[least];
}

static void build_out(struct part *p, struct port *port)
{
    uint32_t id = packet_new(&p->sim->packets);

    p->sim->packets.packet[id].next = 0;
    port->wire_head = port->wire_tail = id;
    p->stays[p->outs] = id;
    p->out[p->outs++] = port->id;
}

/* A wire of its own for what 'from' sends; in this part's events it takes the place of that port. */
static void build_in(struct part *p, const struct port *from)
{
    struct port *wire = &p->in[p->ins];

    *wire = *from;
    wire->wire_head = wire->wire_tail = 0;
    p->in_of[from->id] = p->ins++;
    sim_own_wire(p->sim, from->id, wire);
}

static void build_links(struct partition *all, struct part *p)
{
    struct sim *s = all->whole;
    uint64_t    least = NEVER;

    p->out = xcalloc(s->ports + 1ul, sizeof *p->out);
    p->stays = xcalloc(s->ports + 1ul, sizeof *p->stays);
    p->in_of = xcalloc(s->ports + 1ul, sizeof *p->in_of);
    for (uint32_t i = 0; i < s->ports; i++)
        p->ins += s->port[i].node->part != p->index && s->port[i].peer->node->part == p->index;
    p->in = arena_alloc(&p->arena, p->ins + 1ul, sizeof *p->in);
    p->ins = 0;
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        p->ahead_ps[i] = UINT64_MAX;
    for (uint32_t i = 0; i < s->ports; i++) {
        struct port *port = &s->port[i];
        uint32_t     from = port->node->part, to = port->peer->node->part;
        uint64_t     ps = crossing_ps(s, port);

        if (from == to)
            continue;
        if (from == p->index)
            build_out(p, port);
        if (to == p->index) {
            build_in(p, port);
            p->ahead_ps[from] = ps < p->ahead_ps[from] ? ps : p->ahead_ps[from];
        }
    }
    for (uint32_t i = 0; i < all->count; i++) {
        uint64_t signal_ps = traffic_signal_ps(s->traffic);

        if (i == p->index)
            continue;
        p->ahead_ps[i] = signal_ps < p->ahead_ps[i] ? signal_ps : p->ahead_ps[i];
        least = p->ahead_ps[i] < least ? p->ahead_ps[i] : least;
        if (p->ahead_ps[i] != NEVER)
            ring_of(all, i, p->index)->slot = xcalloc(RING_SIZE, sizeof(struct crossing));
    }
    p->step_ps = least / STEPS_AHEAD > 0 ? least / STEPS_AHEAD : 1;
}

static void on_flow_done(void *arg, const struct flow_result *r);
static void on_pfc(void *arg, const struct pfc_result *r);
static void *work(void *arg);

void partition_new(struct sim *s, uint32_t count, uint32_t threads)
{
    struct partition *all = aligned_alloc(64, (sizeof *all + 63) / 64 * 64);

    if (!all)
        die("out of memory");
    memset(all, 0, sizeof *all);
    all->whole = s;
    all->count = count;
    all->part = aligned_alloc(64, count * sizeof *all->part);
    all->ring = aligned_alloc(64, (size_t)count * count * sizeof *all->ring);
    if (!all->part || !all->ring)
        die("out of memory");
    memset(all->part, 0, count * sizeof *all->part);
    memset(all->ring, 0, (size_t)count * count * sizeof *all->ring);
    divide(s, count);
    divide_traffic(s, count);
    for (uint32_t i = 0; i < count; i++) {
        struct part *p = &all->part[i];

        p->all = all;
        p->index = i;
        arena_init(&p->arena, 1ul << 30);
        p->sim = sim_new_part(s, &p->arena, i, count);
        p->sim->siblings = all;
        build_links(all, p);
    }
    s->parts = all;
    all->workers = threads;
    all->worker = xcalloc(threads, sizeof *all->worker);
    for (uint32_t i = 0; i < threads; i++)
        all->worker[i] = (struct worker){ .all = all, .index = i };
    for (uint32_t i = 1; i < threads; i++)       /* the first is whoever asks for a run */
        if (pthread_create(&all->worker[i].thread, NULL, work, &all->worker[i]))
            die("cannot start a thread");
}

static void wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Sleeps while *word is 'is', or for a moment. */
static void nap(_Atomic uint32_t *word, uint32_t is)
{
    struct timespec moment = { 0, NAP_NS };

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, &moment, NULL, 0);
}

void partition_free(struct partition *all)
{
    if (!all)
        return;
    atomic_store(&all->is_over, true);
    atomic_fetch_add(&all->round, 1);
    wake(&all->round);
    for (uint32_t i = 1; i < all->workers; i++)
        pthread_join(all->worker[i].thread, NULL);
    free(all->worker);
    for (uint32_t i = 0; i < all->count; i++) {
        struct part *p = &all->part[i];

        sim_free_part(p->sim);
        arena_fini(&p->arena);
        free(p->out);
        free(p->stays);
        free(p->in_of);
        free(p->told);
    }
    for (uint32_t i = 0; i < all->count * all->count; i++)
        free(all->ring[i].slot);
    free(all->ring);
    free(all->part);
    free(all);
}

struct sim *partition_sim(const struct partition *all, uint32_t part)
{
    return all->part[part].sim;
}

uint32_t partition_count(const struct partition *all)
{
    return all->count;
}

uint32_t partition_threads(const struct partition *all)
{
    return all->workers;
}

struct partition_time partition_time(const struct partition *all, uint32_t thread)
{
    const struct worker *w = &all->worker[thread];
    struct partition_time    t = w->time;

    for (uint32_t i = all->count * thread / all->workers; i < all->count * (thread + 1) / all->workers; i++)
        t.events += all->part[i].sim->counters.events;
    return t;
}

/* ---- over the links ---- */

/* Takes what has come from other parts; it arrives at or after this part's clock. */
static void pull_from(struct part *p, struct ring *r)
{
    struct sim *s = p->sim;
    uint32_t    got = atomic_load_explicit(&r->got, memory_order_relaxed);
    uint32_t    put = atomic_load_explicit(&r->put, memory_order_acquire);

    for (; got != put; got++) {
        const struct crossing *c = &r->slot[got % RING_SIZE];
        uint32_t               id;
        struct packet         *k;
        struct port           *wire;

        if (c->port == IS_SIGNAL) {
            sim_add_signal(s, &c->signal);
            continue;
        }
        id = packet_new(&s->packets);
        k = &s->packets.packet[id];
        wire = &p->in[p->in_of[c->port]];
        *k = c->packet;
        if (s->packets.tag)
            s->packets.tag[id] = c->tag;
        k->next = 0;
        if (wire->wire_head) {
            struct packet *tail = &s->packets.packet[wire->wire_tail];

            tail->next = id;
            tail->next_at_ps = c->at_ps;
            tail->next_order = c->order;
        } else {
            wire->wire_head = id;
            s->evq.slot[sim_slot_arrive(wire)].hint = id;
            evq_add(&s->evq, sim_slot_arrive(wire), c->at_ps, c->order);
        }
        wire->wire_tail = id;
    }
    atomic_store_explicit(&r->got, got, memory_order_release);
}

/* One at a time: a part that is through with its round may be helped (see put()). */
static void pull(struct part *p)
{
    while (atomic_flag_test_and_set_explicit(&p->is_pulling, memory_order_acquire))
        sched_yield();
    for (uint32_t i = 0; i < p->all->count; i++)
        if (p->ahead_ps[i] != UINT64_MAX)
            pull_from(p, ring_of(p->all, i, p->index));
    atomic_flag_clear_explicit(&p->is_pulling, memory_order_release);
}

/* Takes what has come for any part of the thread that runs this one: whoever waits must not keep others waiting
 * for room, least of all itself. */
static void pull_all(const struct part *p)
{
    struct partition *all = p->all;

    for (uint32_t i = 0; i < all->active; i++)
        if (p->index >= all->worker[i].first && p->index < all->worker[i].end)
            for (uint32_t k = all->worker[i].first; k < all->worker[i].end; k++)
                pull(&all->part[k]);
}

/* The place for what goes to part 'to' next; put_done() lets it go. */
static struct crossing *put(struct part *p, uint32_t to)
{
    struct ring *r = ring_of(p->all, p->index, to);
    uint32_t     put = atomic_load_explicit(&r->put, memory_order_relaxed);

    /* Full: its reader takes it out, which may be this very thread; one that has come to the end of the round
     * looks no more, so it is done here. */
    while (put - atomic_load_explicit(&r->got, memory_order_acquire) == RING_SIZE) {
        if (atomic_load_explicit(&p->all->part[to].clock_ps, memory_order_acquire) >= p->all->end_ps)
            pull(&p->all->part[to]);
        pull_all(p);
        sched_yield();
    }
    return &r->slot[put % RING_SIZE];
}

static void put_done(struct part *p, uint32_t to)
{
    struct ring *r = ring_of(p->all, p->index, to);

    atomic_store_explicit(&r->put, atomic_load_explicit(&r->put, memory_order_relaxed) + 1, memory_order_release);
}

static void put_packet(struct part *p, const struct port *port, uint32_t id, uint64_t at_ps, uint64_t order)
{
    uint32_t          to = port->peer->node->part;
    struct crossing  *c = put(p, to);
    const struct sim *s = p->sim;

    c->packet = s->packets.packet[id];
    if (s->packets.tag)
        c->tag = s->packets.tag[id];
    c->at_ps = at_ps;
    c->order = order;
    c->port = port->id;
    put_done(p, to);
}

void partition_send_signal(const struct sim *s, const struct signal *signal)
{
    struct part *p = &s->siblings->part[s->part];

    for (uint32_t i = 0; i < p->all->count; i++)
        if (i != p->index) {
            struct crossing *c = put(p, i);

            c->signal = *signal;
            c->port = IS_SIGNAL;
            put_done(p, i);
        }
}

/* Hands over what has been sent to other parts. */
static void push(struct part *p)
{
    struct sim *s = p->sim;

    for (uint32_t i = 0; i < p->outs; i++) {
        struct port   *port = &s->port[p->out[i]];
        struct packet *head = &s->packets.packet[p->stays[i]];
        uint64_t       at_ps = head->next_at_ps, order = head->next_order;

        if (port->wire_tail == p->stays[i])
            continue;
        for (uint32_t id = head->next, next; id; id = next) {
            struct packet *k = &s->packets.packet[id];

            next = k->next;
            put_packet(p, port, id, at_ps, order);
            at_ps = k->next_at_ps;
            order = k->next_order;
            packet_free(&s->packets, id);
        }
        head->next = 0;
        port->wire_tail = p->stays[i];
    }
}

/* ---- running ---- */

static double clock_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* How far this part may go, and whose clock keeps it from going further. */
static uint64_t horizon(const struct part *p, uint32_t *slowest)
{
    uint64_t least = p->all->end_ps;

    *slowest = p->index;
    for (uint32_t i = 0; i < p->all->count; i++) {
        uint64_t ps;

        if (p->ahead_ps[i] == UINT64_MAX)
            continue;
        ps = atomic_load_explicit(&p->all->part[i].clock_ps, memory_order_acquire);
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
        wake(&p->beat);
}

/* Until 'slowest' has a clock later than 'was_ps': looks again and again, then lets others have the processor,
 * then sleeps. */
static void await_clock(struct part *slowest, uint64_t was_ps, struct part *me)
{
    for (uint32_t i = 0; atomic_load_explicit(&slowest->clock_ps, memory_order_acquire) == was_ps; i++) {
        uint32_t beat = atomic_load(&slowest->beat);

        if (i < SPINS) {
#if defined(__aarch64__)
            __asm__ volatile("yield");
#elif defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        } else if (i < SPINS + YIELDS) {
            pull_all(me);        /* a ring to us may be full */
            sched_yield();
        } else if (atomic_load(&slowest->clock_ps) == was_ps) {
            pull_all(me);
            atomic_fetch_add(&slowest->sleepers, 1);
            nap(&slowest->beat, beat);
            atomic_fetch_sub(&slowest->sleepers, 1);
        }
    }
}

/* Goes on with a part as far as the others' clocks allow, and not too far; false: they do not. */
static bool step(struct part *p)
{
    uint32_t slowest;
    uint64_t to_ps = horizon(p, &slowest);

    if (to_ps <= p->mine_ps)
        return false;
    if (to_ps - p->mine_ps > p->step_ps)
        to_ps = p->mine_ps + p->step_ps;
    pull(p);
    sim_run_part(p->sim, to_ps - 1);
    push(p);
    set_clock(p, to_ps);
    return true;
}

/* None of a thread's parts may go on: waits for the clock that holds one of them up. */
static void await_others(struct worker *w)
{
    for (uint32_t i = w->first; i < w->end; i++) {
        struct part *p = &w->all->part[i], *other;
        uint32_t     slowest;
        uint64_t     was_ps;

        if (p->mine_ps >= w->all->end_ps || horizon(p, &slowest) > p->mine_ps)
            continue;
        other = &w->all->part[slowest];
        was_ps = atomic_load(&other->clock_ps);
        if (was_ps + p->ahead_ps[slowest] <= p->mine_ps && (slowest < w->first || slowest >= w->end)) {
            await_clock(other, was_ps, p);
            return;
        }
    }
}

/* A thread's share of a round: its parts in turn. */
static void run_parts(struct worker *w)
{
    struct partition *all = w->all;
    double        at_s = clock_s(), now_s;

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
        now_s = clock_s();
        *(steps ? &w->time.work_s : &w->time.wait_s) += now_s - at_s;
        w->time.windows += steps;
        at_s = now_s;
    }
    if (atomic_fetch_sub(&all->busy, 1) == 1)
        wake(&all->busy);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct partition  *all = w->all;
    uint32_t       seen = 0;

    for (;;) {
        uint32_t round;

        for (uint32_t i = 0; (round = atomic_load(&all->round)) == seen; i++)
            if (i > SPINS)
                nap(&all->round, seen);
        seen = round;
        if (atomic_load(&all->is_over))
            return NULL;
        if (w->index < round % ROUND_ONE)      /* read at once: the next round may have begun meanwhile */
            run_parts(w);
    }
}

/* ---- before and after a round ---- */

static void keep(struct part *p, const struct told *t)
{
    if (p->told_count == p->told_max) {
        p->told_max = p->told_max ? 2 * p->told_max : 1024;
        p->told = xrealloc(p->told, p->told_max * sizeof *p->told);
    }
    p->told[p->told_count++] = *t;
}

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct part *p = arg;

    keep(p, &(struct told){ .at_ps = p->sim->now_ps, .order = p->sim->order, .is_flow = true, .flow = *r });
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct part *p = arg;

    keep(p, &(struct told){ .at_ps = p->sim->now_ps, .order = p->sim->order, .pfc = *r });
}

/* Tells what the parts have kept, in the order of events. */
static void tell(struct partition *all)
{
    const struct sim_hooks *hooks = &all->whole->hooks;
    uint32_t                next[PARTS_MAX] = { 0 };

    for (;;) {
        const struct told *first = NULL;
        uint32_t           whose = 0;

        for (uint32_t i = 0; i < all->count; i++) {
            const struct told *t = &all->part[i].told[next[i]];

            if (next[i] < all->part[i].told_count &&
                (!first || t->at_ps < first->at_ps || (t->at_ps == first->at_ps && t->order < first->order))) {
                first = t;
                whose = i;
            }
        }
        if (!first)
            break;
        next[whose]++;
        if (first->is_flow)
            hooks->flow_done(hooks->arg, &first->flow);
        else
            hooks->pfc(hooks->arg, &first->pfc);
    }
    for (uint32_t i = 0; i < all->count; i++)
        all->part[i].told_count = 0;
    traffic_tell(all->whole->traffic);
}

/* Adds up what the parts have counted: struct sim_counters is nothing but sums. */
static void add_up(struct sim *s)
{
    const struct partition *all = s->parts;
    uint64_t           *sum = (uint64_t *)&s->counters;
    uint32_t            entries = traffic_entries(s->traffic);

    memset(&s->counters, 0, sizeof s->counters);
    memset(s->entry_bytes_done, 0, entries * sizeof *s->entry_bytes_done);
    s->streams_live = 0;
    s->first_start_ps = NEVER;
    for (uint32_t i = 0; i < all->count; i++) {
        struct sim     *p = all->part[i].sim;
        const uint64_t *is = (const uint64_t *)&p->counters;

        for (size_t j = 0; j < sizeof s->counters / sizeof *sum; j++)
            sum[j] += is[j];
        for (uint32_t j = 0; j < entries; j++)
            s->entry_bytes_done[j] += p->entry_bytes_done[j];
        s->streams_live += p->streams_live;
        s->done_ps = p->done_ps > s->done_ps ? p->done_ps : s->done_ps;
        s->rtt_ps_peak = p->rtt_ps_peak > s->rtt_ps_peak ? p->rtt_ps_peak : s->rtt_ps_peak;
        p->rtt_ps_peak = 0;
        if (p->counters.flows_started && p->first_start_ps < s->first_start_ps)
            s->first_start_ps = p->first_start_ps;
    }
    s->is_done = s->streams_live == 0 && s->counters.flows_done == s->counters.flows_started;
}

/* When the first event of any part is; there is nothing in the rings. */
static uint64_t next_ps(const struct partition *all)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t i = 0; i < all->count; i++) {
        uint64_t ps = evq_next_ps(&all->part[i].sim->evq);

        next = ps < next ? ps : next;
    }
    return next;
}

/* Where processors are busy with something else, threads that wait for each other are slower than one: if they
 * wait much, one tries alone; whoever has been faster goes on, and the other gets a chance now and then. No result
 * depends on it. */
static void choose_workers(struct partition *all)
{
    bool was_one = all->active == 1, one = false;

    if (was_one || all->wait_share > WAIT_MUCH)
        one = !all->one.is_known || all->one.s_per_event < all->many.s_per_event;
    if (all->rounds_same >= TRY_OTHER_AFTER && (was_one || all->wait_share > WAIT_MUCH))
        one = !was_one;
    one &= all->many.is_known;
    all->active = one ? 1 : all->workers;
    all->rounds_same = one == was_one ? all->rounds_same + 1 : 0;
    for (uint32_t i = 0; i < all->active; i++) {
        all->worker[i].first = all->count * i / all->active;
        all->worker[i].end = all->count * (i + 1) / all->active;
    }
}

static uint64_t events_of(const struct partition *all)
{
    uint64_t events = 0;

    for (uint32_t i = 0; i < all->count; i++)
        events += all->part[i].sim->counters.events;
    return events;
}

/* How much of the threads' time so far went by waiting. */
static double waited_s(const struct partition *all)
{
    double s = 0;

    for (uint32_t i = 0; i < all->workers; i++)
        s += all->worker[i].time.wait_s;
    return s;
}

static void keep_pace(struct partition *all, uint64_t events, double took_s, double wait_s)
{
    struct pace *p = all->active == 1 ? &all->one : &all->many;

    if (events < EVENTS_ENOUGH)
        return;
    if (all->active > 1)
        all->wait_share = 0.5 * all->wait_share + 0.5 * wait_s / (took_s * all->active);
    p->s_per_event = p->is_known ? 0.5 * p->s_per_event + 0.5 * took_s / (double)events : took_s / (double)events;
    p->is_known = true;
}

static void run_round(struct partition *all, uint64_t from_ps, uint64_t end_ps)
{
    uint64_t events = events_of(all);
    double   start_s = clock_s(), wait_s = waited_s(all);

    choose_workers(all);
    all->end_ps = end_ps;
    for (uint32_t i = 0; i < all->count; i++) {
        struct part *p = &all->part[i];

        p->mine_ps = from_ps;
        atomic_store(&p->clock_ps, from_ps);
        p->sim->hooks = (struct sim_hooks){ p, all->whole->hooks.flow_done ? on_flow_done : NULL,
                                            all->whole->hooks.pfc ? on_pfc : NULL };
    }
    atomic_store(&all->busy, all->active);
    all->rounds++;
    atomic_store(&all->round, all->rounds * ROUND_ONE + all->active);
    if (all->active > 1)
        wake(&all->round);
    run_parts(&all->worker[0]);
    for (uint32_t i = 0, busy; (busy = atomic_load(&all->busy)) != 0; i++)
        if (i > SPINS)
            nap(&all->busy, busy);
    for (uint32_t i = 0; i < all->count; i++)
        pull(&all->part[i]);
    keep_pace(all, events_of(all) - events, clock_s() - start_s, waited_s(all) - wait_s);
}

bool partition_run_until(struct sim *s, uint64_t until_ps)
{
    struct partition *all = s->parts;
    uint64_t      from_ps, last_ps = s->now_ps;

    while ((from_ps = next_ps(all)) <= until_ps && from_ps != UINT64_MAX) {
        run_round(all, from_ps, until_ps - from_ps < ROUND_PS ? until_ps + 1 : from_ps + ROUND_PS);
        tell(all);
    }
    add_up(s);
    for (uint32_t i = 0; i < all->count; i++)
        last_ps = all->part[i].sim->now_ps > last_ps ? all->part[i].sim->now_ps : last_ps;
    s->now_ps = next_ps(all) == UINT64_MAX ? last_ps : until_ps;
    s->order = UINT64_MAX;
    for (uint32_t i = 0; i < all->count; i++) {
        all->part[i].sim->now_ps = s->now_ps;
        all->part[i].sim->order = s->order;
    }
    return next_ps(all) != UINT64_MAX;
}

/* ---- invariants ---- */

void partition_check(const struct sim *s, uint64_t *packets, uint64_t *payload)
{
    const struct partition *all = s->parts;

    for (uint32_t i = 0; i < all->count; i++) {
        const struct part *p = &all->part[i];

        *packets += p->outs;     /* those that stay */
        for (uint32_t j = 0; j < p->ins; j++)
            for (uint32_t id = p->in[j].wire_head; id; id = p->sim->packets.packet[id].next) {
                ++*packets;
                *payload += p->sim->packets.packet[id].payload;
            }
    }
}
