/* src/study/report/results_answer.c - the answer card of one run: its main figure, costs and warnings. */
#include "study/report/about.h"
#include "study/report/results.h"
#include "study/report/results_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTAGES_SAID 2

/* Training is judged by iteration time, other traffic by slowdown. */
static bool add_training(const struct results *r, struct card *c)
{
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct results_entry *e = &r->entry[i];

        if (e->job != JOB_TRAINING || isnan(e->iteration_us_mean))
            continue;
        card_add(c, CARD_FINDING, "An iteration of %s takes %s on average.", r->scenario->entry[i].name,
                 metric(UNIT_US, e->iteration_us_mean).buf);
        if (e->spent.ranks) {
            double us[SPENT_COUNT];

            spent_mean(&e->spent, us);
            card_add(c, CARD_DETAIL, "Of it a rank computes %s on average, while %s of its messages pass; it "
                     "waits %s for its own messages and %s for others.",
                     metric(UNIT_US, us[SPENT_COMPUTING] + us[SPENT_HIDDEN]).buf,
                     metric(UNIT_US, us[SPENT_HIDDEN]).buf,
                     metric(UNIT_US, us[SPENT_EXPOSED]).buf, metric(UNIT_US, us[SPENT_WAITING]).buf);
        }
        if (isfinite(e->exposed_us_mean) && r->scenario->entry[i].work_ps)
            card_add(c, CARD_DETAIL, "Communication that computing does not hide: %s.",
                     metric(UNIT_US, e->exposed_us_mean).buf);
        if (r->spread->seeds && r->scenario->entry[i].work_ps)
            card_add(c, CARD_DETAIL, "Packet by packet: %s to %s (95 %% interval).",
                     metric(UNIT_US, r->spread->us[i * EXPOSED_COUNT + EXPOSED_MEAN].low).buf,
                     metric(UNIT_US, r->spread->us[i * EXPOSED_COUNT + EXPOSED_MEAN].high).buf);
        if (isfinite(e->bound_share) && e->bound_share > 0)
            card_add(c, CARD_DETAIL, "The links allow one in %.0f %% of that time.", 100 * e->bound_share);
        return true;
    }
    return false;
}

static void add_finding(const struct results *r, struct card *c)
{
    struct fct_stats s = fct_slowdown_stats(&r->fct->all);

    if (r->stuck_why)
        card_add(c, CARD_FINDING, "Nothing moves any more after %s: the figures are of the time before.",
                 time_text(r->stuck_ps).buf);
    else if (!add_training(r, c) && r->fct->all.count == 0)
        card_add(c, CARD_FINDING, "No flow finished.");
    else if (!c->text[CARD_FINDING])
        card_add(
            c, CARD_FINDING,
            "Flows take %s times as long as in an empty network on average, the slowest 1 %% %s times.",
            metric(UNIT_NONE, s.mean).buf, metric(UNIT_NONE, s.p99).buf);
    card_add(c, CARD_DETAIL, "Goodput %s, mean round trip %s (idle: at most %s).",
             metric(UNIT_BPS, r->goodput_bps).buf, metric(UNIT_US, r->rtt_us_mean).buf,
             time_text(sim_idle_rtt_ps(r->sim)).buf);
}

static const char *slowdown_of(char buf[24], const struct outage_flows *f)
{
    snprintf(buf, 24, "%.3g", f->slowdowns / (double)f->count);
    return buf;
}

/* Losses are counted by link, over the whole run. */
static bool fails_once(const struct results *r, const struct outage *o)
{
    uint32_t times = 0;

    for (uint32_t i = 0; i < r->outages->count; i++)
        times += r->outages->list[i].link == o->link && r->outages->list[i].start_ps < r->end_ps;
    return times == 1;
}

/* Which link went down, when, and what that cost the flows under way. */
static void add_outage(const struct results *r, struct card *c, const struct outage *o)
{
    const struct graph      *g = sim_graph(r->sim);
    const struct graph_link *l = &g->link[o->link];
    char                     hit[24], spared[24];

    card_add(c, CARD_COST, "Link %s - %s was down from %s to %s: %s%s.", g->node[l->a].name,
             g->node[l->b].name, time_text(o->start_ps).buf,
             o->stop_ps < r->end_ps ? time_text(o->stop_ps).buf : "the end",
             counted(sim_link_cut(r->sim, o->link), "packet lost", "packets lost").buf,
             fails_once(r, o) ? "" : " in all its outages");
    if (o->hit.count)
        card_add(c, CARD_COST, "%s then under way sent data again and took %s times as long as in an empty "
                 "network",
                 counted(o->hit.count, "flow", "flows").buf, slowdown_of(hit, &o->hit));
    else
        card_add(c, CARD_COST, "No flow under way then that has finished sent data again");
    if (o->hit.count && o->spared.count)
        card_append(c, CARD_COST, ", the other %s %s times", count_text(o->spared.count).buf,
                    slowdown_of(spared, &o->spared));
    card_append(c, CARD_COST, ".");
}

static void add_outages(const struct results *r, struct card *c)
{
    uint32_t said = 0, all = 0;

    for (uint32_t i = 0; i < r->outages->count; i++) {
        if (r->outages->list[i].start_ps >= r->end_ps)
            continue;
        if (said < OUTAGES_SAID) {
            add_outage(r, c, &r->outages->list[i]);
            said++;
        }
        all++;
    }
    if (all > said)
        card_add(c, CARD_COST, "%s in summary.json.",
                 counted(all - said, "other outage", "other outages").buf);
    if (said)
        card_add(c, CARD_COST, "Switches change routes at once in this model.");
}

static void add_cost(const struct results *r, struct card *c)
{
    add_outages(r, c);
    if (r->dropped_packets > 0)
        card_add(c, CARD_COST, "%s dropped.",
                 counted((uint64_t)r->dropped_packets, "packet was", "packets were").buf);
    if (r->trimmed > 0)
        card_add(c, CARD_COST, "%s trimmed.",
                 counted((uint64_t)r->trimmed, "packet was", "packets were").buf);
    if (r->paused_share > 0)
        card_add(c, CARD_COST, "PFC paused ports for %s of the time.",
                 metric(UNIT_SHARE, r->paused_share).buf);
    if (r->dropped_packets == 0 && r->trimmed == 0 && !(r->paused_share > 0))
        card_add(c, CARD_COST, "No packet was dropped and no port was paused.");
    if (r->queue_bytes_max > 0)
        card_add(c, CARD_COST, "Longest queue: %s.", metric(UNIT_BYTES, r->queue_bytes_max).buf);
}

static void add_seeds(const struct results *r, struct card *c)
{
    unsigned long long seed = sim_settings(r->sim)->seed;

    if (!r->is_random)
        card_add(c, CARD_SURE, "Nothing in this run was drawn at random: other seeds give the same.");
    else if (r->spread->seeds > 1)
        card_add(c, CARD_SURE, "The run with seed %llu, one of %u for the interval.", seed, r->spread->seeds);
    else
        card_add(c, CARD_SURE, "One run, seed %llu: other seeds %s.", seed,
                 r->spread->seeds ? "give the same" : "differ");
}

/* Whether "KEY=VALUE" says what is simulated, not how devices are set: the same for all that are compared. */
static bool is_condition(const char *set)
{
    static const char *const sections[] = { "model", "order", "seed", "interval", "run", "fidelity", "hpcc",
                                            "htsim", "topology", "changes", "monitor", "goal", "traffic" };
    size_t length = strcspn(set, "=.[");

    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
        if (strlen(sections[i]) == length && strncmp(sections[i], set, length) == 0)
            return true;
    return false;
}

/* Settings that were given are worth a comparison; without one, advice. Conditions hold for both. */
static void add_next(const struct results *r, struct card *c, bool is_printed)
{
    const char **setting = xcalloc(r->sets + 1ul, sizeof(*setting));
    uint32_t     settings = 0;

    for (uint32_t i = 0; i < r->sets; i++)
        if (!is_condition(r->set[i]))
            setting[settings++] = r->set[i];
    card_add(c, CARD_NEXT,
             settings ? "see what the change is worth over several seeds" : "get a recommended setting");
    card_add(c, CARD_COMMAND, settings ? "anole compare" : "anole advise");
    if (is_printed)
        card_add_path(c, r->scenario->path);
    else
        card_add_argument(c, r->scenario->path);
    for (uint32_t i = 0; i < r->sets; i++)
        if (is_condition(r->set[i])) {
            card_add(c, CARD_COMMAND, "--set");
            card_add_argument(c, r->set[i]);
        }
    if (settings) {
        card_add(c, CARD_COMMAND, "--variant before --variant");
        card_add_variant(c, "after", setting, settings);
    }
    free(setting);
}

struct card *results_answer(const struct results *r, struct card *c, bool is_printed)
{
    *c = (struct card){ 0 };
    add_finding(r, c);
    add_cost(r, c);
    add_seeds(r, c);
    if (r->flows_unfinished > 0)
        card_add(c, CARD_SURE, "%s not finished and do not count.",
                 counted((uint64_t)r->flows_unfinished, "flow had", "flows had").buf);
    about_hardware(c, r->sim);
    about_scenario(c, r->scenario, r->sim);
    if (!(r->flows_started > 0))
        return c;                /* nothing was sent: no setting can matter */
    add_next(r, c, is_printed);
    return c;
}
