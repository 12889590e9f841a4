/* src/scenario/topology_gpu.c - GPU clusters, the dragonfly, and networks of publications. */
#include "scenario/topology.h"

#include "base/text.h"

#include <string.h>

#define DGX_NAME     "dgx_h100_"
#define DGX_SERVERS  32u         /* per scalable unit */
#define DGX_UPLINKS  32u         /* per leaf */
#define DGX_UNITS    8u          /* most units with two tiers of 64-port switches */

/* ---- keys ---- */

/* Rows of kinds with servers, for a struct with these fields. */
#define NVLINK_KEYS(of) \
    { "nvlink",       KEY_RATE, "3600Gbps", "inside a server, per GPU and direction", \
      KEY_AT(of, inside_rate_bps) }, \
    { "nvlink_delay", KEY_TIME, "500ns",    "inside a server, one way", KEY_AT(of, inside_delay_ps) }

const struct key_row topology_rails_keys[] = {
    { "servers",      KEY_COUNT, "",         "of `gpus` GPUs each; GPU i of server s is h(s x gpus + i)",
      KEY_AT(struct graph_rails, servers), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "gpus",         KEY_COUNT, "8",        "of a server: one NIC each, 1 .. 64. GPU i is on rail i, a "
      "leaf", KEY_AT(struct graph_rails, gpus), 1, 64 },
    { "unit",         KEY_COUNT, "",         "servers per leaf; default: all. leaf(u x gpus + i) is rail i "
      "of unit u", KEY_AT(struct graph_rails, unit), 1, GRAPH_NODES_MAX, .like = "servers" },
    { "spines",       KEY_COUNT, "",         "spine0 ..", KEY_AT(struct graph_rails, spines), 1,
      GRAPH_NODES_MAX, .is_needed = true },
    { "links",        KEY_COUNT, "1",        "between each leaf and each spine",
      KEY_AT(struct graph_rails, parallel), 1, GRAPH_LINKS_MAX },
    { "rate",         KEY_RATE, "400Gbps",  "of NICs", KEY_AT(struct graph_rails, rate_bps) },
    { "delay",        KEY_TIME, "500ns",    "of their links, one way", KEY_AT(struct graph_rails, delay_ps) },
    { "fabric_rate",  KEY_RATE, "",         "between switches; default `rate`",
      KEY_AT(struct graph_rails, fabric_rate_bps), .like = "rate" },
    { "fabric_delay", KEY_TIME, "",         "between switches; default `delay`",
      KEY_AT(struct graph_rails, fabric_delay_ps), .like = "delay" },
    NVLINK_KEYS(struct graph_rails),
    { 0 },
};

const struct key_row topology_hpn_keys[] = {
    { "segments",     KEY_COUNT, "1",        "each with two ToRs per rail: tor((segment x gpus + rail) x 2 "
      "+ plane)", KEY_AT(struct graph_hpn, segments), 1, GRAPH_NODES_MAX },
    { "servers",      KEY_COUNT, "128",      "of a segment", KEY_AT(struct graph_hpn, servers), 1,
      GRAPH_NODES_MAX },
    { "gpus",         KEY_COUNT, "8",        "of a server: one NIC with two ports each, 1 .. 64",
      KEY_AT(struct graph_hpn, gpus), 1, 64 },
    { "aggs",         KEY_COUNT, "60",       "aggregation switches of a plane: agg(plane x aggs + i)",
      KEY_AT(struct graph_hpn, aggs), 1, GRAPH_NODES_MAX },
    { "rate",         KEY_RATE, "200Gbps",  "of a port of a NIC; ECMP over the two",
      KEY_AT(struct graph_hpn, rate_bps) },
    { "delay",        KEY_TIME, "500ns",    "of its link, one way", KEY_AT(struct graph_hpn, delay_ps) },
    { "fabric_rate",  KEY_RATE, "400Gbps",  "of links between switches",
      KEY_AT(struct graph_hpn, fabric_rate_bps) },
    { "fabric_delay", KEY_TIME, "",         "between switches; default `delay`",
      KEY_AT(struct graph_hpn, fabric_delay_ps), .like = "delay" },
    NVLINK_KEYS(struct graph_hpn),
    { 0 },
};

const struct key_row topology_planes_keys[] = {
    { "planes",        KEY_COUNT, "2",        "1 .. 64; every host has a port in each (a NIC of 800 Gb/s: "
      "`planes: 4`, `rate: 200Gbps`)", KEY_AT(struct graph_planes, planes), 1, 64 },
    { "tors",          KEY_COUNT, "",         "of a plane: tor(plane x tors + i)",
      KEY_AT(struct graph_planes, tors), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "hosts_per_tor", KEY_COUNT, "",         "h0 .. are behind the first ToR of each plane, and so on",
      KEY_AT(struct graph_planes, hosts), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "spines",        KEY_COUNT, "",         "of a plane: spine(plane x spines + i)",
      KEY_AT(struct graph_planes, spines), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "links",         KEY_COUNT, "1",        "between each ToR and each spine of its plane",
      KEY_AT(struct graph_planes, parallel), 1, GRAPH_LINKS_MAX },
    { "gpus",          KEY_COUNT, "1",        "GPUs (hosts) per server, with `nvlink` between them",
      KEY_AT(struct graph_planes, gpus), 1, 64 },
    { "rate",          KEY_RATE, "200Gbps",  "of a port; ECMP over ports",
      KEY_AT(struct graph_planes, rate_bps) },
    { "delay",         KEY_TIME, "500ns",    "of its link, one way", KEY_AT(struct graph_planes, delay_ps) },
    { "fabric_rate",   KEY_RATE, "",         "between switches; default `rate`",
      KEY_AT(struct graph_planes, fabric_rate_bps), .like = "rate" },
    { "fabric_delay",  KEY_TIME, "",         "between switches; default `delay`",
      KEY_AT(struct graph_planes, fabric_delay_ps), .like = "delay" },
    NVLINK_KEYS(struct graph_planes),
    { 0 },
};

const struct key_row topology_dragonfly_keys[] = {
    { "groups",           KEY_COUNT, "",        "all linked with each other",
      KEY_AT(struct graph_dragonfly, groups), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "routers",          KEY_COUNT, "",        "of a group, all linked with each other: r0 ..",
      KEY_AT(struct graph_dragonfly, routers), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "hosts_per_router", KEY_COUNT, "",        "h0 .. are behind r0, and so on",
      KEY_AT(struct graph_dragonfly, hosts), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "global",           KEY_COUNT, "",        "most links of a router to other groups; default "
      "`hosts_per_router`. A pair of groups has routers x global / (groups - 1) links, rounded down",
      KEY_AT(struct graph_dragonfly, global), 1, GRAPH_NODES_MAX, .like = "hosts_per_router" },
    { "rate",             KEY_RATE, "100Gbps", "of hosts", KEY_AT(struct graph_dragonfly, rate_bps) },
    { "delay",            KEY_TIME, "1us",     "of their links, one way",
      KEY_AT(struct graph_dragonfly, delay_ps) },
    { "fabric_rate",      KEY_RATE, "",        "within a group; default `rate`",
      KEY_AT(struct graph_dragonfly, fabric_rate_bps), .like = "rate" },
    { "fabric_delay",     KEY_TIME, "",        "within a group; default `delay`",
      KEY_AT(struct graph_dragonfly, fabric_delay_ps), .like = "delay" },
    { "global_rate",      KEY_RATE, "",        "between groups; default `fabric_rate`",
      KEY_AT(struct graph_dragonfly, global_rate_bps), .like = "fabric_rate" },
    { "global_delay",     KEY_TIME, "",        "between groups; default `fabric_delay`",
      KEY_AT(struct graph_dragonfly, global_delay_ps), .like = "fabric_delay" },
    { 0 },
};

const struct key_row topology_dgx_keys[] = {
    { "gpus",         KEY_COUNT, "",         "a multiple of 8 up to 2048; not with a kind that has the "
      "number, as `dgx_h100_64`" },
    { "rate",         KEY_RATE, "400Gbps",  "of all links", KEY_AT(struct graph_rails, rate_bps) },
    { "delay",        KEY_TIME, "500ns",    "of all links, one way", KEY_AT(struct graph_rails, delay_ps) },
    { "nvlink",       KEY_RATE, "3600Gbps", "inside a server, per GPU and direction: 18 links of 25 GB/s",
      KEY_AT(struct graph_rails, inside_rate_bps) },
    { "nvlink_delay", KEY_TIME, "500ns",    "inside a server, one way",
      KEY_AT(struct graph_rails, inside_delay_ps) },
    { 0 },
};

const struct key_row topology_paraleon_keys[] = {
    { "delay",        KEY_TIME, "500ns",    "of all links, one way; the paper does not say",
      KEY_AT(struct graph_rails, delay_ps) },
    NVLINK_KEYS(struct graph_rails),
    { 0 },
};

const struct key_row topology_delay_keys[] = {
    { "delay", KEY_TIME, "500ns", "of all links, one way; the paper does not say",
      KEY_AT(struct graph_clos, delay_ps) },
    { 0 },
};

/* ---- parametric ---- */

static void build_rails(const struct section *sec, struct graph *g, const struct graph_rails *r)
{
    struct err why;

    if (!sec->r->rc && section_check(sec, graph_check_rails(r, &why), &why))
        graph_rails(g, r);
}

void topology_read_rails(const struct section *sec, struct graph *g)
{
    struct graph_rails r = { 0 };

    section_read(sec, topology_rails_keys, &r);
    build_rails(sec, g, &r);
}

void topology_read_hpn(const struct section *sec, struct graph *g)
{
    struct graph_hpn h = { 0 };
    struct err       why;

    section_read(sec, topology_hpn_keys, &h);
    if (!sec->r->rc && section_check(sec, graph_check_hpn(&h, &why), &why))
        graph_hpn(g, &h);
}

void topology_read_planes(const struct section *sec, struct graph *g)
{
    struct graph_planes p = { 0 };
    struct err          why;

    section_read(sec, topology_planes_keys, &p);
    if (!sec->r->rc && section_check(sec, graph_check_planes(&p, &why), &why))
        graph_planes(g, &p);
}

void topology_read_dragonfly(const struct section *sec, struct graph *g)
{
    struct graph_dragonfly d = { 0 };
    struct err             why;

    section_read(sec, topology_dragonfly_keys, &d);
    if (!sec->r->rc && section_check(sec, graph_check_dragonfly(&d, &why), &why))
        graph_dragonfly(g, &d);
}

/* ---- published networks ---- */

bool topology_is_dgx(const char *name)
{
    return strncmp(name, DGX_NAME, strlen(DGX_NAME)) == 0;
}

/* Leaves have 64 ports, half of them uplinks. The number of spines is rounded up to a power of two. */
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
        reader_refuse(sec->r, sec->map, "the GPUs of dgx_h100 are a multiple of 8, 8 .. %u, the most that "
                      "two tiers of switches of 64 ports have room for", DGX_UNITS * DGX_SERVERS * 8);
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
    section_read(sec, topology_dgx_keys, &r);
    r.fabric_rate_bps = r.rate_bps;
    r.fabric_delay_ps = r.delay_ps;
    build_rails(sec, g, &r);
}

void topology_read_paraleon(const struct section *sec, struct graph *g)
{
    struct graph_rails r = { .servers = 32, .gpus = 8, .unit = 32, .spines = 4, .parallel = 8,
                             .rate_bps = 400000000000ull };

    section_read(sec, topology_paraleon_keys, &r);
    r.fabric_rate_bps = r.rate_bps;
    r.fabric_delay_ps = r.delay_ps;
    build_rails(sec, g, &r);
}

static void read_clos(const struct section *sec, struct graph *g, struct graph_clos clos)
{
    section_read(sec, topology_delay_keys, &clos);
    clos.fabric_delay_ps = clos.delay_ps;
    if (!sec->r->rc)
        graph_clos(g, &clos);
}

void topology_read_acc(const struct section *sec, struct graph *g)
{
    read_clos(sec, g, (struct graph_clos){ .tors = 12, .hosts_per_tor = 24, .spines = 6, .parallel = 1,
                                           .rate_bps = 25000000000ull,
                                           .fabric_rate_bps = 100000000000ull });
}

void topology_read_rlcc(const struct section *sec, struct graph *g)
{
    read_clos(sec, g, (struct graph_clos){ .tors = 4, .hosts_per_tor = 16, .spines = 2, .parallel = 4,
                                           .rate_bps = 100000000000ull,
                                           .fabric_rate_bps = 100000000000ull });
}
