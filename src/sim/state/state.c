#include "sim/state/state.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const struct sim *s, const char *whom, const char *what)
{
    fprintf(stderr, "%sat %llu ps: %s\n", whom, (unsigned long long)s->engine.now_ps, what);
    abort();
}

void expect_of_node(bool holds, const struct sim *s, uint32_t node, const char *what)
{
    char whom[128];

    if (holds)
        return;
    snprintf(whom, sizeof whom, "%s %s ", s->net.node[node].is_switch ? "switch" : "host",
             s->net.graph.node[node].name);
    fail(s, whom, what);
}

void expect_of_world(bool holds, const struct sim *s, const char *what)
{
    if (!holds)
        fail(s, "", what);
}
