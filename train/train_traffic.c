/* train/train_traffic.c - random training traffic.
 *
 * It follows section 4.3 of the ACC paper: incast of 2 to 64 senders with 1 to 1000 flows of 10 KB to 10 MB,
 * loads of 10 to 90 %, and application traces. WebSearch, DataMining, storage and training collectives stand
 * for the traces. Collectives include all-to-all and halving-doubling but not rings, which are reserved for
 * tests on unseen traffic.
 *
 * "published" is limited to that section: incast, storage, and collectives for its distributed training and
 * HPC. It omits WebSearch and DataMining, which the paper's experiments use. Networks have 3 or 5 leaves,
 * unlike any of the experiments.
 */
#include "base/rng.h"
#include "base/text.h"
#include "train/train.h"

#include <inttypes.h>
#include <string.h>

#define GBPS  1e9
#define QUICK 20                 /* factor by which quick runs are shorter */
#define DCQCN_NIC "nic: dcqcn_paper\n"

const char *const train_nics_names[] = { "both", "nvidia", "dcqcn", NULL };
const char *const train_traffic_names[] = { "all", "published", NULL };
const char *const train_traffic_about[] = {
    "incast of 2 to 64 senders, 1 to 1000 flows of 10 KB to 10 MB, load 10 to 90 %; WebSearch and DataMining "
    "at 10 to "
    "90 %; storage; all-to-all and halving-doubling training: train/train_traffic.c",
    "incast of 2 to 64 senders, 1 to 1000 flows of 10 KB to 10 MB, load 10 to 90 %; storage; all-to-all and "
    "halving-doubling training: train/train_traffic.c",
};
const char *const train_static[TRAIN_STATICS] = { "secn1", "secn2", "secn0", "vendor" };

/* ---- random networks ---- */

struct traffic_draw {
    struct rng      rng;
    FILE           *out;
    double          host_bps, run_us;
    uint32_t        hosts;
    enum train_nics nics;
    enum train_traffic traffic;
    bool            is_quick;
};

static double uniform(struct traffic_draw *d, double low, double high)
{
    return low + (high - low) * rng_real(&d->rng);
}

static uint32_t draw_below(struct traffic_draw *d, uint32_t n)
{
    return (uint32_t)rng_below(&d->rng, n);
}

/* Draws a value such that every doubling of 'low' is equally likely. */
static double draw_log_uniform(struct traffic_draw *d, double low, double high)
{
    uint32_t doublings = 1;

    for (double x = low; x * 2 < high; x *= 2)
        doublings++;
    low *= (double)(1u << draw_below(d, doublings));
    return uniform(d, low, low * 2 < high ? low * 2 : high);
}

static void print_star(struct traffic_draw *d)
{
    static const uint32_t hosts[] = { 9, 17, 33, 65 };

    d->host_bps = (draw_below(d, 3) == 0 ? 100 : 25) * GBPS;
    d->hosts = hosts[draw_below(d, d->host_bps > 50 * GBPS ? 3 : 4)];
    fprintf(d->out, "topology: {kind: star, hosts: %u, rate: %.0fGbps, delay: %.1fus}\n", d->hosts,
            d->host_bps / GBPS, uniform(d, 0.5, 3));
}

static void print_clos(struct traffic_draw *d)
{
    static const uint32_t per_tor[] = { 4, 8, 12, 16 };
    uint32_t tors = 2 + 2 * draw_below(d, 2), hosts = per_tor[draw_below(d, tors == 4 ? 2 : 4)];

    d->host_bps = (draw_below(d, 4) == 0 ? 100 : 25) * GBPS;
    if (d->host_bps > 50 * GBPS && hosts > 8)
        hosts = 8;
    if (d->traffic == TRAIN_PUBLISHED)
        tors++;
    d->hosts = tors * hosts;
    fprintf(d->out, "topology: {kind: clos, tors: %u, hosts_per_tor: %u, spines: 2, rate: %.0fGbps, "
            "fabric_rate: %sGbps, delay: %.1fus}\n", tors, hosts, d->host_bps / GBPS,
            d->host_bps > 50 * GBPS ? "200" : "100", uniform(d, 0.5, 2));
}

/* ---- random NICs ---- */

/* NVIDIA's defaults, or those of the DCQCN paper. With the latter, ECN thresholds rather than PFC keep queues
 * short. The long RTO avoids retransmission of packets that PFC holds for more than 4 ms. */
static void print_nics(struct traffic_draw *d)
{
    fprintf(d->out, "host: {mtu: %u, rto: 100ms}\n", draw_below(d, 2) ? 4096u : 1000u);
    if (d->nics == TRAIN_DCQCN || (d->nics == TRAIN_BOTH && draw_below(d, 2)))
        fprintf(d->out, DCQCN_NIC);
}

/* ---- random traffic ---- */

static void print_poisson(struct traffic_draw *d, const char *sizes, double low, double high)
{
    fprintf(d->out, "  - {kind: poisson, sizes: %s, load: %.2f}\n", sizes, uniform(d, low, high));
}

/* Bursts at a given load, with as many flows as fit into a third of the run. */
static void print_incast(struct traffic_draw *d, const char *more)
{
    double load = uniform(d, 0.1, 0.9), size = draw_log_uniform(d, 10e3, 10e6),
           flows = draw_log_uniform(d, 1, 1000);
    uint32_t senders = (uint32_t)draw_log_uniform(d, 2, d->hosts - 1 < 64 ? d->hosts - 1 : 64);
    double   bits_max = d->host_bps * d->run_us / 1e6 / 3 * load, bits = 8 * size * senders;

    if (flows * bits > bits_max)
        flows = bits_max / bits;
    if (flows < 1) {
        flows = 1;
        size = size * bits_max / bits < 10e3 ? 10e3 : size * bits_max / bits;
    }
    bits = 8 * size * senders * (double)(uint32_t)flows;
    fprintf(d->out, "  - {kind: incast, senders: %u, size: %.0f, flows: %u, period: %.1fus%s}\n", senders,
            size, (uint32_t)flows, bits / (d->host_bps * load) * 1e6, more);
}

static void print_many(struct traffic_draw *d)
{
    uint32_t hosts = (uint32_t)draw_log_uniform(d, 2, d->hosts - 1 < 16 ? d->hosts - 1 : 16);

    fprintf(d->out, "  - {kind: many_to_one, hosts: %u, qps: %u, spread: %.0fus}\n", hosts,
            (uint32_t)draw_log_uniform(d, 1, 32), d->run_us < 5000 ? d->run_us / 5 : 1000);
}

static void print_storage(struct traffic_draw *d)
{
    static const char *const preset[] = { "oltp", "olap", "vdi", "exchange", "video", "backup" };

    fprintf(d->out, "  - {kind: storage, preset: %s, depth: %u, replicas: 2}\n", preset[draw_below(d, 6)],
            4u << 2 * draw_below(d, 3));
}

static void print_training(struct traffic_draw *d)
{
    bool   is_exchange = draw_below(d, 2) == 0;
    double size = draw_log_uniform(d, 100e3, 4e6);

    fprintf(d->out, "  - {kind: training, workers: 8, placement: spread, collective: %s, size: %.0f, "
            "compute: %.0fus}\n", is_exchange ? "halving_doubling_all_reduce" : "all_to_all",
            is_exchange ? 8 * size : size, uniform(d, 50, 1000));
}

static void print_influx(struct traffic_draw *d)
{
    char more[80];
    double start = uniform(d, 0.2, 0.5) * d->run_us;

    print_poisson(d, draw_below(d, 2) ? "WebSearch" : "DataMining", 0.2, 0.6);
    snprintf(more, sizeof more, ", start: %.0fus, for: %.0fus", start, 0.4 * d->run_us);
    print_incast(d, more);
}

/* Half incast, half applications; the paper does not state the shares. */
static void print_published(struct traffic_draw *d)
{
    uint32_t kind = draw_below(d, 8);

    if (kind < 3)
        print_incast(d, "");
    else if (kind < 4)
        print_many(d);
    else if (kind < 6)
        print_storage(d);
    else
        print_training(d);
}

static void print_traffic(struct traffic_draw *d)
{
    uint32_t kind = draw_below(d, 20);

    if (kind < 8)
        print_poisson(d, "WebSearch", 0.1, 0.9);
    else if (kind < 11)
        print_poisson(d, "DataMining", 0.1, 0.9);
    else if (kind < 14)
        print_incast(d, "");
    else if (kind < 16)
        print_many(d);
    else if (kind < 17)
        print_storage(d);
    else if (kind < 18)
        print_training(d);
    else
        print_influx(d);
}

/* Similar cost for every run: host links carry at most 10 Gbit. */
static double run_us(const struct traffic_draw *d)
{
    double us = 10 * GBPS / (d->hosts * d->host_bps) * 1e6;

    return (us < 5000 ? 5000 : us > 20000 ? 20000 : us) / (d->is_quick ? QUICK : 1);
}

char *train_scenario(uint64_t seed, uint32_t round, uint32_t run, enum train_nics nics,
                     enum train_traffic traffic, bool is_quick)
{
    struct traffic_draw d = { .nics = nics, .traffic = traffic, .is_quick = is_quick };
    char       *text;

    rng_init(&d.rng, seed, (uint64_t)round << 32 | run);
    d.out = text_stream(&text);
    if (draw_below(&d, 5) < 2)
        print_star(&d);
    else
        print_clos(&d);
    print_nics(&d);
    d.run_us = run_us(&d);
    fprintf(d.out, "run: %.0fus\ntraffic:\n", d.run_us);
    if (traffic == TRAIN_PUBLISHED)
        print_published(&d);
    else
        print_traffic(&d);
    fclose(d.out);
    return text;
}

/* ---- check traffic ---- */

#define HOSTS  "host: {mtu: 4096, rto: 100ms}\n"
#define CLOS(tor, spines)                                                                        \
    "topology: {kind: clos, tors: 4, hosts_per_tor: " tor ", spines: " spines ", rate: 25Gbps, " \
    "fabric_rate: 100Gbps, delay: 1us}\n" HOSTS
#define WEB(load, more) "traffic: [{kind: poisson, sizes: WebSearch, load: " load ", stop: T" more "}]\n"

/* T is the duration. All but one run until their last flow has ended, because a cut ignores slow flows. */
static const struct { uint32_t us; const char *text; } checks[TRAIN_CHECKS / 2] = {
    { 20000, CLOS("8", "2") WEB("60%", "") },
    { 20000, CLOS("8", "2") WEB("90%", "") },
    { 15000, CLOS("12", "1") WEB("80%", ", of: bisection") },
    { 6000, CLOS("12", "1")
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 60%, of: bisection, stop: T}]\n" },
    { 10000, "topology: {kind: star, hosts: 17, rate: 100Gbps, delay: 1us}\n" HOSTS "traffic:\n"
      "  - {kind: poisson, sizes: WebSearch, load: 40%, stop: T}\n"
      "  - {kind: incast, senders: 16, size: 64KB, period: 300us, stop: T}\n" },
    { 12000, CLOS("12", "1") "run: T\ntraffic:\n"
      "  - {kind: training, workers: 16, placement: spread, collective: all_to_all, size: 1MB, "
      "compute: 500us}\n"
      "  - {kind: poisson, sizes: SolarRPC, load: 10%}\n" },
};

static void print_check(FILE *out, const char *text, uint32_t us)
{
    for (const char *at = text; *at; at++) {
        if (*at == 'T' && at[-1] == ' ' && !strchr("abcdefghijklmnopqrstuvwxyz", at[1]))
            fprintf(out, "%uus", us);
        else
            fputc(*at, out);
    }
}

char *train_check_scenario(uint32_t number, uint64_t seed, enum train_nics nics, bool is_quick)
{
    uint32_t which = number % (TRAIN_CHECKS / 2);
    bool     is_second = number >= TRAIN_CHECKS / 2;
    char    *text;
    FILE    *out = text_stream(&text);

    fprintf(out, "seed: %" PRIu64 "\n", 2 * seed + is_second);
    if (nics == TRAIN_DCQCN || (nics == TRAIN_BOTH && is_second))
        fprintf(out, DCQCN_NIC);
    print_check(out, checks[which].text, checks[which].us / (is_quick ? QUICK : 1));
    fclose(out);
    return text;
}
