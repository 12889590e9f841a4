/* src/sim/observe/watch.c */
#include "sim/observe/watch.h"
#include "sim/partition.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

#define PROTOCOL_UDP 17

struct hint { uint64_t hint; uint16_t generation; };     /* of a flow: see struct monitor_algo */

struct point {                   /* one monitor, everywhere */
    const struct monitor_algo *algo;
    void                     **state;        /* by node; NULL: not a point */
    struct hint               *hint;         /* by flow; NULL: the monitor has no short cut */
};

struct rtt_sample { uint32_t dst; uint64_t rtt_ps; };

struct watch {
    struct sim           *sim;
    struct point          point[WATCH_MONITORS_MAX];
    uint32_t              monitors;
    bool                  is_single;         /* one monitor, at ToRs, with a short cut */
    struct arena          hints;
    struct rtt_sample    *sample;            /* [host * samples_max + i] */
    uint32_t             *samples;           /* by host */
    uint32_t              samples_max;
    uint32_t             *pair_of;           /* by destination: 1 + its place in the report for the host at hand */
};

/* ---- setting up ---- */

static bool is_tor(const struct sim *s, const struct node *n)
{
    for (uint32_t i = 0; n->is_switch && i < n->ports; i++)
        if (!s->port[n->first_port + i].peer->is_switch)
            return true;
    return false;
}

static bool is_point(const struct sim *s, const struct monitor_algo *a, const struct node *n)
{
    return a->place == MONITOR_HOST ? !n->is_switch : is_tor(s, n);
}

static void make_point(struct watch *w, struct point *p, const struct monitor_algo *algo, const struct monitor_cfg *cfg)
{
    struct sim *s = w->sim;

    p->algo = algo;
    p->state = xcalloc(s->nodes, sizeof *p->state);
    for (uint32_t i = 0; i < s->nodes; i++) {
        struct monitor_cfg own = *cfg;

        own.seed ^= i * 0x9e3779b97f4a7c15ull;       /* samplers that are not in step */
        if (is_point(s, algo, &s->node[i]))
            p->state[i] = algo->create(&own);
    }
    if (algo->on_again)
        p->hint = arena_alloc(&w->hints, s->flow_limit, sizeof *p->hint);
}

/* Ports of ToRs to hosts are looked at for this as for other rare things. What comes by other ports comes from a switch,
 * so a ToR has counted it: a real switch sees that by the mark, and need not know what its ports lead to. */
static void mark_ports(struct sim *s, bool is_on)
{
    for (uint32_t i = 0; i < s->ports; i++) {
        struct port *p = &s->port[i];

        if (p->is_switch && !p->peer->is_switch)
            p->slow_path = (uint8_t)((p->slow_path & ~SLOW_WATCHED) | (is_on ? SLOW_WATCHED : 0));
    }
}

static void attach(struct sim *s, struct watch *w)
{
    s->watch = w;
    for (uint32_t i = 0; s->parts && i < partition_count(s->parts); i++)
        partition_sim(s->parts, i)->watch = w;
    for (uint32_t i = 0; i < s->hosts; i++)
        s->host[i].rtt_due_ps = w ? 0 : NEVER;
}

struct watch *watch_new(struct sim *s, const struct watch_cfg *cfg, uint64_t interval_ps)
{
    struct watch *w = xcalloc(1, sizeof *w);

    w->sim = s;
    arena_init(&w->hints, (size_t)WATCH_MONITORS_MAX * s->flow_limit * sizeof(struct hint) + 4096);
    for (w->monitors = 0; w->monitors < cfg->monitors; w->monitors++)
        make_point(w, &w->point[w->monitors], cfg->monitor[w->monitors], &cfg->cfg);
    w->samples_max = (uint32_t)(interval_ps / WATCH_RTT_GAP_PS) + 2;
    w->sample = xcalloc((size_t)s->hosts * w->samples_max, sizeof *w->sample);
    w->samples = xcalloc(s->hosts, sizeof *w->samples);
    w->pair_of = xcalloc(s->nodes, sizeof *w->pair_of);
    w->is_single = w->monitors == 1 && w->point[0].hint && w->point[0].algo->place == MONITOR_TOR;
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
        for (uint32_t i = 0; i < w->sim->nodes; i++)
            if (w->point[m].state[i])
                w->point[m].algo->destroy(w->point[m].state[i]);
        free(w->point[m].state);
    }
    arena_fini(&w->hints);
    free(w->sample);
    free(w->samples);
    free(w->pair_of);
    free(w);
}

/* ---- while it runs ---- */

static struct flow_key key_of(uint32_t src, uint32_t dst, uint32_t ports)
{
    return flow_key_tuple(sim_ip(src), sim_ip(dst), (uint16_t)ports, (uint16_t)(ports >> 16), PROTOCOL_UDP);
}

static void show(const struct point *p, void *state, const struct packet *k, uint64_t now_ps)
{
    struct hint    *h = p->hint ? &p->hint[k->flow] : NULL;
    struct flow_key key;

    if (h && h->generation == k->generation && h->hint && p->algo->on_again(state, h->hint, k->payload))
        return;
    key = key_of(k->src, k->dst, k->ports);
    p->algo->on_packet(state, &key, k->payload, now_ps);
    if (h)
        *h = (struct hint){ p->algo->hint(state, &key), k->generation };
}

/* Not inlined, and apart from what most packets need: their way stays short. */
static __attribute__((noinline)) void show_to_all(struct sim *s, const struct node *n, const struct packet *k)
{
    const struct watch *w = s->watch;

    for (uint32_t m = 0; m < w->monitors; m++) {
        const struct point *p = &w->point[m];
        void               *state = p->state[p->algo->place == MONITOR_HOST ? k->src : n->id];

        if (p->algo->on_packet && state)
            show(p, state, k, s->now_ps);
    }
}

__attribute__((noinline)) void watch_on_packet(struct sim *s, const struct node *n, struct packet *k)
{
    const struct watch *w = s->watch;
    const struct point *p = &w->point[0];

    k->flags = (k->flags | PACKET_COUNTED) & 31u;
    if (w->is_single) {
        const struct hint *h = &p->hint[k->flow];

        if (h->generation == k->generation && h->hint && p->algo->on_again(p->state[n->id], h->hint, k->payload))
            return;
    }
    show_to_all(s, n, k);
}

void watch_on_request(struct sim *s, const struct flow *f)
{
    struct watch   *w = s->watch;
    struct flow_key key = key_of(f->src, f->dst, f->ports);
    uint32_t        tor = s->port[s->host[f->host].port].peer->node->id;

    for (uint32_t m = 0; m < w->monitors; m++) {
        const struct point *p = &w->point[m];
        void               *state = p->state[p->algo->place == MONITOR_HOST ? f->src : tor];

        if (p->algo->on_request && state)
            p->algo->on_request(state, &key, f->bytes, s->now_ps);
    }
}

void watch_on_rtt(struct sim *s, struct host *h, const struct flow *f, uint64_t rtt_ps)
{
    struct watch *w = s->watch;
    uint32_t      host = (uint32_t)(h - s->host);

    h->rtt_due_ps = s->now_ps + WATCH_RTT_GAP_PS;
    if (w->samples[host] < w->samples_max)
        w->sample[(size_t)host * w->samples_max + w->samples[host]++] = (struct rtt_sample){ f->dst, rtt_ps };
}

/* ---- the end of an interval ---- */

static uint64_t base_rtt_ps(const struct sim *s, uint32_t src, uint32_t dst)
{
    return sim_ideal_ps(s, src, dst, s->cfg.model != MODEL_NIC ? 0 : s->cfg.mtu_bytes);
}

/* The samples of one host, by destination. */
static void add_pairs(struct watch *w, uint32_t host, struct report *r)
{
    const struct rtt_sample *sample = &w->sample[(size_t)host * w->samples_max];

    for (uint32_t i = 0; i < w->samples[host]; i++) {
        uint32_t           *place = &w->pair_of[sample[i].dst];
        struct report_pair *pair;

        if (!*place) {
            pair = report_add_pair(r);
            pair->src = w->sim->host[host].node;
            pair->dst = sample[i].dst;
            pair->base_rtt_ps = base_rtt_ps(w->sim, pair->src, pair->dst);
            *place = r->pairs;
        }
        pair = &r->pair[*place - 1];
        pair->rtt_ps_sum += sample[i].rtt_ps;
        pair->rtt_samples++;
        pair->rtt_ps_last = sample[i].rtt_ps;
    }
    for (uint32_t i = 0; i < w->samples[host]; i++)
        w->pair_of[sample[i].dst] = 0;
    w->samples[host] = 0;
}

static void read_monitor(const struct watch *w, const struct point *p, uint64_t now_ps, struct report_monitor *seen)
{
    struct fsd local;

    *seen = (struct report_monitor){ .name = p->algo->name };
    for (uint32_t i = 0; i < w->sim->nodes; i++) {
        if (!p->state[i])
            continue;
        p->algo->read(p->state[i], now_ps, &local);
        fsd_add(&seen->fsd, &local);
    }
}

void watch_read(struct watch *w, uint64_t now_ps, struct report *r)
{
    for (uint32_t m = 0; m < w->monitors; m++)
        read_monitor(w, &w->point[m], now_ps, &r->monitor[m]);
    for (uint32_t i = 0; i < w->sim->hosts; i++)
        add_pairs(w, i, r);
    r->monitors = w->monitors;
    if (w->monitors)
        r->fsd = r->monitor[0].fsd;
}
