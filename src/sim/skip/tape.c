#include "sim/skip/tape.h"
#include "sim/host/nic.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX     256u
#define SAMPLE_PS_FIRST (100 * PS_PER_US)

_Static_assert(sizeof(struct sim_counters) % sizeof(uint64_t) == 0,
               "counters are whole numbers, all of one size");

static void *grow(void *rows, uint32_t count, uint32_t *max, size_t bytes)
{
    if (count < *max)
        return rows;
    *max = *max ? 2 * *max : 64;
    return xrealloc(rows, *max * bytes);
}

void tape_copy_ports(struct port_counters *to, const struct sim *s)
{
    for (uint32_t i = 0; i < s->net.ports; i++) {
        to[i] = s->net.port[i].counters;
        to[i].paused_ps = port_paused_ps(&s->net.port[i], s->engine.now_ps);
    }
}

void tape_start(struct tape *t, const struct sim *s)
{
    t->flows = t->steps = t->posts = t->samples = 0;
    t->start_ps = engine_world_ps(&s->engine);
    t->busy_ps = t->period_ps = t->rtt_ps_peak = 0;
    t->sample_ps = SAMPLE_PS_FIRST;
    t->sample = xrealloc(t->sample, (SAMPLES_MAX + 1) * sizeof *t->sample);
    t->ports = s->net.ports;
    t->port = xrealloc(t->port, (t->ports + 1ul) * sizeof *t->port);
    tape_copy_ports(t->port, s);
    for (uint32_t i = 0; i < t->ports; i++)
        t->port[i].queue_bytes_max = 0;
    t->was = s->engine.counters;
}

void tape_fini(struct tape *t)
{
    free(t->flow);
    free(t->step);
    free(t->post);
    free(t->sorted);
    free(t->sample);
    free(t->port);
    *t = (struct tape){ 0 };
}

/* ---- recording ---- */

void tape_add_post(struct tape *t, uint32_t stream, uint64_t at_ps)
{
    t->post = grow(t->post, t->posts, &t->posts_max, sizeof *t->post);
    t->post[t->posts++] = (struct tape_post){ stream, at_ps };
}

uint32_t tape_add_flow(struct tape *t, const struct flow *f)
{
    t->flow = grow(t->flow, t->flows, &t->flows_max, sizeof *t->flow);
    t->flow[t->flows] = (struct tape_flow){
        .traffic = f->traffic, .src = f->src, .dst = f->dst, .tag = f->tag, .bytes = f->bytes,
        .start_ps = f->start_ps - t->start_ps, .ideal_ps = f->ideal_ps, .ports = f->ports, .prio = f->prio,
    };
    return t->flows++;
}

void tape_add_step(struct tape *t, uint64_t world_ps, uint32_t flow, bool is_end, uint64_t resent_bytes)
{
    uint64_t at_ps = world_ps - t->start_ps;

    t->step = grow(t->step, t->steps, &t->steps_max, sizeof *t->step);
    t->step[t->steps++] = (struct tape_step){ at_ps, flow, is_end };
    if (is_end) {
        t->flow[flow].end_ps = t->busy_ps = at_ps;
        t->flow[flow].resent_bytes = resent_bytes;
    }
}

uint64_t tape_due_ps(const struct tape *t)
{
    return t->start_ps + (t->samples + 1) * t->sample_ps;
}

static void take_sample(struct tape *t, const struct sim *s)
{
    const uint64_t *now = (const uint64_t *)&s->engine.counters, *was = (const uint64_t *)&t->was;
    uint64_t       *row = (uint64_t *)&t->sample[t->samples++];

    for (size_t i = 0; i < COUNTERS; i++)
        row[i] = now[i] - was[i];
}

/* Every other one is enough. */
static void thin_out(struct tape *t)
{
    for (uint32_t i = 0; i < t->samples / 2; i++)
        t->sample[i] = t->sample[2 * i + 1];
    t->samples /= 2;
    t->sample_ps *= 2;
}

void tape_look(struct tape *t, const struct sim *s)
{
    if (s->engine.rtt_ps_peak > t->rtt_ps_peak)
        t->rtt_ps_peak = s->engine.rtt_ps_peak;
    for (uint32_t i = 0; i < t->ports; i++) {
        uint64_t longest = s->net.port[i].counters.queue_bytes_max;

        if (longest > t->port[i].queue_bytes_max)
            t->port[i].queue_bytes_max = longest;
    }
    if (engine_world_ps(&s->engine) < tape_due_ps(t))
        return;
    take_sample(t, s);
    if (t->samples == SAMPLES_MAX)
        thin_out(t);
}

/* ---- contents ---- */

struct key { uint32_t traffic, src, dst; uint64_t tag, start_ps; };

static struct key key_of(const struct tape_flow *f)
{
    return (struct key){ f->traffic, f->src, f->dst, f->tag, f->start_ps };
}

static int compare(const struct key *a, const struct key *b)
{
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return a->traffic < b->traffic ? -1 : a->traffic > b->traffic;
}

/* Flows are on the tape in the order in which they started; those of one moment are put in order. */
static void sort(struct tape *t)
{
    t->sorted = xrealloc(t->sorted, (t->flows + 1ul) * sizeof *t->sorted);
    for (uint32_t i = 0; i < t->flows; i++) {
        struct key key = key_of(&t->flow[i]), other;
        uint32_t   at = i;

        for (; at > 0; at--) {
            other = key_of(&t->flow[t->sorted[at - 1]]);
            if (compare(&other, &key) <= 0)
                break;
            t->sorted[at] = t->sorted[at - 1];
        }
        t->sorted[at] = i;
    }
}

void tape_end(struct tape *t, const struct sim *s)
{
    struct port_counters *now = xcalloc(t->ports + 1ul, sizeof *now);

    t->period_ps = engine_world_ps(&s->engine) - t->start_ps;
    tape_copy_ports(now, s);
    for (uint32_t i = 0; i < t->ports; i++) {
        struct port_counters *over = &t->port[i];

        for (int c = 0; c < PORT_COUNTS; c++)
            if (port_info[c].how == FIGURE_SUM)
                over->count[c] = now[i].count[c] - over->count[c];
    }
    free(now);
    while (t->samples && t->samples * t->sample_ps >= t->period_ps)
        t->samples--;
    take_sample(t, s);
    sort(t);
}

bool tape_is_like(const struct tape *a, const struct tape *b)
{
    if (a->posts != b->posts)
        return false;
    for (uint32_t i = 0; i < a->posts; i++)
        if (a->post[i].stream != b->post[i].stream || a->post[i].at_ps != b->post[i].at_ps)
            return false;
    return true;
}

static bool is_flow(const struct tape *t, uint32_t place, const struct key *wanted, uint64_t bytes)
{
    struct key key;

    if (place == t->flows || t->flow[t->sorted[place]].bytes != bytes)
        return false;
    key = key_of(&t->flow[t->sorted[place]]);
    return compare(&key, wanted) == 0;
}

uint32_t tape_find(const struct tape *t, uint32_t src, const struct flow_spec *f, uint64_t start_ps)
{
    struct key wanted = { f->traffic, src, f->dst, f->tag, start_ps };
    uint32_t   low = 0, high = t->flows;

    while (low < high) {
        uint32_t   middle = low + (high - low) / 2;
        struct key key = key_of(&t->flow[t->sorted[middle]]);

        if (compare(&key, &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return is_flow(t, low, &wanted, f->bytes) ? t->sorted[low] : TAPE_NONE;
}

/* ---- counting it again ---- */

/* What counter i had come to by at_ps, by a straight line between two samples. */
static uint64_t counted_by(const struct tape *t, uint64_t at_ps, size_t i)
{
    uint64_t        number = at_ps / t->sample_ps;       /* samples that lie before */
    uint32_t        last = t->samples - 1, before = number < last ? (uint32_t)number : last;
    uint64_t        from_ps = before * t->sample_ps;
    uint64_t        to_ps = before < last ? from_ps + t->sample_ps : t->period_ps;
    const uint64_t *next = (const uint64_t *)&t->sample[before];
    uint64_t        was = before ? ((const uint64_t *)&t->sample[before - 1])[i] : 0;

    if (at_ps >= t->period_ps)
        return ((const uint64_t *)&t->sample[last])[i];
    return was + tape_share(next[i] - was, at_ps - from_ps, to_ps - from_ps);
}

/* All bytes sent have arrived or were lost: nothing is in flight. */
static void count_sent(const struct tape *t, struct sim_counters *c, uint64_t from_ps, uint64_t to_ps)
{
    const size_t all[] = { offsetof(struct sim_counters, payload_received),
                           offsetof(struct sim_counters, payload_stale),
                           offsetof(struct sim_counters, payload_dropped) };

    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
        c->payload_sent += counted_by(t, to_ps, all[i] / sizeof(uint64_t)) -
                           counted_by(t, from_ps, all[i] / sizeof(uint64_t));
}

static void count_port(struct port_counters *p, const struct port_counters *over, uint64_t was, uint64_t now,
                       uint64_t all)
{
    for (int c = 0; c < PORT_COUNTS; c++)
        if (port_info[c].how == FIGURE_SUM)
            p->count[c] += tape_share(over->count[c], now, all) - tape_share(over->count[c], was, all);
        else if (over->count[c] > p->count[c])
            p->count[c] = over->count[c];
}

void tape_count(const struct tape *t, struct sim *s, uint64_t from_ps, uint64_t to_ps)
{
    const size_t arrived = offsetof(struct sim_counters, payload_received) / sizeof(uint64_t);
    const size_t sent = offsetof(struct sim_counters, payload_sent) / sizeof(uint64_t);
    uint64_t    *now = (uint64_t *)&s->engine.counters;

    for (size_t i = COUNTERS_FIRST; i < COUNTERS; i++)
        if (i != sent)
            now[i] += counted_by(t, to_ps, i) - counted_by(t, from_ps, i);
    count_sent(t, &s->engine.counters, from_ps, to_ps);
    for (uint32_t i = 0; i < t->ports; i++)
        count_port(&s->net.port[i].counters, &t->port[i], counted_by(t, from_ps, arrived),
                   counted_by(t, to_ps, arrived), t->sample[t->samples - 1].payload_received);
    if (t->rtt_ps_peak > s->engine.rtt_ps_peak)
        s->engine.rtt_ps_peak = t->rtt_ps_peak;
}
