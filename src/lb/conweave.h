/* src/lb/conweave.h - ConWeave (SIGCOMM'23): the first switch moves a flow in the middle of its packets, and the last switch
 * puts them into their order again.
 *
 * In a nutshell:
 *   - The switch of the sender (first ToR) writes on every data packet its whole path, an epoch, a phase and times.
 *   - The first packet of an epoch (INIT) asks the switch of the receiver (last ToR) for a REPLY. If that is in time, the
 *     next packet begins the next epoch, on the same path. If not, the next one is the TAIL of its path, and those behind it
 *     are of phase 1 and go another.
 *   - The last ToR holds packets of phase 1 that overtake the TAIL, and lets them go just after it, or when it should have
 *     come by what was seen of the old path. It answers the TAIL with CLEAR, and then the next epoch begins.
 *   - Every packet that reaches the last ToR with a mark makes it tell (NOTIFY) the first ToR of the path, which then
 *     avoids it for a while. Two random paths are looked at for each packet, and the first that is not avoided is good.
 *
 * It is not one of those that pick() a path: it delays packets and sends some of its own. So these are the rules alone, for
 * what a ToR sees; sim/switch/weave.h moves the packets. They are those of the ConWeave ns-3 fork, to the nanosecond.
 */
#ifndef LB_CONWEAVE_H
#define LB_CONWEAVE_H

#include "lb/lb.h"

#define CONWEAVE_HOPS_MAX  4     /* links between two ToRs: a path has a byte for each */
#define CONWEAVE_PORTS_MAX 255   /* of a switch */
#define CONWEAVE_ENTRIES   65536u    /* of the table of paths to avoid */

enum conweave_flag { CONWEAVE_DATA, CONWEAVE_INIT, CONWEAVE_TAIL };

/* What the first ToR writes on a data packet. */
struct conweave_tag {
    uint32_t path;               /* byte i: port, counted from 1, of the i-th switch; 0: none, ECMP finds the way */
    uint32_t epoch;
    uint64_t tx_ps;              /* when it was there */
    uint64_t tail_ps;            /* when the TAIL of its epoch was; 0: there was none yet */
    uint8_t  hop, phase, flag;
    bool     is_held;            /* the last ToR holds it, */
    uint32_t next;               /* and this packet behind it; 0: none */
};

struct conweave_counters {       /* only grow; see figures.def */
#define CONWEAVE(name, ...) uint64_t name;
#include "core/figures.def"
};

struct conweave_cfg { uint64_t reply_ps, pause_ps, flush_ps, wait_ps, expiry_ps; };

struct conweave_key { uint32_t src, dst, ports; };

/* All shortest paths from a ToR to another. */
struct conweave_paths {
    uint32_t *id;                /* ascending */
    uint32_t  count;
    uint32_t  made;              /* of which routes, + 1; 0: none yet */
    uint64_t  rtt_ps;            /* there and back: delays of links alone */
};

struct conweave_tx {             /* a flow at its first ToR */
    uint64_t deadline_ps, tail_ps;
    uint32_t epoch, path;        /* path 0: none */
    uint8_t  phase;
    bool     is_stable, is_old;  /* old: a data packet of it has come */
};

struct conweave_rx {             /* and at its last */
    uint64_t p0_tx_ps, p0_rx_ps; /* of the last packet of phase 0 that came */
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
    uint32_t            first, last;     /* whoever holds packets keeps them here; 0: none. Such a row is not given away */
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
    uint64_t                 first_ps;   /* when the first packet came, + 1; 0: none has. Ageing counts from there */
};

extern const struct lb_algo lb_conweave;

/* A packet of any kind has come. */
static inline void conweave_note(struct conweave_tor *t, uint64_t now_ps)
{
    if (!t->first_ps)
        t->first_ps = now_ps + 1;
}

/* First ToR: a data packet for another rack, which 'paths' (one at least) lead to. Writes on it. */
void conweave_send(const struct conweave_cfg *, struct conweave_tor *, uint64_t now_ps, const struct lb_switch *,
                   const struct conweave_key *, const struct conweave_paths *, struct conweave_tag *,
                   struct conweave_counters *);

struct conweave_verdict {
    struct conweave_row *row;    /* of the flow; good until the next call */
    bool     holds;              /* the packet is to wait in the queue of its flow, otherwise it goes on */
    bool     moves;              /* that queue is to be released at release_ps */
    uint64_t release_ps;
    bool     notifies, replies, clears;      /* to be sent, in this order, before the packet */
};

/* Last ToR: a data packet from another rack. */
void conweave_receive(const struct conweave_cfg *, struct conweave_tor *, uint64_t now_ps, const struct conweave_key *,
                      const struct conweave_tag *, bool is_marked, struct conweave_verdict *, struct conweave_counters *);

/* Last ToR: the queue of a flow is released. Returns its row; what is held there is the caller's to take out. */
struct conweave_row *conweave_release(struct conweave_tor *, uint64_t now_ps, const struct conweave_key *,
                                      struct conweave_counters *);

/* First ToR: a REPLY (phase 0) or a CLEAR (phase 1) for the flow with this key has come. */
void conweave_answered(struct conweave_tor *, uint64_t now_ps, const struct conweave_key *, uint32_t epoch, uint32_t phase,
                       struct conweave_counters *);

/* First ToR: a NOTIFY has come. */
void conweave_notified(const struct conweave_cfg *, struct conweave_tor *, uint64_t now_ps, uint32_t salt, uint32_t path);

void conweave_fini(struct conweave_tor *, uint32_t racks);

#endif
