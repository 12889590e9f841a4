/* src/formats/hpcc_flows.c - the flow list of the HPCC and ConWeave ns-3 forks. */
#include "formats/hpcc.h"

#include "core/units.h"
#include "formats/hpcc_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_BYTES_MAX (1ul << 34)
#define FLOW_BYTES_MAX  (1ull << 48)
#define DPORT_FIRST     100          /* first port of ConWeave's flows to each destination */

static int read_host(struct tokens *w, const char *what, const struct graph *g, uint32_t *host,
                     struct err *err)
{
    int rc = tokens_uint32(w, what, UINT32_MAX, host, err);

    if (rc || !g)
        return rc;
    if (*host >= g->nodes)
        return tokens_err(w, err, EINVAL, "%s: there is no node %u in the topology", what, *host);
    if (g->node[*host].is_switch)
        return tokens_err(w, err, EINVAL, "%s: node %u is a switch", what, *host);
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

static uint16_t next_dport(struct hpcc_flow_reader *r, uint32_t dst)
{
    return r->dport ? (uint16_t)(DPORT_FIRST + r->dport[dst]++) : DPORT_FIRST;
}

static int read_flow_words(struct hpcc_flow_reader *r, struct flow_row *flow, struct err *err)
{
    struct tokens *w = &r->words;
    uint32_t prio = 0, dport = 0;
    double start_s;
    int rc;

    rc = read_host(w, "the source", r->graph, &flow->src, err);
    rc = rc ? rc : read_host(w, "the destination", r->graph, &flow->dst, err);
    rc = rc ? rc : tokens_uint32(w, "pg", 7, &prio, err);
    if (!rc && r->has_dport)
        rc = tokens_uint32(w, "the port", UINT16_MAX, &dport, err);
    rc = rc ? rc : tokens_uint(w, "the size", FLOW_BYTES_MAX, &flow->bytes, err);
    rc = rc ? rc : tokens_real(w, "the start", 0, HPCC_SECONDS_MAX, &start_s, err);
    rc = rc ? rc : tokens_end(w, err);
    if (rc)
        return rc;
    flow->prio = (uint8_t)prio;
    flow->dport = r->has_dport ? (uint16_t)dport : next_dport(r, flow->dst);
    flow->start_ns = hpcc_ns_from_seconds(start_s);
    flow->line = w->line;
    return 0;
}

static int read_flow(struct hpcc_flow_reader *r, struct flow_row *flow, struct err *err)
{
    struct tokens *w = &r->words;
    int rc = read_flow_words(r, flow, err);

    if (rc)
        return rc;
    if (flow->src == flow->dst)
        return tokens_err(w, err, EINVAL, "a flow from node %u to itself", flow->src);
    if (flow->bytes == 0)
        return tokens_err(w, err, EINVAL, "a flow of 0 bytes");
    if (flow->start_ns < r->last_start_ns)
        return tokens_err(w, err, EINVAL, "flows must be in the order of their start, but this one starts "
                         "earlier than the one before it");
    r->last_start_ns = flow->start_ns;
    return 0;
}

static int read_flows(struct hpcc_flow_reader *r, struct flow_list *flows, struct err *err)
{
    struct tokens *w = &r->words;
    uint32_t count = 0, room = 0;
    int rc;

    if (!tokens_next_line(w))
        return tokens_err(w, err, EINVAL, "the file is empty");
    rc = tokens_uint32(w, "the number of flows", HPCC_FLOWS_MAX, &count, err);
    rc = rc ? rc : tokens_end(w, err);
    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = hpcc_next_row(w, i, count, "flows", err);
        if (rc)
            break;
        if (i == 0)
            r->has_dport = row_has_dport(*w);
        flows->flow = xgrow(flows->flow, i, &room, 64, sizeof *flows->flow);
        rc = read_flow(r, &flows->flow[i], err);
    }
    flows->count = count;
    return rc ? rc : hpcc_leave_more_rows(w, count, "flows", err);
}

int hpcc_read_flows(const char *path, const char *text, const struct graph *g, struct flow_list *flows,
                     struct err *err)
{
    struct hpcc_flow_reader r = { .graph = g, .dport = g ? xcalloc(g->nodes, sizeof *r.dport) : NULL };
    struct flow_list made = { 0 };
    int rc = tokens_open(&r.words, path, text, FLOWS_BYTES_MAX, err);

    rc = rc ? rc : read_flows(&r, &made, err);
    tokens_close(&r.words);
    free(r.dport);
    if (rc < 0)
        flow_list_fini(&made);
    else
        *flows = made;
    return rc;
}
