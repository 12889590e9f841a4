/* src/train/twin/opening_train.h - a setting for networks of which nothing is known but what they are built of
 * (tune/rehearse/opening.h): a point of the space of searches, in units of each network, found by a CMA-ES whose generations
 * each meet new random networks (twin_draw.h). What it is worth is told on networks that the search has not met.
 */
#ifndef TRAIN_TWIN_OPENING_TRAIN_H
#define TRAIN_TWIN_OPENING_TRAIN_H

#include "base/err.h"
#include "tune/rehearse/search/goal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct opening_request {
    uint32_t generations, networks;      /* networks: of a generation */
    uint32_t check;                      /* networks, in the end, that it has not met */
    uint32_t jobs;                       /* trials at a time; 0: as many as there are cores */
    uint64_t seed;
    bool     is_quick, is_quiet;         /* quick: trials are twenty times shorter */
};

extern const struct opening_request opening_initial;

/* Prints the point, and what it, bdp and gentle are worth against default. The same request prints the same. */
int opening_train(const struct opening_request *, FILE *out, struct err *);

#endif
