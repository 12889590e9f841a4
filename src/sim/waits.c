#include "sim/waits.h"
#include "sim/host/drain.h"
#include "sim/host/pacer.h"
#include "sim/host/flow.h"
#include "sim/host/tcp/tcp.h"
#include "sim/partition.h"
#include "sim/state/owner.h"
#include "sim/switch/weave.h"

#include <stdlib.h>

const char *const wait_names[WAITS] = {
    [WAIT_TURN] = "turn", [WAIT_PACER] = "pacer", [WAIT_QUEUE_PAIR] = "queue_pair", [WAIT_PAUSE] = "pause",
    [WAIT_LINK] = "link", [WAIT_WINDOW] = "window", [WAIT_ACK] = "ack", [WAIT_TIMEOUT] = "timeout",
    [WAIT_FOREVER] = "forever", [WAIT_DELIVERY] = "delivery",
};

const char *const wait_texts[WAITS] = {
    [WAIT_TURN] = "in turn at the NIC",
    [WAIT_PACER] = "paced by the rate",
    [WAIT_QUEUE_PAIR] = "behind others of the queue pair",
    [WAIT_PAUSE] = "paused by PFC",
    [WAIT_LINK] = "behind a link that is down",
    [WAIT_WINDOW] = "with a closed window, ACKs on their way",
    [WAIT_ACK] = "sent, ACKs on their way",
    [WAIT_TIMEOUT] = "waiting for the retransmission timer",
    [WAIT_FOREVER] = "lost without a retransmission timer",
    [WAIT_DELIVERY] = "inside a server",
};

#define ON_ITS_WAY 1u            /* a packet of the flow, or an answer to one, is in the network .. */
#define PAUSED     2u            /* .. and waits at a paused port */
#define DOWN       4u            /* .. or at a port whose link is down */

struct waits {
    const struct sim *sim;
    uint8_t          *found;     /* by flow: ON_ITS_WAY, .. */
    uint32_t         *at;        /* by flow: port + 1, see waits_at() */
    uint32_t          flows;
};

static uint32_t parts_of(const struct sim *s)
{
    return s->parts ? partition_count(s->parts) : 1;
}

static const struct sim *part_of(const struct sim *s, uint32_t i)
{
    return s->parts ? partition_sim(s->parts, i) : s;
}

/* ---- locations of packets ---- */

/* Records a packet of an unfinished flow, or an answer to one. Returns false for other packets. */
static bool see(struct waits *w, const struct packet *k, uint32_t found)
{
    if (k->kind > PACKET_NACK || k->flow >= w->flows ||
        w->sim->flows.flow[k->flow].generation != k->generation)
        return false;
    w->found[k->flow] |= (uint8_t)(ON_ITS_WAY | found);
    return true;
}

static void see_event(void *arg, struct event *e)
{
    if (owner_is_packet(e))
        see(arg, (const struct packet *)e, 0);
}

static void see_held(void *arg, const struct packet *k)
{
    see(arg, k, 0);
}

static void see_queues(struct waits *w, const struct sim *part, const struct port *p)
{
    const struct packet *packet = part->engine.packets.packet;
    uint32_t             paused = !p->is_switch && w->sim->cfg.ack_unpaused ? 0 : p->paused;

    for (uint32_t q = 0; q <= PRIOS; q++)
        for (uint32_t id = p->queue[q].head; id; id = packet[id].next)
            if (see(w, &packet[id], (q < PRIOS && paused >> q & 1 ? PAUSED : 0) | (p->is_down ? DOWN : 0)) &&
                p->is_switch && packet[id].kind == PACKET_DATA && !w->at[packet[id].flow])
                w->at[packet[id].flow] = p->id + 1;
}

struct waits *waits_new(const struct sim *s)
{
    struct waits *w = xcalloc(1, sizeof *w);

    w->sim = s;
    for (uint32_t i = 0; i < parts_of(s); i++)
        w->flows = part_of(s, i)->flows.used > w->flows ? part_of(s, i)->flows.used : w->flows;
    w->found = xcalloc(w->flows + 1ul, sizeof *w->found);
    w->at = xcalloc(w->flows + 1ul, sizeof *w->at);
    for (uint32_t i = 0; i < parts_of(s); i++)
        evq_each(&part_of(s, i)->engine.evq, see_event, w);
    for (uint32_t i = 0; i < s->net.ports; i++)
        see_queues(w, part_of(s, s->net.port[i].node->part), &s->net.port[i]);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (!s->net.node[i].is_switch)
            drain_each_held(part_of(s, s->net.node[i].part), &s->net.host[s->net.node[i].host], see_held, w);
        else
            weave_each_held(part_of(s, s->net.node[i].part), &s->net.node[i], see_held, w);
    return w;
}

void waits_free(struct waits *w)
{
    free(w->found);
    free(w->at);
    free(w);
}

const struct port *waits_at(const struct waits *w, const struct flow *f)
{
    uint32_t at = w->at[f - w->sim->flows.flow];

    return at ? &w->sim->net.port[at - 1] : NULL;
}

/* ---- reasons ---- */

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    if (f->tcp)
        return tcp_tx_of(s, f)->is_queued || tcp_tx_of(s, f)->is_woken;
    return (f->is_uet || f->sent < f->bytes) && pacer_may_send(s, h, f);
}

enum wait waits_of(const struct waits *w, const struct flow *f)
{
    const struct sim  *s = w->sim;
    const struct host *h = &s->net.host[f->host];
    uint32_t           found = w->found[f - s->flows.flow];

    if (h->port->is_down || found & DOWN)
        return WAIT_LINK;
    /* Each part has the state of its own senders. */
    if (may_send(part_of(s, h->port->node->part), h, f))
        return h->port->paused >> f->prio & 1 ? WAIT_PAUSE :
               f->heap_at != NOT_IN_HEAP      ? WAIT_PACER : WAIT_TURN;
    if (found & PAUSED)
        return WAIT_PAUSE;
    if (!(found & ON_ITS_WAY))
        return s->cfg.rto_ps || f->tcp ? WAIT_TIMEOUT : WAIT_FOREVER;
    return !f->tcp && f->sent < f->bytes ? WAIT_WINDOW : WAIT_ACK;
}

void waits_count(const struct waits *w, uint64_t count[WAITS])
{
    const struct sim_counters *c = &w->sim->engine.counters;
    uint64_t                   rest = c->flows_started - c->flows_done, bytes = 0;

    for (uint32_t i = 0; i < WAITS; i++)
        count[i] = 0;
    for (uint32_t id = 0; (id = sim_next_active(w->sim, id)) != 0;) {
        const struct flow *f = &w->sim->flows.flow[id];
        uint32_t           messages = pair_waiting(w->sim, f, &bytes);

        if (!messages)
            continue;
        count[waits_of(w, f)]++;
        count[WAIT_QUEUE_PAIR] += messages - 1;
        rest -= messages;
    }
    count[WAIT_DELIVERY] = rest;
}
