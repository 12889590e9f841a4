/* src/live/view/controller_prom.h - a controller's metrics for Prometheus. Agents have those of single
 * devices. */
#ifndef LIVE_VIEW_CONTROLLER_PROM_H
#define LIVE_VIEW_CONTROLLER_PROM_H

#include "live/controller/state.h"
#include "http/prom.h"
#include "live/wire/serve.h"

struct controller_counts {
    uint64_t messages, reports, unreadable;      /* that came */
    /* intervals; those whose tick came more than half an interval late */
    uint64_t ticks, late;
    uint64_t kept, dropped;                      /* trials */
    const struct serve_counts *peers;            /* whom its server refused; NULL: it has none yet */
};

void controller_metrics(struct prom *, const struct controller *, const struct controller_counts *,
                        uint64_t now_us);

#endif
