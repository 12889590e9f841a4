/* src/tune/rehearse/proof/proof.h - has come what was predicted? What the twin says and what hosts see, each
 * as far as it can be believed.
 *
 * The twin has said by how much messages will be faster, and is taken to be wrong by half of that. Hosts tell
 * how much faster they are, before and after, which differs by chance: by how much, the twin has shown as
 * well. The mean of both, each weighted by what it is sure of (as for normal distributions), is what the new
 * setting is taken to be worth. So a window full of bad luck does not undo what is right, and one that is
 * clear undoes what is wrong.
 */
#ifndef TUNE_REHEARSE_PROOF_PROOF_H
#define TUNE_REHEARSE_PROOF_PROOF_H

#include "core/seen/seen.h"
#include "tune/rehearse/search/race.h"

#include <stdbool.h>

/* at most that are taken together: what was long ago does not excuse what is now */
#define PROOF_WINDOWS 4

struct proof {
    double      expected, error; /* log gain over the setting before, below 0 is better, and its standard
                                  * error, by the race */
    double      noise;           /* standard deviation of the goal's logarithm in what hosts saw before */
    struct seen before, after;   /* what hosts saw with the setting before, and with the new one */
    uint32_t    windows;         /* of the latter */
    struct outcomes then;        /* what the twin said of the setting before, for that time, */
    double      drift;           /* and how much slower messages would be with it by now: a log ratio */
};

void proof_begin(struct proof *, struct race_gain expected, double noise, const struct seen *before,
                 const struct outcomes *then);

/* A window with the new setting. */
void proof_add(struct proof *, const struct seen *window);

/* How much faster messages are than before, or than they would be by now: a log ratio, below 0 is faster. */
double proof_gain(const struct proof *, const struct goal *);

/* What the new setting is worth, by that and the twin. */
double proof_worth(const struct proof *, const struct goal *);

/* It is worth less than nothing; or messages are slower than before by more than chance explains, whatever
 * the twin says. */
bool proof_is_worse(const struct proof *, const struct goal *);

#endif
