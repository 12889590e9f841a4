/* src/meter/monitor/elastic_sizes.c - how many flows a sketch has seen, and of what sizes.
 *
 * The light part is m counters into which flows fall at random: how many are still empty tells how many fell
 * (linear counting), and which values they have tells how large they were. For the latter Elastic Sketch
 * takes Kumar et al.'s expectation maximisation (SIGMETRICS 2004), which guesses how a value v is made up of
 * flows by going through ways to write it as a sum, up to a few terms. That is not needed: if flows of size j
 * fall into a counter at rate r(j), its value is compound Poisson, whose probabilities obey Panjer's
 * recursion
 *
 *   v P(v) = sum over j of j r(j) P(v - j)
 *
 * and, given the value v, the mean number of flows of size j in it is r(j) P(v - j) / P(v). So a round of
 *
 *   r'(j) = 1/m sum over counters of r(j) P(v - j) / P(v)
 *
 * takes every way to write v into account, in sizes^2 steps. P enters as a ratio only: P(0) = 1 will do.
 */
#include "meter/monitor/elastic.h"
#include "base/err.h"
#include "base/rng.h"

#include <stdlib.h>

static uint32_t count_heavy(const struct elastic *e)
{
    uint32_t flows = 0;

    for (uint32_t i = 0; i < e->buckets; i++)
        for (uint32_t entry = 0; entry < ELASTIC_ENTRIES; entry++)
            flows += e->bucket[i].count[entry] > 0;
    return flows;
}

/* Flows that have left something in the light part. */
static double count_light(const struct elastic *e)
{
    uint32_t empty = e->lights - e->lights_used;

    return e->lights * rng_log((double)e->lights / (empty ? empty : 1));
}

static double at_least_0(double x)
{
    return x > 0 ? x : 0;
}

double elastic_light_flows(const struct elastic *e)
{
    return at_least_0(count_light(e) - e->splits);
}

double elastic_cardinality(const struct elastic *e)
{
    return count_heavy(e) + elastic_light_flows(e);
}

static uint32_t size_of(uint64_t bytes, uint32_t quantum_bytes, uint32_t sizes)
{
    uint64_t size = (bytes + quantum_bytes - 1) / quantum_bytes;

    return size < sizes ? (uint32_t)size : sizes;
}

struct em {
    uint32_t  sizes;
    double   *counters;          /* [v]: light counters of value v, 1 .. sizes */
    double   *rate;              /* [j]: flows of size j per counter */
    double   *chance;            /* [v]: P(v), times what makes P(0) 1 */
    double   *next;              /* [j]: flows of size j */
};

static void em_init(struct em *em, const struct elastic *e, uint32_t quantum_bytes, uint32_t sizes)
{
    double flows = count_light(e), used = e->lights_used ? e->lights_used : 1;

    em->sizes = sizes;
    em->counters = xcalloc(4 * (sizes + 1ul), sizeof(double));
    em->rate = em->counters + sizes + 1;
    em->chance = em->rate + sizes + 1;
    em->next = em->chance + sizes + 1;
    for (uint32_t i = 0; i < e->lights; i++)
        if (e->light[i])
            em->counters[size_of((uint64_t)e->light[i] * ELASTIC_LIGHT_UNIT, quantum_bytes, sizes)]++;
    /* To begin with, as many flows as linear counting says, of the sizes that counters have. Nothing that is
     * 0 here would ever become more, so that a size that no counter shows gets a grain. */
    for (uint32_t j = 1; j <= sizes; j++)
        em->rate[j] = (em->counters[j] + 1e-3) / used * flows / e->lights;
}

static void em_chances(struct em *em)
{
    em->chance[0] = 1;
    for (uint32_t v = 1; v <= em->sizes; v++) {
        double sum = 0;

        for (uint32_t j = 1; j <= v; j++)
            sum += j * em->rate[j] * em->chance[v - j];
        em->chance[v] = sum / v;
    }
}

static void em_round(struct em *em, uint32_t lights)
{
    em_chances(em);
    for (uint32_t j = 1; j <= em->sizes; j++) {
        double sum = 0;

        for (uint32_t v = j; v <= em->sizes; v++)
            if (em->counters[v] > 0 && em->chance[v] > 0)
                sum += em->counters[v] * em->chance[v - j] / em->chance[v];
        em->next[j] = em->rate[j] * sum;
    }
    for (uint32_t j = 1; j <= em->sizes; j++)
        em->rate[j] = em->next[j] / lights;
}

static void add_heavy(const struct elastic *e, uint32_t quantum_bytes, double *flows, uint32_t sizes)
{
    uint32_t max = e->buckets * ELASTIC_ENTRIES;
    struct elastic_flow *flow = xmalloc(max * sizeof(*flow));
    uint32_t found = elastic_list(e, 1, flow, max);

    for (uint32_t i = 0; i < found; i++)
        flows[size_of(flow[i].bytes, quantum_bytes, sizes) - 1]++;
    free(flow);
}

void elastic_sizes(const struct elastic *e, uint32_t quantum_bytes, uint32_t rounds,
                   double *flows, uint32_t sizes)
{
    double light = count_light(e), keep;
    struct em em;

    em_init(&em, e, quantum_bytes, sizes);
    for (uint32_t i = 0; i < rounds; i++)
        em_round(&em, e->lights);
    /* Flows that are in both parts count in the heavy one. What they left in the light part looks like any of
     * it. */
    keep = light > 0 ? elastic_light_flows(e) / light : 0;
    for (uint32_t j = 0; j < sizes; j++)
        flows[j] = em.next[j + 1] * keep;
    add_heavy(e, quantum_bytes, flows, sizes);
    free(em.counters);
}
