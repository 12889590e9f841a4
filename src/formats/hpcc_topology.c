/* src/formats/hpcc_topology.c - the topology of the HPCC ns-3 fork. */
#include "formats/hpcc.h"

#include "core/units.h"
#include "formats/hpcc_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOPOLOGY_BYTES_MAX (1ul << 30)
#define LINK_CHARS_MIN     10        /* "0 1 1G 0 0": the shortest link row */

struct hpcc_counts { uint32_t line, nodes, switches, links; };

static int read_counts(struct tokens *w, struct hpcc_counts *size, struct err *err)
{
    int rc;

    if (!tokens_next_line(w))
        return tokens_err(w, err, EINVAL, "the file is empty");
    size->line = w->line;
    rc = tokens_uint32(w, "the number of nodes", GRAPH_NODES_MAX, &size->nodes, err);
    rc = rc ? rc : tokens_uint32(w, "the number of switches", GRAPH_NODES_MAX, &size->switches, err);
    rc = rc ? rc : tokens_uint32(w, "the number of links", GRAPH_LINKS_MAX, &size->links, err);
    rc = rc ? rc : tokens_end(w, err);
    if (rc)
        return rc;
    if (size->switches > size->nodes)
        return tokens_err(w, err, EINVAL, "%u of %u nodes are switches", size->switches, size->nodes);
    /* Limits memory by the size of the file, whatever its first line claims. */
    if (size->links > strlen(w->at) / LINK_CHARS_MIN + 1)
        return tokens_err(w, err, EINVAL, "the file is too short for %u links", size->links);
    if (size->nodes - size->switches > 2ull * size->links)
        return tokens_err(w, err, EINVAL, "%u links are too few for %u hosts", size->links,
                         size->nodes - size->switches);
    return 0;
}

/* Switch ids may be spread over several lines. */
static int read_switch(struct tokens *w, const struct hpcc_counts *size, bool *is_switch, struct err *err)
{
    uint32_t id;
    int rc;

    if (tokens_at_end(w) && !tokens_next_line(w))
        return tokens_err(w, err, EINVAL, "the file ends before all %u switches are named", size->switches);
    rc = tokens_uint32(w, "a switch", size->nodes - 1, &id, err);
    if (rc)
        return rc;
    if (is_switch[id])
        return tokens_err(w, err, EINVAL, "switch %u is listed twice", id);
    is_switch[id] = true;
    return 0;
}

static int read_nodes(struct tokens *w, const struct hpcc_counts *size, struct graph *g, struct err *err)
{
    bool *is_switch = xcalloc(size->nodes, sizeof *is_switch);
    int rc = 0;

    for (uint32_t i = 0; i < size->switches && !rc; i++)
        rc = read_switch(w, size, is_switch, err);
    rc = rc ? rc : tokens_end(w, err);
    for (uint32_t i = 0; i < size->nodes && !rc; i++)
        graph_add_node(g, is_switch[i], NULL);
    free(is_switch);
    return rc;
}

/* Reads a time as ns-3 does: digits, then a unit (default: seconds); truncated to whole nanoseconds. */
static int read_delay(struct tokens *w, uint64_t *ps, struct err *err)
{
    static const struct { const char *name; uint64_t ns; } units[] = {
        { "", 1000000000u }, { "s", 1000000000u }, { "ms", 1000000u }, { "us", 1000u }, { "ns", 1u },
        { "ps", 0 },
    };
    const char *word = tokens_next(w);
    char       *end;
    double      value;

    if (!word)
        return tokens_err(w, err, EINVAL, "nothing is given for the delay");
    value = strtod(word, &end);
    if (end == word || (size_t)(end - word) != strspn(word, "+-0123456789.") || value < 0)
        return tokens_err(w, err, EINVAL, "the delay: '%s' is not a time like 1us", word);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0) {
            if (value * (double)units[i].ns >= 1e9 || value >= 1e12)
                return tokens_err(w, err, ERANGE, "the delay: '%s' is a second or more", word);
            *ps = (units[i].ns ? hpcc_ns_from(value, units[i].ns) : (uint64_t)(value / 1000)) * PS_PER_NS;
            return 0;
        }
    return tokens_err(w, err, EINVAL, "the delay: '%s' is not in s, ms, us, ns or ps", word);
}

static int read_link(struct tokens *w, const struct graph *g, struct graph_link *link, struct err *err)
{
    struct err why;
    int rc;

    rc = tokens_uint32(w, "the first node", UINT32_MAX, &link->a, err);
    rc = rc ? rc : tokens_uint32(w, "the second node", UINT32_MAX, &link->b, err);
    rc = rc ? rc : tokens_rate(w, "the rate", &link->rate_bps, err);
    rc = rc ? rc : read_delay(w, &link->delay_ps, err);
    rc = rc ? rc : tokens_real(w, "the error rate", 0, 1, &link->loss, err);
    rc = rc ? rc : tokens_end(w, err);
    if (rc)
        return rc;
    rc = graph_check_link(g, link, &why);
    return rc ? tokens_err(w, err, -rc, "%s", why.text) : 0;
}

struct link_pair { uint32_t low, high, line; };  /* end nodes of a link */

static int compare_pairs(const void *a_, const void *b_)
{
    const struct link_pair *a = a_, *b = b_;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int refuse_parallel(struct tokens *w, struct link_pair *pair, uint32_t count, struct err *err)
{
    qsort(pair, count, sizeof *pair, compare_pairs);
    for (uint32_t i = 1; i < count; i++) {
        if (pair[i].low != pair[i - 1].low || pair[i].high != pair[i - 1].high)
            continue;
        w->line = pair[i].line;
        return tokens_err(w, err, EINVAL, "line %u already links nodes %u and %u", pair[i - 1].line,
                         pair[i].low, pair[i].high);
    }
    return 0;
}

static int read_links(struct tokens *w, uint32_t count, struct graph *g, struct err *err)
{
    struct link_pair *pair = xmalloc((count + 1ul) * sizeof *pair);
    struct graph_link link = { 0 };
    int rc = 0;

    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = hpcc_next_row(w, i, count, "links", err);
        rc = rc ? rc : read_link(w, g, &link, err);
        if (rc)
            break;
        pair[i] = (struct link_pair){ link.a, link.b, w->line };
        if (link.a > link.b)
            pair[i] = (struct link_pair){ link.b, link.a, w->line };
        graph_add_link(g, &link);
    }
    rc = rc ? rc : refuse_parallel(w, pair, count, err);
    free(pair);
    return rc;
}

static int read_graph(struct tokens *w, struct graph *g, struct err *err)
{
    struct hpcc_counts size = { 0 };
    struct err why;
    int rc;

    rc = read_counts(w, &size, err);
    rc = rc ? rc : read_nodes(w, &size, g, err);
    rc = rc ? rc : read_links(w, size.links, g, err);
    if (rc)
        return rc;
    rc = graph_check(g, &why);
    if (rc) {
        w->line = size.line;
        return tokens_err(w, err, -rc, "%s", why.text);
    }
    return hpcc_leave_more_rows(w, size.links, "links", err);
}

int hpcc_read_topology(const char *path, const char *text, struct graph *g, struct err *err)
{
    struct tokens w;
    struct graph made;
    int rc = tokens_open(&w, path, text, TOPOLOGY_BYTES_MAX, err);

    graph_init(&made);
    rc = rc ? rc : read_graph(&w, &made, err);
    tokens_close(&w);
    if (rc < 0)
        graph_fini(&made);
    else
        *g = made;
    return rc;
}
