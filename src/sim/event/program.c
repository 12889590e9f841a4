#include "sim/event/program.h"
#include "base/arena.h"
#include "core/units.h"

#include <stdlib.h>

#define STREAM_BITS 12           /* low bits of an event number; more if a node has more streams */

/* ---- building ---- */

void program_init(struct program *p, struct traffic *traffic, struct arena *arena)
{
    *p = (struct program){ .traffic = traffic, .streams = traffic_streams(traffic) };
    p->next_flow = arena_alloc(arena, p->streams, sizeof *p->next_flow);
    p->place = arena_alloc(arena, p->streams, sizeof *p->place);
}

void program_fini(struct program *p)
{
    free(p->signal);
    free(p->made);
}

/* Returns the number of bits needed to count to 'most'. */
static int bits_of(uint32_t most)
{
    return most ? 32 - __builtin_clz(most) : 0;
}

int program_stream_bits(uint32_t most, uint32_t nodes, struct err *err)
{
    int last = bits_of(most ? most - 1 : 0), bits = last > STREAM_BITS ? last : STREAM_BITS;

    if (bits + bits_of(nodes ? nodes - 1 : 0) > 32)
        return err_set(err, EINVAL,
                       "a host with %u streams of traffic in a network of %u nodes is too much: "
                       "fewer entries, "
                       "or a smaller network", most, nodes);
    return bits;
}

int program_number_streams(struct program *p, uint32_t nodes, struct err *err)
{
    uint32_t *count = xcalloc(nodes + 1ul, sizeof *count), most = 0;

    for (uint32_t i = 0; i < p->streams; i++) {
        p->place[i] = count[traffic_source(p->traffic, i)]++;
        most = p->place[i] + 1 > most ? p->place[i] + 1 : most;
    }
    free(count);
    int bits = program_stream_bits(most, nodes, err);
    for (uint32_t i = 0; bits >= 0 && i < p->streams; i++)
        p->place[i] |= traffic_source(p->traffic, i) << bits;
    return bits;
}

/* ---- flow starts ---- */

/* Flows start after all other events of the same instant, as in the HPCC fork. */
static void await_flow(struct engine *e, struct program *p, uint32_t stream, uint64_t at_ps, uint32_t rank)
{
    uint32_t place = e->order_kind == ORDER_NS3 ? rank : p->place[stream];

    evq_add(&e->evq, e->first_event[EV_FLOW] + stream, at_ps, ORDER_AGE_MAX << 32 | place);
    p->live++;
}

void program_start_stream(struct engine *e, struct program *p, uint32_t stream)
{
    struct flow_spec *f = &p->next_flow[stream];
    struct err        why;

    if (traffic_next(p->traffic, stream, f))
        await_flow(e, p, stream, f->at_ps, f->rank);
    else if (traffic_failed(p->traffic, stream, &why))
        engine_fail(e, EINVAL, "%s", why.text);
}

/* A worker's flow is fetched when it starts: until then an earlier one may be added. */
static void schedule_worker(struct engine *e, struct program *p, uint32_t stream)
{
    uint32_t event = e->first_event[EV_FLOW] + stream;
    uint64_t at = traffic_due_ps(p->traffic, stream);

    if (evq_is_pending(&e->evq, event)) {
        if (evq_event(&e->evq, event)->at_ps == at)
            return;
        evq_cancel(&e->evq, event);
        p->live--;
    }
    if (at == NEVER)
        return;
    assert(at >= e->now_ps);
    await_flow(e, p, stream, at, traffic_rank(p->traffic, stream));
}

void program_take_flow(struct engine *e, struct program *p, uint32_t stream, struct flow_spec *f)
{
    *f = p->next_flow[stream];
    p->live--;
    if (traffic_is_worker(p->traffic, stream)) {
        traffic_next(p->traffic, stream, f);
        schedule_worker(e, p, stream);
    } else {
        program_start_stream(e, p, stream);
    }
}

/* ---- signals ---- */

static bool is_signal_before(const struct signal *a, const struct signal *b)
{
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps;
    if (a->entry != b->entry)
        return a->entry < b->entry;
    return a->worker != b->worker ? a->worker < b->worker : a->value < b->value;
}

/* Signals take effect before flows start, and after all other events of the instant. */
static void schedule_signals(struct engine *e, struct program *p)
{
    if (evq_is_pending(&e->evq, e->first_event[EV_SIGNAL]))
        evq_cancel(&e->evq, e->first_event[EV_SIGNAL]);
    if (p->signals)
        evq_add(&e->evq, e->first_event[EV_SIGNAL], p->signal[p->signals - 1].at_ps,
                (ORDER_AGE_MAX << 32) - 1);
}

void program_add_signal(struct engine *e, struct program *p, const struct signal *made)
{
    uint32_t i = p->signals++;

    p->signal = xgrow(p->signal, i, &p->signals_max, 64, sizeof *p->signal);
    for (; i > 0 && is_signal_before(&p->signal[i - 1], made); i--)
        p->signal[i] = p->signal[i - 1];
    p->signal[i] = *made;
    p->live++;
    if (i + 1 == p->signals)
        schedule_signals(e, p);
}

void program_on_signals(struct engine *e, struct program *p)
{
    while (p->signals && p->signal[p->signals - 1].at_ps == e->now_ps) {
        struct signal next = p->signal[--p->signals];

        p->live--;
        traffic_on_signal(p->traffic, p->part, &next);
    }
    e->counters.events -= p->part > 0;       /* the event runs in every part but counts once */
    schedule_signals(e, p);
    program_schedule_workers(e, p);
}

/* ---- consequences of completed flows ---- */

static void keep_for_others(struct program *p, const struct signal *signal)
{
    p->made = xgrow(p->made, p->made_count, &p->made_max, 64, sizeof *p->made);
    p->made[p->made_count++] = *signal;
}

void program_schedule_workers(struct engine *e, struct program *p)
{
    struct signal signal;
    uint32_t      stream;

    while (traffic_touched(p->traffic, p->part, &stream))
        schedule_worker(e, p, stream);
    while (traffic_signal(p->traffic, p->part, &signal)) {
        program_add_signal(e, p, &signal);
        if (p->has_others)
            keep_for_others(p, &signal);
    }
}

void program_on_arrival(struct engine *e, struct program *p, const struct message *m)
{
    traffic_on_arrival(p->traffic, e->now_ps, m);
    program_schedule_workers(e, p);
}

void program_on_sent(struct engine *e, struct program *p, const struct message *m)
{
    traffic_on_sent(p->traffic, e->now_ps, m);
    program_schedule_workers(e, p);
}

void program_on_wake(struct engine *e, struct program *p, uint32_t stream, uint64_t tag)
{
    traffic_on_wake(p->traffic, e->now_ps, stream, tag);
    program_schedule_workers(e, p);
}
