/* peers/convert/convert_read.c - reads any input as a network, its settings and a list of flows. */
#include "peers/convert/convert.h"

#include "core/units.h"
#include "peers/hpcc.h"
#include "work/net/measure.h"
#include "study/scenario/examples.h"
#include "work/traffic/traffic.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- flows ---- */

static void add_flow(struct convert_source *s, uint32_t *room, const struct convert_flow *flow)
{
    s->flow = xgrow(s->flow, s->flows, room, 256, sizeof *s->flow);
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

#define DPORT 4791               /* RoCEv2 */
#define PRIO  3

static int read_cm(struct convert_source *s, const char *path, struct err *err)
{
    uint32_t room = 0;
    int      rc = htsim_read_cm(path, NULL, &s->cm, err);

    if (rc)
        return rc;
    if (s->cm.nodes > s->scenario.graph.hosts)
        return err_set(err, EINVAL, "%s: the connections are for %u hosts, but the network has %u", path,
                       s->cm.nodes, s->scenario.graph.hosts);
    /* Maps host i of the file to the i-th host of the network. */
    uint32_t *node = graph_list_hosts(&s->scenario.graph);
    for (uint32_t k = 0; k < s->cm.conns; k++) {
        s->cm.conn[k].src = node[s->cm.conn[k].src];
        s->cm.conn[k].dst = node[s->cm.conn[k].dst];
    }
    free(node);
    for (uint32_t i = 0; i < s->cm.conns && s->cm.triggers == 0; i++) {
        const struct matrix_conn *c = &s->cm.conn[i];
        struct convert_flow       flow = { .at_ps = c->start_ps, .bytes = c->bytes, .src = c->src,
                                           .dst = c->dst, .dport = DPORT, .prio = PRIO };

        add_flow(s, &room, &flow);
    }
    sort_flows(s);
    return 0;
}

/* ---- read all files ---- */

static bool is_network(enum convert_input input)
{
    return input == INPUT_HPCC_TOPOLOGY || input == INPUT_HTSIM_TOPOLOGY;
}

static bool is_flows(enum convert_input input)
{
    return input == INPUT_HPCC_FLOWS || input == INPUT_HTSIM_CM;
}

static int read_one(struct convert_source *s, enum convert_input input, const char *path, struct err *err)
{
    if (is_network(input))
        return err_set(err, EINVAL, "%s: this is a network; give the file with its flows as well", path);
    if (is_flows(input))
        return err_set(err, EINVAL, "%s: these are flows; give the file with their network as well", path);
    if (input == INPUT_HTSIM_COMMAND)
        return convert_read_command(s, path, err);
    s->is_scenario = input == INPUT_SCENARIO;
    s->has_settings = true;
    int rc = input == INPUT_CONFIG ? convert_parse(s, "anole convert", convert_line(input, path), err)
                                   : scenario_read(&s->scenario, path, s->set, s->sets, s->seed, err);
    if (!rc && s->scenario.htsim)
        rc = err_set(err, ENOTSUP,
                     "%s: a scenario of model htsim names its .cm and .topo files already", path);
    return rc ? rc : draw_flows(s, err);
}

/* A scenario with the network and its flows. Those of a connection matrix, which may start each other, are
 * read apart; placeholder traffic stands for them. */
static int read_two(struct convert_source *s, const enum convert_input *input, const char *const *paths,
                    struct err *err)
{
    int net = is_network(input[1]);

    if (!is_network(input[net]) || !is_flows(input[!net]))
        return err_set(err, EINVAL, "%s and %s: two files are a network and its flows", paths[0], paths[1]);
    bool  is_cm = input[!net] == INPUT_HTSIM_CM;
    char *network = convert_line(input[net], paths[net]), *flows = convert_line(input[!net], paths[!net]);
    char *text = xprintf("%s%s\n%s\n", input[net] == INPUT_HPCC_TOPOLOGY ? "model: hpcc\n" : "", network,
                         is_cm ? "traffic: [{kind: permutation, shift: 1, size: 1}]" : flows);
    free(network);
    free(flows);
    s->seed = NULL;              /* nothing is drawn */
    int rc = convert_parse(s, "anole convert", text, err);
    s->name = paths[!net];
    return rc ? rc : is_cm ? read_cm(s, paths[!net], err) : draw_flows(s, err);
}

/* Scenarios read this format directly. */
static int refuse_readable(enum convert_input input, const char *path, struct err *err)
{
    char *line = convert_line(input, path);
    int   rc = err_set(err, ENOTSUP, "%s: this is %s, which a scenario runs as it is: %s", path,
                       convert_what(input), line);

    free(line);
    return rc;
}

int convert_read(struct convert_source *s, const char *const *paths, uint32_t count, const char *const *set,
                 uint32_t sets, const uint64_t *seed, struct err *err)
{
    enum convert_input input[2];
    char *path[2] = { 0 };
    int   rc = 0;

    assert(count == 1 || count == 2);
    *s = (struct convert_source){ .name = paths[0], .set = set, .sets = sets, .seed = seed };
    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = convert_detect(paths[i], &input[i], err);
        if (!rc && input[i] >= INPUT_GOAL)
            rc = refuse_readable(input[i], paths[i], err);
        if (!rc)
            path[i] = examples_path(paths[i], err);
    }
    if (!rc)
        rc = count == 1 ? read_one(s, input[0], path[0], err) : read_two(s, input, paths, err);
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
