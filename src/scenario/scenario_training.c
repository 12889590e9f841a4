/* src/scenario/scenario_training.c - traffic of kind training: who trains, where, and how. */
#include "scenario/scenario_traffic.h"

#include "base/text.h"
#include "core/units.h"
#include "traffic/collective.h"

#include <stdlib.h>

/* ---- placement ---- */

struct seat { uint32_t rack, number, node; };    /* number: of the host within its rack */

static int by_rack(const void *a_, const void *b_)
{
    const struct seat *a = a_, *b = b_;

    if (a->rack != b->rack)
        return a->rack < b->rack ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_number(const void *a_, const void *b_)
{
    const struct seat *a = a_, *b = b_;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->rack < b->rack ? -1 : a->rack > b->rack;
}

/* Every host's seat. Racks are numbered in the order of their first hosts. */
static struct seat *list_seats(const struct graph *g)
{
    struct seat *seat = xcalloc(g->hosts + 1ul, sizeof *seat);
    uint32_t    *link_of = scenario_host_links(g), seats = 0, racks = 0;
    uint32_t    *rack_of = xcalloc(g->nodes, sizeof *rack_of);
    uint32_t    *taken = xcalloc(g->nodes + 1ul, sizeof *taken);

    for (uint32_t i = 0; i < g->nodes; i++) {
        const struct graph_link *l = &g->link[link_of[i]];
        uint32_t                *rack = &rack_of[l->a == i ? l->b : l->a];

        if (g->node[i].is_switch)
            continue;
        if (*rack == 0)
            *rack = ++racks;
        seat[seats++] = (struct seat){ *rack, taken[*rack]++, i };
    }
    free(taken);
    free(rack_of);
    free(link_of);
    return seat;
}

static void place(const struct graph *g, bool is_spread, struct hosts *workers)
{
    struct seat *seat = list_seats(g);

    qsort(seat, g->hosts, sizeof *seat, is_spread ? by_number : by_rack);
    for (uint32_t i = 0; i < workers->count; i++)
        workers->node[i] = seat[i].node;
    free(seat);
}

static struct hosts read_workers(const struct entry *e)
{
    static const char *const placements[] = { "packed", "spread", NULL };
    const struct yaml_node  *node = section_get(&e->sec, "workers");
    const struct yaml_node  *where = section_get(&e->sec, "placement");
    struct hosts             workers = entry_hosts(e, "workers", 2, UINT32_MAX);
    int                      placement;

    placement = section_choice(&e->sec, "placement", "a placement: packed or spread", placements);
    if (node && node->kind == YAML_LIST) {
        if (where)
            reader_refuse(e->r, where, "'placement' beside a list of workers, which says it already");
    } else if (!e->r->rc) {
        place(&e->r->s->graph, placement == 1, &workers);
    }
    return workers;
}

/* ---- the collective ---- */

static void read_chunk(const struct entry *e, struct collective_cfg *cfg)
{
    const struct yaml_node *node = section_get(&e->sec, "chunk");

    if (node && cfg->kind != COLLECTIVE_TREE_ALL_REDUCE)
        reader_refuse(e->r, node, "only tree_all_reduce goes in chunks");
    section_bytes(&e->sec, "chunk", 1, SIZE_BYTES_MAX, &cfg->chunk_bytes);
}

static void read_collective(const struct entry *e, uint32_t workers, struct collective_cfg *cfg)
{
    const struct yaml_node *node;
    struct err              why;
    int                     kind, rc;

    section_need(&e->sec, "size");
    kind = section_choice(&e->sec, "collective", "a collective", collective_names);
    *cfg = (struct collective_cfg){ .kind = kind < 0 ? 0 : (enum collective_kind)kind, .workers = workers };
    section_bytes(&e->sec, "size", 1, SIZE_BYTES_MAX, &cfg->bytes);
    read_chunk(e, cfg);
    if (e->r->rc)
        return;
    rc = collective_check(cfg, &why);
    node = section_get(&e->sec, rc == -E2BIG ? "workers" : "size");
    if (rc)
        reader_refuse(e->r, node ? node : e->sec.map, "%s", why.text);
}

/* ---- time ---- */

static uint64_t longest_delay_ps(const struct graph *g)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < g->links; i++)
        longest = g->link[i].delay_ps > longest ? g->link[i].delay_ps : longest;
    return longest;
}

/* No host learns of another sooner than over a link. */
static void read_delay(const struct entry *e, uint64_t *delay_ps)
{
    uint64_t least = scenario_link_delay_ps(&e->r->s->graph);
    char     text[32];

    *delay_ps = longest_delay_ps(&e->r->s->graph);
    section_time(&e->sec, "delay", delay_ps);
    if (*delay_ps < least)
        reader_refuse(e->r, section_get(&e->sec, "delay"), "'delay' must not be less than a link's, %s",
                      text_from_time(text, sizeof text, least));
}

static void read_iterations(const struct entry *e, uint32_t *iterations)
{
    *iterations = UINT32_MAX;
    section_count(&e->sec, "iterations", 1, UINT32_MAX - 1, iterations);
    if (!section_get(&e->sec, "iterations"))
        entry_need_end(e);
}

/* ---- the entry ---- */

static uint64_t bound_ps(const struct scenario *s, const struct collective_cfg *cfg, const uint32_t *hosts)
{
    uint64_t         *rate_bps = xcalloc(cfg->workers, sizeof *rate_bps), bound;
    uint32_t         *link_of = scenario_host_links(&s->graph);
    struct collective c;

    for (uint32_t i = 0; i < cfg->workers; i++)
        rate_bps[i] = s->graph.link[link_of[hosts[i]]].rate_bps;
    collective_init(&c, cfg);
    bound = collective_bound_ps(&c, s->cfg.mtu_bytes, s->cfg.header_bytes + s->cfg.spacing_bytes, rate_bps);
    collective_fini(&c);
    free(link_of);
    free(rate_bps);
    return bound;
}

void entry_read_training(struct entry *e)
{
    struct hosts            workers = read_workers(e);
    struct traffic_training cfg = { 0 };

    read_collective(e, workers.count, &cfg.collective);
    section_time(&e->sec, "compute", &cfg.compute_ps);
    read_delay(e, &cfg.delay_ps);
    read_iterations(e, &cfg.iterations);
    if (!e->r->rc) {
        e->about->workers = workers.count;
        e->about->collective_bytes = collective_size_bytes(&cfg.collective);
        e->about->bus_factor = collective_bus_factor(cfg.collective.kind, workers.count);
        e->about->bound_ps = bound_ps(e->r->s, &cfg.collective, workers.node);
        e->about->compute_ps = cfg.compute_ps;
        traffic_add_training(e->r->s->traffic, &e->common, &cfg, workers.node);
    }
    free(workers.node);
}
