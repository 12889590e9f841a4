/* peers/hpcc_lists.c - topology and flow list of the HPCC and ConWeave forks: counts, then rows. */
#include "peers/hpcc.h"

#include "base/text.h"
#include "base/tokens.h"
#include "core/units.h"
#include "work/net/measure.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Accepts text after the last row. Further rows are ignored, as in the fork: returns HPCC_ODD. */
static int end_rows(struct tokens *w, uint32_t count, const char *rows)
{
    bool is_odd = tokens_next_line(w) && isdigit((unsigned char)*w->at);

    if (is_odd)
        err_write(w->err, "%s:%u: the first line announces %u %s; what is from here on is not read", w->name,
                  w->line, count, rows);
    tokens_close(w);
    return is_odd ? HPCC_ODD : w->rc;
}

/* ---- topology ---- */

#define TOPOLOGY_BYTES_MAX (1ul << 30)
#define LINK_CHARS_MIN     10        /* "0 1 1G 0 0": the shortest link row */

struct hpcc_counts { uint32_t line, nodes, switches, links; };

static void read_counts(struct tokens *w, struct hpcc_counts *size)
{
    tokens_need_line(w, "the file is empty");
    size->line = w->line;
    tokens_uint32(w, "the number of nodes", GRAPH_NODES_MAX, &size->nodes);
    tokens_uint32(w, "the number of switches", GRAPH_NODES_MAX, &size->switches);
    tokens_uint32(w, "the number of links", GRAPH_LINKS_MAX, &size->links);
    tokens_end(w);
    if (size->switches > size->nodes)
        tokens_err(w, EINVAL, "%u of %u nodes are switches", size->switches, size->nodes);
    /* Limits memory by the size of the file, whatever its first line claims. */
    else if (size->links > strlen(w->at) / LINK_CHARS_MIN + 1)
        tokens_err(w, EINVAL, "the file is too short for %u links", size->links);
    else if (size->nodes - size->switches > 2ull * size->links)
        tokens_err(w, EINVAL, "%u links are too few for %u hosts", size->links, size->nodes - size->switches);
}

/* Switch ids may be spread over several lines. */
static void read_nodes(struct tokens *w, const struct hpcc_counts *size, struct graph *g)
{
    bool    *is_switch = xcalloc(size->nodes, sizeof *is_switch);
    uint32_t id = 0;

    for (uint32_t i = 0; i < size->switches && !w->rc; i++) {
        if (tokens_at_end(w))
            tokens_need_line(w, "the file ends before all %u switches are named", size->switches);
        tokens_uint32(w, "a switch", size->nodes - 1, &id);
        if (is_switch[id])
            tokens_err(w, EINVAL, "switch %u is listed twice", id);
        is_switch[id] = true;
    }
    tokens_end(w);
    for (uint32_t i = 0; i < size->nodes && !w->rc; i++)
        graph_add_node(g, is_switch[i], NULL);
    free(is_switch);
}

/* Returns the picoseconds of a unit; 0: unknown. */
static uint64_t unit_of_delay(const char *unit)
{
    static const struct { const char *name; uint64_t ps; } units[] = {
        { "", PS_PER_S }, { "s", PS_PER_S }, { "ms", PS_PER_MS }, { "us", PS_PER_US }, { "ns", PS_PER_NS },
        { "ps", 1 },
    };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ps;
    return 0;
}

/* As ns-3: truncates to whole nanoseconds, in binary. */
static uint64_t delay_as_ns3(double value, uint64_t unit_ps)
{
    return PS_PER_NS * (unit_ps == 1 ? (uint64_t)(value / 1000) : hpcc_ns_from(value, unit_ps / PS_PER_NS));
}

/* Reads a time as the fork writes it: digits, then a unit (default: seconds). */
static void read_delay(struct tokens *w, bool is_exact, uint64_t *ps)
{
    const char *word = tokens_need(w, "the delay");
    char        number[TOKENS_BYTES], *end;

    if (!word)
        return;
    double   value = strtod(word, &end);
    size_t   length = (size_t)(end - word);
    uint64_t unit_ps = unit_of_delay(end);
    if (end == word || length != strspn(word, "+-0123456789.") || value < 0)
        tokens_err(w, EINVAL, "the delay: '%s' is not a time like 1us", word);
    else if (!unit_ps)
        tokens_err(w, EINVAL, "the delay: '%s' is not in s, ms, us, ns or ps", word);
    else if (value * (double)unit_ps >= (double)PS_PER_S)
        tokens_err(w, ERANGE, "the delay: '%s' is a second or more", word);
    if (w->rc)
        return;
    memcpy(number, word, length);
    number[length] = '\0';
    if (!is_exact)
        *ps = delay_as_ns3(value, unit_ps);
    else if (text_to_units(number + strspn(number, "+-"), unit_ps, ps, NULL))
        tokens_err(w, EINVAL, "the delay: '%s' is not a time like 1us", word);
}

static void read_link(struct tokens *w, bool is_exact, const struct graph *g, struct graph_link *link)
{
    struct err why;

    tokens_uint32(w, "the first node", UINT32_MAX, &link->a);
    tokens_uint32(w, "the second node", UINT32_MAX, &link->b);
    tokens_rate(w, "the rate", &link->rate_bps);
    read_delay(w, is_exact, &link->delay_ps);
    tokens_real(w, "the error rate", 0, 1, &link->loss);
    tokens_end(w);
    int rc = w->rc ? 0 : graph_check_link(g, link, &why);
    if (rc)
        tokens_err(w, -rc, "%s", why.text);
}

/* line: by link */
static void refuse_parallel(struct tokens *w, const struct graph *g, const uint32_t *line)
{
    uint32_t first, second;

    if (w->rc || !graph_find_parallel(g, &first, &second))
        return;
    const struct graph_link *l = &g->link[second];
    tokens_err_at(w, line[second], EINVAL, "line %u already links nodes %u and %u", line[first],
                  l->a < l->b ? l->a : l->b, l->a < l->b ? l->b : l->a);
}

static void read_links(struct tokens *w, bool is_exact, uint32_t count, struct graph *g)
{
    uint32_t         *line = xmalloc((count + 1ul) * sizeof *line);
    struct graph_link link = { 0 };

    for (uint32_t i = 0; i < count && tokens_need_line(w, "the file ends after %u of %u links", i, count);
         i++) {
        read_link(w, is_exact, g, &link);
        line[i] = w->line;
        if (!w->rc)
            graph_add_link(g, &link);
    }
    refuse_parallel(w, g, line);
    free(line);
}

static int read_topology(const char *path, const char *text, bool is_exact, struct graph *g, struct err *err)
{
    struct hpcc_counts size = { 0 };
    struct tokens      w;
    struct graph       made;
    struct err         why;

    tokens_open(&w, path, text, TOPOLOGY_BYTES_MAX, err);
    graph_init(&made);
    read_counts(&w, &size);
    if (!w.rc) {
        read_nodes(&w, &size, &made);
        read_links(&w, is_exact, size.links, &made);
    }
    int rc = w.rc ? 0 : graph_check(&made, &why);
    if (rc)
        tokens_err_at(&w, size.line, -rc, "%s", why.text);
    rc = end_rows(&w, size.links, "links");
    if (rc < 0)
        graph_fini(&made);
    else
        *g = made;
    return rc;
}

int hpcc_read_topology(const char *path, const char *text, struct graph *g, struct err *err)
{
    return read_topology(path, text, false, g, err);
}

int hpcc_read_topology_exact(const char *path, const char *text, struct graph *g, struct err *err)
{
    return read_topology(path, text, true, g, err);
}

/* ---- flow list ---- */

#define FLOWS_BYTES_MAX (1ul << 34)
#define FLOW_BYTES_MAX  (1ull << 48)
#define DPORT_FIRST     100          /* first port of ConWeave's flows to each destination */

static void read_host(struct tokens *w, const char *what, const struct graph *g, uint32_t *host)
{
    tokens_uint32(w, what, UINT32_MAX, host);
    if (!g || w->rc)
        return;
    if (*host >= g->nodes)
        tokens_err(w, EINVAL, "%s: there is no node %u in the topology", what, *host);
    else if (g->node[*host].is_switch)
        tokens_err(w, EINVAL, "%s: node %u is a switch", what, *host);
}

struct hpcc_flow_reader {
    struct tokens        words;
    const struct graph *graph;           /* NULL: hosts are not checked */
    bool                is_exact, has_dport;
    uint16_t           *dport;           /* lists without ports: next port by node; NULL without a graph */
    uint64_t            last_start_ps;
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

static void read_start(struct hpcc_flow_reader *r, uint64_t *ps)
{
    double seconds;

    if (r->is_exact)
        tokens_units(&r->words, "the start", PS_PER_S, HPCC_SECONDS_MAX, ps);
    else if (!tokens_real(&r->words, "the start", 0, HPCC_SECONDS_MAX, &seconds))
        *ps = hpcc_ns_from_seconds(seconds) * PS_PER_NS;
}

static void read_flow(struct hpcc_flow_reader *r, struct flow_row *flow)
{
    struct tokens *w = &r->words;
    uint32_t       prio = 0, dport = DPORT_FIRST;

    *flow = (struct flow_row){ 0 };
    read_host(w, "the source", r->graph, &flow->src);
    read_host(w, "the destination", r->graph, &flow->dst);
    tokens_uint32(w, "pg", 7, &prio);
    if (r->has_dport)
        tokens_uint32(w, "the port", UINT16_MAX, &dport);
    tokens_uint(w, "the size", FLOW_BYTES_MAX, &flow->bytes);
    read_start(r, &flow->start_ps);
    tokens_end(w);
    if (w->rc)
        return;
    flow->prio = (uint8_t)prio;
    flow->dport = (uint16_t)(dport + (r->has_dport || !r->dport ? 0 : r->dport[flow->dst]++));
    flow->line = w->line;
    if (flow->src == flow->dst)
        tokens_err(w, EINVAL, "a flow from node %u to itself", flow->src);
    if (flow->bytes == 0)
        tokens_err(w, EINVAL, "a flow of 0 bytes");
    if (flow->start_ps < r->last_start_ps)
        tokens_err(w, EINVAL, "flows must be in the order of their start, but this one starts earlier than "
                   "the one before it");
    r->last_start_ps = flow->start_ps;
}

static void read_flows(struct hpcc_flow_reader *r, struct flow_list *flows)
{
    struct tokens *w = &r->words;
    uint32_t       count = 0, room = 0;

    tokens_need_line(w, "the file is empty");
    tokens_uint32(w, "the number of flows", HPCC_FLOWS_MAX, &count);
    tokens_end(w);
    for (uint32_t i = 0; i < count && tokens_need_line(w, "the file ends after %u of %u flows", i, count);
         i++) {
        if (i == 0)
            r->has_dport = row_has_dport(*w);
        flows->flow = xgrow(flows->flow, i, &room, 64, sizeof *flows->flow);
        read_flow(r, &flows->flow[i]);
    }
    flows->count = count;
}

static int read_list(const char *path, const char *text, bool is_exact, const struct graph *g,
                     struct flow_list *flows, struct err *err)
{
    struct hpcc_flow_reader r = { .graph = g, .is_exact = is_exact,
                                  .dport = g ? xcalloc(g->nodes, sizeof *r.dport) : NULL };
    struct flow_list        made = { 0 };

    tokens_open(&r.words, path, text, FLOWS_BYTES_MAX, err);
    read_flows(&r, &made);
    int rc = end_rows(&r.words, made.count, "flows");
    free(r.dport);
    if (rc < 0)
        flow_list_fini(&made);
    else
        *flows = made;
    return rc;
}

int hpcc_read_flows(const char *path, const char *text, const struct graph *g, struct flow_list *flows,
                     struct err *err)
{
    return read_list(path, text, false, g, flows, err);
}

int hpcc_read_flows_exact(const char *path, const char *text, const struct graph *g, struct flow_list *flows,
                           struct err *err)
{
    return read_list(path, text, true, g, flows, err);
}
