/* src/live/daemon/lease/lease.c - see lease.h. */
#include "live/daemon/lease/lease.h"
#include "base/json.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <limits.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANSWER_BYTES_MAX (64u << 10)
#define TURNS_PER_TTL    5       /* so often it is renewed, or tried for */

/* questions of one number */
#define ID  "{\"ID\":\"%" PRIu64 "\"}"
#define TTL "{\"TTL\":\"%" PRIu64 "\"}"

/* ---- base64 ---- */

static char *encode(const char *text)
{
    size_t length = strlen(text);
    char  *out = xmalloc((length + 2) / 3 * 4 + 1);

    EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)text, (int)length);
    return out;
}

/* For display: unprintable characters become '?', long text is cut, malformed text gives "". */
static void decode(const char *text, char *out, size_t size)
{
    size_t         length = strlen(text);
    unsigned char *bytes = xcalloc(length / 4 * 3 + 1, 1);       /* padding stands for zero bytes */
    int            count = length <= INT_MAX ?
                           EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length) : -1;

    snprintf(out, size, "%s", count > 0 ? (char *)bytes : "");
    for (char *c = out; *c; c++)
        *c = (char)(*c < ' ' || *c > '~' ? '?' : *c);
    free(bytes);
}

/* ---- questions ---- */

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

int etcd_read_take(const char *text, size_t length, uint64_t id, struct etcd_taken *out)
{
    json_t           *o = json_loadb(text, length, 0, NULL);
    const json_t     *first = json_array_get(json_object_get(o, "responses"), 0), *kv;
    struct etcd_taken t = { 0 };

    kv = json_array_get(json_object_get(json_object_get(first, "response_range"), "kvs"), 0);
    if (json_is_true(json_object_get(o, "succeeded"))) {
        t.is_ours = true;        /* by the put that made the key: its revision is that of the answer */
        t.revision = number_of(json_object_get(o, "header"), "revision");
    } else if (kv) {
        t.is_ours = number_of(kv, "lease") == id;
        t.revision = number_of(kv, "create_revision");
        decode(json_get_text(kv, "value"), t.holder, sizeof t.holder);
    }
    json_decref(o);
    if (!t.revision)
        return -EBADMSG;
    *out = t;
    return 0;
}

/* ---- asking ---- */

struct lease {
    const struct lease_config *cfg;
    uint64_t (*now_us)(void);
    pthread_t         thread;
    pthread_mutex_t   lock;      /* of what follows */
    pthread_cond_t    wake;
    struct lease_view view;
    bool              is_over;

    CURL             *curl;      /* of the thread, like the rest */
    uint32_t          endpoint;
    uint64_t          id;        /* of the lease in etcd; 0: none */
    uint64_t          asked_us;  /* when the current lease was requested */
    char              answer[ANSWER_BYTES_MAX];
    size_t            length;
    char              why[CURL_ERROR_SIZE];
};

static size_t on_answer(char *bytes, size_t one, size_t count, void *arg)
{
    struct lease *l = arg;

    if (l->length + one * count >= sizeof l->answer)
        return 0;                /* no answer of ours is that long */
    memcpy(l->answer + l->length, bytes, one * count);
    l->length += one * count;
    return one * count;
}

/* 0: there is an answer. The next time it asks another one if this one does not answer. */
static int ask(struct lease *l, const char *path, char *question)
{
    const struct lease_config *c = l->cfg;
    struct curl_slist         *headers = curl_slist_append(NULL, "Content-Type: application/json");
    char                       url[512];
    long                       status = 0;

    snprintf(url, sizeof url, "%s%s", c->endpoint[l->endpoint % c->endpoints], path);
    l->length = 0;
    l->why[0] = '\0';
    curl_easy_setopt(l->curl, CURLOPT_URL, url);
    curl_easy_setopt(l->curl, CURLOPT_POSTFIELDS, question);
    curl_easy_setopt(l->curl, CURLOPT_HTTPHEADER, headers);
    CURLcode rc = curl_easy_perform(l->curl);
    curl_easy_getinfo(l->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    free(question);
    if (rc || status != 200) {
        l->endpoint++;
        if (!rc)
            snprintf(l->why, sizeof l->why, "%.80s answers with status %ld", url, status);
        else if (!*l->why)
            snprintf(l->why, sizeof l->why, "%s", curl_easy_strerror(rc));
        return -EIO;
    }
    return 0;
}

/* ---- a turn ---- */

/* Gets a lease of our own; whether it owns the key is checked later. Returns false on failure. */
static bool keep_lease(struct lease *l)
{
    uint64_t at_us = l->now_us(), ttl_s = 0;

    if (l->id && ask(l, "/v3/lease/keepalive", xprintf(ID, l->id)) == 0 &&
        etcd_read_keep(l->answer, l->length, &ttl_s) == 0 && !ttl_s)
        l->id = 0;               /* it has ended */
    if (!l->id) {
        at_us = l->now_us();
        if (ask(l, "/v3/lease/grant", xprintf(TTL, l->cfg->ttl_s)) ||
            etcd_read_grant(l->answer, l->length, &l->id, &ttl_s))
            return false;
    }
    if (!ttl_s)
        return false;
    l->asked_us = at_us;
    return true;
}

/* A holder that lost the lease does not take it again: the process must restart. */
static void turn(struct lease *l)
{
    struct lease_view v = lease_look(l);
    struct etcd_taken t;

    if (v.until_us && l->now_us() >= v.until_us)
        return;
    v.trouble[0] = '\0';
    if (!keep_lease(l) || ask(l, "/v3/kv/txn", etcd_ask_take(l->cfg->key, l->cfg->who, l->id)) ||
        etcd_read_take(l->answer, l->length, l->id, &t))
        snprintf(v.trouble, sizeof v.trouble, "%.190s",
                 *l->why ? l->why : "etcd's answer cannot be understood");
    else if (t.is_ours && (!v.until_us || v.revision == t.revision)) {
        v.until_us = l->asked_us + l->cfg->ttl_s * 1000000;
        v.revision = t.revision;
        v.holder[0] = '\0';
    } else
        snprintf(v.holder, sizeof v.holder, "%s", t.holder);
    pthread_mutex_lock(&l->lock);
    l->view = v;
    pthread_mutex_unlock(&l->lock);
}

static void *run(void *arg)
{
    struct lease   *l = arg;
    struct timespec until;
    uint64_t        pause_ms = l->cfg->ttl_s * 1000 / TURNS_PER_TTL;

    pthread_mutex_lock(&l->lock);
    while (!l->is_over) {
        pthread_mutex_unlock(&l->lock);
        turn(l);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += (time_t)(pause_ms / 1000);
        until.tv_nsec += (long)(pause_ms % 1000) * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&l->lock);
        if (!l->is_over)
            pthread_cond_timedwait(&l->wake, &l->lock, &until);
    }
    pthread_mutex_unlock(&l->lock);
    if (l->id)
        ask(l, "/v3/lease/revoke", xprintf(ID, l->id));
    return NULL;
}

struct lease_view lease_look(struct lease *l)
{
    struct lease_view v;

    pthread_mutex_lock(&l->lock);
    v = l->view;
    pthread_mutex_unlock(&l->lock);
    return v;
}

/* ---- opening ---- */

static void set_options(struct lease *l)
{
    const struct lease_config *c = l->cfg;
    long                       patience_ms = (long)(c->ttl_s * 1000 / TURNS_PER_TTL);

    curl_easy_setopt(l->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(l->curl, CURLOPT_TIMEOUT_MS, patience_ms < 500 ? 500L : patience_ms);
    curl_easy_setopt(l->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(l->curl, CURLOPT_WRITEFUNCTION, on_answer);
    curl_easy_setopt(l->curl, CURLOPT_WRITEDATA, l);
    curl_easy_setopt(l->curl, CURLOPT_ERRORBUFFER, l->why);
    curl_easy_setopt(l->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    if (c->ca)
        curl_easy_setopt(l->curl, CURLOPT_CAINFO, c->ca);
    if (c->cert) {
        curl_easy_setopt(l->curl, CURLOPT_SSLCERT, c->cert);
        curl_easy_setopt(l->curl, CURLOPT_SSLKEY, c->cert_key);
    }
}

int lease_open(struct lease **out, const struct lease_config *c, uint64_t (*now_us)(void), struct err *err)
{
    struct lease      *l = xcalloc(1, sizeof *l);
    pthread_condattr_t by_monotonic;

    *out = NULL;
    *l = (struct lease){ .cfg = c, .now_us = now_us };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    l->curl = curl_easy_init();
    if (!l->curl)
        die("libcurl does not begin");
    set_options(l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->wake, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    if (pthread_create(&l->thread, NULL, run, l)) {
        curl_easy_cleanup(l->curl);
        free(l);
        return err_set(err, EAGAIN, "cannot start a thread");
    }
    *out = l;
    return 0;
}

void lease_free(struct lease *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->is_over = true;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    curl_easy_cleanup(l->curl);
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}
