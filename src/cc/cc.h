/* src/cc/cc.h - how a sender picks its rate.
 *
 * A congestion control is one file in this folder: it fills a struct cc_algo
 * and stands in cc_all[] (cc.c). It sees the signals below and nothing else.
 *
 *   cfg    made from the knobs by configure(); shared by all flows of a NIC, read-only
 *   state  what one flow remembers; state_size zeroed bytes owned by the caller
 *   out    the decision as it stands; a hook changes what it decides anew
 *
 * There are no timer events. A control that changes its rate by itself says in
 * out->due_ps when it next would; whoever is about to use the rate at or after
 * that time calls on_due() first, which catches up with everything that has
 * expired since. So the timers of an idle flow cost nothing and a finished flow
 * leaves none behind. The other hooks catch up by themselves before they act.
 *
 * When the knobs change, the caller first calls on_due() of every flow with the old cfg, then
 * swaps the cfg. A period that is running ends when it was going to end; the next one has the new length.
 *
 * Hooks are called with non-decreasing now. They do not allocate or fail.
 */
#ifndef CC_CC_H
#define CC_CC_H

#include "core/knobs.h"

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
    uint64_t rate_bps;           /* pace at this rate from now on */
    uint64_t window_bytes;       /* bytes that may be unacknowledged; UINT64_MAX: no window */
    uint64_t due_ps;             /* call on_due() before using the rate at or after this; NEVER */
};

struct cc_link {                 /* what a NIC knows about where it is */
    uint64_t line_bps;
    uint64_t base_rtt_ps;        /* longest unloaded round trip of the network */
    uint32_t mtu_bytes;          /* payload of a full packet */
};

struct cc_ack {
    uint64_t rtt_ps;             /* of the packet that is acknowledged */
    uint64_t acked_bytes;        /* newly acknowledged payload */
    uint64_t inflight_bytes;     /* sent and not acknowledged */
};

struct cc_algo {
    /* Per packet, so first. NULL: this signal does not concern me. */
    void (*on_sent)(const void *cfg, void *state, struct cc_now, uint32_t bytes, struct cc_out *);
    void (*on_ack) (const void *cfg, void *state, struct cc_now, const struct cc_ack *, struct cc_out *);
    void (*on_cnp) (const void *cfg, void *state, struct cc_now, uint64_t told_ps, struct cc_out *);
    void (*on_due) (const void *cfg, void *state, struct cc_now, struct cc_out *);

    /* Per flow and per change of knobs (required). */
    void (*start)    (const void *cfg, void *state, struct cc_now, struct cc_out *);
    void (*configure)(void *cfg, const struct knobs *, const struct cc_link *);

    const char *name;            /* as written in scenario files */
    const char *about;           /* one line for `anole list` */
    size_t      cfg_size, state_size;    /* at most CC_CFG_MAX, CC_STATE_MAX */
    bool        takes_turns;     /* receivers tell congested flows one after the other, and how long a round
                                  * takes: told_ps of on_cnp(); otherwise that is 0. See sim/host/np/cnp_arbiter.h */
};

#define CC_CFG_MAX   128
#define CC_STATE_MAX 96

extern const struct cc_algo *const cc_all[];     /* NULL-terminated */

/* Returns the algorithm called 'name', or NULL. */
const struct cc_algo *cc_find(const char *name);

#endif
