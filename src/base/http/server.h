/* src/base/http/server.h - an HTTP server without threads, for the event loops of controllers, relays, agents
 * and `anole serve`. The only user of libmicrohttpd.
 *
 * server_fd() becomes readable when there is work; server_run() does it. Hooks are called only from there.
 * Slow, silent or very many clients use bounded memory and never block the loop.
 */
#ifndef BASE_HTTP_SERVER_H
#define BASE_HTTP_SERVER_H

#include "base/err.h"
#include "base/http/http_config.h"

#include <stddef.h>

#define SERVER_BODY_MAX 4096
#define SERVER_EVENTS   "/api/events"    /* stream of events */

/* who: subject of the client certificate; NULL: none, or not accepted. right: of its certificate or token. */
struct server_request {
    const char     *method, *path, *body;
    size_t          length;
    const char     *who;
    enum gate_right right;
};
/* 'text' is malloc'd; the server frees it. length 0: 'text' is a string. */
struct server_reply { unsigned status; const char *type; char *text; size_t length; };

/* Position of a listener in the event stream. */
struct server_cursor { uint64_t last, state, look; };

struct server_hooks {
    void (*answer)(void *, const struct server_request *, struct server_reply *);
    /* Returns the events after the cursor as text/event-stream, malloc'd, and advances it. NULL: no events.
     * Optional. */
    char *(*events)(void *, struct server_cursor *);
    uint64_t (*now_us)(void);
    void *arg;
    const char *shell;           /* path of an empty page that needs no token; NULL: none */
};

struct server_counts { uint64_t requests, refused, wrong_tokens; uint32_t listeners; };

struct server;

/* On failure *out is NULL. Copies what it needs from the configuration. */
int  server_open(struct server **out, const struct http_config *, const struct server_hooks *, struct err *);
void server_free(struct server *);               /* NULL: no effect */

/* Could server_open() succeed? Reads all files, and listens for a moment; has_address: not at its address,
 * where another server of this configuration may be. */
int  server_check(const struct http_config *, bool has_address, struct err *);

int  server_fd(const struct server *);           /* -1 if the server is NULL; poll() ignores it */
void server_run(struct server *);

/* Call it when there may be new events. */
void server_wake(struct server *);

struct server_counts server_counts(const struct server *);

/* The address it listens on, with the actual port if 0 was requested. */
const char *server_address(const struct server *);

#endif
