/* src/train/twin/opening_train.h - finds the opening (tune/rehearse/opening.h): a setting for networks with
 * unknown traffic.
 *
 * The opening is a point of the search space, in units of each network. A CMA-ES finds it; each generation is
 * scored on new random networks (twin_draw.h). The result is evaluated on networks not used in the search.
 */
#ifndef TRAIN_TWIN_OPENING_TRAIN_H
#define TRAIN_TWIN_OPENING_TRAIN_H

#include "base/err.h"
#include "tune/rehearse/search/tune_goal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct opening_request {
    uint32_t generations, networks;      /* networks: per generation */
    uint32_t check;                      /* networks for the final evaluation */
    uint32_t jobs;                       /* parallel trials; 0: number of cores */
    uint64_t seed;
    bool     is_quick, is_quiet;         /* quick: trials are twenty times shorter */
};

extern const struct opening_request opening_initial;

/* Prints the point, and the gains of it, of bdp and of gentle over the default. Reproducible. */
int opening_train(const struct opening_request *, FILE *out, struct err *);

#endif
