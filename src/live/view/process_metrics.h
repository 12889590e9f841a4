/* src/live/view/process_metrics.h - metrics that every process has, by the names that Prometheus' own
 * libraries use. */
#ifndef LIVE_VIEW_PROCESS_METRICS_H
#define LIVE_VIEW_PROCESS_METRICS_H

#include "base/json.h"
#include "live/controller/state.h"
#include "live/wire/serve.h"
#include "http/prom.h"
#include "http/server.h"

void process_metrics(struct prom *, const char *version, const struct server_counts *);

/* Whom its server refused, and what it ignored. */
void process_peers(struct prom *, const char *prefix, const struct serve_counts *);

/* The same for people: {"total":3,"last":"no certificate","last_ms":...,"reasons":{"no certificate":3}}.
 * NULL counts: null. */
json_t *process_refused_json(const struct serve_counts *);

/* ---- a controller; agents have the metrics of single devices ---- */

struct controller_counts {
    uint64_t messages, reports, unreadable;      /* that came */
    /* intervals; those whose tick came more than half an interval late */
    uint64_t ticks, late;
    uint64_t kept, dropped;                      /* trials */
    uint64_t records, records_refused, net;      /* of its learner; net: the version */
    const struct serve_counts *peers;            /* whom its server refused; NULL: it has none yet */
};

void controller_metrics(struct prom *, const struct controller *, const struct controller_counts *,
                        uint64_t now_us);

#endif
