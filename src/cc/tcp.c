#include "cc/tcp.h"

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
