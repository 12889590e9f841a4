/* src/live/driver/redis_rebind.c - see redis_rebind.h. */
#include "live/driver/redis_rebind.h"

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 16

/* All that orchagent knows of a profile. Entries with other fields it refuses. */
static const char *const known[] = {
    "green_min_threshold", "green_max_threshold", "green_drop_probability", "yellow_min_threshold",
    "yellow_max_threshold", "yellow_drop_probability", "red_min_threshold", "red_max_threshold",
    "red_drop_probability", "wred_green_enable", "wred_yellow_enable", "wred_red_enable", "ecn", NULL,
};

struct copy { const char *word[2 + 2 * FIELDS_MAX]; size_t count; char digits[REDIS_REBIND_MAX][24]; };

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

/* A command whose answer is only whether it worked; 'status': it must be queued. */
static bool is_done(redisContext *c, size_t count, const char **word)
{
    redisReply *reply = redisCommandArgv(c, (int)count, word, NULL);
    bool        is_good = reply && reply->type == REDIS_REPLY_STATUS;

    freeReplyObject(reply);
    return is_good;
}

static int execute(redisContext *c)
{
    redisReply *reply = redisCommand(c, "EXEC");
    int         rc = !reply ? -EIO : reply->type == REDIS_REPLY_NIL ? -EBUSY :
                     reply->type == REDIS_REPLY_ARRAY ? 0 : -EIO;

    freeReplyObject(reply);
    return rc;
}

int redis_rebind(struct redis *r, const struct redis_rebind *b)
{
    redisContext *c = r->db[REDIS_CONFIG];
    struct copy   copy = { .count = 0 };
    char          name[64];
    redisReply   *hash;
    int           rc;

    if (!c || b->count > REDIS_REBIND_MAX || !is_done(c, 3, (const char *[]){ "WATCH", b->queue, b->from }))
        return -EIO;
    rc = redis_get(r, REDIS_CONFIG, b->queue, "wred_profile", name, sizeof name);
    if (!rc && strcmp(name, b->from + strlen("WRED_PROFILE|")) != 0)
        rc = -EBUSY;             /* it was bound to another profile meanwhile */
    c = r->db[REDIS_CONFIG];
    hash = rc || !c ? NULL : redisCommand(c, "HGETALL %s", b->from);
    if (!rc && (!hash || !make_copy(&copy, b->own, hash, b->change, b->count)))
        rc = hash ? -EINVAL : -EIO;
    if (!rc && (!is_done(c, 1, (const char *[]){ "MULTI" }) || !is_done(c, copy.count, copy.word) ||
                !is_done(c, 4, (const char *[]){ "HSET", b->queue, "wred_profile",
                                                 b->own + strlen("WRED_PROFILE|") })))
        rc = -EIO;
    if (!rc)
        rc = execute(c);
    freeReplyObject(hash);
    if (rc)
        redis_fini(r);           /* also drops watches and queued commands; the next request reconnects */
    return rc;
}
