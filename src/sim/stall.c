#include "sim/stall.h"
#include "base/minmax.h"
#include "base/text.h"
#include "sim/nic/drain.h"
#include "sim/nic/flow.h"
#include "sim/nic/pacer.h"
#include "sim/partition.h"
#include "sim/rto_default.h"
#include "sim/switch/weave.h"

#include <stdarg.h>
#include <stdio.h>
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

/* ---- locations of packets ---- */

/* Records a packet of an unfinished flow, or an answer to one. Returns false for other packets. */
static bool see(struct waits *w, const struct packet *k, uint32_t found)
{
    if (packet_class(k) > CLASS_NACK || k->flow >= w->flows ||
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
                p->is_switch && packet_class(&packet[id]) == CLASS_DATA && !w->at[packet[id].flow])
                w->at[packet[id].flow] = p->id + 1;
}

struct waits *waits_new(const struct sim *s)
{
    struct waits *w = xcalloc(1, sizeof *w);

    w->sim = s;
    for (uint32_t i = 0; i < partition_parts(s); i++)
        w->flows = partition_part(s, i)->flows.used > w->flows ? partition_part(s, i)->flows.used : w->flows;
    w->found = xcalloc(w->flows + 1ul, sizeof *w->found);
    w->at = xcalloc(w->flows + 1ul, sizeof *w->at);
    for (uint32_t i = 0; i < partition_parts(s); i++)
        evq_each(&partition_part(s, i)->engine.evq, see_event, w);
    for (uint32_t i = 0; i < s->net.ports; i++)
        see_queues(w, partition_part(s, s->net.port[i].node->part), &s->net.port[i]);
    for (uint32_t i = 0; i < s->net.nodes; i++) {
        const struct node *n = &s->net.node[i];
        const struct sim  *part = partition_part(s, n->part);

        if (n->is_switch)
            weave_each_held(part, n, see_held, w);
        else
            drain_each_held(part, &s->net.host[n->host], see_held, w);
    }
    return w;
}

void waits_free(struct waits *w)
{
    free(w->found);
    free(w->at);
    free(w);
}

/* Returns the first switch port with data of the flow in a queue, or NULL. */
static const struct port *waits_at(const struct waits *w, const struct flow *f)
{
    uint32_t at = w->at[f - w->sim->flows.flow];

    return at ? &w->sim->net.port[at - 1] : NULL;
}

/* ---- reasons ---- */

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    return (f->sent < f->bytes || !transport_of(s, f)->is_paced) && pacer_may_send(s, h, f);
}

static enum wait wait_of(const struct waits *w, const struct flow *f)
{
    const struct sim  *s = w->sim;
    const struct host *h = &s->net.host[f->host];
    uint32_t           found = w->found[f - s->flows.flow];
    bool               is_stack = transport_of(s, f)->is_stack;

    if (h->port->is_down || found & DOWN)
        return WAIT_LINK;
    /* Each part has the state of its own senders. */
    if (may_send(partition_part(s, h->port->node->part), h, f))
        return h->port->paused >> f->prio & 1 ? WAIT_PAUSE :
               f->heap_at != NOT_IN_HEAP      ? WAIT_PACER : WAIT_TURN;
    if (found & PAUSED)
        return WAIT_PAUSE;
    if (!(found & ON_ITS_WAY))
        return s->cfg.rto_ps || is_stack ? WAIT_TIMEOUT : WAIT_FOREVER;
    return !is_stack && f->sent < f->bytes ? WAIT_WINDOW : WAIT_ACK;
}

enum wait waits_of(const struct waits *w, uint32_t flow)
{
    return wait_of(w, &w->sim->flows.flow[flow]);
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
        count[wait_of(w, f)]++;
        count[WAIT_QUEUE_PAIR] += messages - 1;
        rest -= messages;
    }
    count[WAIT_DELIVERY] = rest;
}

#define NAMED_MAX    3u          /* flows */
#define CYCLE_MAX    8u          /* switches */
#define TCP_DOUBLED  128u        /* RTO_TRIES timeouts of TCP, with exponential backoff */

/* ---- detection ---- */

void stall_init(struct stall *st, const struct sim *s)
{
    uint64_t tcp_ps = 0;

    *st = (struct stall){ .every_ps = RTO_TRIES *
                                      max_u64(rto_default_longest_ps(s), rto_default_full_ps(s)) };
    for (uint32_t i = 0; i < s->cfg.tcps; i++)
        tcp_ps = max_u64(tcp_ps, max_u64(s->cfg.tcp[i].rto_ps_min, 3 * s->net.base_rtt_ps));
    st->every_ps = max_u64(st->every_ps, TCP_DOUBLED * tcp_ps);
    st->next_ps = st->every_ps;
}

/* Returns true if a flow will start, a replayed one will end, or a link will change. */
static bool is_more_to_come(struct sim *s)
{
    for (uint32_t i = 0; i < s->cfg.changes; i++)
        if (s->cfg.change[i].at_ps > s->engine.now_ps)
            return true;
    for (uint32_t i = 0; i < partition_parts(s); i++) {
        const struct engine *e = &partition_part(s, i)->engine;

        for (uint32_t event = e->first_event[EV_FLOW]; event < e->first_event[EV_SIGNAL + 1]; event++)
            if (evq_is_pending(&e->evq, event))
                return true;
    }
    return false;
}

/* Returns the longest time between two packets of a flow: some flows are merely slow. */
static uint64_t slowest_gap_ps(const struct sim *s)
{
    uint64_t longest = 0;

    for (uint32_t id = 0; (id = sim_next_active(s, id)) != 0;)
        if (!s->flows.flow[id].tcp)
            longest = max_u64(longest, model_frame_ps(&s->model, sim_largest_frame(&s->cfg),
                                             s->flows.flow[id].out.rate_bps));
    return longest;
}

bool stall_look(struct stall *st, struct sim *s)
{
    const struct sim_counters *c = &s->engine.counters;
    uint64_t                   now_ps = st->next_ps;

    st->next_ps = now_ps < NEVER - st->every_ps ? now_ps + st->every_ps : NEVER;
    if (c->payload_received != st->payload_bytes || c->flows_done != st->flows_done || !st->flows_active) {
        st->payload_bytes = c->payload_received;
        st->flows_done = c->flows_done;
        st->flows_active = c->flows_started - c->flows_done;
        st->since_ps = now_ps;
        return false;
    }
    return now_ps - st->since_ps >= RTO_TRIES * slowest_gap_ps(s) && !is_more_to_come(s);
}

/* ---- explanation ---- */

struct writer { char *text; size_t used; };

__attribute__((format(printf, 2, 3)))
static void put(struct writer *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (w->used < STALL_TEXT_MAX - 1)
        w->used += (size_t)vsnprintf(w->text + w->used, STALL_TEXT_MAX - w->used, format, args);
    va_end(args);
}

static const char *name_of(const struct sim *s, uint32_t node)
{
    return s->net.graph.node[node].name;
}

/* Orders flows by start, source and source port, which do not depend on how the world is divided. */
static bool comes_before(const struct flow *a, const struct flow *b)
{
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps;
    return a->src != b->src ? a->src < b->src : a->ports < b->ports;
}

/* Finds the first unfinished flows. Returns their total number. */
static uint32_t first_flows(const struct sim *s, const struct flow *first[NAMED_MAX])
{
    uint32_t count = 0;

    for (uint32_t id = 0; (id = sim_next_active(s, id)) != 0; count++) {
        const struct flow *f = &s->flows.flow[id];
        uint32_t           at = count < NAMED_MAX ? count : NAMED_MAX;

        for (; at > 0 && comes_before(f, first[at - 1]); at--)
            if (at < NAMED_MAX)
                first[at] = first[at - 1];
        if (at < NAMED_MAX)
            first[at] = f;
    }
    return count;
}

/* Writes where a flow waits, or why. */
static void explain_flow(struct sim *s, const struct waits *waits, const struct flow *f, struct writer *w)
{
    const struct port *at = waits_at(waits, f), *nic = s->net.host[f->host].port;
    enum wait          reason = wait_of(waits, f);
    char               done[32], all[32];

    put(w, "%s -> %s (%s of %s acknowledged): ", name_of(s, f->src), name_of(s, f->dst),
        text_from_bytes(done, sizeof done, (double)pair_acked(s, f)),
        text_from_bytes(all, sizeof all, (double)pair_bytes(s, f)));
    if (at && at->paused >> f->prio & 1)
        put(w, "waits in %s, paused by %s", name_of(s, at->node->id), name_of(s, at->peer->node->id));
    else if (nic->paused >> f->prio & 1)
        put(w, "paused by %s", name_of(s, nic->peer->node->id));
    else if (nic->is_down || (at && at->is_down))
        put(w, "the link of %s is down", name_of(s, at && at->is_down ? at->node->id : f->src));
    else if (at)
        put(w, "waits in %s", name_of(s, at->node->id));
    else if (transport_of(s, f)->is_stack)
        put(w, "nothing it sends arrives");
    else if (f->timeouts && f->acked == f->timeout_acked)
        put(w, "nothing it sends arrives, after %u time-outs", f->timeouts);
    else if (reason == WAIT_FOREVER)
        put(w, "%s, and 'rto: 0' has nothing sent again",
            f->sent < f->bytes ? "its window is full of what was lost" : "a packet or its answer was lost");
    else
        put(w, "%s", wait_texts[reason]);
}

/* ---- cyclic pauses ---- */

/* Returns the next port in a chain of pauses: it is paused, and its switch has paused 'p' for its packets. */
static const struct port *waits_for(struct sim *s, const struct port *p, uint32_t prio)
{
    const struct node   *n = p->peer->node;
    const struct packet *packet = partition_of_node(s, n->id)->engine.packets.packet;

    for (uint32_t i = 0; n->is_switch && i < n->ports; i++) {
        const struct port *q = &s->net.port[n->first_port + i];

        for (uint32_t id = q->paused >> prio & 1 ? q->queue[prio].head : 0; id; id = packet[id].next)
            if (packet[id].in_port == p->peer->id)
                return q;
    }
    return NULL;
}

/* Follows the pauses from each paused port. 'met' holds the number of the walk that visited a port. */
static const struct port *find_cycle(struct sim *s, uint32_t prio)
{
    uint32_t          *met = xcalloc(s->net.ports + 1ul, sizeof *met);
    const struct port *found = NULL;

    for (uint32_t i = 0; i < s->net.ports && !found; i++) {
        const struct port *p = &s->net.port[i];

        if (!p->is_switch || !(p->paused >> prio & 1))
            continue;
        for (; p && !met[p->id]; p = waits_for(s, p, prio))
            met[p->id] = i + 1;
        found = p && met[p->id] == i + 1 ? p : NULL;
    }
    free(met);
    return found;
}

static void explain_cycle(struct sim *s, struct writer *w)
{
    for (uint32_t prio = 0; prio < PRIOS; prio++) {
        const struct port *first = find_cycle(s, prio), *p = first;

        if (!first)
            continue;
        put(w, "; PFC deadlock, each paused by the next: ");
        for (uint32_t i = 0; i < CYCLE_MAX && (i == 0 || p != first); i++, p = waits_for(s, p, prio))
            put(w, "%s -> ", name_of(s, p->node->id));
        put(w, "%s", p == first ? name_of(s, first->node->id) : "...");
        return;
    }
}

char *stall_explain(struct sim *s, char text[STALL_TEXT_MAX])
{
    struct writer      w = { .text = text };
    const struct flow *first[NAMED_MAX];
    uint32_t           count = first_flows(s, first);
    struct waits      *waits = waits_new(s);

    *text = '\0';
    for (uint32_t i = 0; i < count && i < NAMED_MAX; i++) {
        put(&w, i ? "; " : "");
        explain_flow(s, waits, first[i], &w);
    }
    if (count > NAMED_MAX)
        put(&w, "; and %u more", count - NAMED_MAX);
    explain_cycle(s, &w);
    waits_free(waits);
    return text;
}
