/* src/tune/rehearse/floor.h - the formula that the tuner rehearse falls back to.
 *
 * It follows from the network alone and is applied before the first message, so that no queue has to be
 * drained. A setting found on a twin must be better; doubt about the twin, or new traffic, returns to the
 * formula. There are two: which one is better on this network, the network itself can tell (proof/duel.h).
 */
#ifndef TUNE_REHEARSE_FLOOR_H
#define TUNE_REHEARSE_FLOOR_H

#include "core/world.h"

#include <stdbool.h>

enum floor_formula { FLOOR_NONE, FLOOR_BDP, FLOOR_GENTLE };

extern const char *const floor_names[];      /* NULL-terminated */
extern const char *const floor_abouts[];     /* of each, for explanations */

struct floor {
    struct knobs knobs;          /* the formula, or the initial setting */
    struct knobs other;          /* the other formula; if the initial setting is the floor, the best of both */
    bool         is_withdrawn;   /* what is the floor now is the initial setting, or better than that */
    bool         has_formula;    /* else both are the initial setting: no formula is wanted, the control is
                                  * not DCQCN, or the user chose the setting */
};

void floor_make(struct floor *, enum floor_formula, const struct world *);

/* Is this setting the floor, with a formula as a rival? */
bool floor_is(const struct floor *, const struct knobs *);

/* The other formula has proved to be better: both change places. */
void floor_swap(struct floor *);

/* The initial setting becomes the floor, and the formula must prove to be better. Only the first time; returns
 * false later, and if there is no formula. */
bool floor_withdraw(struct floor *, const struct knobs *initial);

#endif
