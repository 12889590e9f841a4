/* src/live/daemon/relay_page.h - the HTTP pages of a relay: /metrics and /healthz. Read-only. */
#ifndef LIVE_DAEMON_RELAY_PAGE_H
#define LIVE_DAEMON_RELAY_PAGE_H

#include "http/server.h"
#include "live/relay/relay.h"
#include "live/wire/serve.h"

/* losses: of the controller */
struct relay_counts { uint64_t messages, reports, unreadable, racks, rack_bytes, losses; };

struct relay_page {
    const struct relay        *relay;
    const struct relay_counts *counts;
    struct serve *const       *agents;   /* its server */
    bool (*is_up)(void *);               /* is there a controller? */
    void          *arg;
    struct server *server;               /* NULL: no HTTP */
};

/* Listens, if the configuration wants it. Freed with server_free(). */
int relay_page_open(struct relay_page *, const struct http_config *, struct err *);

#endif
