/* src/train/twin/twin_train.h - trains the surrogate of twins (tune/rehearse/search/surrogate.h) from
 * scratch.
 *
 * Each round draws new random networks. On each network, several settings run on the same messages: presets,
 * random ones and, from the second round on, the choices of the current surrogate. The surrogate is then
 * refitted to all results. It is evaluated by its choices for new networks, before it is refitted to them.
 */
#ifndef TRAIN_TWIN_TWIN_TRAIN_H
#define TRAIN_TWIN_TWIN_TRAIN_H

#include "base/err.h"
#include "learn/net.h"

#include <stdbool.h>
#include <stdint.h>

struct twin_request {
    uint32_t    rounds, networks;            /* networks: per round */
    uint32_t    epochs;                      /* per fit */
    uint32_t    jobs;                        /* parallel trials; 0: number of cores */
    uint64_t    seed;
    const char *out, *json;                  /* json NULL: none */
    bool        is_quick, is_quiet;          /* quick: trials are twenty times shorter */
};

extern const struct twin_request twin_initial;

struct twin_trained {
    struct net net;
    double     error;            /* prediction error for its choices in the last round: standard deviation of
                                  * logarithms */
    double     chosen, bdp;      /* gains of these choices and of bdp there: J against default, in percent */
    uint32_t   tried;            /* total number of trials */
};

/* Reproducible to the last bit. Free the result with net_fini(). */
int twin_train(const struct twin_request *, struct twin_trained *, struct err *);

/* Writes the model as a file, and as JSON if requested. */
int twin_train_save(const struct twin_request *, const struct twin_trained *, struct err *);

#endif
