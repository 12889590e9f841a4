/* src/sim/host/selective_repeat.h - selective repeat: only missing packets are sent again.
 *
 * Packets are numbered: number n carries the bytes from n x mtu on, also when it is sent again. The receiver
 * keeps packets beyond the expected one, up to SELECTIVE_WINDOW of them; it refuses others, as if they were
 * lost. ACKs are cumulative. A NACK names one hole, [from, to).
 *
 * A hole is named after 'reorder_ps', because reordered packets are not lost. This is checked when packets
 * arrive. There is one clock for all holes: packets missing below 'mark' have been missing since mark_ps, so
 * they are overdue after reorder_ps to twice that. One hole is named per packet that arrives. If the first
 * hole is still there nack_gap_ps later, it is named again. After a silence, everything missing before it has
 * been missing for at least as long.
 *
 * The sender repeats holes in the order of the NACKs, before it continues. When its timer expires, it repeats
 * the first unacknowledged packet, and all after the last one that is known to have arrived: most of those in
 * between have arrived, and the receiver names the others. After a loss near the end of a message, too few
 * packets follow for a hole to be named in time. So the receiver names an empty hole when the last packet
 * arrives.
 *
 * Functions here only know numbers; receive.h and answer.h send and count.
 */
#ifndef SIM_HOST_SELECTIVE_REPEAT_H
#define SIM_HOST_SELECTIVE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#define SELECTIVE_WINDOW 4096u      /* packets, a power of two: 4 MB of 1024 B */
#define SELECTIVE_HOLES  32u        /* that a sender remembers; what it forgets is named again */

struct selective_hole { uint32_t from, to; };

struct selective_tx {               /* parallel to struct flow */
    struct selective_hole hole[SELECTIVE_HOLES];   /* first in, first out; the sender is at work on the
                                                    * first */
    uint32_t           first, count;
    uint32_t           known;    /* the one before it has arrived, and perhaps some before that; 0: nothing
                                  * is known */
    bool               is_begun; /* something of the first may have been repeated */
};

struct selective_rx {               /* parallel to struct flow_rx */
    uint32_t expected;           /* all before it have arrived */
    uint32_t top;                /* all from it on have not */
    uint32_t mark;               /* packets missing before it have been missing since mark_ps */
    uint32_t overdue;            /* packets missing before it are overdue */
    uint32_t named;              /* and has been named, if it lies before this */
    uint32_t again;              /* the hole that may be named again from again_ps on begins there */
    uint32_t seen;               /* 'top' at seen_ps, when the last packet arrived */
    uint64_t mark_ps, again_ps, seen_ps;
    uint64_t end;                /* bytes of the message; UINT64_MAX: not known yet */
    uint64_t has[SELECTIVE_WINDOW / 64];        /* arrived beyond 'expected', by number, modulo */
};

enum selective_fate {
    SELECTIVE_OLD,                  /* it is there already */
    SELECTIVE_BEYOND,               /* refused */
    SELECTIVE_KEPT,                 /* out of order */
    SELECTIVE_TAKEN,                /* it was expected; with it perhaps some that were kept */
};

void selective_open(struct selective_rx *);

/* Packet n arrives. */
enum selective_fate selective_take(struct selective_rx *, uint32_t n);

/* How many are there: all before 'expected', and those that are kept beyond it. */
uint32_t selective_arrived(const struct selective_rx *);

/* Is there a hole to be named now? */
bool selective_must_name(struct selective_rx *, uint64_t now_ps, uint64_t reorder_ps, uint64_t again_ps,
                      struct selective_hole *);

/* A NACK names a hole: the packet after it has arrived. Packets already marked for retransmission are not
 * repeated twice. */
void selective_add(struct selective_tx *, struct selective_hole);

/* The sender's timer has run out. All before 'acked' have arrived, those from 'fresh' on were never sent. */
void selective_all(struct selective_tx *, uint32_t acked, uint32_t fresh);

/* What the sender sends next: 'next', if that is in the first hole and that has been begun; the first of a
 * hole; or 'fresh', which was never sent. All before 'acked' have arrived. Forgets holes that are done. */
uint32_t selective_next(struct selective_tx *, uint32_t next, uint32_t acked, uint32_t fresh);

#endif
