/* src/gym/gym.h - the environment of RL-CC for programs in other languages: messages on a pipe or a socket.
 *
 * docs/gym.md has the protocol for people. A message is a head and a payload; numbers are little-endian, whatever the
 * processor; columns of a batch follow each other without gaps.
 *
 *   head     uint32 type, uint32 bytes of the payload
 *
 *   client   HELLO    "AGYM", uint32 version
 *            RESET    uint64 seed
 *            ACT      uint32 n, uint32 0, float32 multiplier[n]      one for each agent of the last batch, in its order
 *            CLOSE    nothing
 *   server   WELCOME  uint32 version, uint32 features, float32 lowest and highest multiplier of RL-CC's policies,
 *                     uint32 worlds, uint32 bytes of a name, the name        answers HELLO
 *            BATCH    uint64 now_ps, end_ps, steps, payload_bytes, dropped_packets,
 *                     uint32 n, agents so far, 1 if the scenario is over, 0,
 *                     uint32 agent[n], float32 x[n][features], reward[n], rate[n], rtt_us[n]      answers RESET and ACT
 *            ERROR    text; the last message                         answers what cannot be done
 *
 * HELLO comes first, then RESET; after a BATCH that is not over comes ACT, or RESET again. Nothing is sent that was not
 * asked for.
 */
#ifndef GYM_GYM_H
#define GYM_GYM_H

#include "base/err.h"
#include "env/env.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GYM_VERSION      1u
#define GYM_MAGIC        "AGYM"
#define GYM_HEAD_BYTES   8u
#define GYM_AGENTS_MAX   (1u << 26)           /* more than there can be flows */
#define GYM_CLIENT_BYTES_MAX (8u + 4u * GYM_AGENTS_MAX)      /* of a payload */

enum gym_type {
    GYM_HELLO = 1, GYM_RESET = 2, GYM_ACT = 3, GYM_CLOSE = 4,
    GYM_WELCOME = 129, GYM_BATCH = 130, GYM_ERROR = 131,
};

/* Agents that wait for an action. */
struct gym_batch {
    uint64_t                      now_ps, end_ps;
    struct env_totals             totals;
    uint32_t                      n, agents;
    bool                          is_over;   /* then n is 0 */
    const struct env_observation *seen;      /* [n]; the world's, until it is asked again */
};

/* What a session talks about: an environment, or whatever a test makes of it. */
struct gym_world {
    const char *name;
    void       *arg;
    uint32_t    worlds;          /* beside each other; for WELCOME */
    int  (*reset)(void *arg, uint64_t seed, struct err *);   /* from the start; must work before all else */
    void (*observe)(void *arg, struct gym_batch *);
    void (*act)(void *arg, const float *multiplier);         /* one for each of the last batch */
};

/* Bytes to be sent. */
struct gym_buffer { uint8_t *bytes; size_t length, room; };

/* One client. */
struct gym_session {
    struct gym_world  world;
    struct gym_buffer reply;     /* to the last message */
    float            *action;
    uint32_t          actions_room;
    uint32_t          waiting;   /* agents of the last batch */
    bool              is_greeted, has_batch, is_closed;
};

void gym_session_init(struct gym_session *, const struct gym_world *);
void gym_session_fini(struct gym_session *);

/* Reads a head. Refuses what no client sends: a type that is not known, a payload that is too long for it. */
int gym_head_parse(const uint8_t head[GYM_HEAD_BYTES], uint32_t *type, uint32_t *bytes, struct err *);

/* Takes a message whose head was read, and writes the answer to s->reply. What is wrong is told in err, and as an ERROR in
 * the reply: then the session is over. */
int gym_session_take(struct gym_session *, uint32_t type, const uint8_t *payload, uint32_t bytes, struct err *);

/* Makes the reply an ERROR with this text. */
void gym_session_refuse(struct gym_session *, const struct err *);

#endif
