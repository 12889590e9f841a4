#include "sim/run.h"
#include "sim/nic/drain.h"
#include "sim/nic/host.h"
#include "sim/switch/switch.h"
#include "sim/switch/weave.h"

struct wires { const struct sim *sim; struct check_sums *sums; };

/* Counts a packet on a wire. */
static void check_arrival(void *arg, struct event *e)
{
    const struct wires  *w = arg;
    const struct packet *k = (const struct packet *)e;

    if (!owner_is_packet(e))
        return;
    expect_of_world(k->at_ps >= w->sim->engine.now_ps, w->sim, "a packet should have arrived");
    w->sums->packets++;
    w->sums->payload += k->payload;
}

static void add_held(void *arg, const struct packet *k)
{
    struct check_sums *sums = arg;

    sums->packets++;
    sums->payload += k->payload;
}

static void check_port(const struct sim *s, const struct port *p, struct check_sums *sums)
{
    const struct packet *packet = s->engine.packets.packet;

    for (uint32_t q = 0; q <= PRIOS; q++)
        for (uint32_t id = p->queue[q].head; id; id = packet[id].next, sums->packets++)
            sums->payload += packet[id].payload;
}

void check_part(const struct sim *s, struct check_sums *sums)
{
    const struct network *net = &s->net;

    evq_check(&s->engine.evq);
    evq_each(&s->engine.evq, check_arrival, &(struct wires){ s, sums });
    sums->live += s->engine.packets.live;
    for (uint32_t i = 0; i < net->ports; i++)
        if (net->port[i].node->part == s->program.part)
            check_port(s, &net->port[i], sums);
    for (uint32_t i = 0; i < net->nodes; i++) {
        if (net->node[i].part != s->program.part)
            continue;
        if (net->node[i].is_switch)
            switch_check(s, &net->node[i]), weave_each_held(s, &net->node[i], add_held, sums);
        else
            host_check(s, &net->host[net->node[i].host]),
            drain_each_held(s, &net->host[net->node[i].host], add_held, sums);
    }
}

/* Returns true if a lossless class cannot overrun its headroom in this configuration. */
static bool is_tight(const struct sim *s)
{
    return s->cfg.is_lossless && !s->cfg.ack_droppable && !s->cfg.headroom_bytes && !s->model.account;
}

void check_totals(const struct sim *s, const struct check_sums *sums)
{
    const struct sim_counters *c = &s->engine.counters;

    expect_of_world(sums->packets == sums->live, s, "packets are neither on a wire nor in a queue");
    expect_of_world(c->payload_sent == c->payload_received + c->payload_stale + c->payload_dropped +
                                       sums->payload, s,
                    "bytes sent are not bytes received, dropped and in flight");
    expect_of_world(!is_tight(s) || c->dropped_buffer == c->dropped_lossy, s,
                    "a lossless network has dropped a packet");
}
