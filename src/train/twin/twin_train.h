/* src/train/twin/twin_train.h - a surrogate of twins (tune/rehearse/search/surrogate.h), made from nothing.
 *
 * Rounds. In each there are new random networks; on each of them settings are tried on the same messages: those that have a name, some at
 * random, and, from the second round on, what the surrogate that there is by then would choose. Then it is fitted anew to
 * all that was tried. What it is worth is told by its choices for networks that it has not met yet.
 */
#ifndef TRAIN_TWIN_TWIN_TRAIN_H
#define TRAIN_TWIN_TWIN_TRAIN_H

#include "base/err.h"
#include "learn/net.h"

#include <stdbool.h>
#include <stdint.h>

struct twin_request {
    uint32_t    rounds, networks;            /* networks: of a round */
    uint32_t    epochs;                      /* of a fit */
    uint32_t    jobs;                        /* trials at a time; 0: as many as there are cores */
    uint64_t    seed;
    const char *out, *json;                  /* json: NULL: none */
    bool        is_quick, is_quiet;          /* quick: trials are twenty times shorter */
};

extern const struct twin_request twin_initial;

struct twin_trained {
    struct net net;
    double     error;            /* of what it said of its choices in the last round: standard deviation of logarithms */
    double     chosen, bdp;      /* what these choices and bdp were worth there: J against default, in per cent */
    uint32_t   tried;            /* settings, on all networks together */
};

/* The same request makes the same net, to the last bit. To be given back with net_fini(). */
int twin_train(const struct twin_request *, struct twin_trained *, struct err *);

/* Writes the model, as a file and as JSON if that is wanted. */
int twin_train_save(const struct twin_request *, const struct twin_trained *, struct err *);

#endif
