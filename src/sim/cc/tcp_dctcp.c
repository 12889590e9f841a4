/* src/sim/cc/tcp_dctcp.c - DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257).
 *
 * Switches mark packets that find a queue above K. The sender keeps alpha, the smoothed share of marked
 * bytes, and cuts its window by alpha / 2, once per window with marks. Between cuts, and after losses, it is
 * NewReno.
 *
 *   alpha = (1 - g) alpha + g F    once per window; F: share of marked bytes in it, g = 1/16
 *   cwnd  = cwnd (1 - alpha / 2)
 */
#include "sim/cc/tcp.h"

#define ALPHA_ONE (1u << 20)     /* alpha is a fixed-point number */
#define G_SHIFT   4

struct tcp_dctcp {
    struct tcp_reno reno;                /* must be first: NewReno handles losses */
    uint64_t        acked_bytes, marked_bytes;   /* in this window */
    uint32_t        alpha;
};

/* Rounds so that alpha reaches 0 and 1. */
static void end_window(struct tcp_dctcp *d)
{
    uint32_t share = (uint32_t)(d->marked_bytes * ALPHA_ONE / d->acked_bytes);
    uint32_t decay = d->alpha >> G_SHIFT;

    d->alpha -= decay ? decay : d->alpha;
    d->alpha += share >> G_SHIFT;
    if (d->alpha > ALPHA_ONE)
        d->alpha = ALPHA_ONE;
    d->acked_bytes = d->marked_bytes = 0;
}

static void dctcp_on_ack(struct tcp_window *w, void *state, const struct tcp_ack *ack)
{
    struct tcp_dctcp *d = state;

    d->acked_bytes += ack->acked_bytes;
    d->marked_bytes += ack->marked_bytes;
    if (ack->ends_round)
        end_window(d);
    tcp_reno_on_ack(w, &d->reno, ack);
}

static void dctcp_on_ecn(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    const struct tcp_dctcp *d = state;
    uint64_t                cut = w->cwnd_bytes * d->alpha / (2ull * ALPHA_ONE), least = 2ull * w->mss_bytes;

    (void)now_ps, (void)flight_bytes;
    w->cwnd_bytes = w->cwnd_bytes - cut > least ? w->cwnd_bytes - cut : least;
    w->ssthresh_bytes = w->cwnd_bytes;
}

/* Alpha starts at 1, so the first mark halves the window: RFC 8257, 4.2. */
static void dctcp_start(struct tcp_window *w, void *state)
{
    struct tcp_dctcp *d = state;

    (void)w;
    d->alpha = ALPHA_ONE;
}

const struct tcp_algo tcp_dctcp = {
    .on_ack = dctcp_on_ack, .on_loss = tcp_reno_on_loss, .on_ecn = dctcp_on_ecn,
    .on_timeout = tcp_reno_on_timeout, .start = dctcp_start,
    .name = "dctcp", .about = "cuts its window by the share of marked bytes (RFC 8257)",
    .state_size = sizeof(struct tcp_dctcp),
    .is_ecn = true,
};
