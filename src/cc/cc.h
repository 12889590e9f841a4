/* src/cc/cc.h - how a sender picks its rate.
 *
 * A congestion control is one file in this folder: it fills a struct cc_algo
 * and stands in cc_all[] (cc.c). It sees the signals below and nothing else.
 *
 *   cfg    made from the knobs by configure(); shared by all flows of a NIC, read-only
 *   state  what one flow remembers; state_size zeroed bytes owned by the caller, who keeps those of all flows
 *          in one array, each where it is aligned to 16 bytes
 *   out    the decision as it stands; a hook changes what it decides anew
 *
 * What a signal costs is paid by those who ask for it: packets carry telemetry only if 'telemetry' says so,
 * probes are sent only when 'probe_ps' does, and a hook that is NULL is not called.
 *
 * There are no timer events. A control that changes its rate by itself says in
 * out->due_ps when it next would; whoever is about to use the rate at or after
 * that time calls on_due() first, which catches up with everything that has
 * expired since. So the timers of an idle flow cost nothing and a finished flow
 * leaves none behind. The other hooks catch up by themselves before they act.
 *
 * A decision that takes time is one more change that is due: see late.h.
 *
 * When the knobs change, the caller first calls on_due() of every flow with the old cfg, then
 * swaps the cfg. A period that is running ends when it was going to end; the next one has the new length.
 *
 * Hooks are called with non-decreasing now. They do not allocate or fail.
 */
#ifndef CC_CC_H
#define CC_CC_H

#include "core/knobs.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The instant at which something happens. A timer that expires at this very
 * instant has run already if it was started before 'since_ps', the time when what happens now was
 * set in motion (a packet put on the wire, a wake-up armed); use cc_expired(). */
struct cc_now { uint64_t ps, since_ps; };

/* Has a timer that was started at at_ps - period_ps and ends at at_ps run by now? */
static inline bool cc_expired(struct cc_now now, uint64_t at_ps, uint64_t period_ps)
{
    return at_ps < now.ps || (at_ps == now.ps && at_ps - period_ps < now.since_ps);
}

struct cc_out {
    uint64_t rate_bps;           /* pace at this rate from now on; > 0 always: see cc_set_rate() */
    uint64_t window_bytes;       /* bytes that may be unacknowledged; UINT64_MAX: no window */
    uint64_t due_ps;             /* call on_due() before using the rate at or after this; NEVER */
    uint64_t probe_ps;           /* send an RTT probe at or after this, if no other is on its way; NEVER. Needs on_rtt() */
    bool     counts_bytes;       /* call on_sent(); one that counts no bytes now is not told of them */
    bool     forgets;            /* the NIC goes on with what forget() leaves of its knobs; whoever sees that clears it */
};

/* A rate of 0 would never be used again, so nobody may decide on one: the least is a knob of the control's. */
static inline void cc_set_rate(struct cc_out *out, uint64_t rate_bps)
{
    assert(rate_bps > 0);
    out->rate_bps = rate_bps;
}

struct rlcc_model;

/* What a config of the HPCC ns-3 fork sets for its controls alone. */
struct cc_fork {
    uint32_t int_multi;          /* units of HPCC's telemetry; 0: by the line rate */
    bool     is_slow;            /* HPCC reacts once per round trip (FAST_REACT 0), */
    bool     has_hop_rates;      /* keeps a rate for each hop (MULTI_RATE 1), */
    bool     skips_empty;        /* and within a round trip skips hops without a queue (SAMPLE_FEEDBACK 1) */
    double   pint_base;          /* of PINT's logarithms; 0: PINT_BASE */
    uint32_t pint_ignored;       /* of 65,536 ACKs so many are ignored by HPCC-PINT */
    uint64_t timely_hai_bps;     /* large step of TIMELY; 0: five small ones */
};

struct cc_link {                 /* what a NIC knows about where it is */
    uint64_t line_bps;
    uint64_t base_rtt_ps;        /* longest unloaded round trip of the network */
    uint32_t mtu_bytes;          /* payload of a full packet */
    uint64_t bdp_bytes;          /* most that is on its way in such a round trip; 0: line rate times base_rtt_ps */
    bool     is_fork;            /* with the quirks of the HPCC ns-3 fork: model hpcc */
    struct cc_fork fork;         /* is_fork: its settings */
    const struct rlcc_model *rlcc;           /* what RL-CC decides by: cc/rlcc/rlcc_model.h; NULL: there is none */
};

static inline uint64_t cc_link_bdp_bytes(const struct cc_link *link)
{
    return link->bdp_bytes ? link->bdp_bytes
                           : (uint64_t)((double)link->line_bps * ((double)link->base_rtt_ps / 8e12));
}

#define CC_HOPS_MAX 5            /* records of telemetry in a packet */

struct cc_hop {                  /* what a switch wrote into a packet that left it by a port */
    uint64_t rate_bps;           /* of the port */
    uint64_t at_ps;              /* when the packet left the queue */
    uint64_t sent_bytes;         /* that the port had sent before, ever */
    uint64_t queue_bytes;        /* that stayed behind in its queues */
};

struct cc_ack {
    uint64_t rtt_ps;             /* of the packet that is acknowledged */
    uint64_t acked_bytes;        /* newly acknowledged payload */
    uint64_t inflight_bytes;     /* sent and not acknowledged */
    uint64_t seq;                /* first byte that the receiver still wants */
    uint64_t sent_seq;           /* first byte that was not sent yet */
    uint64_t endpoint_ps;        /* CC_PATH: part of rtt_ps that passed inside the receiver, */
    bool     is_marked;          /* the packet was marked on its way */
    uint8_t  hops;               /* CC_PATH: and the switches that the packet passed */
    uint8_t  records;            /* telemetry of so many of them, in the order of its way, at most CC_HOPS_MAX; 0: there
                                  * was no room for all */
    uint16_t digest;             /* telemetry of CC_DIGEST: see cc/pint.h */
    const struct cc_hop *hop;    /* good until the hook returns */
    uint64_t pair_rtt_ps;        /* base round trip of its two hosts, and bytes on their way in it; 0: those of the network */
    uint64_t pair_bdp_bytes;
};

/* An RTT probe has come back. A NIC makes one decision at a time, for all its flows: a control whose decisions take time
 * begins when the NIC is free, and says until when it is busy with this one. */
struct cc_probe {
    uint64_t  rtt_ps;
    uint64_t *busy_ps;           /* of the NIC, never NULL: it decides on something else until then */
};

enum cc_loss { CC_NACK, CC_TIMEOUT };        /* the receiver missed something; nothing was heard for long */

enum cc_telemetry {
    CC_NO_TELEMETRY,
    CC_TIMESTAMP,                /* when a packet was sent comes back with its ACK: model hpcc's packets are longer */
    CC_PATH,                     /* how many switches a packet passed, and how long it took inside the receiver */
    CC_HOPS,                     /* a struct cc_hop of each switch */
    CC_DIGEST,                   /* one number of the worst of them */
};

struct cc_algo {
    /* Per packet, so first. NULL: this signal does not concern me. */
    void (*on_sent)(const void *cfg, void *state, struct cc_now, uint32_t bytes, struct cc_out *);
    void (*on_ack) (const void *cfg, void *state, struct cc_now, const struct cc_ack *, struct cc_out *);
    void (*on_cnp) (const void *cfg, void *state, struct cc_now, uint64_t told_ps, struct cc_out *);
    void (*on_due) (const void *cfg, void *state, struct cc_now, struct cc_out *);
    void (*on_rtt) (const void *cfg, void *state, struct cc_now, const struct cc_probe *, struct cc_out *);
    void (*on_loss)(const void *cfg, void *state, struct cc_now, enum cc_loss, struct cc_out *);

    /* Per flow and per change of knobs (required). */
    void (*start)    (const void *cfg, void *state, struct cc_now, struct cc_out *);
    void (*configure)(void *cfg, const struct knobs *, const struct cc_link *);
    void (*forget)   (struct knobs *);       /* see out->forgets; NULL: a NIC keeps what was set */

    const char *name;            /* as written in scenario files */
    const char *about;           /* one line for `anole list` */
    size_t      cfg_size;        /* at most CC_CFG_MAX */
    size_t      state_size;
    size_t    (*state_bytes)(const struct cc_link *);    /* of them that are used with this; NULL: all */
    const enum knob *knobs;      /* those that it reads, ending with KNOB_COUNT: what a tuner may tune; NULL: DCQCN's */
    enum cc_telemetry telemetry;
    bool        repaces;         /* a new rate counts for the packet sent last, too: what is left of the wait after it
                                  * becomes longer or shorter by the difference */
    bool        has_window;      /* one that goes with its rate */
    bool        reads_marks;     /* it goes by marks that ACKs bring back, not by CNPs */
    bool        takes_turns;     /* receivers tell congested flows one after the other, and how long a round
                                  * takes: told_ps of on_cnp(); otherwise that is 0. See sim/host/np/cnp_arbiter.h */
};

#define CC_CFG_MAX   512
#define CC_STATE_MAX 320         /* the most that a control remembers of a flow */

extern const struct cc_algo *const cc_all[];     /* NULL-terminated */

/* Returns the algorithm called 'name', or NULL. */
const struct cc_algo *cc_find(const char *name);

/* Whether turning a knob can make a difference to this control: false for another control's own. Knobs of switches, of CNPs and of
 * HF2T are no control's own. */
bool cc_heeds(const struct cc_algo *, enum knob);

#endif
