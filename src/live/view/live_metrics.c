#include "live/view/live_metrics.h"
#include "live/controller/controller.h"
#include "live/view/words.h"
#include "version.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- the process ---- */

/* When the first of these was asked for is near enough to when the process began. */
static double start_s(void)
{
    static struct timespec first;

    if (!first.tv_sec)
        clock_gettime(CLOCK_REALTIME, &first);
    return (double)first.tv_sec + (double)first.tv_nsec / 1e9;
}

static double resident_bytes(void)
{
    FILE         *f = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if (f && fscanf(f, "%*u %lu", &pages) != 1)  /* the first number is what is mapped */
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double open_files(void)
{
    DIR   *d = opendir("/proc/self/fd");
    double count = 0;

    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count > 3 ? count - 3 : 0;            /* "." and "..", and this folder */
}

static struct { uint64_t taken, refused; bool is_refused; } reloads;

void process_note_reload(bool is_taken)
{
    reloads.taken += is_taken;
    reloads.refused += !is_taken;
    reloads.is_refused = !is_taken;
}

void process_metrics(struct prom *p, const struct server_counts *h)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    prom_family(p, "anole_build_info", "gauge", "Which version this is.");
    prom_value(p, 1, "version", ANOLE_VERSION, NULL);
    prom_one(p, "process_cpu_seconds_total", "counter", "Processor time that the process has used.",
             (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
             (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
    prom_one(p, "process_resident_memory_bytes", "gauge", "Memory of the process that is in RAM.",
             resident_bytes());
    prom_one(p, "process_open_fds", "gauge", "Files that are open.", open_files());
    prom_one(p, "process_start_time_seconds", "gauge", "When the process began, since 1970.", start_s());
    prom_family(p, "anole_config_reloads_total", "counter", "Times that the configuration was read again.");
    prom_value(p, (double)reloads.taken, "outcome", "taken", NULL);
    prom_value(p, (double)reloads.refused, "outcome", "refused", NULL);
    prom_one(p, "anole_config_reload_refused", "gauge",
             "1: the last reload was refused; the journal says why.", reloads.is_refused);
    prom_one(p, "anole_http_requests_total", "counter", "HTTP requests that were answered.",
             (double)h->requests);
    prom_one(p, "anole_http_refused_total", "counter", "Of these, with a status of 400 or more.",
             (double)h->refused);
    prom_one(p, "anole_http_wrong_tokens_total", "counter", "Of these, for lack of the right token.",
             (double)h->wrong_tokens);
    prom_one(p, "anole_http_listeners", "gauge", "Who listens to events.", h->listeners);
}

void process_peers(struct prom *p, const char *prefix, const struct serve_counts *n)
{
    char name[80];

    snprintf(name, sizeof name, "%s_refused_peers_total", prefix);
    prom_family(p, name, "counter", "Connections that were refused, by reason.");
    for (int i = 0; i < SECURE_REFUSAL_KINDS; i++)
        prom_value(p, (double)n->refused[i], "reason", secure_refusal_text((enum secure_refusal)i), NULL);
    snprintf(name, sizeof name, "%s_ignored_messages_total", prefix);
    prom_one(p, name, "counter", "Messages beyond the budget of a certificate.", (double)n->ignored);
    snprintf(name, sizeof name, "%s_handshakes", prefix);
    prom_one(p, name, "gauge", "Connections that have not shown who they are.", n->handshakes);
}

json_t *process_refused_json(const struct serve_counts *n)
{
    uint64_t total = 0;

    if (!n)
        return json_null();
    json_t *reasons = json_object();
    for (int i = 0; i < SECURE_REFUSAL_KINDS; i++) {
        total += n->refused[i];
        if (n->refused[i])
            json_put_count(reasons, secure_refusal_text((enum secure_refusal)i), n->refused[i]);
    }
    return JSON_OF({ "total", json_of_count(total) },
                   { "last", json_of_text(n->last_s ? secure_refusal_text(n->last) : "") },
                   { "last_ms", json_of_number(n->last_s ? 1e3 * (double)n->last_s : NAN) },
                   { "reasons", reasons });
}

/* ---- a controller ---- */

static void add_role(struct prom *p, const struct controller *c)
{
    prom_family(p, "anole_controller_role", "gauge", "1 for the role that it has.");
    for (int i = ROLE_GATHER; i <= ROLE_DEPOSED; i++)
        prom_value(p, (int)c->role == i, "role", words_role[i], NULL);
    prom_family(p, "anole_controller_mode", "gauge", "1 for the mode that it was given.");
    for (int i = MODE_OBSERVE; i <= MODE_DIRECT; i++)
        prom_value(p, (int)c->cfg->mode == i, "mode", words_mode[i], NULL);
}

static void add_counts(struct prom *p, const struct controller_counts *n)
{
    prom_one(p, "anole_controller_messages_total", "counter", "Messages of agents.", (double)n->messages);
    prom_one(p, "anole_controller_reports_total", "counter", "Of these, reports.", (double)n->reports);
    prom_one(p, "anole_controller_unreadable_total", "counter",
             "Messages that were not understood or not allowed.", (double)n->unreadable);
    prom_one(p, "anole_controller_ticks_total", "counter", "Intervals.", (double)n->ticks);
    prom_one(p, "anole_controller_late_ticks_total", "counter",
             "Intervals that ended more than half an interval late.", (double)n->late);
    prom_family(p, "anole_controller_trials_total", "counter",
                "Trials that have ended, by what became of them.");
    prom_value(p, (double)n->kept, "outcome", "kept", NULL);
    prom_value(p, (double)n->dropped, "outcome", "dropped", NULL);
    prom_family(p, "anole_controller_learner_records_total", "counter",
                "Records of switches for its learner.");
    prom_value(p, (double)n->records, "outcome", "taken", NULL);
    prom_value(p, (double)n->records_refused, "outcome", "refused", NULL);
    prom_one(p, "anole_controller_learner_net", "gauge", "Version of its learner's net; 0: none.",
             (double)n->net);
    prom_one(p, "anole_controller_audit_records_total", "counter",
             "Number of the last record of the audit log.", n->audit ? (double)n->audit->seq : 0);
    prom_one(p, "anole_controller_audit_lost", "gauge",
             "Records that could not be written since the last that was.", n->audit ? (double)n->audit->lost : 0);
}

static void add_orders(struct prom *p, const struct controller *c)
{
    prom_family(p, "anole_controller_orders_total", "counter", "Orders of people that were carried out.");
    for (const struct words_verb *v = words_verbs; v->name; v++)
        if (v->is_order)
            prom_value(p, (double)(c->ordered[v->order] +
                                   (v->device_order != v->order ? c->ordered[v->device_order] : 0)),
                       "order", v->name, NULL);
}

/* ---- its devices ---- */

/* The age of reports: gauges, one per bound, because it is a state and not a count of events. */
static void add_ages(struct prom *p, const struct controller *c, uint64_t now_us)
{
    static const double bounds_s[] = { 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60 };
    char                bound[16];

    prom_family(p, "anole_controller_devices_heard", "gauge",
                "Devices that were heard within so many seconds.");
    for (size_t b = 0; b < sizeof bounds_s / sizeof *bounds_s; b++) {
        uint32_t within = 0;

        for (uint32_t i = 0; i < c->peers; i++)
            within += c->peer[i].heard_us && (double)(now_us - c->peer[i].heard_us) / 1e6 <= bounds_s[b];
        snprintf(bound, sizeof bound, "%g", bounds_s[b]);
        prom_value(p, within, "within", bound, NULL);
    }
}

static void add_devices(struct prom *p, const struct controller *c, uint64_t now_us)
{
    uint32_t count[2][STATES] = { { 0 } }, breaches = 0, open = 0;

    for (const struct peer *d = c->peer; d < c->peer + c->peers; d++) {
        count[d->where == KNOB_SWITCH][words_state_of(c, d, now_us)]++;
        breaches += *d->breach != '\0';
        open += d->phase == PHASE_APPLIED;
    }
    prom_family(p, "anole_controller_devices", "gauge", "Devices by kind and state.");
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < STATES; i++)
            prom_value(p, count[kind][i], "kind", kind ? "switch" : "NIC", "state", words_state[i], NULL);
    prom_one(p, "anole_controller_coverage_ratio", "gauge", "Share of devices that report in time.",
             roster_coverage(c, now_us));
    prom_one(p, "anole_controller_guardrail_breaches", "gauge", "Devices at which a guardrail is broken.",
             breaches);
    prom_one(p, "anole_controller_devices_unconfirmed", "gauge",
             "Devices with a setting that is not confirmed.", open);
    add_ages(p, c, now_us);
}

/* ---- the trial ---- */

static void add_trial(struct prom *p, const struct controller *c)
{
    const struct trial *t = &c->trial;
    bool                has = t->phase != TRIAL_NONE && t->evidence.pairs;

    prom_one(p, "anole_controller_trial", "gauge", "Number of the trial under way; 0: none.",
             t->phase == TRIAL_NONE ? 0 : (double)t->number);
    prom_family(p, "anole_controller_trial_phase", "gauge", "1 for the phase of the trial.");
    for (int i = TRIAL_NONE; i < TRIAL_PHASES; i++)
        prom_value(p, (int)t->phase == i, "phase", words_phase[i], NULL);
    prom_one(p, "anole_controller_trial_pairs", "gauge", "Pairs of blocks of this stage.",
             has ? t->evidence.pairs : 0);
    prom_one(p, "anole_controller_trial_gain", "gauge", "Mean gain of the metric so far.",
             has ? evalue_gain(&t->evidence) : NAN);
    prom_family(p, "anole_controller_trial_evidence", "gauge", "E-value for a gain, and for harm.");
    prom_value(p, has ? evalue_above(&t->evidence, 0) : NAN, "for", "gain", NULL);
    prom_value(p, has ? evalue_below(&t->evidence, -c->cfg->harm * t->metric) : NAN, "for", "harm", NULL);
    prom_one(p, "anole_controller_noise_evidence", "gauge",
             "E-value of pairs without any difference: should stay below 20.",
             c->aa[STAGE_HALVES].evidence.sd > 0 ? evalue_above(&c->aa[STAGE_HALVES].evidence, 0) : NAN);
}

void controller_metrics(struct prom *p, const struct controller *c, const struct controller_counts *n,
                        uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    add_role(p, c);
    prom_one(p, "anole_controller_term", "gauge", "Its term: higher than that of all controllers before it.",
             (double)c->term);
    prom_one(p, "anole_controller_frozen", "gauge", "1: a person said that nothing is to be tried.",
             *c->frozen != '\0');
    prom_one(p, "anole_controller_held_up", "gauge", "1: nothing is tried now; /api/state says why.",
             controller_obstacle(c, now_us, why) != NULL);
    add_counts(p, n);
    add_orders(p, c);
    if (n->peers)
        process_peers(p, "anole_controller", n->peers);
    add_devices(p, c, now_us);
    add_trial(p, c);
}

/* ---- agents ---- */

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
           !a->is_seen || a->is_unreadable ? "its parameters cannot be read" : "";
}

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
    { "anole_agent_certificate_seconds", "gauge", "Time until the certificate of the agent ends." },
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
        (double)a->audit.seq, d->certificate_s, a->sample.metric, (double)t->samples, (double)t->missing,
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
