#include "study/twin/cell.h"
#include "base/minmax.h"
#include "core/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LINK_BPS_MIN 1e9         /* that a scenario may have */
#define LINK_BPS_MAX 1.6e12

struct cell cell_of(uint64_t rate_bps, double oversubscription, uint64_t rtt_ps)
{
    struct cell c = { .racks = CELL_RACKS, .hosts = CELL_HOSTS, .uplinks = CELL_RACKS, .rtt_ps = rtt_ps };

    for (uint32_t i = 0; i < CELL_ALL; i++)
        c.host_bps[i] = rate_bps;
    for (uint32_t i = 0; i < CELL_RACKS; i++)
        for (uint32_t k = 0; k < CELL_RACKS; k++)
            c.uplink_bps[i][k] = (uint64_t)((double)rate_bps * CELL_HOSTS / CELL_RACKS / oversubscription);
    return c;
}

/* ---- like a network ---- */

struct rack {
    double  *host;               /* speeds, the slowest first */
    double  *uplink;             /* in order: the base path depends on it */
    uint32_t hosts, uplinks;
    double   host_bps, uplink_bps;           /* sums */
};

static int by_speed(const void *a, const void *b)
{
    const struct rack *x = a, *y = b;

    if (x->host_bps != y->host_bps)
        return x->host_bps < y->host_bps ? -1 : 1;
    return (x->uplink_bps > y->uplink_bps) - (x->uplink_bps < y->uplink_bps);
}

static struct rack look_at(const struct world *w, const struct world_device *d)
{
    struct rack r = { .host = xcalloc(d->ports + 1ul, sizeof(double)),
                      .uplink = xcalloc(d->ports + 1ul, sizeof(double)) };

    for (uint32_t i = d->first_port; i < d->first_port + d->ports; i++) {
        const struct world_port *p = &w->port[i];

        if (p->peer != WORLD_NONE && w->device[w->port[p->peer].device].tier == WORLD_HOSTS) {
            r.host[r.hosts++] = (double)p->rate_bps;
            r.host_bps += (double)p->rate_bps;
        } else {
            r.uplink[r.uplinks++] = (double)p->rate_bps;
            r.uplink_bps += (double)p->rate_bps;
        }
    }
    qsort(r.host, r.hosts, sizeof(*r.host), compare_reals);
    return r;
}

/* The one in the middle of part i of n equal parts of a list. */
static uint32_t middle_of(uint32_t i, uint32_t n, uint32_t count)
{
    return (uint32_t)(((2ull * i + 1) * count) / (2ull * n));
}

static uint64_t speed(double bps)
{
    return (uint64_t)fmin(LINK_BPS_MAX, fmax(LINK_BPS_MIN, floor(bps / 1e6 + 0.5) * 1e6));
}

/* Scales down a rack: keeps the fraction of hosts and the oversubscription seen by active senders. */
static void copy_rack(struct cell *c, uint32_t at, const struct rack *r, double sending)
{
    double hosts_bps = 0, uplinks_bps = 0;

    for (uint32_t i = 0; i < c->hosts; i++) {
        c->host_bps[at * c->hosts + i] = speed(r->host[middle_of(i, c->hosts, r->hosts)]);
        hosts_bps += (double)c->host_bps[at * c->hosts + i];
    }
    for (uint32_t i = 0; i < c->uplinks; i++)
        uplinks_bps += r->uplink[middle_of(i, c->uplinks, r->uplinks)];
    for (uint32_t i = 0; i < c->uplinks; i++)
        c->uplink_bps[at][i] = speed(r->uplink[middle_of(i, c->uplinks, r->uplinks)] / uplinks_bps
                                     * r->uplink_bps * hosts_bps / (r->host_bps * sending));
}

/* A share of hosts; two at least, or all. */
static uint32_t some_of(uint32_t hosts, double sending)
{
    return min_u32(hosts, (uint32_t)fmax(2, ceil(sending * hosts)));
}

static void copy_star(struct cell *c, const struct rack *r, uint32_t hosts_max, double sending)
{
    c->racks = 1;
    c->hosts = min_u32(some_of(r->hosts, sending), hosts_max);
    for (uint32_t i = 0; i < c->hosts; i++)
        c->host_bps[i] = speed(r->host[middle_of(i, c->hosts, r->hosts)]);
}

static void copy_racks(struct cell *c, const struct rack *rack, uint32_t racks, uint32_t hosts_max,
                       double sending)
{
    double   hosts = 0, uplinks = 0, wanted;

    for (uint32_t i = 0; i < racks; i++) {
        hosts += sending * rack[i].hosts / racks;
        uplinks += (double)rack[i].uplinks / racks;
    }
    c->racks = min_u32(racks, CELL_RACKS);
    wanted = sending < 1 ? hosts * racks / c->racks : hosts;
    c->hosts = min_u32((uint32_t)ceil(wanted), hosts_max / c->racks);
    c->hosts = c->hosts ? c->hosts : 1;
    c->uplinks = min_u32((uint32_t)fmax(1, floor(uplinks * c->hosts / hosts + 0.5)), CELL_UPLINKS);
    for (uint32_t i = 0; i < c->racks; i++)
        copy_rack(c, i, &rack[middle_of(i, c->racks, racks)], sending);
}

/* ---- tiers above ---- */

/* Capacity from one tier of switches to the next. */
static double capacity(const struct world *w, uint32_t tier)
{
    double sum = 0;

    for (uint32_t i = 0; i < w->ports; i++) {
        const struct world_port *p = &w->port[i];

        if (p->peer != WORLD_NONE && w->device[p->device].tier == tier
            && w->device[w->port[p->peer].device].tier == tier + 1)
            sum += (double)p->rate_bps;
    }
    return sum;
}

/* Marks the racks that a device reaches on links downwards. */
static void mark_below(const struct world *w, uint32_t device, bool *is_below)
{
    const struct world_device *d = &w->device[device];

    is_below[device] = true;
    for (uint32_t i = d->first_port; d->tier > WORLD_TORS && i < d->first_port + d->ports; i++) {
        uint32_t peer = w->port[i].peer != WORLD_NONE ? w->port[w->port[i].peer].device : device;

        if (w->device[peer].tier < d->tier && !is_below[peer])
            mark_below(w, peer, is_below);
    }
}

/* Of the racks that a switch of a tier reaches, the share of all; the mean over its switches. */
static double reach(const struct world *w, uint32_t tier, uint32_t racks)
{
    bool    *is_below = xcalloc(w->devices, sizeof(*is_below));
    double   sum = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->devices; i++)
        if (w->device[i].tier == tier) {
            memset(is_below, 0, w->devices * sizeof(*is_below));
            mark_below(w, i, is_below);
            for (uint32_t k = 0; k < w->devices; k++)
                sum += is_below[k] && w->device[k].tier == WORLD_TORS;
            count++;
        }
    free(is_below);
    return count ? sum / count / racks : 1;
}

/* Capacity of the narrowest tier above the racks, relative to the racks' uplinks; 1: these are the narrowest.
 * Counts only bytes that switches of the tier below cannot turn around. */
static double narrowest_above(const struct world *w, uint32_t racks)
{
    double from_racks = capacity(w, WORLD_TORS), least = 1;

    for (uint32_t tier = WORLD_TORS + 1; capacity(w, tier) > 0; tier++) {
        double through = racks * (1 - reach(w, tier, racks)) / fmax(1, racks - 1.0);

        if (through > 0)
            least = fmin(least, capacity(w, tier) / (from_racks * through));
    }
    return least;
}

static void narrow(const struct world *w, struct rack *rack, uint32_t racks)
{
    double share = narrowest_above(w, racks);

    for (uint32_t i = 0; i < racks; i++) {
        rack[i].uplink_bps *= share;
        for (uint32_t k = 0; k < rack[i].uplinks; k++)
            rack[i].uplink[k] *= share;
    }
}

struct cell cell_like(const struct world *w, uint32_t hosts_max, double sending)
{
    struct rack *rack = xcalloc(w->devices + 1ul, sizeof(*rack));
    uint32_t     racks = 0;
    struct cell  c = { .rtt_ps = w->base_rtt_ps };

    for (uint32_t i = 0; i < w->devices; i++)
        if (w->device[i].tier == WORLD_TORS)
            rack[racks++] = look_at(w, &w->device[i]);
    qsort(rack, racks, sizeof(*rack), by_speed);
    if (racks && (racks == 1 || rack[0].uplinks == 0))
        copy_star(&c, &rack[0], hosts_max, sending);
    else if (racks) {
        narrow(w, rack, racks);
        copy_racks(&c, rack, racks, hosts_max, sending);
    }
    for (uint32_t i = 0; i < racks; i++) {
        free(rack[i].host);
        free(rack[i].uplink);
    }
    free(rack);
    return c;
}

/* ---- as text ---- */

uint32_t cell_ports(const struct cell *c)
{
    return c->hosts + (c->racks > 1 ? c->uplinks : 0);
}

double cell_host_bps(const struct cell *c)
{
    uint32_t hosts = c->racks * c->hosts;
    double   sum = 0;

    for (uint32_t i = 0; i < hosts; i++)
        sum += (double)c->host_bps[i];
    return sum / fmax(1, hosts);
}

double cell_slowest_bps(const struct cell *c)
{
    double least = (double)c->host_bps[0];

    for (uint32_t i = 1; i < c->racks * c->hosts; i++)
        least = fmin(least, (double)c->host_bps[i]);
    return least;
}

static void put_speed(struct build *b, struct yaml_node *list, const char *a, uint32_t a_index, const char *z,
                      uint32_t z_index, uint64_t bps)
{
    struct yaml_node *link = build_map(b, list, NULL);

    build_text(b, link, "a", "%s%u", a, a_index);
    build_text(b, link, "b", "%s%u", z, z_index);
    build_text(b, link, "rate", "%llubps", (unsigned long long)bps);
}

static void put_other_speeds(struct build *b, struct yaml_node *topology, const struct cell *c)
{
    struct yaml_node *list = build_list(b, topology, "link_rates");

    for (uint32_t i = 0; i < c->racks * c->hosts; i++)
        if (c->host_bps[i] != c->host_bps[0])
            put_speed(b, list, "h", i, c->racks > 1 ? "tor" : "s", i / c->hosts, c->host_bps[i]);
    for (uint32_t i = 0; c->racks > 1 && i < c->racks; i++)
        for (uint32_t k = 0; k < c->uplinks; k++)
            if (c->uplink_bps[i][k] != c->uplink_bps[0][0])
                put_speed(b, list, "tor", i, "spine", k, c->uplink_bps[i][k]);
}

void cell_build(struct build *b, const struct cell *c)
{
    struct yaml_node *topology = build_map(b, NULL, "topology");

    build_text(b, topology, "kind", c->racks == 1 ? "star" : "clos");
    build_text(b, topology, c->racks == 1 ? "hosts" : "hosts_per_tor", "%u", c->hosts);
    if (c->racks > 1) {
        build_text(b, topology, "tors", "%u", c->racks);
        build_text(b, topology, "spines", "%u", c->uplinks);
        build_text(b, topology, "fabric_rate", "%llubps", (unsigned long long)c->uplink_bps[0][0]);
    }
    build_text(b, topology, "rate", "%llubps", (unsigned long long)c->host_bps[0]);
    build_text(b, topology, "delay", "%llups", (unsigned long long)c->delay_ps);
    put_other_speeds(b, topology, c);
}

/* A round trip is the delays of its links and a part that depends on speeds alone. */
int cell_fit(struct cell *c, const struct twin *twin, uint64_t tried_ps, struct err *err)
{
    uint64_t     links = c->racks > 1 ? 8 : 4, until_ps, fixed_ps;
    struct world w;
    int          rc = twin_world(twin, &w, &until_ps, err);

    if (rc)
        return rc;
    fixed_ps = w.base_rtt_ps - links * tried_ps;
    world_fini(&w);
    if (c->rtt_ps < fixed_ps + links)
        return err_set(err, EINVAL,
                       "a full packet and its acknowledgement take %.3g us at this speed, with cables of no "
                       "length: a round trip of %.3g us cannot be",
                       (double)fixed_ps / (double)PS_PER_US, (double)c->rtt_ps / (double)PS_PER_US);
    c->delay_ps = (c->rtt_ps - fixed_ps) / links;
    return 0;
}
