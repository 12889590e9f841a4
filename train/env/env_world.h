/* train/env/env_world.h - named training worlds of RL-CC, as scenarios, and training data for trees from
 * them.
 *
 *   many_to_one H_Q   H hosts with Q queue pairs each send to one more host
 *   all_to_all H_Q    each of H hosts sends to every other host over Q queue pairs
 *   long_short H      one host sends permanently; H hosts, including that one, send 200 KiB each every
 *                     10 ms; all to one more host
 *
 * A name may end in @DELAY or @DELAY,RATE, of every link: many_to_one:8_1@5us,400Gbps. A round trip has four
 * delays. Such worlds take the empty round trip as rlcc_base, others the published constant.
 *
 * Queue pairs are persistent and always have messages of 64 KiB posted: 40 in many_to_one, 30 in all_to_all,
 * as in the published simulator. They start at a random time in the first millisecond.
 */
#ifndef TRAIN_ENV_ENV_WORLD_H
#define TRAIN_ENV_ENV_WORLD_H

#include "base/err.h"
#include "train/env/env.h"
#include "train/trees/tree_grow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum env_kind { ENV_MANY_TO_ONE, ENV_ALL_TO_ALL, ENV_LONG_SHORT };

extern const char *const env_kind_names[];       /* NULL-terminated */

struct env_world {               /* 0: the default in brackets */
    enum env_kind kind;
    uint32_t      hosts, qps;
    uint32_t      mtu_bytes;     /* [1024] */
    uint32_t      ack_every;     /* [1] */
    uint64_t      rate_bps;      /* [100 Gb/s] */
    uint64_t      delay_ps;      /* [1.5 us] per link; a round trip has four */
    uint64_t      run_ps;        /* [NEVER: endless] */
    double        decision_us;
    uint64_t      buffer_bytes;  /* [2 MB, at least 60 KB per port] small, so that the initial burst drains
                                  * soon */
    bool          is_lossy;
};

/* "many_to_one:8_1", "all_to_all:4_16", "long_short:7", "many_to_one:8_1@5us,400Gbps". */
int env_world_parse(struct env_world *, const char *text, struct err *);

/* Returns the scenario, malloc'd. */
char *env_world_text(const struct env_world *);

/* Like env_open(), with the world's scenario as text. */
int env_world_open(struct env **, const struct env_world *, struct env_cfg, struct err *);

/* Total link rate of all receivers. */
double env_world_bps(const struct env_world *);

/* Writes the name, as above. */
const char *env_world_name(char *text, size_t size, const struct env_world *);

/* Runs a policy in a named world from its start and adds the states that its flows visit, and its actions
 * there: 'states' rows, or fewer if the scenario ends. Refuses policies other than mlp and lstm, and unknown
 * names. */
int env_add_rows(struct tree_rows *, const struct policy *, const char *world, uint32_t states, uint64_t seed,
                 struct err *);

#endif
