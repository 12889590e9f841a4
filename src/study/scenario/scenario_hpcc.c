/* src/study/scenario/scenario_hpcc.c - converts a config file of the HPCC or ConWeave ns-3 fork to a
 * scenario. */

#include "base/text.h"
#include "core/units.h"
#include "peers/hpcc.h"
#include "study/scenario/topology.h"
#include "study/scenario/scenario.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PINT_LOG_BASE_MIN  1.0002            /* for 16-bit digests */
#define LINK_DOWN_FROM_PS  (2 * PS_PER_S)    /* the fork counts from second 2 */

__attribute__((format(printf, 3, 4)))
static void refuse_config(struct reader *r, const char *path, const char *format, ...)
{
    char    why[300];
    va_list args;

    if (r->rc)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    r->rc = err_set(r->err, EINVAL, "%s: %s", path, why);
}

/* A file that the config names, relative to its folder. The fork takes names relative to where it is started,
 * usually the folder above (simulation/ for simulation/mix/config.txt), so that is tried next. */
static char *file_of(const char *path, const char *name)
{
    char *file = reader_path(path, name), above[sizeof ((struct hpcc_config *)0)->topology_file + 3];

    if (*name == '/' || access(file, F_OK) == 0)
        return file;
    snprintf(above, sizeof above, "../%s", name);
    char *other = reader_path(path, above);
    if (access(other, F_OK) != 0) {
        free(other);
        return file;
    }
    free(file);
    return other;
}

static void read_network(struct reader *r, struct scenario *s, const struct yaml_node *node, const char *path,
                         const struct hpcc_config *c)
{
    struct graph *g = &s->graph;
    struct err    why;

    if (!*c->topology_file)
        refuse_config(r, path, "TOPOLOGY_FILE is missing");
    if (r->rc)
        return;
    char *file = file_of(path, c->topology_file);
    reader_keep(r, hpcc_read_topology(file, NULL, g, &why), &why, node);
    free(file);
    for (uint32_t i = 0; i < g->links && !r->rc; i++)
        if (g->link[i].loss == 0) {
            g->link[i].loss = c->error_rate_per_link;
            g->link[i].has_common_loss = true;
        }
}

static void read_link_down(struct reader *r, struct scenario *s, const char *path,
                           const struct hpcc_config *c)
{
    const struct graph *g = &s->graph;
    struct sim_cfg     *cfg = &s->cfg;
    uint64_t            at_ps = LINK_DOWN_FROM_PS + c->link_down.at_us * PS_PER_US;
    uint32_t            down_a = c->link_down.a, down_b = c->link_down.b;

    if (r->rc || c->link_down.at_us == 0)
        return;
    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];

        if ((l->a == down_a && l->b == down_b) || (l->a == down_b && l->b == down_a)) {
            if (cfg->order == ORDER_NS3 && !(g->node[l->a].is_switch && g->node[l->b].is_switch))
                refuse_config(r, path, "LINK_DOWN: %u-%u is the link of a host, whose flows make the fork "
                              "stop with an error; with 'order: node' it may fail", down_a, down_b);
            cfg->change = xcalloc(1, sizeof *cfg->change);
            cfg->change[cfg->changes++] = (struct link_change){ .at_ps = at_ps, .link = i };
            return;
        }
    }
    refuse_config(r, path, "LINK_DOWN: there is no link between the nodes %u and %u", down_a, down_b);
}

static void set_knobs(struct reader *r, struct scenario *s, const char *path, const struct hpcc_config *c)
{
    bool   is_timely = c->cc_mode == 7, is_dctcp = c->cc_mode == 8;
    bool   is_hpcc = c->cc_mode == 3 || c->cc_mode == 10, is_weave = c->is_conweave;
    double ai = (double)c->ai_bps / 1e6;
    const struct { const char *key; enum knob knob; double value; bool is_used; } rows[] = {
        { "RP_TIMER", KNOB_rpg_time_reset, c->rp_timer_us, true },
        { "RATE_DECREASE_INTERVAL", KNOB_rate_reduce_monitor_period, c->rate_decrease_us, true },
        { "ALPHA_RESUME_INTERVAL", KNOB_dce_tcp_rtt, c->alpha_resume_us, true },
        { "EWMA_GAIN", KNOB_dce_tcp_g, 1024 - 1024 * c->ewma_gain, true },
        { "FAST_RECOVERY_TIMES", KNOB_rpg_threshold, c->fast_recovery_times, true },
        { "RATE_AI", KNOB_rpg_ai_rate, ai, true },
        { "RATE_HAI", KNOB_rpg_hai_rate, (double)c->hai_bps / 1e6, true },
        { "MIN_RATE", KNOB_rpg_min_rate, (double)c->min_rate_bps / 1e6, true },
        { "CLAMP_TARGET_RATE", KNOB_clamp_tgt_rate, c->clamp_target_rate, true },
        { "RATE_AI", KNOB_timely_ai, ai, is_timely },
        { "EWMA_GAIN", KNOB_dctcp_g, c->ewma_gain, is_dctcp },
        { "DCTCP_RATE_AI", KNOB_dctcp_ai, (double)c->dctcp_ai_bps / 1e6, is_dctcp },
        { "RATE_AI", KNOB_hpcc_ai, ai, is_hpcc },
        { "U_TARGET", KNOB_hpcc_eta, c->u_target, is_hpcc },
        { "MI_THRESH", KNOB_hpcc_max_stage, c->mi_thresh, is_hpcc },
        { "CONWEAVE_REPLY_TIMEOUT_EXTRA", KNOB_conweave_reply, c->weave.reply_us, is_weave },
        { "CONWEAVE_PATH_PAUSE_TIME", KNOB_conweave_pause, c->weave.pause_us, is_weave },
        { "CONWEAVE_EXTRA_VOQ_FLUSH_TIME", KNOB_conweave_flush, c->weave.flush_us, is_weave },
        { "CONWEAVE_DEFAULT_VOQ_WAITING_TIME", KNOB_conweave_wait, c->weave.wait_us, is_weave },
        { "CONWEAVE_TX_EXPIRY_TIME", KNOB_conweave_expiry, c->weave.expiry_us, is_weave },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct knob_info *info = &knob_info[rows[i].knob];
        double                  value = rows[i].value;

        if (!rows[i].is_used)
            continue;
        if (value < info->min || value > info->max)
            refuse_config(r, path, "%s makes '%s' %.10g, which is not within %.10g .. %.10g", rows[i].key,
                          info->name, value, info->min, info->max);
        s->cfg.knobs.value[rows[i].knob] = value;
    }
}

/* Refuses parameters of a control that the fork has and our model does not. */
static void check_control(struct reader *r, const char *path, const struct hpcc_config *c)
{
    if (c->cc_mode == 7 && (c->ai_bps == 0 || c->hai_bps == 0))
        refuse_config(r, path, "a RATE_AI or RATE_HAI of 0 is not modelled with CC_MODE 7");
    if ((c->cc_mode == 3 || c->cc_mode == 10) && c->ai_bps == 0)
        refuse_config(r, path, "a RATE_AI of 0 is not modelled with CC_MODE %u", c->cc_mode);
    if (c->cc_mode == 3 && !c->has_win)
        refuse_config(r, path, "CC_MODE 3 needs HAS_WIN 1: without a window the fork divides by 0");
    if (c->cc_mode == 3 && c->int_multi == 0)
        refuse_config(r, path, "CC_MODE 3 needs an INT_MULTI of 1 or more: with 0 the fork divides by it");
    if (c->cc_mode == 10 && c->pint_log_base < PINT_LOG_BASE_MIN)
        refuse_config(r, path, "a PINT_LOG_BASE of less than %g needs more than two bytes, which is not "
            "modelled",
                      PINT_LOG_BASE_MIN);
}

static void set_control(struct reader *r, struct scenario *s, const char *path, const struct hpcc_config *c)
{
    if (c->cc_mode != 1)
        s->cfg.cc = cc_find(hpcc_cc_of_mode(c->cc_mode));
    check_control(r, path, c);
    s->cfg.fork = (struct cc_fork){ 0 };
    if (c->cc_mode == 3)
        s->cfg.fork = (struct cc_fork){ .int_multi = c->int_multi, .is_slow = !c->fast_react,
                                        .has_hop_rates = c->multi_rate, .skips_empty = c->sample_feedback };
    else if (c->cc_mode == 7)
        s->cfg.fork.timely_hai_bps = c->hai_bps;
    else if (c->cc_mode == 10)
        s->cfg.fork = (struct cc_fork){ .pint_base = c->pint_log_base,
                                        .pint_ignored = 65536 - (uint32_t)(65536 * c->pint_prob) };
}

/* As in the fork, the maps must contain the speed of every link. */
static void check_maps(struct reader *r, struct scenario *s, const char *path, const struct hpcc_config *c)
{
    const struct graph *g = &s->graph;
    char                text[32];

    for (uint32_t i = 0; i < g->links && !r->rc && c->enable_qcn; i++) {
        uint32_t at = 0;

        while (at < c->ecn_count && c->ecn[at].rate_bps != g->link[i].rate_bps)
            at++;
        if (at == c->ecn_count)
            refuse_config(r, path, "KMAX_MAP has no row for %s, the rate of the link %s-%s",
                          text_from_rate(text, sizeof text, (double)g->link[i].rate_bps),
                          g->node[g->link[i].a].name, g->node[g->link[i].b].name);
    }
}

static void set_ecn(struct reader *r, struct scenario *s, const char *path, const struct hpcc_config *c)
{
    struct sim_cfg *cfg = &s->cfg;

    _Static_assert(HPCC_MAP_MAX <= sizeof cfg->ecn_rate / sizeof *cfg->ecn_rate, "room for the maps");
    for (uint32_t i = 0; i < c->ecn_count && !r->rc; i++) {
        if (c->ecn[i].kmax_kb > knob_info[KNOB_kmax].max)
            refuse_config(r, path, "KMAX_MAP: %.10g KB is more than %.10g KB", c->ecn[i].kmax_kb,
                          knob_info[KNOB_kmax].max);
        cfg->ecn_rate[i] =
            (struct ecn_rate){ c->ecn[i].rate_bps, c->ecn[i].kmin_kb, c->ecn[i].kmax_kb, c->ecn[i].pmax };
    }
    cfg->ecn_rates = c->ecn_count;
    check_maps(r, s, path, c);
}

/* The fork's receiver acknowledges what ends beyond L2_ACK_INTERVAL bytes of the flow, or at a multiple of
 * L2_CHUNK_SIZE. So a flow that ends before both is never acknowledged. */
static void set_ack_interval(struct reader *r, struct scenario *s, const char *path,
                             const struct hpcc_config *c)
{
    if (c->l2_ack_interval <= 1)
        return;
    if (c->is_conweave)
        refuse_config(r, path, "an L2_ACK_INTERVAL of more than 1: this fork would send the end of a short "
            "flow again forever");
    if (c->l2_chunk_size == 0)
        refuse_config(r, path, "an L2_ACK_INTERVAL of more than 1 needs an L2_CHUNK_SIZE: the fork divides "
            "by it");
    s->cfg.ack_every = UINT32_MAX;
    s->cfg.ack_from_bytes = c->l2_ack_interval;
    s->cfg.ack_chunk_bytes = c->l2_chunk_size;
}

static void set_devices(struct reader *r, struct scenario *s, const char *path, const struct hpcc_config *c)
{
    struct sim_cfg *cfg = &s->cfg;

    if (c->payload_bytes < 64 || c->payload_bytes > 9000)
        refuse_config(r, path, "PACKET_PAYLOAD_SIZE must be 64 .. 9000, not %u", c->payload_bytes);
    cfg->mtu_bytes = c->payload_bytes;
    cfg->ack_unpaused = c->ack_high_prio;
    cfg->window_bytes = c->has_win ? UINT64_MAX : 0;
    cfg->window_by_rate = c->var_win;
    cfg->window_by_pair = !c->global_t;
    cfg->is_unpaced = !c->rate_bound;
    set_ack_interval(r, s, path, c);
    cfg->buffer_wraps = !c->is_conweave;
    cfg->buffer_bytes = (uint64_t)c->buffer_mib << 20;
    cfg->ecn_on = c->enable_qcn;
    if (c->is_conweave)
        cfg->pause_ps = (uint64_t)c->pause_us * PS_PER_US;
    if (c->is_conweave && !cfg->pause_ps)
        refuse_config(r, path, "a PAUSE_TIME of less than 1 us pauses no port");
}

static void read_flows(struct reader *r, struct scenario *s, const struct yaml_node *node, const char *path,
                       const struct hpcc_config *c)
{
    if (!*c->flow_file)
        refuse_config(r, path, "FLOW_FILE is missing");
    if (r->rc)
        return;
    char *file = file_of(path, c->flow_file);
    scenario_read_flows(r, s, node, file);
    free(file);
}

/* Keys of the scenario override the config. */
static void use_conweave(struct scenario *s, const struct hpcc_config *c, struct scenario_given given)
{
    struct sim_cfg *cfg = &s->cfg;

    cfg->model = MODEL_CONWEAVE;
    if (c->lb_mode && !given.lb)
        cfg->lb = lb_find(c->lb_mode == 3 ? "conga" : c->lb_mode == 6 ? "letflow" : "conweave");
    if (c->random_seed && !given.seed)
        cfg->seed = c->random_seed;
}

void scenario_read_hpcc(struct reader *r, struct scenario *s, const struct yaml_node *node,
                        struct scenario_given given)
{
    struct hpcc_config c;
    struct err         why;

    if (r->rc)
        return;
    if (node->kind != YAML_SCALAR || !*node->text) {
        reader_refuse(r, node, "'hpcc' must be the name of a config file");
        return;
    }
    char *path = reader_path(r->name, node->text);
    reader_keep(r, hpcc_read_config(path, NULL, &c, &why), &why, node);
    if (!r->rc)
        read_network(r, s, node, path, &c);
    scenario_check_links(r, s, node);
    if (!r->rc)
        read_link_down(r, s, path, &c);
    if (!r->rc && c.is_conweave)
        use_conweave(s, &c, given);
    scenario_use_model(r, s);
    if (!r->rc) {
        if (!given.cc)
            set_control(r, s, path, &c);
        set_knobs(r, s, path, &c);
        set_devices(r, s, path, &c);
        set_ecn(r, s, path, &c);
        read_flows(r, s, node, path, &c);
    }
    free(path);
}
