#include "sim/host/verbs.h"
#include "sim/host/flow.h"

void verbs_on_post(struct sim *s, const struct flow_spec *spec)
{
    if (spec->op.verb == VERB_UD || (spec->op.verb == VERB_SEND && s->cfg.receives))
        s->hosts.after_send |= SENT_VERB;
    s->engine.counters.datagrams_sent += spec->op.verb == VERB_UD;
}

void verbs_complete(const struct sim *s, const struct flow *f, struct packet *k)
{
    const struct posted *m;

    if (!f->is_lasting)
        return;
    m = &s->flows.pairs.posted[pair_of(s, f)->sending];
    if (f->is_ud) {
        k->seq = m->start_ps;
        k->sent_ps = m->tag;
    } else if (m->op.verb == VERB_SEND && s->cfg.receives && (k->seq & SEQ_BITS) == m->begin) {
        k->seq |= SEQ_SEND;
    }
}

/* Receives are taken in turn, so the one for the next message is that of the message 'receives' before it. */
static uint64_t *receive_of(const struct sim *s, uint32_t flow)
{
    return &s->flows.pairs.reposted_ps[(size_t)flow * s->cfg.receives + s->flows.pairs.sends[flow] % s->cfg.receives];
}

bool verbs_has_receive(const struct sim *s, uint32_t flow)
{
    return *receive_of(s, flow) <= s->engine.now_ps;
}

void verbs_on_send(struct sim *s, const struct flow *f)
{
    uint32_t id = (uint32_t)(f - s->flows.flow);

    if (!s->cfg.receives)
        return;
    *receive_of(s, id) = s->engine.now_ps + s->cfg.repost_ps;
    s->flows.pairs.sends[id]++;
}

bool verbs_take_datagram(struct sim *s, const struct packet *k)
{
    const struct flow *f = &s->flows.flow[k->flow];
    struct message     m = { f->src, f->dst, f->traffic, k->payload, k->sent_ps, k->seq, { .verb = VERB_UD } };

    if (!f->is_ud || f->generation != k->generation)
        return false;
    s->engine.counters.datagrams_received++;
    s->engine.counters.payload_received += k->payload;
    if (f->is_answered)
        program_on_arrival(&s->engine, &s->program, &m);
    return true;
}
