#include "sim/parts/divide.h"
#include "sim/nic/nic.h"
#include "sim/link/path.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD_PS_MIN (25 * PS_PER_NS)  /* with less look-ahead, parts mostly wait for each other */

/* Estimates the work at each node. A packet passes the sender's switch, one in between and the receiver's
 * switch, and a host receives as much as it sends on average. So a host with its switch has weight three.
 * Switches in between share weight one per host, by the rates of their links. */
static double *weigh(const struct sim *s)
{
    double   *weight = xcalloc(s->net.nodes + 1ul, sizeof *weight), sent = 0, between = 0;
    uint64_t *rate_bps = xcalloc(s->net.nodes + 1ul, sizeof *rate_bps);

    for (uint32_t i = 0; i < s->net.hosts; i++)
        rate_bps[s->net.host[i].node] = s->net.host[i].port->rate_bps;
    traffic_weigh(s->program.traffic, rate_bps, weight);
    for (uint32_t i = 0; i < s->net.hosts; i++) {
        double *w = &weight[s->net.host[i].node];

        *w += (double)rate_bps[s->net.host[i].node] / 100;       /* every host may receive */
        sent += *w;
        *w *= 3;
    }
    for (uint32_t i = 0; i < s->net.ports; i++)
        between += s->net.port[i].is_switch &&
                   s->net.port[i].peer->is_switch ? (double)s->net.port[i].rate_bps : 0;
    for (uint32_t i = 0; i < s->net.ports && between > 0; i++)
        if (s->net.port[i].is_switch && s->net.port[i].peer->is_switch)
            weight[s->net.port[i].node->id] += sent * (double)s->net.port[i].rate_bps / between;
    free(rate_bps);
    return weight;
}

uint64_t divide_least_ps(const struct sim *s, const struct port *p)
{
    uint32_t least = s->cfg.header_bytes + 1;

    least = s->cfg.ack_bytes < least ? s->cfg.ack_bytes : least;
    least = s->cfg.cnp_bytes < least ? s->cfg.cnp_bytes : least;
    least = s->cfg.pfc_bytes < least ? s->cfg.pfc_bytes : least;
    return path_age(p, least);
}

/* ---- clusters: nodes that stay together ---- */

struct clusters {
    uint32_t *head;              /* by node: representative of its cluster: a switch if there is one */
    uint32_t *next;              /* by node: next node of its cluster, plus 1; 0: the last */
    bool     *has_hosts;         /* by head */
    uint32_t  racks;             /* number of clusters with hosts */
};

static uint32_t head_of(uint32_t *head, uint32_t node)
{
    while (head[node] != node)
        node = head[node] = head[head[node]];
    return node;
}

/* Merges two clusters. The lowest switch becomes the head, else the lowest host. */
static void join(const struct sim *s, uint32_t *head, uint32_t a, uint32_t b)
{
    a = head_of(head, a);
    b = head_of(head, b);
    bool is_a = s->net.node[a].is_switch == s->net.node[b].is_switch ? a < b : s->net.node[a].is_switch;
    head[is_a ? b : a] = is_a ? a : b;
}

/* GPUs of one server share its links: see transport/server/inside.c. They have consecutive numbers. */
static void join_servers(const struct clusters *c, const struct sim *s)
{
    for (uint32_t n = 1; n < s->net.nodes; n++)
        if (graph_is_inside(&s->net.graph, n - 1, n))
            join(s, c->head, n - 1, n);
}

/* A rack (a switch and its hosts) is a cluster. So are nodes joined by links so short that one part could
 * hardly advance ahead of another. */
static void find_clusters(struct clusters *c, const struct sim *s)
{
    *c = (struct clusters){ xcalloc(s->net.nodes + 1ul, sizeof *c->head),
                            xcalloc(s->net.nodes + 1ul, sizeof *c->next),
                            xcalloc(s->net.nodes + 1ul, sizeof *c->has_hosts), 0 };
    for (uint32_t n = 0; n < s->net.nodes; n++)
        c->head[n] = n;
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];

        if (!p->is_switch || divide_least_ps(s, p) < AHEAD_PS_MIN)
            join(s, c->head, p->node->id, p->peer->node->id);
    }
    join_servers(c, s);
    for (uint32_t n = s->net.nodes; n-- > 0;) {
        uint32_t head = c->head[n] = head_of(c->head, n);

        if (n != head) {
            c->next[n] = c->next[head];
            c->next[head] = n + 1;
        }
        if (!s->net.node[n].is_switch && !c->has_hosts[head]) {
            c->has_hosts[head] = true;
            c->racks++;
        }
    }
}

static void free_clusters(struct clusters *c)
{
    free(c->head);
    free(c->next);
    free(c->has_hosts);
}

/* One part per thread. Smaller ones fit the cache better, but prefetching gains more (docs/perf.md). */
uint32_t divide_most(const struct sim *s, uint32_t threads)
{
    uint32_t parts = threads < s->cfg.parts ? s->cfg.parts : threads;

    return parts < PARTS_MAX ? parts : PARTS_MAX;
}

uint32_t divide_count(const struct sim *s, uint32_t threads)
{
    uint32_t        parts = divide_most(s, threads);
    struct clusters c;

    if (s->cfg.order == ORDER_NS3)
        return 1;                /* needs one event counter and one stream of random numbers */
    if (traffic_signal_ps(s->program.traffic) < AHEAD_PS_MIN)
        return 1;                /* all parts receive signals */
    find_clusters(&c, s);
    parts = parts < c.racks ? parts : c.racks;
    free_clusters(&c);
    return parts ? parts : 1;
}

struct shares {                  /* assignment in progress */
    struct clusters c;
    uint32_t        count;
    double          load[PARTS_MAX];
    double          each;        /* work of a fair share */
    double         *weight;      /* by node, then by head: weight of its cluster */
    bool           *is_placed;   /* by head */
};

/* Returns the part that a cluster without hosts has most links to, unless that part has its share already. Of
 * equals, the one with the least work. */
static uint32_t choose_part(const struct sim *s, const struct shares *all, uint32_t head)
{
    double   linked[PARTS_MAX] = { 0 };
    uint32_t best = 0, n = head;

    do {
        for (uint32_t i = 0; i < s->net.node[n].ports; i++) {
            const struct port *p = &s->net.port[s->net.node[n].first_port + i];

            if (all->is_placed[all->c.head[p->peer->node->id]])
                linked[p->peer->node->part] += (double)p->rate_bps;
        }
        n = all->c.next[n];
    } while (n-- > 0);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->load[i] >= all->each)
            linked[i] = -1;
    for (uint32_t i = 1; i < all->count; i++)
        if (linked[i] > linked[best] || (linked[i] == linked[best] && all->load[i] < all->load[best]))
            best = i;
    return best;
}

static void place(const struct sim *s, struct shares *all, uint32_t head, uint32_t part)
{
    uint32_t n = head;

    do {
        s->net.node[n].part = (uint8_t)part;
        n = all->c.next[n];
    } while (n-- > 0);
    all->load[part] += all->weight[head];
    all->is_placed[head] = true;
}

/* Assigns clusters with hosts in order, until each part has its share; then the other switches. */
static void divide_nodes(struct sim *s, uint32_t count)
{
    struct shares all = { .count = count, .weight = weigh(s),
                          .is_placed = xcalloc(s->net.nodes + 1ul, sizeof *all.is_placed) };
    double        racks = 0, whole = 0, sum = 0;

    find_clusters(&all.c, s);
    for (uint32_t n = 0; n < s->net.nodes; n++) {
        whole += all.weight[n];
        racks += all.c.has_hosts[all.c.head[n]] ? all.weight[n] : 0;
    }
    for (uint32_t n = 0; n < s->net.nodes; n++)
        if (all.c.head[n] != n)
            all.weight[all.c.head[n]] += all.weight[n];
    all.each = whole / count;
    for (uint32_t n = 0; n < s->net.nodes; n++)
        if (all.c.head[n] == n && all.c.has_hosts[n]) {
            uint32_t part = (uint32_t)((sum + all.weight[n] / 2) / racks * count);

            sum += all.weight[n];
            place(s, &all, n, part < count ? part : count - 1);
        }
    for (uint32_t n = 0; n < s->net.nodes; n++)
        if (all.c.head[n] == n && !all.c.has_hosts[n])
            place(s, &all, n, choose_part(s, &all, n));
    free_clusters(&all.c);
    free(all.is_placed);
    free(all.weight);
}

void divide_world(struct sim *s, uint32_t count)
{
    uint8_t *part = xcalloc(s->net.nodes + 1ul, sizeof *part);

    divide_nodes(s, count);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        part[i] = s->net.node[i].part;
    traffic_divide(s->program.traffic, part, count);
    free(part);
}

struct part_result {
    uint64_t at_ps, order;
    bool     is_flow;
    union { struct flow_result flow; struct pfc_result pfc; };
};

/* ---- collecting ---- */

static void keep(struct gathered *g, const struct part_result *t)
{
    g->result = xgrow(g->result, g->results, &g->results_max, 1024, sizeof *g->result);
    g->result[g->results++] = *t;
}

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct gathered     *g = arg;
    const struct engine *e = &g->sim->engine;

    keep(g, &(struct part_result){ .at_ps = e->now_ps, .order = e->order, .is_flow = true, .flow = *r });
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct gathered     *g = arg;
    const struct engine *e = &g->sim->engine;

    keep(g, &(struct part_result){ .at_ps = e->now_ps, .order = e->order, .pfc = *r });
}

void gather_begin(struct gathered *g, struct sim *part, const struct sim_hooks *hooks)
{
    g->sim = part;
    part->engine.hooks = (struct sim_hooks){ g, hooks->flow_done ? on_flow_done : NULL,
                                             hooks->pfc ? on_pfc : NULL };
}

void gather_free(struct gathered *g)
{
    free(g->result);
}

/* ---- reporting ---- */

static bool is_before(const struct part_result *a, const struct part_result *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

/* Returns the earliest result not reported yet, and its part; or NULL. */
static const struct part_result *find_first(struct gathered **g, uint32_t count, const uint32_t *next,
                                     uint32_t *whose)
{
    const struct part_result *first = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct part_result *t = &g[i]->result[next[i]];

        if (next[i] < g[i]->results && (!first || is_before(t, first))) {
            first = t;
            *whose = i;
        }
    }
    return first;
}

void gather_report(struct gathered **g, uint32_t count, const struct sim_hooks *hooks)
{
    uint32_t           next[PARTS_MAX] = { 0 }, whose = 0;
    const struct part_result *t;

    while ((t = find_first(g, count, next, &whose)) != NULL) {
        next[whose]++;
        if (t->is_flow)
            hooks->flow_done(hooks->arg, &t->flow);
        else
            hooks->pfc(hooks->arg, &t->pfc);
    }
    for (uint32_t i = 0; i < count; i++)
        g[i]->results = 0;
}

/* ---- sums ---- */

/* struct sim_counters consists only of sums. */
static void add_counters(struct sim_counters *to, const struct sim_counters *from)
{
    uint64_t       *sum = (uint64_t *)to;
    const uint64_t *is = (const uint64_t *)from;

    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += is[i];
}

static void add_part(struct sim *s, struct sim *part, uint32_t entries)
{
    struct engine *e = &s->engine, *p = &part->engine;

    add_counters(&e->counters, &p->counters);
    for (uint32_t i = 0; i < entries; i++)
        s->entry_bytes_done[i] += part->entry_bytes_done[i];
    s->program.live += part->program.live;
    s->done_ps = part->done_ps > s->done_ps ? part->done_ps : s->done_ps;
    e->rtt_ps_peak = p->rtt_ps_peak > e->rtt_ps_peak ? p->rtt_ps_peak : e->rtt_ps_peak;
    p->rtt_ps_peak = 0;
    if (p->counters.flows_started && part->first_start_ps < s->first_start_ps)
        s->first_start_ps = part->first_start_ps;
}

void gather_sums(struct sim *s, struct gathered **g, uint32_t count)
{
    uint32_t entries = traffic_entries(s->program.traffic), packets = 0;

    memset(&s->engine.counters, 0, sizeof s->engine.counters);
    memset(s->entry_bytes_done, 0, entries * sizeof *s->entry_bytes_done);
    s->program.live = 0;
    s->first_start_ps = NEVER;
    for (uint32_t i = 0; i < count; i++) {
        add_part(s, g[i]->sim, entries);
        packets += g[i]->sim->engine.packets.live;
    }
    s->is_done = is_all_done(s, packets);
}
