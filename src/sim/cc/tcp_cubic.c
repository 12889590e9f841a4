/* src/sim/cc/tcp_cubic.c - CUBIC (RFC 9438), with fast convergence.
 *
 * After a loss at window Wmax, and a cut to beta Wmax, the window is a cubic function of the time t since
 * then. It is flat near Wmax, so that it stays there long and probes beyond it carefully:
 *
 *   W(t) = C (t - K)^3 + Wmax       K = cbrt((Wmax - cwnd at t = 0) / C)        C = 0.4, beta = 0.7
 *
 * Where NewReno with the same beta would be faster (West: small windows and short round trips, so nearly
 * always in a data center), it behaves like NewReno. Windows are in packets, times in seconds.
 *
 * Only + - * / are used, so that results are the same on every processor.
 */
#include "sim/cc/tcp.h"
#include "core/units.h"

#define C    0.4
#define BETA 0.7

struct cubic {
    double   cwnd;               /* with its fraction; the visible window is rounded down */
    double   w_max, k_s;
    double   w_est;              /* the window that NewReno would have */
    double   w_prior;            /* before the last cut: above it, West grows as NewReno's */
    uint64_t epoch_ps;           /* t = 0 */
    bool     has_epoch;
};

static inline double cube(double x)
{
    return x * x * x;
}

/* Newton's method, from above: decreases to the root and stops there. */
static double cbrt_of(double x)
{
    double root = x > 1 ? x : 1, next = root;

    if (x <= 0)
        return 0;
    do {
        root = next;
        next = (2 * root + x / (root * root)) / 3;
    } while (next < root);
    return root;
}

static void publish_window(struct tcp_window *w, const struct cubic *c)
{
    w->cwnd_bytes = (uint64_t)(c->cwnd * w->mss_bytes);
    if (w->cwnd_bytes < w->mss_bytes)
        w->cwnd_bytes = w->mss_bytes;
}

static void begin_epoch(struct cubic *c, uint64_t now_ps)
{
    c->has_epoch = true;
    c->epoch_ps = now_ps;
    if (c->w_max < c->cwnd)
        c->w_max = c->cwnd;      /* slow start ended without a loss: there is no previous maximum */
    c->k_s = cbrt_of((c->w_max - c->cwnd) / C);
    c->w_est = c->cwnd;
}

static double curve(const struct cubic *c, uint64_t t_ps)
{
    return C * cube((double)t_ps / (double)PS_PER_S - c->k_s) + c->w_max;
}

static void avoid_congestion(struct cubic *c, const struct tcp_ack *ack, double acked)
{
    uint64_t t_ps = ack->now_ps - c->epoch_ps;
    double   slope = c->w_est < c->w_prior ? 3 * (1 - BETA) / (1 + BETA) : 1, target;

    c->w_est += slope * acked / c->cwnd;
    if (curve(c, t_ps) < c->w_est) {
        if (c->cwnd < c->w_est)
            c->cwnd = c->w_est;
        return;
    }
    target = curve(c, t_ps + ack->rtt_ps);
    target = target > 1.5 * c->cwnd ? 1.5 * c->cwnd : target;
    if (target > c->cwnd)
        c->cwnd += (target - c->cwnd) / c->cwnd * acked;
}

static void cubic_on_ack(struct tcp_window *w, void *state, const struct tcp_ack *ack)
{
    struct cubic *c = state;

    if (!ack->may_grow)
        return;
    uint64_t rest = tcp_slow_start(w, ack->acked_bytes);
    if (rest < ack->acked_bytes)
        c->cwnd = (double)w->cwnd_bytes / w->mss_bytes;
    if (!rest)
        return;
    if (!c->has_epoch)
        begin_epoch(c, ack->now_ps);
    avoid_congestion(c, ack, (double)rest / w->mss_bytes);
    publish_window(w, c);
}

/* Fast convergence: a flow that is cut before it regains Wmax leaves room for others. */
static void cubic_on_loss(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    struct cubic *c = state;
    double        flight = (double)flight_bytes / w->mss_bytes;

    (void)now_ps;
    c->w_prior = c->cwnd;
    c->w_max = c->cwnd < c->w_max ? c->cwnd * (1 + BETA) / 2 : c->cwnd;
    c->cwnd = flight * BETA > 2 ? flight * BETA : 2;
    c->has_epoch = false;
    publish_window(w, c);
    w->ssthresh_bytes = w->cwnd_bytes;
}

static void cubic_on_timeout(struct tcp_window *w, void *state, uint64_t now_ps, uint64_t flight_bytes)
{
    struct cubic *c = state;

    cubic_on_loss(w, state, now_ps, flight_bytes);
    c->cwnd = 1;
    publish_window(w, c);
}

static void cubic_start(struct tcp_window *w, void *state)
{
    struct cubic *c = state;

    c->cwnd = (double)w->cwnd_bytes / w->mss_bytes;
}

const struct tcp_algo tcp_cubic = {
    .on_ack = cubic_on_ack, .on_loss = cubic_on_loss, .on_timeout = cubic_on_timeout, .start = cubic_start,
    .name = "cubic", .about = "grows as a cubic of the time since the last loss (RFC 9438); Linux's default",
    .state_size = sizeof(struct cubic),
};
