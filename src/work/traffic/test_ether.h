/* src/work/traffic/test_ether.h - a network without queueing, for tests of jobs. The test sets the duration
 * of a flow.
 *
 * Simultaneous events are executed in random order, which exposes order dependence. Flows start after all
 * other events of their time, as in the simulator.
 */
#ifndef WORK_TRAFFIC_TEST_ETHER_H
#define WORK_TRAFFIC_TEST_ETHER_H

#include "base/rng.h"
#include "core/units.h"
#include "work/traffic/traffic.h"

#include <assert.h>
#include <stdlib.h>

struct ether_event { uint64_t at_ps; bool is_arrival, is_signal; struct message m; struct signal signal; };

struct ether {
    struct traffic     *traffic;
    uint64_t            link_ps;         /* minimum delay between hosts */
    uint64_t          (*way_ps)(const struct message *);     /* from start to arrival; the acknowledgement
                                                              * takes link_ps */
    struct rng          rng;
    uint64_t            now_ps;
    struct ether_event *event;
    uint32_t            events, events_max;
    struct message     *flow;            /* all started flows, in order */
    uint32_t            flows, flows_max;
    struct op_result   *op;              /* all completed operations */
    uint32_t            ops, ops_max;
};

static inline void *ether_grow(void *rows, uint32_t count, uint32_t *max, size_t bytes)
{
    if (count < *max)
        return rows;
    *max = *max ? 2 * *max : 64;
    return xrealloc(rows, *max * bytes);
}

static inline void ether_on_op(void *arg, const struct op_result *r)
{
    struct ether *e = arg;

    e->op = ether_grow(e->op, e->ops, &e->ops_max, sizeof *e->op);
    e->op[e->ops++] = *r;
}

static inline void ether_init(struct ether *e, struct traffic *t, uint64_t link_ps,
                              uint64_t (*way_ps)(const struct message *), uint64_t seed)
{
    *e = (struct ether){ .traffic = t, .link_ps = link_ps, .way_ps = way_ps };
    rng_init(&e->rng, seed, 0);
    traffic_on_op(t, ether_on_op, e);
}

static inline void ether_fini(struct ether *e)
{
    free(e->event);
    free(e->flow);
    free(e->op);
}

static inline void ether_await(struct ether *e, uint64_t at_ps, bool is_arrival, const struct message *m)
{
    e->event = ether_grow(e->event, e->events, &e->events_max, sizeof *e->event);
    e->event[e->events++] = (struct ether_event){ .at_ps = at_ps, .is_arrival = is_arrival, .m = *m };
}

static inline void ether_await_signals(struct ether *e)
{
    struct signal s;

    while (traffic_signal(e->traffic, 0, &s)) {
        if (s.at_ps < e->now_ps + e->link_ps)
            die("a host acted on another at once");
        e->event = ether_grow(e->event, e->events, &e->events_max, sizeof *e->event);
        e->event[e->events++] = (struct ether_event){ .at_ps = s.at_ps, .is_signal = true, .signal = s };
    }
}

static inline void ether_start(struct ether *e, uint32_t stream)
{
    struct message   m;
    struct flow_spec f;

    if (!traffic_next(e->traffic, stream, &f))
        die("a worker was due and had no flow");
    assert(f.is_answered && f.at_ps == e->now_ps);
    m = (struct message){ traffic_source(e->traffic, stream), f.dst, f.traffic, f.bytes, f.tag, f.at_ps, f.op };
    e->flow = ether_grow(e->flow, e->flows, &e->flows_max, sizeof *e->flow);
    e->flow[e->flows++] = m;
    ether_await(e, e->now_ps + e->way_ps(&m), true, &m);
}

/* Executes one of the current events, chosen at random. 'here': the host of the event. */
static inline void ether_happen(struct ether *e, uint32_t index)
{
    struct ether_event ev = e->event[index];
    uint32_t           here = ev.is_arrival ? ev.m.dst : ev.m.src, stream;

    e->event[index] = e->event[--e->events];
    if (ev.is_signal) {
        traffic_on_signal(e->traffic, 0, &ev.signal);
        while (traffic_touched(e->traffic, 0, &stream))
            continue;
        return;
    }
    if (ev.is_arrival) {
        ether_await(e, e->now_ps + e->link_ps, false, &ev.m);
        traffic_on_arrival(e->traffic, e->now_ps, &ev.m);
    } else {
        traffic_on_sent(e->traffic, e->now_ps, &ev.m);
    }
    ether_await_signals(e);
    while (traffic_touched(e->traffic, 0, &stream))
        if (traffic_source(e->traffic, stream) != here &&
            traffic_due_ps(e->traffic, stream) < e->now_ps + e->link_ps)
            die("a host acted on another at once");
}

static inline uint64_t ether_next_event_ps(const struct ether *e)
{
    uint64_t first = NEVER;

    for (uint32_t i = 0; i < e->events; i++)
        first = e->event[i].at_ps < first ? e->event[i].at_ps : first;
    return first;
}

static inline uint64_t ether_next_start_ps(const struct ether *e)
{
    uint64_t first = NEVER;

    for (uint32_t i = 0; i < traffic_streams(e->traffic); i++) {
        uint64_t due = traffic_due_ps(e->traffic, i);

        first = due < first ? due : first;
    }
    return first;
}

static inline void ether_pick(struct ether *e)
{
    uint32_t at = (uint32_t)rng_below(&e->rng, e->events);

    while (e->event[at].at_ps != e->now_ps)
        at = (at + 1) % e->events;
    ether_happen(e, at);
}

/* Runs until no event is left, or until until_ps. */
static inline void ether_run(struct ether *e, uint64_t until_ps)
{
    uint32_t stream;

    while (traffic_touched(e->traffic, 0, &stream))  /* before the first event, no host has affected
                                                      * another */
        continue;
    for (;;) {
        uint64_t event = ether_next_event_ps(e), start = ether_next_start_ps(e);

        e->now_ps = event < start ? event : start;
        if (e->now_ps == NEVER || e->now_ps > until_ps)
            return;
        if (event <= start) {
            ether_pick(e);
            continue;
        }
        for (uint32_t i = 0; i < traffic_streams(e->traffic); i++)
            while (traffic_due_ps(e->traffic, i) == e->now_ps)
                ether_start(e, i);
    }
}

#endif
