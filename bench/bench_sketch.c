/* bench/bench_sketch.c - what PARALEON's monitor costs and how well it sees.
 *
 *   bench_sketch [-n RUNS] [PART...]          parts: sketch, states, controller; all by default
 *
 * sketch:     10 M packets of 1 M flows whose popularity is Zipf's with exponent 1.1, five-tuple keys, byte counts.
 *             Heavy hitters are flows of more than 0.01 % of the bytes; where all packets are alike, of the packets.
 * states:     65,536 flows that send in every interval: reading the sketch, flow states, local distribution.
 * controller: what happens once per interval with the distributions of 128 ToRs and the metrics of 2,048 uplinks.
 */
#include "base/err.h"
#include "base/rng.h"
#include "bench.h"
#include "core/units.h"
#include "meter/elastic.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define RUNS    5
#define PACKETS 10000000u
#define FLOWS   1000000u

struct packet { struct flow_key key; uint32_t bytes; };

struct trace {
    struct packet *packet;
    uint32_t      *flow;         /* of each packet */
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
    uint32_t *small = xmalloc(n * sizeof(*small)), *large = xmalloc(n * sizeof(*large)), smalls = 0, larges = 0;
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
    return flow_key_tuple(0x0a000000u | flow % 4096, 0x0a010000u | flow / 4096, (uint16_t)(49152 + flow % 13000),
                          4791, 17);
}

static void trace_init(struct trace *t, bool is_mixed)
{
    static const uint32_t sizes[] = { 64, 256, 1000, 1500 };
    struct alias alias;
    struct rng rng;

    *t = (struct trace){ .packet = xmalloc(PACKETS * sizeof(*t->packet)), .flow = xmalloc(PACKETS * sizeof(*t->flow)),
                         .bytes = xcalloc(FLOWS, sizeof(*t->bytes)) };
    rng_init(&rng, 1, 0);
    alias_init(&alias, FLOWS);
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint32_t flow = alias_draw(&alias, FLOWS, &rng), bytes = is_mixed ? sizes[rng_next(&rng) >> 62] : 1000;

        t->packet[i] = (struct packet){ key_of(flow), bytes };
        t->flow[i] = flow;
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
    free(t->flow);
    free(t->bytes);
}

static void insert_all(struct elastic *e, const struct trace *t)
{
    for (uint32_t i = 0; i < PACKETS; i++)
        elastic_insert(e, &t->packet[i].key, t->packet[i].bytes);
}

static double insert_s(struct elastic *e, const struct trace *t, int runs)
{
    /* A pointer the compiler cannot see through: a profiler finds the loop by name. */
    void (*volatile insert)(struct elastic *, const struct trace *) = insert_all;
    double best = 1e9;

    for (int i = 0; i < runs; i++) {
        double start_s;

        elastic_reset(e);
        start_s = bench_cpu_s();
        insert(e, t);
        best = bench_cpu_s() - start_s < best ? bench_cpu_s() - start_s : best;
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
    uint32_t max = e->buckets * ELASTIC_SLOTS;
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

static void bench_insert(const char *name, const struct elastic_cfg *cfg, const struct trace *t, int runs)
{
    struct elastic e;
    struct hits h;

    elastic_init(&e, cfg);
    print(name, "insert", PACKETS / insert_s(&e, t, runs) * 1e-6, "Mpackets/s");
    h = find_heavy_hitters(&e, t);
    print(name, "heavy_hitters", h.real, "flows");
    print(name, "precision", h.found ? (double)h.right / h.found : 0, "ratio");
    print(name, "recall", h.real ? (double)h.right / h.real : 0, "ratio");
    print_scientific(name, "error", h.error, "ratio");
    print_scientific(name, "cardinality_error", elastic_cardinality(&e) / t->flows - 1, "ratio");
    print(name, "memory", (double)elastic_bytes(&e) / 1024, "KiB");
    elastic_fini(&e);
}

int main(void)
{
    struct trace t;
    trace_init(&t, false);
    printf("flows %u\n", t.flows);
    bench_insert("plain", &(struct elastic_cfg){ .seed = 1 }, &t, RUNS);
    bench_insert("small", &(struct elastic_cfg){ .seed = 1, .heavy_bytes = 872*64 }, &t, RUNS);
    bench_insert("published", &(struct elastic_cfg){ .seed = 1, .published = true }, &t, RUNS);
    trace_fini(&t);
    trace_init(&t, true);
    bench_insert("mixed", &(struct elastic_cfg){ .seed = 1 }, &t, RUNS);
    trace_fini(&t);
}
