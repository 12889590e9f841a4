#include "live/driver/redis.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <assert.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 8             /* of a request */
#define COPIED_MAX 16            /* of a profile */
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
    redisReply *reply = redisCommand(r->db[db], "SELECT %d", db);
    if (!reply || reply->type == REDIS_REPLY_ERROR)
        give_up(r, db);
    freeReplyObject(reply);
    return r->db[db];
}

/* NULL: no answer; the next request reconnects. */
static redisReply *ask(struct redis *r, int db, const char *format, ...)
{
    redisContext *c = connection(r, db);
    va_list       args;

    if (!c)
        return NULL;
    va_start(args, format);
    redisReply *reply = redisvCommand(c, format, args);
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

    memcpy(word + 2, m->field, (size_t)m->fields * sizeof *word);
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
    if (page->type != REDIS_REPLY_ARRAY || page->elements != 2 ||
        page->element[0]->type != REDIS_REPLY_STRING || page->element[1]->type != REDIS_REPLY_ARRAY)
        return false;
    const redisReply *list = page->element[1];
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

/* A command of 'count' words whose answer is only whether it worked. */
static bool is_done(redisContext *c, size_t count, const char **word)
{
    redisReply *reply = redisCommandArgv(c, (int)count, word, NULL);
    bool        is_good = reply && reply->type == REDIS_REPLY_STATUS;

    freeReplyObject(reply);
    return is_good;
}

/* HSET key name value ..., as a transaction's command. */
struct hset { const char *word[2 + 2 * COPIED_MAX]; size_t count; char digits[COPIED_MAX + 1][24]; };

static void add_digits(struct hset *h, const char *name, uint64_t value)
{
    char *digits = h->digits[h->count / 2];

    snprintf(digits, sizeof *h->digits, "%" PRIu64, value);
    h->word[h->count++] = name;
    h->word[h->count++] = digits;
}

/* If 'rc' is 0, sends the commands as one transaction. A failure drops the connection, and with it watches
 * and queued commands. -EBUSY: what is watched has changed. */
static int transact(struct redis *r, int rc, struct hset *set, int sets)
{
    redisContext *c = r->db[REDIS_CONFIG];

    if (!rc && !is_done(c, 1, (const char *[]){ "MULTI" }))
        rc = -EIO;
    for (int i = 0; i < sets && !rc; i++)
        rc = is_done(c, set[i].count, set[i].word) ? 0 : -EIO;
    redisReply *reply = rc ? NULL : redisCommand(c, "EXEC");
    if (!rc)
        rc = reply && reply->type == REDIS_REPLY_NIL ? -EBUSY :
             reply && reply->type == REDIS_REPLY_ARRAY ? 0 : -EIO;
    freeReplyObject(reply);
    if (rc == -EIO)
        give_up(r, REDIS_CONFIG);
    else if (rc)
        drop(r, REDIS_CONFIG);
    return rc;
}

int redis_set(struct redis *r, const char *key, const struct redis_field *field, int count)
{
    redisContext *c = connection(r, REDIS_CONFIG);
    struct hset   set = { .word = { "HSET", key }, .count = 2 };
    uint64_t      value;

    assert(count > 0 && count <= FIELDS_MAX);
    if (!c)
        return -EIO;
    int rc = is_done(c, 2, (const char *[]){ "WATCH", key }) ? 0 : -EIO;
    for (int i = 0; i < count && !rc; i++) {
        rc = redis_number(r, REDIS_CONFIG, key, field[i].name, &value);
        rc = rc ? rc : value != field[i].was ? -EBUSY : 0;
        add_digits(&set, field[i].name, field[i].is);
    }
    return transact(r, rc, &set, 1);
}

/* ---- a profile of its own for a queue ---- */

/* All that orchagent knows of a profile. Entries with other fields it refuses. */
static const char known[] =
    " green_min_threshold green_max_threshold green_drop_probability yellow_min_threshold"
    " yellow_max_threshold yellow_drop_probability red_min_threshold red_max_threshold red_drop_probability"
    " wred_green_enable wred_yellow_enable wred_red_enable ecn ";

static bool is_known(const char *name)
{
    char word[64];

    return !strchr(name, ' ') && snprintf(word, sizeof word, " %s ", name) < (int)sizeof word &&
           strstr(known, word);
}

/* Fields set by a person, which orchagent has accepted: digits and short words. */
static bool is_plain(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

/* Adds all fields of 'hash', but with changed values. */
static bool copy_hash(struct hset *h, const redisReply *hash, const struct redis_field *change, int count)
{
    for (size_t i = 0; i + 1 < hash->elements; i += 2) {
        const char *name = hash->element[i]->str, *value = hash->element[i + 1]->str;
        int         k = 0;

        if (!is_known(name) || !is_plain(value) || h->count + 2 > sizeof h->word / sizeof *h->word)
            return false;
        while (k < count && strcmp(change[k].name, name) != 0)
            k++;
        if (k < count) {
            add_digits(h, name, change[k].is);
        } else {
            h->word[h->count++] = name;
            h->word[h->count++] = value;
        }
    }
    return hash->elements > 0;
}

/* Which profile the queue had: in STATE_DB, which a restart of the switch empties as it restores
 * CONFIG_DB. */
static void note_of(char note[200], const char *queue)
{
    snprintf(note, 200, "ANOLE_%.190s", queue);
}

static int write_note(struct redis *r, const char *queue, const char *profile)
{
    char note[200];

    note_of(note, queue);
    redisReply *reply = profile ? ask(r, REDIS_STATE, "HSET %s wred_profile %s", note, profile) :
                        ask(r, REDIS_STATE, "DEL %s", note);
    int rc = reply ? 0 : -EIO;
    freeReplyObject(reply);
    return rc;
}

int redis_rebind(struct redis *r, const char *queue, const char *from, const char *own,
                 const struct redis_field *change, int count)
{
    redisContext *c = r->db[REDIS_CONFIG];
    struct hset   set[2] = { { .word = { "HSET", own }, .count = 2 },
                             { .word = { "HSET", queue, "wred_profile", own + strlen("WRED_PROFILE|") },
                               .count = 4 } };
    char          name[64];

    if (!c || !is_done(c, 3, (const char *[]){ "WATCH", queue, from }))
        return -EIO;
    int rc = redis_get(r, REDIS_CONFIG, queue, "wred_profile", name, sizeof name);
    if (!rc && strcmp(name, from + strlen("WRED_PROFILE|")) != 0)
        rc = -EBUSY;             /* it was bound to another profile meanwhile */
    redisReply *hash = rc ? NULL : redisCommand(c, "HGETALL %s", from);
    if (!rc && (!hash || !copy_hash(set, hash, change, count)))
        rc = hash ? -EINVAL : -EIO;
    rc = rc ? rc : write_note(r, queue, name);
    rc = transact(r, rc, set, 2);
    freeReplyObject(hash);
    return rc;
}

/* Do these fields of a profile have the values 'is', or 'was'? */
static int compare(struct redis *r, const char *key, const struct redis_field *field, int count, bool is_new)
{
    uint64_t value;
    int      rc = 0;

    for (int i = 0; i < count && !rc; i++) {
        rc = redis_number(r, REDIS_CONFIG, key, field[i].name, &value);
        if (!rc && value != (is_new ? field[i].is : field[i].was))
            rc = -EBUSY;
    }
    return rc;
}

int redis_unbind(struct redis *r, const char *queue, const char *own, const struct redis_field *field,
                 int count)
{
    char note[200], name[64], now[64], from[80];

    note_of(note, queue);
    int rc = redis_get(r, REDIS_STATE, note, "wred_profile", name, sizeof name);
    snprintf(from, sizeof from, "WRED_PROFILE|%s", rc ? "" : name);
    if (rc || compare(r, from, field, count, true))
        return -ENOENT;
    redisContext *c = connection(r, REDIS_CONFIG);
    if (!c || !is_done(c, 4, (const char *[]){ "WATCH", queue, from, own }))
        return -EIO;
    rc = redis_get(r, REDIS_CONFIG, queue, "wred_profile", now, sizeof now);
    if (!rc && strcmp(now, own + strlen("WRED_PROFILE|")) != 0)
        rc = -EBUSY;
    rc = rc ? rc : compare(r, own, field, count, false);
    rc = rc ? rc : compare(r, from, field, count, true);
    struct hset set[2] = { { .word = { "HSET", queue, "wred_profile", name }, .count = 4 },
                           { .word = { "DEL", own }, .count = 2 } };
    rc = transact(r, rc, set, 2);
    if (!rc)
        write_note(r, queue, NULL);              /* one that stays says nothing: the queue is not ours */
    return rc == -ENOENT ? -EBUSY : rc;
}
