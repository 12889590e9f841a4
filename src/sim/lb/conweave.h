/* src/sim/lb/conweave.h - ConWeave (SIGCOMM'23): the first switch reroutes a flow between packets, and the
 * last switch restores the packet order.
 *
 * Overview:
 *   - The sender's switch (first ToR) writes the whole path, an epoch, a phase and timestamps on each data
 *     packet.
 *   - The first packet of an epoch (INIT) asks the receiver's switch (last ToR) for a REPLY. If the REPLY is
 *     in time, the next packet starts the next epoch on the same path. If not, the next packet is the TAIL of
 *     its path, and later ones are in phase 1 and take another path.
 *   - The last ToR holds packets of phase 1 that overtake the TAIL. It releases them just after the TAIL, or
 *     when the TAIL is overdue, estimated from earlier packets on the old path. It answers the TAIL with
 *     CLEAR, which starts the next epoch.
 *   - For each marked packet the last ToR sends a NOTIFY with the path. The first ToR then avoids that path
 *     for a while. For each packet it draws two random paths and takes the first that is not avoided.
 *
 * ConWeave does not use the pick() hook, because it delays packets and sends its own. This file contains the
 * rules only, as functions of the events at a ToR; sim/switch/weave.h moves the packets. The rules match the
 * ConWeave ns-3 fork to the nanosecond.
 */
#ifndef SIM_LB_CONWEAVE_H
#define SIM_LB_CONWEAVE_H

#include "sim/lb/lb.h"

#define CONWEAVE_HOPS_MAX  4     /* links between two ToRs; a path has one byte for each */
#define CONWEAVE_PORTS_MAX 255   /* per switch */
#define CONWEAVE_ENTRIES   65536u    /* size of the table of avoided paths */

enum conweave_flag { CONWEAVE_DATA, CONWEAVE_INIT, CONWEAVE_TAIL };

/* Header that the first ToR adds to a data packet. */
struct conweave_tag {
    uint32_t path;               /* byte i: port of the i-th switch, from 1; 0: none, routed by ECMP */
    uint32_t epoch;
    uint64_t tx_ps;              /* time at the first ToR */
    uint64_t tail_ps;            /* time of its epoch's TAIL there; 0: no TAIL yet */
    uint8_t  hop, phase, flag;
    bool     is_held;            /* held by the last ToR */
    uint32_t next;               /* next held packet; 0: none */
};

struct conweave_counters {       /* monotonic; see figures.def */
#define CONWEAVE(name, ...) uint64_t name;
#include "core/figures.def"
};

struct conweave_cfg { uint64_t reply_ps, pause_ps, flush_ps, wait_ps, expiry_ps; };

struct conweave_key { uint32_t src, dst, ports; };

/* All shortest paths from a ToR to another. */
struct conweave_paths {
    uint32_t *id;                /* sorted, ascending */
    uint32_t  count;
    uint32_t  made;              /* version of the routes, + 1; 0: not computed yet */
    uint64_t  rtt_ps;            /* round trip of link delays alone */
};

struct conweave_tx {             /* a flow at its first ToR */
    uint64_t deadline_ps, tail_ps;
    uint32_t epoch, path;        /* path 0: none yet */
    uint8_t  phase;
    bool     is_stable, is_old;  /* is_old: it has sent a data packet */
};

struct conweave_rx {             /* a flow at its last ToR */
    uint64_t p0_tx_ps, p0_rx_ps; /* of the last packet of phase 0 */
    uint64_t tail_ps;
    uint32_t epoch;
    uint8_t  phase;
    bool     has_cache, is_holding;
};

struct conweave_row {
    struct conweave_key key;
    bool                is_used;
    uint64_t            active_ps;
    union { struct conweave_tx tx; struct conweave_rx rx; };
    uint32_t            first, last;     /* queue of held packets; 0: none. Such a row is never reused */
};

struct conweave_table {
    struct conweave_row *row;
    uint32_t             size, count;    /* size: 0 or a power of two */
};

struct conweave_avoided { uint32_t path; uint64_t until_ps; };

struct conweave_tor {
    struct conweave_table    tx, rx;
    struct conweave_paths   *paths;      /* by rack */
    struct conweave_avoided *avoided;    /* CONWEAVE_ENTRIES */
    uint64_t                 first_ps;   /* time of the first packet, + 1; 0: none. Ageing starts there */
};

extern const struct lb_algo lb_conweave;

/* Notes the first packet of any kind. */
static inline void conweave_note(struct conweave_tor *t, uint64_t now_ps)
{
    if (!t->first_ps)
        t->first_ps = now_ps + 1;
}

/* First ToR: tags a data packet for another rack. 'paths' must not be empty. */
void conweave_send(const struct conweave_cfg *, struct conweave_tor *, uint64_t now_ps,
                   const struct lb_switch *, const struct conweave_key *, const struct conweave_paths *,
                   struct conweave_tag *, struct conweave_counters *);

struct conweave_verdict {
    struct conweave_row *row;    /* of the flow; valid until the next call */
    bool     holds;              /* queue the packet; otherwise forward it */
    bool     moves;              /* (re)schedule the release of the queue for release_ps */
    uint64_t release_ps;
    bool     notifies, replies, clears;      /* send these, in this order, before the packet */
};

/* Last ToR: handles a data packet from another rack. */
void conweave_receive(const struct conweave_cfg *, struct conweave_tor *, uint64_t now_ps,
                      const struct conweave_key *, const struct conweave_tag *, bool is_marked,
                      struct conweave_verdict *, struct conweave_counters *);

/* Last ToR: ends the hold of a flow. Returns its row; the caller removes the held packets. */
struct conweave_row *conweave_release(struct conweave_tor *, uint64_t now_ps, const struct conweave_key *,
                                      struct conweave_counters *);

/* First ToR: handles a REPLY (phase 0) or CLEAR (phase 1) for a flow. */
void conweave_answered(struct conweave_tor *, uint64_t now_ps, const struct conweave_key *, uint32_t epoch,
                       uint32_t phase, struct conweave_counters *);

/* First ToR: handles a NOTIFY. */
void conweave_notified(const struct conweave_cfg *, struct conweave_tor *, uint64_t now_ps, uint32_t salt,
                       uint32_t path);

void conweave_fini(struct conweave_tor *, uint32_t racks);

#endif
