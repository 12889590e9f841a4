/* src/sim/forks/htsim/htsim_world_source.c - senders.
 *
 * A sender has a window (NSCC), credit from the receiver (RCCC), or both. It keeps a record of every packet
 * that was sent and not acknowledged, a list of these in sending order for its one timer, and the packets to
 * retransmit. The order of steps in each handler is uet-htsim's, and matters.
 */
#include "sim/forks/htsim/htsim_world.h"

#include <stdlib.h>

#define CREDIT_FIRST   50        /* packets */
#define RECORDS_FIRST  64u
#define SLEEK_PACKETS  5         /* least number of out-of-order packets to start recovery */

/* ---- records ---- */

static struct record *record_at(const struct flow *f, uint32_t number)
{
    return &f->record[number & (f->records - 1)];
}

static void grow_records(struct flow *f)
{
    uint32_t       room = f->records ? 2 * f->records : RECORDS_FIRST;
    struct record *record = xcalloc(room, sizeof *record);

    for (uint32_t i = f->acked; i != f->next && f->records; i++)
        record[i & (room - 1)] = *record_at(f, i);
    free(f->record);
    f->record = record;
    f->records = room;
}

/* Returns the record of a packet in flight, or NULL. */
static struct record *find_out(const struct flow *f, uint32_t number)
{
    if (number < f->acked || number >= f->next)
        return NULL;
    struct record *r = record_at(f, number);
    return r->is_out ? r : NULL;
}

/* Adds a record for packet f->next, which has not been sent yet. */
static void record_new(struct flow *f)
{
    if (f->next - f->acked >= f->records)
        grow_records(f);
    *record_at(f, f->next) = (struct record){ .resends = -1 };
}

static void record_sent(struct htsim *w, struct flow *f, uint32_t number, uint32_t bytes)
{
    struct record *r = record_at(f, number);

    r->sent_ps = w->now_ps;
    r->bytes = bytes;
    r->resends++;
    r->is_out = r->is_timed = true;
    r->before = f->newest;
    r->after = NONE;
    if (f->newest == NONE)
        f->oldest = number;
    else
        record_at(f, f->newest)->after = number;
    f->newest = number;
}

static void forget_time(struct flow *f, struct record *r)
{
    if (!r->is_timed)
        return;
    r->is_timed = false;
    if (r->before == NONE)
        f->oldest = r->after;
    else
        record_at(f, r->before)->after = r->after;
    if (r->after == NONE)
        f->newest = r->before;
    else
        record_at(f, r->after)->before = r->before;
}

/* ---- packets to retransmit ---- */

static uint32_t first_waiting(struct flow *f)
{
    while (!record_at(f, f->waiting_first)->waits)
        f->waiting_first++;
    return f->waiting_first;
}

static void stop_waiting(struct flow *f, struct record *r)
{
    r->waits = false;
    f->waiting--;
    f->waiting_bytes -= r->bytes;
}

/* ---- permission to send ---- */

static int64_t next_bytes(const struct htsim *w, struct flow *f)
{
    if (f->waiting)
        return record_at(f, first_waiting(f))->bytes;
    return f->backlog_bytes < w->cfg.mtu_bytes ? f->backlog_bytes : w->cfg.mtu_bytes;
}

static bool fits_window(const struct flow *f, int64_t bytes)
{
    return bytes > 0 && (f->nscc.cwnd_bytes >= f->in_flight_bytes + bytes || (f->in_recovery && f->waiting));
}

static bool may_send(const struct htsim *w, struct flow *f)
{
    if (!f->waiting && f->backlog_bytes == 0)
        return false;
    if (w->has_rccc && f->credit_bytes <= 0)
        return false;
    return !w->has_nscc || fits_window(f, next_bytes(w, f));
}

/* ---- timer ---- */

static void cancel_timer(struct htsim *w, struct flow *f)
{
    if (f->timer != NONE)
        timer_cancel(w, f->timer);
    f->timer = NONE;
}

static void start_timer(struct htsim *w, struct flow *f, uint64_t sent_ps)
{
    uint64_t at_ps = sent_ps + w->min_rto_ps;

    if (f->timer != NONE) {
        if (at_ps >= f->timer_ps)
            return;
        cancel_timer(w, f);
    }
    f->timer_ps = at_ps < w->now_ps ? w->now_ps : at_ps;
    f->timer_sent_ps = sent_ps;
    f->timer = timer_enter(w, (uint32_t)(f - w->flow), f->timer_ps);
}

/* Restarts the timer for the oldest packet in flight. */
static void renew_timer(struct htsim *w, struct flow *f)
{
    cancel_timer(w, f);
    if (f->oldest != NONE)
        start_timer(w, f, record_at(f, f->oldest)->sent_ps);
}

/* ---- sending ---- */

/* Returns the pull target to request from the receiver, in units of credit. */
static int64_t pull_target(const struct htsim *w, const struct flow *f)
{
    uint32_t asking = w->host[f->src].nic.asking.count;
    int64_t  mtu = w->cfg.mtu_bytes, t = f->backlog_bytes + f->waiting_bytes;

    if (!w->has_rccc)
        return 0;
    if (w->has_nscc && t > f->nscc.cwnd_bytes + mtu)
        t = f->nscc.cwnd_bytes + mtu;
    if (t > w->conf_maxwnd)
        t = w->conf_maxwnd;
    t -= f->credit_bytes;
    if (f->is_speculative && t < mtu && f->backlog_bytes > 0)
        t = mtu;
    if (asking > 1)
        t /= asking;
    return (t + f->pull * CREDIT_BYTES + CREDIT_BYTES - 1) / CREDIT_BYTES;
}

static struct packet *new_packet(struct htsim *w, struct flow *f, enum packet_kind kind, uint32_t number,
                                 uint32_t bytes)
{
    struct packet *p = &w->packet[packet_new(w)];

    p->kind = (uint8_t)kind;
    p->flow = (uint32_t)(f - w->flow);
    p->hash_id = f->id;
    p->dst = f->dst;
    p->number = number;
    p->bytes = (uint16_t)bytes;
    p->target = f->pull_target;
    p->ev = entropy_next(&f->entropy, &w->entropy, f->next, (uint64_t)f->nscc.cwnd_bytes / w->mss_bytes);
    return p;
}

static void send_data(struct htsim *w, struct flow *f, uint32_t number, uint32_t bytes, enum data_kind kind)
{
    w->counters.sim.data_sent++;
    w->counters.sim.payload_sent += bytes - HTSIM_HEADER_BYTES;
    if (w->has_rccc)
        f->credit_bytes -= bytes;
    f->in_flight_bytes += bytes;
    f->pull_target = pull_target(w, f);
    struct packet *p = new_packet(w, f, PACKET_DATA, number, bytes);
    p->data_kind = (uint8_t)kind;
    p->host_class = kind == DATA_SPECULATIVE ? CLASS_SPECULATIVE : CLASS_DATA;
    bool asks = f->backlog_bytes == 0 || (w->has_rccc && f->credit_bytes <= 0)
                || (w->has_nscc && f->in_flight_bytes + bytes >= f->nscc.cwnd_bytes);
    p->asks_ack = kind == DATA_RESENT || asks;
    record_sent(w, f, number, bytes);
    host_put(w, f->src, (uint32_t)(p - w->packet));
}

static uint32_t send_new(struct htsim *w, struct flow *f)
{
    uint32_t bytes = (uint32_t)(f->backlog_bytes < w->cfg.mtu_bytes ? f->backlog_bytes : w->cfg.mtu_bytes);

    f->backlog_bytes -= bytes;
    record_new(f);
    send_data(w, f, f->next, bytes, f->is_speculative ? DATA_SPECULATIVE : DATA_PULLED);
    f->next++;
    f->result.sent++;
    start_timer(w, f, w->now_ps);
    return bytes;
}

static uint32_t resend(struct htsim *w, struct flow *f)
{
    uint32_t       number = first_waiting(f);
    struct record *r = record_at(f, number);

    stop_waiting(f, r);
    send_data(w, f, number, r->bytes, DATA_RESENT);
    f->result.resent++;
    f->result.resent_bytes += r->bytes - HTSIM_HEADER_BYTES;
    start_timer(w, f, w->now_ps);
    return r->bytes;
}

static uint32_t send_next(struct htsim *w, struct flow *f)
{
    return f->waiting ? resend(w, f) : send_new(w, f);
}

/* Sends if the NIC is free, otherwise waits for it. */
static void send_while_permitted(struct htsim *w, struct flow *f)
{
    while (!f->is_asking && may_send(w, f)) {
        uint32_t flow = (uint32_t)(f - w->flow);

        f->is_asking = !nic_ask(w, f->src, flow);
        if (!f->is_asking)
            nic_send(w, f->src, flow, send_next(w, f));
    }
}

bool source_on_turn(struct htsim *w, uint32_t flow)
{
    struct flow *f = &w->flow[flow];

    f->is_asking = false;
    if (!may_send(w, f))
        return false;
    nic_send(w, f->src, flow, send_next(w, f));
    if (may_send(w, f))
        f->is_asking = !nic_ask(w, f->src, flow);
    return true;
}

void source_start(struct htsim *w, uint32_t flow)
{
    struct flow *f = &w->flow[flow];

    if (f->is_started) {
        world_fail(w, EINVAL, "flow %u is started twice; uet-htsim ends with an assertion here", f->id);
        return;
    }
    f->is_started = true;
    f->result.start_ps = (int64_t)w->now_ps;
    w->counters.sim.flows_started++;
    w->counters.sim.bytes_started += f->bytes;
    f->credit_bytes = w->conf_maxwnd;
    f->backlog_bytes =
        (int64_t)((f->bytes + w->mss_bytes - 1) / w->mss_bytes * HTSIM_HEADER_BYTES + f->bytes);
    send_while_permitted(w, f);
}

/* Requests credit, or an answer from the receiver. Uses up a packet number. */
static void send_rts(struct htsim *w, struct flow *f)
{
    if (f->rts_ps > 0 && w->now_ps - f->rts_ps < w->rts_gap_ps)
        return;
    record_new(f);
    record_sent(w, f, f->next, HTSIM_HEADER_BYTES);
    struct packet *p = new_packet(w, f, PACKET_RTS, f->next, HTSIM_HEADER_BYTES);
    p->is_header = p->asks_ack = true;
    p->host_class = CLASS_CONTROL;
    nic_send_control(w, f->src, (uint32_t)(p - w->packet));
    f->next++;
    f->result.rts++;
    f->rts_ps = w->now_ps;
    start_timer(w, f, w->now_ps);
}

static void stop_speculating(struct flow *f)
{
    if (f->is_speculative && f->credit_bytes > 0)
        f->credit_bytes = 0;
    f->is_speculative = false;
}

static void queue_resend(struct htsim *w, struct flow *f, uint32_t number)
{
    struct record *r = record_at(f, number);

    r->waits = true;
    if (!f->waiting || number < f->waiting_first)
        f->waiting_first = number;
    f->waiting++;
    f->waiting_bytes += r->bytes;
    if (!f->is_speculative || !w->has_rccc)
        send_while_permitted(w, f);
}

/* ---- ACK ---- */

static void learn(struct htsim *w, struct flow *f, uint16_t ev, enum entropy_feedback what)
{
    if (what == ENTROPY_TIMEOUT && w->cfg.balancer == ENTROPY_REPS && !w->cfg.trim)
        world_fail(w, EINVAL, "flow %u: a time-out with reps and without trimming; uet-htsim ends here",
                   f->id);
    entropy_learn(&f->entropy, &w->entropy, w->now_ps, ev, what);
}

static void learn_rtt(struct htsim *w, struct flow *f, uint64_t rtt_ps)
{
    if (!nscc_on_rtt(&f->nscc, &w->nscc, rtt_ps))
        world_fail(w, EINVAL,
                   "flow %u: a round trip of %llu ps makes its BDP 0; uet-htsim ends with an assertion here",
                   f->id, (unsigned long long)rtt_ps);
}

/* Returns the delay beyond the base RTT: of the acknowledged packet, or else the average. */
static uint64_t sample_delay(struct htsim *w, struct flow *f, const struct packet *p)
{
    const struct record *r = p->is_probe ? NULL : find_out(f, p->number);
    uint64_t             rtt_ps;

    if (r && r->resends == (p->is_resent ? 1 : 0)) {
        rtt_ps = w->now_ps - r->sent_ps;
        w->counters.sim.rtt_samples++;
        w->counters.sim.rtt_ps_sum += rtt_ps;
        if (rtt_ps > w->counters.rtt_ps_peak)
            w->counters.rtt_ps_peak = rtt_ps;
        if (!p->is_rts)
            learn_rtt(w, f, rtt_ps);
        if (rtt_ps < f->nscc.base_rtt_ps)
            return f->nscc.avg_delay_ps;
    } else if (p->is_probe && f->probe == p->number) {
        rtt_ps = w->now_ps - f->probe_sent_ps;
        if (rtt_ps < f->nscc.base_rtt_ps)
            return 0;
    } else {
        return f->nscc.avg_delay_ps;
    }
    nscc_add_delay(&f->nscc, &w->nscc, rtt_ps, p->is_marked);
    return rtt_ps - f->nscc.base_rtt_ps;
}

static void remove_record(struct htsim *w, struct flow *f, struct record *r)
{
    r->is_out = false;
    forget_time(f, r);
    if (r->sent_ps == f->timer_sent_ps)
        renew_timer(w, f);
}

/* Packets marked for retransmission were subtracted from the bytes in flight: adds them back. */
static void remove_waiting(struct flow *f, struct record *r)
{
    stop_waiting(f, r);
    f->in_flight_bytes += r->bytes;
}

static void acknowledge_up_to(struct htsim *w, struct flow *f, uint32_t expected)
{
    while (f->waiting && first_waiting(f) < expected)
        remove_waiting(f, record_at(f, first_waiting(f)));
    for (; f->acked < expected; f->acked++)
        if (record_at(f, f->acked)->is_out)
            remove_record(w, f, record_at(f, f->acked));
    if (f->waiting_first < f->acked)
        f->waiting_first = f->acked;
}

static void acknowledge_bits(struct htsim *w, struct flow *f, uint32_t ref, uint64_t bitmap)
{
    for (; bitmap; bitmap &= bitmap - 1) {
        uint32_t number = ref + (uint32_t)__builtin_ctzll(bitmap);

        if (number < f->acked || number >= f->next)
            continue;
        struct record *r = record_at(f, number);
        if (r->is_out)
            remove_record(w, f, r);
        else if (r->waits)
            remove_waiting(f, r);
    }
}

static void adapt_window(struct htsim *w, struct flow *f, const struct packet *p, uint64_t delay_ps,
                         int64_t newly)
{
    if (w->cfg.window == HTSIM_WINDOW_NSCC)
        nscc_on_ack(&f->nscc, &w->nscc, w->now_ps, p->is_marked, delay_ps, newly, f->in_flight_bytes);
    else if (w->cfg.window == HTSIM_WINDOW_DCTCP)
        nscc_dctcp_on_ack(&f->nscc, &w->nscc, p->is_marked, newly);
}

/* ---- SLEEK ---- */

static void arm_probe(struct htsim *w, struct flow *f, uint64_t at_ps)
{
    f->probe_ps = at_ps;
    f->probe_timer = timer_enter(w, (uint32_t)(f - w->flow), at_ps);
}

static void resend_gaps(struct htsim *w, struct flow *f, uint32_t expected)
{
    uint32_t i = expected;

    for (; i < f->recovery_end && i < expected + f->nscc.cwnd_bytes / w->mss_bytes; i++) {
        struct record *r = i >= f->resent_up_to ? find_out(f, i) : NULL;

        if (!r)
            continue;
        f->result.sleek++;
        f->in_flight_bytes -= r->bytes;
        r->is_out = false;
        forget_time(f, r);
        f->resent_up_to = i + 1;
        uint64_t sent_ps = r->sent_ps;    /* the calls below may move the record and resend the packet */
        queue_resend(w, f, i);
        if (sent_ps == f->timer_sent_ps)
            renew_timer(w, f);
    }
}

static void recover(struct htsim *w, struct flow *f, const struct packet *p)
{
    int64_t mss = w->mss_bytes, most = (int64_t)(1.5 * (double)f->nscc.cwnd_bytes);

    most = most < f->nscc.maxwnd_bytes ? most : f->nscc.maxwnd_bytes;
    most = most > SLEEK_PACKETS * mss ? most : SLEEK_PACKETS * mss;
    if (p->expected >= f->recovery_end)
        f->in_recovery = false;
    if (p->out_of_order < most / mss && !f->in_recovery)
        return;
    if (!f->in_recovery && !f->waiting) {
        f->in_recovery = true;
        f->recovery_end = f->next;
    }
    resend_gaps(w, f, p->expected);
    send_while_permitted(w, f);
}

static void sleek_on_ack(struct htsim *w, struct flow *f, const struct packet *p, uint64_t delay_ps)
{
    uint64_t base_ps = f->nscc.base_rtt_ps;

    if (f->probe_timer != NONE)
        timer_cancel(w, f->probe_timer);
    f->probe_timer = NONE;
    f->probe_ps = 0;
    if (p->expected < f->next || f->backlog_bytes > 0)
        arm_probe(w, f, w->now_ps + (f->backlog_bytes ? 3 * base_ps : base_ps + w->nscc.target_delay_ps));
    if (p->is_probe && delay_ps < w->nscc.target_delay_ps) {
        f->in_recovery = true;
        f->recovery_end = f->next;
        f->resent_up_to = p->expected;
    }
    recover(w, f, p);
}

/* ---- ACK, continued ---- */

static void finish(struct htsim *w, struct flow *f)
{
    f->is_speculative = false;
    if (f->end_trigger != MATRIX_NO_TRIGGER)
        trigger_fire(w, f->end_trigger);
    cancel_timer(w, f);
    f->is_done = true;
    f->result.finish_ps = (int64_t)w->now_ps;
    f->result.cwnd_at_finish = f->nscc.cwnd_bytes;
    w->counters.unfinished--;
    w->counters.sim.flows_done++;
    w->counters.sim.bytes_done += f->bytes;
    if (w->finished) {
        struct htsim_flow result;

        htsim_flow(w, (uint32_t)(f - w->flow), &result);
        w->finished(w->finished_arg, &result);
    }
}

static void on_ack(struct htsim *w, struct flow *f, const struct packet *p)
{
    int64_t newly =
        (int64_t)p->received_bytes > f->known_bytes ? (int64_t)p->received_bytes - f->known_bytes : 0;

    f->known_bytes += newly;
    nscc_count(&f->nscc, newly);
    f->result.acks++;
    f->in_flight_bytes -= newly;
    uint64_t delay_ps = sample_delay(w, f, p);
    acknowledge_up_to(w, f, p->expected);
    acknowledge_bits(w, f, p->ref, p->bitmap);
    learn(w, f, p->ev, p->is_marked ? ENTROPY_MARKED : ENTROPY_GOOD);
    if (w->has_nscc)
        adapt_window(w, f, p, delay_ps, newly);
    if (w->has_nscc && w->cfg.sleek)
        sleek_on_ack(w, f, p, delay_ps);
    stop_speculating(f);
    if (!f->is_done && ((int64_t)p->expected - (int64_t)f->result.rts) * w->mss_bytes >= (int64_t)f->bytes)
        finish(w, f);
    if (!f->is_done)
        send_while_permitted(w, f);
}

/* ---- NACK and pull ---- */

static void window_on_nack(struct htsim *w, struct flow *f, uint32_t bytes, bool is_last_hop)
{
    if (w->cfg.window == HTSIM_WINDOW_NSCC)
        nscc_on_trim(&f->nscc, &w->nscc, w->now_ps, bytes, w->has_rccc && is_last_hop, f->in_flight_bytes);
    else if (w->cfg.window == HTSIM_WINDOW_DCTCP)
        nscc_lose(&f->nscc, &w->nscc, bytes);
}

/* A NACK may belong to an earlier copy: then the round trip is too short. */
static void on_nack(struct htsim *w, struct flow *f, const struct packet *p)
{
    struct record *r = find_out(f, p->number);

    f->result.nacks++;
    if (!r)
        return;
    uint64_t sent_ps = r->sent_ps;
    if (w->cfg.base_rtt_on_nack)
        learn_rtt(w, f, w->now_ps - sent_ps);
    if (w->has_nscc)
        window_on_nack(w, f, r->bytes, p->is_last_hop);
    r->is_out = false;
    f->in_flight_bytes -= r->bytes;
    forget_time(f, r);
    stop_speculating(f);
    queue_resend(w, f, p->number);
    if (sent_ps == f->timer_sent_ps)
        renew_timer(w, f);
    learn(w, f, p->ev, !p->is_last_hop ? ENTROPY_TRIMMED : p->is_marked ? ENTROPY_MARKED : ENTROPY_GOOD);
    send_while_permitted(w, f);
}

static void on_pull(struct htsim *w, struct flow *f, const struct packet *p)
{
    f->result.pulls++;
    stop_speculating(f);
    if (p->number > f->pull) {
        f->credit_bytes += (p->number - f->pull) * CREDIT_BYTES;
        if (f->credit_bytes > w->conf_maxwnd)
            f->credit_bytes = w->conf_maxwnd;
        f->pull = p->number;
    }
    send_while_permitted(w, f);
}

void source_on_packet(struct htsim *w, uint32_t packet)
{
    struct packet *p = &w->packet[packet];
    struct flow   *f = &w->flow[p->flow];

    if (p->kind == PACKET_ACK) {
        on_ack(w, f, p);
        p->next = w->free_ack;
        w->free_ack = packet;
        return;
    }
    if (p->kind == PACKET_NACK)
        on_nack(w, f, p);
    else
        on_pull(w, f, p);
    packet_free(w, packet);
}

/* ---- timeouts ---- */

/* In recovery a timeout only updates the timer: SLEEK retransmits without it. */
static void on_timeout_in_recovery(struct htsim *w, struct flow *f, uint32_t number)
{
    if (record_at(f, number)->resends < 1)
        renew_timer(w, f);
    else
        f->resent_up_to = number;
}

/* The packet has just been queued, which mostly sent it. uet-htsim then asks the NIC once more, without the
 * flow remembering it. If the NIC is free, it accounts the packet as one byte. */
static void ask_again(struct htsim *w, struct flow *f)
{
    if (!nic_ask(w, f->src, (uint32_t)(f - w->flow)))
        return;
    if (!f->waiting) {
        world_fail(w, EINVAL, "flow %u has nothing to send again; uet-htsim ends with an assertion here",
                   f->id);
        return;
    }
    resend(w, f);
    nic_send(w, f->src, (uint32_t)(f - w->flow), 1);
}

static void on_timeout(struct htsim *w, struct flow *f)
{
    uint32_t       number = f->oldest;
    struct record *r = record_at(f, number);
    bool           others = f->waiting > 0;

    f->result.timeouts++;
    w->counters.sim.timeouts++;
    uint32_t bytes = r->bytes;
    learn(w, f, 0, ENTROPY_TIMEOUT);
    forget_time(f, r);
    if (w->has_nscc && w->cfg.sleek && f->in_recovery) {
        on_timeout_in_recovery(w, f, number);
        return;
    }
    r->is_out = false;
    renew_timer(w, f);
    if (w->has_nscc) {
        f->in_flight_bytes -= bytes;
        nscc_lose(&f->nscc, &w->nscc, bytes);
    }
    if (others)
        stop_speculating(f);
    queue_resend(w, f, number);
    if (others) {
        if (w->has_rccc)
            send_rts(w, f);
    } else if ((w->has_nscc && f->nscc.cwnd_bytes < bytes + f->in_flight_bytes)
               || (w->has_rccc && f->credit_bytes <= 0)) {
        send_rts(w, f);
    } else {
        ask_again(w, f);
    }
}

static void send_probe(struct htsim *w, struct flow *f)
{
    struct packet *p = new_packet(w, f, PACKET_DATA, ++f->probe, HTSIM_HEADER_BYTES);

    p->data_kind = DATA_PROBE;
    p->host_class = CLASS_DATA;
    p->target = 0;
    nic_send_control(w, f->src, (uint32_t)(p - w->packet));
    f->probe_sent_ps = w->now_ps;
    arm_probe(w, f, w->now_ps + 5 * f->nscc.base_rtt_ps);
}

/* One handler for the start, the retransmission timer and the probe: the event of one may do the work of
 * another that is due at the same time. */
void source_on_timer(struct htsim *w, struct timer *t)
{
    struct flow *f = &w->flow[t->flow];
    uint32_t     line = evq_id(&w->evq, &t->event);

    if (f->probe_timer == line)
        f->probe_timer = NONE;
    if (f->timer != NONE && w->now_ps == f->timer_ps) {
        f->timer = NONE;
        on_timeout(w, f);
    } else if (f->next == 0) {
        source_start(w, t->flow);
    }
    if (w->has_nscc && w->cfg.sleek && f->probe_ps != 0 && f->probe_ps == w->now_ps)
        send_probe(w, f);
}

void htsim_flow(const struct htsim *w, uint32_t flow, struct htsim_flow *out)
{
    const struct flow *f = &w->flow[flow];

    *out = f->result;
    out->src = f->src;
    out->dst = f->dst;
    out->id = f->id;
    out->bytes = f->bytes;
    out->cwnd_bytes = f->nscc.cwnd_bytes;
    out->maxwnd_bytes = f->nscc.maxwnd_bytes;
    out->base_rtt_ps = f->nscc.base_rtt_ps;
    out->avg_delay_ps = f->nscc.avg_delay_ps;
    out->in_flight_bytes = f->in_flight_bytes;
}

void source_init(struct htsim *w, uint32_t flow, uint64_t base_rtt_ps)
{
    struct flow *f = &w->flow[flow];

    f->oldest = f->newest = f->timer = f->probe_timer = NONE;
    f->timer_sent_ps = UINT64_MAX;
    f->credit_bytes = (int64_t)CREDIT_FIRST * w->cfg.mtu_bytes;
    f->pull = f->pull_target = PULL_FIRST;
    f->is_speculative = true;
    f->result.start_ps = f->result.finish_ps = f->result.cwnd_at_finish = -1;
    nscc_init(&f->nscc, &w->nscc, base_rtt_ps, (int64_t)w->cfg.cwnd_packets * w->cfg.mtu_bytes);
    w->conf_maxwnd = f->nscc.maxwnd_bytes;
    for (int class = 0; class < CLASSES; class++)
        f->entry[class] = (struct turn_entry){ f->id, NONE, { NONE, NONE } };
}
