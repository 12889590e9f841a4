/* src/sim/cc/tcp.h - the interface of TCP congestion control, which sets a sender's window.
 *
 * Each algorithm is one file, tcp_<name>.c, and is listed in tcp_all[] (tcp.c). It sees acknowledgements,
 * losses, marks and timeouts, and sets the window. The sender (sim/transport/tcp/tcp.h) tracks packets in
 * flight and lost packets, and decides when to send.
 *
 * Hooks are called with non-decreasing now_ps. They do not allocate or fail.
 */
#ifndef SIM_CC_TCP_H
#define SIM_CC_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCP_STATE_MAX       80
#define TCP_INITIAL_PACKETS 10u  /* RFC 6928 */

struct tcp_window {
    uint64_t cwnd_bytes;         /* limit of bytes in flight; at least a packet */
    uint64_t ssthresh_bytes;     /* below this, the window doubles every round trip */
    uint32_t mss_bytes;          /* payload of a full packet */
};

/* Newly acknowledged bytes. */
struct tcp_ack {
    uint64_t now_ps;
    uint64_t rtt_ps;             /* smoothed */
    uint64_t acked_bytes;
    uint64_t marked_bytes;       /* of those: acknowledged as marked */
    bool     may_grow;           /* the sender is limited by the window, and not in loss recovery */
    bool     ends_round;         /* everything in flight when the round began is acknowledged */
};

struct tcp_algo {
    void (*on_ack)    (struct tcp_window *, void *state, const struct tcp_ack *);

    /* A loss or (on_ecn) a mark, each reported once per window of data. 'flight_bytes' are sent but not
     * acknowledged. on_ecn NULL: marks count as losses. */
    void (*on_loss)   (struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);
    void (*on_ecn)    (struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);
    void (*on_timeout)(struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);

    /* 'state' is zeroed. The window is that of tcp_window_init(). */
    void (*start)     (struct tcp_window *, void *state);    /* NULL: nothing to do */

    const char *name;            /* as written in scenario files */
    const char *about;           /* one line */
    bool        is_ecn;          /* requires marks */
    size_t      state_size;      /* at most TCP_STATE_MAX */
};

extern const struct tcp_algo *const tcp_all[];   /* NULL-terminated */

/* Initializes a window: ten packets, slow start without limit. */
void tcp_window_init(struct tcp_window *, uint32_t mss_bytes);

/* Slow start (RFC 5681): uses the part of 'acked_bytes' that raises the window to ssthresh. Returns the
 * rest. */
uint64_t tcp_slow_start(struct tcp_window *, uint64_t acked_bytes);

/* NewReno, for algorithms that differ from it in part: their state begins with a struct tcp_reno. */
struct tcp_reno { uint64_t sum_bytes; };         /* acknowledged since the window last grew */

void tcp_reno_on_ack(struct tcp_window *, void *state, const struct tcp_ack *);
void tcp_reno_on_loss(struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);
void tcp_reno_on_timeout(struct tcp_window *, void *state, uint64_t now_ps, uint64_t flight_bytes);

#endif
