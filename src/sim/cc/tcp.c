/* src/sim/cc/tcp.c - the list of TCP congestion controls, slow start, and NewReno (RFC 5681): one packet more
 * per round trip, half after a loss. */
#include "sim/cc/tcp.h"

extern const struct tcp_algo tcp_cubic, tcp_dctcp, tcp_newreno;

const struct tcp_algo *const tcp_all[] = { &tcp_newreno, &tcp_cubic, &tcp_dctcp, NULL };

void tcp_window_init(struct tcp_window *w, uint32_t mss_bytes)
{
    *w = (struct tcp_window){ (uint64_t)TCP_INITIAL_PACKETS * mss_bytes, UINT64_MAX, mss_bytes };
}

uint64_t tcp_slow_start(struct tcp_window *w, uint64_t acked_bytes)
{
    uint64_t room = w->cwnd_bytes < w->ssthresh_bytes ? w->ssthresh_bytes - w->cwnd_bytes : 0;
    uint64_t taken = acked_bytes < room ? acked_bytes : room;

    w->cwnd_bytes += taken;
    return acked_bytes - taken;
}

/* ---- NewReno ---- */

/* Slow start, then congestion avoidance: one packet per window of acknowledged bytes. */
void tcp_reno_on_ack(struct tcp_window *w, void *state, const struct tcp_ack *ack)
{
    struct tcp_reno *n = state;
    uint64_t         rest = ack->may_grow ? tcp_slow_start(w, ack->acked_bytes) : 0;

    n->sum_bytes += rest;
    while (rest && n->sum_bytes >= w->cwnd_bytes) {
        n->sum_bytes -= w->cwnd_bytes;
        w->cwnd_bytes += w->mss_bytes;
    }
}

void tcp_reno_on_loss(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    struct tcp_reno *n = state;
    uint64_t         least = 2ull * w->mss_bytes;

    (void)now_ps;
    w->ssthresh_bytes = flight_bytes / 2 > least ? flight_bytes / 2 : least;
    w->cwnd_bytes = w->ssthresh_bytes;
    n->sum_bytes = 0;
}

void tcp_reno_on_timeout(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    tcp_reno_on_loss(w, state, now_ps, flight_bytes);
    w->cwnd_bytes = w->mss_bytes;
}

const struct tcp_algo tcp_newreno = {
    .on_ack = tcp_reno_on_ack, .on_loss = tcp_reno_on_loss, .on_timeout = tcp_reno_on_timeout,
    .name = "newreno", .about = "additive increase, multiplicative decrease (RFC 5681, 6582)",
    .state_size = sizeof(struct tcp_reno),
};
