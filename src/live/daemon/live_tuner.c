/* src/live/daemon/live_tuner.c - see live_tuner.h. */
#include "live/daemon/live_tuner.h"
#include "core/units.h"
#include "live/core/knobset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct loop_request request_of(const struct controller_file *f)
{
    return (struct loop_request){ .kind = f->tuner, .place = f->tuner_place, .option = f->option, .options = f->options,
                                  .beside = f->common.file };
}

/* What is in force: what the first device of a kind holds. Devices that differ are shown by `anole ctl diff`. */
static void take_knobs(struct knobs *k, const struct controller *c)
{
    struct knob_set seen = { 0 };

    knobs_init(k);
    for (uint32_t i = 0; i < c->peers; i++)
        for (int j = 0; j < KNOB_COUNT; j++)
            if (c->peer[i].confirmed.is_named[j] && !seen.is_named[j] && c->peer[i].rank != RANK_NONE)
                knob_set_add(&seen, (enum knob)j, c->peer[i].confirmed.knobs.value[j]);
    knob_set_put(&seen, k);
}

static void make_world(struct world *w, const struct controller_file *f, const struct controller *c)
{
    world_init(w, c->peers, c->peers, 0);
    w->seed = f->controller.seed;
    w->interval_ps = f->controller.interval_us * PS_PER_US;
    w->base_rtt_ps = 10 * PS_PER_US;             /* not known: a host cannot see it */
    take_knobs(&w->start, c);
    for (uint32_t i = 0; i < c->peers; i++) {
        const struct peer *p = &c->peer[i];

        w->device[i] = (struct world_device){ .name = xstrdup(p->name), .tier = p->where == KNOB_NIC ? WORLD_HOSTS : WORLD_TORS,
                                              .first_port = i, .ports = 1 };
        w->port[i] = (struct world_port){ .name = xstrdup("1"), .device = i, .peer = WORLD_NONE, .rate_bps = p->sample.rate_bps };
        if (p->where == KNOB_NIC && p->sample.rate_bps > w->host_bps)
            w->host_bps = p->sample.rate_bps;
    }
}

int live_tuner_check(const struct controller_file *f, struct err *err)
{
    struct controller   none = { 0 };
    struct loop_request q = request_of(f);
    struct world        w;
    struct loop         l;
    int                 rc;

    if (!f->tuner)
        return 0;
    make_world(&w, f, &none);
    w.host_bps = 100000000000;
    rc = loop_open(&l, &w, &q, err);
    if (!rc)
        loop_close(&l);
    world_fini(&w);
    return rc;
}

void live_tuner_init(struct live_tuner *t, const struct controller_file *f)
{
    *t = (struct live_tuner){ .file = f };
}

static void close_loop(struct live_tuner *t)
{
    if (!t->is_open)
        return;
    loop_close(&t->loop);
    report_fini(&t->report);
    world_fini(&t->world);
    t->is_open = false;
}

void live_tuner_fini(struct live_tuner *t)
{
    close_loop(t);
}

/* ---- reports ---- */

static void add_peer(struct report *r, uint32_t i, const struct peer *p, uint64_t age_us)
{
    const struct msg_sample *s = &p->sample;

    r->device[i] = (struct report_device){ .age_ps = age_us * PS_PER_US, .is_missing = !p->metrics };
    r->port[i] = (struct report_port){ .device = i, .rate_bps = s->rate_bps, .is_uplink = p->where == KNOB_NIC };
    if (!p->metrics)
        return;
    r->port[i].tx_bytes = s->tx_bytes;
    r->port[i].marked_packets = s->marked_packets;
    r->port[i].paused_ps = (uint64_t)(s->paused * (double)s->interval_us) * PS_PER_US;
    r->paused_ps += r->port[i].paused_ps;
    r->marked_packets += s->marked_packets;
    r->cnps += s->cnps;
    r->nacks += s->retransmissions;
    r->dropped_packets += s->lossless_drops;
    r->payload_bytes += p->where == KNOB_NIC ? s->tx_bytes : 0;
}

static void fill_report(struct live_tuner *t, const struct controller *c, uint64_t now_us)
{
    struct report *r = &t->report;
    uint64_t       end_us = now_us - t->begin_us, interval_us = t->file->controller.interval_us;

    report_clear(r);
    r->number = ++t->number;
    r->start_ps = (end_us > interval_us ? end_us - interval_us : 0) * PS_PER_US;
    r->end_ps = end_us * PS_PER_US;
    r->knobs = t->loop.in_force.knobs;
    for (uint32_t i = 0; i < c->peers; i++)
        add_peer(r, i, &c->peer[i], now_us - c->peer[i].heard_us);
}

/* ---- decisions ---- */

static void open_loop(struct live_tuner *t, const struct controller *c, uint64_t now_us, struct decision *d)
{
    struct loop_request q = request_of(t->file);
    struct err          err;

    close_loop(t);
    make_world(&t->world, t->file, c);
    t->devices = c->peers;
    if (loop_open(&t->loop, &t->world, &q, &err)) {
        world_fini(&t->world);
        return;                  /* the file was checked: this network does not suit it */
    }
    report_init(&t->report, c->peers, c->peers, 0);
    t->is_open = true;
    t->begin_us = now_us - t->file->controller.interval_us;
    loop_start(&t->loop, &t->world.start, d);
}

/* What a decision would change, of what devices have. */
static struct knob_set change_of(const struct decision *d, const struct controller *c)
{
    struct knob_set set = { 0 };
    struct knobs    is;

    take_knobs(&is, c);
    for (uint32_t i = 0; i < c->peers; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (c->peer[i].confirmed.is_named[k] && !knobset_is_equal_value(is.value[k], d->knobs.value[k]))
                knob_set_add(&set, (enum knob)k, d->knobs.value[k]);
    return set;
}

static void tell(struct live_tuner *t, enum outcome_kind kind, const char *why)
{
    struct outcome o = { .number = t->decision, .kind = kind, .at_ps = t->report.end_ps };

    snprintf(o.why, sizeof o.why, "%s", why);
    if (t->is_open && t->decision)
        loop_on_applied(&t->loop, &o);
    t->decision = 0;
}

bool live_tuner_propose(struct live_tuner *t, const struct controller *c, uint64_t now_us, struct knob_set *set,
                        char why[MSG_WHY_SIZE])
{
    struct decision d = { 0 };
    const char     *said = "";

    if (!t->file->tuner)
        return false;
    if (!t->is_open || t->devices != c->peers)
        open_loop(t, c, now_us, &d);
    else {
        fill_report(t, c, now_us);
        loop_on_report(&t->loop, &t->report, &d);
        said = t->loop.tuning.steps ? t->loop.tuning.step[t->loop.tuning.steps - 1].note.why : "";
    }
    if (!t->is_open || !d.number)
        return false;
    t->decision = d.number;
    *set = change_of(&d, c);
    if (!d.has_knobs || knobset_is_empty(set)) {
        tell(t, OUTCOME_REFUSED, "no device has a knob that it would change");
        return false;
    }
    snprintf(why, MSG_WHY_SIZE, "tuner %s%s%.120s", t->loop.tuner.algo->name, *said ? ": " : "", said);
    return true;
}

void live_tuner_ended(struct live_tuner *t, bool is_kept, uint32_t missed, const char *why)
{
    tell(t, is_kept && !missed ? OUTCOME_APPLIED : is_kept ? OUTCOME_PARTLY : OUTCOME_REFUSED, why);
}
