/* src/study/scenario/scenario_links.c - links with other rates, and links that fail. */
#include "study/scenario/scenario.h"

#include "core/units.h"
#include "study/scenario/keys.h"

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

/* The links between the nodes 'a' and 'b' of an entry; with the key 'which', only that one of them. */
struct pair { struct section sec; const struct graph *g; uint32_t a, b, which, seen, at; };

static struct pair pair_open(struct reader *r, const struct graph *g, const struct yaml_node *node,
                             const char *section)
{
    struct pair p = { .sec = scenario_open(r, node, section), .g = g, .which = UINT32_MAX };

    p.a = scenario_read_node(&p.sec, g, "a");
    p.b = scenario_read_node(&p.sec, g, "b");
    return p;
}

/* Returns true and the next link. At the end, refuses the entry if there was none. */
static bool pair_next(struct pair *p, uint32_t *link)
{
    const struct graph *g = p->g;

    if (p->at == 0)
        section_count(&p->sec, "which", 0, GRAPH_LINKS_MAX, &p->which);
    while (p->at < g->links && !p->sec.r->rc) {
        const struct graph_link *l = &g->link[*link = p->at++];

        if (((l->a == p->a && l->b == p->b) || (l->a == p->b && l->b == p->a)) &&
            (p->seen++ == p->which || p->which == UINT32_MAX))
            return true;
    }
    if (!p->sec.r->rc && !p->seen)
        reader_refuse(p->sec.r, p->sec.map, "there is no link between %s and %s", g->node[p->a].name,
                      g->node[p->b].name);
    else if (!p->sec.r->rc && p->which != UINT32_MAX && p->which >= p->seen)
        section_refuse(&p->sec, "which", "there is no link %u between %s and %s; the first is 0", p->which,
                       g->node[p->a].name, g->node[p->b].name);
    return false;
}

/* ---- link_rates ---- */

static void read_speed(struct reader *r, const struct yaml_node *node, struct graph *g)
{
    struct pair pair = pair_open(r, g, node, "topology link_rates");
    uint64_t    rate_bps = 0;
    uint32_t    link;

    section_need(&pair.sec, "rate");
    section_rate(&pair.sec, "rate", &rate_bps);
    while (pair_next(&pair, &link))
        g->link[link].rate_bps = rate_bps;
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

static void read_down(struct reader *r, const struct graph *g, const struct yaml_node *node,
                      struct changes *c)
{
    struct pair pair = pair_open(r, g, node, "topology links_down");
    uint64_t    down_ps = 0, up_ps = NEVER;
    uint32_t    link;

    section_need(&pair.sec, "down");
    section_time(&pair.sec, "down", &down_ps);
    section_time(&pair.sec, "up", &up_ps);
    if (up_ps <= down_ps)
        section_refuse(&pair.sec, "up", "'up' must be after 'down'");
    while (pair_next(&pair, &link)) {
        add_change(c, down_ps, link, false, node);
        if (up_ps != NEVER)
            add_change(c, up_ps, link, true, node);
    }
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
