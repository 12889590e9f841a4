/* tests/fuzz/fuzz_htsim_topo.c - any text is a valid fat-tree, or rejected with a reason. */
#include "peers/htsim.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_MAX 5000               /* a short text can describe a large network; limits the run time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the largest number after "nodes". */
static long nodes_of(const char *text)
{
    long most = 0;

    for (const char *at = text; (at = strcasestr(at, "nodes")) != NULL;) {
        long number;

        at += 5;
        while (isspace((unsigned char)*at))
            at++;
        number = strtol(at, NULL, 10);
        if (number > most)
            most = number;
    }
    return most;
}

static void check(const struct graph *g)
{
    uint32_t down = 0;

    if (graph_check(g, NULL) != 0)
        abort();
    for (uint32_t i = 0; i < g->links; i++) {
        if (g->link[i].a >= g->link[i].b)            /* nodes of a tier come before those of the next */
            abort();
        down += !g->node[g->link[i].a].is_switch;
    }
    if (down != g->hosts)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        *text = memcpy(calloc(1, size + 1), data, size);
    struct err   err = { "" };
    struct graph g;
    struct fat_tree t;
    long         nodes = nodes_of(text);

    if (nodes > HOSTS_MAX && nodes <= GRAPH_NODES_MAX) {
        free(text);
        return 0;
    }
    if (htsim_read_topology("t", text, &g, &err) == 0) {
        check(&g);
        graph_fini(&g);
    } else if (strncmp(err.text, "t:", 2) != 0) {
        abort();
    }
    if (htsim_read_uet_topology("t", text, &t, &err) == 0) {
        graph_init(&g);
        fat_tree_wire(&t, &g);
        check(&g);
        graph_fini(&g);
    }
    free(text);
    return 0;
}
