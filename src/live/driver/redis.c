/* src/live/driver/redis.c - see redis.h. */
#include "live/driver/redis.h"
#include "base/io/clock.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
}

/* It does not answer. */
static void give_up(struct redis *r, int db)
{
    drop(r, db);
    r->silent_us = clock_us();
}

static redisContext *connection(struct redis *r, int db)
{
    redisReply *reply;

    if (r->db[db])
        return r->db[db];
    if (r->silent_us && clock_us() < r->silent_us + SILENT_US)
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

/* NULL: no answer; the next request reconnects. */
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
    return connection(r, REDIS_CONFIG) ? 0 :
           err_set(err, ECONNREFUSED, "%s: no Redis answers there", r->socket);
}

int redis_get(struct redis *r, int db, const char *key, const char *field, char *text, size_t size)
{
    redisReply *reply = ask(r, db, "HGET %s %s", key, field);
    int         rc = !reply ? -EIO : reply->type != REDIS_REPLY_STRING ? -ENOENT :
                     reply->len >= size ? -EFBIG : 0;

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

static bool queue_get(redisContext *c, const char *key, const struct redis_many *m)
{
    const char *word[2 + FIELDS_MAX] = { "HMGET", key };

    for (int i = 0; i < m->fields; i++)
        word[2 + i] = m->field[i];
    return redisAppendCommandArgv(c, 2 + m->fields, word, NULL) == REDIS_OK;
}

static bool take_reply(redisContext *c, uint32_t key, const struct redis_many *m)
{
    redisReply *reply = NULL;
    bool        is_good = redisGetReply(c, (void **)&reply) == REDIS_OK && reply->type == REDIS_REPLY_ARRAY &&
                          reply->elements == (size_t)m->fields;

    for (int i = 0; is_good && i < m->fields; i++)
        if (reply->element[i]->type == REDIS_REPLY_STRING &&
            strlen(reply->element[i]->str) == reply->element[i]->len)
            m->take(m->arg, key, i, reply->element[i]->str);
    freeReplyObject(reply);
    return is_good;
}

int redis_get_many(struct redis *r, int db, const struct redis_many *m)
{
    redisContext *c = connection(r, db);
    bool          is_good = c && m->fields <= FIELDS_MAX;

    for (uint32_t i = 0; is_good && i < m->keys; i++)
        is_good = !*m->key[i] || queue_get(c, m->key[i], m);
    for (uint32_t i = 0; is_good && i < m->keys; i++)
        is_good = !*m->key[i] || take_reply(c, i, m);
    if (c && !is_good)
        give_up(r, db);          /* drops replies that are still to come */
    return is_good ? 0 : -EIO;
}

/* ---- keys ---- */

struct keys { char **key; size_t count; };

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds one page of SCAN; the cursor becomes "0" after the last. */
static bool add_page(struct keys *k, const redisReply *page, char *cursor, size_t size)
{
    const redisReply *list;

    if (page->type != REDIS_REPLY_ARRAY || page->elements != 2 ||
        page->element[0]->type != REDIS_REPLY_STRING || page->element[1]->type != REDIS_REPLY_ARRAY)
        return false;
    list = page->element[1];
    k->key = xrealloc(k->key, (k->count + list->elements + 1) * sizeof *k->key);
    for (size_t i = 0; i < list->elements; i++)
        if (list->element[i]->type == REDIS_REPLY_STRING)
            k->key[k->count++] = xstrdup(list->element[i]->str);
    snprintf(cursor, size, "%s", page->element[0]->str);
    return true;
}

/* SCAN may return a key more than once. */
int redis_keys(struct redis *r, int db, const char *pattern,
               void (*visit)(void *arg, const char *key), void *arg)
{
    struct keys k = { NULL, 0 };
    char        cursor[24] = "0";
    bool        is_good = true;

    do {
        redisReply *page = ask(r, db, "SCAN %s MATCH %s COUNT 1000", cursor, pattern);

        is_good = page && add_page(&k, page, cursor, sizeof cursor);
        freeReplyObject(page);
    } while (is_good && strcmp(cursor, "0") != 0);
    if (k.count)
        qsort(k.key, k.count, sizeof *k.key, by_name);
    for (size_t i = 0; is_good && i < k.count; i++)
        if (!i || strcmp(k.key[i - 1], k.key[i]) != 0)
            visit(arg, k.key[i]);
    for (size_t i = 0; i < k.count; i++)
        free(k.key[i]);
    free(k.key);
    return is_good ? 0 : -EIO;
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
        drop(r, db);             /* also drops watches and queued commands */
    return rc;
}
