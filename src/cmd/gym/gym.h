/* src/cmd/gym/gym.h - the RL-CC environment for programs in other languages: a protocol over a pipe or
 * socket.
 *
 * docs/gym.md documents the protocol. A message is a head (uint32 type, uint32 bytes of the payload) and a
 * payload. Numbers are little-endian. The server only sends answers: WELCOME to HELLO, BATCH to RESET and
 * ACT, ERROR, the last message, to an invalid request.
 */
#ifndef CMD_GYM_GYM_H
#define CMD_GYM_GYM_H

#include "base/err.h"
#include "train/env/env.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GYM_VERSION      1u
#define GYM_MAGIC        "AGYM"
#define GYM_HEAD_BYTES   8u
#define GYM_AGENTS_MAX   (1u << 26)           /* more than the possible number of flows */
#define GYM_CLIENT_BYTES_MAX (8u + 4u * GYM_AGENTS_MAX)      /* largest payload */

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
    const struct env_observation *seen;      /* [n]; owned by the world, valid until the next call */
};

/* The world of a session: an environment, or a stand-in for tests. */
struct gym_world {
    const char *name;
    void       *arg;
    uint32_t    worlds;          /* number of parallel worlds, for WELCOME */
    int  (*reset)(void *arg, uint64_t seed, struct err *);   /* restarts; must be called first */
    void (*observe)(void *arg, struct gym_batch *);
    void (*act)(void *arg, const float *multiplier);         /* one per agent of the last batch */
};

/* Bytes to send. */
struct gym_buffer { uint8_t *bytes; size_t length, room; };

/* The session of one client. */
struct gym_session {
    struct gym_world  world;
    struct gym_buffer reply;     /* answer to the last message */
    struct gym_buffer payload;   /* of the last message, if it came by a file descriptor */
    float            *action;
    uint32_t          actions_room;
    uint32_t          waiting;   /* agents in the last batch */
    bool              is_greeted, has_batch, is_closed;
};

void gym_session_init(struct gym_session *, const struct gym_world *);
void gym_session_fini(struct gym_session *);

/* Parses a head. Refuses unknown types and wrong payload sizes. */
int gym_head_parse(const uint8_t head[GYM_HEAD_BYTES], uint32_t *type, uint32_t *bytes, struct err *);

/* Handles a message and writes the answer to s->reply. On failure sets err, and the reply is an ERROR that
 * ends the session. */
int gym_session_take(struct gym_session *, uint32_t type, const uint8_t *payload, uint32_t bytes,
                     struct err *);

/* Makes the reply an ERROR with this text. */
void gym_session_refuse(struct gym_session *, const struct err *);

/* Serves one client until it closes or disconnects, which is not an error, even within a message. Protocol
 * errors are reported to the client and in err. */
int gym_serve(const struct gym_world *, int in, int out, struct err *);

/* Creates a listening socket that only this user can access. Refuses an existing path. */
int gym_listen(const char *path, int *listener, struct err *);

/* Serves clients one after the other until 'clients' have connected (0: forever). A client's errors are
 * reported to it and on standard error, and affect no other client. Returns a negative errno if accepting
 * fails. */
int gym_serve_socket(const struct gym_world *, int listener, uint64_t clients, struct err *);

#define GYM_WORLDS_MAX 1024u

/* A scenario as the world of a session. Several instances with different seeds may run in parallel; their
 * agents form one batch, which amortizes the cost of messages. World w of n has seed n s + w, where s is the
 * seed of RESET, and its agent a has number n a + w. */
struct gym_env {
    struct env_cfg          cfg; /* without the seed */
    uint32_t                worlds;
    struct env            **env;             /* [worlds] */
    uint32_t               *waiting;         /* [worlds] agents in the last batch */
    struct env_observation *seen;            /* of all worlds */
    uint32_t                seens_room;
};

/* Pointers in cfg must stay valid; cfg->policy must be NULL. Starts the scenario once to detect errors before
 * a client connects. */
int  gym_env_open(struct gym_env *, const struct env_cfg *, uint32_t worlds, struct err *);
void gym_env_close(struct gym_env *);

/* Returns the interface for sessions. It refers to the gym_env. */
struct gym_world gym_env_world(struct gym_env *);

#endif
