/* bench/bench_sketch.c - what PARALEON's monitor costs and how well it sees.
 *
 *   bench_sketch [-n RUNS] [-p PACKETS] [-s SEED] [PART|CASE...]
 *
 * Parts are sketch, states and controller; all by default.
 *
 * sketch:     10 M packets of 1 M flows whose popularity is Zipf's with exponent 1.1, five-tuple keys, byte
 *             counts. Heavy hitters are flows of more than 0.01 % of the bytes; where all packets are alike,
 *             of the packets.
 * states:     65,536 flows that send in every interval of 1 ms: reading the sketch, flow states, local
 *             distribution. What share of a core that takes, without the packets, which hardware counts.
 * controller: what happens once per interval with the messages of 128 ToRs and 2,048 NICs: distribution of
 *             the network, divergence, utility.
 */
#include "base/err.h"
#include "base/rng.h"
#include "bench.h"
#include "core/fsd.h"
#include "core/units.h"
#include "core/meter/monitor/elastic.h"
#include "core/meter/monitor/flowstate.h"
#include "core/meter/monitor/monitor_utility.h"
#include "monitor_message.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define RUNS    5
#define FLOWS   1000000u

static uint32_t packets = 10000000;
static int      runs = RUNS;
static uint64_t seed = 1;        /* of the sketch's hash; the trace is always the same */

struct packet { struct flow_key key; uint32_t bytes; };

struct trace {
    struct packet *packet;
    uint64_t      *bytes;        /* of each flow */
    uint64_t       bytes_sum;
    uint32_t       flows;        /* that occur */
};

/* x^(1/10) from a guess close by. */
static double tenth_root(double x, double guess)
{
    for (int i = 0; i < 4; i++)
        guess += (x / rng_pow(guess, 9) - guess) / 10;
    return guess;
}

/* Walker's table: flow k of n is drawn with probability proportional to k^-1.1. */
struct alias { double *keep; uint32_t *other; };

static void alias_init(struct alias *a, uint32_t n)
{
    uint32_t *small = xmalloc(n * sizeof(*small)), *large = xmalloc(n * sizeof(*large));
    uint32_t smalls = 0, larges = 0;
    double sum = 0, root = 1;

    a->keep = xmalloc(n * sizeof(*a->keep));
    a->other = xcalloc(n, sizeof(*a->other));
    for (uint32_t i = 0; i < n; i++) {
        root = tenth_root(i + 1.0, root);
        sum += a->keep[i] = 1 / ((i + 1.0) * root);
    }
    for (uint32_t i = 0; i < n; i++) {
        a->keep[i] *= n / sum;
        if (a->keep[i] < 1)
            small[smalls++] = i;
        else
            large[larges++] = i;
    }
    while (smalls && larges) {
        uint32_t s = small[--smalls], l = large[larges - 1];

        a->other[s] = l;
        a->keep[l] -= 1 - a->keep[s];
        if (a->keep[l] < 1)
            larges--, small[smalls++] = l;
    }
    free(small);
    free(large);
}

static uint32_t alias_draw(const struct alias *a, uint32_t n, struct rng *r)
{
    uint32_t i = (uint32_t)rng_below(r, n);

    return rng_real(r) < a->keep[i] || a->keep[i] >= 1 ? i : a->other[i];
}

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_tuple(0x0a000000u | flow % 4096, 0x0a010000u | flow / 4096,
                          (uint16_t)(49152 + flow % 13000), 4791, 17);
}

static void trace_init(struct trace *t, bool is_mixed)
{
    static const uint32_t sizes[] = { 64, 256, 1000, 1500 };
    struct alias alias;
    struct rng rng;

    *t = (struct trace){ .packet = xmalloc(packets * sizeof(*t->packet)),
                         .bytes = xcalloc(FLOWS, sizeof(*t->bytes)) };
    rng_init(&rng, 1, 0);
    alias_init(&alias, FLOWS);
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t flow = alias_draw(&alias, FLOWS, &rng);
        uint32_t bytes = is_mixed ? sizes[rng_next(&rng) >> 62] : 1000;

        t->packet[i] = (struct packet){ key_of(flow), bytes };
        t->flows += t->bytes[flow] == 0;
        t->bytes[flow] += bytes;
        t->bytes_sum += bytes;
    }
    free(alias.keep);
    free(alias.other);
}

static void trace_fini(struct trace *t)
{
    free(t->packet);
    free(t->bytes);
}

/* Memory of a sketch, and of the states of its flows. */
static uint64_t elastic_bytes(const struct elastic *e)
{
    uint64_t entry_bytes_each = sizeof(*e->key) + sizeof(*e->changed);

    return (uint64_t)e->buckets * (sizeof(*e->bucket) + ELASTIC_ENTRIES * entry_bytes_each) +
           (uint64_t)e->lights * sizeof(*e->light) + sizeof(*e);
}

static uint64_t flowstate_table_bytes(const struct flowstate_table *s)
{
    return s->buckets * (sizeof(*s->states) + ELASTIC_ENTRIES * sizeof(*s->owner)) +
           (uint64_t)s->parking_places * sizeof(*s->parked) + sizeof(*s);
}

/* Not inlined, so that a profiler finds it by name. */
static __attribute__((noinline)) void insert_all(struct elastic *e, const struct trace *t)
{
    for (uint32_t i = 0; i < packets; i++)
        elastic_insert(e, &t->packet[i].key, t->packet[i].bytes);
}

static double insert_s(struct elastic *e, const struct trace *t)
{
    double best = 1e9;

    for (int i = 0; i < runs; i++) {
        double start_s;          /* then: how long it took */

        elastic_reset(e);
        start_s = bench_cpu_s();
        insert_all(e, t);
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    return best;
}

static void print(const char *name, const char *what, double value, const char *unit)
{
    char text[96];

    snprintf(text, sizeof(text), "sketch.%s.%s", name, what);
    bench_print(text, value, unit);
}

struct hits { uint32_t real, found, right; double error; };

static struct hits find_heavy_hitters(const struct elastic *e, const struct trace *t)
{
    uint64_t bytes_min = t->bytes_sum / 10000 + 1;
    uint32_t max = e->buckets * ELASTIC_ENTRIES;
    struct elastic_flow *flow = xmalloc(max * sizeof(*flow));
    struct hits h = { .found = elastic_list(e, bytes_min, flow, max) };

    for (uint32_t i = 0; i < FLOWS; i++) {
        struct flow_key key = key_of(i);
        double bytes = (double)elastic_query(e, &key), real = (double)t->bytes[i];

        if (t->bytes[i] < bytes_min)
            continue;
        h.real++;
        h.error += bytes > real ? bytes / real - 1 : 1 - bytes / real;
        for (uint32_t j = 0; j < h.found; j++)
            h.right += flow_key_equal(&flow[j].key, &key);
    }
    h.error /= h.real ? h.real : 1;
    free(flow);
    return h;
}

static void print_scientific(const char *name, const char *what, double value, const char *unit)
{
    printf("sketch.%s.%s %.2e %s\n", name, what, value, unit);
}

static void bench_insert(const char *name, const struct elastic_cfg *cfg, const struct trace *t)
{
    struct elastic e;
    struct hits h;

    elastic_init(&e, cfg);
    print(name, "insert", packets / insert_s(&e, t) * 1e-6, "Mpackets/s");
    h = find_heavy_hitters(&e, t);
    print(name, "heavy_hitters", h.real, "flows");
    print(name, "precision", h.found ? (double)h.right / h.found : 0, "ratio");
    print(name, "recall", h.real ? (double)h.right / h.real : 0, "ratio");
    print_scientific(name, "error", h.error, "ratio");
    print_scientific(name, "cardinality_error",
                     (elastic_list(&e, 1, NULL, 0) + elastic_light_flows(&e)) / t->flows - 1, "ratio");
    print(name, "memory", (double)elastic_bytes(&e) / 1024, "KiB");
    elastic_fini(&e);
}

/* Buckets and whole keys in 150 KB together, instead of buckets alone. */
#define SMALL_HEAVY_BYTES ((150u << 10) / (64 + ELASTIC_ENTRIES * 16) * 64)

struct sketch_case { const char *name; bool is_mixed; struct elastic_cfg cfg; };

static const struct sketch_case sketch_cases[] = {
    { "zipf", false, { .heavy_bytes = ELASTIC_HEAVY_BYTES } },
    { "zipf_keys_in_150KB", false, { .heavy_bytes = SMALL_HEAVY_BYTES } },
    { "zipf_mixed_sizes", true, { .heavy_bytes = ELASTIC_HEAVY_BYTES } },
};

static void bench_sketch(const struct sketch_case *c)
{
    struct elastic_cfg cfg = c->cfg;
    struct trace t;

    cfg.seed = seed;
    trace_init(&t, c->is_mixed);
    bench_insert(c->name, &cfg, &t);
    trace_fini(&t);
}

#define ACTIVE    65536u         /* flows */
#define INTERVALS 40

struct states_case {
    const char *name;
    uint32_t    buckets, light_bytes, parking_places;
    uint32_t    new_flows;       /* per interval, in place of as many old ones */
};

/* 10,240 buckets have an entry for nine flows in ten of 65,536; 2,400 are PARALEON's. */
static const struct states_case states_cases[] = {
    { "active64k", 10240, 150u << 10, 16384, 0 },
    { "active64k_new500", 10240, 150u << 10, 16384, 500 },
    { "active64k_paper_sketch", 2400, 450u << 10, 16384, 0 },
};

/* Three packets of every flow, in an order without meaning. */
static void send_interval(struct elastic *e, uint32_t first_flow)
{
    for (uint32_t i = 0; i < 3 * ACTIVE; i++) {
        struct flow_key key = key_of(first_flow + i * 40503u % ACTIVE);

        elastic_insert(e, &key, 1000);
    }
}

static double read_s(struct flowstate_table *s, struct elastic *e, struct flow_tally *t)
{
    double start_s = bench_cpu_s();
    struct fsd fsd;

    *t = (struct flow_tally){ 0 };
    t->mice = (uint64_t)(elastic_light_flows(e) + 0.5);
    flowstate_table_read(s, e, t);
    flow_tally_write(&s->cfg, t, &fsd);
    return bench_cpu_s() - start_s;
}

static void bench_states(const struct states_case *c)
{
    double best = 1e9, sum = 0;
    struct flowstate_table states;
    struct flow_tally tally;
    struct elastic e;

    elastic_init(&e, &(struct elastic_cfg){ .heavy_bytes = c->buckets * 64, .light_bytes = c->light_bytes });
    flowstate_table_init(&states, (struct flowstate_cfg){ 0 }, c->buckets, c->parking_places);
    for (uint32_t i = 0; i < INTERVALS * (uint32_t)runs + 5; i++) {
        double took_s;

        send_interval(&e, i * c->new_flows);
        took_s = read_s(&states, &e, &tally);
        if (i < 5)
            continue;            /* all flows are new to it at first */
        sum += took_s;
        best = took_s < best ? took_s : best;
    }
    print(c->name, "read_best", best * 1e6, "us");
    print(c->name, "core_best", best * 1e5, "%_at_1ms");
    print(c->name, "core_mean", sum / (INTERVALS * runs) * 1e5, "%_at_1ms");
    print(c->name, "flows_with_state", (double)(tally.elephants + tally.potentials), "flows");
    print(c->name, "memory", (double)(elastic_bytes(&e) + flowstate_table_bytes(&states)) * 1e-6, "MB");
    elastic_fini(&e);
    flowstate_table_fini(&states);
}

#define TORS 128
#define NICS 2048

struct controller {
    uint8_t            from_switch[TORS][MESSAGE_SWITCH_BYTES], from_nic[NICS][MESSAGE_NIC_BYTES];
    struct report_port port[NICS];
    struct kl_trigger  trigger;
    double             utility;
};

static void controller_init(struct controller *c)
{
    struct rng r;

    rng_init(&r, 1, 7);
    kl_trigger_init(&c->trigger, KL_THETA, KL_EPSILON);
    for (uint32_t i = 0; i < TORS; i++) {
        struct message_switch m = { .fsd = { .mice = 1000 * FSD_ONE } };

        m.fsd.elephants = rng_below(&r, 100) * FSD_ONE;
        for (uint32_t bin = 0; bin < FSD_BINS; bin++)
            m.fsd.bin[bin] = rng_below(&r, 1000);
        message_encode_switch(&m, c->from_switch[i]);
    }
    for (uint32_t i = 0; i < NICS; i++) {
        struct message_nic m = { rng_below(&r, 12500000), rng_real(&r), rng_below(&r, PS_PER_MS) };

        message_encode_nic(&m, c->from_nic[i]);
    }
}

static void read_switches(struct controller *c, struct fsd *network)
{
    *network = (struct fsd){ 0 };
    for (uint32_t i = 0; i < TORS; i++) {
        struct message_switch m;

        message_decode_switch(c->from_switch[i], &m);
        fsd_add(network, &m.fsd);
    }
}

static double read_nics(struct controller *c)
{
    double rtt_sum = 0;

    for (uint32_t i = 0; i < NICS; i++) {
        struct message_nic m;

        message_decode_nic(c->from_nic[i], &m);
        c->port[i] = (struct report_port){ .tx_bytes = m.tx_bytes, .rate_bps = 100000000000,
                                           .paused_ps = m.paused_ps, .is_uplink = true };
        rtt_sum += m.rtt_ratio;
    }
    return rtt_sum / NICS;
}

static __attribute__((noinline)) void controller_step(struct controller *c)
{
    struct report report = { .end_ps = PS_PER_MS, .port = c->port, .ports = NICS };
    struct fsd network;
    double rtt;

    read_switches(c, &network);
    rtt = read_nics(c);
    kl_trigger_step(&c->trigger, &network);
    c->utility = utility(utility_weights_for(&network),
                         (struct utility_terms){ utility_throughput(&report, UTILITY_ACTIVE_SHARE), rtt,
                                                 utility_pfc(&report, false) });
}

static void bench_controller(void)
{
    struct controller *c = xcalloc(1, sizeof(*c));
    double best = 1e9;

    controller_init(c);
    for (int i = 0; i < 100 * runs; i++) {
        double start_s = bench_cpu_s();

        controller_step(c);
        start_s = bench_cpu_s() - start_s;
        best = start_s < best ? start_s : best;
    }
    if (!(c->utility > 0 && c->utility < 1))
        bench_fail("controller", "a utility that cannot be");
    print("controller128tors", "step", best * 1e6, "us");
    free(c);
}

/* By the part's name or its own, or because nothing is named. */
static bool is_wanted(const char *part, const char *name, char **named)
{
    bool wanted = *named == NULL;

    for (; *named; named++)
        wanted |= strcmp(*named, part) == 0 || strcmp(*named, name) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "n:p:s:")) != -1) {
        if (option == 'n' && atoi(optarg) > 0)
            runs = atoi(optarg);
        else if (option == 'p' && atoi(optarg) > 0)
            packets = (uint32_t)atoi(optarg);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else
            bench_fail("usage", "bench_sketch [-n RUNS] [-p PACKETS] [-s SEED] [PART|CASE...]");
    }
    for (size_t i = 0; i < sizeof(sketch_cases) / sizeof(sketch_cases[0]); i++)
        if (is_wanted("sketch", sketch_cases[i].name, argv + optind))
            bench_sketch(&sketch_cases[i]);
    for (size_t i = 0; i < sizeof(states_cases) / sizeof(states_cases[0]); i++)
        if (is_wanted("states", states_cases[i].name, argv + optind))
            bench_states(&states_cases[i]);
    if (is_wanted("controller", "controller128tors", argv + optind))
        bench_controller();
    return 0;
}
