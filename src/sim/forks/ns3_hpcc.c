/* src/sim/forks/ns3_hpcc.c - the HPCC ns-3 fork.
 *
 * With its order of events (ORDER_NS3), results equal the fork's even if links lose packets or fail.
 */
#include "sim/forks/ns3.h"
#include "sim/nic/pacer.h"
#include "sim/transport/rc/rc.h"
#include "sim/link/path.h"
#include "sim/state/ideal.h"

#define REPLY_QUEUE 3            /* of hosts; also the class whose pauses stop it */
#define LOSS_STREAM 50u          /* number of the random stream for losses */

/* Returns three times rate x delay. */
static uint32_t headroom_bytes(const struct sim_cfg *c, const struct port *p)
{
    (void)c;
    return (uint32_t)(p->rate_bps * (p->delay_ps / PS_PER_NS) / 8 / 1000000000 * 3);
}

/* A wake-up never moves, even if a queue pair may send earlier, and none is armed while one is ready. */
static bool keeps_wake(const struct sim *s, const struct host *h)
{
    return (h->wake.next != EVQ_IDLE || h->ready_count) && !s->hosts.hf2t;
}

static uint32_t source_port(struct sim *s, struct host *h, uint32_t dst)
{
    uint16_t *next = &h->pair_sport[s->net.node[dst].host];

    if (*next == 0)
        *next = s->model.sport_first;
    return (*next)++;
}

/* ---- telemetry ---- */

/* ACKs carry it in a header of 46 bytes. */
static uint32_t telemetry_sizes(uint32_t kind, uint32_t *ack_bytes)
{
    static const uint32_t bytes[] = { [CC_TIMESTAMP] = 8, [CC_HOPS] = 42, [CC_DIGEST] = 2 };

    *ack_bytes = 46 + bytes[kind];
    return bytes[kind];
}

static bool knows_rate(uint64_t rate_bps)
{
    uint64_t gbps = rate_bps / 1000000000u;

    return rate_bps % 1000000000u == 0 &&
           (gbps == 25 || gbps == 50 || gbps == 100 || gbps == 200 || gbps == 400);
}

/* Draws a number at each ACK, and ignores some ACKs. */
static bool takes_digest(struct sim *s, const struct host *h)
{
    return inband_random(&s->engine, h->node) % 65536 < 65536 - s->cfg.fork.pint_ignored;
}

/* ---- links that lose packets or fail ---- */

/* ns-3's error models. All links without a separate loss rate share one model and its random numbers. Each of
 * the others has a separate model, with the same numbers. */
static uint32_t build_losses(struct sim *s)
{
    const struct graph *g = &s->net.graph;
    /* the last entry is shared */
    struct mrg         *stream = arena_alloc(&s->arena, g->links + 1ul, sizeof *stream);
    bool                is_lossy = false;
    uint32_t            own = 0;

    mrg_init(&stream[g->links], 1, (1ull << 63) + LOSS_STREAM, s->cfg.seed);
    s->engine.loss_stream = arena_alloc(&s->arena, g->links, sizeof *s->engine.loss_stream);
    for (uint32_t i = 0; i < g->links; i++) {
        bool has_own = g->link[i].loss > 0 && !g->link[i].has_common_loss;

        stream[i] = stream[g->links];
        s->engine.loss_stream[i] = &stream[has_own ? i : g->links];
        own += has_own;
        is_lossy |= g->link[i].loss > 0 || g->link[i].ber > 0;
    }
    if (!is_lossy)
        s->engine.loss_stream = NULL;
    if (s->cfg.changes)
        qp_order_build(s);
    return own;
}

/* A NIC may have gone back to bytes that were acknowledged meanwhile. It sends them nevertheless, unless the
 * window is closed: the flow is done, but keeps its turn until then. */
static bool sends_acked(const struct sim *s, const struct host *h, const struct flow *f)
{
    return f->sent < f->bytes && pacer_has_window(s, h, f);
}

/* Uses the slowest link of the routes at the end of the flow. */
static uint64_t end_ps(const struct sim *s, const struct flow *f)
{
    uint32_t epoch = s->net.node[f->src].epoch;

    return epoch && !f->is_lasting &&
           f->transport == TRANSPORT_RC ? sim_ideal_rerouted_ps(s, epoch, f->src, f->dst, f->bytes) :
                                          f->ideal_ps;
}

/* Packets that wait for a link that goes down stay in their queue, which is not served. The fork drops them
 * but does not release their buffer space. */
static void keep_queues(struct sim *s, struct port *p)
{
    (void)s, (void)p;
}

static void fail_as_fork(struct model *m, const struct sim_cfg *c)
{
    m->random = ns3_random;
    m->forget = ns3_forget;
    m->on_forgotten = ns3_on_forgotten;
    m->build = build_losses;
    m->route.is_by_visit = true;
    m->sends_acked = sends_acked;
    m->end_ps = end_ps;
    m->on_down = keep_queues;
    m->ignores_late_answers = true;
    m->list = c->changes ? &qp_order_list : NULL;
}

/* Next hops are ordered by the addresses of ns-3's objects. Switches of this fork are so large that each has
 * a separate memory mapping, allocated from the top down. A receiver does not answer duplicates, except with
 * a retransmission timer: the ACK may have been lost. */
struct model hpcc_model(const struct sim_cfg *c)
{
    struct model m = {
        .frame_ps = ns3_frame_ps, .tick_ps = PS_PER_NS, .hop_ps = ns3_hop_ps, .rest_ps = ns3_rest_ps,
        .telemetry_sizes = telemetry_sizes, .knows_rate = knows_rate, .takes_digest = takes_digest,
        .headroom_bytes = headroom_bytes, .shares = 1, .unbooked_prios = 1, .pfc_queue = QUEUE_CONTROL,
        .marked_classes = UINT8_MAX,
        .sport_first = 10000, .source_port = source_port, .keeps_wake = keeps_wake,
        .echo = PACKET_ECHO, .reply_queue = REPLY_QUEUE, .on_copy = c->rto_ps ? rc_ack_copy : NULL,
    };

    if (c->order == ORDER_NS3)
        fail_as_fork(&m, c);
    return m;
}
