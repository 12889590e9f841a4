#include "live/wire/serve.h"
#include "live/wire/conn.h"
#include "live/wire/endpoint.h"
#include "live/wire/inbox.h"
#include "base/io/clock.h"
#include "base/minmax.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define READY_MAX    256         /* connections that are looked at in one go */
#define ACCEPT_MAX   32          /* new ones in one go: each costs as much as some hundred messages */
#define INBOX_MAX    (4u << 20)  /* bytes of events that may wait: then sockets are left alone */
#define SHAKING_MAX  512         /* connections without a completed handshake */
#define GRACE_US     200000u     /* a handshake has so long before it may have to give way */
#define OPERATORS    8           /* connections that are kept for them */
#define LOCALS_MAX   16          /* connections by the local socket */
#define FILES_OTHER  192         /* kept for HTTP, logs, and all else */

struct connection {
    struct conn        conn;
    struct serve      *serve;
    struct connection *next, **back;             /* of all */
    struct account    *account;                  /* NULL: not yet known */
    uint64_t           origin;                   /* its address: of IPv6 the network; 0: this machine */
    uint64_t           since_us;
    bool               is_shaking;               /* among those of serve.shaking */
    bool               is_local;                 /* came by the local socket */
};

/* file: of a socket file; deaf: accepts nothing until the next second, or while handshakes are recent. */
struct listener { int fd; bool is_local, is_deaf; char *file; };

struct serve {
    int                 epoll;
    struct listener     listener[2];             /* agents and operators; local */
    uint32_t            listeners;
    struct secure      *secure;
    void               *calls;                   /* tree (search.h) by number */
    uint32_t            last_call;               /* number of the last call */
    struct connection  *connections;
    struct connection  *shaking[SHAKING_MAX];    /* in the order in which they came */
    uint32_t            shaking_max, connections_max, locals;
    uint32_t            turn;                    /* the connection to read first */
    struct accounts     accounts;
    struct serve_limits limits;
    struct serve_counts counts;
    struct inbox        inbox;
    int64_t             second;
};

static void add_event(struct serve *s, const struct h2_call *call, enum rpc_kind kind,
                      const unsigned char *bytes, size_t length)
{
    const struct connection *c = call->h2->arg;
    struct rpc_event        *e = inbox_add(&s->inbox, kind, bytes, length);

    e->link = call->number;
    e->account = c->account;
}

/* ---- calls ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* NULL: it has ended. */
static struct h2_call *find_call(const struct serve *s, uint32_t number)
{
    char **at = tfind(&number, &s->calls, compare_numbers);

    return at ? (struct h2_call *)(void *)(*at - offsetof(struct h2_call, number)) : NULL;
}

/* A number is not used again for a long time, so that the link of an ended call finds nothing. */
static void add_call(struct serve *s, struct h2_call *call)
{
    do
        s->last_call = (s->last_call + 1) & INT32_MAX;
    while (find_call(s, s->last_call));
    call->number = s->last_call;
    tsearch(&call->number, &s->calls, compare_numbers);
}

static enum h2_kind kind_of(const char *path)
{
    return strcmp(path, RPC_CONNECT_METHOD) == 0 ? H2_STREAM :
           strcmp(path, RPC_ASK_METHOD) == 0 ? H2_QUESTION : H2_UNKNOWN;
}

/* The client is known, or gone: ends its handshake. */
static void settle(struct connection *c)
{
    struct serve *s = c->serve;
    uint32_t      i = 0;

    if (!c->is_shaking)
        return;
    while (s->shaking[i] != c)
        i++;
    s->counts.handshakes--;
    memmove(&s->shaking[i], &s->shaking[i + 1], (s->counts.handshakes - i) * sizeof *s->shaking);
    c->is_shaking = false;
}

/* The local socket takes questions, the other one also streams of agents. */
static void on_open(void *arg, struct h2_call *call)
{
    struct connection *c = arg;

    settle(c);
    add_call(c->serve, call);
    if (call->kind == H2_STREAM && c->is_local)
        h2_cut(call);
    if (call->kind == H2_STREAM)
        add_event(c->serve, call, RPC_OPEN, NULL, 0);
}

/* A client that exceeds its limit is not read until the next second. */
static void on_data(void *arg, struct h2_call *call, const unsigned char *bytes, size_t length)
{
    struct connection *c = arg;
    struct serve      *s = c->serve;

    if (account_take(&s->accounts, c->account, length, clock_us())) {
        add_event(s, call, call->kind == H2_QUESTION ? RPC_ASK : RPC_DATA, bytes, length);
        return;
    }
    s->counts.ignored++;
    if (!c->conn.is_muted) {
        c->conn.is_muted = true;
        conn_watch(&c->conn, EPOLL_CTL_MOD);
    }
}

static void on_close(void *arg, struct h2_call *call)
{
    struct connection *c = arg;

    if (call->kind == H2_STREAM)
        add_event(c->serve, call, RPC_CLOSE, NULL, 0);
    tdelete(&call->number, &c->serve->calls, compare_numbers);
}

/* ---- handshakes ---- */

static uint32_t count_of(const struct serve *s, uint64_t origin)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->counts.handshakes; i++)
        count += s->shaking[i]->origin == origin;
    return count;
}

/* Whose handshake gives way to another: the oldest of the address that has most. */
static struct connection *oldest_of_most(const struct serve *s)
{
    struct connection *oldest = NULL;
    uint32_t           most = 0;

    for (uint32_t i = 0; i < s->counts.handshakes; i++)
        if (i == 0 || s->shaking[i]->origin != s->shaking[i - 1]->origin) {
            uint32_t count = count_of(s, s->shaking[i]->origin);

            oldest = count > most ? s->shaking[i] : oldest;
            most = max_u32(most, count);
        }
    return oldest;
}

/* ---- connections ---- */

static void connection_free(struct connection *c)
{
    settle(c);
    conn_fini(&c->conn);
    if (c->account)
        account_leave(c->account, clock_us());
    *c->back = c->next;
    if (c->next)
        c->next->back = c->back;
    c->serve->counts.connections--;
    c->serve->locals -= c->is_local;
    free(c);
}

static void count_refused(struct serve *s, enum secure_refusal why)
{
    s->counts.refused[why]++;
    s->counts.last = why;
    s->counts.last_s = time(NULL);
}

static void refuse(struct connection *c, enum secure_refusal why)
{
    count_refused(c->serve, why);
    c->conn.is_broken = true;
}

/* Is the client at a socket file, as the kernel reports it, root or the user of this process? */
static bool is_owner(int fd, uid_t *uid)
{
    struct ucred who = { .uid = (uid_t)-1 };
    socklen_t    size = sizeof who;

    *uid = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ? (uid_t)-1 : who.uid;
    return *uid == 0 || *uid == geteuid();
}

/* Finds the account of an authenticated client, and checks its limits. */
static void open_account(struct connection *c)
{
    struct serve        *s = c->serve;
    struct account_names names = { .count = 0 };
    uid_t                uid;

    if (c->is_local && !is_owner(c->conn.fd, &uid)) {
        refuse(c, SECURE_USER);
        return;
    }
    if (c->is_local)
        snprintf(names.name[names.count++], sizeof *names.name, "uid %u at this machine", (unsigned)uid);
    else if (c->conn.ssl && !(names.count = secure_names(c->conn.ssl, names.name, ACCOUNT_NAMES))) {
        refuse(c, SECURE_NO_NAME);
        return;
    }
    c->account = account_enter(&s->accounts, &names, clock_us());
    if (c->account && c->conn.ssl)
        c->account->ends_s = secure_peer_ends_s(c->conn.ssl);
    if (!c->account || (s->counts.connections + OPERATORS > s->connections_max && c->conn.ssl &&
                        !(s->limits.is_operator && s->limits.is_operator(s->limits.arg, c->account))))
        refuse(c, SECURE_ROOM);
}

static void begin_h2(struct connection *c)
{
    static const struct h2_hooks hooks = { kind_of, on_open, on_data, on_close };

    open_account(c);
    if (c->conn.is_broken)
        return;
    c->conn.h2 = h2_new(&hooks, c, false);
    c->conn.h2->held = &c->account->held;
    c->conn.h2->held_max = c->serve->accounts.limits.held;
}

static uint64_t origin_of(const struct sockaddr_storage *at)
{
    uint64_t origin = 0;

    if (at->ss_family == AF_INET)
        memcpy(&origin, &((const struct sockaddr_in *)at)->sin_addr, 4);
    else if (at->ss_family == AF_INET6) {
        const struct in6_addr *a = &((const struct sockaddr_in6 *)at)->sin6_addr;

        memcpy(&origin, IN6_IS_ADDR_V4MAPPED(a) ? a->s6_addr + 12 : a->s6_addr,
               IN6_IS_ADDR_V4MAPPED(a) ? 4 : 8);
    }
    return origin;
}

static void accept_one(struct serve *s, const struct listener *l, int fd)
{
    struct connection      *c = xcalloc(1, sizeof *c);
    struct sockaddr_storage at = { .ss_family = AF_UNSPEC };
    socklen_t               size = sizeof at;
    uid_t                   uid;

    getpeername(fd, (struct sockaddr *)&at, &size);
    *c = (struct connection){
        .conn = { .fd = fd, .epoll = s->epoll, .owner = c, .heard_s = conn_now_s() }, .serve = s,
        .next = s->connections, .back = &s->connections, .origin = origin_of(&at), .since_us = clock_us(),
        .is_shaking = !l->is_local, .is_local = l->is_local,
    };
    if (c->next)
        c->next->back = &c->next;
    s->connections = c;
    s->counts.connections++;
    s->locals += c->is_local;
    if (c->is_shaking)
        s->shaking[s->counts.handshakes++] = c;
    conn_watch(&c->conn, EPOLL_CTL_ADD);
    if (s->secure && !l->is_local)
        c->conn.ssl = secure_begin(s->secure, fd, NULL);
    else
        begin_h2(c);
    if (c->account && at.ss_family == AF_UNIX)
        c->account->is_owner = is_owner(fd, &uid);
    if (c->conn.is_broken)
        connection_free(c);
}

/* Deaf: without free files, epoll would report waiting clients again and again. */
static void listen_to(struct serve *s, struct listener *l, bool is_deaf)
{
    struct epoll_event e = { .events = is_deaf ? 0 : (uint32_t)EPOLLIN, .data.ptr = l };

    l->is_deaf = is_deaf;
    epoll_ctl(s->epoll, EPOLL_CTL_MOD, l->fd, &e);
}

static void give_way(struct connection *c)
{
    refuse(c, SECURE_CROWD);
    connection_free(c);
}

/* Makes room for a handshake. False: all current ones are recent, so the client waits in the kernel. */
static bool make_room(struct serve *s)
{
    if (s->counts.handshakes < s->shaking_max && s->counts.connections < s->connections_max)
        return true;
    struct connection *c = oldest_of_most(s);
    if (!c || clock_us() < c->since_us + GRACE_US)
        return false;
    give_way(c);
    return true;
}

/* One address has at most half of the handshakes, so more than half are of the one that has most. */
static void limit_origin(struct serve *s)
{
    uint32_t count = s->counts.handshakes;

    if (count && count_of(s, s->shaking[count - 1]->origin) > s->shaking_max / 2)
        give_way(oldest_of_most(s));
}

/* Accepts the next connection without waiting; negative: -errno. */
static int accept_next(int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;

    if (fd < 0)
        return -errno;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);          /* no effect on a socket file */
    return fd;
}

static bool may_accept(struct serve *s, const struct listener *l)
{
    return l->is_local ? s->locals < LOCALS_MAX : make_room(s);
}

static void accept_all(struct serve *s, struct listener *l)
{
    for (int i = 0; i < ACCEPT_MAX; i++) {
        int fd = may_accept(s, l) ? accept_next(l->fd) : -EMFILE;

        if (fd >= 0) {
            accept_one(s, l, fd);
            limit_origin(s);
        } else if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -ENOBUFS)
            listen_to(s, l, true);
        if (fd < 0)
            return;
    }
}

static void listen_again(struct serve *s, bool is_forced)
{
    for (uint32_t i = 0; i < s->listeners; i++)
        if (s->listener[i].is_deaf && (is_forced || may_accept(s, &s->listener[i])))
            listen_to(s, &s->listener[i], false);
}

/* ---- hearing and sending ---- */

static void flush(struct connection *c)
{
    struct conn *n = &c->conn;

    if (!n->is_broken && n->h2 && (n->wants_write || n->h2->is_touched))
        conn_flush(n);
}

static void read_connection(struct connection *c)
{
    struct conn *n = &c->conn;

    if (!n->h2 && conn_shake(n) == 1) {
        settle(c);
        begin_h2(c);
    } else if (!n->h2 && n->is_broken)
        count_refused(c->serve, secure_refused(n->ssl, n->reason));
    if (n->h2)
        conn_hear(n, c->serve->second);
    flush(c);
    if (n->is_broken)
        connection_free(c);
}

/* A connection that breaks while the program sends ends when epoll reports it. */
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
    listen_again(s, true);
    accounts_tidy(&s->accounts, clock_us());
    for (struct connection *c = s->connections, *next; c; c = next) {
        next = c->next;
        if (c->conn.is_muted) {
            c->conn.is_muted = false;
            conn_watch(&c->conn, EPOLL_CTL_MOD);
        }
        if (conn_look_after(&c->conn, second))
            flush(c);
        if (c->conn.is_broken && !c->conn.h2)
            count_refused(s, SECURE_SLOW);
        if (c->conn.is_broken)
            connection_free(c);
    }
}

static bool is_listener(const struct serve *s, const void *ptr)
{
    return ptr == &s->listener[0] || ptr == &s->listener[1];
}

/* Timeouts come last: connections in 'ready' may end then. Unread data is reported again. */
static void poll_connections(void *arg)
{
    struct serve      *s = arg;
    struct epoll_event ready[READY_MAX];
    int                n = epoll_wait(s->epoll, ready, READY_MAX, 0);

    for (int i = 0; i < n && s->inbox.held < INBOX_MAX; i++) {
        void *at = ready[(s->turn + (uint32_t)i) % (uint32_t)n].data.ptr;

        if (!is_listener(s, at))
            read_connection(at);
    }
    s->turn++;
    for (int i = 0; i < n; i++)          /* later: they may end connections that are ready */
        if (is_listener(s, ready[i].data.ptr))
            accept_all(s, ready[i].data.ptr);
    listen_again(s, false);
    look_after_all(s);
}

bool serve_next(struct serve *s, struct rpc_event *e)
{
    return inbox_next(&s->inbox, e, poll_connections, s);
}

/* ---- the program's side ---- */

int serve_fd(const struct serve *s)
{
    return s->epoll;
}

void serve_send(struct serve *s, uint32_t link, const void *bytes, size_t length)
{
    struct h2_call *call = find_call(s, link);

    if (!call || call->kind != H2_STREAM)
        return;
    if (!h2_send(call, bytes, length))
        h2_cut(call);
    send_on(call->h2->arg);
}

void serve_reply(struct serve *s, uint32_t link, const void *bytes, size_t length)
{
    struct h2_call *call = find_call(s, link);

    if (!call || call->kind != H2_QUESTION)
        return;
    h2_end(call, h2_send(call, bytes, length) ? H2_OK : H2_EXHAUSTED);
    send_on(call->h2->arg);
}

void serve_cut(struct serve *s, uint32_t link)
{
    struct h2_call *call = find_call(s, link);

    if (!call)
        return;
    h2_cut(call);
    send_on(call->h2->arg);
}

const struct serve_counts *serve_counts(const struct serve *s)
{
    return &s->counts;
}

int64_t serve_ends_s(struct serve *s)
{
    return secure_ends_s(s->secure);
}

struct accounts *serve_accounts(struct serve *s)
{
    return &s->accounts;
}

/* ---- opening ---- */

static void add_listener(struct serve *s, int fd, bool is_local, const char *file)
{
    struct listener   *l = &s->listener[s->listeners++];
    struct epoll_event e = { .events = EPOLLIN, .data.ptr = l };

    *l = (struct listener){ .fd = fd, .is_local = is_local, .file = file ? xstrdup(file) : NULL };
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e))
        die("cannot watch sockets: %s", strerror(errno));
}

static int add_local(struct serve *s, const char *path, struct err *err)
{
    const char *end = strrchr(path, '/');
    char        address[200], folder[200];

    snprintf(folder, sizeof folder, "%.*s", end ? (int)(end - path) : 0, path);
    mkdir(folder, 0755);         /* "": has no effect */
    snprintf(address, sizeof address, "unix:%s", path);
    int fd = listen_open(address, err);
    if (fd < 0)
        return fd;
    if (chmod(path, 0600)) {
        close(fd);
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    }
    add_listener(s, fd, true, path);
    return 0;
}

int serve_add_local(struct serve *s, const char *path, const char *address, struct err *err)
{
    char       usual[ADDRESS_LOCAL_SIZE];
    struct err ignored;

    if (path)
        return add_local(s, path, err);
    for (unsigned i = 0; address_local(usual, address, i); i++)
        if (add_local(s, usual, &ignored) == 0)
            break;
    return 0;
}

/* A connection is a file: some are kept for everything else. */
static void divide_files(struct serve *s)
{
    struct rlimit l = { 1024, 1024 };
    uint64_t      files = s->limits.files;

    if (!files && getrlimit(RLIMIT_NOFILE, &l) == 0)
        files = min_u64(l.rlim_cur, 1ul << 20);
    s->connections_max = (uint32_t)(files > 2 * FILES_OTHER ? files - FILES_OTHER : files / 2);
    s->shaking_max = min_u32(s->connections_max / 2, SHAKING_MAX);
    s->accounts.limits.connections = min_u32(s->accounts.limits.connections, s->connections_max / 2);
}

int serve_open(struct serve **out, const char *address, const struct rpc_tls *tls,
               const struct serve_limits *limits, struct err *err)
{
    struct serve  *s;
    struct secure *secure = NULL;
    int            rc = address_check(address, tls, err), listener;

    *out = NULL;
    rc = rc ? rc : secure_open(&secure, tls, false, err);
    if (rc)
        return rc;
    listener = listen_open(address, err);
    if (listener < 0) {
        secure_free(secure);
        return listener;
    }
    s = xcalloc(1, sizeof *s);
    s->secure = secure;
    s->limits = limits ? *limits : (struct serve_limits){ .account = ACCOUNT_LIMITS };
    s->accounts.limits = s->limits.account;
    divide_files(s);
    inbox_init(&s->inbox);
    s->second = conn_now_s();
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    add_listener(s, listener, false, strncmp(address, "unix:", 5) == 0 ? address + 5 : NULL);
    *out = s;
    return 0;
}

/* Says goodbye, without waiting for the kernel. */
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
    secure_free(s->secure);
    accounts_fini(&s->accounts);
    for (uint32_t i = 0; i < s->listeners; i++) {
        close(s->listener[i].fd);
        if (s->listener[i].file)
            unlink(s->listener[i].file);
        free(s->listener[i].file);
    }
    close(s->epoll);
    free(s);
}
