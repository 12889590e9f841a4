/* src/convert/convert_read.c - reads any input as a network, its settings and a list of flows. */
#include "convert/convert.h"

#include "base/text.h"
#include "core/units.h"
#include "formats/hpcc.h"
#include "scenario/examples.h"
#include "traffic/traffic.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEAD_BYTES 65536         /* bytes read to detect the format */

/* ---- format detection ---- */

enum input { SCENARIO, CONFIG, HPCC_TOPOLOGY, HPCC_FLOWS, HTSIM_TOPOLOGY, HTSIM_CM, HTSIM_COMMAND };

static bool has_end(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);

    return length > size && strcasecmp(path + length - size, end) == 0;
}

/* Returns the first line that is neither empty nor a comment. */
static const char *first_line(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#')
            return text;
        text += strcspn(text, "\n");
    }
}

static bool has_line(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += strspn(at, " \t\r\n");
        if (strncasecmp(at, word, length) == 0 && isspace((unsigned char)at[length]))
            return true;
    }
    return false;
}

/* Detects the format by the first line. "htsim_uec": a command line. One number: a list of flows. Three: a topology. "Nodes": htsim. A
 * word in capitals without a colon: a config. */
static enum input detect_text(const char *text)
{
    const char *line = first_line(text);
    size_t      numbers = 0, capitals, word = strcspn(line, " \t\r\n");

    if (word >= 9 && strncmp(line + word - 9, "htsim_uec", 9) == 0)
        return HTSIM_COMMAND;

    if (strncasecmp(line, "Nodes", 5) == 0 && isspace((unsigned char)line[5]))
        return has_line(line, "Podsize") || has_line(line, "Tiers") ? HTSIM_TOPOLOGY : HTSIM_CM;
    for (const char *at = line; isdigit((unsigned char)*at); numbers++) {
        at += strspn(at, "0123456789");
        at += strspn(at, " \t\r");
    }
    if (numbers > 0)
        return numbers == 1 ? HPCC_FLOWS : HPCC_TOPOLOGY;
    capitals = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return capitals > 1 && (line[capitals] == ' ' || line[capitals] == '\t') ? CONFIG : SCENARIO;
}

static int detect_format(const char *path, enum input *input, struct err *err)
{
    char   head[HEAD_BYTES + 1];
    size_t length;
    FILE  *file;

    *input = SCENARIO;
    if (strcmp(path, "-") == 0 || has_end(path, ".yaml") || has_end(path, ".yml"))
        return 0;
    file = fopen(path, "r");
    if (!file)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    length = fread(head, 1, HEAD_BYTES, file);
    fclose(file);
    head[length] = '\0';
    if (has_end(path, ".cm"))
        *input = HTSIM_CM;
    else if (has_end(path, ".topo"))
        *input = HTSIM_TOPOLOGY;
    else
        *input = detect_text(head);
    return 0;
}

/* ---- flows ---- */

static void add_flow(struct convert_source *s, uint32_t *room, const struct convert_flow *flow)
{
    if (s->flows == *room) {
        *room = *room ? 2 * *room : 256;
        s->flow = xrealloc(s->flow, *room * sizeof(*s->flow));
    }
    s->flow[s->flows] = *flow;
    s->flow[s->flows].place = s->flows;
    s->flows++;
}

static int compare_starts(const void *a_, const void *b_)
{
    const struct convert_flow *a = a_, *b = b_;

    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void sort_flows(struct convert_source *s)
{
    if (s->flows)
        qsort(s->flow, s->flows, sizeof(*s->flow), compare_starts);
}

static int refuse_traffic(const struct convert_source *s, const char *what, struct err *err)
{
    return err_set(err, ENOTSUP, "%s: a list of flows cannot express this: %s", s->name, what);
}

static int draw_stream(struct convert_source *s, uint32_t stream, uint32_t *room, struct err *err)
{
    struct traffic  *t = s->scenario.traffic;
    struct flow_spec f;

    if (traffic_is_worker(t, stream))
        return refuse_traffic(s, "traffic that starts flows when others have ended", err);
    while (traffic_next(t, stream, &f) && f.at_ps <= s->scenario.run_ps) {
        struct convert_flow flow = { .at_ps = f.at_ps, .bytes = f.bytes, .src = traffic_source(t, stream),
                                     .dst = f.dst, .rank = f.rank, .dport = f.dport, .prio = f.prio };

        if (f.tcp)
            return refuse_traffic(s, "TCP", err);
        if (s->flows == HPCC_FLOWS_MAX)
            return err_set(err, ERANGE, "%s: more than %u flows", s->name, HPCC_FLOWS_MAX);
        add_flow(s, room, &flow);
    }
    return 0;
}

static int draw_flows(struct convert_source *s, struct err *err)
{
    uint32_t room = 0;
    int      rc = 0;

    for (uint32_t i = 0; i < traffic_streams(s->scenario.traffic) && !rc; i++)
        rc = draw_stream(s, i, &room, err);
    sort_flows(s);
    return rc;
}

static int read_hpcc_flows(struct convert_source *s, const char *path, struct err *err)
{
    struct flow_list list;
    uint32_t          room = 0;
    int               rc = hpcc_read_flows(path, &s->scenario.graph, &list, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct flow_row *f = &list.flow[i];
        struct convert_flow     flow = { .at_ps = f->start_ns * PS_PER_NS, .bytes = f->bytes, .src = f->src,
                                         .dst = f->dst, .dport = f->dport, .prio = f->prio };

        add_flow(s, &room, &flow);
    }
    flow_list_fini(&list);
    return 0;
}

/* Maps host i of the file to the i-th host of the network. */
static void bind_hosts(struct convert_source *s)
{
    const struct graph *g = &s->scenario.graph;
    uint32_t           *node = xmalloc((g->hosts + 1ul) * sizeof(*node)), count = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch)
            node[count++] = i;
    for (uint32_t i = 0; i < s->cm.conns; i++) {
        s->cm.conn[i].src = node[s->cm.conn[i].src];
        s->cm.conn[i].dst = node[s->cm.conn[i].dst];
    }
    free(node);
}

#define DPORT 4791               /* RoCEv2 */
#define PRIO  3

static int read_cm(struct convert_source *s, const char *path, struct err *err)
{
    uint32_t room = 0;
    int      rc = htsim_read_cm(path, &s->cm, err);

    if (rc)
        return rc;
    if (s->cm.nodes > s->scenario.graph.hosts)
        return err_set(err, EINVAL, "%s: the connections are for %u hosts, but the network has %u", path,
                       s->cm.nodes, s->scenario.graph.hosts);
    bind_hosts(s);
    for (uint32_t i = 0; i < s->cm.conns && s->cm.triggers == 0; i++) {
        const struct matrix_conn *c = &s->cm.conn[i];
        struct convert_flow flow = { .at_ps = c->start_ps,
                                     .bytes = c->bytes,
                                     .src = c->src,
                                     .dst = c->dst,
                                     .dport = DPORT,
                                     .prio = PRIO };

        add_flow(s, &room, &flow);
    }
    sort_flows(s);
    return 0;
}

/* ---- networks ---- */

/* Prints a quoted path for a scenario. */
static void print_path(FILE *out, const char *path)
{
    fputc('"', out);
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            fputc('\\', out);
        fputc(*path, out);
    }
    fputc('"', out);
}

/* Prints a scenario with only a network: the defaults of its model and placeholder traffic. */
static void print_network(FILE *out, enum input input, const char *path, const struct graph *g)
{
    if (input == HPCC_TOPOLOGY) {
        fputs("model: hpcc\ntopology: {kind: hpcc, file: ", out);
        print_path(out, path);
        fputs("}\n", out);
    } else {
        convert_print_graph(out, g, NULL, 0);
    }
    fputs("traffic: [{kind: permutation, shift: 1, size: 1}]\n", out);
}

static int parse_text(struct convert_source *s, char *text, const char *const *set, uint32_t sets,
                      const uint64_t *seed, struct err *err)
{
    int rc = scenario_parse(&s->scenario, "anole convert", text, strlen(text), set, sets, seed, err);

    free(text);
    return rc;
}

static int read_network(struct convert_source *s, enum input input, const char *path, const char *const *set,
                        uint32_t sets, struct err *err)
{
    struct graph g;
    size_t       size;
    char        *text;
    FILE        *out;
    int          rc;

    rc = input == HPCC_TOPOLOGY ? hpcc_read_topology(path, &g, err) : htsim_read_topology(path, &g, err);
    if (rc < 0)
        return rc;
    out = open_memstream(&text, &size);
    if (out) {
        print_network(out, input, path, &g);
        fclose(out);
    }
    graph_fini(&g);
    return out ? parse_text(s, text, set, sets, NULL, err)
               : err_set(err, ENOMEM, "%s: no memory to read it", path);
}

static int read_config(struct convert_source *s, const char *path, const char *const *set, uint32_t sets,
                       const uint64_t *seed, struct err *err)
{
    size_t size;
    char  *text;
    FILE  *out = open_memstream(&text, &size);

    if (!out)
        return err_set(err, ENOMEM, "%s: no memory to read it", path);
    fputs("hpcc: ", out);
    print_path(out, path);
    fputc('\n', out);
    fclose(out);
    return parse_text(s, text, set, sets, seed, err);
}

/* ---- read all files ---- */

static bool is_network(enum input input)
{
    return input == HPCC_TOPOLOGY || input == HTSIM_TOPOLOGY;
}

static bool is_flows(enum input input)
{
    return input == HPCC_FLOWS || input == HTSIM_CM;
}

static int read_one(struct convert_source *s, enum input input, const char *path, const char *const *set,
                    uint32_t sets, const uint64_t *seed, struct err *err)
{
    int rc;

    if (is_network(input))
        return err_set(err, EINVAL, "%s: this is a network; give the file with its flows as well", path);
    if (is_flows(input))
        return err_set(err, EINVAL, "%s: these are flows; give the file with their network as well", path);
    if (input == HTSIM_COMMAND)
        return convert_read_command(s, path, set, sets, seed, err);
    s->is_scenario = input == SCENARIO;
    s->has_settings = true;
    rc = input == CONFIG ? read_config(s, path, set, sets, seed, err)
                         : scenario_read(&s->scenario, path, set, sets, seed, err);
    if (!rc && s->scenario.htsim)
        rc = err_set(err, ENOTSUP, "%s: a scenario of model htsim names its .cm and .topo files already", path);
    return rc ? rc : draw_flows(s, err);
}

static int read_two(struct convert_source *s, enum input *input, const char *const *paths,
                    const char *const *set, uint32_t sets, struct err *err)
{
    int net = is_network(input[1]), rc;

    if (!is_network(input[net]) || !is_flows(input[!net]))
        return err_set(err, EINVAL, "%s and %s: two files are a network and its flows", paths[0], paths[1]);
    rc = read_network(s, input[net], paths[net], set, sets, err);
    if (rc)
        return rc;
    s->name = paths[!net];
    return input[!net] == HTSIM_CM ? read_cm(s, paths[!net], err) : read_hpcc_flows(s, paths[!net], err);
}

int convert_read(struct convert_source *s, const char *const *paths, uint32_t count, const char *const *set,
                 uint32_t sets, const uint64_t *seed, struct err *err)
{
    enum input input[2];
    char      *path[2] = { 0 };
    int        rc = 0;

    assert(count == 1 || count == 2);
    *s = (struct convert_source){ .name = paths[0] };
    for (uint32_t i = 0; i < count && !rc; i++) {
        path[i] = examples_path(paths[i], err);
        rc = path[i] ? detect_format(path[i], &input[i], err) : -ENOENT;
    }
    if (!rc)
        rc = count == 1 ? read_one(s, input[0], path[0], set, sets, seed, err)
                        : read_two(s, input, paths, set, sets, err);
    free(path[0]);
    free(path[1]);
    if (rc)
        convert_fini(s);
    return rc;
}

void convert_fini(struct convert_source *s)
{
    scenario_fini(&s->scenario);
    flow_matrix_fini(&s->cm);
    htsim_command_fini(&s->command);
    free(s->flow);
    *s = (struct convert_source){ 0 };
}
