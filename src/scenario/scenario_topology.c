/* src/scenario/scenario_topology.c - the section 'topology'. */
#include "scenario/scenario_htsim.h"
#include "scenario/scenario_reader.h"

#include "base/text.h"
#include "core/units.h"
#include "formats/hpcc_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


const struct scenario_kind scenario_topologies[] = {
    { "star",     "hosts around one switch, s0" },
    { "clos",     "two tiers: hosts on ToRs (tor0 ..), every ToR linked to every spine (spine0 ..)" },
    { "fat_tree", "three tiers of switches with k ports: edge0 .., agg0 .., core0 ..; k^3/4 hosts" },
    { "hpcc",     "a topology file of the HPCC ns-3 fork" },
    { "graph",    "hosts and switches wired by hand" },
    { "htsim",    "a topology file of htsim (.topo)" },
    { NULL, NULL },
};

enum { STAR, CLOS, FAT_TREE, HPCC, GRAPH };

/* ---- nodes ---- */

int64_t scenario_find_node(const struct graph *g, const char *name)
{
    size_t   digits = strlen(name);
    uint64_t number;

    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    if (digits > 0 && text_to_uint(name + digits, &number, NULL) == 0 && number < g->nodes) {
        if (strcmp(g->node[number].name, name) == 0)
            return (int64_t)number;
        if (number + g->hosts < g->nodes && strcmp(g->node[number + g->hosts].name, name) == 0)
            return (int64_t)(number + g->hosts);
    }
    return graph_find(g, name);
}

uint32_t *scenario_host_links(const struct graph *g)
{
    uint32_t *link = xcalloc(g->nodes, sizeof *link);

    for (uint32_t i = 0; i < g->links; i++)
        link[g->link[i].a] = link[g->link[i].b] = i;
    return link;
}

/* ---- the kinds ---- */

/* The builders' own checks say what is wrong with the numbers together. */
static bool is_refused(const struct section *sec, int rc, const struct err *why)
{
    if (rc)
        reader_refuse(sec->r, sec->map, "%s", why->text);
    return sec->r->rc != 0;
}

static void read_star(const struct section *sec, struct graph *g)
{
    struct graph_star star = { 0 };
    struct err        why;

    section_need(sec, "hosts");
    section_count(sec, "hosts", 1, GRAPH_NODES_MAX, &star.hosts);
    section_rate(sec, "rate", &star.rate_bps);
    section_time(sec, "delay", &star.delay_ps);
    if (!sec->r->rc && !is_refused(sec, graph_check_star(&star, &why), &why))
        graph_star(g, &star);
}

/* 'hosts' may be given instead of 'tors'. */
static void read_tors(const struct section *sec, struct graph_clos *clos)
{
    const struct yaml_node *node = section_get(sec, "hosts");
    uint32_t                hosts = 0;

    if (!node)
        section_need(sec, "tors");
    else if (section_get(sec, "tors"))
        reader_refuse(sec->r, node, "give 'tors' or 'hosts', not both");
    section_count(sec, "tors", 1, GRAPH_NODES_MAX, &clos->tors);
    section_count(sec, "hosts", 1, GRAPH_NODES_MAX, &hosts);
    if (sec->r->rc || !node)
        return;
    clos->tors = hosts / clos->hosts_per_tor;
    if (hosts % clos->hosts_per_tor)
        reader_refuse(sec->r, node, "%u hosts cannot be divided into racks of %u", hosts,
                      clos->hosts_per_tor);
}

static void read_clos(const struct section *sec, struct graph *g)
{
    struct graph_clos clos = { 0 };
    struct err        why;

    section_need(sec, "hosts_per_tor");
    section_need(sec, "spines");
    section_count(sec, "hosts_per_tor", 1, GRAPH_NODES_MAX, &clos.hosts_per_tor);
    section_count(sec, "spines", 1, GRAPH_NODES_MAX, &clos.spines);
    section_count(sec, "links", 1, GRAPH_LINKS_MAX, &clos.parallel);
    read_tors(sec, &clos);
    section_rate(sec, "rate", &clos.rate_bps);
    section_time(sec, "delay", &clos.delay_ps);
    clos.fabric_rate_bps = clos.rate_bps;
    clos.fabric_delay_ps = clos.delay_ps;
    section_rate(sec, "fabric_rate", &clos.fabric_rate_bps);
    section_time(sec, "fabric_delay", &clos.fabric_delay_ps);
    if (!sec->r->rc && !is_refused(sec, graph_check_clos(&clos, &why), &why))
        graph_clos(g, &clos);
}

static void read_fat_tree(const struct section *sec, struct graph *g)
{
    const struct yaml_node *node = section_need(sec, "k");
    struct graph_fat_tree   tree = { 0 };
    struct err              why;

    section_count(sec, "k", 2, 64, &tree.k);
    if (!sec->r->rc && tree.k % 2)
        reader_refuse(sec->r, node, "k must be even, not %u", tree.k);
    section_rate(sec, "rate", &tree.rate_bps);
    section_time(sec, "delay", &tree.delay_ps);
    if (!sec->r->rc && !is_refused(sec, graph_check_fat_tree(&tree, &why), &why))
        graph_fat_tree(g, &tree);
}

static void read_file(const struct section *sec, struct graph *g)
{
    const char *file;
    struct err  why;
    char       *path;

    section_need(sec, "file");
    file = section_text(sec, "file");
    if (!file)
        return;
    path = reader_path(sec->r->name, file);
    reader_keep(sec->r, hpcc_read_topology(path, g, &why), &why, section_get(sec, "file"));
    free(path);
}

/* ---- wired by hand ---- */

static void add_switch(struct scenario_reader *r, struct graph *g, const struct yaml_node *node)
{
    const char *name = node->kind == YAML_SCALAR ? node->text : "";
    size_t      length = strlen(name);

    if (r->rc)
        return;
    if (length == 0 || length >= sizeof g->node->name || !isalpha((unsigned char)*name))
        reader_refuse(r, node, "the name of a switch has 1 to %zu characters and starts with a letter",
                      sizeof g->node->name - 1);
    else if (scenario_find_node(g, name) >= 0)
        reader_refuse(r, node, "there are two nodes called '%s'", name);
    else
        graph_add_node(g, true, name);
}

static void read_nodes(const struct section *sec, struct graph *g)
{
    const struct yaml_node *switches;
    uint32_t                hosts = 0, count = 0;

    section_need(sec, "hosts");
    switches = section_need(sec, "switches");
    section_count(sec, "hosts", 1, GRAPH_NODES_MAX, &hosts);
    if (sec->r->rc)
        return;
    if (switches->kind == YAML_LIST)
        count = switches->count;
    else
        section_count(sec, "switches", 1, GRAPH_NODES_MAX, &count);
    if ((uint64_t)hosts + count > GRAPH_NODES_MAX)
        reader_refuse(sec->r, sec->map, "more than %u nodes", GRAPH_NODES_MAX);
    for (uint32_t i = 0; i < hosts && !sec->r->rc; i++)
        graph_add_node(g, false, NULL);
    if (switches->kind == YAML_LIST)
        for (const struct yaml_node *c = switches->child; c; c = c->next)
            add_switch(sec->r, g, c);
    else
        for (uint32_t i = 0; i < count && !sec->r->rc; i++)
            graph_add_node(g, true, NULL);
}

/* The node that a key names. */
static uint32_t read_end(const struct section *sec, const struct graph *g, const char *key)
{
    const struct yaml_node *node = section_need(sec, key);
    const char             *name = section_text(sec, key);
    int64_t                 found = name ? scenario_find_node(g, name) : -1;

    if (name && found < 0)
        reader_refuse(sec->r, node, "there is no node '%.60s'", name);
    return found < 0 ? 0 : (uint32_t)found;
}

static void read_link(struct scenario_reader *r, struct graph *g, const struct yaml_node *node)
{
    struct section    sec = section_open(r, node, "topology graph links", NULL);
    struct graph_link link = { .loss = -1, .ber = -1 };      /* not given: as for all links */
    double            loss = 0, ber = 0;
    struct err        why;

    link.a = read_end(&sec, g, "a");
    link.b = read_end(&sec, g, "b");
    section_rate(&sec, "rate", &link.rate_bps);
    section_time(&sec, "delay", &link.delay_ps);
    section_real(&sec, "loss", 0, 0.999999, &loss);
    section_real(&sec, "ber", 0, 0.999999, &ber);
    if (r->rc)
        return;
    if (section_get(&sec, "loss"))
        link.loss = loss;
    if (section_get(&sec, "ber"))
        link.ber = ber;
    if (graph_check_link(g, &(struct graph_link){ link.a, link.b, link.rate_bps, link.delay_ps, loss, ber },
                         &why))
        reader_refuse(r, node, "%s", why.text);
    else
        graph_add_link(g, &link);
}

static void read_graph(const struct section *sec, struct graph *g)
{
    section_need(sec, "links");
    read_nodes(sec, g);
    for (const struct yaml_node *c = section_list(sec, "links", GRAPH_LINKS_MAX); c && !sec->r->rc;
         c = c->next)
        read_link(sec->r, g, c);
}

/* ---- what all kinds share ---- */

/* Loss of links that have none of their own. A link of a topology file has its own if it is not 0. */
static void read_loss(const struct section *sec, struct graph *g, bool zero_is_none)
{
    double loss = 0, ber = 0;

    section_real(sec, "loss", 0, 0.999999, &loss);
    section_real(sec, "ber", 0, 0.999999, &ber);
    for (uint32_t i = 0; i < g->links && !sec->r->rc; i++) {
        struct graph_link *l = &g->link[i];

        if (l->loss < 0 || (zero_is_none && l->loss == 0))
            l->loss = loss;
        if (l->ber < 0 || (zero_is_none && l->ber == 0))
            l->ber = ber;
    }
}

/* What graph_check() lets pass, but the simulation cannot do. */
void scenario_check_links(struct scenario_reader *r, const struct yaml_node *node)
{
    const struct graph *g = &r->s->graph;
    bool                in_ns = r->s->cfg.model != MODEL_NIC;
    char                text[32];

    for (uint32_t i = 0; i < g->links && !r->rc; i++) {
        const struct graph_link *l = &g->link[i];
        const char              *a = g->node[l->a].name, *b = g->node[l->b].name;

        if (l->delay_ps == 0)
            reader_refuse(r, node, "the link %s-%s has no delay", a, b);
        else if (in_ns && l->delay_ps % PS_PER_NS)
            reader_refuse(r, node, "the link %s-%s: in model hpcc a delay is whole nanoseconds, unlike %s", a,
                          b, text_from_time(text, sizeof text, l->delay_ps));
    }
}

static void read_htsim(const struct section *sec, struct graph *g)
{
    (void)g;
    scenario_read_htsim_topology(sec->r, sec);
}

static void read_speed(struct scenario_reader *r, const struct yaml_node *node, struct graph *g);

void scenario_read_topology(struct scenario_reader *r, const struct yaml_node *node)
{
    static void (*const readers[])(const struct section *, struct graph *) = {
        read_star, read_clos, read_fat_tree, read_file, read_graph, read_htsim,
    };
    const char    *names[sizeof readers / sizeof *readers + 1] = { NULL };
    struct graph  *g = &r->s->graph;
    struct section sec = { r, "topology", NULL, node, false };
    char           own[32];
    struct err     why;
    int            kind;

    for (int i = 0; scenario_topologies[i].name; i++)
        names[i] = scenario_topologies[i].name;
    section_need(&sec, "kind");
    kind = section_choice(&sec, "kind", "a kind of topology", names);
    if (kind < 0)
        return;
    snprintf(own, sizeof own, "topology %s", names[kind]);
    sec = section_open(r, node, "topology", own);
    if (r->rc)
        return;
    readers[kind](&sec, g);
    read_loss(&sec, g, kind != GRAPH);
    for (node = section_list(&sec, "link_rates", SCENARIO_ENTRIES_MAX); node && !r->rc; node = node->next)
        read_speed(r, node, g);
    node = sec.map;
    if (!r->rc && graph_check(g, &why))
        reader_refuse(r, node, "%s", why.text);
    scenario_check_links(r, node);
}

/* ---- links that go down, or differ ---- */

struct change { struct link_change change; const struct yaml_node *node; uint32_t place; };

struct changes { struct change *of; uint32_t count; };

static void add_change(struct changes *c, uint64_t at_ps, uint32_t link, bool is_up,
                       const struct yaml_node *node)
{
    c->of = xrealloc(c->of, (c->count + 1ul) * sizeof *c->of);
    c->of[c->count] = (struct change){ { at_ps, link, is_up }, node, c->count };
    c->count++;
}

/* Calls 'act' for all links of a pair, or for the one that 'which' counts. */
static void for_pair(const struct section *sec, uint32_t a, uint32_t b, void (*act)(void *arg, uint32_t link),
                     void *arg)
{
    const struct graph *g = &sec->r->s->graph;
    uint32_t            which = UINT32_MAX, seen = 0;

    section_count(sec, "which", 0, GRAPH_LINKS_MAX, &which);
    for (uint32_t i = 0; i < g->links && !sec->r->rc; i++) {
        const struct graph_link *l = &g->link[i];

        if (((l->a == a && l->b == b) || (l->a == b && l->b == a)) && (seen++ == which || which == UINT32_MAX))
            act(arg, i);
    }
    if (!sec->r->rc && !seen)
        reader_refuse(sec->r, sec->map, "there is no link between %s and %s", g->node[a].name, g->node[b].name);
    else if (!sec->r->rc && which != UINT32_MAX && which >= seen)
        reader_refuse(sec->r, section_get(sec, "which"),
                      "there is no link %u between %s and %s; the first is 0", which, g->node[a].name,
                      g->node[b].name);
}

struct outage { struct changes *changes; uint64_t down_ps, up_ps; const struct yaml_node *node; };

static void add_outage(void *arg, uint32_t link)
{
    const struct outage *o = arg;

    add_change(o->changes, o->down_ps, link, false, o->node);
    if (o->up_ps != NEVER)
        add_change(o->changes, o->up_ps, link, true, o->node);
}

static void read_down(struct scenario_reader *r, const struct yaml_node *node, struct changes *c)
{
    const struct graph *g = &r->s->graph;
    struct section      sec = section_open(r, node, "topology links_down", NULL);
    struct outage       o = { c, 0, NEVER, node };
    uint32_t            a = read_end(&sec, g, "a"), b = read_end(&sec, g, "b");

    section_need(&sec, "down");
    section_time(&sec, "down", &o.down_ps);
    section_time(&sec, "up", &o.up_ps);
    if (!r->rc && o.up_ps <= o.down_ps)
        reader_refuse(r, section_get(&sec, "up"), "'up' must be after 'down'");
    if (!r->rc)
        for_pair(&sec, a, b, add_outage, &o);
}

struct speed { struct graph *graph; uint64_t rate_bps; };

static void set_speed(void *arg, uint32_t link)
{
    struct speed *s = arg;

    s->graph->link[link].rate_bps = s->rate_bps;
}

static void read_speed(struct scenario_reader *r, const struct yaml_node *node, struct graph *g)
{
    struct section sec = section_open(r, node, "topology link_rates", NULL);
    struct speed   s = { g, 0 };
    uint32_t       a = read_end(&sec, g, "a"), b = read_end(&sec, g, "b");

    section_need(&sec, "rate");
    section_rate(&sec, "rate", &s.rate_bps);
    if (!r->rc)
        for_pair(&sec, a, b, set_speed, &s);
}

static int by_time(const void *a_, const void *b_)
{
    const struct change *a = a_, *b = b_;

    if (a->change.at_ps != b->change.at_ps)
        return a->change.at_ps < b->change.at_ps ? -1 : 1;
    if (a->change.is_up != b->change.is_up)      /* one outage may end when the next begins */
        return a->change.is_up ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* A link that is down cannot go down again. Without an end of the run, all flows must be able to finish. */
static void check_changes(struct scenario_reader *r, const struct changes *c)
{
    struct graph *g = &r->s->graph, rest = { 0 };
    bool         *is_down = xcalloc(g->links, sizeof *is_down);
    struct err    why;

    for (uint32_t i = 0; i < c->count && !r->rc; i++) {
        const struct link_change *l = &c->of[i].change;

        if (is_down[l->link] == !l->is_up)
            reader_refuse(r, c->of[i].node,
                          "the link %s-%s is down already: the times of two entries overlap",
                          g->node[g->link[l->link].a].name, g->node[g->link[l->link].b].name);
        is_down[l->link] = !l->is_up;
    }
    for (uint32_t i = 0; i < g->nodes && r->s->run_ps == NEVER && !r->rc; i++)
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

void scenario_read_links_down(struct scenario_reader *r, const struct yaml_node *node)
{
    struct section  sec = { r, "topology", NULL, node, false };
    struct sim_cfg *cfg = &r->s->cfg;
    struct changes  c = { 0 };

    for (node = section_list(&sec, "links_down", SCENARIO_ENTRIES_MAX); node && !r->rc; node = node->next)
        read_down(r, node, &c);
    if (c.count) {
        qsort(c.of, c.count, sizeof *c.of, by_time);
        check_changes(r, &c);
        cfg->change = xcalloc(c.count, sizeof *cfg->change);
        for (cfg->changes = 0; cfg->changes < c.count; cfg->changes++)
            cfg->change[cfg->changes] = c.of[cfg->changes].change;
    }
    free(c.of);
}
