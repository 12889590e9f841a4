/* src/study/scenario/topology.c - the section 'topology'. */
#include "study/scenario/topology.h"

#include "base/text.h"
#include "core/units.h"
#include "peers/astra.h"
#include "peers/hpcc.h"
#include "peers/htsim.h"
#include "peers/simai.h"
#include "study/scenario/keys.h"
#include "study/scenario/scenario.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DGX_NAME     "dgx_h100_"
#define DGX_SERVERS  32u         /* per scalable unit */
#define DGX_UPLINKS  32u         /* per leaf */
#define DGX_UNITS    8u          /* most units with two tiers of 64-port switches */

/* ---- keys ---- */

/* Rows of kinds whose links between switches differ from those of hosts, for a struct with these fields. */
#define FABRIC_KEYS(of) \
    { "fabric_rate",  KEY_RATE, "", "between switches; default `rate`", \
      KEY_AT(of, fabric_rate_bps), .like = "rate" }, \
    { "fabric_delay", KEY_TIME, "", "between switches; default `delay`", \
      KEY_AT(of, fabric_delay_ps), .like = "delay" }

static const struct key_row star_keys[] = {
    { "hosts", KEY_COUNT, "",        "h0 ..", KEY_AT(struct graph_star, hosts), 1, GRAPH_NODES_MAX,
      .is_needed = true },
    { "rate",  KEY_RATE, "100Gbps", "of each link", KEY_AT(struct graph_star, rate_bps) },
    { "delay", KEY_TIME, "1us",     "of each link, one way", KEY_AT(struct graph_star, delay_ps) },
    { 0 },
};

static const struct key_row clos_keys[] = {
    { "tors",          KEY_COUNT, "",        "switches with hosts: tor0 ..", KEY_AT(struct graph_clos, tors),
      1, GRAPH_NODES_MAX },
    { "hosts",         KEY_COUNT, "",        "all hosts, instead of `tors`" },
    { "hosts_per_tor", KEY_COUNT, "",        "h0 .. are behind tor0, and so on",
      KEY_AT(struct graph_clos, hosts_per_tor), 1, GRAPH_NODES_MAX, .is_needed = true },
    { "spines",        KEY_COUNT, "",        "spine0 ..", KEY_AT(struct graph_clos, spines), 1,
      GRAPH_NODES_MAX, .is_needed = true },
    { "links",         KEY_COUNT, "1",       "between each ToR and each spine",
      KEY_AT(struct graph_clos, parallel), 1, GRAPH_LINKS_MAX },
    { "rate",          KEY_RATE, "100Gbps", "of host links", KEY_AT(struct graph_clos, rate_bps) },
    { "delay",         KEY_TIME, "1us",     "of host links, one way", KEY_AT(struct graph_clos, delay_ps) },
    FABRIC_KEYS(struct graph_clos),
    { 0 },
};

static const struct key_row fat_tree_keys[] = {
    { "k",     KEY_COUNT, "",        "ports of a switch: even, 2 .. 158", KEY_AT(struct graph_fat_tree, k), 2,
      GRAPH_FAT_TREE_MAX, .is_needed = true },
    { "rate",  KEY_RATE, "100Gbps", "of each link", KEY_AT(struct graph_fat_tree, rate_bps) },
    { "delay", KEY_TIME, "1us",     "of each link, one way", KEY_AT(struct graph_fat_tree, delay_ps) },
    { 0 },
};

static const struct key_row hpcc_keys[] = {
    { "file", KEY_FILE, "", "the topology; node numbers are kept, names are h0 .., s0 .." },
    { 0 },
};

static const struct key_row graph_keys[] = {
    { "hosts",    KEY_COUNT, "", "h0 ..", .at = { 0, KEY_U32 }, 1, GRAPH_NODES_MAX, .is_needed = true },
    { "switches", KEY_LIST, "", "names, or a count: s0 ..", .is_needed = true },
    { "links",    KEY_LIST, "", "each with the keys below", .is_needed = true },
    { 0 },
};

static const struct key_row htsim_keys[] = {
    { "file", KEY_FILE, "", "the topology (.topo)" },
    { 0 },
};

static const struct key_row simai_keys[] = {
    { "file", KEY_FILE, "", "the topology; GPU i is h<i>, switches are s0 .., NV switches the inside of "
      "servers" },
    { 0 },
};

static const struct key_row astra_keys[] = {
    { "file",    KEY_FILE, "",   "the network (YAML); NPU i is h<i>" },
    { "servers", KEY_YES,  "no", "the first dimension, a Switch, is the inside of servers: no packets, any "
      "rate" },
    { 0 },
};

/* Rows of kinds with servers, for a struct with these fields. */
#define NVLINK_KEYS(of) \
    { "nvlink",       KEY_RATE, "3600Gbps", "inside a server, per GPU and direction", \
      KEY_AT(of, inside_rate_bps) }, \
    { "nvlink_delay", KEY_TIME, "500ns",    "inside a server, one way", KEY_AT(of, inside_delay_ps) }

static const struct key_row rails_keys[] = {
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
    FABRIC_KEYS(struct graph_rails),
    NVLINK_KEYS(struct graph_rails),
    { 0 },
};

static const struct key_row hpn_keys[] = {
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

static const struct key_row planes_keys[] = {
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
    FABRIC_KEYS(struct graph_planes),
    NVLINK_KEYS(struct graph_planes),
    { 0 },
};

static const struct key_row dragonfly_keys[] = {
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

static const struct key_row dgx_keys[] = {
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

static const struct key_row paraleon_keys[] = {
    { "delay",        KEY_TIME, "500ns",    "of all links, one way; the paper does not say",
      KEY_AT(struct graph_rails, delay_ps) },
    NVLINK_KEYS(struct graph_rails),
    { 0 },
};

static const struct key_row delay_keys[] = {
    { "delay", KEY_TIME, "500ns", "of all links, one way; the paper does not say",
      KEY_AT(struct graph_clos, delay_ps) },
    { 0 },
};

/* ---- the kinds ---- */

static void read_star(const struct section *sec, struct graph *g)
{
    struct graph_star star = { 0 };
    struct err        why;

    section_read(sec, star_keys, &star);
    if (!sec->r->rc && section_check(sec, graph_check_star(&star, &why), &why))
        graph_star(g, &star);
}

/* 'hosts' may be given instead of 'tors'. */
static void read_tors(const struct section *sec, struct graph_clos *clos)
{
    const struct yaml_node *node = section_get(sec, "hosts");
    uint32_t                hosts = 0;

    if (!node)
        section_need(sec, "tors");
    else if (section_get(sec, "tors"))
        reader_refuse(sec->r, node, "give 'tors' or 'hosts', not both");
    section_count(sec, "hosts", 1, GRAPH_NODES_MAX, &hosts);
    if (sec->r->rc || !node)
        return;
    clos->tors = hosts / clos->hosts_per_tor;
    if (hosts % clos->hosts_per_tor)
        reader_refuse(sec->r, node, "%u hosts cannot be divided into racks of %u", hosts,
                      clos->hosts_per_tor);
}

static void read_clos(const struct section *sec, struct graph *g)
{
    struct graph_clos clos = { 0 };
    struct err        why;

    section_read(sec, clos_keys, &clos);
    read_tors(sec, &clos);
    if (!sec->r->rc && section_check(sec, graph_check_clos(&clos, &why), &why))
        graph_clos(g, &clos);
}

static void read_fat_tree(const struct section *sec, struct graph *g)
{
    struct graph_fat_tree tree = { 0 };
    struct err            why;

    section_read(sec, fat_tree_keys, &tree);
    if (!sec->r->rc && tree.k % 2)
        section_refuse(sec, "k", "k must be even, not %u", tree.k);
    if (!sec->r->rc && section_check(sec, graph_check_fat_tree(&tree, &why), &why))
        graph_fat_tree(g, &tree);
}

static void build_rails(const struct section *sec, struct graph *g, const struct graph_rails *r)
{
    struct err why;

    if (!sec->r->rc && section_check(sec, graph_check_rails(r, &why), &why))
        graph_rails(g, r);
}

static void read_rails(const struct section *sec, struct graph *g)
{
    struct graph_rails r = { 0 };

    section_read(sec, rails_keys, &r);
    build_rails(sec, g, &r);
}

static void read_hpn(const struct section *sec, struct graph *g)
{
    struct graph_hpn h = { 0 };
    struct err       why;

    section_read(sec, hpn_keys, &h);
    if (!sec->r->rc && section_check(sec, graph_check_hpn(&h, &why), &why))
        graph_hpn(g, &h);
}

static void read_planes(const struct section *sec, struct graph *g)
{
    struct graph_planes p = { 0 };
    struct err          why;

    section_read(sec, planes_keys, &p);
    if (!sec->r->rc && section_check(sec, graph_check_planes(&p, &why), &why))
        graph_planes(g, &p);
}

static void read_dragonfly(const struct section *sec, struct graph *g)
{
    struct graph_dragonfly d = { 0 };
    struct err             why;

    section_read(sec, dragonfly_keys, &d);
    if (!sec->r->rc && section_check(sec, graph_check_dragonfly(&d, &why), &why))
        graph_dragonfly(g, &d);
}

/* ---- published networks ---- */

/* NVIDIA's DGX SuperPOD with H100: units of 32 servers, a leaf for each rail, full bisection. The kind may
 * end in the number of GPUs. */
static bool is_dgx(const char *name)
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
    if (!is_dgx(name)) {
        section_need(sec, "gpus");
        section_count(sec, "gpus", 1, GRAPH_NODES_MAX, gpus);
    } else if (node) {
        reader_refuse(sec->r, node, "'gpus' is given by the kind '%.40s' already; remove it", name);
    } else if (!text_to_uint(name + strlen(DGX_NAME), &number, NULL) && number <= GRAPH_NODES_MAX) {
        *gpus = (uint32_t)number;
    }
    if (!sec->r->rc && (*gpus == 0 || *gpus % 8 || *gpus > DGX_UNITS * DGX_SERVERS * 8))
        reader_refuse(sec->r, sec->map, "the GPUs of dgx_h100 are a multiple of 8, 8 .. %u, the most that "
                      "two tiers of switches of 64 ports have room for", DGX_UNITS * DGX_SERVERS * 8);
    return !sec->r->rc;
}

static void read_dgx(const struct section *sec, struct graph *g)
{
    const char        *name = sec->kind;
    struct graph_rails r = { .gpus = 8, .unit = DGX_SERVERS };
    uint32_t           gpus;

    if (!read_gpus(sec, name, &gpus))
        return;
    r.servers = gpus / 8;
    spread_spines(&r, (r.servers + DGX_SERVERS - 1) / DGX_SERVERS);
    section_read(sec, dgx_keys, &r);
    r.fabric_rate_bps = r.rate_bps;
    r.fabric_delay_ps = r.delay_ps;
    build_rails(sec, g, &r);
}

static void read_paraleon(const struct section *sec, struct graph *g)
{
    struct graph_rails r = { .servers = 32, .gpus = 8, .unit = 32, .spines = 4, .parallel = 8,
                             .rate_bps = 400000000000ull };

    section_read(sec, paraleon_keys, &r);
    r.fabric_rate_bps = r.rate_bps;
    r.fabric_delay_ps = r.delay_ps;
    build_rails(sec, g, &r);
}

static void read_paper_clos(const struct section *sec, struct graph *g, struct graph_clos clos)
{
    section_read(sec, delay_keys, &clos);
    clos.fabric_delay_ps = clos.delay_ps;
    if (!sec->r->rc)
        graph_clos(g, &clos);
}

static void read_acc(const struct section *sec, struct graph *g)
{
    read_paper_clos(sec, g, (struct graph_clos){ .tors = 12, .hosts_per_tor = 24, .spines = 6, .parallel = 1,
                                           .rate_bps = 25000000000ull,
                                           .fabric_rate_bps = 100000000000ull });
}

static void read_rlcc(const struct section *sec, struct graph *g)
{
    read_paper_clos(sec, g, (struct graph_clos){ .tors = 4, .hosts_per_tor = 16, .spines = 2, .parallel = 4,
                                           .rate_bps = 100000000000ull,
                                           .fabric_rate_bps = 100000000000ull });
}

/* ---- files of other simulators ---- */

static void read_file(const struct section *sec, struct graph *g,
                      int (*read)(const char *path, const char *text, struct graph *, struct err *))
{
    char      *path = section_file(sec, "file");
    struct err why;

    if (path)
        reader_keep(sec->r, read(path, NULL, g, &why), &why, section_get(sec, "file"));
    free(path);
}

static void read_astra(const struct section *sec, struct graph *g)
{
    char      *path = section_file(sec, "file");
    bool       is_inside = false;
    struct err why;

    section_bool(sec, "servers", &is_inside);
    if (path && !sec->r->rc)
        reader_keep(sec->r, astra_read_network(path, NULL, 0, is_inside, g, &why), &why,
                    section_get(sec, "file"));
    free(path);
}

/* ---- graph: explicit links ---- */

static void add_switch(struct reader *r, struct graph *g, const struct yaml_node *node)
{
    const char *name = node->kind == YAML_SCALAR ? node->text : "";
    size_t      length = strlen(name);

    if (r->rc)
        return;
    if (length == 0 || length >= sizeof g->node->name || !isalpha((unsigned char)*name))
        reader_refuse(r, node, "the name of a switch has 1 to %zu characters and starts with a letter",
                      sizeof g->node->name - 1);
    else if (graph_find(g, name) >= 0)
        reader_refuse(r, node, "there are two nodes called '%s'", name);
    else
        graph_add_node(g, true, name);
}

static void read_nodes(const struct section *sec, struct graph *g)
{
    uint32_t hosts = 0, count = 0;

    section_read(sec, graph_keys, &hosts);
    const struct yaml_node *switches = section_get(sec, "switches");
    if (sec->r->rc)
        return;
    if (switches->kind == YAML_LIST)
        count = switches->count;
    else
        section_count(sec, "switches", 1, GRAPH_NODES_MAX, &count);
    if ((uint64_t)hosts + count > GRAPH_NODES_MAX)
        reader_refuse(sec->r, sec->map, "more than %u nodes", GRAPH_NODES_MAX);
    for (uint32_t i = 0; i < hosts && !sec->r->rc; i++)
        graph_add_node(g, false, NULL);
    if (switches->kind == YAML_LIST)
        for (const struct yaml_node *c = switches->child; c; c = c->next)
            add_switch(sec->r, g, c);
    else
        for (uint32_t i = 0; i < count && !sec->r->rc; i++)
            graph_add_node(g, true, NULL);
}

static void read_link(struct reader *r, struct graph *g, const struct yaml_node *node)
{
    struct section    sec = scenario_open(r, node, "topology graph links");
    struct graph_link link = { .loss = -1, .ber = -1 };      /* not given: as for all links */
    struct err        why;

    link.a = scenario_read_node(&sec, g, "a");
    link.b = scenario_read_node(&sec, g, "b");
    section_read(&sec, scenario_keys("topology graph links"), &link);
    if (r->rc)
        return;
    struct graph_link checked = link;
    checked.loss = fmax(0, link.loss);
    checked.ber = fmax(0, link.ber);
    if (graph_check_link(g, &checked, &why))
        reader_refuse(r, node, "%s", why.text);
    else
        graph_add_link(g, &link);
}

static void read_graph(const struct section *sec, struct graph *g)
{
    read_nodes(sec, g);
    for (const struct yaml_node *c = section_list(sec, "links", GRAPH_LINKS_MAX); c && !sec->r->rc;
         c = c->next)
        read_link(sec->r, g, c);
}

/* ---- table of kinds ---- */

const struct topology_kind topology_kinds[] = {
    { "star",     "hosts around one switch, s0", star_keys, read_star },
    { "clos",     "two tiers: hosts on ToRs (tor0 ..), every ToR linked to every spine (spine0 ..)",
      clos_keys, read_clos },
    { "fat_tree", "three tiers of switches with k ports: edge0 .., agg0 .., core0 ..; k^3/4 hosts",
      fat_tree_keys, read_fat_tree },
    { "hpcc",     "a topology file of the HPCC ns-3 fork", hpcc_keys,
      .read_file = hpcc_read_topology_exact, .read_as_fork = hpcc_read_topology },
    { "graph",    "hosts and switches wired by hand", graph_keys, read_graph, .says_loss = true },
    { "htsim",    "a topology file of htsim (.topo)", htsim_keys, .read_file = htsim_read_topology },
    { "simai",    "a topology file of SimAI: GPU servers with NV switches, and switches between them",
      simai_keys, .read_file = simai_read_topology },
    { "astra",    "a network of ASTRA-sim's analytical front end (YAML): dimensions of rings, full meshes "
      "and switches", astra_keys, read_astra },
    { "rail_optimized", "GPU servers with NVLink inside; GPU i of each has its NIC on leaf i, every leaf is "
      "linked to every spine", rails_keys, read_rails },
    { "hpn",      "Alibaba's HPN: NICs of two ports, dual ToRs, two planes of aggregation switches "
      "(SIGCOMM'24)", hpn_keys, read_hpn },
    { "multi_plane", "networks of two tiers side by side; every host has a NIC, or a port of one that is "
      "broken out, in each", planes_keys, read_planes },
    { "dragonfly", "groups of routers, all linked within a group, all groups linked with each other",
      dragonfly_keys, read_dragonfly },
    { "dgx_h100", "NVIDIA's DGX SuperPOD H100, also as dgx_h100_64 for 64 GPUs: units of 32 servers, 8 "
      "leaves each, full bisection (its reference architecture)", dgx_keys, read_dgx },
    { "paraleon_testbed", "32 H100 servers, 8 ToRs, 4 leaf switches, 400 Gb/s, 1:1 (PARALEON's paper, "
      "IV-C); ToRs are taken for rails", paraleon_keys, read_paraleon },
    { "acc_fabric", "288 hosts of 25 Gb/s, 12 leaves, 6 spines of 100 Gb/s (ACC's paper, 5.4)",
      delay_keys, read_acc },
    { "rlcc_cluster", "64 hosts of 100 Gb/s, 4 ToRs, 2 spines, 4 links between each (RL-CC's trees, VI-A)",
      delay_keys, read_rlcc },
    { 0 },
};

static const struct topology_kind *find_kind(const char *name)
{
    const struct topology_kind *k = topology_kinds;

    while (strcmp(k->name, name) != 0)
        k++;
    return k;
}

static const struct topology_kind *read_kind(struct reader *r, const struct yaml_node *node)
{
    struct section sec = { .r = r, .name = "topology", .common = scenario_keys("topology"), .map = node };
    const char    *names[sizeof topology_kinds / sizeof *topology_kinds] = { NULL };

    for (int i = 0; topology_kinds[i].name; i++)
        names[i] = topology_kinds[i].name;
    section_need(&sec, "kind");
    if (!r->rc && section_get(&sec, "kind")->kind == YAML_SCALAR &&
        is_dgx(section_get(&sec, "kind")->text))
        return find_kind("dgx_h100");
    int kind = section_choice(&sec, "kind", "a kind of topology", names);
    return kind < 0 ? NULL : &topology_kinds[kind];
}

/* ---- common to all kinds ---- */

/* Sets the loss of links without their own: not given, or 0 if the kind cannot distinguish these. */
static void read_loss(const struct section *sec, struct graph *g, bool says_loss)
{
    struct graph_link all = { 0 };

    section_read(sec, scenario_keys("topology"), &all);
    for (uint32_t i = 0; i < g->links && !sec->r->rc; i++) {
        struct graph_link *l = &g->link[i];

        if (l->loss < 0 || (!says_loss && l->loss == 0)) {
            l->loss = all.loss;
            l->has_common_loss = true;
        }
        if (l->ber < 0 || (!says_loss && l->ber == 0))
            l->ber = all.ber;
    }
}

/* Refuses graphs that pass graph_check(), but that the simulation does not support. */
void scenario_check_links(struct reader *r, const struct scenario *s, const struct yaml_node *node)
{
    const struct graph *g = &s->graph;
    bool                in_ns = !sim_model_is_real(s->cfg.model);
    char                text[32];

    for (uint32_t i = 0; i < g->links && !r->rc; i++) {
        const struct graph_link *l = &g->link[i];
        const char              *a = g->node[l->a].name, *b = g->node[l->b].name;

        if (l->delay_ps == 0)
            reader_refuse(r, node, "the link %s-%s has no delay", a, b);
        else if (in_ns && l->delay_ps % PS_PER_NS)
            reader_refuse(r, node, "the link %s-%s: in model hpcc a delay is whole nanoseconds, unlike %s", a,
                          b, text_from_time(text, sizeof text, l->delay_ps));
    }
}

/* sec.kind is the kind as written, which may end in a number. */
static void read_kind_of(struct reader *r, struct scenario *s, const struct yaml_node *node,
                         const struct topology_kind *kind)
{
    struct graph  *g = &s->graph;
    struct section sec = section_open(r, node,
                                      &(struct section){ .name = "topology", .kind = kind->name,
                                                         .own = kind->keys,
                                                                  .common = scenario_keys("topology") });
    struct err     why;

    if (r->rc)
        return;
    sec.kind = section_get(&sec, "kind")->text;
    bool is_as_fork = kind->read_as_fork && !sim_model_is_real(s->cfg.model);
    if (kind->read_file)
        read_file(&sec, g, is_as_fork ? kind->read_as_fork : kind->read_file);
    else
        kind->read(&sec, g);
    read_loss(&sec, g, kind->says_loss);
    scenario_read_link_rates(&sec, g);
    if (!r->rc && graph_check(g, &why))
        reader_refuse(r, node, "%s", why.text);
    scenario_check_links(r, s, node);
}

void scenario_read_topology(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    const struct topology_kind *kind = read_kind(r, node);

    if (kind)
        read_kind_of(r, s, node, kind);
}
