#include "study/scenario/draw.h"

#include "base/minmax.h"
#include "base/rng.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>

#define RUN_US_MIN 3000          /* a few intervals of a tuner at least */
#define RUN_US_MAX 200000
#define HEADER     70            /* bytes of a packet besides its payload, about */

struct draw {
    struct rng rng;
    FILE      *out;
    uint32_t   hosts;
    uint32_t   path;             /* links on the way of a typical packet */
    uint32_t   rate_gbps;        /* of most hosts */
    uint32_t   racks;            /* 0: hosts are not in racks */
    uint32_t   mtu;
    double     load;             /* of host links, all traffic together, about */
    double     left;             /* of them for further traffic */
    uint32_t   ports;            /* of the largest switch */
    double     wire_bytes;       /* on the longest or fastest wire, both directions */
    bool       has_servers;      /* several GPUs each */
    uint32_t   jobs;
};

/* ---- chance ---- */

static bool chance(struct draw *d, double p)
{
    return rng_real(&d->rng) < p;
}

static uint32_t between(struct draw *d, uint32_t least, uint32_t most)
{
    return least + (uint32_t)rng_below(&d->rng, most - least + 1ull);
}

static uint32_t one_of(struct draw *d, const uint32_t *values, uint32_t count)
{
    return values[rng_below(&d->rng, count)];
}

#define ONE_OF(d, ...) \
    one_of(d, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static const char *name_of(struct draw *d, const char *const *names, uint32_t count)
{
    return names[rng_below(&d->rng, count)];
}

/* Evenly spread over octaves, which are cut into eighths. */
static double octaves(struct draw *d, double least, uint32_t eighths)
{
    double value = least;

    for (uint32_t i = between(d, 0, eighths); i > 0; i--)
        value *= 1.0905077326652577;         /* 2^(1/8) */
    return value;
}

/* ---- topology ---- */

/* 'fabric_gbps' is the speed between switches; 0: there is one speed and delay. */
static void draw_delays(struct draw *d, uint32_t fabric_gbps)
{
    double   us = octaves(d, 0.3, 30);       /* 0.3 to 4 us */
    uint32_t longer = fabric_gbps && chance(d, 0.4) ? between(d, 2, 5) : 1;

    fprintf(d->out, "  delay: %.0fns\n", 1000 * us);
    if (longer > 1)
        fprintf(d->out, "  fabric_delay: %.0fns\n", 1000 * us * longer);
    d->wire_bytes = 250 * us * longer * max_u32(d->rate_gbps, fabric_gbps);
}

static void draw_star(struct draw *d)
{
    d->hosts = between(d, 6, 40);
    d->path = 2;
    d->ports = d->hosts;
    fprintf(d->out, "topology:\n  kind: star\n  hosts: %u\n  rate: %uGbps\n", d->hosts, d->rate_gbps);
    draw_delays(d, 0);
}

/* Some hosts of a rack or two are slower, as where two generations of servers share a network. */
static void draw_slow_hosts(struct draw *d, uint32_t per_rack)
{
    uint32_t slow = between(d, 1, max_u32(d->racks / 2, 1)) * per_rack, part = ONE_OF(d, 2, 4);

    fprintf(d->out, "  link_rates:\n");
    for (uint32_t i = 0; i < slow; i++)
        fprintf(d->out, "    - {a: h%u, b: tor%u, rate: %gGbps}\n", i, i / per_rack,
                (double)d->rate_gbps / part);
    d->left /= part;             /* a load is the same for all hosts */
}

static void draw_failure(struct draw *d, uint32_t spines)
{
    uint32_t down_us = between(d, 500, 2000);

    fprintf(d->out, "  links_down:\n    - {a: tor%u, b: spine%u, down: %uus", between(d, 0, d->racks - 1),
            between(d, 0, spines - 1), down_us);
    if (chance(d, 0.5))
        fprintf(d->out, ", up: %uus", down_us + between(d, 500, 5000));
    fprintf(d->out, "}\n");
}

static void draw_clos(struct draw *d)
{
    uint32_t per_rack = between(d, 4, 16), spines = between(d, 1, 4),
        up_gbps = min_u32(d->rate_gbps * ONE_OF(d, 1, 1, 2, 4), 1600);

    d->racks = between(d, 2, 8);
    d->hosts = d->racks * per_rack;
    d->path = 4;
    fprintf(d->out, "topology:\n  kind: clos\n  tors: %u\n  hosts_per_tor: %u\n  spines: %u\n  rate: "
            "%uGbps\n  fabric_rate: %uGbps\n", d->racks, per_rack, spines, d->rate_gbps, up_gbps);
    draw_delays(d, up_gbps);
    d->ports = max_u32(per_rack + spines, d->racks);
    if (chance(d, 0.2))
        draw_slow_hosts(d, per_rack);
    if (spines > 1 && chance(d, 0.2))
        draw_failure(d, spines);
}

static void draw_fat_tree(struct draw *d)
{
    uint32_t k = ONE_OF(d, 4, 4, 6, 8);

    d->hosts = k * k * k / 4;
    d->ports = k;
    d->path = 6;
    fprintf(d->out, "topology:\n  kind: fat_tree\n  k: %u\n  rate: %uGbps\n", k, d->rate_gbps);
    draw_delays(d, 0);
}

/* Three tiers; the upper ones are oversubscribed. */
static void draw_pods(struct draw *d)
{
    uint32_t pods = between(d, 2, 3), tors = between(d, 2, 4), per_rack = between(d, 4, 8),
        aggs = between(d, 1, 2);
    uint32_t cores = between(d, 1, 2), up_gbps = min_u32(d->rate_gbps * ONE_OF(d, 1, 2, 4), 1600);
    double   us = octaves(d, 0.3, 24);

    assert(tors > 0);
    d->racks = pods * tors;
    d->ports = max_u32(per_rack + aggs, max_u32(tors + cores, pods * aggs));
    d->wire_bytes = 750 * us * up_gbps;
    d->hosts = d->racks * per_rack;
    d->path = 6;
    fprintf(d->out, "topology:\n  kind: graph\n  hosts: %u\n  switches: [", d->hosts);
    for (uint32_t i = 0; i < d->racks; i++)
        fprintf(d->out, "tor%u, ", i);
    for (uint32_t i = 0; i < pods * aggs; i++)
        fprintf(d->out, "agg%u, ", i);
    for (uint32_t i = 0; i < cores; i++)
        fprintf(d->out, "core%u%s", i, i + 1 < cores ? ", " : "]\n  links:\n");
    for (uint32_t i = 0; i < d->hosts; i++)
        fprintf(d->out, "    - {a: h%u, b: tor%u, rate: %uGbps, delay: %.0fns}\n", i, i / per_rack,
                d->rate_gbps, 1000 * us);
    for (uint32_t t = 0; t < d->racks; t++)
        for (uint32_t a = 0; a < aggs; a++)
            fprintf(d->out, "    - {a: tor%u, b: agg%u, rate: %uGbps, delay: %.0fns}\n", t,
                    t / tors * aggs + a, up_gbps, 1000 * us);
    for (uint32_t a = 0; a < pods * aggs; a++)
        for (uint32_t c = 0; c < cores; c++)
            fprintf(d->out, "    - {a: agg%u, b: core%u, rate: %uGbps, delay: %.0fns}\n", a, c, up_gbps,
                    3000 * us);
}

static void draw_rails(struct draw *d)
{
    uint32_t servers = between(d, 3, 12), gpus = ONE_OF(d, 4, 8), spines = between(d, 2, 4);

    d->ports = max_u32(servers + spines, gpus);
    d->hosts = servers * gpus;
    d->path = 3;                 /* much stays on its rail */
    d->has_servers = true;
    fprintf(d->out, "topology:\n  kind: rail_optimized\n  servers: %u\n  gpus: %u\n  spines: %u\n  rate: "
        "%uGbps\n", servers, gpus,
            spines, d->rate_gbps);
    draw_delays(d, d->rate_gbps);
}

static void draw_planes(struct draw *d)
{
    uint32_t tors = between(d, 2, 4), per_rack = between(d, 4, 8), spines = between(d, 2, 4);

    d->ports = per_rack + spines;
    d->hosts = tors * per_rack;
    d->path = 4;
    fprintf(d->out, "topology:\n  kind: multi_plane\n  planes: 2\n  tors: %u\n  hosts_per_tor: %u\n  spines: "
            "%u\n  rate: %uGbps\n", tors, per_rack, spines, d->rate_gbps);
    draw_delays(d, d->rate_gbps);
}

static void draw_topology(struct draw *d)
{
    static void (*const kinds[])(struct draw *) = {
        draw_star, draw_clos, draw_clos, draw_clos, draw_fat_tree, draw_pods, draw_pods, draw_rails,
            draw_rails, draw_planes,
    };

    d->rate_gbps = ONE_OF(d, 25, 50, 100, 100, 200, 400, 400, 800);
    kinds[rng_below(&d->rng, sizeof(kinds) / sizeof(*kinds))](d);
}

/* ---- devices ---- */

/* A buffer that has room for the headroom of all ports and as much again. */
static uint32_t buffer_mb(struct draw *d)
{
    double needed = 2 * d->ports * (d->wire_bytes + 8 * d->mtu + 8192);

    return max_u32(ONE_OF(d, 8, 16, 32, 64), (uint32_t)(needed / 1e6) + 1);
}

static void draw_devices(struct draw *d)
{
    bool is_lossless = chance(d, 0.85), is_selective = !is_lossless || chance(d, 0.2);

    d->mtu = ONE_OF(d, 1024, 1024, 4096);
    fprintf(d->out, "host: {mtu: %u, ack_every: %u%s}\n", d->mtu, ONE_OF(d, 1, 1, 4, 16, 64),
            is_selective ? ", retransmit: selective" : "");
    fprintf(d->out, "switch: {buffer: %uMB, lossless: %s}\n", buffer_mb(d), is_lossless ? "yes" : "no");
}

/* ---- traffic ---- */

static const char *const tables[] = { "FB_Hadoop", "WebSearch", "AliStorage2019", "GoogleRPC", "SolarRPC",
                                      "Homa_FB_Hadoop_W4" };

/* A share of the remaining capacity of the links, in whole percents. */
static uint32_t draw_load(struct draw *d, uint32_t least, uint32_t most)
{
    uint32_t percent = max_u32(min_u32(between(d, least, most), (uint32_t)(100 * d->left)), 2);

    d->left = d->left > percent / 100.0 ? d->left - percent / 100.0 : 0;
    d->load += percent / 100.0;
    return percent;
}

/* Some traffic comes for a while only. */
static void draw_times(struct draw *d)
{
    uint32_t start_us = between(d, 200, 2000);

    if (chance(d, 0.3))
        fprintf(d->out, ", start: %uus, for: %uus", start_us, between(d, 1000, 8000));
}

static void draw_poisson(struct draw *d)
{
    fprintf(d->out, "  - {kind: poisson, sizes: %s, load: %u%%", name_of(d, tables, 6), draw_load(d, 10, 70));
    if (chance(d, 0.4))
        fprintf(d->out, ", qps: %u", ONE_OF(d, 1, 4, 16));
    draw_times(d);
    fprintf(d->out, "}\n");
}

static void draw_rpc(struct draw *d)
{
    fprintf(d->out, "  - {kind: rpc, sizes: %s, load: %u%%", name_of(d, tables + 2, 3), draw_load(d, 5, 40));
    if (chance(d, 0.5))          /* a few servers that all call */
        fprintf(d->out, ", servers: %u", between(d, d->hosts / 4 + 1, d->hosts));
    draw_times(d);
    fprintf(d->out, "}\n");
}

static void draw_incast(struct draw *d)
{
    uint32_t senders = between(d, 3, min_u32(d->hosts - 1, 32));
    /* that the receiver's link needs for a burst */
    double   kb = octaves(d, 8, 56), us = 8 * kb * senders / d->rate_gbps;

    fprintf(d->out, "  - {kind: incast, senders: %u, receiver: h%u, size: %.0fKB, period: %.0fus}\n", senders,
            between(d, 0, d->hosts - 1), kb, us * between(d, 2, 6) + 20);
    d->load += 0.3 / d->hosts;
}

static void draw_storage(struct draw *d)
{
    static const char *const presets[] = { "oltp", "olap", "vdi", "exchange", "video", "backup" };

    fprintf(d->out, "  - {kind: storage, preset: %s, depth: %u, replicas: %u}\n", name_of(d, presets, 6),
            ONE_OF(d, 1, 4, 16), between(d, 1, min_u32(d->hosts / 4, 3)));
    d->load += 0.3;
}

static void draw_posted(struct draw *d)
{
    fprintf(d->out, "  - {kind: posted, pattern: many_to_one, hosts: %u, receiver: h%u, size: %.0fKB, "
            "outstanding: %u, qps: %u}\n", between(d, 2, min_u32(d->hosts / 2, 8)), d->hosts - 1,
            octaves(d, 16, 48), ONE_OF(d, 1, 4), ONE_OF(d, 1, 2));
    d->load += 1.0 / d->hosts;
}

static void draw_tcp(struct draw *d)
{
    fprintf(d->out, "  - {kind: tcp, sizes: %s, load: %u%%}\n", name_of(d, tables, 2), draw_load(d, 5, 25));
}

static void draw_step(struct draw *d, const char *collective, const char *group, double kb)
{
    fprintf(d->out, "      - {compute: %uus, collective: %s, group: %s, size: %.0fKB}\n", between(d, 0, 200),
            collective, group, kb);
}

static void draw_job(struct draw *d, uint32_t workers, uint32_t skip)
{
    uint32_t tensor = ONE_OF(d, 1, 2), pipeline = ONE_OF(d, 1, 2);

    fprintf(d->out, "  - kind: training\n    name: job%u\n    workers: %u\n    skip: %u\n    placement: "
        "%s\n", ++d->jobs, workers, skip,
            chance(d, 0.5) ? "packed" : "spread");
    fprintf(d->out, "    groups: {tensor: %u, pipeline: %u}\n    steps:\n", tensor, pipeline);
    if (tensor > 1)
        draw_step(d, "ring_all_reduce", "tensor", octaves(d, 200, 24));
    if (pipeline > 1)
        draw_step(d, "send_next", "pipeline", octaves(d, 200, 24));
    draw_step(d, chance(d, 0.5) ? "ring_all_reduce" : "all_to_all", "data", octaves(d, 200, 40));
    fprintf(d->out, "      - {compute: %uus}\n", between(d, 20, 400));
}

static void draw_training(struct draw *d)
{
    static const char *const collectives[] = { "all_to_all", "ring_all_reduce", "tree_all_reduce",
                                               "halving_doubling_all_reduce" };
    uint32_t                 half = d->hosts / 8 * 4;        /* groups divide it */

    if (half >= 8 && !d->has_servers && chance(d, 0.5)) {    /* two jobs with groups */
        draw_job(d, half, 0);
        draw_job(d, half, half);
    } else
        fprintf(d->out, "  - {kind: training, collective: %s, size: %.0fKB, compute: %uus}\n",
                name_of(d, collectives, 4), octaves(d, 64, 40), between(d, 0, 500));
    d->load += 0.4;
}

static void draw_traffic(struct draw *d)
{
    static void (*const kinds[])(struct draw *) = {
        draw_poisson, draw_poisson, draw_poisson, draw_rpc, draw_incast, draw_storage, draw_posted,
            draw_training, draw_training,
    };
    uint32_t entries = between(d, 1, 3);

    fprintf(d->out, "traffic:\n");
    for (uint32_t i = 0; i < entries; i++)
        kinds[rng_below(&d->rng, sizeof(kinds) / sizeof(*kinds))](d);
    if (!d->has_servers && chance(d, 0.15))
        draw_tcp(d);
}

void draw_workload(uint64_t seed, uint64_t hops, FILE *out)
{
    struct draw d = { .out = out, .left = 0.8 };

    rng_init(&d.rng, seed, DRAW_VERSION);
    fprintf(out, "# Drawn by anole draw-workload --seed %" PRIu64 " (generator %d).\n", seed, DRAW_VERSION);
    draw_topology(&d);
    draw_devices(&d);
    draw_traffic(&d);
    double bytes_per_us = d.hosts * d.rate_gbps * 125.0 * (d.load < 1 ? d.load : 1);
    double us = (double)hops * (d.mtu + HEADER) / (bytes_per_us * d.path);
    fprintf(out, "run: %.0fus\nseed: %" PRIu64 "\n", clamp_real(us, RUN_US_MIN, RUN_US_MAX), seed);
}
