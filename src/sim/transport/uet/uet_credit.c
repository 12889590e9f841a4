#include "sim/transport/uet/uet.h"
#include "sim/nic/receive.h"

#define GRANT_UNITS   64u        /* 16 KB */
#define RATE_PERCENT  99u
#define CUT_PPM_MAX   990000u    /* leaves 1 % of the rate */
#define RISE_PPM      10000u     /* doubles with each consecutive increase */

/* ---- round robin over flows that want credit ---- */

static void append(struct sim *s, struct uet_host *all, uint32_t flow)
{
    struct uet_rx *x = uet_rx_of(s, flow);

    x->is_listed = true;
    x->list_next = 0;
    x->list_prev = all->tail;
    if (all->tail)
        uet_rx_of(s, all->tail)->list_next = flow;
    else
        all->head = flow;
    all->tail = flow;
}

static void take_out(struct sim *s, struct uet_host *all, uint32_t flow)
{
    struct uet_rx *x = uet_rx_of(s, flow);

    if (x->list_prev)
        uet_rx_of(s, x->list_prev)->list_next = x->list_next;
    else
        all->head = x->list_next;
    if (x->list_next)
        uet_rx_of(s, x->list_next)->list_prev = x->list_prev;
    else
        all->tail = x->list_prev;
    x->is_listed = false;
}

void credit_leave(struct sim *s, struct host *h, uint32_t flow)
{
    if (uet_rx_of(s, flow)->is_listed)
        take_out(s, &uet_of(s)->host[h->id], flow);
}

/* ---- timing ---- */

static void await(struct sim *s, const struct host *h)
{
    const struct uet_host *all = &uet_of(s)->host[h->id];
    uint32_t               event = transport_event(s, TIMER_UET_CREDIT, h->id);
    uint64_t               at = all->free_ps > s->engine.now_ps ? all->free_ps : s->engine.now_ps;

    if (all->head && !evq_is_pending(&s->engine.evq, event))
        evq_add(&s->engine.evq, event, at, sim_order(s, &s->net.node[h->node], at));
}

void credit_ask(struct sim *s, struct host *h, const struct packet *k, bool must)
{
    struct uet_rx   *x = uet_rx_of(s, k->flow);
    struct uet_host *all = &uet_of(s)->host[h->id];

    all->arrived++;
    all->cut_inside += k->kind == UET_TRIMMED;
    if (x->is_over)
        return;
    if (k->sent_ps > x->target)
        x->target = k->sent_ps;
    if (x->is_listed || (x->target <= x->granted && !must))
        return;
    append(s, all, k->flow);
    await(s, h);
}

/* Adjusts the credit rate, at most every one and a half round trips. If packets were trimmed before the last
 * link, a link inside the network is slower: withholds their share of the credit. Otherwise raises the rate
 * again. */
static void look_inside(const struct sim *s, struct uet_host *all)
{
    uint32_t rise = RISE_PPM << (all->rises < 7 ? all->rises : 7);

    if (s->engine.now_ps < all->look_ps)
        return;
    if (all->cut_inside)
        all->cut_ppm += (uint32_t)(1000000ull * all->cut_inside / all->arrived);
    else
        all->cut_ppm -= all->cut_ppm < rise ? all->cut_ppm : rise;
    all->cut_ppm = all->cut_ppm < CUT_PPM_MAX ? all->cut_ppm : CUT_PPM_MAX;
    all->rises = all->cut_inside ? 0 : all->rises + 1;
    all->arrived = all->cut_inside = 0;
    all->look_ps = s->engine.now_ps + s->net.base_rtt_ps * 3 / 2;
}

/* Each pull takes another path. */
static void send_pull(struct sim *s, struct host *h, uint32_t flow)
{
    const struct flow *f = &s->flows.flow[flow];
    struct uet_rx     *x = uet_rx_of(s, flow);
    uint32_t id = engine_new_packet(&s->engine), ports = f->ports ^ (x->pulls++ & (s->spray.paths - 1));
    struct packet     *k = &s->engine.packets.packet[id];

    s->engine.counters.pulls_sent++;
    *k = (struct packet){ .flow = flow, .src = h->node, .dst = f->src, .ports = ports >> 16 | ports << 16,
                          .sent_ps = x->granted, .bytes = (uint16_t)s->cfg.ack_bytes,
                          .generation = s->flows.rx[flow].generation, .kind = UET_PULL,
                          .prio = s->cfg.head_prio & 7u };
    reply_send(s, h, id, k);
}

APART void credit_on_pull(struct sim *s, struct host *h)
{
    struct uet_host *all = &uet_of(s)->host[h->id];
    uint32_t         flow = all->head;

    if (!flow)
        return;
    struct uet_rx *x = uet_rx_of(s, flow);
    take_out(s, all, flow);
    uint64_t units = x->target > x->granted ? x->target - x->granted : 0;
    units = units < GRANT_UNITS ? units : GRANT_UNITS;
    x->granted += units;
    if (x->target > x->granted)
        append(s, all, flow);
    send_pull(s, h, flow);
    units = units ? units : 4;
    look_inside(s, all);
    all->free_ps = s->engine.now_ps +
                   (uint64_t)((unsigned __int128)units * UET_CREDIT_UNIT * 8 * PS_PER_S * 100 / RATE_PERCENT /
                              h->port->rate_bps * 1000000 / (1000000 - all->cut_ppm));
    await(s, h);
}
