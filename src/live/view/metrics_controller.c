#include "live/view/metrics.h"
#include "live/controller/controller.h"
#include "live/controller/roster.h"
#include "live/view/words.h"

#include <math.h>
#include <stdio.h>

/* ---- the controller ---- */

static void add_role(struct prom *p, const struct controller *c)
{
    prom_family(p, "anole_controller_role", "gauge", "1 for the role that it has.");
    for (int i = ROLE_GATHER; i <= ROLE_DEPOSED; i++)
        prom_value(p, (int)c->role == i, "role", words_role((enum controller_role)i), NULL);
    prom_family(p, "anole_controller_mode", "gauge", "1 for the mode that it was given.");
    for (int i = MODE_OBSERVE; i <= MODE_DIRECT; i++)
        prom_value(p, (int)c->cfg->mode == i, "mode", words_mode((enum controller_mode)i), NULL);
}

static void add_counts(struct prom *p, const struct controller *c, const struct controller_counts *n)
{
    prom_one(p, "anole_controller_messages_total", "counter", "Messages of agents.", (double)n->messages);
    prom_one(p, "anole_controller_reports_total", "counter", "Of these, reports.", (double)n->reports);
    prom_one(p, "anole_controller_unreadable_total", "counter",
             "Messages that were not understood or not allowed.",
             (double)n->unreadable);
    prom_one(p, "anole_controller_ticks_total", "counter", "Intervals.", (double)n->ticks);
    prom_one(p, "anole_controller_late_ticks_total", "counter",
             "Intervals that ended more than half an interval late.",
             (double)n->late);
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
             "Number of the last record of the audit log.",
             (double)c->audit.seq);
    prom_one(p, "anole_controller_audit_lost", "gauge",
             "Records that could not be written since the last that was.",
             (double)c->audit.lost);
}

/* ---- its devices ---- */

static const double age_bounds_s[] = { 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60 };
#define BOUNDS (sizeof age_bounds_s / sizeof *age_bounds_s)

/* The age of reports: gauges, one per bound, because it is a state and not a count of events. */
static void add_ages(struct prom *p, const struct controller *c, uint64_t now_us)
{
    uint32_t within[BOUNDS] = { 0 };
    char     bound[16];

    for (uint32_t i = 0; i < c->peers; i++)
        for (size_t b = 0; b < BOUNDS; b++)
            within[b] += c->peer[i].heard_us &&
                         (double)(now_us - c->peer[i].heard_us) / 1e6 <= age_bounds_s[b];
    prom_family(p, "anole_controller_devices_heard", "gauge",
                "Devices that were heard within so many seconds.");
    for (size_t b = 0; b < BOUNDS; b++) {
        snprintf(bound, sizeof bound, "%g", age_bounds_s[b]);
        prom_value(p, within[b], "within", bound, NULL);
    }
}

static void add_devices(struct prom *p, const struct controller *c, uint64_t now_us)
{
    uint32_t count[2][STATES] = { { 0 } }, breaches = 0, open = 0;

    for (uint32_t i = 0; i < c->peers; i++) {
        const struct peer *d = &c->peer[i];

        count[d->where == KNOB_SWITCH][words_state_of(c, d, now_us)]++;
        breaches += *d->breach != '\0';
        open += d->phase == PHASE_APPLIED;
    }
    prom_family(p, "anole_controller_devices", "gauge", "Devices by kind and state.");
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < STATES; i++)
            prom_value(p, count[kind][i], "kind", kind ? "switch" : "NIC", "state",
                       words_state((enum words_state)i), NULL);
    prom_one(p, "anole_controller_coverage_ratio", "gauge", "Share of devices that report in time.",
             roster_coverage(c, now_us));
    prom_one(p, "anole_controller_guardrail_breaches", "gauge", "Devices at which a guardrail is broken.",
             breaches);
    prom_one(p, "anole_controller_devices_unconfirmed", "gauge", "Devices that hold what is not confirmed.",
             open);
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
        prom_value(p, (int)t->phase == i, "phase", words_phase((enum trial_phase)i), NULL);
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
    add_counts(p, c, n);
    if (n->peers)
        process_peers(p, "anole_controller", n->peers);
    add_devices(p, c, now_us);
    add_trial(p, c);
}
