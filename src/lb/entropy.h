/* src/lb/entropy.h - how a sender that sprays packets chooses the entropy value (EV) of each.
 *
 * Switches hash the EV, so an EV stands for a path. A sender uses 'paths' of them, a power of two, and learns
 * from acknowledgements which are good. The choices are those of uet-htsim:
 *
 *   oblivious    walks through all EVs, in an order that changes with each round
 *   bitmap       the same, but skips EVs with penalties: 1 for a mark, 4 for a trimmed packet, 15 for a
 *                time-out
 *   reps_legacy  the first packets try all EVs; then those that came back good are used again, once each; else
 *                a random one
 *   mixed        EVs that came back good are used again, once each; else as bitmap
 *   reps         a ring of the last eight good EVs; a time-out freezes it for 10 ms
 *
 * All random numbers come from the caller.
 */
#ifndef LB_ENTROPY_H
#define LB_ENTROPY_H

#include <stdbool.h>
#include <stdint.h>

enum entropy_kind { ENTROPY_MIXED, ENTROPY_OBLIVIOUS, ENTROPY_BITMAP, ENTROPY_REPS, ENTROPY_REPS_LEGACY };

extern const char *const entropy_names[];        /* by kind; NULL ends them */

enum entropy_feedback { ENTROPY_GOOD, ENTROPY_MARKED, ENTROPY_TRIMMED, ENTROPY_TIMEOUT };

#define ENTROPY_PATHS_MAX 65536u
#define ENTROPY_RING      8u

struct entropy_cfg {
    enum entropy_kind kind;
    uint32_t          paths;             /* a power of two, up to ENTROPY_PATHS_MAX */
    /* reps: a time-out freezes the ring. uet-htsim: only with trimming */
    bool              freezes;
    /* counts EVs that were passed over for their penalty; NULL: not counted */
    uint64_t         *skipped;
    uint32_t        (*draw)(void *arg);  /* 31 random bits */
    void             *arg;
};

/* What one sender remembers. */
struct entropy {
    uint32_t  at, turn;          /* walk: index, and what it is combined with in this round */
    uint32_t  fixed;             /* bits of the EV above those of the index */
    uint8_t  *penalty;           /* by index; NULL: none yet, or none */

    uint16_t *good;              /* FIFO of good EVs to use again: a power of two of them */
    uint32_t  good_first, good_count, good_room;
    bool      is_lent;           /* both belong to the caller, and do not grow */
    uint32_t  last;              /* reps_legacy: the EV used last */

    uint16_t  ring[ENTROPY_RING];            /* reps */
    bool      is_fresh[ENTROPY_RING];
    uint8_t   head, count, fresh, frozen_at;
    uint32_t  explore;           /* so many choices are random ones */
    bool      is_frozen;
    uint64_t  frozen_ps;         /* until then */
};

void entropy_init(struct entropy *, const struct entropy_cfg *);

/* The same, with memory of the caller, so that nothing is allocated: 'paths' penalties of 0, and room for
 * 'goods' good EVs, a power of two; more are forgotten. entropy_fini() is not needed. */
void entropy_init_in(struct entropy *, const struct entropy_cfg *, uint8_t *penalty, uint16_t *good,
                     uint32_t goods);

void entropy_fini(struct entropy *);

/* Takes the oldest good EV. */
static inline uint16_t entropy_take_good(struct entropy *e)
{
    e->good_count--;
    return e->good[e->good_first++ & (e->good_room - 1)];
}

/* Where the walk of oblivious, bitmap and mixed is. */
static inline uint32_t entropy_index(const struct entropy *e, uint32_t paths)
{
    return (e->at ^ e->turn) & (paths - 1);
}

/* entropy_next() where the choice is easy: a good EV, or one without penalty in the midst of a round.
 * Returns false if it is not. */
static inline bool entropy_next_easily(struct entropy *e, enum entropy_kind kind, uint32_t paths,
                                       uint16_t *ev)
{
    uint32_t index = entropy_index(e, paths);

    if (kind == ENTROPY_MIXED && e->good_count) {
        *ev = entropy_take_good(e);
        return true;
    }
    if (kind >= ENTROPY_REPS || e->at + 1 >= paths ||
        (kind != ENTROPY_OBLIVIOUS && e->penalty && e->penalty[index]))
        return false;
    e->at++;
    *ev = (uint16_t)(index | e->fixed);
    return true;
}

/* The EV of the next packet. 'next' is the number of the next packet that is sent first, and 'window' the
 * congestion window, both in packets: reps_legacy asks for them. */
uint16_t entropy_next(struct entropy *, const struct entropy_cfg *, uint64_t next, uint64_t window);

/* entropy_learn() of a good EV that need only be noted. Returns false if there is more to do. */
static inline bool entropy_learn_easily(struct entropy *e, enum entropy_kind kind, uint16_t ev,
                                        enum entropy_feedback f)
{
    if (kind != ENTROPY_MIXED || f != ENTROPY_GOOD || e->good_count == e->good_room)
        return false;
    e->good[(e->good_first + e->good_count++) & (e->good_room - 1)] = ev;
    return true;
}

/* Tells what became of a packet with this EV. */
void entropy_learn(struct entropy *, const struct entropy_cfg *, uint64_t now_ps, uint16_t ev,
                   enum entropy_feedback);

#endif
