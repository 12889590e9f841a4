#include "live/driver/redis.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
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

int redis_number(struct redis *r, int db, const char *key, const char *field, uint64_t *value)
{
    char text[32];
    int  rc = redis_get(r, db, key, field, text, sizeof text);

    return rc ? rc : text_to_uint(text, value, NULL) ? -EIO : 0;
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

/* A command whose answer is only whether it worked. */
static bool is_done(redisContext *c, size_t count, const char **word)
{
    redisReply *reply = redisCommandArgv(c, (int)count, word, NULL);
    bool        is_good = reply && reply->type == REDIS_REPLY_STATUS;

    freeReplyObject(reply);
    return is_good;
}

/* HSET key name digits ..., as part of a transaction. */
static bool queue_set(redisContext *c, const char *key, const struct redis_field *field, int count)
{
    const char *word[2 + 2 * FIELDS_MAX] = { "HSET", key };
    char        digits[FIELDS_MAX][24];

    for (int i = 0; i < count; i++) {
        snprintf(digits[i], sizeof digits[i], "%" PRIu64, field[i].is);
        word[2 + 2 * i] = field[i].name;
        word[3 + 2 * i] = digits[i];
    }
    return is_done(c, 2ul + 2ul * (size_t)count, word);
}

static int execute(redisContext *c)
{
    redisReply *reply = redisCommand(c, "EXEC");
    int         rc = !reply ? -EIO : reply->type == REDIS_REPLY_NIL ? -EBUSY :
                     reply->type == REDIS_REPLY_ARRAY ? 0 : -EIO;

    freeReplyObject(reply);
    return rc;
}

/* A failure drops the connection, and with it watches and queued commands. */
static int end_transaction(struct redis *r, int db, int rc)
{
    if (rc == -EIO)
        give_up(r, db);
    else if (rc)
        drop(r, db);
    return rc;
}

int redis_set(struct redis *r, int db, const char *key, const struct redis_field *field, int count)
{
    redisContext *c;
    int           rc;

    if (count <= 0 || count > FIELDS_MAX)
        return -EINVAL;
    c = connection(r, db);
    if (!c)
        return -EIO;
    rc = is_done(c, 2, (const char *[]){ "WATCH", key }) ? check_fields(r, db, key, field, count) : -EIO;
    if (!rc && (!is_done(c, 1, (const char *[]){ "MULTI" }) || !queue_set(c, key, field, count)))
        rc = -EIO;
    return end_transaction(r, db, rc ? rc : execute(c));
}

/* ---- a profile of its own for a queue ---- */

#define COPIED_MAX 16            /* fields of a profile */

/* All that orchagent knows of a profile. Entries with other fields it refuses. */
static const char *const known[] = {
    "green_min_threshold", "green_max_threshold", "green_drop_probability", "yellow_min_threshold",
    "yellow_max_threshold", "yellow_drop_probability", "red_min_threshold", "red_max_threshold",
    "red_drop_probability", "wred_green_enable", "wred_yellow_enable", "wred_red_enable", "ecn", NULL,
};

struct copy { const char *word[2 + 2 * COPIED_MAX]; size_t count; char digits[FIELDS_MAX][24]; };

static bool is_known(const char *name)
{
    for (int i = 0; known[i]; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

/* Fields set by a person, which orchagent has accepted: digits and short words. */
static bool is_plain(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

static const char *changed(struct copy *c, const char *name, const struct redis_field *change, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(change[i].name, name) == 0) {
            snprintf(c->digits[i], sizeof c->digits[i], "%" PRIu64, change[i].is);
            return c->digits[i];
        }
    return NULL;
}

/* HSET own, with all fields of 'hash' but for those that change. */
static bool make_copy(struct copy *c, const char *own, const redisReply *hash,
                      const struct redis_field *change, int count)
{
    c->word[c->count++] = "HSET";
    c->word[c->count++] = own;
    for (size_t i = 0; i + 1 < hash->elements; i += 2) {
        const char *name = hash->element[i]->str, *other = changed(c, name, change, count);

        if (!is_known(name) || !is_plain(hash->element[i + 1]->str) ||
            c->count + 2 > sizeof c->word / sizeof *c->word)
            return false;
        c->word[c->count++] = name;
        c->word[c->count++] = other ? other : hash->element[i + 1]->str;
    }
    return hash->elements > 0;
}

int redis_rebind(struct redis *r, const char *queue, const char *from, const char *own,
                 const struct redis_field *change, int count)
{
    redisContext *c = r->db[REDIS_CONFIG];
    struct copy   copy = { .count = 0 };
    char          name[64];
    redisReply   *hash;
    int           rc;

    if (!c || count > FIELDS_MAX || !is_done(c, 3, (const char *[]){ "WATCH", queue, from }))
        return -EIO;
    rc = redis_get(r, REDIS_CONFIG, queue, "wred_profile", name, sizeof name);
    if (!rc && strcmp(name, from + strlen("WRED_PROFILE|")) != 0)
        rc = -EBUSY;             /* it was bound to another profile meanwhile */
    hash = rc ? NULL : redisCommand(c, "HGETALL %s", from);
    if (!rc && (!hash || !make_copy(&copy, own, hash, change, count)))
        rc = hash ? -EINVAL : -EIO;
    if (!rc && (!is_done(c, 1, (const char *[]){ "MULTI" }) || !is_done(c, copy.count, copy.word) ||
                !is_done(c, 4, (const char *[]){ "HSET", queue, "wred_profile",
                                                 own + strlen("WRED_PROFILE|") })))
        rc = -EIO;
    rc = end_transaction(r, REDIS_CONFIG, rc ? rc : execute(c));
    freeReplyObject(hash);
    return rc;
}
