/* src/sim/transport/rc/selective_repeat.h - selective repeat: only missing packets are retransmitted.
 *
 * Packets are numbered: number n carries the bytes from n x mtu on, also when it is retransmitted. The
 * receiver keeps packets beyond the expected one, up to SELECTIVE_WINDOW of them; it discards others. ACKs
 * are cumulative. A NACK names one hole, [from, to).
 *
 * The receiver waits 'reorder_ps' before it names a hole, because reordered packets are not lost. It checks
 * this when packets arrive. One clock serves all holes: packets missing below 'mark' have been missing since
 * mark_ps, so they are overdue after reorder_ps to twice that. Each arriving packet names at most one hole.
 * If the first hole is still open nack_gap_ps later, it is named again. After a silence, everything missing
 * before it has been missing for at least as long.
 *
 * The sender retransmits holes in the order of the NACKs, before it continues. When its timer expires, it
 * retransmits the first unacknowledged packet, and all packets after the last one known to have arrived. Most
 * of those in between have arrived, and the receiver names the others. After a loss near the end of a
 * message, too few packets follow for a hole to be named in time. So the receiver names an empty hole when
 * the last packet arrives.
 *
 * Functions here only handle packet numbers; rc.h sends and counts.
 */
#ifndef SIM_TRANSPORT_RC_SELECTIVE_REPEAT_H
#define SIM_TRANSPORT_RC_SELECTIVE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#define SELECTIVE_WINDOW 4096u      /* packets, a power of two: 4 MB of 1024 B */
#define SELECTIVE_HOLES  32u        /* holes that a sender remembers; forgotten ones are named again */

struct selective_hole { uint32_t from, to; };

struct selective_tx {               /* parallel to struct flow */
    struct selective_hole hole[SELECTIVE_HOLES];   /* FIFO; the sender retransmits the first */
    uint32_t           first, count;
    uint32_t           known;    /* the packet before it has arrived; 0: nothing is known */
    bool               is_begun; /* part of the first hole may have been retransmitted */
};

struct selective_rx {               /* parallel to struct flow_rx */
    uint32_t expected;           /* all packets before it have arrived */
    uint32_t top;                /* no packet from it on has arrived */
    uint32_t mark;               /* packets missing before it have been missing since mark_ps */
    uint32_t overdue;            /* packets missing before it are overdue */
    uint32_t named;              /* holes before it have been named */
    uint32_t again;              /* start of the hole that may be named again from again_ps on */
    uint32_t seen;               /* 'top' at seen_ps, when the last packet arrived */
    uint64_t mark_ps, again_ps, seen_ps;
    uint64_t end;                /* bytes of the message; UINT64_MAX: not known yet */
    uint64_t has[SELECTIVE_WINDOW / 64];        /* packets received beyond 'expected', by number, modulo */
};

enum selective_fate {
    SELECTIVE_OLD,                  /* duplicate */
    SELECTIVE_BEYOND,               /* beyond the window: discarded */
    SELECTIVE_KEPT,                 /* out of order: kept */
    SELECTIVE_TAKEN,                /* the expected packet, possibly followed by kept ones */
};

void selective_open(struct selective_rx *);

/* Handles the arrival of packet n. */
enum selective_fate selective_take(struct selective_rx *, uint32_t n);

/* Returns the number of packets received: all before 'expected', and those kept beyond it. */
uint32_t selective_arrived(const struct selective_rx *);

/* Returns true if a hole must be named now. */
bool selective_must_name(struct selective_rx *, uint64_t now_ps, uint64_t reorder_ps, uint64_t again_ps,
                      struct selective_hole *);

/* A NACK names a hole: the packet after it has arrived. Does not add a packet twice. */
void selective_add(struct selective_tx *, struct selective_hole);

/* The timer has expired. Packets before 'acked' have arrived; those from 'fresh' on were never sent. */
void selective_all(struct selective_tx *, uint32_t acked, uint32_t fresh);

/* Returns the packet to send next: 'next', if it is in the first hole and that was begun; the first packet of
 * a hole; or 'fresh', which was never sent. All packets before 'acked' have arrived. Removes holes that are
 * done. */
uint32_t selective_next(struct selective_tx *, uint32_t next, uint32_t acked, uint32_t fresh);

#endif
