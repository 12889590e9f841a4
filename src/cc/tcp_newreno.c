/* src/cc/tcp_newreno.c - TCP NewReno (RFC 5681): one packet more per round trip, half after a loss. */
#include "cc/tcp.h"

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

extern const struct tcp_algo tcp_newreno;
const struct tcp_algo tcp_newreno = {
    .on_ack = tcp_reno_on_ack,
    .on_loss = tcp_reno_on_loss,
    .on_timeout = tcp_reno_on_timeout,
    .name = "newreno",
    .about = "additive increase, multiplicative decrease (RFC 5681, 6582)",
    .state_size = sizeof(struct tcp_reno),
};
