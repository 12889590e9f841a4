#include "serve/http.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define CONNECTIONS_MAX 64
#define SILENCE_S       30       /* of a client in the middle of a request */
#define HEARTBEAT_S     10       /* so that dead listeners are noticed */

struct http {
    struct MHD_Daemon *daemon;
    struct http_hooks  hooks;
    char               host[64];         /* "127.0.0.1" */
    uint16_t           port;
    char               address[96];
    pthread_mutex_t    lock;             /* of the rest */
    pthread_cond_t     changed;
    char              *text;             /* the last event */
    uint64_t           number;           /* of it; 0: none yet */
    bool               is_ending;
};

/* ---- the address ---- */

union address {
    struct sockaddr     any;
    struct sockaddr_in  v4;
    struct sockaddr_in6 v6;
};

static int refuse(const char *listen, struct err *err)
{
    return err_set(err, EINVAL, "--listen: '%.80s' is not an address with a port; write 127.0.0.1:8123 or [::1]:8123", listen);
}

static int parse_address(struct http *h, const char *listen, union address *a, struct err *err)
{
    const char *colon = strrchr(listen, ':');
    size_t      length = colon ? (size_t)(colon - listen) : 0;
    uint64_t    port;
    char        name[64];
    bool        is_v6 = listen[0] == '[' && length > 2 && listen[length - 1] == ']';

    if (length == 0 || length >= sizeof name || text_to_uint(colon + 1, &port, err) || port > 65535)
        return refuse(listen, err);
    snprintf(name, sizeof name, "%.*s", (int)(is_v6 ? length - 2 : length), listen + is_v6);
    if (strcmp(name, "localhost") == 0)
        snprintf(name, sizeof name, "127.0.0.1");
    memset(a, 0, sizeof *a);
    if (is_v6) {
        a->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
        if (inet_pton(AF_INET6, name, &a->v6.sin6_addr) != 1)
            return refuse(listen, err);
    } else {
        a->v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
        if (inet_pton(AF_INET, name, &a->v4.sin_addr) != 1)
            return refuse(listen, err);
    }
    snprintf(h->host, sizeof h->host, is_v6 ? "[%s]" : "%s", name);
    return 0;
}

/* ---- who may ask ---- */

static bool is_any(const char *host)
{
    return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "[::]") == 0;
}

/* The name without its port. A server of this machine alone answers to this machine's names, another to its address; one that
 * listens everywhere cannot know its names. */
static bool is_our_name(const struct http *h, const char *host)
{
    size_t length;

    if (is_any(h->host))
        return true;
    if (!host)
        return false;
    length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length == 9 && strncmp(host, "localhost", 9) == 0)
        return strcmp(h->host, "127.0.0.1") == 0 || strcmp(h->host, "[::1]") == 0;
    return length == strlen(h->host) && strncmp(host, h->host, length) == 0;
}

/* ---- events ---- */

struct listener { struct http *http; uint64_t heard; char *text; size_t length, used; };

static void wait_for_news(struct http *h, uint64_t heard)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += HEARTBEAT_S;
    while (!h->is_ending && h->number == heard)
        if (pthread_cond_timedwait(&h->changed, &h->lock, &until) == ETIMEDOUT)
            return;
}

/* The next event, or a word that means nothing. False: it is over. */
static bool fetch(struct listener *l)
{
    struct http *h = l->http;
    int          length;
    bool         is_over;

    free(l->text);
    l->text = NULL;
    l->used = 0;
    pthread_mutex_lock(&h->lock);
    wait_for_news(h, l->heard);
    is_over = h->is_ending;
    length = h->number == l->heard ? asprintf(&l->text, ": still here\n\n") : asprintf(&l->text, "data: %s\n\n", h->text);
    l->heard = h->number;
    pthread_mutex_unlock(&h->lock);
    if (length < 0)
        l->text = NULL;
    l->length = l->text ? (size_t)length : 0;
    return !is_over && l->text;
}

static ssize_t give(void *arg, uint64_t position, char *buf, size_t most)
{
    struct listener *l = arg;
    size_t           n;

    (void)position;
    if (l->used == l->length && !fetch(l))
        return MHD_CONTENT_READER_END_OF_STREAM;
    n = l->length - l->used < most ? l->length - l->used : most;
    memcpy(buf, l->text + l->used, n);
    l->used += n;
    return (ssize_t)n;
}

static void free_listener(void *arg)
{
    struct listener *l = arg;

    free(l->text);
    free(l);
}

static struct MHD_Response *events_response(struct http *h)
{
    struct listener *l = xcalloc(1, sizeof *l);

    l->http = h;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 64 << 10, give, l, free_listener);
}

void http_tell(struct http *h, const char *text)
{
    pthread_mutex_lock(&h->lock);
    free(h->text);
    h->text = xstrdup(text);
    h->number++;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

/* ---- requests ---- */

static enum MHD_Result send_response(struct MHD_Connection *c, unsigned status, const char *type, struct MHD_Response *r)
{
    enum MHD_Result rc;

    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(r, "Content-Security-Policy",
                            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
                            "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    rc = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return rc;
}

static struct MHD_Response *copy_of(const char *text)
{
    return MHD_create_response_from_buffer(strlen(text), xstrdup(text), MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result send_text(struct MHD_Connection *c, unsigned status, const char *text)
{
    return send_response(c, status, "text/plain; charset=utf-8",
                         copy_of(text));
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *body, size_t *length, void **state)
{
    struct http      *h = arg;
    struct http_reply reply = { .status = MHD_HTTP_NOT_FOUND, .type = "text/plain; charset=utf-8" };

    (void)version, (void)body, (void)state;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        *length = 0;
        return send_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "this server only tells: GET and HEAD\n");
    }
    if (!is_our_name(h, MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host")))
        return send_text(c, MHD_HTTP_FORBIDDEN, "this is not the name of this server\n");
    if (strcmp(path, HTTP_EVENTS) == 0)
        return send_response(c, MHD_HTTP_OK, "text/event-stream", events_response(h));
    h->hooks.answer(h->hooks.arg, path, &reply);
    if (!reply.bytes)
        return send_text(c, reply.status, "there is nothing of that name\n");
    return send_response(c, reply.status, reply.type,
                         MHD_create_response_from_buffer(reply.length, reply.bytes, MHD_RESPMEM_MUST_FREE));
}

/* ---- from beginning to end ---- */

static void note_port(struct http *h)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);

    h->port = info ? info->port : 0;
    snprintf(h->address, sizeof h->address, "http://%s:%u/", h->host, h->port);
}

static struct MHD_Daemon *start(struct http *h, const union address *a)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     (a->any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);

    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, h, MHD_OPTION_SOCK_ADDR, &a->any,
                            MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)128 << 10, MHD_OPTION_END);
}

int http_open(struct http **out, const char *listen, const struct http_hooks *hooks, struct err *err)
{
    struct http  *h = xcalloc(1, sizeof *h);
    union address a;
    int           rc;

    *out = NULL;
    h->hooks = *hooks;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    rc = parse_address(h, listen, &a, err);
    if (!rc) {
        errno = 0;
        h->daemon = start(h, &a);
        if (!h->daemon)
            rc = err_set(err, errno ? errno : EIO, "--listen %.80s: %s; --listen 127.0.0.1:0 takes any port that is free", listen,
                         strerror(errno ? errno : EIO));
    }
    if (rc) {
        http_close(h);
        return rc;
    }
    note_port(h);
    *out = h;
    return 0;
}

const char *http_address(const struct http *h)
{
    return h->address;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->is_ending = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    free(h->text);
    free(h);
}
