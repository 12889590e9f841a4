/* src/live/view/agent_prom.h - an agent's metrics for Prometheus: its devices, one by one. */
#ifndef LIVE_VIEW_AGENT_PROM_H
#define LIVE_VIEW_AGENT_PROM_H

#include "live/agent/agent.h"
#include "http/prom.h"

/* What a device's samples add up to since the start. */
struct agent_totals {
    uint64_t samples, missing;
    uint64_t unknown;            /* counters that its last sample did not have: as in struct msg_sample */
    double   paused_s;
#define AGENT(name, ...) uint64_t name;
#include "core/figures.def"
};

void agent_totals_add(struct agent_totals *, const struct msg_sample *);

struct agent_shown { const struct agent *agent; const struct agent_totals *totals; bool is_connected; };

void agent_metrics(struct prom *, const struct agent_shown *, uint32_t count, uint64_t now_us);

/* What is wrong with a device, in words; "": nothing. */
const char *agent_trouble(const struct agent *);

#endif
