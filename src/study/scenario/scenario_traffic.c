/* src/study/scenario/scenario_traffic.c - the list 'traffic'. */
#include "study/scenario/scenario.h"

#include "peers/astra.h"
#include "peers/chakra.h"
#include "peers/goal.h"
#include "peers/hpcc.h"
#include "peers/htsim.h"
#include "peers/simai.h"
#include "study/scenario/keys.h"
#include "work/traffic/kinds/flows.h"
#include "work/traffic/collective_plan.h"

#include <stdlib.h>

#define TCP_ALGORITHMS_MAX 15

_Static_assert(ASTRA_DIMS_MAX <= PLAN_DIMS_MAX, "a collective has room for all dimensions");
_Static_assert(TRAFFIC_TCPS_MAX <= TCP_CFGS_MAX, "the simulator has room for all settings of TCP");

/* Models of the forks have no TCP, and a queue pair for every flow. */
static struct traffic_env env_of(const struct scenario *s, struct traffic_tcp_algorithm *tcp)
{
    for (int i = 0; tcp_all[i] && i < TCP_ALGORITHMS_MAX; i++)
        tcp[i] = (struct traffic_tcp_algorithm){ tcp_all[i]->name, tcp_all[i]->is_ecn };
    return (struct traffic_env){
        .graph          = &s->graph,
        .run_ps         = s->run_ps,
        .mtu_bytes      = s->cfg.mtu_bytes,
        .overhead_bytes = s->cfg.header_bytes + s->cfg.spacing_bytes,
        .tcp            = sim_model_is_real(s->cfg.model) ? tcp : NULL,
        .why_fresh      = !sim_model_is_real(s->cfg.model) ? "in this model" : NULL,
        .has_datagrams  = s->cfg.model == MODEL_NIC,
        .read_flows     = sim_model_is_real(s->cfg.model) ? hpcc_read_flows_exact : hpcc_read_flows,
        .read_matrix    = htsim_read_cm,
        .read_goal      = goal_read,
        .read_chakra    = chakra_read,
        .read_simai     = simai_read_workload,
        .read_dims      = astra_read_dims,
    };
}

static void collect_tcps(struct scenario *s)
{
    const struct traffic_tcp *tcp = traffic_tcps(s->traffic, &s->cfg.tcps);

    for (uint32_t i = 0; i < s->cfg.tcps; i++)
        s->cfg.tcp[i] = (struct tcp_cfg){
            .algo        = tcp_all[tcp[i].algorithm],
            .mss_bytes   = tcp[i].mss_bytes,
            .burst_bytes = tcp[i].burst_bytes,
            .rto_ps_min  = tcp[i].rto_ps_min,
            .wake_ps_max = tcp[i].wake_ps_max,
            .is_ecn      = tcp[i].is_ecn,
        };
}

static void make_room(struct scenario *s, uint32_t entries)
{
    s->traffic = traffic_new(&s->graph, s->cfg.seed);
    s->entry = xcalloc(entries, sizeof *s->entry);
    s->entries = entries;
}

/* Limits the streams per host. */
static void check_streams(struct reader *r, const struct scenario *s, const struct yaml_node *list)
{
    uint32_t  *count = xcalloc(s->graph.nodes + 1ul, sizeof *count), most = 0;
    struct err why;

    for (uint32_t i = 0; i < traffic_streams(s->traffic); i++) {
        uint32_t streams = ++count[traffic_source(s->traffic, i)];

        most = streams > most ? streams : most;
    }
    free(count);
    if (sim_check_streams(most, s->graph.nodes, &why) < 0)
        reader_refuse(r, list, "%s", why.text);
}

void scenario_read_flows(struct reader *r, struct scenario *s, const struct yaml_node *node, const char *path)
{
    struct traffic_tcp_algorithm tcp[TCP_ALGORITHMS_MAX + 1] = { { 0 } };
    struct traffic_env           env = env_of(s, tcp);

    make_room(s, 1);
    traffic_read_list(r, node, path, &env, s->traffic, s->entry);
}

void scenario_read_traffic(struct reader *r, struct scenario *s, const struct section *root)
{
    struct traffic_tcp_algorithm tcp[TCP_ALGORITHMS_MAX + 1] = { { 0 } };
    struct traffic_env           env = env_of(s, tcp);
    const struct yaml_node      *list = section_need(root, "traffic");
    const struct yaml_node      *first = section_list(root, "traffic", SCENARIO_ENTRIES_MAX);

    if (r->rc)
        return;
    if (!first) {
        reader_refuse(r, list, "'traffic' must be a list with an entry or more");
        return;
    }
    make_room(s, list->count);
    traffic_read(r, list, &env, s->traffic, s->entry);
    collect_tcps(s);
    if (!r->rc)
        check_streams(r, s, list);
}
