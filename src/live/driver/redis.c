/* src/live/driver/redis.c - see redis.h. */
#include "live/driver/redis.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define FIELDS_MAX 8
#define SILENT_US  200000u

static const struct timeval patience = { .tv_sec = 1 };

void redis_init(struct redis *r, const char *socket)
{
    *r = (struct redis){ .socket = "" };
    snprintf(r->socket, sizeof r->socket, "%s", socket);
}

static void drop(struct redis *r, int db)
{
    if (r->db[db])
        redisFree(r->db[db]);
    r->db[db] = NULL;
}

void redis_fini(struct redis *r)
{
    for (int i = 0; i < 8; i++)
        drop(r, i);
    resp_buffer_fini(&r->in);
    resp_buffer_fini(&r->out);
}

static uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* It does not answer. */
static void give_up(struct redis *r, int db)
{
    drop(r, db);
    r->silent_us = now_us();
}

static redisContext *connection(struct redis *r, int db)
{
    redisReply *reply;

    if (r->db[db])
        return r->db[db];
    if (r->silent_us && now_us() < r->silent_us + SILENT_US)
        return NULL;
    r->db[db] = redisConnectUnixWithTimeout(r->socket, patience);
    if (!r->db[db] || r->db[db]->err) {
        give_up(r, db);
        return NULL;
    }
    redisSetTimeout(r->db[db], patience);
    reply = redisCommand(r->db[db], "SELECT %d", db);
    if (!reply || reply->type == REDIS_REPLY_ERROR)
        give_up(r, db);
    freeReplyObject(reply);
    return r->db[db];
}

/* NULL: it could not be asked; the next question connects anew. */
static redisReply *ask(struct redis *r, int db, const char *format, ...)
{
    redisContext *c = connection(r, db);
    redisReply   *reply;
    va_list       args;

    if (!c)
        return NULL;
    va_start(args, format);
    reply = redisvCommand(c, format, args);
    va_end(args);
    if (reply && reply->type != REDIS_REPLY_ERROR)
        return reply;
    if (reply)
        drop(r, db);
    else
        give_up(r, db);
    freeReplyObject(reply);
    return NULL;
}

int redis_check(struct redis *r, struct err *err)
{
    return connection(r, REDIS_CONFIG) ? 0 : err_set(err, ECONNREFUSED, "%s: no Redis answers there", r->socket);
}

int redis_get(struct redis *r, int db, const char *key, const char *field, char *text, size_t size)
{
    redisReply *reply = ask(r, db, "HGET %s %s", key, field);
    int         rc = !reply ? -EIO : reply->type != REDIS_REPLY_STRING ? -ENOENT : reply->len >= size ? -EFBIG : 0;

    if (!rc)
        snprintf(text, size, "%s", reply->str);
    freeReplyObject(reply);
    return rc;
}

int redis_parse_number(const char *text, uint64_t *value)
{
    char *end;

    if (*text < '0' || *text > '9')
        return -EIO;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno || *end ? -EIO : 0;
}

int redis_number(struct redis *r, int db, const char *key, const char *field, uint64_t *value)
{
    char text[32];
    int  rc = redis_get(r, db, key, field, text, sizeof text);

    return rc ? rc : redis_parse_number(text, value);
}

/* ---- many questions ---- */

static bool send_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;        /* or it has taken longer than our patience */
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

struct place { const struct redis_many *many; uint32_t key; };

static void hand_on(void *arg, int field, const char *text)
{
    const struct place *p = arg;

    p->many->take(p->many->arg, p->key, field, text);
}

/* Answers come in the order of the questions. Reads until the last has come. */
static bool take_all(struct redis *r, int fd, const struct redis_many *m)
{
    struct resp_buffer *in = &r->in;
    struct place        p = { m, 0 };
    size_t              at = 0;
    char                bytes[16384];

    in->length = 0;
    for (;;) {
        ssize_t n;
        long    used = 1;

        for (; p.key < m->keys && used > 0; p.key += used > 0) {
            used = !*m->key[p.key] ? 1 : at < in->length ? resp_take(in->bytes + at, in->length - at, m->fields, hand_on, &p) : 0;
            at += *m->key[p.key] && used > 0 ? (size_t)used : 0;
        }
        if (used < 0 || p.key == m->keys)
            return used > 0 && at == in->length;
        n = recv(fd, bytes, sizeof bytes, 0);
        if (n > 0)
            resp_buffer_add(in, bytes, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return false;
    }
}

/* hiredis has its say in connecting and in all else; nothing of it is under way here. */
int redis_get_many(struct redis *r, int db, const struct redis_many *m)
{
    redisContext *c = connection(r, db);
    bool          is_good;

    if (!c)
        return -EIO;
    r->out.length = 0;
    for (uint32_t i = 0; i < m->keys; i++)
        if (*m->key[i])
            resp_add_get(&r->out, m->key[i], m->field, m->fields);
    is_good = send_all(c->fd, r->out.bytes, r->out.length) && take_all(r, c->fd, m);
    if (!is_good)
        give_up(r, db);          /* and with it answers that nobody waits for any more */
    return is_good ? 0 : -EIO;
}

int redis_keys(struct redis *r, int db, const char *pattern, void (*visit)(void *arg, const char *key), void *arg)
{
    redisReply *reply = ask(r, db, "KEYS %s", pattern);

    if (!reply)
        return -EIO;
    for (size_t i = 0; i < reply->elements; i++)
        visit(arg, reply->element[i]->str);
    freeReplyObject(reply);
    return 0;
}

/* ---- writing ---- */

/* Have the fields that we are about to write the values that we know? */
static int check_fields(struct redis *r, int db, const char *key, const struct redis_field *field, int count)
{
    uint64_t value;

    for (int i = 0; i < count; i++) {
        int rc = redis_number(r, db, key, field[i].name, &value);

        if (rc || value != field[i].was)
            return rc ? rc : -EBUSY;
    }
    return 0;
}

/* HSET key name digits ... */
static bool queue_set(struct redis *r, int db, const char *key, const struct redis_field *field, int count)
{
    const char *word[2 + 2 * FIELDS_MAX] = { "HSET", key };
    char        digits[FIELDS_MAX][24];
    redisReply *reply;
    bool        is_queued;

    for (int i = 0; i < count; i++) {
        snprintf(digits[i], sizeof digits[i], "%" PRIu64, field[i].is);
        word[2 + 2 * i] = field[i].name;
        word[3 + 2 * i] = digits[i];
    }
    reply = redisCommandArgv(r->db[db], 2 + 2 * count, word, NULL);
    is_queued = reply && reply->type == REDIS_REPLY_STATUS;
    freeReplyObject(reply);
    return is_queued;
}

static int finish(struct redis *r, int db)
{
    redisReply *reply = ask(r, db, "EXEC");
    int         rc = !reply ? -EIO : reply->type == REDIS_REPLY_NIL ? -EBUSY : 0;

    freeReplyObject(reply);
    return rc;
}

static bool is_done(struct redis *r, int db, const char *word, const char *key)
{
    redisReply *reply = key ? ask(r, db, "%s %s", word, key) : ask(r, db, word);

    freeReplyObject(reply);
    return reply != NULL;
}

int redis_set(struct redis *r, int db, const char *key, const struct redis_field *field, int count)
{
    int rc;

    if (count <= 0 || count > FIELDS_MAX)
        return -EINVAL;
    if (!is_done(r, db, "WATCH", key))
        return -EIO;
    rc = check_fields(r, db, key, field, count);
    if (!rc && (!is_done(r, db, "MULTI", NULL) || !queue_set(r, db, key, field, count)))
        rc = -EIO;
    if (!rc)
        rc = finish(r, db);
    if (rc)
        drop(r, db);             /* and with it what was watched or queued */
    return rc;
}
