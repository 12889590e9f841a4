/* bench/live_dial.c - see live_dial.h. */
#include "live_dial.h"
#include "base/err.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READY_MAX 256
#define HEAD      9u             /* bytes of a frame header */
#define PREFIX    5u             /* bytes before a message */
#define IN_MAX    (1u << 17)
#define OUT_MAX   (1u << 20)

enum { FRAME_DATA = 0, FRAME_RST = 3, FRAME_SETTINGS = 4, FRAME_PING = 6, FRAME_GOAWAY = 7, FLAG_ACK = 1 };

struct line {
    int            fd;           /* -1: closed */
    SSL           *ssl;
    bool           is_open, wants_write;
    unsigned char *in, *out;     /* a partial frame; bytes that the kernel has not accepted */
    size_t         in_length, out_length;
};

struct queued { struct queued *next; struct rpc_event event; };

struct agents {
    char           path[108];
    SSL_CTX       *context;
    int            epoll;
    struct line   *line;
    uint32_t       lines, room;
    struct queued *first, **last;
};

/* The first bytes of a client: HTTP/2, no limits for the server, and the call with literal headers. */
static const unsigned char greeting[] =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    "\0\0\6\4\0\0\0\0\0" "\0\4\x7f\xff\xff\xff"                                 /* SETTINGS: INITIAL_WINDOW_SIZE */
    "\0\0\4\10\0\0\0\0\0" "\x3f\0\0\0"                                          /* WINDOW_UPDATE */
    "\0\0\x47\1\4\0\0\0\1" "\x83\x87" "\4\x18/anole.v1.Fabric/Connect" "\1\11localhost" "\x0f\x10\x10" "application/grpc"
    "\0\2te\10trailers";

struct agents *agents_new(const char *path, const char *ca, const char *cert, const char *key)
{
    struct agents *d = xcalloc(1, sizeof *d);

    snprintf(d->path, sizeof d->path, "%s", path);
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    d->last = &d->first;
    d->context = SSL_CTX_new(TLS_client_method());
    if (SSL_CTX_load_verify_locations(d->context, ca, NULL) != 1 || SSL_CTX_use_certificate_file(d->context, cert, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(d->context, key, SSL_FILETYPE_PEM) != 1)
        die("%s: it cannot be used", cert);
    SSL_CTX_set_verify(d->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_alpn_protos(d->context, (const unsigned char *)"\2h2", 3);
    SSL_CTX_set_mode(d->context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(d->context, 1);
    return d;
}

static void tell(struct agents *d, uint32_t link, enum rpc_kind kind, const unsigned char *bytes, size_t length)
{
    struct queued *q = xcalloc(1, sizeof *q);

    q->event.kind = kind;
    q->event.link = link;
    q->event.length = length;
    if (bytes) {
        q->event.bytes = xmalloc(length + 1);
        memcpy(q->event.bytes, bytes, length);
    }
    *d->last = q;
    d->last = &q->next;
}

static void drop(struct agents *d, uint32_t link)
{
    struct line *l = &d->line[link];

    if (l->fd < 0)
        return;
    SSL_free(l->ssl);
    close(l->fd);
    free(l->in);
    free(l->out);
    *l = (struct line){ .fd = -1 };
    tell(d, link, RPC_CLOSE, NULL, 0);
}

static void watch(struct agents *d, uint32_t link, int op, bool wants_write)
{
    struct epoll_event e = { .events = EPOLLIN | (wants_write ? (uint32_t)EPOLLOUT : 0), .data.u32 = link };

    d->line[link].wants_write = wants_write;
    epoll_ctl(d->epoll, op, d->line[link].fd, &e);
}

uint32_t agents_add(struct agents *d)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    uint32_t           link = d->lines++;
    struct line       *l;

    if (d->lines > d->room) {
        d->room = 2 * d->room + 64;
        d->line = xrealloc(d->line, d->room * sizeof *d->line);
    }
    l = &d->line[link];
    *l = (struct line){ .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) };
    memcpy(at.sun_path, d->path, sizeof at.sun_path);
    if (l->fd < 0 || connect(l->fd, (const struct sockaddr *)&at, sizeof at)) {
        drop(d, link);
        return link;
    }
    l->ssl = SSL_new(d->context);
    SSL_set_fd(l->ssl, l->fd);
    SSL_set_connect_state(l->ssl);
    watch(d, link, EPOLL_CTL_ADD, true);
    return link;
}

/* ---- bytes ---- */

/* Returns true if the operation must be retried later. Otherwise the connection has ended. */
static bool is_later(const struct line *l, int n)
{
    int why = SSL_get_error(l->ssl, n);

    ERR_clear_error();
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

static void flush(struct agents *d, uint32_t link)
{
    struct line *l = &d->line[link];
    size_t       sent = 0;
    int          n = 1;

    while (sent < l->out_length && (n = SSL_write(l->ssl, l->out + sent, (int)(l->out_length - sent))) > 0)
        sent += (size_t)n;
    l->out_length -= sent;
    memmove(l->out, l->out + sent, l->out_length);
    if (n <= 0 && !is_later(l, n)) {
        drop(d, link);
        return;
    }
    if (l->wants_write != (l->out_length > 0))
        watch(d, link, EPOLL_CTL_MOD, l->out_length > 0);
}

static void put(struct agents *d, uint32_t link, const void *bytes, size_t length)
{
    struct line *l = &d->line[link];

    if (l->out_length + length > OUT_MAX) {
        drop(d, link);
        return;
    }
    l->out = xrealloc(l->out, l->out_length + length);
    memcpy(l->out + l->out_length, bytes, length);
    l->out_length += length;
}

static void put_frame(struct agents *d, uint32_t link, unsigned char type, unsigned char flags, uint32_t stream, const void *bytes, size_t length)
{
    unsigned char head[HEAD] = { (unsigned char)(length >> 16), (unsigned char)(length >> 8), (unsigned char)length, type, flags, 0, 0, 0,
                                 (unsigned char)stream };

    put(d, link, head, sizeof head);
    if (length)
        put(d, link, bytes, length);
}

void agents_send(struct agents *d, uint32_t link, const void *bytes, size_t length)
{
    unsigned char frame[HEAD + PREFIX] = { 0 };
    size_t        whole = PREFIX + length;

    if (link >= d->lines || !d->line[link].is_open)
        return;
    for (size_t at = 0; at < whole;) {           /* a frame has at most 16,384 bytes */
        size_t part = whole - at < 16384 ? whole - at : 16384, own = at ? 0 : PREFIX;

        frame[0] = (unsigned char)(part >> 16);
        frame[1] = (unsigned char)(part >> 8);
        frame[2] = (unsigned char)part;
        frame[8] = 1;            /* stream number */
        for (int i = 0; i < 4; i++)
            frame[HEAD + 1 + i] = (unsigned char)(length >> (24 - 8 * i));
        put(d, link, frame, HEAD + own);
        if (d->line[link].fd >= 0)
            put(d, link, (const unsigned char *)bytes + (at ? at - PREFIX : 0), part - own);
        if (d->line[link].fd < 0)
            return;
        at += part;
    }
    flush(d, link);
}

/* ---- frames ---- */

static void on_messages(struct agents *d, uint32_t link, const unsigned char *bytes, size_t length)
{
    while (length >= PREFIX) {   /* answers are small and fit one frame */
        size_t size = (size_t)bytes[1] << 24 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 8 | bytes[4];

        if (size > length - PREFIX)
            die("an answer was cut into frames");
        tell(d, link, RPC_DATA, bytes + PREFIX, size);
        bytes += PREFIX + size;
        length -= PREFIX + size;
    }
}

static bool on_frame(struct agents *d, uint32_t link, const unsigned char *head, const unsigned char *body, size_t length)
{
    switch (head[3]) {
    case FRAME_DATA: on_messages(d, link, body, length); break;
    case FRAME_SETTINGS:
        if (!(head[4] & FLAG_ACK))
            put_frame(d, link, FRAME_SETTINGS, FLAG_ACK, 0, NULL, 0);
        break;
    case FRAME_PING:
        if (!(head[4] & FLAG_ACK))
            put_frame(d, link, FRAME_PING, FLAG_ACK, 0, body, length);
        break;
    case FRAME_RST:
    case FRAME_GOAWAY: return false;
    default: break;
    }
    return true;
}

static bool take_frames(struct agents *d, uint32_t link)
{
    struct line *l = &d->line[link];
    size_t       at = 0;

    while (l->in_length - at >= HEAD) {
        const unsigned char *head = l->in + at;
        size_t               length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];

        if (l->in_length - at - HEAD < length)
            break;
        if (!on_frame(d, link, head, head + HEAD, length))
            return false;
        at += HEAD + length;
    }
    l->in_length -= at;
    memmove(l->in, l->in + at, l->in_length);
    return true;
}

static void shake_hands(struct agents *d, uint32_t link)
{
    struct line *l = &d->line[link];
    int          rc = SSL_do_handshake(l->ssl);

    if (rc == 1) {
        l->is_open = true;
        l->in = xmalloc(IN_MAX);
        put(d, link, greeting, sizeof greeting - 1);
        tell(d, link, RPC_OPEN, NULL, 0);
        flush(d, link);
    } else if (!is_later(l, rc))
        drop(d, link);
    else if (l->wants_write != (SSL_want_write(l->ssl) != 0))
        watch(d, link, EPOLL_CTL_MOD, !l->wants_write);
}

static void hear(struct agents *d, uint32_t link)
{
    struct line *l = &d->line[link];
    int          n;

    if (!l->is_open) {
        shake_hands(d, link);
        return;
    }
    n = SSL_read(l->ssl, l->in + l->in_length, (int)(IN_MAX - l->in_length));
    if (n > 0)
        l->in_length += (size_t)n;
    if ((n <= 0 && !is_later(l, n)) || !take_frames(d, link))
        drop(d, link);
    else if (l->out_length)
        flush(d, link);
}

int agents_fd(const struct agents *d)
{
    return d->epoll;
}

static bool take(struct agents *d, struct rpc_event *e)
{
    struct queued *q = d->first;

    if (!q)
        return false;
    d->first = q->next;
    if (!d->first)
        d->last = &d->first;
    *e = q->event;
    free(q);
    return true;
}

bool agents_next(struct agents *d, struct rpc_event *e)
{
    struct epoll_event ready[READY_MAX];
    int                n;

    if (take(d, e))
        return true;
    n = epoll_wait(d->epoll, ready, READY_MAX, 0);
    for (int i = 0; i < n; i++)
        if (d->line[ready[i].data.u32].fd >= 0)
            hear(d, ready[i].data.u32);
    return take(d, e);
}

void agents_free(struct agents *d)
{
    struct rpc_event e;

    for (uint32_t i = 0; i < d->lines; i++)
        drop(d, i);
    while (take(d, &e))
        free(e.bytes);
    close(d->epoll);
    SSL_CTX_free(d->context);
    free(d->line);
    free(d);
}
