/* src/sim/host/selective_repeat.h - selective repeat: only what is missing is sent again.
 *
 * Packets are numbered: number n carries the bytes from n x mtu on, also when it is sent again. The receiver
 * keeps what arrives beyond the packet it expects, up to SELECTIVE_WINDOW of them; what is further ahead is
 * refused, as if it had been lost. ACKs are cumulative. A NACK tells the sender of one hole, [from, to).
 *
 * A hole is named when it has lasted longer than 'reorder_ps', because packets that overtake each other on
 * their way are no loss. That is looked at when packets arrive. Instead of a clock for every hole there is
 * one for all: what is missing below 'mark' has been missing since mark_ps, so after reorder_ps, at most two
 * of them, it is overdue. One hole is named for each packet that arrives. If the first hole is still there
 * nack_gap_ps later, it is named again. After a silence all that was missing before it has been so for at
 * least as long.
 *
 * The sender repeats the holes in the order in which it was told, before it goes on. When its timer runs out,
 * it repeats the first packet that is not acknowledged, and all behind the last one of which it knows that it
 * arrived: of what lies between, most has arrived, and the receiver will say what has not. So that a loss
 * near the end of a message, behind which too little comes for a hole to be named in time, costs no more, the
 * receiver tells when the last packet has arrived: it names an empty hole there.
 *
 * Functions here know of numbers only; receive.h and answer.h send and count.
 */
#ifndef SIM_HOST_SELECTIVE_REPEAT_H
#define SIM_HOST_SELECTIVE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#define SELECTIVE_WINDOW 4096u      /* packets, a power of two: 4 MB of 1024 B */
#define SELECTIVE_HOLES  32u        /* that a sender remembers; what it forgets is named again */

struct selective_hole { uint32_t from, to; };

struct selective_tx {               /* beside struct flow */
    struct selective_hole hole[SELECTIVE_HOLES];   /* first in, first out; the sender is at work on the
                                                    * first */
    uint32_t           first, count;
    uint32_t           known;    /* the one before it has arrived, and perhaps some before that; 0: nothing
                                  * is known */
    bool               is_begun; /* something of the first may have been repeated */
};

struct selective_rx {               /* beside struct flow_rx */
    uint32_t expected;           /* all before it have arrived */
    uint32_t top;                /* all from it on have not */
    uint32_t mark;               /* what is missing before it has been missing since mark_ps */
    uint32_t overdue;            /* what is missing before it is overdue */
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

/* The sender is told of a hole: the packet behind it has arrived. What is already to be repeated is not
 * repeated twice. */
void selective_add(struct selective_tx *, struct selective_hole);

/* The sender's timer has run out. All before 'acked' have arrived, those from 'fresh' on were never sent. */
void selective_all(struct selective_tx *, uint32_t acked, uint32_t fresh);

/* What the sender sends next: 'next', if that is in the first hole and that has been begun; the first of a
 * hole; or 'fresh', which was never sent. All before 'acked' have arrived. Forgets holes that are done. */
uint32_t selective_next(struct selective_tx *, uint32_t next, uint32_t acked, uint32_t fresh);

#endif
