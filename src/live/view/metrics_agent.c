#include "live/view/metrics.h"

#include <math.h>

void agent_totals_add(struct agent_totals *t, const struct msg_sample *s)
{
    if (!s->interval_us) {
        t->missing++;
        return;
    }
    t->samples++;
#define AGENT(name, ...) t->name += s->name;
#include "core/figures.def"
    t->unknown = s->unknown;
    t->paused_s += s->paused * (double)s->interval_us / 1e6;     /* NAN once it was unknown */
}

const char *agent_trouble(const struct agent *a)
{
    return a->is_broken || a->self.is_broken ? "it could not be brought back to what was confirmed" :
           a->is_lost ? "its state on the disk cannot be understood" :
           a->is_dirty ? "its state cannot be written to the disk" :
           !a->is_seen ? "its parameters cannot be read" : "";
}

/* ---- families ---- */

static const struct { const char *name, *type, *help; } families[] = {
    { "anole_agent_connected", "gauge", "1: it has a stream to its controller." },
    { "anole_agent_writes", "gauge", "1: it may write; 0: it observes." },
    { "anole_agent_frozen", "gauge", "1: a person or a foreign edit said that nothing may be written." },
    { "anole_agent_trouble", "gauge", "1: a person should look; /healthz says why." },
    { "anole_agent_guardrail_breach", "gauge", "1: a guardrail was broken in the last interval." },
    { "anole_agent_unconfirmed", "gauge", "1: the device has a setting that is not confirmed." },
    { "anole_agent_lease_seconds", "gauge",
      "Time until an unconfirmed setting is rolled back, unless the controller answers." },
    { "anole_agent_changes_left", "gauge", "Changes that may still be tried today." },
    { "anole_agent_audit_records_total", "counter", "Number of the last record of the audit log." },
    { "anole_agent_metric", "gauge", "How well the device did in the last interval, 0 to 1." },
    { "anole_agent_samples_total", "counter", "Intervals whose counters could be read." },
    { "anole_agent_missing_samples_total", "counter", "Intervals whose counters could not." },
#define AGENT(name, family, unit, better, label, help) { family, "counter", help },
#include "core/figures.def"
    { "anole_agent_queues", "gauge", "Queues that a tuner of the agent's own may set; 0: it has none." },
    { "anole_agent_queues_moved", "gauge", "Of those: not set as they were found." },
    { "anole_agent_queue_decisions_total", "counter", "Decisions of such a tuner." },
    { "anole_agent_queue_changes_total", "counter", "Changes of queues by it." },
    { "anole_agent_paused_seconds_total", "counter", "Time in which it could not send." },
};
enum { FAMILIES = sizeof families / sizeof *families };

/* The value of one family. */
static double value_of(size_t family, const struct agent_shown *d, uint64_t now_us)
{
    const struct agent        *a = d->agent;
    const struct agent_totals *t = d->totals;
    const double               value[FAMILIES] = {       /* in the order of the families */
        d->is_connected, a->cfg->may_write && !agent_refusal(a), *a->saved.frozen || *a->stopped,
        *agent_trouble(a) != '\0', *a->breach != '\0', a->phase == PHASE_APPLIED,
        a->lease_until_us > now_us ? (double)(a->lease_until_us - now_us) / 1e6 : 0, a->switches.left,
        (double)a->audit.seq, a->sample.metric, (double)t->samples, (double)t->missing,
#define AGENT(name, ...) !t->samples || t->unknown & MSG_UNKNOWN(name) ? NAN : (double)t->name,
#include "core/figures.def"
        a->self.queues, a->self.moved, (double)a->self.decisions, (double)a->self.changes, t->paused_s,
    };

    return value[family];
}

static void add_knobs(struct prom *p, const struct agent_shown *d, uint32_t count)
{
    prom_family(p, "anole_agent_knob", "gauge",
                "What the device holds, in the unit of the knob: docs/knobs.md.");
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (d[i].agent->device.is_named[k])
                prom_value(p, d[i].agent->device.knobs.value[k], "device", d[i].agent->cfg->name, "knob",
                           knob_info[k].name, NULL);
}

void agent_metrics(struct prom *p, const struct agent_shown *d, uint32_t count, uint64_t now_us)
{
    for (size_t f = 0; f < FAMILIES; f++) {
        prom_family(p, families[f].name, families[f].type, families[f].help);
        for (uint32_t i = 0; i < count; i++)
            prom_value(p, value_of(f, &d[i], now_us), "device", d[i].agent->cfg->name, NULL);
    }
    add_knobs(p, d, count);
}
