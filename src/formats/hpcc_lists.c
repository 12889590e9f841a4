/* src/formats/hpcc_lists.c - topology and flow list of the HPCC and ConWeave forks: counts, then rows. */
#include "formats/hpcc.h"

#include "base/tokens.h"
#include "core/units.h"
#include "net/measure.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Accepts text after the last row. Further rows are ignored, as in the fork: returns HPCC_ODD. */
static int hpcc_leave_more_rows(struct tokens *w, uint32_t count, const char *rows)
{
    if (!tokens_next_line(w) || !isdigit((unsigned char)*w->at))
        return 0;
    tokens_err(w, EINVAL, "the first line announces %u %s; what is from here on is not read", count, rows);
    return HPCC_ODD;
}

static int hpcc_next_row(struct tokens *w, uint32_t index, uint32_t count, const char *rows)
{
    if (tokens_next_line(w))
        return 0;
    return tokens_err(w, EINVAL, "the file ends after %u of %u %s", index, count, rows);
}

/* ---- topology ---- */

#define TOPOLOGY_BYTES_MAX (1ul << 30)
#define LINK_CHARS_MIN     10        /* "0 1 1G 0 0": the shortest link row */

struct hpcc_counts { uint32_t line, nodes, switches, links; };

static int read_counts(struct tokens *w, struct hpcc_counts *size)
{
    int rc;

    if (!tokens_next_line(w))
        return tokens_err(w, EINVAL, "the file is empty");
    size->line = w->line;
    rc = tokens_uint32(w, "the number of nodes", GRAPH_NODES_MAX, &size->nodes);
    rc = rc ? rc : tokens_uint32(w, "the number of switches", GRAPH_NODES_MAX, &size->switches);
    rc = rc ? rc : tokens_uint32(w, "the number of links", GRAPH_LINKS_MAX, &size->links);
    rc = rc ? rc : tokens_end(w);
    if (rc)
        return rc;
    if (size->switches > size->nodes)
        return tokens_err(w, EINVAL, "%u of %u nodes are switches", size->switches, size->nodes);
    /* Limits memory by the size of the file, whatever its first line claims. */
    if (size->links > strlen(w->at) / LINK_CHARS_MIN + 1)
        return tokens_err(w, EINVAL, "the file is too short for %u links", size->links);
    if (size->nodes - size->switches > 2ull * size->links)
        return tokens_err(w, EINVAL, "%u links are too few for %u hosts", size->links,
                         size->nodes - size->switches);
    return 0;
}

/* Switch ids may be spread over several lines. */
static int read_switch(struct tokens *w, const struct hpcc_counts *size, bool *is_switch)
{
    uint32_t id;
    int rc;

    if (tokens_at_end(w) && !tokens_next_line(w))
        return tokens_err(w, EINVAL, "the file ends before all %u switches are named", size->switches);
    rc = tokens_uint32(w, "a switch", size->nodes - 1, &id);
    if (rc)
        return rc;
    if (is_switch[id])
        return tokens_err(w, EINVAL, "switch %u is listed twice", id);
    is_switch[id] = true;
    return 0;
}

static int read_nodes(struct tokens *w, const struct hpcc_counts *size, struct graph *g)
{
    bool *is_switch = xcalloc(size->nodes, sizeof *is_switch);
    int rc = 0;

    for (uint32_t i = 0; i < size->switches && !rc; i++)
        rc = read_switch(w, size, is_switch);
    rc = rc ? rc : tokens_end(w);
    for (uint32_t i = 0; i < size->nodes && !rc; i++)
        graph_add_node(g, is_switch[i], NULL);
    free(is_switch);
    return rc;
}

/* Reads a time as ns-3 does: digits, then a unit (default: seconds); truncated to whole nanoseconds. */
static int read_delay(struct tokens *w, uint64_t *ps)
{
    static const struct { const char *name; uint64_t ns; } units[] = {
        { "", 1000000000u }, { "s", 1000000000u }, { "ms", 1000000u }, { "us", 1000u }, { "ns", 1u },
        { "ps", 0 },
    };
    const char *word = tokens_next(w);
    char       *end;
    double      value;

    if (!word)
        return tokens_err(w, EINVAL, "nothing is given for the delay");
    value = strtod(word, &end);
    if (end == word || (size_t)(end - word) != strspn(word, "+-0123456789.") || value < 0)
        return tokens_err(w, EINVAL, "the delay: '%s' is not a time like 1us", word);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0) {
            if (value * (double)units[i].ns >= 1e9 || value >= 1e12)
                return tokens_err(w, ERANGE, "the delay: '%s' is a second or more", word);
            *ps = (units[i].ns ? hpcc_ns_from(value, units[i].ns) : (uint64_t)(value / 1000)) * PS_PER_NS;
            return 0;
        }
    return tokens_err(w, EINVAL, "the delay: '%s' is not in s, ms, us, ns or ps", word);
}

static int read_link(struct tokens *w, const struct graph *g, struct graph_link *link)
{
    struct err why;
    int rc;

    rc = tokens_uint32(w, "the first node", UINT32_MAX, &link->a);
    rc = rc ? rc : tokens_uint32(w, "the second node", UINT32_MAX, &link->b);
    rc = rc ? rc : tokens_rate(w, "the rate", &link->rate_bps);
    rc = rc ? rc : read_delay(w, &link->delay_ps);
    rc = rc ? rc : tokens_real(w, "the error rate", 0, 1, &link->loss);
    rc = rc ? rc : tokens_end(w);
    if (rc)
        return rc;
    rc = graph_check_link(g, link, &why);
    return rc ? tokens_err(w, -rc, "%s", why.text) : 0;
}

/* line: by link */
static int refuse_parallel(struct tokens *w, const struct graph *g, const uint32_t *line)
{
    uint32_t                 first, second;
    const struct graph_link *l;

    if (!graph_find_parallel(g, &first, &second))
        return 0;
    l = &g->link[second];
    w->line = line[second];
    return tokens_err(w, EINVAL, "line %u already links nodes %u and %u", line[first],
                      l->a < l->b ? l->a : l->b, l->a < l->b ? l->b : l->a);
}

static int read_links(struct tokens *w, uint32_t count, struct graph *g)
{
    uint32_t         *line = xmalloc((count + 1ul) * sizeof *line);
    struct graph_link link = { 0 };
    int               rc = 0;

    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = hpcc_next_row(w, i, count, "links");
        rc = rc ? rc : read_link(w, g, &link);
        if (rc)
            break;
        line[i] = w->line;
        graph_add_link(g, &link);
    }
    rc = rc ? rc : refuse_parallel(w, g, line);
    free(line);
    return rc;
}

static int read_graph(struct tokens *w, struct graph *g)
{
    struct hpcc_counts size = { 0 };
    struct err why;
    int rc;

    rc = read_counts(w, &size);
    rc = rc ? rc : read_nodes(w, &size, g);
    rc = rc ? rc : read_links(w, size.links, g);
    if (rc)
        return rc;
    rc = graph_check(g, &why);
    if (rc) {
        w->line = size.line;
        return tokens_err(w, -rc, "%s", why.text);
    }
    return hpcc_leave_more_rows(w, size.links, "links");
}

int hpcc_read_topology(const char *path, const char *text, struct graph *g, struct err *err)
{
    struct tokens w;
    struct graph made;
    int rc = tokens_open(&w, path, text, TOPOLOGY_BYTES_MAX, err);

    graph_init(&made);
    rc = rc ? rc : read_graph(&w, &made);
    tokens_close(&w);
    if (rc < 0)
        graph_fini(&made);
    else
        *g = made;
    return rc;
}

/* ---- flow list ---- */

#define FLOWS_BYTES_MAX (1ul << 34)
#define FLOW_BYTES_MAX  (1ull << 48)
#define DPORT_FIRST     100          /* first port of ConWeave's flows to each destination */

static int read_host(struct tokens *w, const char *what, const struct graph *g, uint32_t *host)
{
    int rc = tokens_uint32(w, what, UINT32_MAX, host);

    if (rc || !g)
        return rc;
    if (*host >= g->nodes)
        return tokens_err(w, EINVAL, "%s: there is no node %u in the topology", what, *host);
    if (g->node[*host].is_switch)
        return tokens_err(w, EINVAL, "%s: node %u is a switch", what, *host);
    return 0;
}

struct hpcc_flow_reader {
    struct tokens        words;
    const struct graph *graph;           /* NULL: hosts are not checked */
    bool                has_dport;
    uint16_t           *dport;           /* lists without ports: next port by node; NULL without a graph */
    uint64_t            last_start_ns;
};

/* Detects the format by the first row: five words, the last of which is not an integer, are ConWeave's. */
static bool row_has_dport(struct tokens first)
{
    bool     has_point = false;
    uint32_t count = 0;

    for (; tokens_next(&first); count++)
        has_point = strchr(first.word, '.') != NULL;
    return !(count == 5 && has_point);
}

static int read_flow_words(struct hpcc_flow_reader *r, struct flow_row *flow)
{
    struct tokens *w = &r->words;
    uint32_t prio = 0, dport = 0;
    double start_s;
    int rc;

    rc = read_host(w, "the source", r->graph, &flow->src);
    rc = rc ? rc : read_host(w, "the destination", r->graph, &flow->dst);
    rc = rc ? rc : tokens_uint32(w, "pg", 7, &prio);
    if (!rc && r->has_dport)
        rc = tokens_uint32(w, "the port", UINT16_MAX, &dport);
    rc = rc ? rc : tokens_uint(w, "the size", FLOW_BYTES_MAX, &flow->bytes);
    rc = rc ? rc : tokens_real(w, "the start", 0, HPCC_SECONDS_MAX, &start_s);
    rc = rc ? rc : tokens_end(w);
    if (rc)
        return rc;
    flow->prio = (uint8_t)prio;
    flow->dport = r->has_dport ? (uint16_t)dport
                  : r->dport     ? (uint16_t)(DPORT_FIRST + r->dport[flow->dst]++)
                                 : DPORT_FIRST;
    flow->start_ns = hpcc_ns_from_seconds(start_s);
    flow->line = w->line;
    return 0;
}

static int read_flow(struct hpcc_flow_reader *r, struct flow_row *flow)
{
    struct tokens *w = &r->words;
    int rc = read_flow_words(r, flow);

    if (rc)
        return rc;
    if (flow->src == flow->dst)
        return tokens_err(w, EINVAL, "a flow from node %u to itself", flow->src);
    if (flow->bytes == 0)
        return tokens_err(w, EINVAL, "a flow of 0 bytes");
    if (flow->start_ns < r->last_start_ns)
        return tokens_err(w, EINVAL, "flows must be in the order of their start, but this one starts "
                         "earlier than the one before it");
    r->last_start_ns = flow->start_ns;
    return 0;
}

static int read_flows(struct hpcc_flow_reader *r, struct flow_list *flows)
{
    struct tokens *w = &r->words;
    uint32_t count = 0, room = 0;
    int rc;

    if (!tokens_next_line(w))
        return tokens_err(w, EINVAL, "the file is empty");
    rc = tokens_uint32(w, "the number of flows", HPCC_FLOWS_MAX, &count);
    rc = rc ? rc : tokens_end(w);
    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = hpcc_next_row(w, i, count, "flows");
        if (rc)
            break;
        if (i == 0)
            r->has_dport = row_has_dport(*w);
        flows->flow = xgrow(flows->flow, i, &room, 64, sizeof *flows->flow);
        rc = read_flow(r, &flows->flow[i]);
    }
    flows->count = count;
    return rc ? rc : hpcc_leave_more_rows(w, count, "flows");
}

int hpcc_read_flows(const char *path, const char *text, const struct graph *g, struct flow_list *flows,
                     struct err *err)
{
    struct hpcc_flow_reader r = { .graph = g, .dport = g ? xcalloc(g->nodes, sizeof *r.dport) : NULL };
    struct flow_list made = { 0 };
    int rc = tokens_open(&r.words, path, text, FLOWS_BYTES_MAX, err);

    rc = rc ? rc : read_flows(&r, &made);
    tokens_close(&r.words);
    free(r.dport);
    if (rc < 0)
        flow_list_fini(&made);
    else
        *flows = made;
    return rc;
}
