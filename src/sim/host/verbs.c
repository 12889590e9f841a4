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

bool verbs_take_datagram(struct sim *s, const struct packet *k)
{
    const struct flow *f = &s->flows.flow[k->flow];
    struct message     m = { f->src, f->dst, f->traffic, k->payload, k->sent_ps, k->seq,
                             { .verb = VERB_UD } };

    if (!f->is_ud || f->generation != k->generation)
        return false;
    s->engine.counters.datagrams_received++;
    s->engine.counters.payload_received += k->payload;
    if (f->is_answered)
        program_on_arrival(&s->engine, &s->program, &m);
    return true;
}
