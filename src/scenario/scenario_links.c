/* src/scenario/scenario_links.c - links with other rates, and links that fail. */
#include "scenario/scenario.h"

#include "core/units.h"
#include "scenario/keys.h"

#include <stdlib.h>

uint32_t scenario_read_node(const struct section *sec, const struct graph *g, const char *key)
{
    const struct yaml_node *node = section_need(sec, key);
    const char             *name = section_text(sec, key);
    int64_t                 found = name ? graph_find(g, name) : -1;

    if (name && found < 0)
        reader_refuse(sec->r, node, "there is no node '%.60s'", name);
    return found < 0 ? 0 : (uint32_t)found;
}

/* Calls 'act' for all links of a pair of nodes, or for number 'which' of them. */
static void for_pair(const struct section *sec, const struct graph *g, uint32_t a, uint32_t b,
                     void (*act)(void *arg, uint32_t link), void *arg)
{
    uint32_t which = UINT32_MAX, seen = 0;

    section_count(sec, "which", 0, GRAPH_LINKS_MAX, &which);
    for (uint32_t i = 0; i < g->links && !sec->r->rc; i++) {
        const struct graph_link *l = &g->link[i];

        if (((l->a == a && l->b == b) || (l->a == b && l->b == a)) &&
            (seen++ == which || which == UINT32_MAX))
            act(arg, i);
    }
    if (!sec->r->rc && !seen)
        reader_refuse(sec->r, sec->map, "there is no link between %s and %s", g->node[a].name,
                      g->node[b].name);
    else if (!sec->r->rc && which != UINT32_MAX && which >= seen)
        section_refuse(sec, "which", "there is no link %u between %s and %s; the first is 0", which,
                       g->node[a].name, g->node[b].name);
}

/* ---- link_rates ---- */

struct speed { struct graph *graph; uint64_t rate_bps; };

static void set_speed(void *arg, uint32_t link)
{
    struct speed *s = arg;

    s->graph->link[link].rate_bps = s->rate_bps;
}

static void read_speed(struct reader *r, const struct yaml_node *node, struct graph *g)
{
    struct section sec = scenario_open(r, node, "topology link_rates");
    struct speed   s = { g, 0 };
    uint32_t       a = scenario_read_node(&sec, g, "a"), b = scenario_read_node(&sec, g, "b");

    section_need(&sec, "rate");
    section_rate(&sec, "rate", &s.rate_bps);
    if (!r->rc)
        for_pair(&sec, g, a, b, set_speed, &s);
}

void scenario_read_link_rates(const struct section *topology, struct graph *g)
{
    const struct yaml_node *node = section_list(topology, "link_rates", SCENARIO_ENTRIES_MAX);

    for (; node && !topology->r->rc; node = node->next)
        read_speed(topology->r, node, g);
}

/* ---- links_down ---- */

struct change { struct link_change change; const struct yaml_node *node; uint32_t place; };

struct changes { struct change *of; uint32_t count; };

static void add_change(struct changes *c, uint64_t at_ps, uint32_t link, bool is_up,
                       const struct yaml_node *node)
{
    c->of = xrealloc(c->of, (c->count + 1ul) * sizeof *c->of);
    c->of[c->count] = (struct change){ { at_ps, link, is_up }, node, c->count };
    c->count++;
}

struct outage { struct changes *changes; uint64_t down_ps, up_ps; const struct yaml_node *node; };

static void add_outage(void *arg, uint32_t link)
{
    const struct outage *o = arg;

    add_change(o->changes, o->down_ps, link, false, o->node);
    if (o->up_ps != NEVER)
        add_change(o->changes, o->up_ps, link, true, o->node);
}

static void read_down(struct reader *r, const struct graph *g, const struct yaml_node *node,
                      struct changes *c)
{
    struct section sec = scenario_open(r, node, "topology links_down");
    struct outage  o = { c, 0, NEVER, node };
    uint32_t       a = scenario_read_node(&sec, g, "a"), b = scenario_read_node(&sec, g, "b");

    section_need(&sec, "down");
    section_time(&sec, "down", &o.down_ps);
    section_time(&sec, "up", &o.up_ps);
    if (!r->rc && o.up_ps <= o.down_ps)
        section_refuse(&sec, "up", "'up' must be after 'down'");
    if (!r->rc)
        for_pair(&sec, g, a, b, add_outage, &o);
}

static int by_time(const void *a_, const void *b_)
{
    const struct change *a = a_, *b = b_;

    if (a->change.at_ps != b->change.at_ps)
        return a->change.at_ps < b->change.at_ps ? -1 : 1;
    if (a->change.is_up != b->change.is_up)      /* an outage may end when the next begins */
        return a->change.is_up ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* A link that is down cannot go down again. If the run has no end time, all flows must be able to finish. */
static void check_changes(struct reader *r, const struct scenario *s, const struct changes *c)
{
    const struct graph *g = &s->graph;
    struct graph        rest = { 0 };
    bool               *is_down = xcalloc(g->links, sizeof *is_down);
    struct err          why;

    for (uint32_t i = 0; i < c->count && !r->rc; i++) {
        const struct link_change *l = &c->of[i].change;

        if (is_down[l->link] == !l->is_up)
            reader_refuse(r, c->of[i].node,
                          "the link %s-%s is down already: the times of two entries overlap",
                          g->node[g->link[l->link].a].name, g->node[g->link[l->link].b].name);
        is_down[l->link] = !l->is_up;
    }
    for (uint32_t i = 0; i < g->nodes && s->run_ps == NEVER && !r->rc; i++)
        graph_add_node(&rest, g->node[i].is_switch, g->node[i].name);
    for (uint32_t i = 0; i < g->links; i++)
        if (!is_down[i] && rest.nodes)
            graph_add_link(&rest, &g->link[i]);
    if (rest.nodes && !r->rc && graph_check(&rest, &why))
        reader_refuse(r, c->of[c->count - 1].node, "links stay down: %s; without 'run' this would never end",
                      why.text);
    graph_fini(&rest);
    free(is_down);
}

void scenario_read_links_down(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section  sec = { .r = r, .name = "topology", .common = scenario_keys("topology"), .map = node };
    struct sim_cfg *cfg = &s->cfg;
    struct changes  c = { 0 };

    for (node = section_list(&sec, "links_down", SCENARIO_ENTRIES_MAX); node && !r->rc; node = node->next)
        read_down(r, &s->graph, node, &c);
    if (c.count) {
        qsort(c.of, c.count, sizeof *c.of, by_time);
        check_changes(r, s, &c);
        cfg->change = xcalloc(c.count, sizeof *cfg->change);
        for (cfg->changes = 0; cfg->changes < c.count; cfg->changes++)
            cfg->change[cfg->changes] = c.of[cfg->changes].change;
    }
    free(c.of);
}
