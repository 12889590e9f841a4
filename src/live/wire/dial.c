#include "live/wire/dial.h"
#include "base/io/clock.h"
#include "live/wire/endpoint.h"
#include "live/wire/conn.h"
#include "live/wire/inbox.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#define ATTEMPT_S    20          /* for all of it: name, addresses, handshake, the server's first word */
#define ADDRESS_S    5           /* for one of several addresses */
#define READY_MAX    4
#define AGAIN_MS     100         /* until the next attempt, where the other end is too busy to talk */

enum stage { IDLE, NAMING, CONNECTING, SHAKING, TALKING };

struct dial {
    char             *address;
    struct dial_what  what;
    struct address    at;
    struct secure    *secure;
    int               epoll, timer;
    enum stage        stage;
    bool              is_open;           /* RPC_OPEN was delivered for this link */
    uint32_t          link;
    int64_t           end_s, address_end_s;      /* of the attempt; of the address that is tried */
    struct lookup    *lookup;
    struct addrinfo  *found, *next;
    struct conn       conn;
    struct h2_call   *call;              /* NULL: not open */
    char              why[160];
    struct inbox      inbox;
};

static void add_event(struct dial *d, enum rpc_kind kind, const unsigned char *bytes, size_t length)
{
    inbox_add(&d->inbox, kind, bytes, length)->link = d->link;
}

/* It is to be looked after so much later; 0: not at all. */
static void set_timer(const struct dial *d, int64_t seconds, long ns)
{
    timerfd_settime(d->timer, 0, &(struct itimerspec){ .it_value = { (time_t)seconds, ns } }, NULL);
}

/* Makes the descriptor readable: there is an event. */
static void wake(const struct dial *d)
{
    set_timer(d, 0, 1);
}

/* ---- the end ---- */

static void let_go(struct dial *d)
{
    conn_fini(&d->conn);
    lookup_free(d->lookup);
    d->lookup = NULL;
    if (d->found)
        freeaddrinfo(d->found);
    d->found = d->next = NULL;
    d->call = NULL;
    d->stage = IDLE;
}

/* Reports the end once, whatever caused it. */
static void end(struct dial *d, const char *why)
{
    char text[sizeof d->why];

    if (d->stage == IDLE)
        return;
    snprintf(text, sizeof text, "%s", *why ? why : d->why);
    let_go(d);
    wake(d);
    add_event(d, RPC_CLOSE, (const unsigned char *)text, strlen(text) + 1);
}

/* Why the connection broke, in words. */
static const char *reason(const struct dial *d)
{
    const char *refusal = d->conn.ssl ? secure_refusal(d->conn.ssl) : NULL;

    return refusal ? refusal : *d->why ? d->why : d->conn.why ? d->conn.why :
           d->conn.error ? strerror(d->conn.error) :
           d->stage != TALKING || !d->is_open ? DIAL_CLOSED_AT_ONCE : "";
}

/* ---- the call ---- */

static void on_open(void *arg, struct h2_call *call)
{
    struct dial *d = arg;

    d->call = call;
    d->is_open = true;
    set_timer(d, CONN_SILENT_S, 0);
    add_event(d, RPC_OPEN, NULL, 0);
}

static void on_data(void *arg, struct h2_call *call, const unsigned char *bytes, size_t length)
{
    (void)call;
    add_event(arg, RPC_DATA, bytes, length);
}

/* The connection has no other call, so it is over as well: conn_flush() or end() does the rest. */
static void on_close(void *arg, struct h2_call *call)
{
    struct dial *d = arg;
    const char  *why;

    d->call = NULL;
    d->conn.is_broken = true;
    if (!h2_is_done(call, &why) && (*why || !*d->why))
        snprintf(d->why, sizeof d->why, "%s", *why ? why : "it has closed the connection");
}

static void begin_call(struct dial *d)
{
    static const struct h2_hooks hooks = { NULL, on_open, on_data, on_close };
    const char                  *authority = *d->at.port ? d->address : "localhost";

    d->stage = TALKING;
    d->conn.heard_s = conn_now_s();
    d->conn.h2 = h2_new(&hooks, d, true);
    h2_begin(d->conn.h2,
             &(struct h2_request){ d->what.method, authority, d->what.is_question ? H2_QUESTION : H2_STREAM,
                                   d->secure != NULL, d->what.timeout_ms });
    conn_flush(&d->conn);
}

/* ---- addresses ---- */

static void try_next(struct dial *d);

static void on_connected(struct dial *d)
{
    int       error = 0, one = 1;
    socklen_t size = sizeof error;

    getsockopt(d->conn.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
        snprintf(d->why, sizeof d->why, "%s", strerror(error));
        try_next(d);
        return;
    }
    setsockopt(d->conn.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);  /* no effect on a socket file */
    d->why[0] = '\0';
    d->conn.wants_write = false;
    conn_watch(&d->conn, EPOLL_CTL_MOD);
    if (d->secure) {
        d->stage = SHAKING;
        d->conn.ssl = secure_begin(d->secure, d->conn.fd, *d->at.port ? d->at.host : "localhost");
        conn_shake(&d->conn);
    } else
        begin_call(d);
}

/* False: it failed at once, with the reason in d->why. */
static bool connect_to(struct dial *d, const struct sockaddr *at, socklen_t length)
{
    int fd = socket(at->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    conn_fini(&d->conn);
    d->conn = (struct conn){ .fd = fd, .epoll = d->epoll, .owner = &d->conn, .wants_write = true,
                             .heard_s = conn_now_s() };
    if (fd < 0 || (connect(fd, at, length) && errno != EINPROGRESS)) {
        snprintf(d->why, sizeof d->why, "%s", strerror(errno));
        return false;
    }
    d->stage = CONNECTING;
    d->address_end_s = conn_now_s() + ADDRESS_S;
    conn_watch(&d->conn, EPOLL_CTL_ADD);
    return true;
}

static void try_next(struct dial *d)
{
    bool is_under_way = false;

    while (d->next && !is_under_way) {
        is_under_way = connect_to(d, d->next->ai_addr, d->next->ai_addrlen);
        d->next = d->next->ai_next;
    }
    if (!is_under_way)
        end(d, d->why);
}

static void take_found(struct dial *d, int rc, struct addrinfo *found)
{
    d->found = d->next = found;
    if (rc)
        snprintf(d->why, sizeof d->why, "%.80s: %s", d->at.host, gai_strerror(rc));
    try_next(d);
}

static void dial_file(struct dial *d)
{
    struct sockaddr_un at;
    struct err         err;

    if (address_file(&at, d->at.host, &err))
        end(d, err.text);
    else if (!connect_to(d, (const struct sockaddr *)&at, sizeof at))
        end(d, d->why);
}

/* Numbers are addresses; a name has to be looked up. */
static void begin(struct dial *d)
{
    struct addrinfo   *found;
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = &d->lookup };

    d->link = (d->link + 1) & INT32_MAX;
    d->is_open = false;
    d->why[0] = '\0';
    d->end_s = conn_now_s() + ATTEMPT_S;
    d->stage = NAMING;
    set_timer(d, 1, 0);
    if (!*d->at.port)
        dial_file(d);
    else if (address_look_up(&d->at, AI_NUMERICHOST, &found) == 0)
        take_found(d, 0, found);
    else {
        d->lookup = lookup_new(&d->at);
        epoll_ctl(d->epoll, EPOLL_CTL_ADD, lookup_fd(d->lookup), &e);
    }
}

static void on_lookup(struct dial *d)
{
    struct lookup   *l = d->lookup;
    struct addrinfo *found;
    int              rc = lookup_take(l, &found);

    /* the thread may hold it open for a moment */
    epoll_ctl(d->epoll, EPOLL_CTL_DEL, lookup_fd(l), NULL);
    d->lookup = NULL;
    lookup_free(l);
    take_found(d, rc, found);
}

/* ---- what happens ---- */

static void on_handshake(struct dial *d)
{
    if (conn_shake(&d->conn) != 1)
        return;
    if (secure_refusal(d->conn.ssl)) {
        d->conn.is_broken = true;
        return;
    }
    begin_call(d);
}

static void on_socket(struct dial *d)
{
    switch (d->stage) {
    case CONNECTING: on_connected(d); break;
    case SHAKING:    on_handshake(d); break;
    case TALKING:    conn_hear(&d->conn, conn_now_s()); break;
    default:         break;
    }
    if (d->stage == TALKING && !d->conn.is_broken && (d->conn.wants_write || d->conn.h2->is_touched))
        conn_flush(&d->conn);
}

static void on_timer(struct dial *d)
{
    uint64_t count;
    int64_t  second = conn_now_s();

    if (read(d->timer, &count, sizeof count) < 0 || d->stage == IDLE || d->conn.is_broken)
        return;
    if (d->is_open) {
        if (conn_look_after(&d->conn, second) && !d->conn.is_broken)
            conn_flush(&d->conn);
        int64_t left_s = d->conn.was_asked ? 1 : d->conn.heard_s + CONN_SILENT_S - second;
        set_timer(d, left_s > 1 ? left_s : 1, 0);
    } else if (second >= d->end_s)
        end(d, "it took too long");
    else if (d->stage == CONNECTING && d->next && second >= d->address_end_s) {
        snprintf(d->why, sizeof d->why, "%s", strerror(ETIMEDOUT));
        set_timer(d, 1, 0);
        try_next(d);
    } else
        set_timer(d, 1, 0);
}

static void poll_socket(void *arg)
{
    struct dial       *d = arg;
    struct epoll_event ready[READY_MAX];
    int                n = epoll_wait(d->epoll, ready, READY_MAX, 0);

    for (int i = 0; i < n; i++) {
        if (ready[i].data.ptr == &d->timer)
            on_timer(d);
        else if (ready[i].data.ptr == &d->conn && d->stage != IDLE)
            on_socket(d);
        else if (d->lookup)
            on_lookup(d);
        if (d->stage != IDLE && d->conn.is_broken)
            end(d, reason(d));
    }
}

bool dial_next(struct dial *d, struct rpc_event *e)
{
    return inbox_next(&d->inbox, e, poll_socket, d);
}

/* ---- the program's side ---- */

int dial_fd(const struct dial *d)
{
    return d->epoll;
}

void dial_again(struct dial *d)
{
    let_go(d);
    begin(d);
}

/* A connection that turns out to be closed is reported by the next event. */
static void flush(struct dial *d)
{
    conn_flush(&d->conn);
    if (d->conn.is_broken)
        wake(d);
}

void dial_send(struct dial *d, uint32_t link, const void *bytes, size_t length)
{
    if (link != d->link || !d->call || d->conn.is_broken)
        return;
    if (!h2_send(d->call, bytes, length)) {
        snprintf(d->why, sizeof d->why, "it does not take what is sent");
        h2_cut(d->call);
    }
    flush(d);
}

void dial_finish(struct dial *d, uint32_t link)
{
    if (link != d->link || !d->call || d->conn.is_broken)
        return;
    h2_end(d->call, H2_OK);
    flush(d);
}

int dial_open(struct dial **out, const char *address, const struct rpc_tls *tls, const struct dial_what *what,
              struct err *err)
{
    struct dial       *d;
    struct epoll_event e = { .events = EPOLLIN };
    struct secure     *secure = NULL;
    struct address     at;
    int                rc = address_check(address, tls, err);

    *out = NULL;
    rc = rc ? rc : address_read(&at, address, err);
    rc = rc ? rc : secure_open(&secure, tls, true, err);
    if (rc)
        return rc;
    d = xcalloc(1, sizeof *d);
    *d = (struct dial){ .address = xstrdup(address), .at = at, .secure = secure,
                        .what = what ? *what : (struct dial_what){ .method = RPC_CONNECT_METHOD },
                        .link = UINT32_MAX, .conn.fd = -1,
                        .epoll = epoll_create1(EPOLL_CLOEXEC),
                        .timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC) };
    inbox_init(&d->inbox);
    e.data.ptr = &d->timer;
    if (d->epoll < 0 || d->timer < 0 || epoll_ctl(d->epoll, EPOLL_CTL_ADD, d->timer, &e))
        die("cannot watch sockets: %s", strerror(errno));
    begin(d);
    *out = d;
    return 0;
}

int64_t dial_ends_s(struct dial *d)
{
    return d ? secure_ends_s(d->secure) : 0;
}

void dial_free(struct dial *d)
{
    if (!d)
        return;
    if (d->call && !d->conn.is_broken) {
        h2_bye(d->conn.h2);
        conn_flush(&d->conn);
    }
    let_go(d);
    inbox_fini(&d->inbox);
    secure_free(d->secure);
    close(d->timer);
    close(d->epoll);
    free(d->address);
    free(d);
}

/* ---- one question and its reply ---- */

struct asking {
    const void    *question;
    size_t         question_length;
    unsigned char *reply;
    size_t         reply_length;
    bool           is_open, is_over;
    char           why[160];     /* "": there is a reply */
};

/* Was the connection cut before the question was sent? A listener does that while others flood it. */
static bool is_cut(const struct asking *a)
{
    return !a->is_open && (strcmp(a->why, strerror(EPIPE)) == 0 ||
                           strcmp(a->why, strerror(ECONNRESET)) == 0 ||
                           strcmp(a->why, DIAL_CLOSED_AT_ONCE) == 0);
}

static void take_event(struct dial *d, struct asking *a, const struct rpc_event *e)
{
    if (e->kind == RPC_OPEN) {
        a->is_open = true;
        dial_send(d, e->link, a->question, a->question_length);
        dial_finish(d, e->link);
    } else if (e->kind == RPC_DATA) {
        free(a->reply);
        a->reply = memcpy(xmalloc(e->length + 1), e->bytes, e->length);
        a->reply_length = e->length;
    } else if (e->kind == RPC_CLOSE) {
        a->is_over = true;
        snprintf(a->why, sizeof a->why, "%s",
                 *e->why ? e->why : a->reply ? "" : "it has closed the connection");
    }
}

static int64_t now_ms(void)
{
    return (int64_t)(clock_us() / 1000);
}

static int ask_at(struct asking *a, const char *address, const struct rpc_tls *tls, int64_t end_ms,
                  struct err *err)
{
    static const char late[] = "it took too long";
    int64_t           left_ms = end_ms - now_ms();
    struct dial_what  what = { RPC_ASK_METHOD, true, (int)left_ms };
    struct rpc_event  e;
    struct dial      *d;
    int               rc = dial_open(&d, address, tls, &what, err);

    if (rc)
        return rc;
    *a = (struct asking){ .question = a->question, .question_length = a->question_length };
    snprintf(a->why, sizeof a->why, "%s", late);
    for (; !a->is_over && left_ms > 0; left_ms = end_ms - now_ms()) {
        poll(&(struct pollfd){ .fd = dial_fd(d), .events = POLLIN }, 1, (int)left_ms);
        while (dial_next(d, &e))
            take_event(d, a, &e);
    }
    dial_free(d);
    if (!*a->why)
        return 0;
    free(a->reply);
    return err_set(err, strcmp(a->why, late) == 0 ? ETIMEDOUT : is_cut(a) ? ECONNRESET : ECONNREFUSED,
                   "%s: no answer from a controller: %s", address, a->why);
}

/* Asks through the socket file of a controller on this machine. -ENOENT: no such file. */
static int ask_local(struct asking *a, const char *address, int64_t end_ms)
{
    char       path[ADDRESS_LOCAL_SIZE], at[ADDRESS_LOCAL_SIZE + 8];
    struct err ignored;
    int        rc = -ENOENT;

    for (unsigned i = 0; rc && address_is_here(address) && address_local(path, address, i); i++) {
        snprintf(at, sizeof at, "unix:%s", path);
        if (access(path, R_OK | W_OK) == 0)
            rc = ask_at(a, at, &(struct rpc_tls){ 0 }, end_ms, &ignored);
    }
    return rc;
}

/* The socket file identifies a local client without a certificate, and needs no network. */
int rpc_ask(const char *address, const struct rpc_tls *tls, const void *bytes, size_t length, int timeout_ms,
            unsigned char **reply, size_t *reply_length, struct err *err)
{
    struct asking a = { .question = bytes, .question_length = length };
    int           rc = tls->ca ? -ENOENT : ask_local(&a, address, now_ms() + timeout_ms);

    if (rc) {
        int64_t end_ms = now_ms() + timeout_ms;
        while ((rc = ask_at(&a, address, tls, end_ms, err)) == -ECONNRESET && now_ms() + AGAIN_MS < end_ms)
            poll(NULL, 0, AGAIN_MS);
    }
    if ((rc == -ETIMEDOUT || rc == -ECONNRESET) && tls->ca &&
        ask_local(&a, address, now_ms() + timeout_ms) == 0)
        rc = 0;
    if (!rc) {
        *reply = a.reply;
        *reply_length = a.reply_length;
    }
    return rc;
}
