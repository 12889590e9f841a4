#include "live/daemon/tuner/live_tuner.h"
#include "base/minmax.h"
#include "base/file/outfile.h"
#include "base/text.h"
#include "core/units.h"
#include "live/core/live_clock.h"
#include "live/core/knobset.h"
#include "live/controller/roster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN_MAX 10            /* intervals without messages or flow sizes before a warning */
/* fraction of an interval to wait for a tuner in its own thread: most steps take no time */
#define PATIENCE   20
#define NICE       5             /* of a search: leases go first */
/* in lock step; the loop then asks again: simulated time stops, connections stay alive */
#define LOCKED_US  10000u
#define SAID_MAX   120           /* bytes of a tuner's explanation that go into a decision's reason */
#define STEPS_SHOWN 12u
#define STEPS_KEPT 1000          /* of what the tuner did: a controller runs for months */

/* The current setting: that of the first device of a kind. */
static void take_knobs(struct knobs *k, const struct controller *c)
{
    struct knob_set first = roster_first(c);

    knobs_init(k);
    knobs_apply(k, &first);
}

static int by_number(const void *a, const void *b, void *peers)
{
    const struct peer *x = (const struct peer *)peers + *(const uint32_t *)a,
                      *y = (const struct peer *)peers + *(const uint32_t *)b;

    return x->facts.number != y->facts.number ? (x->facts.number > y->facts.number ? 1 : -1)
                                              : strcmp(x->name, y->name);
}

/* The caller frees it. */
static uint32_t *order_of(const struct controller *c)
{
    uint32_t *order = xcalloc(c->peers + 1ul, sizeof *order);

    for (uint32_t i = 0; i < c->peers; i++)
        order[i] = i;
    qsort_r(order, c->peers, sizeof *order, by_number, c->peer);
    return order;
}

static uint32_t ports_of(const struct peer *p)
{
    return p->facts.ports ? p->facts.ports : 1;
}

/* The interval of the samples, if there are any: a simulated network may be slower than the clock. */
static uint64_t interval_us(const struct controller_file *f, const struct controller *c)
{
    uint64_t us = 0;

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        us = p->where == KNOB_NIC ? max_u64(us, p->sample.interval_us) : us;
    return us ? us : f->controller.interval_us;
}

static void add_device(struct world *w, uint32_t i, const struct peer *p, uint32_t *port)
{
    uint64_t rate_bps = p->facts.rate_bps ? p->facts.rate_bps : p->sample.rate_bps;
    char     name[16];

    w->device[i] = (struct world_device){ .name = xstrdup(p->name),
                                          .tier = p->where == KNOB_NIC ? WORLD_HOSTS : WORLD_TORS,
                                          .first_port = *port, .ports = ports_of(p) };
    for (uint32_t k = 1; k <= ports_of(p); k++) {
        snprintf(name, sizeof name, "%u", k);
        w->port[(*port)++] = (struct world_port){ .name = xstrdup(name), .device = i, .peer = WORLD_NONE,
                                                  .rate_bps = rate_bps };
    }
    if (p->where == KNOB_NIC)
        w->host_bps = max_u64(w->host_bps, rate_bps);
    w->base_rtt_ps = max_u64(w->base_rtt_ps, p->facts.base_rtt_ps);
    w->pfc_bytes_one = max_u64(w->pfc_bytes_one, p->facts.pfc_bytes_one);
    w->pfc_bytes_two = max_u64(w->pfc_bytes_two, p->facts.pfc_bytes_two);
}

/* Adds facts that devices do not report. Settings are for ports of one speed: no device scales them. */
static void know_fabric(struct world *w, const struct live_twin *twin)
{
    const struct world *built = live_twin_world(twin);

    w->maker = &live_twin_maker;
    w->maker_arg = (void *)twin;
    w->host_bps = w->host_bps ? w->host_bps : built->host_bps;
    w->base_rtt_ps = w->base_rtt_ps ? w->base_rtt_ps : built->base_rtt_ps;
    w->pfc_bytes_one = w->pfc_bytes_one ? w->pfc_bytes_one : built->pfc_bytes_one;
    w->pfc_bytes_two = w->pfc_bytes_two ? w->pfc_bytes_two : built->pfc_bytes_two;
    for (uint32_t i = 0; i < w->ports; i++)
        w->port[i].rate_bps = w->host_bps;
}

static void make_world(struct world *w, const struct controller_file *f, const struct live_twin *t,
                       const struct controller *c, const uint32_t *order)
{
    uint32_t ports = 0, port = 0;

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        ports += ports_of(p);
    world_init(w, c->peers, ports, 0);
    w->seed = f->controller.seed;
    w->goal = &f->goal;
    w->interval_ps = interval_us(f, c) * PS_PER_US;
    take_knobs(&w->start, c);
    w->is_in_use = true;
    for (uint32_t i = 0; i < c->peers; i++)
        add_device(w, i, &c->peer[order[i]], &port);
    if (t)
        know_fabric(w, t);
    if (!w->base_rtt_ps)
        w->base_rtt_ps = 10 * PS_PER_US;         /* not known: a host cannot see it */
}

static int check_world(const struct controller_file *f, const struct live_twin *twin, struct err *err)
{
    struct controller none = { 0 };
    struct world      w;
    struct loop       l;

    make_world(&w, f, twin, &none, NULL);
    w.host_bps = w.host_bps ? w.host_bps : 100000000000;
    int rc = loop_open(&l, &w, &f->tuner, err);
    if (!rc) {
        if (l.tuner.algo && l.tuner.algo->slot)
            rc = err_set(err, ENOTSUP,
                         "%s%s sets queues one by one: it is for agents of switches (their 'tuner'), and for "
                         "'queue_tuners: yes' here", f->tuner.place, f->tuner.kind);
        loop_close(&l);
    }
    world_fini(&w);
    return rc;
}

int live_tuner_check(const struct controller_file *f, struct err *err)
{
    struct live_twin *twin = NULL;
    int               rc = live_learner_check(f, err);

    if (!rc && f->fabric)
        rc = live_twin_open(&twin, f->fabric, f->think_us, err);
    if (!rc && f->tuner.kind)
        rc = check_world(f, twin, err);
    live_twin_close(twin);
    return rc;
}

void live_tuner_init(struct live_tuner *t, const struct controller_file *f, uint64_t epoch_us)
{
    struct err err;

    *t = (struct live_tuner){ .file = f, .epoch_us = epoch_us };
    lag_init(&t->lag, f->monitor_delay_us * PS_PER_US);
    thinker_init(&t->thinker, epoch_us ? 0 : NICE);
    if (f->fabric && live_twin_open(&t->twin, f->fabric, epoch_us ? 0 : f->think_us, &err))
        clock_log("%s", err.text);               /* it was checked before: the file has changed since */
}

static void write_tuning(const struct live_tuner *t)
{
    struct err err;
    char       path[600], *text;
    FILE      *f = text_stream(&text);

    snprintf(path, sizeof path, "%s/tuning.jsonl", t->file->common.state);
    tuning_print(&t->loop.tuning, f);
    fclose(f);
    if (outfile_write(path, text, strlen(text), &err))
        clock_log("%s", err.text);
    free(text);
}

static void close_loop(struct live_tuner *t)
{
    if (t->is_open && t->loop.tuning.steps)
        write_tuning(t);
    if (t->is_open)
        loop_close(&t->loop);
    report_fini(&t->report);
    world_fini(&t->world);
    free(t->order);
    t->order = NULL;
    t->is_open = false;
}

void live_tuner_fini(struct live_tuner *t)
{
    if (t->thought)
        live_twin_stop(t->twin);
    thinker_fini(&t->thinker);
    close_loop(t);
    live_twin_close(t->twin);
    json_decref(t->last_status);
    lag_fini(&t->lag);
}

/* ---- reports ---- */

static void add_port(struct report *r, uint32_t port, const struct msg_port *p)
{
    struct report_port *to = &r->port[port];

    *to = (struct report_port){ .device = to->device, .is_uplink = to->is_uplink, .tx_bytes = p->tx_bytes,
                                .rate_bps = p->rate_bps ? p->rate_bps : to->rate_bps, .pauses = p->pauses,
                                .paused_ps = p->paused_ps, .marked_packets = p->marked_packets,
                                .queue_bytes_max = p->has_queue ? p->queue_bytes : 0 };
    r->queue_bytes_max = max_u64(r->queue_bytes_max, to->queue_bytes_max);
    r->pauses += p->pauses;
    r->paused_ps += p->paused_ps;
    r->marked_packets += p->marked_packets;
}

static void add_detail(struct report *r, uint32_t device, uint32_t first_port, uint32_t ports,
                       const struct msg_detail *d)
{
    for (uint32_t i = 0; i < d->ports && i < ports; i++)
        add_port(r, first_port + i, &d->port[i]);
    for (uint32_t i = 0; i < d->pairs; i++) {
        struct report_pair *p = report_add_pair(r);

        *p = (struct report_pair){ device, WORLD_NONE, d->pair[i].base_rtt_ps, d->pair[i].rtt_ps_sum,
                                   d->pair[i].rtt_samples, d->pair[i].rtt_ps_last };
        r->rtt_samples += p->rtt_samples;
        r->rtt_ps_sum += p->rtt_ps_sum;
    }
    fsd_add(&r->fsd, &d->fsd);
}

static void add_peer(struct report *r, const struct world *w, uint32_t i, const struct peer *p,
                     uint64_t age_us)
{
    const struct world_device *d = &w->device[i];
    const struct msg_sample   *s = &p->sample;

    r->device[i] = (struct report_device){ .age_ps = age_us * PS_PER_US,
                                           .is_missing = !p->reports || !s->interval_us || s->is_brief,
                                           .counts_no_pauses = isnan(s->paused) };
    for (uint32_t k = d->first_port; k < d->first_port + d->ports; k++)
        r->port[k] = (struct report_port){ .device = i, .rate_bps = w->port[k].rate_bps,
                                           .is_uplink = p->where == KNOB_NIC };
    if (p->reports && s->is_brief && p->has_detail)
        fsd_add(&r->fsd, &p->detail->fsd);
    if (r->device[i].is_missing)
        return;
    if (p->has_detail)
        add_detail(r, i, d->first_port, p->facts.ports, p->detail);
    /* a driver without details reports one port; flow sizes may come alone; ports without a place are one */
    if (!p->has_detail || !p->detail->ports || !p->facts.ports)
        add_port(r, d->first_port,
                 &(struct msg_port){ .tx_bytes = s->tx_bytes, .rate_bps = s->rate_bps,
                                     .marked_packets = s->marked_packets, .paused_ps = isnan(s->paused) ? 0 :
                                     (uint64_t)(s->paused * (double)s->interval_us) * PS_PER_US });
    r->cnps += s->cnps;
    r->nacks += s->retransmissions;
    r->dropped_packets += s->lossless_drops;
    r->payload_bytes += p->where == KNOB_NIC ? s->tx_bytes : 0;
}

static bool wants_messages(const struct live_tuner *t)
{
    const struct tuner_algo *algo = t->loop.tuner.algo;

    return algo && algo->wants_messages && algo->wants_messages(t->loop.tuner.state);
}

/* Messages that hosts reported since the last tick. A late host reports more in the next interval, so only
 * intervals in which nearly all hosts reported are used. Returns true if this is one. */
static bool add_seen(struct live_tuner *t, const struct controller *c, struct report *r, uint64_t now_us)
{
    const struct seen_part **part = xcalloc(c->peers + 1ul, sizeof *part);
    uint64_t                 whole_us = 0;
    uint32_t                 tellers = 0;
    struct seen              now;

    for (uint32_t i = 0; i < c->peers; i++) {
        const struct peer *p = &c->peer[t->order[i]];

        if (p->where != KNOB_NIC || !p->detail || !p->detail->has_seen || !roster_is_fresh(c, p, now_us))
            continue;
        tellers++;
        whole_us += p->sample.interval_us;
        part[i] = p->reports && p->has_detail ? &p->detail->seen : NULL;
        t->seen_us += part[i] ? p->reports * p->sample.interval_us : 0;
    }
    seen_sum(&now, part, c->peers);
    free(part);
    seen_add(&t->seen, &now);
    t->unseen = tellers ? 0 : t->unseen + 1;
    if (t->unseen == UNSEEN_MAX && wants_messages(t))
        clock_log("no device reports messages; the tuner is idle and the current setting stays");
    if (!tellers || 20 * t->seen_us < 19 * whole_us)
        return false;
    r->seen = t->seen;
    r->has_seen = true;
    r->start_ps = r->end_ps - min_u64(r->end_ps, t->seen_us / tellers * PS_PER_US);
    t->seen = (struct seen){ 0 };
    t->seen_us = 0;
    return true;
}

bool live_tuner_is_idle(const struct live_tuner *t)
{
    const struct tuner_algo *algo = t->is_open && !t->thought ? t->loop.tuner.algo : NULL;

    return algo && !wants_messages(t) && !t->decision && algo->is_idle && algo->is_idle(t->loop.tuner.state);
}

static bool has_brief(const struct controller *c)
{
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->reports && p->sample.is_brief)
            return true;
    return false;
}

bool live_tuner_thinks(const struct live_tuner *t)
{
    return t->thought != NULL;
}

void live_tuner_interval(struct live_tuner *t, const struct controller *c, uint64_t now_us)
{
    struct report *r = &t->report;
    uint64_t       interval_ps = interval_us(t->file, c) * PS_PER_US;
    char           missing[600];

    if (!t->is_open || t->thought || t->roster != c->roster || (has_brief(c) && !live_tuner_is_idle(t)))
        return;                  /* a new search waits until all devices report in full */
    if (!t->epoch_us)     /* which has an end, and is compared with a whole run */
        loop_forget(&t->loop, STEPS_KEPT);
    report_clear(r);
    t->end_ps = !t->epoch_us ? t->end_ps + interval_ps :         /* stamps are simulated time, in lock step */
                (c->peer[t->order[0]].stamp_us - t->epoch_us) * PS_PER_US;
    r->number = ++t->number;
    r->start_ps = t->end_ps - min_u64(t->end_ps, interval_ps);
    r->end_ps = t->end_ps;
    r->knobs = t->loop.in_force.knobs;
    for (uint32_t i = 0; i < c->peers; i++)
        add_peer(r, &t->world, i, &c->peer[t->order[i]], now_us - c->peer[t->order[i]].heard_us);
    if (t->flows)
        r->fsd = *t->flows;
    t->flowless = r->fsd.elephants || r->fsd.mice ? 0 : t->flowless + 1;
    if (t->flowless == UNSEEN_MAX && *live_tuner_missing(t, missing, sizeof missing))
        clock_log("%s", missing);
    if (tuner_reads_messages(&t->loop.tuner) && !add_seen(t, c, r, now_us) && wants_messages(t))
        return;
    lag_add(&t->lag, r);
    while (t->decision && lag_next(&t->lag, t->end_ps))
        ;                        /* nothing is left: settled is NEVER */
}

char *live_tuner_missing(const struct live_tuner *t, char *buf, size_t size)
{
    const char *name = t->file->tuner.kind;

    buf[0] = '\0';
    if (t->has_failed && !t->is_open)
        snprintf(buf, size, "tuner %s cannot begin: %s", name, t->failure);
    else if (!t->is_open || t->thought)
        return buf;
    else if (wants_messages(t) && t->unseen >= UNSEEN_MAX)
        snprintf(buf, size,
                 "tuner %s waits for message sizes, which no driver of real NICs reports. Choose a tuner "
                 "that uses flow sizes or none", name);
    else if (t->loop.tuner.algo && t->loop.tuner.algo->is_idle && !wants_messages(t) &&
             t->flowless >= UNSEEN_MAX)
        snprintf(buf, size,
                 "tuner %s waits for flow sizes, and no device reports them. Let switches send sFlow, "
                 "NetFlow 9 or IPFIX to the controller ('flows: {listen: 0.0.0.0:6343, from: [ADDRESS]}'), "
                 "or let NICs count queue pairs (rdma statistic qp set link mlx5_0/1 auto type,pid on "
                 "optional-counters on)", name);
    return buf;
}

/* ---- decisions ---- */

static void open_loop(struct live_tuner *t, const struct controller *c, struct decision *d)
{
    struct err err;

    close_loop(t);
    t->order = order_of(c);
    make_world(&t->world, t->file, t->twin, c, t->order);
    t->roster = c->roster;
    if (loop_open(&t->loop, &t->world, &t->file->tuner, &err)) {
        /* the file was checked: the network does not suit it, or some devices are still missing */
        if (!t->has_failed)
            clock_log("%s", err.text);
        t->has_failed = true;
        snprintf(t->failure, sizeof t->failure, "%.*s", (int)sizeof t->failure - 1, err.text);
        close_loop(t);
        return;
    }
    report_init(&t->report, c->peers, t->world.ports, 0);
    t->is_open = true;
    loop_start(&t->loop, &t->world.start, d);
}

/* A knob that the tuner has never changed and does not name stays as each device was found. */
static bool is_tuners(const struct live_tuner *t, const struct decision *d,
                      const struct controller *c, int knob)
{
    const struct tuner_algo *algo = t->loop.tuner.algo;
    const bool              *is_named = algo && algo->names ? algo->names(t->loop.tuner.state) : NULL;

    return is_named ? is_named[knob] : c->standing.set.is_named[knob] ||
           !knobset_is_equal_value(d->knobs.value[knob], t->world.start.value[knob]);
}

/* What a decision would change, of what devices have. Without trials each device counts, also one that came
 * when others had been set; with trials a setting that the first device holds needs no second trial. */
static struct knob_set change_of(const struct live_tuner *t, const struct decision *d,
                                 const struct controller *c)
{
    struct knob_set set = { 0 };
    struct knobs    first;

    take_knobs(&first, c);
    for (int k = 0; k < KNOB_COUNT; k++)
        for (const struct peer *p = c->peer; p < c->peer + c->peers && is_tuners(t, d, c, k); p++) {
            bool is_own = c->cfg->mode == MODE_DIRECT && p->rank != RANK_NONE;

            if (p->confirmed.is_named[k] &&
                !knobset_is_equal_value(is_own ? p->confirmed.knobs.value[k] : first.value[k],
                                        d->knobs.value[k]))
                knob_set_add(&set, (enum knob)k, d->knobs.value[k]);
        }
    return set;
}

static void report_outcome(struct live_tuner *t, enum outcome_kind kind, uint64_t at_ps, const char *why)
{
    struct outcome o = { .number = t->decision, .kind = kind };

    snprintf(o.why, sizeof o.why, "%s", why);
    if (t->is_open && t->decision)
        loop_on_applied(&t->loop, &o);
    t->decision = 0;
    t->seen = (struct seen){ 0 };                /* of before */
    t->seen_us = 0;
    lag_settle(&t->lag, at_ps);
}

/* In the thinker's thread. */
static void think(void *arg)
{
    struct live_tuner *t = arg;

    live_twin_begin(t->twin);
    loop_on_report(&t->loop, t->thought, &t->decided);
}

/* Returns true if it has ended and the decision is known. */
static bool has_thought(struct live_tuner *t, struct decision *d)
{
    if (!thinker_end(&t->thinker, t->epoch_us ? LOCKED_US : t->file->controller.interval_us / PATIENCE))
        return false;
    t->thought = NULL;
    *d = t->decided;
    return true;
}

static bool think_of(struct live_tuner *t, const struct report *r, struct decision *d)
{
    json_decref(t->last_status);
    t->last_status = live_tuner_json(t);
    t->thought = r;
    live_twin_allow(t->twin);
    thinker_begin(&t->thinker, think, t);
    return has_thought(t, d);
}

/* Shows the tuner the reports that are due; returns true if it has decided. */
static bool show_reports(struct live_tuner *t, struct decision *d)
{
    const struct report *r;

    if (t->thought && (!has_thought(t, d) || d->number))
        return d->number != 0;
    while ((r = lag_next(&t->lag, t->end_ps)) != NULL) {
        if (!wants_messages(t))
            loop_on_report(&t->loop, r, d);
        else if (!think_of(t, r, d))
            return false;
        if (d->number)
            return true;
    }
    return false;
}

/* Of a long explanation its first sentences, or words: all of it is in the tuner's own history. */
static int said_length(const char *said)
{
    int sentence = 0, word = 0;

    for (int i = 0; said[i]; i++) {
        if (i >= SAID_MAX)
            return sentence ? sentence : word ? word : SAID_MAX;
        if (said[i] == ' ')
            word = i;
        if (said[i] == '.' && said[i + 1] == ' ')
            sentence = i;
    }
    return SAID_MAX;
}

bool live_tuner_propose(struct live_tuner *t, const struct controller *c, uint64_t now_us,
                        struct knob_set *set, char why[MSG_WHY_SIZE])
{
    struct decision d = { 0 };
    const char     *said = "";

    (void)now_us;
    if (!t->file->tuner.kind)
        return false;
    if (t->thought && t->roster != c->roster) {
        live_twin_stop(t->twin);
        if (!has_thought(t, &d))
            return false;
        d = (struct decision){ 0 };
    }
    if (!t->is_open || t->roster != c->roster)
        open_loop(t, c, &d);
    else if (show_reports(t, &d))
        said = t->loop.tuning.step[t->loop.tuning.steps - 1].note.why;
    if (!t->is_open || !d.number)
        return false;
    t->decision = d.number;
    lag_settle(&t->lag, NEVER);
    *set = change_of(t, &d, c);
    if (!d.has_knobs || knobset_is_empty(set)) {
        report_outcome(t, OUTCOME_REFUSED, t->end_ps, "no device has a knob that it would change");
        return false;
    }
    snprintf(why, MSG_WHY_SIZE, "tuner %s%s%.*s", t->loop.tuner.algo->name, *said ? ": " : "",
             said_length(said), said);
    return true;
}

void live_tuner_ended(struct live_tuner *t, const struct controller *c, bool is_kept, uint32_t missed,
                      const char *why)
{
    /* in real time, the next interval is the first that shows it */
    bool has_instant = t->epoch_us && is_kept && c->trial.at_us;

    report_outcome(t, is_kept && !missed ? OUTCOME_APPLIED : is_kept ? OUTCOME_PARTLY : OUTCOME_REFUSED,
                   has_instant ? (c->trial.at_us - t->epoch_us) * PS_PER_US : t->end_ps, why);
}

/* ---- as JSON ---- */

static const char *const outcomes[] = {
    [OUTCOME_PENDING] = "under way", [OUTCOME_APPLIED] = "set", [OUTCOME_PARTLY] = "set at some",
    [OUTCOME_REFUSED] = "not set",
};

static struct knob_set difference(const struct knobs *was, const struct knobs *is)
{
    struct knob_set set = { 0 };

    for (int k = 0; k < KNOB_COUNT; k++)
        if (!knobset_is_equal_value(was->value[k], is->value[k]))
            knob_set_add(&set, (enum knob)k, is->value[k]);
    return set;
}

/* Settings tried on a twin: predicted slowdown in percent of the current setting; negative is better. */
static json_t *tried_json(const struct tuning_step *s)
{
    json_t *list = json_array();

    for (const struct tuner_tried *t = s->note.tried; t < s->note.tried + s->note.tries; t++) {
        struct knob_set set = difference(&s->was, &t->knobs);

        json_array_append_new(list, JSON_OF(
            { "name", json_of_text(t->name ? t->name : "") },
            { "gain", json_of_number(expm1(t->gain) * 100) }, { "low", json_of_number(expm1(t->low) * 100) },
            { "high", json_of_number(expm1(t->high) * 100) }, { "blocks", json_of_count(t->blocks) },
            { "is_out", json_boolean(t->is_out) }, { "is_now", json_boolean(t->is_now) },
            { "set", knobset_json(&set) }));
    }
    return list;
}

static json_t *step_json(const struct live_tuner *t, const struct tuning_step *s)
{
    uint64_t        interval_ps = s->end_ps > s->start_ps ? s->end_ps - s->start_ps : 1;
    uint64_t        ago_ps = t->end_ps - min_u64(t->end_ps, s->end_ps);
    struct knob_set change = difference(&s->was, &s->is);

    return JSON_OF({ "reports_ago", json_of_count(ago_ps / interval_ps) },
                   { "phase", json_of_text(tuner_phase_names[s->note.phase]) },
                   { "why", json_of_text(s->note.why) },
                   { "outcome", json_of_text(knobset_is_empty(&change) ? "" : outcomes[s->outcome]) },
                   { "utility", json_of_number(s->note.utility) }, { "set", knobset_json(&change) });
}

/* The last search on a twin; NULL: there was none. */
static json_t *search_json(const struct live_tuner *t)
{
    const struct tuning *all = &t->loop.tuning;

    for (uint32_t i = all->steps; i-- > 0;)
        if (all->step[i].note.tries) {
            json_t *o = step_json(t, &all->step[i]);

            json_object_set_new(o, "tried", tried_json(&all->step[i]));
            return o;
        }
    return NULL;
}

/* Settings that it wanted, the last first: its candidates. */
static json_t *candidates_json(const struct live_tuner *t)
{
    const struct tuning *all = &t->loop.tuning;
    json_t              *list = json_array();

    for (uint32_t i = all->steps; i-- > 0 && json_array_size(list) < STEPS_SHOWN;)
        if (!knobs_equal(&all->step[i].was, &all->step[i].is))
            json_array_append_new(list, step_json(t, &all->step[i]));
    return list;
}

json_t *live_tuner_json(const struct live_tuner *t)
{
    const struct tuning *all = &t->loop.tuning;
    char                 missing[600];

    if (t->thought) {            /* the thinker owns the loop */
        json_t *o = json_copy(t->last_status);

        json_object_set_new(o, "thinks", json_true());
        return o;
    }
    json_t *o = JSON_OF({ "name", json_of_text(t->file->tuner.kind ? t->file->tuner.kind : "") },
                        { "has_begun", json_boolean(t->is_open) },
                        { "has_failed", json_boolean(t->has_failed && !t->is_open) },
                        { "missing", json_of_text(live_tuner_missing(t, missing, sizeof missing)) });
    if (t->is_open)
        JSON_PUT(o, { "reports", json_of_count(t->number) }, { "waits", json_boolean(t->decision != 0) },
                 { "last", all->steps ? step_json(t, &all->step[all->steps - 1]) : NULL },
                 { "candidates", candidates_json(t) }, { "search", search_json(t) });
    return o;
}
