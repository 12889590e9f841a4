/* src/formats/hpcc_files.c */
#include "formats/hpcc_files.h"

#include "base/text.h"
#include "base/tokens.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOPOLOGY_BYTES_MAX (1ul << 30)
#define FLOWS_BYTES_MAX    (1ul << 34)
#define CONFIG_BYTES_MAX   (1ul << 20)
#define LINK_CHARS_MIN     10        /* "0 1 1G 0 0": the shortest row of a link */
#define FLOW_BYTES_MAX     (1ull << 48)
#define DPORT_FIRST        100       /* of ConWeave's flows to each destination */

/* Time */

uint64_t hpcc_ns_from_seconds(double seconds)
{
    uint64_t whole, fraction;

    assert(seconds >= 0 && seconds <= 1e9);
    whole = (uint64_t)seconds;
    /* ns-3 multiplies by 2^64 - 1, which as a double is 2^64. The product is below 2^64: a double below 1
     * is 1 - 2^-53 at most. */
    fraction = (uint64_t)((seconds - (double)whole) * 18446744073709551615.0);
    return (uint64_t)(((unsigned __int128)whole << 64 | fraction) * 1000000000u >> 64);
}

uint64_t hpcc_tx_ns(uint64_t bytes, uint64_t bps)
{
    return hpcc_ns_from_seconds((double)(bytes * 8) / (double)bps);
}

/* What topology and flow list share */

/* After the last row there may be words, but no further row. */
static int refuse_more_rows(struct tokens *w, uint32_t count, const char *rows, struct err *err)
{
    if (tokens_next_line(w) && isdigit((unsigned char)*w->at))
        return tokens_err(w, err, EINVAL, "there are more than the %u %s announced at the top", count, rows);
    return 0;
}

static int next_row(struct tokens *w, uint32_t index, uint32_t count, const char *rows, struct err *err)
{
    if (tokens_next_line(w))
        return 0;
    return tokens_err(w, err, EINVAL, "the file ends after %u of %u %s", index, count, rows);
}

/* Topology */

struct sizes { uint32_t line, nodes, switches, links; };

static int read_sizes(struct tokens *w, struct sizes *size, struct err *err)
{
    int rc;

    if (!tokens_next_line(w))
        return tokens_err(w, err, EINVAL, "the file is empty");
    size->line = w->line;
    rc = tokens_uint32(w, "the number of nodes", GRAPH_NODES_MAX, &size->nodes, err);
    if (!rc)
        rc = tokens_uint32(w, "the number of switches", GRAPH_NODES_MAX, &size->switches, err);
    if (!rc)
        rc = tokens_uint32(w, "the number of links", GRAPH_LINKS_MAX, &size->links, err);
    if (!rc)
        rc = tokens_end(w, err);
    if (rc)
        return rc;
    if (size->switches > size->nodes)
        return tokens_err(w, err, EINVAL, "%u of %u nodes are switches", size->switches, size->nodes);
    /* So that memory is in proportion to the file, whatever its first line says. */
    if (size->links > strlen(w->at) / LINK_CHARS_MIN + 1)
        return tokens_err(w, err, EINVAL, "the file is too short for %u links", size->links);
    if (size->nodes - size->switches > 2ull * size->links)
        return tokens_err(w, err, EINVAL, "%u links are too few for %u hosts", size->links,
                         size->nodes - size->switches);
    return 0;
}

/* Switch ids may be spread over several lines. */
static int read_switch(struct tokens *w, const struct sizes *size, bool *is_switch, struct err *err)
{
    uint32_t id;
    int rc;

    if (tokens_at_end(w) && !tokens_next_line(w))
        return tokens_err(w, err, EINVAL, "the file ends before all %u switches are named", size->switches);
    rc = tokens_uint32(w, "a switch", size->nodes - 1, &id, err);
    if (rc)
        return rc;
    if (is_switch[id])
        return tokens_err(w, err, EINVAL, "the switch %u is named twice", id);
    is_switch[id] = true;
    return 0;
}

static int read_nodes(struct tokens *w, const struct sizes *size, struct graph *g, struct err *err)
{
    bool *is_switch = xcalloc(size->nodes, sizeof *is_switch);
    int rc = 0;

    for (uint32_t i = 0; i < size->switches && !rc; i++)
        rc = read_switch(w, size, is_switch, err);
    if (!rc)
        rc = tokens_end(w, err);
    for (uint32_t i = 0; i < size->nodes && !rc; i++)
        graph_add_node(g, is_switch[i], NULL);
    free(is_switch);
    return rc;
}

static int read_link(struct tokens *w, const struct graph *g, struct graph_link *link, struct err *err)
{
    struct err why;
    int rc;

    rc = tokens_uint32(w, "the first node", UINT32_MAX, &link->a, err);
    if (!rc)
        rc = tokens_uint32(w, "the second node", UINT32_MAX, &link->b, err);
    if (!rc)
        rc = tokens_rate(w, "the rate", &link->rate_bps, err);
    if (!rc)
        rc = tokens_time(w, "the delay", &link->delay_ps, err);
    if (!rc)
        rc = tokens_real(w, "the error rate", 0, 1, &link->loss, err);
    if (!rc)
        rc = tokens_end(w, err);
    if (rc)
        return rc;
    link->ber = 0;
    rc = graph_check_link(g, link, &why);
    return rc ? tokens_err(w, err, -rc, "%s", why.text) : 0;
}

struct pair { uint32_t low, high, line; };       /* the ends of a link */

static int compare_pairs(const void *a_, const void *b_)
{
    const struct pair *a = a_, *b = b_;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int refuse_parallel(struct tokens *w, struct pair *pair, uint32_t count, struct err *err)
{
    qsort(pair, count, sizeof *pair, compare_pairs);
    for (uint32_t i = 1; i < count; i++) {
        if (pair[i].low != pair[i - 1].low || pair[i].high != pair[i - 1].high)
            continue;
        w->line = pair[i].line;
        return tokens_err(w, err, EINVAL, "line %u links the nodes %u and %u already", pair[i - 1].line,
                         pair[i].low, pair[i].high);
    }
    return 0;
}

static int read_links(struct tokens *w, uint32_t count, struct graph *g, struct err *err)
{
    struct pair *pair = xmalloc((count + 1ul) * sizeof *pair);
    struct graph_link link;
    int rc = 0;

    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = next_row(w, i, count, "links", err);
        if (!rc)
            rc = read_link(w, g, &link, err);
        if (rc)
            break;
        pair[i] = (struct pair){ link.a, link.b, w->line };
        if (link.a > link.b)
            pair[i] = (struct pair){ link.b, link.a, w->line };
        graph_add_link(g, &link);
    }
    if (!rc)
        rc = refuse_more_rows(w, count, "links", err);
    if (!rc)
        rc = refuse_parallel(w, pair, count, err);
    free(pair);
    return rc;
}

static int read_graph(struct tokens *w, struct graph *g, struct err *err)
{
    struct sizes size = { 0 };
    struct err why;
    int rc;

    rc = read_sizes(w, &size, err);
    if (!rc)
        rc = read_nodes(w, &size, g, err);
    if (!rc)
        rc = read_links(w, size.links, g, err);
    if (rc)
        return rc;
    rc = graph_check(g, &why);
    w->line = size.line;
    return rc ? tokens_err(w, err, -rc, "%s", why.text) : 0;
}

int hpcc_parse_topology(const char *name, const char *text, struct graph *g, struct err *err)
{
    struct tokens w;
    struct graph made;
    int rc;

    tokens_init(&w, name, text);
    graph_init(&made);
    rc = read_graph(&w, &made, err);
    if (rc)
        graph_fini(&made);
    else
        *g = made;
    return rc;
}

int hpcc_read_topology(const char *path, struct graph *g, struct err *err)
{
    char *text;
    int rc = tokens_read_file(path, TOPOLOGY_BYTES_MAX, &text, err);

    if (rc)
        return rc;
    rc = hpcc_parse_topology(path, text, g, err);
    free(text);
    return rc;
}

/* Flow list */

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

struct flow_reader {
    struct tokens        words;
    const struct graph *graph;           /* NULL: hosts are not checked */
    bool                has_dport;
    uint16_t           *dport;           /* without: the next of each node; NULL if there is no graph */
    uint64_t            last_start_ns;
};

/* By the first row: five words, the last of which is no size, are ConWeave's. */
static bool row_has_dport(struct tokens first)
{
    bool     has_point = false;
    uint32_t count = 0;

    for (; tokens_next(&first); count++)
        has_point = strchr(first.word, '.') != NULL;
    return !(count == 5 && has_point);
}

static uint16_t next_dport(struct flow_reader *r, uint32_t dst)
{
    return r->dport ? (uint16_t)(DPORT_FIRST + r->dport[dst]++) : DPORT_FIRST;
}

static int read_flow_words(struct flow_reader *r, struct hpcc_flow *flow, struct err *err)
{
    struct tokens *w = &r->words;
    uint32_t prio = 0, dport = 0;
    double start_s;
    int rc;

    rc = read_host(w, "the source", r->graph, &flow->src, err);
    if (!rc)
        rc = read_host(w, "the destination", r->graph, &flow->dst, err);
    if (!rc)
        rc = tokens_uint32(w, "pg", 7, &prio, err);
    if (!rc && r->has_dport)
        rc = tokens_uint32(w, "the port", UINT16_MAX, &dport, err);
    if (!rc)
        rc = tokens_uint(w, "the size", FLOW_BYTES_MAX, &flow->bytes, err);
    if (!rc)
        rc = tokens_real(w, "the start", 0, HPCC_SECONDS_MAX, &start_s, err);
    if (!rc)
        rc = tokens_end(w, err);
    if (rc)
        return rc;
    flow->prio = (uint8_t)prio;
    flow->dport = r->has_dport ? (uint16_t)dport : next_dport(r, flow->dst);
    flow->start_ns = hpcc_ns_from_seconds(start_s);
    flow->line = w->line;
    return 0;
}

static int read_flow(struct flow_reader *r, struct hpcc_flow *flow, struct err *err)
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

static int read_flows(struct flow_reader *r, struct hpcc_flows *flows, struct err *err)
{
    struct tokens *w = &r->words;
    uint32_t count = 0, room = 0;
    int rc;

    if (!tokens_next_line(w))
        return tokens_err(w, err, EINVAL, "the file is empty");
    rc = tokens_uint32(w, "the number of flows", HPCC_FLOWS_MAX, &count, err);
    if (!rc)
        rc = tokens_end(w, err);
    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = next_row(w, i, count, "flows", err);
        if (rc)
            break;
        if (i == 0)
            r->has_dport = row_has_dport(*w);
        if (i == room) {
            room = room ? 2 * room : 64;
            flows->flow = xrealloc(flows->flow, room * sizeof *flows->flow);
        }
        rc = read_flow(r, &flows->flow[i], err);
    }
    flows->count = count;
    return rc ? rc : refuse_more_rows(w, count, "flows", err);
}

int hpcc_parse_flows(const char *name, const char *text, const struct graph *g, struct hpcc_flows *flows,
                     struct err *err)
{
    struct flow_reader r = { .graph = g, .dport = g ? xcalloc(g->nodes, sizeof *r.dport) : NULL };
    struct hpcc_flows made = { 0 };
    int rc;

    tokens_init(&r.words, name, text);
    rc = read_flows(&r, &made, err);
    free(r.dport);
    if (rc)
        hpcc_flows_fini(&made);
    else
        *flows = made;
    return rc;
}

int hpcc_read_flows(const char *path, const struct graph *g, struct hpcc_flows *flows, struct err *err)
{
    char *text;
    int rc = tokens_read_file(path, FLOWS_BYTES_MAX, &text, err);

    if (rc)
        return rc;
    rc = hpcc_parse_flows(path, text, g, flows, err);
    free(text);
    return rc;
}

void hpcc_flows_fini(struct hpcc_flows *flows)
{
    free(flows->flow);
    *flows = (struct hpcc_flows){ 0 };
}

/* Config */

enum kind {
    UNUSED,                      /* accepted: no effect in DCQCN mode, or about output */
    FLAG,                        /* 0 or another number */
    COUNT,
    REAL,
    MICROSECONDS,
    RATE,
    PATH,
    LINK_DOWN,
    KMAX_MAP, KMIN_MAP, PMAX_MAP,
};

struct key {
    const char *name;
    enum kind   kind;
    size_t      offset;          /* in struct hpcc_config */
    double      min, max;
};

#define IN(field) offsetof(struct hpcc_config, field)

static const struct key keys[] = {
    { "ENABLE_QCN",                FLAG,         IN(enable_qcn), 0, 0 },
    { "CLAMP_TARGET_RATE",         FLAG,         IN(clamp_target_rate), 0, 0 },
    { "HAS_WIN",                   FLAG,         IN(has_win), 0, 0 },
    { "GLOBAL_T",                  FLAG,         IN(global_t), 0, 0 },
    { "VAR_WIN",                   FLAG,         IN(var_win), 0, 0 },
    { "ACK_HIGH_PRIO",             FLAG,         IN(ack_high_prio), 0, 0 },
    { "PACKET_PAYLOAD_SIZE",       COUNT,        IN(payload_bytes), 1, 65000 },
    { "CC_MODE",                   COUNT,        IN(cc_mode), 0, UINT32_MAX },
    { "FAST_RECOVERY_TIMES",       COUNT,        IN(fast_recovery_times), 0, UINT32_MAX },
    { "BUFFER_SIZE",               COUNT,        IN(buffer_mib), 1, 4095 },      /* ns-3: bytes in 32 bits */
    { "L2_ACK_INTERVAL",           COUNT,        IN(l2_ack_interval), 0, UINT32_MAX },
    { "L2_CHUNK_SIZE",             COUNT,        IN(l2_chunk_size), 0, UINT32_MAX },
    { "L2_BACK_TO_ZERO",           COUNT,        IN(l2_back_to_zero), 0, UINT32_MAX },
    { "ALPHA_RESUME_INTERVAL",     MICROSECONDS, IN(alpha_resume_us), 1, 1e9 },  /* 0 would never end */
    { "RP_TIMER",                  MICROSECONDS, IN(rp_timer_us), 1, 1e9 },
    { "RATE_DECREASE_INTERVAL",    MICROSECONDS, IN(rate_decrease_us), 1, 1e9 },
    { "EWMA_GAIN",                 REAL,         IN(ewma_gain), 0, 1 },
    { "ERROR_RATE_PER_LINK",       REAL,         IN(error_rate_per_link), 0, 1 },
    { "SIMULATOR_STOP_TIME",       REAL,         IN(stop_s), 0, HPCC_SECONDS_MAX },
    { "RATE_AI",                   RATE,         IN(ai_bps), 0, 0 },
    { "RATE_HAI",                  RATE,         IN(hai_bps), 0, 0 },
    { "MIN_RATE",                  RATE,         IN(min_rate_bps), 0, 0 },
    { "TOPOLOGY_FILE",             PATH,         IN(topology_file), 0, 0 },
    { "FLOW_FILE",                 PATH,         IN(flow_file), 0, 0 },
    { "LINK_DOWN",                 LINK_DOWN,    IN(link_down), 0, 0 },
    { "LB_MODE",                   COUNT,        IN(lb_mode), 0, UINT32_MAX },
    { "ENABLE_PFC",                FLAG,         IN(enable_pfc), 0, 0 },
    { "ENABLE_IRN",                FLAG,         IN(enable_irn), 0, 0 },
    { "KMAX_MAP",                  KMAX_MAP,     0, 0, 0 },
    { "KMIN_MAP",                  KMIN_MAP,     0, 0, 0 },
    { "PMAX_MAP",                  PMAX_MAP,     0, 0, 0 },
    { "USE_DYNAMIC_PFC_THRESHOLD", UNUSED,       0, 0, 0 },
    { "PAUSE_TIME",                MICROSECONDS, IN(pause_us), 0, 1e9 },
    { "DATA_RATE",                 UNUSED,       0, 0, 0 },
    { "LINK_DELAY",                UNUSED,       0, 0, 0 },
    { "TRACE_FILE",                UNUSED,       0, 0, 0 },
    { "TRACE_OUTPUT_FILE",         UNUSED,       0, 0, 0 },
    { "FCT_OUTPUT_FILE",           UNUSED,       0, 0, 0 },
    { "PFC_OUTPUT_FILE",           UNUSED,       0, 0, 0 },
    { "MI_THRESH",                 UNUSED,       0, 0, 0 },
    { "FAST_REACT",                UNUSED,       0, 0, 0 },
    { "U_TARGET",                  UNUSED,       0, 0, 0 },
    { "INT_MULTI",                 UNUSED,       0, 0, 0 },
    { "RATE_BOUND",                UNUSED,       0, 0, 0 },
    { "DCTCP_RATE_AI",             UNUSED,       0, 0, 0 },
    { "ENABLE_TRACE",              UNUSED,       0, 0, 0 },
    { "QLEN_MON_FILE",             UNUSED,       0, 0, 0 },
    { "QLEN_MON_START",            UNUSED,       0, 0, 0 },
    { "QLEN_MON_END",              UNUSED,       0, 0, 0 },
    { "MULTI_RATE",                UNUSED,       0, 0, 0 },
    { "SAMPLE_FEEDBACK",           UNUSED,       0, 0, 0 },
    { "PINT_LOG_BASE",             UNUSED,       0, 0, 0 },
    { "PINT_PROB",                 UNUSED,       0, 0, 0 },

    /* of ConWeave's fork */
    { "FLOW_INPUT_FILE",           UNUSED,       0, 0, 0 },
    { "CNP_OUTPUT_FILE",           UNUSED,       0, 0, 0 },
    { "VOQ_MON_FILE",              UNUSED,       0, 0, 0 },
    { "VOQ_MON_DETAIL_FILE",       UNUSED,       0, 0, 0 },
    { "UPLINK_MON_FILE",           UNUSED,       0, 0, 0 },
    { "CONN_MON_FILE",             UNUSED,       0, 0, 0 },
    { "EST_ERROR_MON_FILE",        UNUSED,       0, 0, 0 },
    { "SW_MONITORING_INTERVAL",    UNUSED,       0, 0, 0 },
    { "FLOWGEN_START_TIME",        UNUSED,       0, 0, 0 },
    { "FLOWGEN_STOP_TIME",         UNUSED,       0, 0, 0 },
    { "LOAD",                      UNUSED,       0, 0, 0 },
    { "RANDOM_SEED",               COUNT,        IN(random_seed), 1, INT32_MAX },
    { "CONWEAVE_TX_EXPIRY_TIME",   UNUSED,       0, 0, 0 },
    { "CONWEAVE_REPLY_TIMEOUT_EXTRA",      UNUSED, 0, 0, 0 },
    { "CONWEAVE_PATH_PAUSE_TIME",          UNUSED, 0, 0, 0 },
    { "CONWEAVE_EXTRA_VOQ_FLUSH_TIME",     UNUSED, 0, 0, 0 },
    { "CONWEAVE_DEFAULT_VOQ_WAITING_TIME", UNUSED, 0, 0, 0 },
};

#define KEYS (sizeof keys / sizeof *keys)

/* Of the fork's main program; rp_timer, the rates and the maps, which it leaves unset, and the gain, which
 * its integer division makes 0, are those of its sample config. */
static const struct hpcc_config defaults = {
    .enable_qcn = true, .has_win = true, .global_t = true, .enable_pfc = true,
    .payload_bytes = 1000, .cc_mode = 1, .fast_recovery_times = 5, .buffer_mib = 16,
    .alpha_resume_us = 55, .rp_timer_us = 900, .rate_decrease_us = 4, .ewma_gain = 1.0 / 256, .pause_us = 5,
    .ai_bps = 50000000, .hai_bps = 100000000, .min_rate_bps = 100000000,
    .stop_s = 3.01,
    .ecn = {
        { 25000000000, 100, 400, 0.2 },
        { 50000000000, 200, 800, 0.2 },
        { 100000000000, 400, 1600, 0.2 },
    },
    .ecn_count = 3,
};

struct map { uint32_t line, count; uint64_t rate_bps[HPCC_MAP_MAX]; double value[HPCC_MAP_MAX]; };

struct config_reader {
    struct tokens        words;
    struct hpcc_config *config;
    uint32_t            line[KEYS];              /* where each key was given; 0: not yet */
    struct map          kmax, kmin, pmax;
};

static int read_count(struct tokens *w, const struct key *key, uint32_t *value, struct err *err)
{
    int rc = tokens_uint32(w, key->name, (uint32_t)key->max, value, err);

    if (!rc && *value < key->min)
        rc = tokens_err(w, err, ERANGE, "%s: %u is less than %g", key->name, *value, key->min);
    return rc;
}

static int read_flag(struct tokens *w, const struct key *key, bool *value, struct err *err)
{
    uint32_t number;
    int rc = tokens_uint32(w, key->name, UINT32_MAX, &number, err);

    if (!rc)
        *value = number != 0;
    return rc;
}

static int read_real(struct tokens *w, const struct key *key, double *value, struct err *err)
{
    return tokens_real(w, key->name, key->min, key->max, value, err);
}

static int read_microseconds(struct tokens *w, const struct key *key, double *value, struct err *err)
{
    int rc = read_real(w, key, value, err);

    if (!rc)
        *value = (double)(uint64_t)*value;
    return rc;
}

static int read_path(struct tokens *w, const struct key *key, char *path, struct err *err)
{
    const char *word = tokens_next(w);
    size_t size;

    if (!word)
        return tokens_err(w, err, EINVAL, "nothing is given for %s", key->name);
    size = strlen(word) + 1;
    if (size > sizeof defaults.topology_file)
        return tokens_err(w, err, ENAMETOOLONG, "%s: a name of more than %zu characters", key->name,
                         sizeof defaults.topology_file - 1);
    memcpy(path, word, size);
    return 0;
}

static int read_link_down(struct tokens *w, struct hpcc_config *config, struct err *err)
{
    int rc = tokens_uint(w, "the time", (uint64_t)(HPCC_SECONDS_MAX * 1e6), &config->link_down.at_us, err);

    if (!rc)
        rc = tokens_uint32(w, "the first node", UINT32_MAX, &config->link_down.a, err);
    if (!rc)
        rc = tokens_uint32(w, "the second node", UINT32_MAX, &config->link_down.b, err);
    return rc;
}

static uint32_t map_find(const struct map *map, uint64_t rate_bps)
{
    uint32_t i = 0;

    while (i < map->count && map->rate_bps[i] != rate_bps)
        i++;
    return i;
}

static int read_map_entry(struct tokens *w, struct map *map, bool is_probability, struct err *err)
{
    uint32_t i = map->count, kb;
    int rc;

    rc = tokens_uint(w, "the link rate", UINT64_MAX, &map->rate_bps[i], err);
    if (!rc && map_find(map, map->rate_bps[i]) < i)
        rc = tokens_err(w, err, EINVAL, "the rate %s is there twice", w->word);
    if (rc)
        return rc;
    if (is_probability) {
        rc = tokens_real(w, "the probability", 0, 1, &map->value[i], err);
    } else {
        rc = tokens_uint32(w, "the threshold", UINT32_MAX, &kb, err);
        map->value[i] = rc ? 0 : kb;
    }
    map->count += !rc;
    return rc;
}

static int read_map(struct tokens *w, struct map *map, bool is_probability, struct err *err)
{
    uint32_t count = 0;
    int rc = tokens_uint32(w, "the number of rates", HPCC_MAP_MAX, &count, err);

    map->line = w->line;
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = read_map_entry(w, map, is_probability, err);
    return rc;
}

static int read_value(struct config_reader *r, const struct key *key, struct err *err)
{
    struct tokens *w = &r->words;
    void *field = (char *)r->config + key->offset;

    switch (key->kind) {
    case FLAG:         return read_flag(w, key, field, err);
    case COUNT:        return read_count(w, key, field, err);
    case REAL:         return read_real(w, key, field, err);
    case MICROSECONDS: return read_microseconds(w, key, field, err);
    case RATE:         return tokens_rate(w, key->name, field, err);
    case PATH:         return read_path(w, key, field, err);
    case LINK_DOWN:    return read_link_down(w, r->config, err);
    case KMAX_MAP:     return read_map(w, &r->kmax, false, err);
    case KMIN_MAP:     return read_map(w, &r->kmin, false, err);
    case PMAX_MAP:     return read_map(w, &r->pmax, true, err);
    case UNUSED:       break;
    }
    return tokens_next(w) ? 0 : tokens_err(w, err, EINVAL, "nothing is given for %s", key->name);
}

static int unknown_key(const struct tokens *w, struct err *err)
{
    const char *names[KEYS + 1] = { NULL }, *near;

    for (size_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    near = text_nearest(w->word, names);
    if (near)
        return tokens_err(w, err, EINVAL, "'%s' is not a key; did you mean '%s'?", w->word, near);
    return tokens_err(w, err, EINVAL, "'%s' is not a key", w->word);
}

/* How the ConWeave fork's switches choose paths. */
static const char *lb_mode_name(uint32_t mode)
{
    static const struct { uint32_t mode; const char *name; } names[] = {
        { 2, " (drill)" }, { 3, " (conga)" }, { 9, " (conweave)" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].mode == mode)
            return names[i].name;
    return "";
}

static int refuse_conweave(const struct config_reader *r, struct err *err)
{
    if (r->config->lb_mode != 0 && r->config->lb_mode != 6)
        return tokens_err(&r->words, err, ENOTSUP, "LB_MODE %u%s is not modelled; 0 (ECMP) and 6 (LetFlow) are",
                         r->config->lb_mode, lb_mode_name(r->config->lb_mode));
    if (r->config->enable_irn)
        return tokens_err(&r->words, err, ENOTSUP, "ENABLE_IRN is not modelled; go-back-N (0) is");
    if (!r->config->enable_pfc)
        return tokens_err(&r->words, err, ENOTSUP, "ENABLE_PFC 0 is not modelled without IRN; 1 is");
    return 0;
}

static int refuse_unmodelled(const struct config_reader *r, struct err *err)
{
    if (r->config->cc_mode != 1)
        return tokens_err(&r->words, err, ENOTSUP, "CC_MODE %u is not modelled; 1 (DCQCN) is",
                         r->config->cc_mode);
    if (r->config->l2_back_to_zero != 0)
        return tokens_err(&r->words, err, ENOTSUP, "L2_BACK_TO_ZERO is not modelled; go-back-N (0) is");
    if (r->config->error_rate_per_link >= 1)
        return tokens_err(&r->words, err, EINVAL, "with an ERROR_RATE_PER_LINK of 1 nothing arrives");
    if (r->config->min_rate_bps == 0)
        return tokens_err(&r->words, err, EINVAL, "a MIN_RATE of 0 can stop a flow for ever");
    return refuse_conweave(r, err);
}

static int read_config_line(struct config_reader *r, struct err *err)
{
    const char *word = tokens_next(&r->words);
    size_t i = 0;
    int rc;

    while (i < KEYS && strcmp(keys[i].name, word) != 0)
        i++;
    if (i == KEYS)
        return unknown_key(&r->words, err);
    if (r->line[i])
        return tokens_err(&r->words, err, EINVAL, "line %u gives %s already", r->line[i], word);
    r->line[i] = r->words.line;
    rc = read_value(r, &keys[i], err);
    if (!rc)
        rc = tokens_end(&r->words, err);
    if (!rc)
        rc = refuse_unmodelled(r, err);
    return rc;
}

static int join_entry(struct config_reader *r, uint32_t i, struct err *err)
{
    uint64_t rate_bps = r->kmax.rate_bps[i];
    uint32_t kmin = map_find(&r->kmin, rate_bps), pmax = map_find(&r->pmax, rate_bps);

    r->words.line = r->kmax.line;
    if (kmin == r->kmin.count || pmax == r->pmax.count)
        return tokens_err(&r->words, err, EINVAL, "the rate %llu is in KMAX_MAP but not in %s",
                         (unsigned long long)rate_bps, kmin == r->kmin.count ? "KMIN_MAP" : "PMAX_MAP");
    if (r->kmin.value[kmin] > r->kmax.value[i])
        return tokens_err(&r->words, err, EINVAL, "at the rate %llu Kmin is %g KB, more than Kmax: %g KB",
                         (unsigned long long)rate_bps, r->kmin.value[kmin], r->kmax.value[i]);
    r->config->ecn[i] = (struct hpcc_ecn){
        .rate_bps = rate_bps,
        .kmin_kb = r->kmin.value[kmin], .kmax_kb = r->kmax.value[i], .pmax = r->pmax.value[pmax],
    };
    return 0;
}

/* Makes one list of the three maps. */
static int join_maps(struct config_reader *r, struct err *err)
{
    int rc = 0;

    if (!r->kmax.line && !r->kmin.line && !r->pmax.line)
        return 0;
    if (r->kmin.count != r->kmax.count || r->pmax.count != r->kmax.count) {
        r->words.line = r->kmax.line ? r->kmax.line : r->kmin.line ? r->kmin.line : r->pmax.line;
        return tokens_err(&r->words, err, EINVAL, "KMAX_MAP, KMIN_MAP and PMAX_MAP must name the same rates, "
                         "but name %u, %u and %u", r->kmax.count, r->kmin.count, r->pmax.count);
    }
    memset(r->config->ecn, 0, sizeof r->config->ecn);
    r->config->ecn_count = r->kmax.count;
    for (uint32_t i = 0; i < r->kmax.count && !rc; i++)
        rc = join_entry(r, i, err);
    return rc;
}

static bool is_given(const struct config_reader *r, const char *name)
{
    size_t i = 0;

    while (strcmp(keys[i].name, name) != 0)
        i++;
    return r->line[i] != 0;
}

/* The ConWeave fork has defaults of its own, and no key for the priority of ACKs: PFC never stops them. */
static void use_conweave_defaults(const struct config_reader *r)
{
    struct hpcc_config *c = r->config;

    c->is_conweave = is_given(r, "LB_MODE");
    if (!c->is_conweave)
        return;
    c->ack_high_prio = true;
    if (!is_given(r, "RP_TIMER"))
        c->rp_timer_us = 300;
    if (!is_given(r, "FAST_RECOVERY_TIMES"))
        c->fast_recovery_times = 1;
}

int hpcc_parse_config(const char *name, const char *text, struct hpcc_config *config, struct err *err)
{
    struct hpcc_config made = defaults;
    struct config_reader r = { .config = &made };
    int rc = 0;

    tokens_init(&r.words, name, text);
    while (!rc && tokens_next_line(&r.words))
        rc = read_config_line(&r, err);
    if (!rc)
        rc = join_maps(&r, err);
    use_conweave_defaults(&r);
    if (!rc)
        *config = made;
    return rc;
}

int hpcc_read_config(const char *path, struct hpcc_config *config, struct err *err)
{
    char *text;
    int rc = tokens_read_file(path, CONFIG_BYTES_MAX, &text, err);

    if (rc)
        return rc;
    rc = hpcc_parse_config(path, text, config, err);
    free(text);
    return rc;
}
