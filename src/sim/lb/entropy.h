/* src/sim/lb/entropy.h - how a sender that sprays packets chooses the entropy value (EV) of each.
 *
 * Switches hash the EV, so an EV selects a path. A sender uses 'paths' EVs, a power of two, and learns from
 * acknowledgements which are good. The algorithms are those of uet-htsim:
 *
 *   oblivious    walks through all EVs, in an order that changes with each round
 *   bitmap       the same, but skips EVs with penalties: 1 for a mark, 4 for a trimmed packet, 15 for a
 *                timeout
 *   reps_legacy  the first packets try all EVs; then good EVs are reused once each; else a random one
 *   mixed        good EVs are reused once each; else as bitmap
 *   reps         a ring of the last eight good EVs; a timeout freezes it for 10 ms
 *
 * An EV is good if its packet was acknowledged without a mark. The caller supplies all random numbers.
 */
#ifndef SIM_LB_ENTROPY_H
#define SIM_LB_ENTROPY_H

#include <stdbool.h>
#include <stdint.h>

enum entropy_kind { ENTROPY_MIXED, ENTROPY_OBLIVIOUS, ENTROPY_BITMAP, ENTROPY_REPS, ENTROPY_REPS_LEGACY };

extern const char *const entropy_names[];        /* by kind; NULL-terminated */

enum entropy_feedback { ENTROPY_GOOD, ENTROPY_MARKED, ENTROPY_TRIMMED, ENTROPY_TIMEOUT };

#define ENTROPY_PATHS_MAX 65536u
#define ENTROPY_RING      8u

struct entropy_cfg {
    enum entropy_kind kind;
    uint32_t          paths;             /* a power of two, up to ENTROPY_PATHS_MAX */
    /* reps: a timeout freezes the ring. uet-htsim: only with trimming */
    bool              freezes;
    /* counts EVs that were skipped because of a penalty; NULL: not counted */
    uint64_t         *skipped;
    uint32_t        (*draw)(void *arg);  /* 31 random bits */
    void             *arg;
};

/* State of one sender. */
struct entropy {
    uint32_t  at, turn;          /* walk: index, and the value it is XORed with in this round */
    uint32_t  fixed;             /* bits of the EV above the index */
    uint8_t  *penalty;           /* by index; NULL: no penalties */

    uint16_t *good;              /* FIFO of good EVs to reuse; its capacity is a power of two */
    uint32_t  good_first, good_count, good_room;
    bool      is_lent;           /* 'penalty' and 'good' belong to the caller and do not grow */
    uint32_t  last;              /* reps_legacy: the EV used last */

    uint16_t  ring[ENTROPY_RING];            /* reps */
    bool      is_fresh[ENTROPY_RING];
    uint8_t   head, count, fresh, frozen_at;
    uint32_t  explore;           /* number of choices that are still random */
    bool      is_frozen;
    uint64_t  frozen_ps;         /* end of the freeze */
};

void entropy_init(struct entropy *, const struct entropy_cfg *);

/* Same with the caller's memory, so that nothing is allocated: 'paths' penalties of 0, and room for 'goods'
 * good EVs, a power of two; further ones are dropped. entropy_fini() is not needed. */
void entropy_init_in(struct entropy *, const struct entropy_cfg *, uint8_t *penalty, uint16_t *good,
                     uint32_t goods);

void entropy_fini(struct entropy *);

/* Removes and returns the oldest good EV. */
static inline uint16_t entropy_take_good(struct entropy *e)
{
    e->good_count--;
    return e->good[e->good_first++ & (e->good_room - 1)];
}

/* Returns the current index of the walk of oblivious, bitmap and mixed. */
static inline uint32_t entropy_index(const struct entropy *e, uint32_t paths)
{
    return (e->at ^ e->turn) & (paths - 1);
}

/* Fast path of entropy_next(): a good EV, or one without penalty within a round. Returns false if
 * entropy_next() must be called. */
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

/* Returns the EV of the next packet. 'next' is the number of the next new packet and 'window' the congestion
 * window, both in packets; only reps_legacy uses them. */
uint16_t entropy_next(struct entropy *, const struct entropy_cfg *, uint64_t next, uint64_t window);

/* Fast path of entropy_learn(): stores a good EV. Returns false if entropy_learn() must be called. */
static inline bool entropy_learn_easily(struct entropy *e, enum entropy_kind kind, uint16_t ev,
                                        enum entropy_feedback f)
{
    if (kind != ENTROPY_MIXED || f != ENTROPY_GOOD || e->good_count == e->good_room)
        return false;
    e->good[(e->good_first + e->good_count++) & (e->good_room - 1)] = ev;
    return true;
}

/* Handles the feedback for a packet with this EV. */
void entropy_learn(struct entropy *, const struct entropy_cfg *, uint64_t now_ps, uint16_t ev,
                   enum entropy_feedback);

#endif
