/* src/live/view/live_metrics.h - metrics for Prometheus. Those that every process has bear the names that
 * Prometheus' own libraries use. */
#ifndef LIVE_VIEW_LIVE_METRICS_H
#define LIVE_VIEW_LIVE_METRICS_H

#include "base/json.h"
#include "base/http/prom.h"
#include "base/http/server.h"
#include "live/agent/agent.h"
#include "live/controller/roster.h"
#include "live/wire/serve.h"

void process_metrics(struct prom *, const struct server_counts *);

/* The configuration was to be read again. */
void process_note_reload(bool is_taken);

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
    const struct audit *audit;   /* where its log is; NULL: it has none */
    const struct serve_counts *peers;            /* whom its server refused; NULL: it has none yet */
};

void controller_metrics(struct prom *, const struct controller *, const struct controller_counts *,
                        uint64_t now_us);

/* ---- an agent: its devices, one by one ---- */

/* What a device's samples add up to since the start. */
struct agent_totals {
    uint64_t samples, missing;
    uint64_t unknown;            /* counters that its last sample did not have: as in struct msg_sample */
    double   paused_s;
#define AGENT(name, ...) uint64_t name;
#include "core/figures.def"
};

void agent_totals_add(struct agent_totals *, const struct msg_sample *);

struct agent_shown { const struct agent *agent; const struct agent_totals *totals; bool is_connected;
                     double certificate_s; };

void agent_metrics(struct prom *, const struct agent_shown *, uint32_t count, uint64_t now_us);

/* What is wrong with a device, in words; "": nothing. */
const char *agent_trouble(const struct agent *);

#endif
