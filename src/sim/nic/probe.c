#include "sim/nic/probe.h"
#include "sim/nic/pacer.h"
#include "sim/nic/receive.h"
#include "sim/link/path.h"

APART void probe_send(struct sim *s, struct host *h, struct flow *f)
{
    struct probe  *p = &s->flows.probe[f - s->flows.flow];
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];
    uint8_t        prio = s->hosts.np_cfg.probe_prio;

    if (!p->asked_ps)
        f->out.probe_ps = s->engine.now_ps;
    f->out.is_probing = true;
    p->asked_ps = s->engine.now_ps + 1;
    *k = (struct packet){ .flow = (uint32_t)(f - s->flows.flow), .generation = f->generation,
                          .seq = p->asked_ps,
                          .sent_ps = s->engine.now_ps, .src = f->src, .dst = f->dst, .ports = f->ports,
                          .bytes = (uint16_t)s->cfg.cnp_bytes, .kind = PROBE,
                          .prio = (prio < PRIOS ? prio : f->prio) & 7u };
    path_enqueue(&s->engine, h->port, k->prio, id, k);
}

/* A probe is back at its sender. */
APART enum act probe_on_return(struct sim *s, struct host *h, struct packet *k)
{
    struct flow *f = &s->flows.flow[k->flow];

    if ((f->phase != FLOW_ACTIVE && f->phase != FLOW_IDLE) || f->generation != k->generation)
        return ACT_FREE;
    if (s->flows.probe[k->flow].asked_ps == k->seq) {
        s->flows.probe[k->flow].asked_ps = 0;
        f->out.is_probing = false;
    }
    f->out.probe_ps = NEVER;
    h->cc->on_rtt(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine),
                      &(struct cc_probe){ s->engine.now_ps - k->sent_ps, &s->hosts.busy_ps[h->id] }, &f->out);
    assert(f->out.rate_bps > 0);
    pacer_on_decision(s, h, f);
    return ACT_FREE;
}

/* A probe is at its receiver. */
APART enum act probe_on_arrival(struct sim *s, struct host *h, struct packet *k)
{
    return reply_with(s, h, k,
                      &(struct answer){ PROBE_BACK, k->seq, s->hosts.np_cfg.resp_prio, s->cfg.cnp_bytes, 0,
                                        false });
}
