/* src/sim/nic/hf2t.h - HF2T: hosts stretch the few gaps between packets that are nearly flowlets.
 *
 * A NIC paces its queue pairs so evenly that a switch which looks for flowlets (gaps longer than a threshold)
 * finds none. When a queue pair is about to send, its gap is the time since it last sent. The packet is held
 * until the gap is a flowlet's if
 *
 *     T a <= gap < threshold,      a = min / x  for x <= min,  1  for min < x < max,  max / x  for x >= max
 *
 * where x counts the packets since the last stretched gap, and T is a percentile of the gaps measured during
 * training. Other queue pairs send meanwhile. Without 'dynamic', a is 1. (HF2T: Host-Based Flowlet
 * Fine-Tuning for RDMA Load Balancing, Chen et al.)
 *
 * Choices that the paper leaves open:
 * - T is per host by default; alternatively per queue pair, or for the whole network.
 * - Training continues until there are HF2T_GAPS_MIN gaps; until then nothing is held. A queue pair that
 *   learns alone starts with its message, so short messages are never held.
 * - A gap that is already a flowlet counts as a stretched one ('natural'), or does not.
 * - x is 0 until the first packet is sent, which has no gap.
 * - A switch measures the gap between last bytes, and the last packet of a message may be short. So packets
 *   are held until one full frame after the threshold.
 * - A packet is held once, even if the knobs or the queue pair's rate change meanwhile. If the queue pair
 *   must go back by then, it retransmits at the time at which the held packet may go; a pause may delay this
 *   further.
 *
 * Our additions: a queue pair is not held if it is faster than a share of its line rate (guard), or received
 * no CNP for a while (quiet). Its count restarts as if it had been held. A lone flow at line rate would lose
 * throughput for nothing (docs/model.md).
 *
 * In model hpcc a host with HF2T has a wake-up for the next flow. The fork's wake-up would stay with the held
 * flow, and others would wait for it. */
#ifndef SIM_NIC_HF2T_H
#define SIM_NIC_HF2T_H

#include "base/arena.h"
#include "sim/nic/gaps.h"
#include "sim/nic/nic.h"

#include <stdbool.h>
#include <stdint.h>

#define HF2T_GAPS_MIN    1000u           /* leaves ten gaps in the tail of a percentile of 0.99 */
#define HF2T_PACKETS_MAX UINT16_MAX      /* the packet count saturates here */

enum hf2t_scope { HF2T_HOST, HF2T_QUEUE_PAIR, HF2T_NETWORK };

struct hf2t_cfg {                /* from the knobs */
    bool     is_on, is_natural;
    uint8_t  scope;
    uint32_t min, max;           /* without 'dynamic' 0 and UINT32_MAX: a is 1 for all x */
    uint64_t threshold_ps, training_ps, quiet_ps;
    double   percentile, guard;
};

struct hf2t_qp {                 /* parallel to struct flow */
    uint64_t sent_ps;            /* departure of its last packet, or its start */
    uint64_t near_ps;            /* T of the queue pair, or a copy of its host's; 0: not known yet */
    uint16_t packets;            /* x; 0: its next packet is not held */
    bool     is_held;
    uint32_t host;
    uint64_t cnp_ps;             /* time of the last CNP; 0: never */
    uint64_t start_ps;           /* start of its training, if it learns alone */
};

struct hf2t_host {               /* parallel to struct host */
    uint64_t near_ps;            /* T; 0: not known yet */
    uint64_t guard_bps;          /* faster queue pairs are not held */
    uint64_t hold_ps;            /* length of a stretched gap */
    struct gaps gaps;
};

struct hf2t {
    struct hf2t_cfg   cfg;
    uint64_t          since_ps;  /* time at which HF2T was enabled */
    uint64_t          stop_ps;   /* HF2T_NETWORK: the world stops then to compute T; NEVER: T is known */
    struct hf2t_qp   *qp;
    struct hf2t_host *host;
    struct gaps      *qp_gaps;   /* parallel to 'qp'; NULL: no queue pair has learnt alone */
};

static inline bool hf2t_is_on(const struct sim *s)
{
    return s->hosts.hf2t && s->hosts.hf2t->cfg.is_on;
}

/* Creates, changes, enables or disables HF2T as the knobs say. Call it between events. Learnt gaps stay; T is
 * recomputed from them. Returns true if something has changed: then every part must call hf2t_join() and
 * send_choose(). is_new:
 * it was enabled or disabled, and restarts. */
bool hf2t_configure(struct sim *, bool *is_new);

/* Makes a part of the world, or all of it, and its flows use the settings of 't'. */
void hf2t_join(struct sim *part, struct hf2t *t, bool is_new);

/* HF2T_NETWORK: hf2t_await_stop(), after the above, schedules a stop of the world at stop_ps. hf2t_on_stop()
 * ends the training for all hosts at once. */
void hf2t_await_stop(struct sim *);
void hf2t_on_stop(struct sim *);

/* A flow of a host starts under this index. */
void hf2t_on_start(struct hf2t *, uint32_t flow, uint32_t host, uint64_t now_ps);

/* A queue pair is about to send at this rate. Returns true if it must wait; otherwise it counts as sent. */
bool hf2t_must_wait(struct hf2t *, uint32_t flow, uint64_t rate_bps, uint64_t now_ps);

/* Returns true if a gap is nearly a flowlet's: T a <= gap with a = of / x, without a division. */
static inline bool hf2t_is_near(const struct hf2t_cfg *c, uint64_t near_ps, uint64_t gap_ps, uint32_t x)
{
    uint32_t of = x < c->max ? x : c->max;       /* a = of / x */

    of = of > c->min ? of : c->min;
    return near_ps * of <= gap_ps * x;
}

#endif
