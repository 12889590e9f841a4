/* src/sim/forks/ns3_conweave.c - the ConWeave ns-3 fork. */
#include "sim/lb/conga.h"
#include "sim/lb/lb.h"
#include "sim/forks/conweave_buffer.h"
#include "sim/forks/ns3.h"
#include "sim/nic/host.h"
#include "sim/nic/pacer.h"
#include "sim/transport/rc/rc.h"
#include "sim/nic/turn.h"

/* ---- switches ---- */

/* All switches use the same random stream, each with separate state: the first of the streams requested by
 * number. The seed varies between runs, not ns-3's run number. */
static uint32_t build(struct sim *s)
{
    uint32_t seed = (uint32_t)s->cfg.seed;

    s->net.pausing_until_ps = arena_alloc(&s->arena, 2ul * s->net.graph.links * PRIOS,
                                          sizeof *s->net.pausing_until_ps);
    s->net.conweave = arena_alloc(&s->arena, s->net.nodes, sizeof *s->net.conweave);
    mrg_init(&s->net.conweave[0].mrg, seed ? seed : 1, 1ull << 63, 1);
    for (uint32_t i = 1; i < s->net.nodes; i++)
        s->net.conweave[i].mrg = s->net.conweave[0].mrg;
    if (s->cfg.order == ORDER_NS3 && !s->cfg.lb_seed) {
        s->lb.crand = arena_alloc(&s->arena, 1, sizeof *s->lb.crand);
        crand_init(s->lb.crand, (uint32_t)s->cfg.seed);
    }
    return 0;
}

static double switch_random(struct sim *s, const struct node *n)
{
    return mrg_step(&s->net.conweave[n->id].mrg);
}

static uint32_t headroom_bytes(const struct sim_cfg *c, const struct port *p)
{
    (void)c;
    return conweave_headroom_bytes(p);
}

/* The key of a flow is its source port, class and destination, which is almost unique. */
static void set_key(struct lb_packet *p, const struct packet *k)
{
    p->src = 0;
    p->ports |= (uint32_t)k->prio << 16;
}

/* ---- senders ---- */

static bool keeps_wake(const struct sim *s, const struct host *h)
{
    return h->wake.next != EVQ_IDLE && !s->hosts.hf2t;
}

/* In the fork, finished queue pairs keep their position forever. Here their entries are removed occasionally,
 * which changes no other queue pair's turn. */
static void keep_finished(struct sim *s, struct host *h)
{
    uint32_t passed = 0;         /* remaining entries up to the one served last */

    h->kept++;
    if (h->kept < 64 || 2 * h->kept < h->count)
        return;
    for (uint32_t i = 0; i < h->last + 1 && i < h->count; i++)
        passed += !bit_is_set(h->finished, i);
    h->dead = h->kept;
    h->kept = 0;
    turn_compact(s, h, 0, UINT32_MAX);
    h->last = passed - 1;        /* -1: the first is next */
}

/* Every queue pair has a timer. Every packet it sends and every answer restart the timer, with or without
 * progress, while packets are in flight. It fires once until the next packet. */
static void on_answer(struct sim *s, const struct host *h, struct flow *f)
{
    if (f->sent > f->acked)
        rto_restart(s, h, f);
}

/* Returns true if any timer has fired. The next event gets the order key of an event that was scheduled 'rto'
 * earlier, when its queue pair set the timer. */
static bool on_timeout(struct sim *s, struct host *h)
{
    uint64_t next = NEVER;
    bool     has_fired = false;

    for (uint32_t i = 0; i < h->count; i++) {
        struct flow *f = &s->flows.flow[h->list[i]];

        if (bit_is_set(h->finished, i) || f->progress_ps == NEVER)
            continue;
        if (f->progress_ps + s->cfg.rto_ps <= s->engine.now_ps) {
            s->engine.counters.timeouts += f->sent > f->acked;
            f->progress_ps = NEVER;
            rc_resend(s, h, f);
            has_fired = true;
        } else if (f->progress_ps + s->cfg.rto_ps < next) {
            next = f->progress_ps + s->cfg.rto_ps;
        }
    }
    if (next != NEVER)
        rto_await(s, h, next, s->engine.now_ps + s->cfg.rto_ps);
    return has_fired;
}

/* ---- receivers ---- */

/* Acknowledges a duplicate, with its mark. */
static void on_copy(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint8_t flags)
{
    rc_acknowledge(s, h, k, rx->expected, flags);
}

/* ORDER_NODE: the receiver cannot know the instant at which the sender learns of the end and the fork would
 * forget the flow. From the last byte on it spaces its answers as the fork does for a forgotten flow, but
 * acknowledges: if the last ACK was lost, the sender needs another. */
static void on_copy_spaced(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k,
                           uint8_t flags)
{
    if (rx->expected != s->flows.flow[k->flow].bytes || rc_may_answer(s, rx, rx->expected))
        on_copy(s, h, rx, k, flags);
}

/* Next hops are ordered by the addresses of ns-3's objects: in this fork, in the order of creation. */
struct model conweave_model(const struct sim_cfg *c)
{
    return (struct model){
        .frame_ps = ns3_frame_ps, .tick_ps = PS_PER_NS, .hop_ps = ns3_hop_ps, .rest_ps = ns3_rest_ps,
        .build = build, .route.is_ascending = true,
        .headroom_bytes = headroom_bytes, .unbooked_prios = 1, .account = &conweave_account,
        .random = switch_random,
        .unmarked_bytes = CONWEAVE_QUEUE_BYTES, .marked_classes = UINT8_MAX,
        .conga = &lb_conga_fork, .lb_key = set_key,
        .sport_first = 10000, .sport_mask = UINT16_MAX, .on_sent = rto_restart, .keeps_wake = keeps_wake,
        .keep_finished = keep_finished, .on_timeout = on_timeout, .on_answer = on_answer,
        .ignores_late_answers = true,
        .echo = PACKET_ECHO, .reply_queue = REPLY_BY_CLASS,
        .on_copy = c->order == ORDER_NS3 ? on_copy : on_copy_spaced,
        .forget = c->order == ORDER_NS3 ? ns3_forget : NULL, .on_forgotten = ns3_on_forgotten,
    };
}
