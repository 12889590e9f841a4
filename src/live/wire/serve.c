/* src/live/wire/serve.c - see serve.h. */
#include "live/wire/serve.h"
#include "live/h2/listen.h"
#include "live/h2/place.h"
#include "live/wire/ask.h"
#include "live/wire/conn.h"
#include "live/wire/inbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READY_MAX    256         /* connections that are looked at in one go */
#define ACCEPT_MAX   32          /* new ones in one go: each costs as much as some hundred messages */

struct connection {
    struct conn        conn;
    struct serve      *serve;
    struct connection *next, **back;             /* of all */
    char               peer[64];
};

struct serve {
    int                epoll, listener;
    bool               is_deaf;                  /* out of files, until the next second */
    bool               has_read;                 /* since it last said that nothing is there */
    struct secure     *secure;
    struct places      calls;
    struct connection *connections;
    struct inbox       inbox;
    int64_t            second;
    char              *file;                     /* of a socket that is one */
};

/* ---- events for the loop ---- */

static void tell(struct serve *s, const struct h2_call *call, enum rpc_kind kind, const unsigned char *bytes, size_t length)
{
    const struct connection *c = h2_owner(call);
    struct rpc_event        *e = inbox_add(&s->inbox, kind, bytes, length);

    e->link = h2_number(call);
    memcpy(e->peer, c->peer, sizeof c->peer);
}

/* ---- calls ---- */

static enum h2_kind kind_of(const char *path)
{
    return strcmp(path, RPC_CONNECT_METHOD) == 0 ? H2_STREAM : strcmp(path, RPC_ASK_METHOD) == 0 ? H2_QUESTION : H2_UNKNOWN;
}

static void on_open(void *arg, struct h2_call *call)
{
    struct connection *c = arg;

    h2_set_number(call, place_take(&c->serve->calls, call));
    if (h2_kind(call) == H2_STREAM)
        tell(c->serve, call, RPC_OPEN, NULL, 0);
}

static void on_data(void *arg, struct h2_call *call, const unsigned char *bytes, size_t length)
{
    struct connection *c = arg;

    tell(c->serve, call, h2_kind(call) == H2_QUESTION ? RPC_ASK : RPC_DATA, bytes, length);
}

static void on_close(void *arg, struct h2_call *call)
{
    struct connection *c = arg;

    if (h2_kind(call) == H2_STREAM)
        tell(c->serve, call, RPC_CLOSE, NULL, 0);
    place_leave(&c->serve->calls, h2_number(call));
}

/* ---- connections ---- */

static void connection_free(struct connection *c)
{
    conn_fini(&c->conn);
    *c->back = c->next;
    if (c->next)
        c->next->back = c->back;
    free(c);
}

static void begin_h2(struct connection *c)
{
    static const struct h2_hooks hooks = { kind_of, on_open, on_data, on_close };

    if (c->conn.ssl)
        secure_peer(c->conn.ssl, c->peer, sizeof c->peer);
    c->conn.is_broken = c->conn.ssl && !*c->peer;          /* a certificate without a name is none */
    c->conn.h2 = h2_new(&hooks, c);
}

static void accept_one(struct serve *s, int fd)
{
    struct connection *c = xcalloc(1, sizeof *c);

    c->serve = s;
    c->conn = (struct conn){ .fd = fd, .epoll = s->epoll, .owner = c, .heard_s = conn_now_s() };
    c->next = s->connections;
    c->back = &s->connections;
    if (c->next)
        c->next->back = &c->next;
    s->connections = c;
    conn_watch(&c->conn, EPOLL_CTL_ADD);
    if (s->secure)
        c->conn.ssl = secure_accept(s->secure, fd);
    else
        begin_h2(c);
}

/* Out of files it is deaf for a moment, rather than called again and again for those who wait. */
static void listen_to(struct serve *s, bool is_deaf)
{
    struct epoll_event e = { .events = is_deaf ? 0 : (uint32_t)EPOLLIN, .data.ptr = &s->listener };

    s->is_deaf = is_deaf;
    epoll_ctl(s->epoll, EPOLL_CTL_MOD, s->listener, &e);
}

static void accept_all(struct serve *s)
{
    for (int i = 0; i < ACCEPT_MAX; i++) {
        int fd = listen_next(s->listener);

        if (fd >= 0)
            accept_one(s, fd);
        else if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -ENOBUFS)
            listen_to(s, true);
        if (fd < 0)
            return;
    }
}

/* ---- hearing and sending ---- */

static void flush(struct connection *c)
{
    struct conn *n = &c->conn;

    if (!n->is_broken && n->h2 && (n->wants_write || h2_has_output(n->h2)))
        conn_flush(n);
}

static void hear(struct connection *c)
{
    struct conn *n = &c->conn;

    if (!n->h2 && conn_shake(n) == 1)
        begin_h2(c);
    if (n->h2)
        conn_hear(n, c->serve->second);
    flush(c);
    if (n->is_broken)
        connection_free(c);
}

/* A connection that breaks while the program sends stays until epoll reports it: the program hears of its end in its turn. */
static void send_on(struct connection *c)
{
    flush(c);
    if (c->conn.is_broken)
        shutdown(c->conn.fd, SHUT_RDWR);
}

/* ---- time ---- */

static void look_after_all(struct serve *s)
{
    int64_t second = conn_now_s();

    if (second == s->second)
        return;
    s->second = second;
    if (s->is_deaf)
        listen_to(s, false);
    for (struct connection *c = s->connections, *next; c; c = next) {
        next = c->next;
        if (conn_look_after(&c->conn, second))
            flush(c);
        if (c->conn.is_broken)
            connection_free(c);
    }
}

/* Connections are looked after last: those in 'ready' may end then. */
static void look(struct serve *s)
{
    struct epoll_event ready[READY_MAX];
    int                n = epoll_wait(s->epoll, ready, READY_MAX, 0);

    for (int i = 0; i < n; i++) {
        if (ready[i].data.ptr == &s->listener)
            accept_all(s);
        else
            hear(ready[i].data.ptr);
    }
    look_after_all(s);
}

/* After each look it says once that nothing more is there, so that the loop does other things, too. */
bool serve_next(struct serve *s, struct rpc_event *e)
{
    if (inbox_take(&s->inbox, e))
        return true;
    if (s->has_read) {
        s->has_read = false;
        return false;
    }
    look(s);
    s->has_read = !inbox_is_empty(&s->inbox);
    return inbox_take(&s->inbox, e);
}

/* ---- the program's side ---- */

int serve_fd(const struct serve *s)
{
    return s->epoll;
}

void serve_send(struct serve *s, uint32_t link, const void *bytes, size_t length)
{
    struct h2_call *call = place_find(&s->calls, link);

    if (!call || h2_kind(call) != H2_STREAM)
        return;
    if (!h2_send(call, bytes, length))
        h2_cut(call);
    send_on(h2_owner(call));
}

void serve_reply(struct serve *s, uint32_t link, const void *bytes, size_t length)
{
    struct h2_call *call = place_find(&s->calls, link);

    if (!call || h2_kind(call) != H2_QUESTION)
        return;
    h2_end(call, h2_send(call, bytes, length) ? H2_OK : H2_EXHAUSTED);
    send_on(h2_owner(call));
}

void serve_cut(struct serve *s, uint32_t link)
{
    struct h2_call *call = place_find(&s->calls, link);

    if (!call)
        return;
    h2_cut(call);
    send_on(h2_owner(call));
}

int serve_open(struct serve **out, const char *address, const struct rpc_tls *tls, struct err *err)
{
    struct serve      *s;
    struct secure     *secure;
    struct epoll_event e = { .events = EPOLLIN };
    int                rc = secure_open(&secure, tls, false, err), listener = rc ? -1 : listen_open(address, err);

    *out = NULL;
    if (!rc && listener < 0) {
        rc = listener;
        secure_free(secure);
    }
    if (rc)
        return rc;
    s = xcalloc(1, sizeof *s);
    s->secure = secure;
    s->listener = listener;
    inbox_init(&s->inbox);
    s->second = conn_now_s();
    s->file = strncmp(address, "unix:", 5) == 0 ? xstrdup(address + 5) : NULL;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    e.data.ptr = &s->listener;
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listener, &e))
        die("cannot watch sockets: %s", strerror(errno));
    *out = s;
    return 0;
}

/* Says goodbye as far as the kernel takes it at once. */
void serve_free(struct serve *s)
{
    if (!s)
        return;
    while (s->connections) {
        if (s->connections->conn.h2) {
            h2_bye(s->connections->conn.h2);
            flush(s->connections);
        }
        connection_free(s->connections);
    }
    inbox_fini(&s->inbox);
    places_fini(&s->calls);
    secure_free(s->secure);
    close(s->listener);
    if (s->file)
        unlink(s->file);
    free(s->file);
    close(s->epoll);
    free(s);
}
