#include "sim/observe/watch.h"
#include "work/net/address.h"
#include "sim/nic/nic.h"
#include "sim/partition.h"
#include "sim/sim.h"
#include "sim/state/ideal.h"

#include <stdlib.h>

#define PROTOCOL_UDP 17

struct point {                   /* one monitor at all its points */
    const struct monitor_algo *algo;
    void                     **state;        /* by node; NULL: no measurement point */
};

struct rtt_sample { uint32_t dst; uint64_t rtt_ps; };
struct rtt_samples { struct rtt_sample *sample; uint32_t count, max; };

struct watch {
    struct sim           *sim;
    struct point          point[WATCH_MONITORS_MAX];
    uint32_t              monitors;
    struct rtt_samples   *rtt;               /* of this interval, by host */
    struct fsd           *kept;              /* results of the first monitor, by node; NULL: not needed */
    uint32_t             *pair_of;           /* by destination: its row in the report of this host + 1 */
};

/* ---- during the run ---- */

static struct flow_key key_of(uint32_t src, uint32_t dst, uint32_t ports)
{
    return flow_key_tuple(address_of_node(src), address_of_node(dst), (uint16_t)ports,
                          (uint16_t)(ports >> 16), PROTOCOL_UDP);
}

static void on_packet(void *watch, uint64_t now_ps, const struct node *n, struct packet *k)
{
    const struct watch *w = watch;
    struct flow_key     key = key_of(k->src, k->dst, k->ports);

    k->flags = (k->flags | PACKET_COUNTED) & PACKET_FLAGS;
    for (uint32_t m = 0; m < w->monitors; m++) {
        const struct point *p = &w->point[m];
        void               *state = p->state[p->algo->place == MONITOR_HOST ? k->src : n->id];

        if (p->algo->on_packet && state)
            p->algo->on_packet(state, &key, k->payload, now_ps);
    }
}

static void on_request(void *watch, uint64_t now_ps, const struct flow *f, uint64_t bytes)
{
    const struct watch   *w = watch;
    const struct network *net = &w->sim->net;
    struct flow_key       key = key_of(f->src, f->dst, f->ports);
    uint32_t              tor = net->host[f->host].port->peer->node->id;

    for (uint32_t m = 0; m < w->monitors; m++) {
        const struct point *p = &w->point[m];
        void               *state = p->state[p->algo->place == MONITOR_HOST ? f->src : tor];

        if (p->algo->on_request && state)
            p->algo->on_request(state, &key, bytes, now_ps);
    }
}

static void on_rtt(void *watch, uint64_t now_ps, struct host *h, const struct flow *f, uint64_t rtt_ps)
{
    struct watch       *w = watch;
    struct rtt_samples *all = &w->rtt[h - w->sim->net.host];

    h->rtt_due_ps = now_ps + WATCH_RTT_GAP_PS;
    all->sample = xgrow(all->sample, all->count, &all->max, 8, sizeof *all->sample);
    all->sample[all->count++] = (struct rtt_sample){ f->dst, rtt_ps };
}

/* ---- building ---- */

static bool is_tor(const struct sim *s, const struct node *n)
{
    for (uint32_t i = 0; n->is_switch && i < n->ports; i++)
        if (!s->net.port[n->first_port + i].peer->is_switch)
            return true;
    return false;
}

static bool is_point(const struct sim *s, const struct monitor_algo *a, const struct node *n)
{
    return a->place == MONITOR_HOST ? !n->is_switch : is_tor(s, n);
}

static void make_point(struct watch *w, struct point *p, const struct monitor_algo *algo,
                       const struct monitor_cfg *cfg)
{
    struct sim *s = w->sim;

    p->algo = algo;
    p->state = xcalloc(s->net.nodes, sizeof *p->state);
    for (uint32_t i = 0; i < s->net.nodes; i++) {
        struct monitor_cfg own = *cfg;

        own.seed ^= i * 0x9e3779b97f4a7c15ull;       /* decorrelates the samplers */
        if (is_point(s, algo, &s->net.node[i]))
            p->state[i] = algo->create(&own);
    }
}

/* Flags the ports of ToRs to hosts. Packets at other ports come from a switch, so a ToR has counted them. A
 * real switch sees that by the mark, and need not know where its ports lead. */
static void mark_ports(struct sim *s, bool is_on)
{
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];

        if (p->is_switch && !p->peer->is_switch)
            p->slow_path = (uint16_t)((p->slow_path & ~SLOW_WATCHED) | (is_on ? SLOW_WATCHED : 0));
    }
}

static void attach(struct sim *s, struct watch *w)
{
    struct watcher watcher = w ? (struct watcher){ w, on_packet, on_request, on_rtt } : (struct watcher){ 0 };

    s->watch = watcher;
    for (uint32_t i = 0; i < partition_parts(s); i++)
        partition_part(s, i)->watch = watcher;
    for (uint32_t i = 0; i < s->net.hosts; i++)
        s->net.host[i].rtt_due_ps = w ? 0 : NEVER;
}

struct watch *watch_new(struct sim *s, const struct watch_cfg *cfg)
{
    struct watch *w = xcalloc(1, sizeof *w);

    w->sim = s;
    for (w->monitors = 0; w->monitors < cfg->monitors; w->monitors++)
        make_point(w, &w->point[w->monitors], cfg->monitor[w->monitors], &cfg->cfg);
    w->rtt = xcalloc(s->net.hosts, sizeof *w->rtt);
    w->pair_of = xcalloc(s->net.nodes, sizeof *w->pair_of);
    mark_ports(s, w->monitors > 0);
    attach(s, w);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    mark_ports(w->sim, false);
    attach(w->sim, NULL);
    for (uint32_t m = 0; m < w->monitors; m++) {
        for (uint32_t i = 0; i < w->sim->net.nodes; i++)
            if (w->point[m].state[i])
                w->point[m].algo->destroy(w->point[m].state[i]);
        free(w->point[m].state);
    }
    for (uint32_t i = 0; i < w->sim->net.hosts; i++)
        free(w->rtt[i].sample);
    free(w->rtt);
    free(w->pair_of);
    free(w->kept);
    free(w);
}

/* ---- end of an interval ---- */

/* Adds the samples of one host, by destination. */
static void add_pairs(struct watch *w, uint32_t host, struct report *r)
{
    const struct rtt_sample *sample = w->rtt[host].sample;
    uint32_t                 count = w->rtt[host].count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t           *place = &w->pair_of[sample[i].dst];
        struct report_pair *pair;

        if (!*place) {
            pair = report_add_pair(r);
            pair->src = w->sim->net.host[host].node;
            pair->dst = sample[i].dst;
            pair->base_rtt_ps = sim_base_rtt_ps(w->sim, pair->src, pair->dst);
            *place = r->pairs;
        }
        pair = &r->pair[*place - 1];
        pair->rtt_ps_sum += sample[i].rtt_ps;
        pair->rtt_samples++;
        pair->rtt_ps_last = sample[i].rtt_ps;
    }
    for (uint32_t i = 0; i < count; i++)
        w->pair_of[sample[i].dst] = 0;
    w->rtt[host].count = 0;
}

static void read_monitor(const struct watch *w, const struct point *p, uint64_t now_ps,
                         struct report_monitor *seen)
{
    struct fsd local;

    *seen = (struct report_monitor){ .name = p->algo->name };
    for (uint32_t i = 0; i < w->sim->net.nodes; i++) {
        if (!p->state[i])
            continue;
        p->algo->read(p->state[i], now_ps, &local);
        fsd_add(&seen->fsd, &local);
        if (w->kept && p == w->point)
            w->kept[i] = local;
    }
}

void watch_keep_points(struct watch *w)
{
    if (!w->kept)
        w->kept = xcalloc(w->sim->net.nodes, sizeof *w->kept);
}

const struct fsd *watch_point(const struct watch *w, uint32_t node)
{
    return w->kept && w->monitors && w->point[0].state[node] ? &w->kept[node] : NULL;
}

void watch_read(struct watch *w, uint64_t now_ps, struct report *r)
{
    for (uint32_t m = 0; m < w->monitors; m++)
        read_monitor(w, &w->point[m], now_ps, &r->monitor[m]);
    for (uint32_t i = 0; i < w->sim->net.hosts; i++)
        add_pairs(w, i, r);
    r->monitors = w->monitors;
    if (w->monitors)
        r->fsd = r->monitor[0].fsd;
}
