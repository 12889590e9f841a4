#include "cmd/gym/gym.h"
#include "base/file/whole.h"
#include "base/minmax.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BATCH_HEAD_BYTES 56u

/* ---- little-endian numbers ---- */

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t get_u64(const uint8_t *at)
{
    return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

static float get_f32(const uint8_t *at)
{
    uint32_t bits = get_u32(at);
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return at + 4;
}

static uint8_t *put_u64(uint8_t *at, uint64_t value)
{
    return put_u32(put_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

static uint8_t *put_f32(uint8_t *at, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return put_u32(at, bits);
}

/* ---- replies ---- */

static uint8_t *make_room(struct gym_buffer *b, size_t length)
{
    b->length = length;
    if (length > b->room) {
        b->room = 2 * length;
        b->bytes = xrealloc(b->bytes, b->room);
    }
    return b->bytes;
}

/* Starts a reply of this type and returns the position of its payload. */
static uint8_t *begin_reply(struct gym_session *s, enum gym_type type, size_t bytes)
{
    return put_u32(put_u32(make_room(&s->reply, GYM_HEAD_BYTES + bytes), type), (uint32_t)bytes);
}

static void put_welcome(struct gym_session *s)
{
    size_t name_bytes = strlen(s->world.name);
    uint8_t *at = begin_reply(s, GYM_WELCOME, 24 + name_bytes);

    at = put_u32(at, GYM_VERSION);
    at = put_u32(at, POLICY_FEATURES);
    at = put_f32(at, 1 / (1 + POLICY_RANGE));
    at = put_f32(at, 1 + POLICY_RANGE);
    at = put_u32(at, s->world.worlds);
    at = put_u32(at, (uint32_t)name_bytes);
    memcpy(at, s->world.name, name_bytes);
}

static void put_batch(struct gym_session *s, const struct gym_batch *b)
{
    size_t columns = 4 + POLICY_FEATURES;
    uint8_t *at = begin_reply(s, GYM_BATCH, BATCH_HEAD_BYTES + b->n * columns * 4);

    at = put_u64(at, b->now_ps);
    at = put_u64(at, b->end_ps);
    at = put_u64(at, b->totals.steps);
    at = put_u64(at, b->totals.payload_bytes);
    at = put_u64(at, b->totals.dropped_packets);
    at = put_u32(at, b->n);
    at = put_u32(at, b->agents);
    at = put_u32(at, b->is_over);
    at = put_u32(at, 0);
    for (uint32_t i = 0; i < b->n; i++)
        at = put_u32(at, b->seen[i].agent);
    for (uint32_t i = 0; i < b->n; i++)
        for (int j = 0; j < POLICY_FEATURES; j++)
            at = put_f32(at, b->seen[i].x[j]);
    for (uint32_t i = 0; i < b->n; i++)
        at = put_f32(at, -b->seen[i].x[3] * b->seen[i].x[3]);
    for (uint32_t i = 0; i < b->n; i++)
        at = put_f32(at, b->seen[i].rate);
    for (uint32_t i = 0; i < b->n; i++)
        at = put_f32(at, b->seen[i].rtt_us);
}

void gym_session_refuse(struct gym_session *s, const struct err *err)
{
    size_t bytes = strlen(err->text);

    memcpy(begin_reply(s, GYM_ERROR, bytes), err->text, bytes);
    s->is_closed = true;
}

/* ---- requests ---- */

static const struct { const char *name; uint32_t bytes, bytes_max; } types[] = {
    [GYM_HELLO] = { "HELLO", 8, 8 }, [GYM_RESET] = { "RESET", 8, 8 },
    [GYM_ACT] = { "ACT", 8, GYM_CLIENT_BYTES_MAX }, [GYM_CLOSE] = { "CLOSE", 0, 0 },
};

static int check_bytes(uint32_t type, uint32_t bytes, struct err *err)
{
    if (bytes >= types[type].bytes && bytes <= types[type].bytes_max && bytes % 4 == 0)
        return 0;
    return err_set(err, EPROTO, "a message %s cannot have %u bytes", types[type].name, bytes);
}

int gym_head_parse(const uint8_t head[GYM_HEAD_BYTES], uint32_t *type, uint32_t *bytes, struct err *err)
{
    *type = get_u32(head);
    *bytes = get_u32(head + 4);
    if (*type < GYM_HELLO || *type > GYM_CLOSE)
        return err_set(err, EPROTO, "there is no message of type %u; is this a client of anole gym?", *type);
    return check_bytes(*type, *bytes, err);
}

static int on_hello(struct gym_session *s, const uint8_t *payload, struct err *err)
{
    uint32_t version = get_u32(payload + 4);

    if (memcmp(payload, GYM_MAGIC, 4) != 0)
        return err_set(err, EPROTO, "this is not a client of anole gym");
    if (version != GYM_VERSION)
        return err_set(err, EPROTO, "the client speaks version %u of the protocol, this program version %u",
                       version, GYM_VERSION);
    s->is_greeted = true;
    put_welcome(s);
    return 0;
}

static void observe_batch(struct gym_session *s)
{
    struct gym_batch b = { 0 };

    s->world.observe(s->world.arg, &b);
    s->waiting = b.n;
    s->has_batch = !b.is_over;
    put_batch(s, &b);
}

static int on_reset(struct gym_session *s, const uint8_t *payload, struct err *err)
{
    int rc = s->world.reset(s->world.arg, get_u64(payload), err);

    if (rc == 0)
        observe_batch(s);
    return rc;
}

/* Takes actions into s->action. Refuses what no rate control means: a diverged learner sends NaN, and must
 * not train on. */
static int take_actions(struct gym_session *s, const uint8_t *column, uint32_t n, struct err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        float m = s->action[i] = get_f32(column + (size_t)4 * i);

        if (!(m >= ENV_MULTIPLIER_MIN && m <= ENV_MULTIPLIER_MAX))
            return err_set(err, EINVAL, "action %u is %g; a multiplier must be %g .. %g", i, (double)m,
                           (double)ENV_MULTIPLIER_MIN, (double)ENV_MULTIPLIER_MAX);
    }
    return 0;
}

static int on_act(struct gym_session *s, const uint8_t *payload, uint32_t bytes, struct err *err)
{
    uint32_t n = get_u32(payload);

    if (!s->has_batch)
        return err_set(err, EPROTO,
                       "ACT without a batch to act on; a scenario that is over begins again with RESET");
    if (n != s->waiting || bytes != 8 + 4 * (uint64_t)n)
        return err_set(err, EPROTO, "ACT for %u agents in %u bytes; %u wait for an action", n, bytes,
                       s->waiting);
    if (n > s->actions_room) {
        s->actions_room = 2 * n;
        s->action = xrealloc(s->action, s->actions_room * sizeof(*s->action));
    }
    int rc = take_actions(s, payload + 8, n, err);
    if (rc)
        return rc;
    s->world.act(s->world.arg, s->action);
    observe_batch(s);
    return 0;
}

static int handle_message(struct gym_session *s, uint32_t type, const uint8_t *payload, uint32_t bytes,
                          struct err *err)
{
    int rc = check_bytes(type, bytes, err);

    if (rc)
        return rc;
    if (!s->is_greeted && type != GYM_HELLO)
        return err_set(err, EPROTO, "%s before HELLO", types[type].name);
    switch (type) {
    case GYM_HELLO: return on_hello(s, payload, err);
    case GYM_RESET: return on_reset(s, payload, err);
    case GYM_ACT:   return on_act(s, payload, bytes, err);
    default:
        s->is_closed = true;
        return 0;
    }
}

/* ---- sessions ---- */

void gym_session_init(struct gym_session *s, const struct gym_world *w)
{
    *s = (struct gym_session){ .world = *w };
}

void gym_session_fini(struct gym_session *s)
{
    free(s->reply.bytes);
    free(s->payload.bytes);
    free(s->action);
    *s = (struct gym_session){ 0 };
}

int gym_session_take(struct gym_session *s, uint32_t type, const uint8_t *payload, uint32_t bytes,
                     struct err *err)
{
    s->reply.length = 0;
    int rc = handle_message(s, type, payload, bytes, err);
    if (rc)
        gym_session_refuse(s, err);
    return rc;
}

/* ---- file descriptors ---- */

/* Memory for a payload grows as bytes arrive, so that a head alone cannot allocate much. */
static bool read_payload(struct gym_buffer *b, int in, uint32_t bytes)
{
    make_room(b, 1);
    for (size_t have = 0, next; have < bytes; have += next) {
        next = bytes - have < 65536 ? bytes - have : 65536;
        if (!whole_read(in, make_room(b, have + next) + have, next))
            return false;
    }
    return true;
}

/* Handles one message. Returns false if the client has disconnected; *rc: of a protocol error. */
static bool serve_message(struct gym_session *s, int in, int out, int *rc, struct err *err)
{
    uint8_t head[GYM_HEAD_BYTES];
    uint32_t type, bytes;

    if (!whole_read(in, head, sizeof(head)))
        return false;
    *rc = gym_head_parse(head, &type, &bytes, err);
    if (*rc)
        gym_session_refuse(s, err);
    else if (!read_payload(&s->payload, in, bytes))
        return false;
    else
        *rc = gym_session_take(s, type, s->payload.bytes, bytes, err);
    return whole_write(out, s->reply.bytes, s->reply.length);
}

int gym_serve(const struct gym_world *w, int in, int out, struct err *err)
{
    struct gym_session s;
    int rc = 0;

    gym_session_init(&s, w);
    while (serve_message(&s, in, out, &rc, err) && !rc && !s.is_closed)
        continue;
    gym_session_fini(&s);
    return rc;
}

/* ---- sockets ---- */

int gym_listen(const char *path, int *listener, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (strlen(path) >= sizeof(address.sun_path))
        return err_set(err, ENAMETOOLONG, "%s: the name of a socket may have at most %zu bytes", path,
                       sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    mode_t mask = umask(0177);
    int rc = bind(fd, (const struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if (rc == 0)
        rc = listen(fd, 16);
    if (rc) {
        rc = errno == EADDRINUSE
                 ? err_set(err, EEXIST, "%s: already exists; delete it first", path)
                 : err_set(err, errno, "%s: %s", path, strerror(errno));
        close(fd);
        return rc;
    }
    *listener = fd;
    return 0;
}

int gym_serve_socket(const struct gym_world *w, int listener, uint64_t clients, struct err *err)
{
    for (uint64_t served = 0; clients == 0 || served < clients;) {
        int fd = accept(listener, NULL, NULL);
        struct err why;

        if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
            return err_set(err, errno, "cannot accept clients: %s", strerror(errno));
        if (fd < 0)
            continue;
        if (gym_serve(w, fd, fd, &why))
            fprintf(stderr, "anole: a client: %s\n", why.text);
        close(fd);
        served++;
    }
    return 0;
}

/* ---- environments ---- */

static int reset_env(struct gym_env *g, uint32_t world, uint64_t seed, struct err *err)
{
    struct env_cfg cfg = g->cfg;
    struct env *made;

    cfg.seed = seed * g->worlds + world;
    int rc = env_open(&made, &cfg, err);
    if (rc)
        return rc;
    env_close(g->env[world]);
    g->env[world] = made;
    g->waiting[world] = 0;
    return 0;
}

static int reset_all(void *arg, uint64_t seed, struct err *err)
{
    struct gym_env *g = arg;
    int rc = 0;

    for (uint32_t i = 0; !rc && i < g->worlds; i++)
        rc = reset_env(g, i, seed, err);
    return rc;
}

static void append_observations(struct gym_env *g, uint32_t world, const struct env_observation *seen,
                                uint32_t at)
{
    for (uint32_t i = 0; i < g->waiting[world]; i++) {
        g->seen = xgrow(g->seen, at + i, &g->seens_room, 64, sizeof(*g->seen));
        g->seen[at + i] = seen[i];
        g->seen[at + i].agent = seen[i].agent * g->worlds + world;
    }
}

/* The time is that of the most advanced world. A world that is over has no waiting agents; the batch is over
 * when no agent waits. */
static void observe_all(void *arg, struct gym_batch *b)
{
    struct gym_env *g = arg;

    *b = (struct gym_batch){ .end_ps = env_end_ps(g->env[0]) };
    for (uint32_t i = 0; i < g->worlds; i++) {
        const struct env_observation *seen;

        g->waiting[i] = env_observe(g->env[i], &seen);
        append_observations(g, i, seen, b->n);
        struct env_totals t = env_totals(g->env[i]);
        b->n += g->waiting[i];
        b->agents += env_agents(g->env[i]);
        b->totals.steps += t.steps;
        b->totals.payload_bytes += t.payload_bytes;
        b->totals.dropped_packets += t.dropped_packets;
        b->now_ps = max_u64(b->now_ps, env_now_ps(g->env[i]));
    }
    b->seen = g->seen;
    b->is_over = b->n == 0;
}

static void act_all(void *arg, const float *multiplier)
{
    struct gym_env *g = arg;

    for (uint32_t i = 0; i < g->worlds; i++) {
        if (g->waiting[i] > 0)
            env_act(g->env[i], multiplier);
        multiplier += g->waiting[i];
    }
}

/* ---- open and close ---- */

int gym_env_open(struct gym_env *g, const struct env_cfg *cfg, uint32_t worlds, struct err *err)
{
    assert(!cfg->policy && worlds >= 1 && worlds <= GYM_WORLDS_MAX);
    *g = (struct gym_env){
        .cfg = *cfg, .worlds = worlds,
        .env = xcalloc(worlds, sizeof(struct env *)), .waiting = xcalloc(worlds, sizeof(*g->waiting)),
    };
    int rc = reset_env(g, 0, cfg->seed, err);
    if (rc)
        gym_env_close(g);
    return rc;
}

void gym_env_close(struct gym_env *g)
{
    for (uint32_t i = 0; i < g->worlds; i++)
        env_close(g->env[i]);
    free(g->env);
    free(g->waiting);
    free(g->seen);
    *g = (struct gym_env){ 0 };
}

struct gym_world gym_env_world(struct gym_env *g)
{
    return (struct gym_world){ .name = g->cfg.name, .arg = g, .worlds = g->worlds, .reset = reset_all,
                               .observe = observe_all, .act = act_all };
}
