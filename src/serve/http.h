/* src/serve/http.h - a small HTTP server that only tells: GET and HEAD, and a stream of events. The only place here that
 * knows libmicrohttpd.
 *
 * A thread per connection, 64 at most. A request whose Host is not this address is refused, so that no page of another site
 * can read results by letting its name point here.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define HTTP_EVENTS "/events"    /* the path of the stream */

struct http_reply {
    unsigned    status;
    const char *type;
    char       *bytes;           /* malloc'd; the server frees them */
    size_t      length;
};

struct http_hooks {
    /* Called by many threads at once. */
    void (*answer)(void *arg, const char *path, struct http_reply *);
    void *arg;
};

struct http;

/* 'listen' is "127.0.0.1:8123" or "[::1]:8123"; port 0: any that is free. On failure *out is NULL. */
int http_open(struct http **out, const char *listen, const struct http_hooks *, struct err *);

/* "http://127.0.0.1:8123/" */
const char *http_address(const struct http *);

/* What listeners of the stream hear: those that are there at once, later ones first of all. 'text' is one event's data, a
 * line. */
void http_tell(struct http *, const char *text);

/* Ends all connections. NULL is fine. */
void http_close(struct http *);

#endif
