/* tests/fidelity/routes_test.c - compares next hops and their order with those of the HPCC ns-3 fork.
 *
 * Each folder of tests/fidelity/hpcc has the fork's tables in routes.txt.gz, "node dst : port(neighbour) ..."
 * per line, in the order that ECMP uses. Run it at the top of the repository.
 */
#include "base/arena.h"
#include "base/err.h"
#include "peers/hpcc.h"
#include "work/net/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#define FOLDERS "tests/fidelity/hpcc/*/"
#define TEXT    4096

struct net {
    struct graph graph;
    struct arena arena;
    struct route route;
    uint32_t    *first_port;     /* by node, plus one */
    uint32_t    *neighbour;      /* by port */
};

/* Ports are numbered node by node, in the order of the links. */
static void number_ports(struct net *n)
{
    const struct graph *g = &n->graph;
    uint32_t *used = xcalloc(g->nodes, sizeof *used);

    n->first_port = xcalloc(g->nodes + 1, sizeof *n->first_port);
    n->neighbour = xcalloc(2ul * g->links, sizeof *n->neighbour);
    for (uint32_t i = 0; i < g->links; i++)
        n->first_port[g->link[i].a + 1]++, n->first_port[g->link[i].b + 1]++;
    for (uint32_t i = 0; i < g->nodes; i++)
        n->first_port[i + 1] += n->first_port[i];
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t a = g->link[i].a, b = g->link[i].b;

        n->neighbour[n->first_port[a] + used[a]++] = b;
        n->neighbour[n->first_port[b] + used[b]++] = a;
    }
    free(used);
}

static void open_net(struct net *n, const char *folder)
{
    char path[TEXT];
    struct err err;

    snprintf(path, sizeof path, "%stopology.txt", folder);
    if (hpcc_read_topology(path, NULL, &n->graph, &err) < 0)
        fail_msg("%s", err.text);
    number_ports(n);
    arena_init(&n->arena, 64ul << 20);
    route_build(&n->route, &n->arena, &n->graph, &(struct route_cfg){ .first_port = n->first_port });
}

static void close_net(struct net *n)
{
    arena_fini(&n->arena);
    graph_fini(&n->graph);
    free(n->first_port);
    free(n->neighbour);
}

/* Returns the next hops of switch 'node' towards 'host' and their number. 'one' holds a single one. */
static uint32_t find_hops(const struct net *n, uint32_t node, uint32_t host, uint32_t *one,
                          const uint32_t **hops)
{
    const struct route_host *h = &n->route.host[host];
    uint32_t entry = n->route.entry[n->route.row[node] + h->group];

    *hops = one;
    if (entry == ROUTE_LOCAL || entry & ROUTE_ONE) {
        *one = entry == ROUTE_LOCAL ? h->port : entry & ~ROUTE_ONE;
        return 1;
    }
    *hops = n->route.hop + entry + 1;
    return n->route.hop[entry];
}

/* Prints the line of the fork for the same node and host. A host has one link and no table. */
static void print_route(char *line, const struct net *n, uint32_t node, uint32_t host)
{
    const uint32_t *hops;
    uint32_t one = n->first_port[node], count = 1;
    int length = snprintf(line, TEXT, "%u %u :", node, host);

    if (n->graph.node[node].is_switch)
        count = find_hops(n, node, host, &one, &hops);
    else
        hops = &one;
    for (uint32_t i = 0; i < count && length < TEXT; i++)
        length += snprintf(line + length, (size_t)(TEXT - length), " %u(%u)",
                           hops[i] - n->first_port[node] + 1, n->neighbour[hops[i]]);
    assert_true(length < TEXT);
}

static FILE *open_routes(const char *folder)
{
    char command[TEXT];
    FILE *in;

    snprintf(command, sizeof command, "gzip -dc '%sroutes.txt.gz'", folder);
    in = popen(command, "r");
    assert_non_null(in);
    return in;
}

/* The fork prints one line for every pair of a node and another host. */
static uint64_t lines_expected(const struct graph *g)
{
    return (uint64_t)g->hosts * (g->nodes - 1);
}

static void route_build__orders_next_hops_as_the_fork(void **state)
{
    const char *folder = *state;
    struct net n = { .first_port = NULL };
    FILE *in = open_routes(folder);
    char theirs[TEXT], ours[TEXT];
    uint64_t lines = 0;

    open_net(&n, folder);
    while (fgets(theirs, sizeof theirs, in)) {
        uint32_t node, host;

        theirs[strcspn(theirs, "\n")] = '\0';
        assert_int_equal(sscanf(theirs, "%u %u :", &node, &host), 2);
        assert_true(node < n.graph.nodes && host < n.graph.nodes && !n.graph.node[host].is_switch);
        print_route(ours, &n, node, host);
        assert_string_equal(ours, theirs);
        lines++;
    }
    assert_int_equal(pclose(in), 0);
    assert_int_equal(lines, lines_expected(&n.graph));
    close_net(&n);
}

/* "route_build__orders_next_hops_as_the_fork_s4h" */
static char *name_of(const char *folder)
{
    const char *id = strchr(strstr(folder, "hpcc/"), '/') + 1;
    char *name = xcalloc(1, TEXT);

    snprintf(name, TEXT, "route_build__orders_next_hops_as_the_fork_%.*s", (int)strcspn(id, "/"), id);
    return name;
}

int main(void)
{
    struct CMUnitTest *tests;
    glob_t found;
    int failed;

    if (glob(FOLDERS, 0, NULL, &found)) {
        fprintf(stderr, "there is no %s here\n", FOLDERS);
        return 1;
    }
    tests = xcalloc(found.gl_pathc, sizeof *tests);
    for (size_t i = 0; i < found.gl_pathc; i++)
        tests[i] = (struct CMUnitTest){ .name = name_of(found.gl_pathv[i]),
                                        .test_func = route_build__orders_next_hops_as_the_fork,
                                        .initial_state = found.gl_pathv[i] };
    /* Calls the function behind the public macro, which only accepts arrays of known length. */
    failed = _cmocka_run_group_tests("routes", tests, found.gl_pathc, NULL, NULL);
    for (size_t i = 0; i < found.gl_pathc; i++)
        free((char *)tests[i].name);
    free(tests);
    globfree(&found);
    return failed;
}
