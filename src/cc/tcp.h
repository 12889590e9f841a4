/* src/cc/tcp.h - how a TCP sender picks its window.
 *
 * One file per algorithm, tcp_<name>.c; each stands in tcp_all[] (tcp.c). An algorithm sees
 * acknowledgements, losses, marks and time-outs, and sets the window. What is in flight, what is lost and
 * when to send is the sender's business (sim/host/tcp/tcp.h).
 *
 * Hooks are called with non-decreasing now_ps. They do not allocate or fail.
 */
#ifndef CC_TCP_H
#define CC_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCP_STATE_MAX       80
#define TCP_INITIAL_PACKETS 10u  /* RFC 6928 */

struct tcp_window {
    uint64_t cwnd_bytes;         /* may be in flight; a packet at least */
    uint64_t ssthresh_bytes;     /* below it the window doubles every round trip */
    uint32_t mss_bytes;          /* payload of a full packet */
};

/* Bytes that were not acknowledged before. */
struct tcp_ack {
    uint64_t now_ps;
    uint64_t rtt_ps;             /* smoothed */
    uint64_t acked_bytes;
    uint64_t marked_bytes;       /* of those: acknowledged as marked */
    bool     may_grow;           /* the window is what limits the sender, and no loss is being repaired */
    bool     ends_round;         /* everything that was in flight when the round began is acknowledged */
};

struct tcp_algo {
    void (*on_ack)    (struct tcp_window *, void *state, const struct tcp_ack *);

    /* A loss or, on_ecn, a mark: each called once per window of data. 'flight_bytes' are sent and not
     * acknowledged. on_ecn NULL: marks are taken as losses. */
    void (*on_loss)   (struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);
    void (*on_ecn)    (struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);
    void (*on_timeout)(struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);

    /* 'state': zeroed. The window is that of tcp_window_init(). */
    void (*start)     (struct tcp_window *, void *state);    /* NULL: nothing to do */

    const char *name;            /* as written in scenario files */
    const char *about;           /* one line */
    bool        is_ecn;          /* cannot do without marks */
    size_t      state_size;      /* at most TCP_STATE_MAX */
};

extern const struct tcp_algo *const tcp_all[];   /* NULL-terminated */

/* Returns the algorithm called 'name', or NULL. */
const struct tcp_algo *tcp_find(const char *name);

/* Ten packets, and slow start without limit. */
void tcp_window_init(struct tcp_window *, uint32_t mss_bytes);

/* Slow start (RFC 5681): takes of 'acked_bytes' what brings the window up to ssthresh and returns the rest. */
uint64_t tcp_slow_start(struct tcp_window *, uint64_t acked_bytes);

/* Congestion avoidance (RFC 5681): a packet per window of acknowledged bytes; 'sum' counts them. */
void tcp_add_packet_per_window(struct tcp_window *, uint64_t *sum_bytes, uint64_t acked_bytes);

/* Half of what is in flight, two packets at least. */
void tcp_halve(struct tcp_window *, uint64_t flight_bytes);

#endif
