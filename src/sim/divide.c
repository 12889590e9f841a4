#include "sim/divide.h"
#include "sim/host/nic.h"

#include <stdlib.h>

#define PORTS_PER_PART 2048u     /* about as many as fit a cache of 1 MB: docs/perf.md */
#define PARTS_EACH     2u        /* of one thread at most: each costs memory for the events of all ports */

/* How much there is to do at a node. What a host sends passes its own switch, one in between and one at the
 * receiver, and as much comes in on average: three parts for the host and the switch it is at, one for those in
 * between, by the rates of their links. */
static double *weigh(const struct sim *s)
{
    double   *weight = xcalloc(s->net.nodes + 1ul, sizeof *weight), sent = 0, between = 0;
    uint64_t *rate_bps = xcalloc(s->net.nodes + 1ul, sizeof *rate_bps);

    for (uint32_t i = 0; i < s->net.hosts; i++)
        rate_bps[s->net.host[i].node] = s->net.host[i].port->rate_bps;
    traffic_weigh(s->program.traffic, rate_bps, weight);
    for (uint32_t i = 0; i < s->net.hosts; i++) {
        double *w = &weight[s->net.host[i].node];

        *w += (double)rate_bps[s->net.host[i].node] / 100;       /* everybody may receive */
        sent += *w;
        *w *= 3;
    }
    for (uint32_t i = 0; i < s->net.ports; i++)
        between += s->net.port[i].is_switch && s->net.port[i].peer->is_switch ? (double)s->net.port[i].rate_bps : 0;
    for (uint32_t i = 0; i < s->net.ports && between > 0; i++)
        if (s->net.port[i].is_switch && s->net.port[i].peer->is_switch)
            weight[s->net.port[i].node->id] += sent * (double)s->net.port[i].rate_bps / between;
    free(rate_bps);
    return weight;
}

/* A switch with its hosts: 1 + the switch, for each of them; 0 for other nodes. */
static uint32_t *find_racks(const struct sim *s, uint32_t *count)
{
    uint32_t *rack = xcalloc(s->net.nodes + 1ul, sizeof *rack);

    *count = 0;
    for (uint32_t i = 0; i < s->net.hosts; i++) {
        const struct node *peer = s->net.host[i].port->peer->node;

        if (!rack[peer->id])
            ++*count;
        rack[s->net.host[i].node] = rack[peer->id] = peer->id + 1;
    }
    return rack;
}

uint32_t divide_count(const struct sim *s, uint32_t threads)
{
    uint32_t racks, parts = s->net.ports / PORTS_PER_PART;

    free(find_racks(s, &racks));
    if (s->cfg.order == ORDER_NS3)
        return 1;                /* needs one number for all events, and one stream of random numbers */
    parts = parts < PARTS_EACH * threads ? parts : PARTS_EACH * threads;
    parts = (parts + threads - 1) / threads * threads;       /* as many for every thread */
    parts = parts < threads ? threads : parts;
    parts = parts < s->cfg.parts ? s->cfg.parts : parts;
    parts = parts < racks ? parts : racks;
    parts = parts < PARTS_MAX ? parts : PARTS_MAX;
    return parts ? parts : 1;
}

/* The part that a switch without hosts is linked to most, unless that has its share already; of equals, the one
 * with the least to do. */
static uint32_t choose_part(const struct sim *s, uint32_t node, const bool *is_placed, const double *load,
                            double share, uint32_t count)
{
    double   linked[PARTS_MAX] = { 0 };
    uint32_t best = 0;

    for (uint32_t i = 0; i < s->net.node[node].ports; i++) {
        const struct port *p = &s->net.port[s->net.node[node].first_port + i];

        if (is_placed[p->peer->node->id])
            linked[p->peer->node->part] += (double)p->rate_bps;
    }
    for (uint32_t i = 0; i < count; i++)
        if (load[i] >= share)
            linked[i] = -1;
    for (uint32_t i = 1; i < count; i++)
        if (linked[i] > linked[best] || (linked[i] == linked[best] && load[i] < load[best]))
            best = i;
    return best;
}

/* Racks in their order, each part as many as make up its share; then the other switches. */
static void divide_nodes(struct sim *s, uint32_t count)
{
    double   *weight = weigh(s), load[PARTS_MAX] = { 0 }, racks_weight = 0, all = 0, sum = 0;
    uint32_t  racks, *rack = find_racks(s, &racks);
    bool     *is_placed = xcalloc(s->net.nodes + 1ul, sizeof *is_placed);
    double   *rack_weight = xcalloc(s->net.nodes + 1ul, sizeof *rack_weight);

    for (uint32_t n = 0; n < s->net.nodes; n++) {
        all += weight[n];
        if (rack[n])
            rack_weight[rack[n] - 1] += weight[n], racks_weight += weight[n];
    }
    for (uint32_t n = 0; n < s->net.nodes; n++)
        if (rack_weight[n] > 0) {        /* n is the switch */
            uint32_t part = (uint32_t)((sum + rack_weight[n] / 2) / racks_weight * count);

            s->net.node[n].part = (uint8_t)(part < count ? part : count - 1);
            load[s->net.node[n].part] += rack_weight[n];
            sum += rack_weight[n];
            is_placed[n] = true;
        }
    for (uint32_t n = 0; n < s->net.nodes; n++)
        if (rack[n])
            s->net.node[n].part = s->net.node[rack[n] - 1].part;
    for (uint32_t n = 0; n < s->net.nodes; n++)
        if (!rack[n]) {
            s->net.node[n].part = (uint8_t)choose_part(s, n, is_placed, load, all / count, count);
            load[s->net.node[n].part] += weight[n];
            is_placed[n] = true;
        }
    free(rack_weight);
    free(is_placed);
    free(rack);
    free(weight);
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
