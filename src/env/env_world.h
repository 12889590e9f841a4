/* src/env/env_world.h - the worlds that RL-CC learns in, as scenarios.
 *
 *   many_to_one H_Q   H hosts with Q queue pairs each send to one more host
 *   all_to_all H_Q    each of H hosts sends to each other one by Q queue pairs
 *   long_short H      one host sends without end, and H hosts, that one too, send 200 KiB each every 10 ms, to one more
 *
 * Queue pairs live on and always have messages of 64 KiB posted, 40 in many_to_one, 30 in all_to_all, as those of the
 * published simulator do. They begin at a random moment of the first millisecond.
 */
#ifndef ENV_ENV_WORLD_H
#define ENV_ENV_WORLD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum env_kind { ENV_MANY_TO_ONE, ENV_ALL_TO_ALL, ENV_LONG_SHORT, ENV_KINDS };

extern const char *const env_kind_names[];       /* NULL-terminated */

struct env_world {               /* 0: the value in brackets */
    enum env_kind kind;
    uint32_t      hosts, qps;
    uint32_t      mtu_bytes;     /* [1024] */
    uint32_t      ack_every;     /* [1] */
    uint64_t      rate_bps;      /* [100 Gb/s] */
    uint64_t      delay_ps;      /* [1.5 us] of a link; there are four on a round trip */
    uint64_t      run_ps;        /* [NEVER: without end] */
    double        decision_us;
    uint64_t      buffer_bytes;  /* [2 MB, 60 KB per port] of the switch: small, so that a first burst is soon worked off */
    bool          is_lossy;
};

/* "many_to_one:8_1", "all_to_all:4_16", "long_short:7". */
int env_world_parse(struct env_world *, const char *text, struct err *);

/* The scenario; malloc'd. */
char *env_world_text(const struct env_world *);

/* What the links of all its receivers carry together. */
double env_world_bps(const struct env_world *);

/* Its name, as above, within 'size'. */
const char *env_world_name(char *text, size_t size, const struct env_world *);

#endif
