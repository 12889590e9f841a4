#include "sim/check.h"
#include "sim/host/host.h"
#include "sim/link/path.h"
#include "sim/state/expect.h"
#include "sim/switch/switch.h"

/* What a port has on its wire. */
static void check_wire(const struct sim *s, const struct port *p, struct check_sums *sums)
{
    const struct packet *packet = s->engine.packets.packet;
    uint64_t             last = s->engine.now_ps;

    for (uint32_t id = path_first(&s->engine, p); id; id = packet[id].next, sums->packets++) {
        const struct packet *k = &packet[id];

        expect_of_world(!k->next || k->next_at_ps >= last, s, "packets on a wire are out of order");
        last = k->next ? k->next_at_ps : last;
        sums->payload += k->payload;
    }
    expect_of_world((p->wire_tail != 0) == evq_is_pending(&s->engine.evq, port_event_arrive(p)), s,
                    "a wire and its event disagree");
}

/* A wire to another part is not its own. */
static void check_port(const struct sim *s, const struct port *p, struct check_sums *sums)
{
    const struct packet *packet = s->engine.packets.packet;

    if (p->node->part == p->peer->node->part)
        check_wire(s, p, sums);
    for (uint32_t q = 0; q <= PRIOS; q++)
        for (uint32_t id = p->queue[q].head; id; id = packet[id].next, sums->packets++)
            sums->payload += packet[id].payload;
}

void check_part(const struct sim *s, struct check_sums *sums)
{
    const struct network *net = &s->net;

    evq_check(&s->engine.evq);
    sums->live += s->engine.packets.live;
    for (uint32_t i = 0; i < net->ports; i++)
        if (net->port[i].node->part == s->program.part)
            check_port(s, &net->port[i], sums);
    for (uint32_t i = 0; i < net->nodes; i++) {
        if (net->node[i].part != s->program.part)
            continue;
        if (net->node[i].is_switch)
            switch_check(s, &net->node[i]);
        else
            host_check(s, &net->host[net->node[i].host]);
    }
}

/* Where nothing that is configured lets a lossless class overrun its headroom. */
static bool is_tight(const struct sim *s)
{
    return s->cfg.is_lossless && !s->cfg.ack_droppable && !s->cfg.headroom_bytes && !s->model.has_egress_account;
}

void check_totals(const struct sim *s, const struct check_sums *sums)
{
    const struct sim_counters *c = &s->engine.counters;

    expect_of_world(sums->packets == sums->live, s, "packets are neither on a wire nor in a queue");
    expect_of_world(c->payload_sent == c->payload_received + c->payload_stale + c->payload_dropped + sums->payload, s,
                    "bytes sent are not bytes received, dropped and in flight");
    expect_of_world(!is_tight(s) || c->dropped_buffer == c->dropped_lossy, s,
                    "a lossless network has dropped a packet");
}
