/* src/http/server.h - an HTTP server inside a program's one loop: that of controllers, relays, agents and `anole serve`,
 * and the only place that knows libmicrohttpd.
 *
 * It has no threads. server_fd() becomes readable when somebody wants something, server_run() answers; the hooks are called
 * from there and from nowhere else. A client that is slow, silent, or one of very many costs a bounded amount of memory and
 * never makes the loop wait.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "base/err.h"
#include "http/config.h"

#include <stddef.h>

#define SERVER_BODY_MAX 4096
#define SERVER_EVENTS   "/api/events"    /* where listeners are told what is new */

/* who: the subject of his certificate; NULL: he has none, or one that is not known here. */
struct server_request { const char *method, *path; const char *body; size_t length; const char *who; };
/* 'text' is malloc'd; the server frees it. 'length' is that of bytes that are no text; 0: up to the first zero. */
struct server_reply { unsigned status; const char *type; char *text; size_t length; };

/* How far a listener of events has heard. */
struct server_cursor { uint64_t last, state, look; };

struct server_hooks {
    void (*answer)(void *, const struct server_request *, struct server_reply *);
    /* Events that came after the cursor, as text/event-stream, malloc'd, and moves it; NULL: none. May be NULL itself. */
    char *(*events)(void *, struct server_cursor *);
    uint64_t (*now_us)(void);
    void *arg;
    const char *shell;           /* a path that shows nothing by itself: whoever comes may have it without the token; NULL: none */
};

struct server_counts { uint64_t requests, refused, wrong_tokens; uint32_t listeners; };

struct server;

/* On failure *out is NULL. The configuration is not needed any more when it returns. */
int  server_open(struct server **out, const struct http_config *, const struct server_hooks *, struct err *);
void server_free(struct server *);               /* NULL is nobody */

int  server_fd(const struct server *);           /* -1: there is none; poll() passes over it */
void server_run(struct server *);

/* There may be events. */
void server_wake(struct server *);

struct server_counts server_counts(const struct server *);

/* The address at which it listens; port 0 has become a real one. */
const char *server_address(const struct server *);

#endif
