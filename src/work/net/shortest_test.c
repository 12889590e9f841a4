#include "work/net/shortest.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SWITCHES 150u            /* more than two batches of targets */
#define FAR      100000u

struct fabric {
    struct graph     graph;
    struct adjacency adjacency;
    uint32_t        *first_port;
    bool            *down;
    uint32_t         target[SWITCHES];
};

/* A random graph of switches: some links are parallel, some are down, some switches are isolated. Every
 * switch is a target, in random order, and a few targets are no switches. */
static void make_fabric(struct fabric *f, struct rng *r, uint32_t links)
{
    uint32_t port = 0;

    graph_init(&f->graph);
    for (uint32_t i = 0; i < SWITCHES; i++)
        graph_add_node(&f->graph, true, NULL);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t a = (uint32_t)rng_below(r, SWITCHES), b = (uint32_t)rng_below(r, SWITCHES);

        if (a != b)
            graph_add_link(&f->graph, &(struct graph_link){ .a = a, .b = b, .rate_bps = 1, .delay_ps = 1 });
    }
    f->down = calloc(f->graph.links + 1, sizeof *f->down);
    f->first_port = calloc(SWITCHES + 1, sizeof *f->first_port);
    for (uint32_t i = 0; i < f->graph.links; i++)
        f->down[i] = rng_below(r, 10) == 0;
    for (uint32_t n = 0; n < SWITCHES; n++) {
        f->first_port[n] = port;
        for (uint32_t i = 0; i < f->graph.links; i++)
            port += (f->graph.link[i].a == n) + (f->graph.link[i].b == n);
        f->target[n] = n;
    }
    for (uint32_t i = SWITCHES; i-- > 1;) {
        uint32_t j = (uint32_t)rng_below(r, i + 1), was = f->target[i];

        f->target[i] = f->target[j];
        f->target[j] = was;
    }
    f->target[3] = f->target[70] = ADJACENCY_NONE;
    adjacency_init(&f->adjacency, &f->graph, f->first_port, f->down, false);
}

static void free_fabric(struct fabric *f)
{
    adjacency_fini(&f->adjacency);
    graph_fini(&f->graph);
    free(f->down);
    free(f->first_port);
}

/* All distances by the Floyd-Warshall algorithm. */
static uint32_t *all_distances(const struct fabric *f)
{
    uint32_t *d = calloc(SWITCHES * SWITCHES, sizeof *d);

    for (uint32_t i = 0; i < SWITCHES * SWITCHES; i++)
        d[i] = i / SWITCHES == i % SWITCHES ? 0 : FAR;
    for (uint32_t i = 0; i < f->graph.links; i++) {
        const struct graph_link *l = &f->graph.link[i];

        if (!f->down[i])
            d[l->a * SWITCHES + l->b] = d[l->b * SWITCHES + l->a] = 1;
    }
    for (uint32_t k = 0; k < SWITCHES; k++)
        for (uint32_t i = 0; i < SWITCHES; i++)
            for (uint32_t j = 0; j < SWITCHES; j++)
                if (d[i * SWITCHES + k] + d[k * SWITCHES + j] < d[i * SWITCHES + j])
                    d[i * SWITCHES + j] = d[i * SWITCHES + k] + d[k * SWITCHES + j];
    return d;
}

static void expect_distances(const struct shortest *s, const struct fabric *f, const uint32_t *d)
{
    for (uint32_t n = 0; n < SWITCHES; n++)
        for (uint32_t t = 0; t < SWITCHES; t++) {
            uint32_t want = f->target[t] == ADJACENCY_NONE ? FAR : d[n * SWITCHES + f->target[t]];

            assert_int_equal(s->distance[n * SWITCHES + t], want == FAR ? SHORTEST_FAR : want);
        }
}

/* Expected next hops, from the links of the graph: ports that lead nearer. Bit i: the i-th next hop in
 * order. */
static uint32_t expected_hops(const struct fabric *f, const uint32_t *d, uint32_t n, uint32_t target,
                              uint32_t *port)
{
    uint32_t count = 0;

    for (uint32_t to = SWITCHES; to-- > 0;) {
        uint32_t at = f->first_port[n];

        for (uint32_t i = 0; i < f->graph.links; i++) {
            const struct graph_link *l = &f->graph.link[i];
            uint32_t                 other = l->a == n ? l->b : l->a;

            if (l->a != n && l->b != n)
                continue;
            if (other == to && !f->down[i] && d[n * SWITCHES + target] < FAR &&
                d[to * SWITCHES + target] + 1 == d[n * SWITCHES + target])
                port[count++] = at;
            at++;
        }
    }
    return count;
}

static void shortest_name_sets__differ_where_next_hops_do(void **unused)
{
    static const uint32_t links[] = { 60, 170, 400, 2000 };
    struct rng            r;

    (void)unused;
    rng_init(&r, 5, 0);
    for (uint32_t round = 0; round < sizeof links / sizeof *links; round++) {
        struct fabric   f;
        struct shortest s;
        uint32_t       *d, port[2][4000];
        uint64_t        name[SWITCHES];

        make_fabric(&f, &r, links[round]);
        d = all_distances(&f);
        shortest_init(&s, &f.adjacency, f.target, SWITCHES);
        expect_distances(&s, &f, d);
        for (uint32_t n = 0; n < SWITCHES; n += 7) {
            uint32_t *hops = calloc(SWITCHES * 64, sizeof *hops), *count = calloc(SWITCHES, sizeof *count);

            shortest_name_sets(&s, n, name);
            for (uint32_t t = 0; t < SWITCHES; t++) {
                count[t] = f.target[t] == ADJACENCY_NONE ? 0 : expected_hops(&f, d, n, f.target[t], port[0]);
                assert_true(count[t] < 64);
                memcpy(hops + (size_t)t * 64, port[0], count[t] * sizeof *hops);
                assert_int_equal(shortest_hops(&s, n, t, port[1]), count[t]);
                assert_memory_equal(port[0], port[1], count[t] * sizeof **port);
            }
            for (uint32_t a = 0; a < SWITCHES; a++)
                for (uint32_t b = 0; b < a; b++)
                    assert_int_equal(name[a] == name[b],
                                     count[a] == count[b] &&
                                         memcmp(hops + (size_t)a * 64, hops + (size_t)b * 64,
                                                count[a] * sizeof *hops) == 0);
            free(count);
            free(hops);
        }
        shortest_fini(&s);
        free(d);
        free_fabric(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_name_sets__differ_where_next_hops_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
