/* src/scenario/topology_gpu.c - GPU clusters and the dragonfly by their numbers, and networks that have a name. */
#include "scenario/topology_gpu.h"

#include "base/text.h"
#include "core/units.h"

#include <string.h>

#define DGX_NAME     "dgx_h100_"
#define DGX_SERVERS  32u         /* of a scalable unit */
#define DGX_UPLINKS  32u         /* of a leaf */
#define DGX_UNITS    8u          /* with two tiers of switches of 64 ports */

/* The builders' own checks say what is wrong with the numbers together. */
static bool is_refused(const struct section *sec, int rc, const struct err *why)
{
    if (rc)
        reader_refuse(sec->r, sec->map, "%s", why->text);
    return sec->r->rc != 0;
}

/* ---- by numbers ---- */

static void read_rates(const struct section *sec, uint64_t *rate_bps, uint64_t *delay_ps, uint64_t *fabric_rate_bps,
                       uint64_t *fabric_delay_ps)
{
    section_rate(sec, "rate", rate_bps);
    section_time(sec, "delay", delay_ps);
    *fabric_rate_bps = *rate_bps;
    *fabric_delay_ps = *delay_ps;
    section_rate(sec, "fabric_rate", fabric_rate_bps);
    section_time(sec, "fabric_delay", fabric_delay_ps);
}

static void build_rails(const struct section *sec, struct graph *g, const struct graph_rails *r)
{
    struct err why;

    if (!sec->r->rc && !is_refused(sec, graph_check_rails(r, &why), &why))
        graph_rails(g, r);
}

void topology_read_rails(const struct section *sec, struct graph *g)
{
    struct graph_rails r = { 0 };

    section_need(sec, "servers");
    section_need(sec, "spines");
    section_count(sec, "servers", 1, GRAPH_NODES_MAX, &r.servers);
    section_count(sec, "gpus", 1, 64, &r.gpus);
    r.unit = r.servers;
    section_count(sec, "unit", 1, GRAPH_NODES_MAX, &r.unit);
    section_count(sec, "spines", 1, GRAPH_NODES_MAX, &r.spines);
    section_count(sec, "links", 1, GRAPH_LINKS_MAX, &r.parallel);
    read_rates(sec, &r.rate_bps, &r.delay_ps, &r.fabric_rate_bps, &r.fabric_delay_ps);
    section_rate(sec, "nvlink", &r.inside_rate_bps);
    section_time(sec, "nvlink_delay", &r.inside_delay_ps);
    build_rails(sec, g, &r);
}

void topology_read_hpn(const struct section *sec, struct graph *g)
{
    struct graph_hpn h = { 0 };
    struct err       why;

    section_count(sec, "segments", 1, GRAPH_NODES_MAX, &h.segments);
    section_count(sec, "servers", 1, GRAPH_NODES_MAX, &h.servers);
    section_count(sec, "gpus", 1, 64, &h.gpus);
    section_count(sec, "aggs", 1, GRAPH_NODES_MAX, &h.aggs);
    read_rates(sec, &h.rate_bps, &h.delay_ps, &h.fabric_rate_bps, &h.fabric_delay_ps);
    section_rate(sec, "nvlink", &h.inside_rate_bps);
    section_time(sec, "nvlink_delay", &h.inside_delay_ps);
    if (!sec->r->rc && !is_refused(sec, graph_check_hpn(&h, &why), &why))
        graph_hpn(g, &h);
}

void topology_read_planes(const struct section *sec, struct graph *g)
{
    struct graph_planes p = { 0 };
    struct err          why;

    section_need(sec, "tors");
    section_need(sec, "hosts_per_tor");
    section_need(sec, "spines");
    section_count(sec, "planes", 1, 64, &p.planes);
    section_count(sec, "tors", 1, GRAPH_NODES_MAX, &p.tors);
    section_count(sec, "hosts_per_tor", 1, GRAPH_NODES_MAX, &p.hosts);
    section_count(sec, "spines", 1, GRAPH_NODES_MAX, &p.spines);
    section_count(sec, "links", 1, GRAPH_LINKS_MAX, &p.parallel);
    section_count(sec, "gpus", 1, 64, &p.gpus);
    read_rates(sec, &p.rate_bps, &p.delay_ps, &p.fabric_rate_bps, &p.fabric_delay_ps);
    section_rate(sec, "nvlink", &p.inside_rate_bps);
    section_time(sec, "nvlink_delay", &p.inside_delay_ps);
    if (!sec->r->rc && !is_refused(sec, graph_check_planes(&p, &why), &why))
        graph_planes(g, &p);
}

void topology_read_dragonfly(const struct section *sec, struct graph *g)
{
    struct graph_dragonfly d = { 0 };
    struct err             why;

    section_need(sec, "groups");
    section_need(sec, "routers");
    section_need(sec, "hosts_per_router");
    section_count(sec, "groups", 1, GRAPH_NODES_MAX, &d.groups);
    section_count(sec, "routers", 1, GRAPH_NODES_MAX, &d.routers);
    section_count(sec, "hosts_per_router", 1, GRAPH_NODES_MAX, &d.hosts);
    d.global = d.hosts;
    section_count(sec, "global", 1, GRAPH_NODES_MAX, &d.global);
    read_rates(sec, &d.rate_bps, &d.delay_ps, &d.fabric_rate_bps, &d.fabric_delay_ps);
    d.global_rate_bps = d.fabric_rate_bps;
    d.global_delay_ps = d.fabric_delay_ps;
    section_rate(sec, "global_rate", &d.global_rate_bps);
    section_time(sec, "global_delay", &d.global_delay_ps);
    if (!sec->r->rc && !is_refused(sec, graph_check_dragonfly(&d, &why), &why))
        graph_dragonfly(g, &d);
}

/* ---- networks that have a name ---- */

bool topology_is_dgx(const char *name)
{
    return strncmp(name, DGX_NAME, strlen(DGX_NAME)) == 0;
}

/* Leaves of 64 ports, half of them up; as many spines as that takes, rounded up to a power of two. */
static void spread_spines(struct graph_rails *r, uint32_t units)
{
    r->spines = 4;
    while (r->spines < 4 * units)
        r->spines *= 2;
    r->parallel = DGX_UPLINKS / r->spines;
}

/* The number of GPUs, from the name of the kind or the key. */
static bool read_gpus(const struct section *sec, const char *name, uint32_t *gpus)
{
    const struct yaml_node *node = section_get(sec, "gpus");
    uint64_t                number = 0;

    *gpus = 0;
    if (!topology_is_dgx(name)) {
        section_need(sec, "gpus");
        section_count(sec, "gpus", 1, GRAPH_NODES_MAX, gpus);
    } else if (node) {
        reader_refuse(sec->r, node, "'gpus' beside the kind '%.40s', which says it already", name);
    } else if (!text_to_uint(name + strlen(DGX_NAME), &number, NULL) && number <= GRAPH_NODES_MAX) {
        *gpus = (uint32_t)number;
    }
    if (!sec->r->rc && (*gpus == 0 || *gpus % 8 || *gpus > DGX_UNITS * DGX_SERVERS * 8))
        reader_refuse(sec->r, sec->map, "the GPUs of dgx_h100 are a multiple of 8, 8 .. %u, the most that two tiers of "
                      "switches of 64 ports have room for", DGX_UNITS * DGX_SERVERS * 8);
    return !sec->r->rc;
}

void topology_read_dgx(const struct section *sec, struct graph *g)
{
    const char        *name = sec->kind;
    struct graph_rails r = { .gpus = 8, .unit = DGX_SERVERS };
    uint32_t           gpus;

    if (!read_gpus(sec, name, &gpus))
        return;
    r.servers = gpus / 8;
    spread_spines(&r, (r.servers + DGX_SERVERS - 1) / DGX_SERVERS);
    section_rate(sec, "rate", &r.rate_bps);
    section_time(sec, "delay", &r.delay_ps);
    r.fabric_rate_bps = r.rate_bps;
    r.fabric_delay_ps = r.delay_ps;
    section_rate(sec, "nvlink", &r.inside_rate_bps);
    section_time(sec, "nvlink_delay", &r.inside_delay_ps);
    build_rails(sec, g, &r);
}

void topology_read_paraleon(const struct section *sec, struct graph *g)
{
    struct graph_rails r = { .servers = 32, .gpus = 8, .unit = 32, .spines = 4, .parallel = 8, .rate_bps = 400000000000ull };

    section_time(sec, "delay", &r.delay_ps);
    section_rate(sec, "nvlink", &r.inside_rate_bps);
    section_time(sec, "nvlink_delay", &r.inside_delay_ps);
    r.fabric_rate_bps = r.rate_bps;
    r.fabric_delay_ps = r.delay_ps;
    build_rails(sec, g, &r);
}

static void read_clos(const struct section *sec, struct graph *g, struct graph_clos clos)
{
    section_time(sec, "delay", &clos.delay_ps);
    clos.fabric_delay_ps = clos.delay_ps;
    if (!sec->r->rc)
        graph_clos(g, &clos);
}

void topology_read_acc(const struct section *sec, struct graph *g)
{
    read_clos(sec, g, (struct graph_clos){ .tors = 12, .hosts_per_tor = 24, .spines = 6, .parallel = 1, .rate_bps = 25000000000ull,
                                           .fabric_rate_bps = 100000000000ull });
}

void topology_read_rlcc(const struct section *sec, struct graph *g)
{
    read_clos(sec, g, (struct graph_clos){ .tors = 4, .hosts_per_tor = 16, .spines = 2, .parallel = 4, .rate_bps = 100000000000ull,
                                           .fabric_rate_bps = 100000000000ull });
}

/* ---- keys ---- */

const struct section_key topology_rails_keys[] = {
    { "servers",      "count", "",         "of `gpus` GPUs each; GPU i of server s is h(s x gpus + i)" },
    { "gpus",         "count", "8",        "of a server: one NIC each, 1 .. 64. GPU i is on rail i, a leaf" },
    { "unit",         "count", "",         "servers per leaf; default: all. leaf(u x gpus + i) is rail i of unit u" },
    { "spines",       "count", "",         "spine0 .." },
    { "links",        "count", "1",        "between each leaf and each spine" },
    { "rate",         "rate",  "400Gbps",  "of NICs" },
    { "delay",        "time",  "500ns",    "of their links, one way" },
    { "fabric_rate",  "rate",  "",         "between switches; default `rate`" },
    { "fabric_delay", "time",  "",         "between switches; default `delay`" },
    { "nvlink",       "rate",  "3600Gbps", "inside a server, per GPU and direction" },
    { "nvlink_delay", "time",  "500ns",    "inside a server, one way" },
    { 0 },
};

const struct section_key topology_hpn_keys[] = {
    { "segments",     "count", "1",        "each with two ToRs per rail: tor((segment x gpus + rail) x 2 + plane)" },
    { "servers",      "count", "128",      "of a segment" },
    { "gpus",         "count", "8",        "of a server: one NIC with two ports each, 1 .. 64" },
    { "aggs",         "count", "60",       "aggregation switches of a plane: agg(plane x aggs + i)" },
    { "rate",         "rate",  "200Gbps",  "of a port of a NIC; ECMP over the two" },
    { "delay",        "time",  "500ns",    "of its link, one way" },
    { "fabric_rate",  "rate",  "400Gbps",  "of links between switches" },
    { "fabric_delay", "time",  "",         "between switches; default `delay`" },
    { "nvlink",       "rate",  "3600Gbps", "inside a server, per GPU and direction" },
    { "nvlink_delay", "time",  "500ns",    "inside a server, one way" },
    { 0 },
};

const struct section_key topology_planes_keys[] = {
    { "planes",        "count", "2",        "1 .. 64; every host has a port in each (a NIC of 800 Gb/s: `planes: 4`, `rate: 200Gbps`)" },
    { "tors",          "count", "",         "of a plane: tor(plane x tors + i)" },
    { "hosts_per_tor", "count", "",         "h0 .. are behind the first ToR of each plane, and so on" },
    { "spines",        "count", "",         "of a plane: spine(plane x spines + i)" },
    { "links",         "count", "1",        "between each ToR and each spine of its plane" },
    { "gpus",          "count", "1",        "GPUs (hosts) per server, with `nvlink` between them" },
    { "rate",          "rate",  "200Gbps",  "of a port; ECMP over ports" },
    { "delay",         "time",  "500ns",    "of its link, one way" },
    { "fabric_rate",   "rate",  "",         "between switches; default `rate`" },
    { "fabric_delay",  "time",  "",         "between switches; default `delay`" },
    { "nvlink",        "rate",  "3600Gbps", "inside a server, per GPU and direction" },
    { "nvlink_delay",  "time",  "500ns",    "inside a server, one way" },
    { 0 },
};

const struct section_key topology_dragonfly_keys[] = {
    { "groups",           "count", "",        "all linked with each other" },
    { "routers",          "count", "",        "of a group, all linked with each other: r0 .." },
    { "hosts_per_router", "count", "",        "h0 .. are behind r0, and so on" },
    { "global",           "count", "",        "most links of a router to other groups; default `hosts_per_router`. A pair of groups has routers x global / (groups - 1) links, rounded down" },
    { "rate",             "rate",  "100Gbps", "of hosts" },
    { "delay",            "time",  "1us",     "of their links, one way" },
    { "fabric_rate",      "rate",  "",        "within a group; default `rate`" },
    { "fabric_delay",     "time",  "",        "within a group; default `delay`" },
    { "global_rate",      "rate",  "",        "between groups; default `fabric_rate`" },
    { "global_delay",     "time",  "",        "between groups; default `fabric_delay`" },
    { 0 },
};

const struct section_key topology_dgx_keys[] = {
    { "gpus",         "count", "",         "a multiple of 8 up to 2048; not with a kind that has the number, as `dgx_h100_64`" },
    { "rate",         "rate",  "400Gbps",  "of all links" },
    { "delay",        "time",  "500ns",    "of all links, one way" },
    { "nvlink",       "rate",  "3600Gbps", "inside a server, per GPU and direction: 18 links of 25 GB/s" },
    { "nvlink_delay", "time",  "500ns",    "inside a server, one way" },
    { 0 },
};

const struct section_key topology_paraleon_keys[] = {
    { "delay",        "time",  "500ns",    "of all links, one way; the paper does not say" },
    { "nvlink",       "rate",  "3600Gbps", "inside a server, per GPU and direction" },
    { "nvlink_delay", "time",  "500ns",    "inside a server, one way" },
    { 0 },
};

const struct section_key topology_delay_keys[] = {
    { "delay", "time", "500ns", "of all links, one way; the paper does not say" },
    { 0 },
};
