#include "sim/rto_default.h"
#include "sim/state/ideal.h"

#define ACK_TIMEOUT_PS    (4096 * PS_PER_NS)     /* x 2^n */
#define ACK_TIMEOUT_LEAST 14u
#define ADAPTIVE_PS       (4 * PS_PER_MS)
#define UET_LEAST_PS      (15 * PS_PER_US)       /* model uet: in addition to full queues */
#define UET_BACKOFF       8u                     /* model uet: limit of the backoff, as a multiple */

/* Returns the smallest 4.096 us x 2^n, n >= least, that is at least 'ps'. */
static uint64_t ack_timeout_ps(uint64_t ps, uint32_t least)
{
    uint64_t made = ACK_TIMEOUT_PS << least;

    while (made < ps && made < NEVER / 4)
        made *= 2;
    return made;
}

/* Returns the classes of queue pairs. */
static uint8_t rdma_prios(const struct sim *s)
{
    return (uint8_t)(traffic_prios(s->program.traffic) & ~traffic_prios_tcp(s->program.traffic) &
                     ~s->sw.trim.classes);
}

static bool is_lossy(const struct sim *s)
{
    return !s->cfg.is_lossless || (rdma_prios(s) & s->cfg.lossy_prios);
}

/* Returns true if a packet can be lost or reordered so that only a timeout repairs it. */
static bool may_miss(const struct sim *s)
{
    if (is_lossy(s) || s->cfg.headroom_bytes || s->cfg.changes || s->lb.is_on)
        return true;
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].is_lossy)
            return true;
    return false;
}

static uint64_t uet_bytes_max(const struct sim *s)
{
    uint64_t bytes = s->sw.trim.queue_bytes_max[s->cfg.head_prio] / 2;

    return bytes < s->cfg.buffer_bytes ? bytes : s->cfg.buffer_bytes;
}

/* Returns the largest queue of queue pairs: the whole buffer, or its share of the free buffer. */
static uint64_t pair_bytes_max(const struct sim *s)
{
    uint64_t bytes = s->cfg.buffer_bytes;

    if (!is_lossy(s))
        return bytes;
    bytes = (uint64_t)((double)bytes * s->cfg.lossy_alpha / (1 + s->cfg.lossy_alpha));
    return s->cfg.lossy_queue_bytes && s->cfg.lossy_queue_bytes < bytes ? s->cfg.lossy_queue_bytes : bytes;
}

/* Returns the largest queue of any kind. */
static uint64_t queue_bytes_max(const struct sim *s)
{
    uint64_t uet = s->sw.trim.classes ? uet_bytes_max(s) : 0,
             pairs = s->sw.trim.classes && !rdma_prios(s) ? 0 : pair_bytes_max(s);

    return uet > pairs ? uet : pairs;
}

uint64_t rto_default_full_ps(const struct sim *s)
{
    return sim_full_rtt_ps(s, queue_bytes_max(s), UINT32_MAX);
}

uint64_t rto_default_queue_ps(const struct sim *s)
{
    return sim_full_rtt_ps(s, queue_bytes_max(s), 1);
}

/* Returns the bytes that drain before the end of a full UET queue: its own, and those that classes of queue
 * pairs send meanwhile, by weight. */
static uint64_t uet_bytes_ahead(const struct sim *s)
{
    uint32_t own = UINT8_MAX, others = 0;

    for (uint32_t c = 0; c < PRIOS; c++) {
        if (s->sw.trim.prios >> c & 1)
            own = s->cfg.weight[c] < own ? s->cfg.weight[c] : own;
        else if (sim_roce_prios(&s->cfg) >> c & 1)
            others += s->cfg.weight[c];
    }
    return uet_bytes_max(s) * (own + others) / own;
}

static void settle_uet(struct sim *s)
{
    uint64_t full_ps = UET_LEAST_PS + sim_full_rtt_ps(s, uet_bytes_ahead(s), UINT32_MAX);

    s->cfg.rto_ps = s->cfg.rto_ps == RTO_AUTO ? full_ps : s->cfg.rto_ps;
    s->cfg.rto_ps_max = UET_BACKOFF * (full_ps > s->cfg.rto_ps ? full_ps : s->cfg.rto_ps);
}

static void settle_pairs(struct sim *s)
{
    uint64_t one_ps = rto_default_queue_ps(s),
             longest_ps = ack_timeout_ps(rto_default_full_ps(s), ACK_TIMEOUT_LEAST);

    if (!may_miss(s)) {
        s->hosts.pair_rto_ps = longest_ps;
        return;
    }
    s->hosts.pair_rto_ps = one_ps <= ADAPTIVE_PS ? ADAPTIVE_PS : ack_timeout_ps(one_ps, 0);
    s->hosts.pair_rto_ps_max = longest_ps;
}

/* Model uet: a scenario's timeout applies to UET. It would be far too short for go-back-N behind PFC. */
void rto_default_settle(struct sim *s)
{
    s->hosts.pair_rto_ps = s->cfg.rto_ps;
    s->hosts.pair_rto_ps_max = s->cfg.rto_ps_max;
    if (s->sw.trim.classes)
        settle_uet(s);
    if (s->sw.trim.classes || s->hosts.pair_rto_ps == RTO_AUTO)
        settle_pairs(s);
    if (s->sw.trim.classes)
        return;
    s->cfg.rto_ps = s->hosts.pair_rto_ps;
    s->cfg.rto_ps_max = s->hosts.pair_rto_ps_max;
}

uint64_t rto_default_longest_ps(const struct sim *s)
{
    uint64_t uet_ps = s->sw.trim.classes ? s->cfg.rto_ps_max : 0, pair_ps = s->hosts.pair_rto_ps;

    pair_ps = s->hosts.pair_rto_ps_max > pair_ps ? s->hosts.pair_rto_ps_max : pair_ps;
    if (s->sw.trim.classes && !rdma_prios(s))
        return uet_ps;
    if (pair_ps)
        return pair_ps > uet_ps ? pair_ps : uet_ps;
    return ack_timeout_ps(rto_default_full_ps(s), ACK_TIMEOUT_LEAST);
}
