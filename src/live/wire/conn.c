#include "live/wire/conn.h"
#include "base/io/clock.h"
#include "base/err.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER       16384u      /* of one read or write: what a record of TLS holds */
#define HANDSHAKE_S  5
#define READS_MAX    64          /* records of one connection in one go */

int64_t conn_now_s(void)
{
    return (int64_t)(clock_us() / 1000000);
}

void conn_watch(const struct conn *c, int op)
{
    struct epoll_event e = { .events = (c->is_muted ? 0 : (uint32_t)EPOLLIN) |
                             (c->wants_write ? (uint32_t)EPOLLOUT : 0), .data.ptr = c->owner };

    epoll_ctl(c->epoll, op, c->fd, &e);
}

void conn_fini(struct conn *c)
{
    h2_free(c->h2);
    SSL_free(c->ssl);
    if (c->fd >= 0) {
        /* a process that was forked may hold it open */
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, c->fd, NULL);
        close(c->fd);
    }
    free(c->out);
    *c = (struct conn){ .fd = -1 };
}

/* ---- receiving ---- */

/* Above 0: so many; 0: not now; below: it is over. */
static ssize_t io_result(struct conn *c, ssize_t n)
{
    int  error = errno, kind;
    bool is_later;

    if (n > 0)
        return n;
    if (c->ssl) {
        kind = SSL_get_error(c->ssl, (int)n);
        unsigned long why = ERR_peek_error();
        is_later = kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE;
        c->why = is_later || !why ? c->why : ERR_reason_error_string(why);
        c->reason = is_later || !why ? c->reason : ERR_GET_REASON(why);
        error = kind == SSL_ERROR_SYSCALL ? error : 0;
        ERR_clear_error();       /* or it would be taken for the next connection's */
    } else
        is_later = n < 0 && (errno == EAGAIN || errno == EINTR);
    c->error = is_later || n == 0 ? c->error : error;
    return is_later ? 0 : -1;
}

int conn_shake(struct conn *c)
{
    int rc = SSL_do_handshake(c->ssl);

    if (rc == 1)
        return 1;
    if (io_result(c, rc) < 0) {
        c->is_broken = true;
        return -1;
    }
    if (c->wants_write != (SSL_want_write(c->ssl) != 0)) {
        c->wants_write = !c->wants_write;
        conn_watch(c, EPOLL_CTL_MOD);
    }
    return 0;
}

/* A record fits BUFFER and OpenSSL does not read ahead: nothing stays there when the loop ends. */
void conn_hear(struct conn *c, int64_t second)
{
    unsigned char bytes[BUFFER];
    ssize_t       n = 1;

    for (int i = 0; i < READS_MAX && !c->is_broken && !c->is_muted && n > 0; i++) {
        n = io_result(c, c->ssl ? SSL_read(c->ssl, bytes, BUFFER) : recv(c->fd, bytes, BUFFER, 0));
        if (n > 0) {
            c->heard_s = second;
            c->was_asked = false;
        }
        if (n < 0 || (n > 0 && !h2_receive(c->h2, bytes, (size_t)n)))
            c->is_broken = true;             /* hooks may say so, too */
    }
}

/* ---- sending ---- */

/* Collects output of HTTP/2, up to about a record. */
static void gather(struct conn *c)
{
    const unsigned char *part;
    size_t               n;

    while (c->out_length < BUFFER && (n = h2_output(c->h2, &part)) > 0) {
        c->out = xrealloc(c->out, c->out_length + n);
        memcpy(c->out + c->out_length, part, n);
        c->out_length += n;
    }
}

void conn_flush(struct conn *c)
{
    ssize_t n = 1;

    for (gather(c); n > 0 && c->out_length; gather(c)) {
        size_t length = c->out_length < BUFFER ? c->out_length : BUFFER;

        n = io_result(c, c->ssl ? SSL_write(c->ssl, c->out, (int)length) :
                      send(c->fd, c->out, length, MSG_NOSIGNAL));
        if (n > 0) {
            c->out_length -= (size_t)n;
            memmove(c->out, c->out + n, c->out_length);
        }
    }
    bool wants_write = n == 0;
    if (n < 0 || (!c->out_length && h2_is_over(c->h2)))
        c->is_broken = true;
    if (wants_write == c->wants_write)
        return;
    c->wants_write = wants_write;
    conn_watch(c, EPOLL_CTL_MOD);
}

bool conn_look_after(struct conn *c, int64_t second)
{
    int64_t silent_s = second - c->heard_s;

    if (silent_s >= (!c->h2 ? HANDSHAKE_S : CONN_SILENT_S + CONN_ANSWER_S)) {
        c->is_broken = true;
        c->error = ETIMEDOUT;
    } else if (c->h2 && silent_s >= CONN_SILENT_S && !c->was_asked) {
        c->was_asked = true;
        h2_ping(c->h2);
    } else
        return false;
    return true;
}
