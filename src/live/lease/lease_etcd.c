#include "live/lease/lease.h"
#include "base/err.h"
#include "base/json.h"

#include <inttypes.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- base64 ---- */

static char *encode(const char *text)
{
    size_t length = strlen(text);
    char  *out = xmalloc((length + 2) / 3 * 4 + 1);

    EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)text, (int)length);
    return out;
}

/* Decodes base64 for display: replaces unprintable characters by '?' and truncates; malformed text gives
 * "". */
static void decode(const char *text, char *out, size_t size)
{
    size_t         length = strlen(text);
    unsigned char *bytes = xmalloc(length / 4 * 3 + 1);
    int            count = length <= INT_MAX ?
                           EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length) : -1;

    for (; count > 0 && length && text[length - 1] == '='; length--)
        count--;                 /* EVP_DecodeBlock() counts what padding stands for */
    if (count < 0)
        count = 0;
    if ((size_t)count >= size)
        count = (int)size - 1;
    for (int i = 0; i < count; i++)
        out[i] = (char)(bytes[i] < ' ' || bytes[i] > '~' ? '?' : bytes[i]);
    out[count] = '\0';
    free(bytes);
}

/* ---- questions ---- */

char *etcd_ask_grant(uint64_t ttl_s)
{
    return xprintf("{\"TTL\":\"%" PRIu64 "\"}", ttl_s);
}

char *etcd_ask_id(uint64_t id)
{
    return xprintf("{\"ID\":\"%" PRIu64 "\"}", id);
}

/* The key must not exist: its create_revision is 0. */
char *etcd_ask_take(const char *key, const char *who, uint64_t id)
{
    char *key64 = encode(key), *who64 = encode(who);
    char *text = xprintf("{\"compare\":[{\"key\":\"%s\",\"target\":\"CREATE\",\"create_revision\":\"0\"}],"
                         "\"success\":[{\"request_put\":{\"key\":\"%s\",\"value\":\"%s\","
                         "\"lease\":\"%" PRIu64 "\"}}],"
                         "\"failure\":[{\"request_range\":{\"key\":\"%s\"}}]}",
                         key64, key64, who64, id, key64);

    free(key64);
    free(who64);
    return text;
}

/* ---- answers ---- */

/* A number as text, or as such; 0: it is neither. */
static uint64_t number_of(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    const char   *text = json_string_value(value);

    if (json_is_integer(value) && json_integer_value(value) > 0)
        return (uint64_t)json_integer_value(value);
    return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

int etcd_read_grant(const char *text, size_t length, uint64_t *id, uint64_t *ttl_s)
{
    json_t  *o = json_loadb(text, length, 0, NULL);
    uint64_t is = number_of(o, "ID"), ttl = number_of(o, "TTL");

    json_decref(o);
    if (!is || !ttl)
        return -EBADMSG;
    *id = is;
    *ttl_s = ttl;
    return 0;
}

int etcd_read_keep(const char *text, size_t length, uint64_t *ttl_s)
{
    json_t       *o = json_loadb(text, length, 0, NULL);
    const json_t *result = json_object_get(o, "result");
    uint64_t      ttl = number_of(result, "TTL");
    int           rc = json_is_object(result) ? 0 : -EBADMSG;

    json_decref(o);
    if (!rc)
        *ttl_s = ttl;
    return rc;
}

/* Ours, by the put that made it: its revision is that of the answer. */
static void take_won(struct etcd_taken *t, const json_t *o)
{
    t->is_ours = true;
    t->revision = number_of(json_object_get(o, "header"), "revision");
}

static void take_lost(struct etcd_taken *t, const json_t *kv, uint64_t id)
{
    const char *value = json_string_value(json_object_get(kv, "value"));

    t->is_ours = number_of(kv, "lease") == id;
    t->revision = number_of(kv, "create_revision");
    decode(value ? value : "", t->holder, sizeof t->holder);
}

int etcd_read_take(const char *text, size_t length, uint64_t id, struct etcd_taken *out)
{
    json_t           *o = json_loadb(text, length, 0, NULL);
    const json_t     *first = json_array_get(json_object_get(o, "responses"), 0), *kv;
    struct etcd_taken t = { 0 };

    kv = json_array_get(json_object_get(json_object_get(first, "response_range"), "kvs"), 0);
    if (json_is_true(json_object_get(o, "succeeded")))
        take_won(&t, o);
    else if (kv)
        take_lost(&t, kv, id);
    json_decref(o);
    if (!t.revision)
        return -EBADMSG;
    *out = t;
    return 0;
}
