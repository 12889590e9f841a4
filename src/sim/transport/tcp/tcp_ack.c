#include "sim/transport/tcp/tcp.h"
#include "sim/transport/transport.h"

#define LOST_AFTER 3             /* packets received behind a missing one */

/* Updates the round-trip estimate and the timeout (RFC 6298). */
static void measure(struct tcp_tx *t, uint64_t rtt_ps)
{
    uint64_t off = t->srtt_ps > rtt_ps ? t->srtt_ps - rtt_ps : rtt_ps - t->srtt_ps;

    t->rttvar_ps = (3 * t->rttvar_ps + off) / 4;
    t->srtt_ps = (7 * t->srtt_ps + rtt_ps) / 8;
    t->rto_ps = t->srtt_ps + 4 * t->rttvar_ps;
    if (t->rto_ps < t->cfg->rto_ps_min)
        t->rto_ps = t->cfg->rto_ps_min;
}

/* All packets before 'to' have arrived. */
static void advance(struct tcp_tx *t, uint64_t to)
{
    for (uint64_t n = t->first; n < to; n++)
        if (tcp_has_bit(t->is_sacked, n)) {
            tcp_flip_bit(t->is_sacked, n);
            t->sacked--;
        } else if (n >= t->resend && n < t->lost_to) {
            t->holes--;
        }
    t->first = to;
    t->lost_to = t->lost_to > to ? t->lost_to : to;
    t->resend = t->resend > to ? t->resend : to;
}

/* Packets from .. to - 1 have arrived out of order. */
static void note_sacks(struct tcp_tx *t, uint64_t from, uint64_t to)
{
    for (uint64_t n = from > t->first ? from : t->first; n < to && n < t->next; n++) {
        if (tcp_has_bit(t->is_sacked, n))
            continue;
        tcp_flip_bit(t->is_sacked, n);
        t->sacked++;
        if (n >= t->resend && n < t->lost_to)
            t->holes--;
        t->top = n > t->top ? n : t->top;
    }
}

/* Declares all missing packets before 'to' lost. */
static void lose(struct tcp_tx *t, uint64_t to)
{
    for (; t->lost_to < to; t->lost_to++)
        t->holes += !tcp_has_bit(t->is_sacked, t->lost_to);
}

/* New packets are sent only after all retransmissions. If three of them have arrived, retransmissions that
 * have not were lost too: there is still too much in flight (RFC 6675, 5.1). */
static void repeat_repairs(struct sim *s, struct tcp_tx *t)
{
    t->cfg->algo->on_loss(&t->window, t->state, s->engine.now_ps, tcp_flight_bytes(t));
    t->resend = t->first;
    for (uint64_t n = t->first; n < t->lost_to; n++)
        t->holes += !tcp_has_bit(t->is_sacked, n);
    t->repair_at = t->next;
}

/* Declares packets lost that have three received packets behind them. */
static void find_losses(struct sim *s, struct tcp_tx *t)
{
    uint32_t behind = 0;

    if (t->sacked < LOST_AFTER)
        return;
    if (!t->holes && t->resend > t->first && t->top >= t->repair_at + LOST_AFTER - 1)
        repeat_repairs(s, t);
    for (uint64_t n = t->top; n > t->lost_to; n--)
        if (tcp_has_bit(t->is_sacked, n) && ++behind == LOST_AFTER) {
            lose(t, n);
            return;
        }
}

/* Updates the phase. A loss in the open phase cuts the window and sends a retransmission immediately. */
static void judge(struct sim *s, struct tcp_tx *t, bool is_new)
{
    if (t->phase != TCP_OPEN && t->first >= t->recover)
        t->phase = TCP_OPEN;
    if (t->phase == TCP_RECOVERY && is_new && t->first >= t->lost_to)
        lose(t, t->first + 1);   /* the next unrepaired packet before 'recover' is missing too */
    if (t->phase != TCP_OPEN || !t->holes)
        return;
    t->cfg->algo->on_loss(&t->window, t->state, s->engine.now_ps, tcp_flight_bytes(t));
    t->phase = TCP_RECOVERY;
    t->recover = t->next;
    t->is_urgent = true;
}

/* Returns true if the window limits this sender, rather than its host's link. */
static bool is_limited(const struct tcp_tx *t, uint64_t flight)
{
    uint64_t window = t->window.cwnd_bytes / t->window.mss_bytes;

    if (t->window.cwnd_bytes < t->window.ssthresh_bytes)
        return window < 2 * flight;
    return window <= flight + tcp_full_burst(t);
}

/* A mark cuts the window once per round trip, unless a loss has already done so. */
static void on_mark(struct sim *s, struct tcp_tx *t)
{
    const struct tcp_algo *a = t->cfg->algo;

    if (t->phase != TCP_OPEN || t->first <= t->cut_at)
        return;
    (a->on_ecn ? a->on_ecn : a->on_loss)(&t->window, t->state, s->engine.now_ps, tcp_flight_bytes(t));
    t->cut_at = t->next;
}

static void grow(struct sim *s, struct tcp_tx *t, const struct packet *k, uint64_t acked_bytes,
                 uint64_t flight)
{
    bool           is_marked = k->flags & PACKET_ECHO;
    struct tcp_ack a = { s->engine.now_ps, t->srtt_ps, acked_bytes, is_marked ? acked_bytes : 0,
                         !is_marked && t->phase != TCP_RECOVERY && is_limited(t, flight),
                         t->first > t->round_at };

    if (a.ends_round)
        t->round_at = t->next;
    t->cfg->algo->on_ack(&t->window, t->state, &a);
    if (is_marked)
        on_mark(s, t);
}

APART enum act tcp_on_ack(struct sim *s, struct host *h, struct packet *k)
{
    struct flow *f = flow_answered(s, k);

    if (!f)
        return ACT_IGNORE;
    struct tcp_tx *t = tcp_tx_of(s, f);
    uint64_t       acked = k->seq > f->acked ? k->seq - f->acked : 0, flight = tcp_in_flight(t);
    uint32_t       mss = t->window.mss_bytes;

    if (acked) {
        f->acked = k->seq;
        if (f->acked >= f->bytes) {
            tcp_finish(s, h, f);
            return ACT_FREE;
        }
        advance(t, f->acked / mss);
    }
    if (k->kind == TCP_SACK)
        note_sacks(t, k->seq / mss + (k->sent_ps >> 32), k->seq / mss + (uint32_t)k->sent_ps);
    else if (acked)
        measure(t, s->engine.now_ps - k->sent_ps);
    find_losses(s, t);
    judge(s, t, acked > 0);
    if (acked)
        grow(s, t, k, acked, flight);
    if (t->next == t->first)
        t->deadline_ps = NEVER;
    else if (acked)
        tcp_restart_timer(s, f);
    tcp_wake(s, h, f);
    return ACT_FREE;
}
