/* src/sim/forks/htsim/htsim_world_sink.c - receivers, the pacer of a host's credit, and its rate control. */
#include "sim/forks/htsim/htsim_world.h"

#define ARRIVED       16384u     /* numbers beyond the expected one that are remembered */
#define GRANT_UNITS   64         /* credit per pull, for any MTU */
#define IDLE_UNITS    4          /* pause of the pacer after a pull without credit */
#define PULL_EVS      128u
#define OVER_ROUND    1.5        /* round trips between two updates of the oversubscription control */
#define OVER_MARKED   0.3        /* share of marked packets from which it reduces the rate */

/* ---- arrivals ---- */

static bool has_arrived(const struct flow *f, uint32_t number)
{
    uint32_t bit = number % ARRIVED;

    return f->arrived && f->arrived[bit / 64] >> bit % 64 & 1;
}

static void keep(struct flow *f, uint32_t number)
{
    uint32_t bit = number % ARRIVED;

    if (!f->arrived)
        f->arrived = xcalloc(ARRIVED / 64, sizeof *f->arrived);
    f->arrived[bit / 64] |= 1ull << bit % 64;
    f->out_of_order++;
    f->result.rx_out_of_order++;
}

static void advance(struct flow *f)
{
    for (f->expected++; has_arrived(f, f->expected); f->expected++) {
        uint32_t bit = f->expected % ARRIVED;

        f->arrived[bit / 64] &= ~(1ull << bit % 64);
        f->out_of_order--;
    }
}

/* Returns 64 bits from number 'ref' on. */
static uint64_t arrived_from(const struct flow *f, uint32_t ref)
{
    uint32_t bit = ref % ARRIVED, word = bit / 64, shift = bit % 64;
    uint64_t low = f->arrived[word] >> shift;

    return shift ? low | f->arrived[(word + 1) % (ARRIVED / 64)] << (64 - shift) : low;
}

/* ---- answers ---- */

static void fill_answer(struct htsim *w, struct packet *p, struct flow *f, enum packet_kind kind)
{
    p->kind = (uint8_t)kind;
    p->flow = (uint32_t)(f - w->flow);
    p->hash_id = f->sink_id;
    p->dst = f->src;
    p->bytes = HTSIM_HEADER_BYTES;
    p->is_header = true;
    p->host_class = CLASS_CONTROL;
}

/* ACKs reuse the most recently freed ACK, with its stale flag. */
static uint32_t new_ack(struct htsim *w, struct flow *f, uint16_t ev, uint32_t ref, uint32_t number,
                        bool is_marked, bool is_resent)
{
    uint32_t packet = w->free_ack;
    bool     is_rts = false;

    if (packet != NONE) {
        w->free_ack = w->packet[packet].next;
        is_rts = w->packet[packet].is_rts;
    } else {
        packet = packet_new(w);
    }
    struct packet *p = &w->packet[packet];
    *p = (struct packet){ .number = number, .ev = ev, .is_marked = is_marked, .is_resent = is_resent,
                          .is_rts = is_rts, .expected = f->expected, .ref = ref,
                          .received_bytes = f->received_bytes, .out_of_order = (uint16_t)f->out_of_order,
                          .bitmap = f->out_of_order ? arrived_from(f, ref) : 0 };
    fill_answer(w, p, f, PACKET_ACK);
    w->counters.sim.acks_sent++;
    return packet;
}

static uint32_t ack_base(const struct flow *f, uint32_t number)
{
    int64_t back = (int64_t)number - 63, ahead = (int64_t)f->expected + 1;

    return (uint32_t)(back > ahead ? back : ahead);
}

static bool is_known(const struct flow *f, uint32_t number)
{
    return number < f->expected || has_arrived(f, number);
}

/* ---- credit ---- */

static void join_pacer(struct htsim *w, struct flow *f)
{
    struct pacer *p = &w->host[f->dst].pacer;

    if (!w->has_rccc || f->is_pulled)
        return;
    f->is_pulled = true;
    ring_put(&p->active, (uint32_t)(f - w->flow));
    if (!p->is_on)
        world_enter(w, &p->event, w->now_ps);
    p->is_on = true;
}

static void on_target(struct htsim *w, struct flow *f, int64_t target)
{
    if (!w->has_rccc || target <= f->highest_target)
        return;
    f->highest_target = target;
    join_pacer(w, f);
}

/* ---- packets ---- */

static void on_probe(struct htsim *w, struct flow *f, const struct packet *d)
{
    uint32_t ack = new_ack(w, f, d->ev, ack_base(f, d->number), d->number, d->is_marked, false);

    w->packet[ack].is_probe = true;
    nic_send_control(w, f->dst, ack);
}

static void on_data(struct htsim *w, struct flow *f, const struct packet *d)
{
    struct over *over = &w->host[f->dst].over;
    bool         is_resent = d->data_kind == DATA_RESENT, must_ack = !f->has_payload;
    uint32_t     ack;

    w->counters.sim.data_received++;
    f->accepted_bytes = (uint16_t)(f->accepted_bytes + d->bytes);
    on_target(w, f, d->target);
    f->result.rx_marked += d->is_marked;
    over->now.marked += d->is_marked;
    if (is_known(f, d->number)) {
        f->result.rx_duplicate++;
        ack = new_ack(w, f, d->ev, d->is_marked ? d->number : ack_base(f, d->number), d->number, d->is_marked,
                      is_resent);
        nic_send_control(w, f->dst, ack);
        f->accepted_bytes = 0;
        return;
    }
    f->has_payload |= d->bytes > HTSIM_HEADER_BYTES;
    f->received_bytes += d->bytes;
    w->counters.sim.payload_received += d->bytes - HTSIM_HEADER_BYTES;
    must_ack |= d->asks_ack;
    f->is_asked |= d->asks_ack;
    if (d->number == f->expected) {
        advance(f);
        if (f->out_of_order == 0 && f->is_asked) {
            must_ack = true;
            f->is_asked = false;
        }
    } else {
        keep(f, d->number);
        w->counters.sim.reordered++;
    }
    if (!d->is_marked && !must_ack && f->accepted_bytes < w->cfg.sack_threshold_bytes)
        return;
    ack = new_ack(w, f, d->ev, d->is_marked || d->asks_ack ? d->number : ack_base(f, d->number), d->number,
                  d->is_marked, is_resent);
    f->accepted_bytes = 0;
    nic_send_control(w, f->dst, ack);
}

static void on_trimmed(struct htsim *w, struct flow *f, const struct packet *d)
{
    struct over *over = &w->host[f->dst].over;

    f->result.rx_trimmed++;
    *(d->is_last_hop ? &over->now.trimmed_last : &over->now.trimmed_inside) += 1;
    if (is_known(f, d->number)) {
        nic_send_control(w, f->dst, new_ack(w, f, d->ev, ack_base(f, d->number), d->number, false,
                                            d->data_kind == DATA_RESENT));
        return;
    }
    on_target(w, f, d->target);
    struct packet *p = &w->packet[packet_new(w)];
    fill_answer(w, p, f, PACKET_NACK);
    w->counters.sim.nacks_sent++;
    p->ev = d->ev;
    p->number = d->number;
    p->is_last_hop = d->is_last_hop;
    p->is_marked = d->is_marked;
    nic_send_control(w, f->dst, (uint32_t)(p - w->packet));
    join_pacer(w, f);
}

static void on_rts(struct htsim *w, struct flow *f, const struct packet *d)
{
    uint32_t ack;

    on_target(w, f, d->target);
    join_pacer(w, f);
    bool is_copy = is_known(f, d->number);
    if (is_copy) {
        f->result.rx_duplicate++;
    } else if (d->number == f->expected) {
        advance(f);
        if (f->out_of_order == 0)
            f->is_asked = false;
    } else {
        keep(f, d->number);
    }
    ack = new_ack(w, f, d->ev, is_copy ? ack_base(f, d->number) : d->number, d->number, false, false);
    w->packet[ack].is_rts = true;
    nic_send_control(w, f->dst, ack);
    if (is_copy)
        f->accepted_bytes = 0;
}

void sink_on_packet(struct htsim *w, uint32_t packet)
{
    const struct packet *d = &w->packet[packet];
    struct flow         *f = &w->flow[d->flow];

    w->host[f->dst].over.now.received++;
    if (d->kind == PACKET_RTS)
        on_rts(w, f, d);
    else if (d->is_header)
        on_trimmed(w, f, d);
    else if (d->data_kind == DATA_PROBE)
        on_probe(w, f, d);
    else
        on_data(w, f, d);
    packet_free(w, packet);
}

/* ---- pacer ---- */

/* Sends a pull with 'unasked' units; 0: those requested, up to GRANT_UNITS. Returns how many. */
static int64_t grant(struct htsim *w, struct flow *f, int64_t unasked)
{
    int64_t units = unasked;

    if (!unasked) {
        units = f->highest_target - f->granted;
        units = units < 0 ? 0 : units > GRANT_UNITS ? GRANT_UNITS : units;
    }
    f->granted += units;
    f->pull_ev = (uint8_t)((f->pull_ev + 1) % PULL_EVS);
    struct packet *p = &w->packet[packet_new(w)];
    fill_answer(w, p, f, PACKET_PULL);
    p->number = (uint32_t)f->granted;
    p->ev = f->pull_ev;
    nic_send_control(w, f->dst, (uint32_t)(p - w->packet));
    return units;
}

/* Serves flows with requests first. If there are none, one without a request gets credit too, up to a window
 * beyond its request. A flow may be in the idle list more than once. */
void pacer_on_event(struct htsim *w, struct pacer *p)
{
    bool is_asked = p->active.count > 0;

    if (!is_asked && !p->idle.count) {
        p->is_on = false;
        return;
    }
    uint32_t flow = ring_take(is_asked ? &p->active : &p->idle);
    struct flow *f = &w->flow[flow];
    int64_t units = grant(w, f, is_asked ? 0 : GRANT_UNITS);
    bool wants = f->highest_target > f->granted;
    if (is_asked) {
        f->is_pulled = wants;
        ring_put(wants ? &p->active : &p->idle, flow);
    } else if (!wants && f->granted - f->highest_target < (uint32_t)w->conf_maxwnd / CREDIT_BYTES) {
        ring_put(&p->idle, flow);
    }
    world_enter(w, &p->event, w->now_ps + p->unit_ps * (uint64_t)(units ? units : IDLE_UNITS));
}

/* ---- oversubscription control ---- */

static void over_arm(struct htsim *w, struct over *o)
{
    double share = 0.75 + world_draw(w) / (double)MT_MAX / 2;

    world_enter(w, &o->event, w->now_ps + (uint64_t)(share * OVER_ROUND * (double)w->network_rtt_ps));
}

void over_start(struct htsim *w, struct over *o)
{
    o->rate = 1;
    over_arm(w, o);
}

/* Returns 2^n, infinite beyond the range of a double. */
static double power_of_two(uint64_t n)
{
    return n < 1024 ? __builtin_ldexp(1, (int)n) : __builtin_inf();
}

void over_on_event(struct htsim *w, struct over *o)
{
    const struct htsim_cfg *c = &w->cfg;
    uint64_t packets = o->now.received - o->was.received, marked = o->now.marked - o->was.marked,
             last = o->now.trimmed_last - o->was.trimmed_last,
             inside = o->now.trimmed_inside - o->was.trimmed_inside;
    double whole = (double)packets - (double)last - (double)inside,
           share = whole != 0 ? (double)marked / whole : 0;
    bool     is_slowed = inside > 0;

    o->was = o->now;
    if (inside > 0)
        o->rate -= (double)inside / (double)packets;
    o->g = o->g * (1 - c->over_alpha) + c->over_alpha * share;
    if (o->g > OVER_MARKED && c->over_md > 0) {
        o->rate = o->rate * (1 - (o->g - OVER_MARKED) * c->over_md);
        is_slowed = true;
    }
    if (!is_slowed)
        o->rate += marked == 0 ? c->over_ai * power_of_two(o->rounds) : c->over_ai;
    o->rounds = is_slowed ? 0 : o->rounds + 1;
    if (o->rate < w->over_min)
        o->rate = w->over_min;
    if (o->rate > 1)
        o->rate = 1;
    o->pacer->unit_ps = (uint64_t)((double)o->pacer->unit_ps_first / o->rate);
    over_arm(w, o);
}

void sink_init(struct htsim *w, uint32_t flow)
{
    struct flow *f = &w->flow[flow];

    f->granted = f->highest_target = PULL_FIRST;
    f->sink_entry = (struct turn_entry){ f->sink_id, NONE, { NONE, NONE } };
}
