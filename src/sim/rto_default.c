#include "sim/rto_default.h"
#include "sim/state/ideal.h"

#define ACK_TIMEOUT_PS    (4096 * PS_PER_NS)     /* x 2^n */
#define ACK_TIMEOUT_LEAST 14u
#define ADAPTIVE_PS       (4 * PS_PER_MS)
#define UET_LEAST_PS      (15 * PS_PER_US)       /* model uet: besides full queues */
#define UET_BACKOFF       8u                     /* and so many times longer at most */

/* The least of 4.096 us x 2^n, n >= least, that is not shorter. */
static uint64_t ack_timeout_ps(uint64_t ps, uint32_t least)
{
    uint64_t made = ACK_TIMEOUT_PS << least;

    while (made < ps && made < NEVER / 4)
        made *= 2;
    return made;
}

/* The classes of queue pairs. */
static uint8_t rdma_prios(const struct sim *s)
{
    return traffic_prios(s->program.traffic) & (uint8_t)~traffic_prios_tcp(s->program.traffic);
}

static bool is_lossy(const struct sim *s)
{
    return !s->cfg.is_lossless || (rdma_prios(s) & s->cfg.lossy_prios);
}

/* Can a packet be lost, or overtaken, so that a time-out is what repairs it? */
static bool may_miss(const struct sim *s)
{
    if (is_lossy(s) || s->cfg.headroom_bytes || s->cfg.changes || s->lb.is_on)
        return true;
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].is_lossy)
            return true;
    return false;
}

/* The most bytes in one queue: the whole buffer, or its share of the free buffer. */
static uint64_t queue_bytes_max(const struct sim *s)
{
    uint64_t bytes = s->cfg.buffer_bytes;

    if (s->uet.classes)
        return s->uet.queue_bytes_max < bytes ? s->uet.queue_bytes_max : bytes;
    if (!is_lossy(s))
        return bytes;
    bytes = (uint64_t)((double)bytes * s->cfg.lossy_alpha / (1 + s->cfg.lossy_alpha));
    return s->cfg.lossy_queue_bytes && s->cfg.lossy_queue_bytes < bytes ? s->cfg.lossy_queue_bytes : bytes;
}

uint64_t rto_default_full_ps(const struct sim *s)
{
    return sim_full_rtt_ps(s, queue_bytes_max(s), UINT32_MAX);
}

uint64_t rto_default_queue_ps(const struct sim *s)
{
    return sim_full_rtt_ps(s, queue_bytes_max(s), 1);
}

void rto_default_settle(struct sim *s)
{
    uint64_t one_ps, longest_ps;

    if (s->uet.classes) {
        uint64_t full_ps = UET_LEAST_PS + rto_default_full_ps(s);

        s->cfg.rto_ps = s->cfg.rto_ps == RTO_AUTO ? full_ps : s->cfg.rto_ps;
        s->cfg.rto_ps_max = UET_BACKOFF * (full_ps > s->cfg.rto_ps ? full_ps : s->cfg.rto_ps);
    }
    if (s->cfg.rto_ps != RTO_AUTO)
        return;
    longest_ps = ack_timeout_ps(rto_default_full_ps(s), ACK_TIMEOUT_LEAST);
    if (!may_miss(s)) {
        s->cfg.rto_ps = longest_ps;
        return;
    }
    one_ps = rto_default_queue_ps(s);
    s->cfg.rto_ps = one_ps <= ADAPTIVE_PS ? ADAPTIVE_PS : ack_timeout_ps(one_ps, 0);
    s->cfg.rto_ps_max = longest_ps;
}

uint64_t rto_default_longest_ps(const struct sim *s)
{
    if (s->cfg.rto_ps)
        return s->cfg.rto_ps_max > s->cfg.rto_ps ? s->cfg.rto_ps_max : s->cfg.rto_ps;
    return ack_timeout_ps(rto_default_full_ps(s), ACK_TIMEOUT_LEAST);
}
