#include "peers/astra.h"

#include "base/reader.h"
#include "base/text.h"
#include "core/units.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BPS_PER_GB      (8ull << 30)         /* ASTRA-sim's GB are 2^30 bytes */
#define RATE_BPS_MAX    1600000000000.0      /* per link: see graph_check() */
#define INSIDE_BPS_MAX  1000000000000000ull
#define ROUTER_DELAY_PS 1000ull              /* between an NPU and its own switch */

enum astra_shape { RING, FULL, SWITCH };

static const char *const shapes[] = { "Ring", "FullyConnected", "Switch", NULL };

struct astra_dim { enum astra_shape shape; uint32_t npus; uint64_t rate_bps, delay_ps; };

struct astra_network {
    struct reader           r;
    const struct yaml_node *root;
    struct astra_dim        dim[ASTRA_DIMS_MAX];
    uint32_t                dims, npus;
};

/* ---- reading ---- */

static void take_shape(struct astra_network *n, const struct yaml_node *c, struct astra_dim *d)
{
    int shape = text_index(c->text, shapes);

    if (shape < 0)
        reader_refuse(&n->r, c, "'%.40s' is not a topology; use Ring, FullyConnected or Switch", c->text);
    else
        d->shape = (enum astra_shape)shape;
}

static void take_count(struct astra_network *n, const struct yaml_node *c, struct astra_dim *d)
{
    uint64_t count = 0;

    if (text_to_uint(c->text, &count, NULL) || count < 2 || count > GRAPH_NODES_MAX)
        reader_refuse(&n->r, c, "a dimension has 2 NPUs or more, up to %u, not '%.40s'", GRAPH_NODES_MAX,
                      c->text);
    d->npus = (uint32_t)count;
}

static void take_rate(struct astra_network *n, const struct yaml_node *c, struct astra_dim *d)
{
    if (text_to_units(c->text, BPS_PER_GB, &d->rate_bps, NULL) || !d->rate_bps ||
        d->rate_bps > INSIDE_BPS_MAX)
        reader_refuse(&n->r, c, "the bandwidth is a number of GB/s above 0, not '%.40s'", c->text);
}

static void take_delay(struct astra_network *n, const struct yaml_node *c, struct astra_dim *d)
{
    if (text_to_units(c->text, PS_PER_NS, &d->delay_ps, NULL) || !d->delay_ps ||
        d->delay_ps > GRAPH_DELAY_PS_MAX / 2)
        reader_refuse(&n->r, c, "the latency is a number of ns above 0, up to 2 ms, not '%.40s'", c->text);
}

static void read_list(struct astra_network *n, const char *key,
                      void (*take)(struct astra_network *, const struct yaml_node *, struct astra_dim *))
{
    const struct yaml_node *list = yaml_get(n->root, key);
    uint32_t                i = 0;

    if (!list || list->kind != YAML_LIST || !list->count)
        reader_refuse(&n->r, list, "'%s' is a list with an entry for each dimension", key);
    else if (list->count > ASTRA_DIMS_MAX)
        reader_refuse(&n->r, list, "there are more than %u dimensions", ASTRA_DIMS_MAX);
    else if (n->dims && list->count != n->dims)
        reader_refuse(&n->r, list, "'%s' has %u entries, 'topology' has %u", key, list->count, n->dims);
    if (!list || n->r.rc)
        return;
    n->dims = list->count;
    for (const struct yaml_node *c = list->child; c && !n->r.rc; c = c->next, i++)
        if (c->kind == YAML_SCALAR)
            take(n, c, &n->dim[i]);
        else
            reader_refuse(&n->r, c, "an entry of '%s' is one value", key);
}

static void read_network(struct astra_network *n)
{
    static const char *const keys[] = { "topology", "npus_count", "bandwidth", "latency", NULL };

    if (!n->root || n->root->kind != YAML_MAP)
        reader_refuse(&n->r, n->root, "it has no 'topology', 'npus_count', 'bandwidth' and 'latency'");
    for (const struct yaml_node *c = n->root && !n->r.rc ? n->root->child : NULL; c; c = c->next)
        if (text_index(c->key, keys) < 0)
            reader_refuse_key(&n->r, c, "there is no key '%.40s'; there are topology, npus_count, bandwidth "
                              "and latency", c->key);
    read_list(n, "topology", take_shape);
    read_list(n, "npus_count", take_count);
    read_list(n, "bandwidth", take_rate);
    read_list(n, "latency", take_delay);
}

/* ---- sizes ---- */

static void check_size(struct astra_network *n, bool is_inside)
{
    double npus = 1, links = 0;

    for (uint32_t i = 0; i < n->dims; i++)
        npus *= n->dim[i].npus;
    for (uint32_t i = is_inside; i < n->dims; i++)
        links += n->dim[i].shape == FULL ? npus * (n->dim[i].npus - 1) / 2 : npus;
    if (4 * npus > GRAPH_NODES_MAX || links + npus > GRAPH_LINKS_MAX)
        reader_refuse(&n->r, yaml_get(n->root, "npus_count"), "%.0f NPUs with %.0f links exceed the limits",
                      npus, links);
    else
        n->npus = (uint32_t)npus;
    if (is_inside && (n->dims < 2 || n->dim[0].shape != SWITCH))
        reader_refuse(&n->r, yaml_get(n->root, "topology"), "inside of servers there can be a first "
                      "dimension of kind Switch, with others behind it");
    for (uint32_t i = is_inside; i < n->dims; i++)
        if ((double)n->dim[i].rate_bps > RATE_BPS_MAX)
            reader_refuse(&n->r, yaml_get(n->root, "bandwidth"), "dimension %u: a link has at most 1.6 Tb/s, "
                          "186.2 GB/s; a faster first dimension can be inside of servers", i);
}

/* ---- building ---- */

static void add_link(struct graph *g, uint32_t a, uint32_t b, const struct astra_dim *d)
{
    graph_add_link(g, &(struct graph_link){ .a = a, .b = b, .rate_bps = d->rate_bps,
                                            .delay_ps = d->delay_ps });
}

/* Links the nodes of one group of a dimension: every stride-th from 'first' on. Each pair of neighbors is
 * linked once. */
static void wire_group(struct graph *g, const struct astra_dim *d, uint32_t first, uint32_t stride,
                       uint32_t middle)
{
    for (uint32_t i = 0; i < d->npus; i++) {
        uint32_t a = first + i * stride;

        if (d->shape == SWITCH)
            add_link(g, a, middle, d);
        else if (d->shape == RING && (i + 1 < d->npus || d->npus > 2))
            add_link(g, a, first + (i + 1) % d->npus * stride, d);
        for (uint32_t k = i + 1; d->shape == FULL && k < d->npus; k++)
            add_link(g, a, first + k * stride, d);
    }
}

static void wire_dim(struct graph *g, const struct astra_network *n, uint32_t number, uint32_t from,
                     uint32_t stride)
{
    const struct astra_dim *d = &n->dim[number];
    uint32_t                groups = d->npus ? n->npus / d->npus : 0, middle = g->nodes;
    char                    name[sizeof g->node->name];

    assert(stride > 0);
    for (uint32_t i = 0; i < groups && d->shape == SWITCH; i++) {
        snprintf(name, sizeof name, "d%us%u", number % ASTRA_DIMS_MAX, i % GRAPH_NODES_MAX);
        graph_add_node(g, true, name);
    }
    for (uint32_t i = 0; i < groups; i++)
        wire_group(g, d, from + i / stride * stride * d->npus + i % stride, stride, middle + i);
}

/* Returns the total rate of an NPU's links, limited to the maximum of one link. */
static uint64_t router_bps(const struct astra_network *n, bool is_inside)
{
    double bps = 0;

    for (uint32_t i = is_inside; i < n->dims; i++) {
        const struct astra_dim *d = &n->dim[i];

        bps += (double)d->rate_bps * (d->shape == SWITCH ? 1 : d->shape == FULL ? d->npus - 1 : d->npus > 2
                                      ? 2 : 1);
    }
    return (uint64_t)(bps < RATE_BPS_MAX ? bps : RATE_BPS_MAX);
}

/* Without the first dimension, the NPUs with the same index in all servers form separate networks (rails).
 * One switch joins them, so that all NPUs are reachable; collectives by dimension do not use it. */
static void join_rails(struct graph *g, const struct astra_network *n, uint32_t first)
{
    uint32_t spine = graph_add_node(g, true, "spine0");

    for (uint32_t i = 0; i < n->dim[0].npus; i++)
        add_link(g, first + i, spine, &n->dim[1]);
}

static void build(struct graph *g, const struct astra_network *n, bool is_inside)
{
    bool     is_direct = n->dims == is_inside + 1u && n->dim[is_inside].shape == SWITCH;
    uint32_t from = 0, stride = 1;

    assert(n->dim[0].npus > 0);
    for (uint32_t i = 0; i < n->npus; i++) {
        graph_add_node(g, false, NULL);
        g->node[i].server = is_inside ? i / n->dim[0].npus + 1 : 0;
    }
    if (!is_direct)
        from = graph_add_nodes(g, true, "r", n->npus);
    for (uint32_t i = 0; i < n->npus && !is_direct; i++)
        graph_add_link(g, &(struct graph_link){ .a = i, .b = from + i, .rate_bps = router_bps(n, is_inside),
                                                .delay_ps = ROUTER_DELAY_PS });
    for (uint32_t i = 0; i < n->dims; i++) {
        if (i >= is_inside)
            wire_dim(g, n, i, from, stride);
        stride *= n->dim[i].npus;
    }
    if (is_inside)
        join_rails(g, n, is_direct ? n->npus : from);
    g->inside_rate_bps = is_inside ? n->dim[0].rate_bps : 0;
    g->inside_delay_ps = is_inside ? 2 * n->dim[0].delay_ps : 0;         /* to the switch and back */
}

/* Opens a file, or a text. Close it in any case. */
static void open_file(struct reader *r, struct yaml_doc *doc, const char *path, const char *text, size_t size,
                      struct err *err)
{
    *r = (struct reader){ .name = path, .err = err };
    r->rc = text ? yaml_parse(doc, path, text, size, err) : yaml_read(doc, path, err);
    if (r->rc)
        *doc = (struct yaml_doc){ 0 };
}

int astra_read_network(const char *path, const char *text, size_t size, bool is_inside, struct graph *g,
                        struct err *err)
{
    struct astra_network n = { .dims = 0 };
    struct yaml_doc      doc;
    struct graph         made;
    struct err           why;

    open_file(&n.r, &doc, path, text, size, err);
    n.root = doc.root;
    read_network(&n);
    if (!n.r.rc)
        check_size(&n, is_inside);
    graph_init(&made);
    if (!n.r.rc)
        build(&made, &n, is_inside);
    if (!n.r.rc && graph_check(&made, &why))
        reader_refuse(&n.r, n.root, "%s", why.text);
    if (n.r.rc)
        graph_fini(&made);
    else
        *g = made;
    yaml_fini(&doc);
    return n.r.rc;
}

int astra_read_dims(const char *path, const char *text, size_t size, uint32_t *dim, uint32_t *dims,
                     struct err *err)
{
    struct reader   r;
    struct yaml_doc doc;
    uint32_t        made[ASTRA_DIMS_MAX], count = 0;

    open_file(&r, &doc, path, text, size, err);
    const struct yaml_node *list = yaml_get(doc.root, "logical-dims");
    if (!list || list->kind != YAML_LIST || !list->count || list->count > ASTRA_DIMS_MAX)
        reader_refuse(&r, list ? list : doc.root, "'logical-dims' is a list of 1 to %u dimensions",
                      ASTRA_DIMS_MAX);
    for (const struct yaml_node *c = list ? list->child : NULL; c && !r.rc; c = c->next) {
        uint64_t number = 0;

        if (c->kind != YAML_SCALAR || text_to_uint(c->text, &number, NULL) || !number ||
            number > GRAPH_NODES_MAX)
            reader_refuse(&r, c, "a dimension is a number of NPUs, 1 .. %u", GRAPH_NODES_MAX);
        made[count++] = (uint32_t)number;
    }
    if (!r.rc) {
        memcpy(dim, made, count * sizeof *dim);
        *dims = count;
    }
    yaml_fini(&doc);
    return r.rc;
}
