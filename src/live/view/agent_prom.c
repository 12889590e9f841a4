/* src/live/view/agent_prom.c - see agent_prom.h. */
#include "live/view/agent_prom.h"

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
    t->paused_s += s->paused * (double)s->interval_us / 1e6;     /* NAN from the first time on that it is not known */
}

const char *agent_trouble(const struct agent *a)
{
    return a->is_broken || a->self.is_broken ? "it could not be brought back to what was confirmed" :
           a->is_lost ? "its state on the disk cannot be understood" :
           a->is_dirty ? "its state cannot be written to the disk" :
           !a->is_seen ? "its parameters cannot be read" : "";
}

/* ---- one family at a time ---- */

static double is_connected(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->is_connected; }
static double may_write(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->agent->cfg->may_write && !agent_refusal(d->agent); }
static double is_broken(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return *agent_trouble(d->agent) != '\0'; }
static double has_breach(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return *d->agent->breach != '\0'; }
static double metric(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->agent->sample.metric; }
static double is_open(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->agent->phase == PHASE_APPLIED; }
static double budget(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->agent->switches.left; }
static double records(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return (double)d->agent->audit.seq; }
static double samples(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return (double)d->totals->samples; }
static double missing(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return (double)d->totals->missing; }
static double paused_s(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->totals->paused_s; }

#define AGENT(name, ...) \
    static double total_##name(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return !d->totals->samples || d->totals->unknown & MSG_UNKNOWN(name) ? NAN : (double)d->totals->name; }
#include "core/figures.def"

static double queues(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->agent->self.queues; }
static double moved(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return d->agent->self.moved; }
static double decisions(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return (double)d->agent->self.decisions; }
static double changes(const struct agent_shown *d, uint64_t now_us) { (void)now_us; return (double)d->agent->self.changes; }

static double is_frozen(const struct agent_shown *d, uint64_t now_us)
{
    (void)now_us;
    return *d->agent->saved.frozen || *d->agent->stopped;
}

static double lease_s(const struct agent_shown *d, uint64_t now_us)
{
    return d->agent->lease_until_us > now_us ? (double)(d->agent->lease_until_us - now_us) / 1e6 : 0;
}

static const struct { const char *name, *type, *help; double (*value)(const struct agent_shown *, uint64_t); } families[] = {
    { "anole_agent_connected", "gauge", "1: it has a stream to its controller.", is_connected },
    { "anole_agent_writes", "gauge", "1: it may write; 0: it observes.", may_write },
    { "anole_agent_frozen", "gauge", "1: a person or a foreign edit said that nothing may be written.", is_frozen },
    { "anole_agent_trouble", "gauge", "1: somebody should look; /healthz says why.", is_broken },
    { "anole_agent_guardrail_breach", "gauge", "1: a guardrail was broken in the last interval.", has_breach },
    { "anole_agent_unconfirmed", "gauge", "1: the device holds what is not confirmed.", is_open },
    { "anole_agent_lease_seconds", "gauge", "Until what is not confirmed goes back, unless the controller is heard.", lease_s },
    { "anole_agent_changes_left", "gauge", "Changes that may still be tried today.", budget },
    { "anole_agent_audit_records_total", "counter", "Number of the last record of the audit log.", records },
    { "anole_agent_metric", "gauge", "How well the device did in the last interval, 0 to 1.", metric },
    { "anole_agent_samples_total", "counter", "Intervals whose counters could be read.", samples },
    { "anole_agent_missing_samples_total", "counter", "Intervals whose counters could not.", missing },
#define AGENT(name, family, unit, better, label, help) { family, "counter", help, total_##name },
#include "core/figures.def"
    { "anole_agent_queues", "gauge", "Queues that a tuner of the agent's own may set; 0: it has none.", queues },
    { "anole_agent_queues_moved", "gauge", "Of those: not set as they were found.", moved },
    { "anole_agent_queue_decisions_total", "counter", "Decisions of such a tuner.", decisions },
    { "anole_agent_queue_changes_total", "counter", "Changes of queues by it.", changes },
    { "anole_agent_paused_seconds_total", "counter", "Time in which it could not send.", paused_s },
};

static void add_knobs(struct prom *p, const struct agent_shown *d, uint32_t count)
{
    prom_family(p, "anole_agent_knob", "gauge", "What the device holds, in the unit of the knob: docs/knobs.md.");
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (d[i].agent->device.is_named[k])
                prom_value(p, d[i].agent->device.knobs.value[k], "device", d[i].agent->cfg->name, "knob", knob_info[k].name, NULL);
}

void agent_metrics(struct prom *p, const struct agent_shown *d, uint32_t count, uint64_t now_us)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        prom_family(p, families[f].name, families[f].type, families[f].help);
        for (uint32_t i = 0; i < count; i++)
            prom_value(p, families[f].value(&d[i], now_us), "device", d[i].agent->cfg->name, NULL);
    }
    add_knobs(p, d, count);
}
