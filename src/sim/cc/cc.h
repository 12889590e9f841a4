/* src/sim/cc/cc.h - the interface of a congestion control, which sets a sender's rate.
 *
 * A congestion control is one file in this folder. It fills a struct cc_algo and is listed in cc_all[]
 * (cc.c). It sees only the signals below.
 *
 *   cfg    made from the knobs by configure(); shared by all flows of a NIC, read-only
 *   state  of one flow; state_size zeroed bytes, owned by the caller, who keeps the states of all flows in
 *          one array, each aligned to 16 bytes
 *   out    the current decision; a hook changes only what it decides
 *
 * Only controls that need a signal pay for it: packets carry telemetry only if 'telemetry' asks for it,
 * probes are sent only if 'probe_ps' does, and a NULL hook is not called.
 *
 * There are no timer events. A control whose rate changes over time sets out->due_ps to the time of the next
 * change. The caller must call on_due() before it uses the rate at or after that time; on_due() catches up
 * with everything that has expired since. Timers of an idle flow therefore cost nothing, and a finished flow
 * leaves none behind. The other hooks catch up automatically before they act.
 *
 * A decision that takes time is another change that is due: see late.h.
 *
 * When the knobs change, the caller first calls on_due() for every flow with the old cfg, then swaps the cfg.
 * A running period keeps its end; the next one has the new length.
 *
 * Hooks are called with non-decreasing now. They do not allocate or fail.
 */
#ifndef SIM_CC_CC_H
#define SIM_CC_CC_H

#include "core/knobs.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time of an event. A timer that expires at the same time has already run if it was started before
 * 'since_ps', the time at which this event was caused (a packet was put on the wire, a wake-up was armed);
 * use cc_expired(). */
struct cc_now { uint64_t ps, since_ps; };

/* Returns true if a timer that was started at at_ps - period_ps and ends at at_ps has run by now. */
static inline bool cc_expired(struct cc_now now, uint64_t at_ps, uint64_t period_ps)
{
    return at_ps < now.ps || (at_ps == now.ps && at_ps - period_ps < now.since_ps);
}

struct cc_out {
    uint64_t rate_bps;           /* pacing rate; always > 0: see cc_set_rate() */
    uint64_t window_bytes;       /* limit of unacknowledged bytes; UINT64_MAX: no window */
    uint64_t due_ps;             /* call on_due() before using the rate at or after this time; or NEVER */
    uint64_t probe_ps;           /* send an RTT probe at or after this time, unless one is in flight; or
                                  * NEVER. Needs on_rtt(). While one is in flight: when it was sent */
    bool     counts_bytes;       /* call on_sent(); false: skip it while no bytes are counted */
    bool     is_probing;         /* a probe is in flight; set by the caller */
    bool     forgets;            /* the NIC reverts knobs by forget(); the caller clears this flag */
};

/* Sets the rate. A rate of 0 would block the flow forever; the control's minimum is a knob. */
static inline void cc_set_rate(struct cc_out *out, uint64_t rate_bps)
{
    assert(rate_bps > 0);
    out->rate_bps = rate_bps;
}

struct rlcc_model;

/* Settings that only a config of the HPCC ns-3 fork has. */
struct cc_fork {
    uint32_t int_multi;          /* unit of HPCC's telemetry; 0: derived from the line rate */
    bool     is_slow;            /* HPCC reacts once per round trip (FAST_REACT 0) */
    bool     has_hop_rates;      /* HPCC keeps a rate per hop (MULTI_RATE 1) */
    bool     skips_empty;        /* within a round trip, skips hops without a queue (SAMPLE_FEEDBACK 1) */
    double   pint_base;          /* base of PINT's logarithms; 0: PINT_BASE */
    uint32_t pint_ignored;       /* HPCC-PINT ignores this many of 65,536 ACKs */
    uint64_t timely_hai_bps;     /* large step of TIMELY; 0: five small steps */
};

struct cc_link {                 /* the NIC's network environment */
    uint64_t line_bps;
    uint64_t base_rtt_ps;        /* longest unloaded round trip of the network */
    uint32_t mtu_bytes;          /* payload of a full packet */
    uint64_t bdp_bytes;  /* maximum bytes in flight in such a round trip; 0: line rate times base_rtt_ps */
    bool     is_uet;             /* model uet: windows start at their largest */
    bool     is_fork;            /* model hpcc: with the quirks of the HPCC ns-3 fork */
    struct cc_fork fork;         /* valid if is_fork */
    const struct rlcc_model *rlcc;           /* RL-CC's policy: sim/cc/rlcc/rlcc.h; NULL: none */
};

static inline uint64_t cc_link_bdp_bytes(const struct cc_link *link)
{
    return link->bdp_bytes ? link->bdp_bytes
                           : (uint64_t)((double)link->line_bps * ((double)link->base_rtt_ps / 8e12));
}

#define CC_HOPS_MAX 5            /* telemetry records per packet */

struct cc_hop {                  /* telemetry of a switch about the port by which a packet left */
    uint64_t rate_bps;           /* rate of the port */
    uint64_t at_ps;              /* time at which the packet left the queue */
    uint64_t sent_bytes;         /* total bytes sent by the port before */
    uint64_t queue_bytes;        /* bytes left in its queues */
};

struct cc_ack {
    uint64_t rtt_ps;             /* of the acknowledged packet */
    uint64_t acked_bytes;        /* newly acknowledged payload */
    uint64_t inflight_bytes;     /* sent but not acknowledged */
    uint64_t seq;                /* first byte that the receiver expects */
    uint64_t sent_seq;           /* first byte not sent yet */
    uint64_t endpoint_ps;        /* CC_PATH: part of rtt_ps spent inside the receiver */
    bool     is_marked;          /* the packet was ECN-marked */
    uint8_t  hops;               /* CC_PATH: number of switches on the path */
    uint8_t  records;  /* telemetry records, in path order, up to CC_HOPS_MAX; 0: they did not all fit */
    uint16_t digest;             /* CC_DIGEST: see sim/cc/pint.h */
    const struct cc_hop *hop;    /* valid until the hook returns */
    uint64_t pair_rtt_ps;  /* base round trip of the two hosts, bytes in flight in it; 0: the network's */
    uint64_t pair_bdp_bytes;
};

/* An RTT probe has returned. A NIC makes one decision at a time for all its flows. A control whose decisions
 * take time starts when the NIC is free, and sets busy_ps to the end of its decision. */
struct cc_probe {
    uint64_t  rtt_ps;
    uint64_t *busy_ps;           /* of the NIC, never NULL: busy with another decision until then */
};

enum cc_loss {
    CC_NACK,                     /* the receiver reported a gap, or a trimmed packet */
    /* model uet: a packet that was trimmed at the last hop, before the receiver's link */
    CC_NACK_AT_LAST_HOP,
    CC_TIMEOUT,                  /* nothing was received for a timeout */
};

enum cc_telemetry {
    CC_NO_TELEMETRY,
    CC_TIMESTAMP,  /* ACKs return the send time of the packet: makes packets of model hpcc longer */
    CC_PATH,                     /* number of switches on the path, and time spent inside the receiver */
    CC_HOPS,                     /* a struct cc_hop of each switch */
    CC_DIGEST,                   /* one number, of the most utilized port */
};

struct cc_algo {
    /* Per packet, so first. NULL: signal not used. */
    void (*on_sent)(const void *cfg, void *state, struct cc_now, uint32_t bytes, struct cc_out *);
    void (*on_ack) (const void *cfg, void *state, struct cc_now, const struct cc_ack *, struct cc_out *);
    void (*on_cnp) (const void *cfg, void *state, struct cc_now, uint64_t announced_ps, struct cc_out *);
    void (*on_due) (const void *cfg, void *state, struct cc_now, struct cc_out *);
    void (*on_rtt) (const void *cfg, void *state, struct cc_now, const struct cc_probe *, struct cc_out *);
    void (*on_loss)(const void *cfg, void *state, struct cc_now, enum cc_loss, struct cc_out *);

    /* Per flow and per change of knobs (required). */
    void (*start)    (const void *cfg, void *state, struct cc_now, struct cc_out *);
    void (*configure)(void *cfg, const struct knobs *, const struct cc_link *);
    void (*forget)   (struct knobs *);       /* see out->forgets; NULL: knobs stay */

    const char *name;            /* as written in scenario files */
    const char *about;           /* one line for `anole list` */
    size_t      cfg_size;        /* at most CC_CFG_MAX */
    size_t      state_size;
    size_t    (*state_bytes)(const struct cc_link *);    /* bytes of state in use for this link; NULL: all */
    enum cc_telemetry telemetry;
    bool        repaces;         /* a new rate also rescales the remaining wait after the packet sent last */
    bool        has_window;      /* has a window that follows its rate */
    bool        needs_uet;       /* only for connections of model uet */
    /* needs_uet: senders also wait for receiver credit: sim/transport/uet/uet.h */
    bool        has_credit;
    bool        reads_marks;     /* reacts to ECN marks in ACKs instead of CNPs */
    bool        takes_turns;     /* receivers notify congested flows in rotation and report the length of a
                                  * round as announced_ps of on_cnp(), which is otherwise 0. See
                                  * sim/nic/np/np.h */
};

#define CC_CFG_MAX   512
#define CC_STATE_MAX 320         /* largest state of any control */

extern const struct cc_algo *const cc_all[];     /* NULL-terminated */

/* Returns the algorithm called 'name', or NULL. */
const struct cc_algo *cc_find(const char *name);

/* True if a tuner sets the knobs that the control reads, and thresholds if it reads marks, instead of
 * DCQCN's. */
bool cc_is_tuned_alone(const struct cc_algo *);

/* Returns false if the knob belongs to another control, so that changing it has no effect on this one. Knobs
 * of switches, of CNPs and of HF2T belong to no control. */

#endif
