/* src/sim/host/hf2t.h - HF2T: hosts stretch the few gaps between packets that are nearly flowlets.
 *
 * A NIC paces its queue pairs so evenly that a switch which looks for flowlets (gaps longer than a threshold)
 * finds none. When a queue pair is about to send, its gap is the time since it last sent. The packet is held
 * until the gap is a flowlet's if
 *
 *     T a <= gap < threshold,      a = min / x  for x <= min,  1  for min < x < max,  max / x  for x >= max
 *
 * where x counts the packets since the last gap that was stretched, and T is a percentile of the gaps seen
 * during a time of training. Other queue pairs send meanwhile. Without 'dynamic', a is 1. (HF2T: Host-Based
 * Flowlet Fine-Tuning for RDMA Load Balancing, Chen et al.)
 *
 * What the paper leaves open: - T is a host's by default; or a queue pair's own, or the whole network's. -
 * Training goes on until there are HF2T_GAPS_MIN gaps, however long that takes; until then nothing is held. A
 *   queue pair that learns alone starts when its message does, so short messages are never held.
 * - A gap that is a flowlet's anyway counts as one that was stretched ('natural'), or does not. - x is 0
 * until the first packet is sent, which has no gap. - A switch sees the gap between last bytes, and the last
 * packet of a message may be short: held is until one full
 *   frame after the threshold.
 * - A packet is held once, whatever becomes of the knobs and of the queue pair's rate meanwhile. If by then
 * it must
 *   repeat packets, it repeats them at the time at which it may go; a pause may make that later.
 *
 * Ours: nothing is held of a queue pair that is faster than a share of its line (guard), nor of one that was
 * not told of congestion for a while (quiet); its count starts again as if it had been. A lone flow at line
 * rate would lose for nothing (docs/model.md).
 *
 * In model hpcc a host with HF2T has a wake-up for the next flow; the fork's would stay with the one
 * that is held, and others would wait for it.
 */
#ifndef SIM_HOST_HF2T_H
#define SIM_HOST_HF2T_H

#include "base/arena.h"
#include "sim/host/gaps.h"
#include "sim/host/nic.h"

#include <stdbool.h>
#include <stdint.h>

#define HF2T_GAPS_MIN    1000u           /* in the tail of a percentile of 0.99: ten */
#define HF2T_PACKETS_MAX UINT16_MAX      /* more than so many are as good as that */

enum hf2t_scope { HF2T_HOST, HF2T_QUEUE_PAIR, HF2T_NETWORK };

struct hf2t_cfg {                /* from the knobs */
    bool     is_on, is_natural;
    uint8_t  scope;
    uint32_t min, max;           /* without 'dynamic' 0 and UINT32_MAX: a is 1 for all x */
    uint64_t threshold_ps, training_ps, quiet_ps;
    double   percentile, guard;
};

struct hf2t_qp {                 /* parallel to struct flow */
    uint64_t sent_ps;            /* its last packet, or its start */
    uint64_t near_ps;            /* T, its own or a copy of its host's; 0: it has none yet */
    uint16_t packets;            /* x; 0: its next packet is not held */
    bool     is_held;
    uint32_t host;
    uint64_t told_ps;            /* of congestion, the last time; 0: never */
    uint64_t start_ps;           /* of its training, if it learns alone */
};

struct hf2t_host {               /* parallel to struct host */
    uint64_t near_ps;            /* T; 0: not known yet */
    uint64_t guard_bps;          /* faster ones are not held */
    uint64_t hold_ps;            /* length of a stretched gap */
    struct gaps gaps;
};

struct hf2t {
    struct hf2t_cfg   cfg;
    uint64_t          since_ps;  /* on since then */
    uint64_t          stop_ps;   /* HF2T_NETWORK: the world stops then, and T is read; NEVER: it is known */
    struct hf2t_qp   *qp;
    struct hf2t_host *host;
    struct gaps      *qp_gaps;   /* parallel to 'qp'; NULL: no queue pair has learnt alone */
    struct arena      arena, gap_arena;
};

/* Creates it, changes it, and turns it on and off by the knobs, between events. Learnt gaps stay; T is
 * computed from them again. Returns whether something has changed: then every part must join. is_new: it was
 * turned on or off, and restarts. */
bool hf2t_configure(struct sim *, bool *is_new);
void hf2t_free(struct sim *);

/* A part of the world, or all of it, does as 't' says, its flows included. */
void hf2t_join(struct sim *part, struct hf2t *t, bool is_new);

/* HF2T_NETWORK: when all of that is done, the world is to stop at stop_ps; the training is over, for all
 * hosts at once. */
void hf2t_await_stop(struct sim *);
void hf2t_on_stop(struct sim *);

/* A flow of a host starts under this index. */
void hf2t_on_start(struct hf2t *, uint32_t flow, uint32_t host, uint64_t now_ps);

/* A queue pair of a host is about to send, at this rate: must it wait? If not, it is taken as sent. */
bool hf2t_must_wait(struct hf2t *, uint32_t flow, uint64_t rate_bps, uint64_t now_ps);

/* The same during training. False: it is over. */
bool hf2t_may_learn(struct hf2t *, uint32_t flow, uint64_t now_ps);

/* Is a gap, nearly a flowlet's, to be stretched? No division: T of <= gap x. */
static inline bool hf2t_is_near(const struct hf2t_cfg *c, uint64_t near_ps, uint64_t gap_ps, uint32_t x)
{
    uint32_t of = x < c->max ? x : c->max;       /* a = of / x */

    of = of > c->min ? of : c->min;
    return near_ps * of <= gap_ps * x;
}

/* What all but a few packets need: its gap is neither near a flowlet's nor one. If so, it is taken as
 * sent. */
static inline bool hf2t_may_go(struct hf2t *t, uint32_t flow, uint64_t now_ps)
{
    struct hf2t_qp *q = &t->qp[flow];
    uint64_t        gap_ps = now_ps - q->sent_ps;
    uint32_t        x = q->packets;

    if (__builtin_expect(!q->near_ps, 0))
        return hf2t_may_learn(t, flow, now_ps);
    if (gap_ps >= t->cfg.threshold_ps || hf2t_is_near(&t->cfg, q->near_ps, gap_ps, x))
        return false;
    q->sent_ps = now_ps;
    q->packets = (uint16_t)(x + (x < HF2T_PACKETS_MAX));
    return true;
}

#endif
