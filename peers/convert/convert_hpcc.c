/* peers/convert/convert_hpcc.c - writes topology, flows and config in the format of the HPCC ns-3 fork. */
#include "peers/convert/convert.h"

#include "core/units.h"
#include "peers/hpcc.h"
#include "work/net/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINK_DOWN_FROM_PS (2 * PS_PER_S)     /* the fork counts from second 2 */
#define AFTER_LAST_S      10                 /* end of the fork's simulation after the last start */

static int refuse(const struct convert_source *s, struct err *err, const char *what)
{
    return err_set(err, ENOTSUP, "%s: the HPCC fork's files cannot express this: %s", s->name, what);
}

/* ---- topology ---- */

static int check_links(const struct convert_source *s, struct err *err)
{
    const struct graph *g = &s->scenario.graph;
    uint32_t            first, second;

    for (uint32_t i = 0; i < g->links; i++) {
        if (g->link[i].delay_ps % PS_PER_NS)
            return refuse(s, err, "a delay that is not whole nanoseconds");
        if (g->link[i].ber > 0)
            return refuse(s, err, "a bit error rate; it has a share of lost packets");
    }
    return graph_find_parallel(g, &first, &second) ? refuse(s, err, "parallel links between two nodes") : 0;
}

int convert_print_hpcc_topology(FILE *out, const struct convert_source *s, struct err *err)
{
    const struct graph *g = &s->scenario.graph;
    const char         *blank = "";
    char                rate[32], loss[40];
    int                 rc = check_links(s, err);

    if (rc)
        return rc;
    fprintf(out, "%u %u %u\n", g->nodes, g->nodes - g->hosts, g->links);
    for (uint32_t i = 0; i < g->nodes; i++)
        if (g->node[i].is_switch) {
            fprintf(out, "%s%u", blank, i);
            blank = " ";
        }
    fputc('\n', out);
    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];

        fprintf(out, "%u %u %s %lluns %s\n", l->a, l->b, convert_rate(rate, sizeof(rate), l->rate_bps),
                (unsigned long long)(l->delay_ps / PS_PER_NS), convert_real(loss, sizeof(loss), l->loss));
    }
    return 0;
}

/* ---- flows ---- */

/* Prints seconds that ns-3 reads back as exactly these nanoseconds. ns-3 truncates, and most decimals are
 * inexact in binary; a fraction of a picosecond more helps, which exact readers round away. After some
 * minutes doubles are coarser, and it must be more. */
static void print_start(FILE *out, uint64_t ns)
{
    static const char *const more[] = { "", "0001", "0004", "002", "01", "1", "5" };
    char                     text[40];

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        snprintf(text, sizeof text, "%llu.%09llu%s", (unsigned long long)(ns / 1000000000),
                 (unsigned long long)(ns % 1000000000), more[i]);
        if (hpcc_ns_from_seconds(strtod(text, NULL)) == ns)
            break;
    }
    fprintf(out, " %s\n", text);
}

int convert_print_hpcc_flows(FILE *out, const struct convert_source *s, struct err *err)
{
    bool is_cut = false;

    if (s->cm.triggers)
        return refuse(s, err, "connections that start when others have ended");
    fprintf(out, "%u\n", s->flows);
    for (uint32_t i = 0; i < s->flows; i++) {
        const struct convert_flow *f = &s->flow[i];

        if (f->bytes > UINT32_MAX)
            return refuse(s, err, "a flow of 4 GiB or more; it counts bytes in 32 bits");
        is_cut |= f->at_ps % PS_PER_NS != 0;
        fprintf(out, "%u %u %u %u %llu", f->src, f->dst, f->prio, f->dport, (unsigned long long)f->bytes);
        print_start(out, f->at_ps / PS_PER_NS);
    }
    if (is_cut)
        convert_note("starts of flows are cut to whole nanoseconds");
    return 0;
}

/* ---- config ---- */

static double knob_value(const struct convert_source *s, enum knob which)
{
    return s->scenario.cfg.knobs.value[which];
}

static int check_settings(const struct convert_source *s, struct err *err)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;
    const struct { bool is_so; const char *what; } row[] = {
        { strncmp(cfg->cc->name, "dcqcn", 5) != 0 || cfg->cc_others,
          "a congestion control other than DCQCN" },
        { strcmp(cfg->lb->name, "ecmp") != 0, "a load balancer other than ECMP" },
        { knob_value(s, KNOB_hf2t) != 0, "hosts that stretch gaps (hf2t)" },
        { cfg->is_selective, "selective repeat" },
        { !cfg->is_lossless, "a lossy network" },
        { cfg->ecn_at_enqueue, "marks by the queue that a packet finds; it marks by the one it leaves" },
        { cfg->buffer_bytes < 1u << 20, "a buffer of less than 1 MiB" },
        { s->scenario.changes, "knobs that change during the run" },
        { cfg->window_bytes && cfg->window_bytes != UINT64_MAX,
          "a window in bytes; it has none, or one of bandwidth x delay" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].is_so)
            return refuse(s, err, row[i].what);
    return 0;
}

static void note_settings(const struct convert_source *s)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;

    convert_note_fork(cfg);
    if (sim_model_is_real(cfg->model))
        convert_note(
            "the model is nic; the fork's DCQCN has no byte counter and no CNP packets, and its frames are "
            "shorter");
    if (cfg->model == MODEL_CONWEAVE)
        convert_note("the model is conweave; what is written is for the HPCC fork, which has other switches "
                     "and ports");
    if (cfg->pfc_shift != 3 || cfg->reserve_bytes != 4096 || cfg->resume_bytes != 3072 || cfg->headroom_bytes)
        convert_note(
            "alpha, reserve, resume_offset and headroom of the fork's switches cannot be set; they are 1/8, "
            "4096, 3072 and three times rate x delay");
    if (cfg->buffer_bytes % (1u << 20))
        convert_note("the buffer becomes %llu MiB", (unsigned long long)(cfg->buffer_bytes >> 20));
}

/* Thresholds for ports of one speed: from the list, or from the knobs. */
static struct ecn_rate find_ecn(const struct convert_source *s, uint64_t rate_bps)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;

    for (uint32_t i = 0; i < cfg->ecn_rates; i++)
        if (cfg->ecn_rate[i].rate_bps == rate_bps)
            return cfg->ecn_rate[i];
    return (struct ecn_rate){ rate_bps, knob_value(s, KNOB_kmin), knob_value(s, KNOB_kmax),
                              knob_value(s, KNOB_pmax) };
}

/* Collects the distinct link speeds. */
static int collect_ecn(const struct convert_source *s, struct ecn_rate *ecn, uint32_t *count, struct err *err)
{
    const struct graph *g = &s->scenario.graph;

    *count = 0;
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t at = 0;

        while (at < *count && ecn[at].rate_bps != g->link[i].rate_bps)
            at++;
        if (at < *count)
            continue;
        if (at == HPCC_MAP_MAX)
            return refuse(s, err, "links of so many speeds");
        ecn[at] = find_ecn(s, g->link[i].rate_bps);
        if (ecn[at].kmin_kb != (double)(uint32_t)ecn[at].kmin_kb ||
            ecn[at].kmax_kb != (double)(uint32_t)ecn[at].kmax_kb)
            return refuse(s, err, "a kmin or kmax that is not whole KB");
        ++*count;
    }
    return 0;
}

static int print_maps(FILE *out, const struct convert_source *s, struct err *err)
{
    static const char *const names[] = { "KMAX_MAP", "KMIN_MAP", "PMAX_MAP" };
    struct ecn_rate          ecn[HPCC_MAP_MAX];
    char                     text[40];
    uint32_t                 count;
    int                      rc = collect_ecn(s, ecn, &count, err);

    if (rc)
        return rc;
    for (int map = 0; map < 3; map++) {
        fprintf(out, "\n%s %u", names[map], count);
        for (uint32_t i = 0; i < count; i++) {
            double value = map == 0 ? ecn[i].kmax_kb : map == 1 ? ecn[i].kmin_kb : ecn[i].pmax;

            fprintf(out, " %llu %s", (unsigned long long)ecn[i].rate_bps,
                    convert_real(text, sizeof text, value));
        }
    }
    fputc('\n', out);
    return 0;
}

/* The fork supports one permanent link failure, at whole microseconds after second 2. */
static int print_link_down(FILE *out, const struct convert_source *s, struct err *err)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;
    uint64_t              at_ps = cfg->changes ? cfg->change[0].at_ps : 0;

    if (cfg->changes == 0) {
        fputs("LINK_DOWN 0 0 0\n", out);
        return 0;
    }
    if (cfg->changes > 1)
        return refuse(s, err, "more than one link that fails, or one that comes back");
    if (at_ps <= LINK_DOWN_FROM_PS || at_ps % PS_PER_US)
        return refuse(s, err, "a link that fails before 2.000001s or between two microseconds");
    fprintf(out, "LINK_DOWN %llu %u %u\n", (unsigned long long)((at_ps - LINK_DOWN_FROM_PS) / PS_PER_US),
            s->scenario.graph.link[cfg->change[0].link].a, s->scenario.graph.link[cfg->change[0].link].b);
    return 0;
}

static void print_dcqcn(FILE *out, const struct convert_source *s)
{
    const struct { const char *key; double value; const char *unit; } row[] = {
        { "ALPHA_RESUME_INTERVAL", knob_value(s, KNOB_dce_tcp_rtt), "" },
        { "RATE_DECREASE_INTERVAL", knob_value(s, KNOB_rate_reduce_monitor_period), "" },
        { "CLAMP_TARGET_RATE", knob_value(s, KNOB_clamp_tgt_rate), "" },
        { "RP_TIMER", knob_value(s, KNOB_rpg_time_reset), "" },
        { "EWMA_GAIN", (1024 - knob_value(s, KNOB_dce_tcp_g)) / 1024, "" },
        { "FAST_RECOVERY_TIMES", knob_value(s, KNOB_rpg_threshold), "" },
        { "RATE_AI", knob_value(s, KNOB_rpg_ai_rate), "Mb/s" },
        { "RATE_HAI", knob_value(s, KNOB_rpg_hai_rate), "Mb/s" },
        { "MIN_RATE", knob_value(s, KNOB_rpg_min_rate), "Mb/s" },
        { "DCTCP_RATE_AI", 1000, "Mb/s" },
    };
    char text[40];

    fputs("\nCC_MODE 1\n", out);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        fprintf(out, "%s %s%s\n", row[i].key, convert_real(text, sizeof(text), row[i].value), row[i].unit);
}

static uint64_t stop_time_s(const struct convert_source *s)
{
    uint64_t last_ps = s->flows ? s->flow[s->flows - 1].at_ps : 0;

    if (s->scenario.run_ps != NEVER)
        return (s->scenario.run_ps + PS_PER_S - 1) / PS_PER_S;
    return last_ps / PS_PER_S + 1 + AFTER_LAST_S;
}

static int print_config(FILE *out, const struct convert_source *s, struct err *err)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;

    fprintf(out, "ENABLE_QCN %d\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE %u\n\n", cfg->ecn_on,
            cfg->mtu_bytes);
    fprintf(out, "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nTRACE_FILE trace.txt\nTRACE_OUTPUT_FILE "
            "mix.tr\nFCT_OUTPUT_FILE fct.txt\nPFC_OUTPUT_FILE pfc.txt\n\nSIMULATOR_STOP_TIME %llu\n",
            (unsigned long long)stop_time_s(s));
    print_dcqcn(out, s);
    fputs("\nERROR_RATE_PER_LINK 0.0000\nL2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 1\nL2_BACK_TO_ZERO 0\n\n", out);
    fprintf(out, "HAS_WIN %d\nGLOBAL_T 1\nVAR_WIN %d\nFAST_REACT 0\nU_TARGET 0.95\nMI_THRESH 0\nINT_MULTI 1\n"
                 "MULTI_RATE 0\nSAMPLE_FEEDBACK 0\nPINT_LOG_BASE 1.05\nPINT_PROB 1.0\nRATE_BOUND 1\n"
                 "ACK_HIGH_PRIO %d\n\n", cfg->window_bytes != 0, cfg->window_by_rate, cfg->ack_unpaused);
    int rc = print_link_down(out, s, err);
    fputs("ENABLE_TRACE 0\n", out);
    rc = rc ? rc : print_maps(out, s, err);
    fprintf(out, "BUFFER_SIZE %llu\nQLEN_MON_FILE qlen.txt\nQLEN_MON_START 100000000000\n"
                 "QLEN_MON_END 100000000001\n", (unsigned long long)(cfg->buffer_bytes >> 20));
    return rc;
}

int convert_write_hpcc(const struct convert_source *s, struct outdir *dir, struct err *err)
{
    FILE *topology, *flow, *config = NULL, *trace;
    int   rc = check_settings(s, err);

    if (rc)
        return rc;
    topology = outdir_file(dir, "topology.txt", err);
    flow = topology ? outdir_file(dir, "flow.txt", err) : NULL;
    trace = flow ? outdir_file(dir, "trace.txt", err) : NULL;
    config = trace ? outdir_file(dir, "config.txt", err) : NULL;
    if (!config)
        return -EIO;
    fputs("0\n", trace);                     /* no traced nodes */
    rc = convert_print_hpcc_topology(topology, s, err);
    rc = rc ? rc : convert_print_hpcc_flows(flow, s, err);
    rc = rc ? rc : print_config(config, s, err);
    if (!rc)
        note_settings(s);
    return rc;
}
