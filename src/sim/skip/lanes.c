#include "sim/skip/lanes.h"
#include "base/minmax.h"
#include "sim/link/path.h"
#include "sim/switch/forward.h"

#include <math.h>
#include <stdlib.h>

#define LANES_STREAM (1ull << 62)    /* of random numbers; others are of nodes, balancers and traffic */

void lanes_init(struct lanes *l, const struct sim *s)
{
    uint32_t spacing = s->model.spacing_bytes;

    rng_init(&l->rng, s->cfg.seed, LANES_STREAM);
    l->lane = xcalloc(s->net.ports + 1ul, sizeof *l->lane);
    for (uint32_t i = 0; i < s->net.ports; i++)
        l->lane[i].marks_left = -1;
    l->ack_share = (double)(s->cfg.ack_bytes + spacing) / s->cfg.ack_every /
                   (s->cfg.mtu_bytes + s->cfg.header_bytes + spacing);
}

void lanes_fini(struct lanes *l, const struct sim *s)
{
    for (uint32_t i = 0; l->lane && i < s->net.ports; i++)
        free(l->lane[i].held);
    free(l->lane);
}

/* ---- paths ---- */

/* Finds the way of frames of this size. Returns the time it takes. No hops: there is none, or it is too
 * long. */
static uint64_t find_way(const struct sim *s, struct lane_way *w, uint32_t src, uint32_t dst, uint32_t ports,
                         uint32_t bytes)
{
    struct packet k = { .src = src, .dst = dst, .ports = ports };
    uint32_t      at = s->net.host[s->net.node[src].host].port->id, way = 1;
    uint64_t      ps = 0;

    for (w->hops = 0; way && w->hops < LANE_HOPS_MAX; at = way - 1) {
        const struct port *p = &s->net.port[at];
        const struct node *n = p->peer->node;

        w->hop[w->hops++] = (struct lane_hop){ .ps = ps, .port = at };
        ps += path_age(p, bytes);
        if (n->id == dst)
            return ps;
        way = n->is_switch ? forward_by_routes(n, &n->route_host[dst], &k) : 0;
    }
    w->hops = 0;
    return 0;
}

void lanes_find_path(const struct sim *s, const struct flow *f, struct lane_path *p)
{
    p->rtt_ps = find_way(s, &p->data, f->src, f->dst, f->ports, s->cfg.mtu_bytes + s->cfg.header_bytes) +
                find_way(s, &p->ack, f->dst, f->src, f->ports >> 16 | f->ports << 16, s->cfg.ack_bytes);
    if (!p->data.hops || !p->ack.hops)
        p->data.hops = p->ack.hops = 0;
}

/* ---- rates ---- */

static uint64_t ack_bps(const struct lanes *l, uint64_t bps)
{
    return (uint64_t)(l->ack_share * (double)bps);
}

static uint32_t frame_bytes(const struct sim *s)
{
    return s->cfg.mtu_bytes + s->cfg.header_bytes;
}

/* Returns the queue length from which any class is marked. */
static uint32_t kmin_bytes(const struct sim *s, const struct port *p)
{
    uint32_t kmin = p->ecn.kmin_bytes;

    for (uint32_t c = 0; s->sw.ecn_prios && c < PRIOS; c++)
        if (s->sw.ecn_prios >> c & 1 && s->sw.ecn_class[c].kmin_bytes < kmin)
            kmin = s->sw.ecn_class[c].kmin_bytes;
    return kmin;
}

/* Returns true if a switch would mark packets in the longest queue that frames of flows with room for all
 * can form: one of each. */
static bool marks_any_queue(const struct sim *s, const struct port *p, const struct lane *a)
{
    uint32_t frames = a->count + (a->ack_bps > 0);

    return p->is_switch && frames > 1 && kmin_bytes(s, p) <= frames * frame_bytes(s);
}

static bool is_crowded(const struct sim *s, const struct port *p, const struct lane *a)
{
    if (a->count == 1)
        return a->data_bps > p->rate_bps || marks_any_queue(s, p, a);
    return (double)(a->data_bps + a->ack_bps) > LANE_SHARE * (double)p->rate_bps || marks_any_queue(s, p, a);
}

/* Returns by how many bytes per picosecond the queue of a port grows. */
static double growth(const struct lane *a, const struct port *p)
{
    return ((double)(a->data_bps + a->ack_bps) - (double)p->rate_bps) / 8 / (double)PS_PER_S;
}

static double queue_now(const struct lane *a, const struct port *p, uint64_t now_ps)
{
    double bytes = a->is_held ? a->queue_bytes + growth(a, p) * (double)(now_ps - a->since_ps) : 0;

    return bytes > 0 ? bytes : 0;
}

/* ---- the first mark of a held flow ---- */

/* Packets per picosecond times the growth of their probability of a mark per byte of queue above kmin. */
static double mark_slope(const struct sim *s, const struct port *p, const struct lane *a)
{
    double bytes = p->ecn.kmax_bytes > p->ecn.kmin_bytes ? p->ecn.kmax_bytes - p->ecn.kmin_bytes : 1;

    return (double)a->data_bps / 8 / frame_bytes(s) / (double)PS_PER_S * p->ecn.pmax / bytes;
}

/* Returns how many marks to expect in a queue that begins with 'bytes' and grows for 'ps'. */
static double expected_marks(const struct sim *s, const struct port *p, const struct lane *a, double bytes,
                             double ps)
{
    double grows = growth(a, p), above = bytes - p->ecn.kmin_bytes, span = ps;

    if (above < 0) {
        span = grows > 0 ? ps + above / grows : 0;
        above = 0;
    } else if (grows < 0) {
        span = fmin(ps, above / -grows);
    }
    return span > 0 ? mark_slope(s, p, a) * (above + grows * span / 2) * span : 0;
}

/* Returns after how many picoseconds so many marks are to be expected, or kmax is reached. */
static double marks_after_ps(const struct sim *s, const struct port *p, const struct lane *a, double bytes,
                             double marks)
{
    double grows = growth(a, p), above = bytes - p->ecn.kmin_bytes, slope = mark_slope(s, p, a), before = 0;

    if (above < 0) {
        if (grows <= 0)
            return INFINITY;
        before = -above / grows;
        above = 0;
    }
    double kmax_ps = grows > 0 ? (p->ecn.kmax_bytes - bytes) / grows : INFINITY;
    double root = above * above + 2 * grows * marks / slope;   /* above span + grows span^2/2 = marks/slope */
    if (!(slope > 0) || root < 0)
        return kmax_ps;
    return fmin(kmax_ps, before + (grows != 0 ? (sqrt(root) - above) / grows : marks / slope / above));
}

static struct lane *lane_now(struct lanes *l, const struct sim *s, uint32_t port)
{
    struct lane       *a = &l->lane[port];
    const struct port *p = &s->net.port[port];
    double             bytes = queue_now(a, p, s->engine.now_ps);

    if (a->is_held && a->marks_left >= 0)
        a->marks_left = fmax(0, a->marks_left - expected_marks(s, p, a, a->queue_bytes,
                                                               (double)(s->engine.now_ps - a->since_ps)));
    a->queue_bytes = bytes;
    a->since_ps = s->engine.now_ps;
    return a;
}

/* Draws when the first mark comes, if there may be one. Switches draw for packets from streams of their own,
 * so a hold does not change what they draw. */
static void expect_mark(struct lanes *l, struct lane *a, const struct port *p)
{
    if (a->is_held && a->marks_left < 0 && (growth(a, p) > 0 || a->queue_bytes > p->ecn.kmin_bytes))
        a->marks_left = rng_exp(&l->rng);
}

void lanes_change(struct lanes *l, const struct sim *s, const struct lane_path *p, uint64_t was_bps,
                  uint64_t bps)
{
    for (uint32_t i = 0; i < p->data.hops; i++) {
        struct lane *a = lane_now(l, s, p->data.hop[i].port);

        a->data_bps += bps - was_bps;
        a->is_crowded = is_crowded(s, &s->net.port[p->data.hop[i].port], a);
        expect_mark(l, a, &s->net.port[p->data.hop[i].port]);
    }
    for (uint32_t i = 0; i < p->ack.hops; i++) {
        struct lane *a = lane_now(l, s, p->ack.hop[i].port);

        a->ack_bps += ack_bps(l, bps) - ack_bps(l, was_bps);
        a->is_crowded = is_crowded(s, &s->net.port[p->ack.hop[i].port], a);
        expect_mark(l, a, &s->net.port[p->ack.hop[i].port]);
    }
}

/* Counts flows that begin or end on a path. */
static void count(struct lanes *l, const struct lane_path *p, int flows)
{
    for (uint32_t i = 0; i < p->data.hops; i++) {
        l->lane[p->data.hop[i].port].count += (uint32_t)flows;
        l->lane[p->data.hop[i].port].all += (uint32_t)flows;
    }
    for (uint32_t i = 0; i < p->ack.hops; i++)
        l->lane[p->ack.hop[i].port].all += (uint32_t)flows;
}

void lanes_add(struct lanes *l, const struct sim *s, const struct lane_path *p, uint64_t bps)
{
    count(l, p, 1);
    lanes_change(l, s, p, 0, bps);
}

void lanes_remove(struct lanes *l, const struct sim *s, const struct lane_path *p, uint64_t bps)
{
    count(l, p, -1);
    lanes_change(l, s, p, bps, 0);
}

static void add(struct lane *a, uint32_t flow, bool is_data)
{
    a->held = xgrow(a->held, a->held_all, &a->held_max, 4, sizeof *a->held);
    a->held[a->held_all++] = flow;
    if (is_data) {
        a->held[a->held_all - 1] = a->held[a->held_data];
        a->held[a->held_data++] = flow;
    }
}

static void remove_flow(struct lane *a, uint32_t flow, bool is_data)
{
    uint32_t at = is_data ? 0 : a->held_data;

    while (a->held[at] != flow)
        at++;
    if (is_data) {
        a->held[at] = a->held[--a->held_data];
        at = a->held_data;
    }
    a->held[at] = a->held[--a->held_all];
}

void lanes_list(struct lanes *l, const struct lane_path *p, uint32_t flow)
{
    for (uint32_t i = 0; i < p->data.hops; i++)
        add(&l->lane[p->data.hop[i].port], flow, true);
    for (uint32_t i = 0; i < p->ack.hops; i++)
        add(&l->lane[p->ack.hop[i].port], flow, false);
}

void lanes_unlist(struct lanes *l, const struct lane_path *p, uint32_t flow)
{
    for (uint32_t i = 0; i < p->data.hops; i++)
        remove_flow(&l->lane[p->data.hop[i].port], flow, true);
    for (uint32_t i = 0; i < p->ack.hops; i++)
        remove_flow(&l->lane[p->ack.hop[i].port], flow, false);
}

uint64_t lanes_room_bps(const struct lanes *l, const struct port *p, uint64_t bps)
{
    const struct lane *a = &l->lane[p->id];
    uint64_t others = a->data_bps - bps + a->ack_bps, most = (uint64_t)(LANE_SHARE * (double)p->rate_bps);

    if (a->count < 2)
        return p->is_switch ? p->rate_bps : UINT64_MAX;  /* a NIC sends as fast as its port */
    return most > others ? most - others : 0;
}

/* ---- queues ---- */

uint64_t lanes_crowded_ps(const struct lanes *l, const struct sim *s, const struct port *p)
{
    const struct lane *a = &l->lane[p->id];
    uint64_t           now_ps = s->engine.now_ps;

    if (a->is_crowded)
        return now_ps;
    if (!a->is_held || a->marks_left < 0 || p->ecn.kmin_bytes == UINT32_MAX)
        return NEVER;            /* a host's own ACKs only slow its data down */
    double ps = marks_after_ps(s, p, a, a->queue_bytes, a->marks_left);
    uint64_t at_ps = ps < (double)PS_PER_S ? a->since_ps + (uint64_t)fmax(ps, 0) : NEVER;
    return at_ps > now_ps ? at_ps : now_ps;
}

uint64_t lanes_queue_ps(const struct lanes *l, const struct sim *s, const struct port *p)
{
    const struct lane *a = &l->lane[p->id];

    return (uint64_t)(queue_now(a, p, s->engine.now_ps) * 8 * (double)PS_PER_S / (double)p->rate_bps);
}

static uint32_t waiting_bytes(const struct port *p)
{
    uint32_t bytes = 0;

    for (uint32_t q = 0; p->backlog && q < PRIOS; q++)
        bytes += p->queue[q].bytes;
    return bytes;
}

/* The bytes that a port sends before a frame that leaves its host now: those that wait, and those that keep
 * it busy until then. */
static double bytes_before(const struct sim *s, const struct port *p, const struct lane_hop *hop)
{
    uint64_t at_ps = s->engine.now_ps + hop->ps, busy_ps = p->free_at_ps > at_ps ? p->free_at_ps - at_ps : 0;

    return waiting_bytes(p) + (double)busy_ps / (double)PS_PER_S * (double)p->rate_bps / 8;
}

bool lanes_would_mark(const struct lanes *l, const struct sim *s, const struct lane_hop *hop)
{
    const struct port *p = &s->net.port[hop->port];

    if (s->sw.ecn_prios || l->lane[hop->port].all == 1)
        return waiting_bytes(p) || max_u64(hop->free_ps, hop->queued_ps) > s->engine.now_ps + hop->ps;
    return bytes_before(s, p, hop) > p->ecn.kmin_bytes;
}

void lanes_hold(struct lanes *l, const struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 1; i < path->data.hops; i++) {
        const struct lane_hop *hop = &path->data.hop[i];
        struct lane           *a = &l->lane[hop->port];

        if (a->count != 1)
            continue;
        a->is_held = true;
        a->queue_bytes = bytes_before(s, &s->net.port[hop->port], hop);
        a->since_ps = s->engine.now_ps;
        a->marks_left = -1;
        expect_mark(l, a, &s->net.port[hop->port]);
    }
}

static void keep_busy(struct sim *s, struct port *p, uint64_t until_ps)
{
    bool is_pending = p->free.next != EVQ_IDLE;

    if (until_ps <= p->free_at_ps)
        return;
    if (is_pending)
        evq_cancel(&s->engine.evq, evq_id(&s->engine.evq, p));
    p->free_at_ps = until_ps;
    p->free_order = engine_order(&s->engine, &p->node->next_number, until_ps);
    if (is_pending)
        path_await_free(&s->engine, p);
}

void lanes_unhold(struct lanes *l, const struct lane_path *path)
{
    for (uint32_t i = 1; i < path->data.hops; i++) {
        struct lane *a = &l->lane[path->data.hop[i].port];

        a->is_held = false;
        a->marks_left = -1;
    }
}

struct port *lanes_release(struct lanes *l, struct sim *s, struct lane_path *path)
{
    struct port *marks = NULL;

    for (uint32_t i = 1; i < path->data.hops; i++) {
        struct lane_hop *hop = &path->data.hop[i];
        struct port     *p = &s->net.port[hop->port];
        uint64_t         wait_ps = lanes_wait_ps(l, s, p);

        if (wait_ps == 0)
            continue;
        if (!l->lane[hop->port].is_crowded && lanes_crowded_ps(l, s, p) <= s->engine.now_ps)
            marks = p;
        keep_busy(s, p, s->engine.now_ps + wait_ps);
        hop->free_ps = max_u64(hop->free_ps, s->engine.now_ps + hop->ps + wait_ps);
    }
    lanes_unhold(l, path);
    return marks;
}
