/* src/live/view/controller_page.h - a controller's HTTP interface: a page at /, /metrics, /healthz, and
 * /api/... for data and orders.
 *
 * Expensive answers are made at most once per interval. */
#ifndef LIVE_VIEW_CONTROLLER_PAGE_H
#define LIVE_VIEW_CONTROLLER_PAGE_H

#include "base/http/server.h"
#include "live/flows/collector.h"
#include "live/links/jobs.h"
#include "live/links/loads.h"
#include "live/view/cells.h"
#include "live/view/ledger.h"
#include "live/view/live_metrics.h"
#include "live/view/past.h"
#include "live/view/status_page.h"
#include "live/view/timeline.h"
#include "live/view/upkeep.h"
#include "live/wire/codec.h"

struct page {
    const struct controller *controller;
    struct controller_counts counts;             /* the owner counts */
    struct ledger            ledger;
    struct timeline          timeline;
    struct cells             cells;
    struct loads             loads;              /* page_know() */
    struct jobs              jobs;
    struct past_asker       *past;               /* page_remember(); NULL: the last hour is all */
    struct upkeep            upkeep;             /* the owner looks */
    const struct collector  *flows;              /* NULL: no switch exports flows */
    struct status_page       http;
    /* Carries out an order. who: the subject of a certificate, or whose token it was. Returns a negative errno and the reason if it was refused. */
    int (*act)(void *, const struct question *, const char *who, struct err *);
    json_t *(*tuner)(void *);    /* its view of the network; NULL: there is no tuner */
    void                    *arg;

    char                     standby[200];       /* why it does not act; "": it does */
    char                    *state, *overview;   /* /api/state, /api/overview; NULL: out of date */
    uint64_t                 states;             /* events 'state' so far */
};

/* The page must not move afterwards. It listens after status_page_open(). */
void page_init(struct page *, const struct controller *);
void page_fini(struct page *);

/* How devices are joined, and which are of which job. Both must stay as they are until the next call. */
void page_know(struct page *, const struct links *, const struct job_list *);

/* A Prometheus that knows more than the last hour: src/live/view/past.h. */
int  page_remember(struct page *, const char *url, const char *match, struct err *);

/* Reads an order, POST /api/VERB, from its path and body, which may be empty: {"device": "host1/mlx5_0",
 * "number": 3, "code": "...", "why": "..."}. -ENOENT: there is no such verb. -EINVAL: the body is malformed,
 * and nothing of it is used. */
int  page_read_order(struct question *, const char *path, const char *body, size_t length, struct err *);

/* The state or the audit log could not be written. */
bool page_disk_is_bad(const struct page *);

/* An interval is over. */
void page_tick(struct page *, uint64_t now_us);

#endif
