/* src/cc/tcp_newreno.c - TCP NewReno (RFC 5681): one packet more per round trip, half after a loss. */
#include "cc/tcp.h"

struct newreno {
    uint64_t sum_bytes;          /* acknowledged since the window last grew */
};

static void newreno_on_ack(struct tcp_window *w, void *state, const struct tcp_ack *ack)
{
    struct newreno *n = state;
    uint64_t        rest;

    if (!ack->may_grow)
        return;
    rest = tcp_slow_start(w, ack->acked_bytes);
    if (rest)
        tcp_add_packet_per_window(w, &n->sum_bytes, rest);
}

static void newreno_on_loss(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    struct newreno *n = state;

    (void)now_ps;
    tcp_halve(w, flight_bytes);
    n->sum_bytes = 0;
}

static void newreno_on_timeout(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    newreno_on_loss(w, state, now_ps, flight_bytes);
    w->cwnd_bytes = w->mss_bytes;
}

extern const struct tcp_algo tcp_newreno;
const struct tcp_algo tcp_newreno = {
    .on_ack = newreno_on_ack,
    .on_loss = newreno_on_loss,
    .on_timeout = newreno_on_timeout,
    .name = "newreno",
    .about = "additive increase, multiplicative decrease (RFC 5681, 6582)",
    .state_size = sizeof(struct newreno),
};
