#include "sim/nic/post.h"
#include "sim/nic/flow.h"
#include "sim/nic/gaps.h"
#include "sim/nic/hf2t.h"
#include "sim/nic/pacer.h"
#include "sim/nic/probe.h"
#include "sim/nic/sender_spray.h"
#include "sim/state/ideal.h"

#include <string.h>

static uint32_t source_port(struct sim *s, struct host *h, uint32_t dst)
{
    const struct model *m = &s->model;

    if (s->cfg.lb_by_host)
        return m->sport_first;
    if (m->source_port)
        return m->source_port(s, h, dst);
    return (m->sport_first + (h->sport++ & m->sport_mask)) & 0xffff;
}

static struct cc_out fresh_out(const struct host *h)
{
    return (struct cc_out){ .rate_bps = h->port->rate_bps, .window_bytes = CC_NO_WINDOW, .due_ps = NEVER,
                            .probe_ps = NEVER };
}

static void fill_in(struct sim *s, struct host *h, struct flow *f, const struct flow_spec *spec,
                    enum transport_id transport)
{
    uint16_t                generation = (uint16_t)(f->generation + 1);
    const struct transport *t = s->hosts.transport[transport];

    memset(f, 0, sizeof *f);
    f->bytes = f->end = spec->bytes;
    f->next_ps = f->progress_ps = s->engine.now_ps;
    f->start_ps = s->engine.now_ps;
    f->generation = generation;
    f->host = h->id;
    f->heap_at = NOT_IN_HEAP;
    f->prio = spec->prio;
    f->phase = FLOW_ACTIVE;
    f->tcp = spec->tcp;
    f->transport = (uint8_t)transport;
    f->controlled = t->control && (!t->has_control_by_class || s->hosts.np_cfg.cc_prios >> spec->prio & 1);
    f->src = h->node;
    f->dst = spec->dst;
    f->ports = source_port(s, h, spec->dst) | (uint32_t)spec->dport << 16;
    f->traffic = spec->traffic;
    f->is_answered = spec->is_answered;
    f->tag = spec->tag;
    f->out = fresh_out(h);
}

/* Resets the tables that are parallel to flows. */
static void reset(struct sim *s, uint32_t id)
{
    if (s->hosts.hf2t)
        hf2t_on_start(s->hosts.hf2t, id, s->flows.flow[id].host, s->engine.now_ps);
    if (s->hosts.gap_record)
        s->hosts.gap_record->sent_ps[id] = 0;
    if (s->flows.probe)
        s->flows.probe[id] = (struct probe){ 0 };
    spray_start(s, &s->flows.flow[id]);
    if (transport_of(s, &s->flows.flow[id])->open)
        transport_of(s, &s->flows.flow[id])->open(s, &s->flows.flow[id]);
}

static void start_control(struct sim *s, struct host *h, struct flow *f)
{
    if (!f->controlled)
        return;
    struct flow_control c = transport_of(s, f)->control(s, h);
    c.cc->start(c.cfg, memset(flow_cc(s, f), 0, s->flows.cc_stride), engine_cc_now(&s->engine), &f->out);
}

/* A READ is counted when its request starts. */
void post_count(struct sim *s, const struct flow_spec *spec)
{
    if (spec->op.verb == VERB_READ)
        return;
    if (!s->engine.counters.flows_started++)
        s->first_start_ps = s->engine.now_ps;
    s->engine.counters.bytes_started += spec->op.verb == VERB_ASK ? spec->op.bytes : spec->bytes;
}

static void count(struct sim *s, const struct flow *f, const struct flow_spec *spec)
{
    post_count(s, spec);
    if (s->flow_watch.arg)
        s->flow_watch.on_start(s->flow_watch.arg, f);
    if (s->watch.arg && !transport_of(s, f)->is_stack)
        s->watch.on_request(s->watch.arg, s->engine.now_ps, f, spec->bytes);
}

/* ---- persistent queue pairs ---- */

static void make_lasting(struct sim *s, struct host *h, struct flow *f, const struct flow_spec *spec,
                         enum transport_id transport)
{
    fill_in(s, h, f, spec, transport);
    f->is_lasting = true;
    f->phase = FLOW_IDLE;
    start_control(s, h, f);
    reset(s, (uint32_t)(f - s->flows.flow));
}

/* An idle queue pair has a message again. Its congestion control catches up when it is next used. */
static void wake(struct sim *s, struct host *h, struct flow *f)
{
    if (s->cfg.idle_reset_ps && s->engine.now_ps - f->progress_ps >= s->cfg.idle_reset_ps) {
        f->out = fresh_out(h);
        start_control(s, h, f);
    }
    if (transport_of(s, f)->wake)
        transport_of(s, f)->wake(s, f);
    f->phase = FLOW_ACTIVE;
    f->progress_ps = s->engine.now_ps;
}

static APART struct post post_message(struct sim *s, struct host *h, const struct flow_spec *spec,
                                     enum transport_id transport)
{
    struct flow   *f = pair_take(s, h, spec);
    enum post_step step = POST_MORE;

    if (!f)
        return (struct post){ POST_FAILED, NULL };
    verbs_on_post(s, spec);
    if (f->phase == FLOW_FREE)
        make_lasting(s, h, f, spec, transport);
    if (!pair_add(s, f, spec, transport_of(s, f)->ideal_ps(s, h, spec)))
        return (struct post){ POST_FAILED, NULL };
    if (f->phase == FLOW_IDLE) {
        wake(s, h, f);
        step = POST_AWAKE;
    }
    count(s, f, spec);
    return (struct post){ step, f };
}

struct post post_flow(struct sim *s, struct host *h, const struct flow_spec *spec,
                      enum transport_id transport)
{
    if (spec->qps)
        return post_message(s, h, spec, transport);
    uint32_t id = flow_take(s);
    struct flow *f = &s->flows.flow[id];
    if (!id)
        return (struct post){ POST_FAILED, NULL };
    fill_in(s, h, f, spec, transport);
    f->ideal_ps = transport_of(s, f)->ideal_ps(s, h, spec);
    if (s->cfg.window_by_pair) {
        f->pair_rtt_ps = sim_base_rtt_ps(s, f->src, f->dst);
        f->pair_bdp_bytes = sim_pair_bdp_bytes(s, f->src, f->dst);
    }
    start_control(s, h, f);
    reset(s, id);
    count(s, f, spec);
    return (struct post){ POST_NEW, f };
}
