/* src/live/view/agent_page.h - what an agent shows over HTTP: /metrics and /healthz. Nothing can be told to it there. */
#ifndef LIVE_VIEW_AGENT_PAGE_H
#define LIVE_VIEW_AGENT_PAGE_H

#include "http/server.h"
#include "live/view/agent_prom.h"

#define AGENT_PAGE_DEVICES_MAX 64

struct agent_page {
    uint32_t (*show)(void *, struct agent_shown[AGENT_PAGE_DEVICES_MAX]);        /* returns how many */
    uint64_t (*now_us)(void);
    void          *arg;
    const char    *version;
    struct server *server;       /* NULL: no HTTP */
};

/* Listens, if the configuration wants it. Freed with server_free(). */
int agent_page_open(struct agent_page *, const struct http_config *, struct err *);

#endif
