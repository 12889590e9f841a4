/* src/live/view/status_page.h - HTTP of a process: /metrics, /healthz, and the addresses that a
 * controller adds. */
#ifndef LIVE_VIEW_STATUS_PAGE_H
#define LIVE_VIEW_STATUS_PAGE_H

#include "base/http/prom.h"
#include "base/http/server.h"

struct status_page {
    void (*metrics)(void *, struct prom *);      /* those of the process follow */
    char *(*trouble)(void *);    /* why /healthz reports 503, malloc'd; NULL: all is well */
    /* all other addresses, and /api/events with an empty page at /; NULL: there are none */
    void (*answer)(void *, const struct server_request *, struct server_reply *);
    char *(*events)(void *, struct server_cursor *);
    void          *arg;
    struct server *server;                       /* NULL: no HTTP */
};

/* Listens, if the configuration wants it, and logs where. Freed with server_free(). */
int status_page_open(struct status_page *, const struct http_config *, struct err *);

/* The same after another configuration was read; an error is logged. */
void status_page_reopen(struct status_page *, const struct http_config *);

#endif
