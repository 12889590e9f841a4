#include "live/relay/relay.h"
#include "base/err.h"

#include <math.h>
#include <stdlib.h>

void relay_init(struct relay *r, const struct relay_config *cfg, const struct relay_io *io, uint64_t life)
{
    *r = (struct relay){ .cfg = *cfg, .io = *io };
    r->agent = xcalloc(RACK_DEVICES_MAX, sizeof *r->agent);
    r->sent = xcalloc(RELAY_MEMORY, sizeof *r->sent);
    rack_init(&r->up, life);
}

void relay_fini(struct relay *r)
{
    for (uint32_t i = 0; i < r->agents; i++)
        free(r->agent[i].seen);
    free(r->agent);
    free(r->sent);
    rack_fini(&r->up);
    *r = (struct relay){ 0 };
}

/* ---- agents ---- */

static struct relay_agent *by_link(struct relay *r, uint32_t link)
{
    for (uint32_t i = 0; i < r->agents; i++)
        if (r->agent[i].link == link)
            return &r->agent[i];
    return NULL;
}

static struct relay_agent *by_slot(struct relay *r, uint32_t slot)
{
    for (uint32_t i = 0; i < r->agents; i++)
        if (r->agent[i].slot == slot)
            return &r->agent[i];
    return NULL;
}

static void say_gone(struct relay *r, uint32_t slot)
{
    if (r->up.gones < RACK_DEVICES_MAX)
        r->up.gone[r->up.gones++] = slot;
}

/* NULL: the table is full. A restarted agent takes a new slot, which is rare. */
static struct relay_agent *agent_of(struct relay *r, uint32_t link, uint64_t incarnation)
{
    struct relay_agent *a = by_link(r, link);
    uint32_t            starts = a ? a->starts : 0, items = a ? a->items : 0;

    if (a && (a->incarnation == incarnation || starts == RELAY_STARTS_MAX))
        return a;
    if (!a && r->agents == RACK_DEVICES_MAX)
        return NULL;
    if (a) {
        say_gone(r, a->slot);
        free(a->seen);
    } else
        a = &r->agent[r->agents++];
    *a = (struct relay_agent){ .link = link, .slot = ++r->slots, .incarnation = incarnation,
                               .starts = starts + 1, .items = items };
    a->seen = NULL;              /* as it is: clang-tidy does not see it */
    return a;
}

/* ---- reports ---- */

static bool is_ordinary(const struct msg *m)
{
    const struct msg_detail *d = m->sample.detail;

    return m->phase == PHASE_IDLE && !m->self.is_there && !m->is_frozen && !m->is_broken &&
           !m->is_unreadable && !*m->why &&
           (!d || (!d->ports && !d->pairs));
}

/* The mean of two intervals; of one if the other is unknown. */
static double mean_known(double a, uint64_t weight_a, double b, uint64_t weight_b)
{
    double weight = (double)(weight_a + weight_b);

    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return weight > 0 ? (a * (double)weight_a + b * (double)weight_b) / weight : b;
}

/* Merges two consecutive intervals. Values unknown in one are taken from the other. */
static void add_sample(struct msg_sample *sum, const struct msg_sample *next)
{
    struct msg_sample was = *sum;

    *sum = *next;
    sum->detail = NULL;
    sum->interval_us += was.interval_us;
#define AGENT(name, ...) sum->name += was.name;
#include "core/figures.def"
    sum->unknown |= was.unknown;
    sum->paused = mean_known(was.paused, was.interval_us, next->paused, next->interval_us);
    sum->metric = mean_known(was.metric, was.interval_us, next->metric, next->interval_us);
}

static void add_seen(struct relay_agent *a, const struct msg_detail *d)
{
    if (!d || !d->has_seen)
        return;
    if (!a->seen)
        a->seen = xmalloc(sizeof *a->seen);
    if (a->has_seen)
        seen_part_add(a->seen, &d->seen);
    else
        seen_part_copy(a->seen, &d->seen);
    a->has_seen = true;
}

static void add_report(struct relay_agent *a, const struct msg *m)
{
    if (!a->has_row)
        a->row.sample = (struct msg_sample){ .metric = NAN, .paused = NAN };
    add_sample(&a->row.sample, &m->sample);
    a->row.slot = a->slot;
    a->row.stamp_us = m->stamp_us;
    a->fsd = m->sample.detail ? m->sample.detail->fsd : (struct fsd){ 0 };
    a->has_row = true;
}

void relay_on_agent(struct relay *r, uint32_t link, const struct msg *m, uint64_t now_us)
{
    bool                was_empty = !r->agents;
    struct relay_agent *a = agent_of(r, link, m->incarnation);

    if (was_empty && r->heard_us)
        r->heard_us = now_us;    /* a controller that was asked nothing was not silent */
    if (!a) {
        r->io.cut(r->io.arg, link);
        return;
    }
    if (a->incarnation != m->incarnation) {
        r->ignored++;
        return;
    }
    if (m->kind == MSG_REPORT)
        add_seen(a, m->sample.detail);
    if (m->kind == MSG_REPORT && is_ordinary(m)) {
        add_report(a, m);
        return;
    }
    if (m->kind == MSG_REPORT)
        a->has_row = false;      /* this says more */
    if (a->items == RELAY_ITEMS_MAX || m->kind == MSG_LEARN) {
        r->ignored++;
        return;
    }
    a->items++;
    rack_add(&r->up, a->slot, m);
}

void relay_on_agent_cut(struct relay *r, uint32_t link)
{
    struct relay_agent *a = by_link(r, link);

    if (!a)
        return;
    say_gone(r, a->slot);
    free(a->seen);
    *a = r->agent[--r->agents];
    r->agent[r->agents].seen = NULL;             /* it has moved */
}

/* ---- up ---- */

/* The statistics of a host go with its reports of this rack, once. */
static void send_statistics(struct relay *r, struct relay_agent *a)
{
    if (!a || !a->has_seen)
        return;
    seen_part_fit(a->seen);
    seen_part_copy(rack_add_messages(&r->up, a->slot), a->seen);
    a->has_seen = false;
}

static void remember(struct relay_sent *s, uint32_t slot, uint64_t stamp_us)
{
    if (s->count < sizeof s->heard / sizeof *s->heard)
        s->heard[s->count++] = (struct relay_heard){ slot, stamp_us };
}

void relay_flush(struct relay *r)
{
    if (rack_is_empty(&r->up))
        return;
    r->up.number = ++r->number;
    struct relay_sent *s = &r->sent[r->number % RELAY_MEMORY];
    s->number = r->number;
    s->count = 0;
    for (uint32_t i = 0; i < r->up.rows; i++)
        remember(s, r->up.row[i].slot, r->up.row[i].stamp_us);
    for (uint32_t i = 0; i < r->up.items; i++)
        if (r->up.item[i].msg.kind == MSG_REPORT) {
            remember(s, r->up.item[i].slot, r->up.item[i].msg.stamp_us);
            send_statistics(r, by_slot(r, r->up.item[i].slot));
        }
    for (uint32_t i = 0; i < r->agents; i++)
        r->agent[i].items = 0;
    r->io.send_up(r->io.arg, &r->up);
    rack_clear(&r->up);
}

void relay_on_down(struct relay *r)
{
    while (r->agents) {
        uint32_t link = r->agent[r->agents - 1].link;

        relay_on_agent_cut(r, link);
        r->io.cut(r->io.arg, link);
    }
    rack_clear(&r->up);
}

void relay_on_tick(struct relay *r, uint64_t now_us)
{
    if (r->heard_us && now_us > r->heard_us + r->cfg.silence_us)
        relay_on_down(r);
    for (uint32_t i = 0; i < r->agents; i++) {
        struct relay_agent *a = &r->agent[i];

        a->starts = 0;
        if (!a->has_row)
            continue;
        r->up.row[r->up.rows++] = a->row;
        fsd_add(&r->up.fsd, &a->fsd);
        send_statistics(r, a);
        a->has_row = false;
    }
    relay_flush(r);
}

/* ---- down ---- */

void relay_on_up(struct relay *r, uint64_t now_us)
{
    r->heard_us = now_us;
    for (uint32_t i = 0; i < r->agents; i++)
        r->io.send(r->io.arg, r->agent[i].link, &(struct msg){ .kind = MSG_WHO });
}

static void lease_all(struct relay *r, uint64_t number, uint64_t term)
{
    const struct relay_sent *s = &r->sent[number % RELAY_MEMORY];

    for (uint32_t i = 0; s->number == number && i < s->count; i++) {
        const struct relay_agent *a = by_slot(r, s->heard[i].slot);

        if (a)
            r->io.send(r->io.arg, a->link,
                       &(struct msg){ .kind = MSG_LEASE, .term = term, .incarnation = a->incarnation,
                                      .stamp_us = s->heard[i].stamp_us });
    }
}

void relay_on_rack(struct relay *r, const struct rack *down, uint64_t now_us)
{
    if (down->life != r->up.life)
        return;                  /* for the one before */
    r->heard_us = now_us;
    if (down->number)
        lease_all(r, down->number, down->term);
    for (uint32_t i = 0; i < down->items; i++) {
        const struct relay_agent *a = by_slot(r, down->item[i].slot);

        if (a)
            r->io.send(r->io.arg, a->link, &down->item[i].msg);
    }
}

/* ---- the path of an agent ---- */

void path_init(struct path *p, uint32_t ways, uint32_t relays, uint64_t silence_us, uint64_t return_us,
               uint64_t now_us)
{
    *p = (struct path){ .ways = ways, .relays = relays, .silence_us = silence_us, .return_us = return_us,
                        .since_us = now_us, .heard_us = now_us };
}

static void switch_path(struct path *p, uint32_t way, uint64_t now_us)
{
    p->at = way;
    p->since_us = p->heard_us = now_us;
}

void path_lost(struct path *p, uint64_t now_us)
{
    switch_path(p, (p->at + 1) % p->ways, now_us);
}

bool path_on_tick(struct path *p, uint64_t now_us)
{
    if (p->ways == 1)
        return false;
    if (now_us > p->heard_us + p->silence_us)
        path_lost(p, now_us);
    else if (p->relays && p->at && now_us > p->since_us + p->return_us)
        switch_path(p, 0, now_us);
    else
        return false;
    return true;
}
