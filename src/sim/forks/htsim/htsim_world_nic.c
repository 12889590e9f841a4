/* src/sim/forks/htsim/htsim_world_nic.c - a host's queue, and the NIC that feeds it packet by packet. */
#include "sim/forks/htsim/htsim_world.h"

#include "core/units.h"

#define NIC_TURNS 11u            /* while both wait, one of this many packets is data */

/* ---- the host's queue: strict classes, round robin over flows in each ---- */

/* A flow that never waited before is inserted by id. The current turn does not change. */
static void turns_join(struct turns *t, struct turn_entry *e)
{
    uint32_t at;

    t->entry = xgrow(t->entry, t->entries, &t->room, 4, sizeof *t->entry);
    for (at = t->entries++; at > 0 && t->entry[at - 1]->hash_id > e->hash_id; at--) {
        t->entry[at] = t->entry[at - 1];
        t->entry[at]->pos = at;
    }
    t->entry[at] = e;
    e->pos = at;
    if (t->at != NONE && t->at >= at)
        t->at++;
}

static void turns_put(struct htsim *w, struct turns *t, struct turn_entry *e, uint32_t packet)
{
    if (e->pos == NONE)
        turns_join(t, e);
    fifo_put(w, &e->wait, packet);
    t->waiting++;
}

static uint32_t turns_take(struct htsim *w, struct turns *t)
{
    struct turn_entry *e;

    do {
        if (t->at == NONE)
            t->at = 0;
        e = t->entry[t->at];
        t->at = t->at + 1 < t->entries ? t->at + 1 : NONE;
    } while (e->wait.head == NONE);
    t->waiting--;
    return fifo_take(w, &e->wait);
}

static struct turn_entry *entry_of(struct htsim *w, const struct packet *p, enum host_class class)
{
    struct flow *f = &w->flow[p->flow];

    return p->kind <= PACKET_RTS ? &f->entry[class] : &f->sink_entry;
}

static void begin_sending(struct htsim *w, struct host *h)
{
    for (int class = CLASS_CONTROL; class >= 0; class--)
        if (h->turns[class].waiting) {
            h->sending = turns_take(w, &h->turns[class]);
            world_enter(w, &h->event, w->now_ps + (uint64_t)w->packet[h->sending].bytes * h->ps_per_byte);
            return;
        }
}

void host_put(struct htsim *w, uint32_t host, uint32_t packet)
{
    struct host         *h = &w->host[host];
    const struct packet *p = &w->packet[packet];
    enum host_class      class = p->is_header ? CLASS_CONTROL : (enum host_class)p->host_class;

    turns_put(w, &h->turns[class], entry_of(w, p, class), packet);
    if (h->sending == NONE)
        begin_sending(w, h);
}

void host_on_event(struct htsim *w, struct host *h)
{
    uint32_t packet = h->sending;

    h->sending = NONE;
    w->counters.hops_host++;
    if (w->packet[packet].kind == PACKET_DATA)
        h->sent.data_packets++;
    else
        h->sent.header_packets++;
    h->sent.bytes += w->packet[packet].bytes;
    pipe_put(w, &h->pipe, packet);
    begin_sending(w, h);
}

/* ---- the NIC ---- */

static void occupy(struct htsim *w, struct nic *n, uint64_t bytes)
{
    n->is_busy = true;
    world_enter(w, &n->event, w->now_ps + bytes * 8 * PS_PER_S / w->cfg.linkspeed_bps);
}

bool nic_ask(struct htsim *w, uint32_t host, uint32_t flow)
{
    struct nic *n = &w->host[host].nic;

    if (n->is_busy)
        ring_put(&n->asking, flow);
    return !n->is_busy;
}

/* The flow that was offered to send is at the head of the waiting flows. */
void nic_send(struct htsim *w, uint32_t host, uint32_t flow, uint64_t bytes)
{
    struct nic *n = &w->host[host].nic;

    if (n->asking.count && ring_take(&n->asking) != flow)
        world_fail(w, EINVAL, "flow %u sends out of turn; uet-htsim ends with an assertion here",
                   w->flow[flow].id);
    occupy(w, n, bytes);
}

static void send_control(struct htsim *w, struct nic *n)
{
    uint32_t packet = fifo_take(w, &n->control);

    occupy(w, n, w->packet[packet].bytes);
    host_put(w, n->host, packet);
}

void nic_send_control(struct htsim *w, uint32_t host, uint32_t packet)
{
    struct nic *n = &w->host[host].nic;

    fifo_put(w, &n->control, packet);
    if (!n->is_busy)
        send_control(w, n);
}

bool nic_on_event(struct htsim *w, struct nic *n)
{
    n->is_busy = false;
    if (n->asking.count && n->control.head != NONE) {
        n->turn = (uint8_t)((n->turn + 1) % NIC_TURNS);
        if (n->turn != 0) {
            send_control(w, n);
            return false;
        }
    }
    return true;
}

void nic_on_declined(struct htsim *w, struct nic *n)
{
    if (n->control.head != NONE)
        send_control(w, n);
}
