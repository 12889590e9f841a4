/* src/study/scenario/scenario_settings.c - defaults of the models; the sections host, switch, knobs and
 * changes. */
#include "study/scenario/scenario.h"

#include "base/text.h"
#include "core/catalog.h"
#include "core/units.h"
#include "study/scenario/keys.h"

#include <stdlib.h>
#include <string.h>

#define ECN_RATES_MAX (sizeof((struct sim_cfg *)NULL)->ecn_rate / sizeof(struct ecn_rate))
#define NACK_GAP_PS   (100 * PS_PER_US)      /* models nic and uet */
#define REORDER_PS    (100 * PS_PER_US)
#define RTO_PS        (4 * PS_PER_MS)  /* model conweave; model hpcc in order node if packets are lost */

/* ---- the models ---- */

/* Headers: Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + ICRC 4 + FCS 4; an ACK also has an AETH of 4, a CNP 16
 * reserved bytes. Spacing: preamble 8 + gap 12. */
static const struct sim_cfg nic_cfg = {
    .mtu_bytes = 1024, .header_bytes = 62, .ack_bytes = 66, .cnp_bytes = 78, .pfc_bytes = 64,
    .spacing_bytes = 20, .buffer_bytes = 32000000, .strict_prios = 1 << 6, .lossy_by_traffic = true,
    .nack_gap_ps = NACK_GAP_PS, .nack_is_cnp = true, .reorder_ps = REORDER_PS, .rto_ps = RTO_AUTO,
};

/* Headers: Ethernet 14 + IPv4 20 + UDP 8 + sequence and class 6. */
static const struct sim_cfg fork_cfg = {
    .mtu_bytes = 1000, .header_bytes = 48, .ack_bytes = 60, .cnp_bytes = 60, .pfc_bytes = 43,
    .buffer_bytes = 32u << 20, .strict_prios = 1 << 0, .ack_unpaused = true,
    .nack_gap_ps = 500 * PS_PER_US, .reorder_ps = REORDER_PS,
};

/* Sizes as in uet-htsim. */
static const struct sim_cfg uet_cfg = {
    .mtu_bytes = 4096, .header_bytes = 64, .ack_bytes = 64, .cnp_bytes = 64, .pfc_bytes = 64,
    .spacing_bytes = 20, .buffer_bytes = 32000000, .strict_prios = 1 << 6, .lossy_by_traffic = true,
    .nack_gap_ps = NACK_GAP_PS, .nack_is_cnp = true, .reorder_ps = REORDER_PS, .rto_ps = RTO_AUTO,
};

static bool loses_packets(const struct scenario *s)
{
    for (uint32_t i = 0; i < s->graph.links; i++)
        if (s->graph.link[i].loss > 0 || s->graph.link[i].ber > 0)
            return true;
    return s->cfg.changes > 0;
}

/* Sets the forks' DCQCN profiles for hosts of this speed. ConWeave's flowlet table has an entry for every
 * flow. */
static void use_fork_knobs(struct knobs *k, enum sim_model model, uint64_t host_bps)
{
    double speed = (double)host_bps / 25e9;

    nic_profile_put(nic_profile_find("hpcc"), host_bps, k);
    k->value[KNOB_rate_to_set_on_first_cnp] = 0;         /* unchanged, in the forks' DCQCN */
    if (model == MODEL_CONWEAVE) {
        k->value[KNOB_rpg_ai_rate] = 10 * speed;
        k->value[KNOB_rpg_hai_rate] = 25 * speed;
        k->value[KNOB_rpg_min_rate] = 100;
        k->value[KNOB_flowlet_table] = knob_info[KNOB_flowlet_table].max;
    }
    knobs_clamp(k);
}

static uint64_t first_host_bps(const struct graph *g)
{
    for (uint32_t i = 0; i < g->links; i++)
        if (!g->node[g->link[i].a].is_switch || !g->node[g->link[i].b].is_switch)
            return g->link[i].rate_bps;
    return 0;
}

/* Opens a section. With a map, only given keys are read; without one, all defaults. */
static struct section open_settings(struct reader *r, const struct yaml_node *map, const char *name)
{
    struct section sec = scenario_open(r, map, name);

    sec.given_only = map != NULL;
    return sec;
}

/* ---- host ---- */

static void read_ack_class(const struct section *sec, struct sim_cfg *cfg)
{
    const char *text = section_text(sec, "ack_class");
    uint32_t    class = 0;

    if (!text)
        return;
    cfg->has_ack_prio = strcmp(text, "data") != 0;
    if (cfg->has_ack_prio)
        section_count(sec, "ack_class", 0, PRIOS - 1, &class);
    cfg->ack_prio = (uint8_t)class;
}

static void read_idle_reset(const struct section *sec, struct sim_cfg *cfg)
{
    const char *text = section_text(sec, "idle_reset");

    if (!text)
        return;
    cfg->idle_reset_ps = 0;
    if (strcmp(text, "never") == 0)
        return;
    section_time(sec, "idle_reset", &cfg->idle_reset_ps);
    if (!cfg->idle_reset_ps)
        cfg->idle_reset_ps = 1;          /* after any idle time */
}

static void read_host(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = open_settings(r, node, "host");

    section_read(&sec, sec.common, &s->cfg);
    read_ack_class(&sec, &s->cfg);
    read_idle_reset(&sec, &s->cfg);
    scenario_keep_place(&sec, s, "rto", PLACE_RTO);
}

/* ---- switch ---- */

static void read_alpha(const struct section *sec, struct sim_cfg *cfg)
{
    double alpha = 1.0 / (1 << cfg->pfc_shift);

    section_real(sec, "alpha", 1.0 / 128, 1, &alpha);
    for (cfg->pfc_shift = 0; cfg->pfc_shift < 8; cfg->pfc_shift++)
        if (sec->r->rc || alpha == 1.0 / (1 << cfg->pfc_shift))
            return;
    section_refuse(sec, "alpha", "alpha must be 1, 0.5, 0.25, 0.125 and so on down to 1/128, not %s",
                   section_text(sec, "alpha"));
}

/* Reads a list of classes. Returns false if it is missing. */
static bool read_classes(const struct section *sec, const char *key, uint8_t *classes)
{
    const struct yaml_node *c = section_list(sec, key, PRIOS);
    uint32_t                class = 0;

    if (!section_get(sec, key))
        return false;
    for (*classes = 0; c && reader_count(sec->r, c, "a class", 0, PRIOS - 1, &class); c = c->next)
        *classes |= (uint8_t)(1u << class);
    return true;
}

static void read_weights(const struct section *sec, struct sim_cfg *cfg)
{
    const struct yaml_node *list = section_get(sec, "weights"), *c = section_list(sec, "weights", PRIOS);
    uint32_t                weight = 1;

    if (list && !sec->r->rc && list->count != PRIOS)
        reader_refuse(sec->r, list, "'weights' must name all %d classes, not %u", PRIOS, list->count);
    for (int i = 0; c && reader_count(sec->r, c, "a weight", 1, 255, &weight); c = c->next)
        cfg->weight[i++] = (uint8_t)weight;
}

/* A threshold or probability, within the range of the knob of the same name. */
static void read_knob(const struct section *sec, const char *key, double *value)
{
    const struct yaml_node *node = section_need(sec, key);
    const char             *text = section_text(sec, key);
    struct err              why;

    if (text && knob_parse(knob_find(key), text, value, &why))
        reader_refuse(sec->r, node, "%s", why.text);
}

static void read_thresholds(const struct section *sec, double *kmin_kb, double *kmax_kb, double *pmax)
{
    read_knob(sec, "kmin", kmin_kb);
    read_knob(sec, "kmax", kmax_kb);
    read_knob(sec, "pmax", pmax);
    if (!sec->r->rc && *kmin_kb > *kmax_kb)
        section_refuse(sec, "kmin", "'kmin' (%.10g KB) must not be above 'kmax' (%.10g KB)", *kmin_kb,
                       *kmax_kb);
}

static void read_ecn_class(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section   sec = scenario_open(r, node, "switch ecn_by_class");
    struct ecn_class e = { .is_set = true };
    uint32_t         class = 0;

    section_need(&sec, "class");
    section_count(&sec, "class", 0, PRIOS - 1, &class);
    read_thresholds(&sec, &e.kmin_kb, &e.kmax_kb, &e.pmax);
    if (s->cfg.ecn_class[class].is_set)
        section_refuse(&sec, "class", "the class %u is given twice", class);
    s->cfg.ecn_class[class] = e;
}

static void read_ecn_rate(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section  sec = scenario_open(r, node, "switch ecn_by_rate");
    struct sim_cfg *cfg = &s->cfg;
    struct ecn_rate e = { 0 };

    section_need(&sec, "rate");
    section_rate(&sec, "rate", &e.rate_bps);
    read_thresholds(&sec, &e.kmin_kb, &e.kmax_kb, &e.pmax);
    if (r->rc)
        return;
    for (uint32_t i = 0; i < cfg->ecn_rates; i++)
        if (cfg->ecn_rate[i].rate_bps == e.rate_bps)
            section_refuse(&sec, "rate", "the rate %s is given twice", section_text(&sec, "rate"));
    cfg->ecn_rate[cfg->ecn_rates++] = e;
}

/* Refuses switches whose links exceed the capacity of the chip. */
static void check_capacity(const struct section *sec, const struct graph *g, const struct asic *a)
{
    uint64_t *bps = xcalloc(g->nodes + 1ul, sizeof *bps);
    char      has[32], can[32];

    for (uint32_t i = 0; i < g->links; i++) {
        bps[g->link[i].a] += g->link[i].rate_bps;
        bps[g->link[i].b] += g->link[i].rate_bps;
    }
    for (uint32_t i = 0; i < g->nodes && !sec->r->rc; i++)
        if (g->node[i].is_switch && bps[i] > a->capacity_bps)
            section_refuse(sec, "asic", "the links of %s have %s together, %s carries %s", g->node[i].name,
                           text_from_rate(has, sizeof has, (double)bps[i]), a->name,
                           text_from_rate(can, sizeof can, (double)a->capacity_bps));
    free(bps);
}

/* Chips with virtual output queues mark packets by credit, not by the length of a queue. */
static bool is_voq(const char *name)
{
    return name &&
           (strncmp(name, "jericho", 7) == 0 || strncmp(name, "qumran", 6) == 0 || strcmp(name, "dnx") == 0);
}

static void read_asic(const struct section *sec, struct scenario *s)
{
    int chosen = -1;

    if (is_voq(section_text(sec, "asic")))
        section_refuse(sec, "asic", "a chip with virtual output queues marks packets by credits, whatever "
                       "kmin and kmax are (sonic-buildimage 20146): its ECN cannot be predicted");
    else
        chosen = section_choice(sec, "asic", "a switch chip", asic_names);
    if (chosen < 0)
        return;
    check_capacity(sec, &s->graph, &asic_all[chosen]);
    s->cfg.buffer_bytes = asic_all[chosen].buffer_bytes;
    if (asic_all[chosen].pfc_shift != ASIC_NO_SHIFT)
        s->cfg.pfc_shift = asic_all[chosen].pfc_shift;
    if (s->cfg.model != MODEL_NIC)
        return;
    s->cfg.chip_ps = asic_all[chosen].latency_ns * PS_PER_NS;
    s->cfg.is_cut_through = asic_all[chosen].latency_ns > 0;
}

/* 'ecn_cell: asic' means the cells of the chip. */
static void resolve_cell(const struct section *sec, struct sim_cfg *cfg)
{
    const char *name = section_text(sec, "asic");

    if (cfg->ecn_cell_bytes != ECN_CELL_OF_ASIC || sec->r->rc)
        return;
    cfg->ecn_cell_bytes = 0;
    for (const struct asic *a = asic_all; name && a->name; a++)
        if (strcmp(a->name, name) == 0)
            cfg->ecn_cell_bytes = a->cell_bytes;
    if (!cfg->ecn_cell_bytes)
        section_refuse(sec, "ecn_cell",
                       "'ecn_cell: asic' needs 'asic', a chip whose cells are known "
                       "(anole list asic)");
}

static void read_switch(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section  sec = open_settings(r, node, "switch");
    struct sim_cfg *cfg = &s->cfg;

    read_asic(&sec, s);
    section_read(&sec, sec.common, cfg);
    resolve_cell(&sec, cfg);
    scenario_keep_place(&sec, s, "buffer", PLACE_BUFFER);
    scenario_keep_place(&sec, s, "lossy_alpha", PLACE_LOSSY_ALPHA);
    scenario_keep_place(&sec, s, "lossy_queue", PLACE_LOSSY_QUEUE);
    scenario_keep_place(&sec, s, "pause_time", PLACE_PAUSE_TIME);
    read_alpha(&sec, cfg);
    if (read_classes(&sec, "lossy", &cfg->lossy_prios))
        cfg->lossy_by_traffic = false;
    read_classes(&sec, "strict", &cfg->strict_prios);
    read_weights(&sec, cfg);
    if (section_get(&sec, "ecn_by_rate"))
        cfg->ecn_rates = 0;
    node = section_list(&sec, "ecn_by_rate", ECN_RATES_MAX);
    for (; node && !r->rc; node = node->next)
        read_ecn_rate(r, s, node);
    node = section_list(&sec, "ecn_by_class", PRIOS);
    for (; node && !r->rc; node = node->next)
        read_ecn_class(r, s, node);
}

/* ---- defaults of the models ---- */

void scenario_begin_model(struct sim_cfg *cfg, enum sim_model model)
{
    *cfg = model == MODEL_UET ? uet_cfg : model == MODEL_HPCC || model == MODEL_CONWEAVE ? fork_cfg : nic_cfg;
    cfg->model = model;
}

/* ACKs have class 0, like PFC frames; pauses expire; duplicates are acknowledged; there is a retransmission
 * timer. */
static void use_conweave_nic(struct sim_cfg *cfg)
{
    cfg->buffer_bytes = 9u << 20;
    cfg->has_ack_prio = cfg->nack_is_cnp = true;
    cfg->nack_gap_ps = 4 * PS_PER_US;
    cfg->rto_ps = RTO_PS;
    cfg->pause_ps = 5 * PS_PER_US;
}

void scenario_use_model(struct reader *r, struct scenario *s)
{
    struct sim_cfg *cfg = &s->cfg;

    if (r->rc)
        return;
    if (cfg->model == MODEL_CONWEAVE)
        use_conweave_nic(cfg);
    cfg->ack_droppable = cfg->model == MODEL_HPCC && cfg->order == ORDER_NS3;
    if (!sim_model_is_real(cfg->model) && !cfg->ack_droppable && loses_packets(s))
        cfg->rto_ps = RTO_PS;
    knobs_init(&cfg->knobs);
    if (cfg->model == MODEL_HPCC || cfg->model == MODEL_CONWEAVE)
        use_fork_knobs(&cfg->knobs, cfg->model, first_host_bps(&s->graph));
    memset(cfg->weight, 1, sizeof cfg->weight);
    read_host(r, s, NULL);
    read_switch(r, s, NULL);
    if (cfg->model == MODEL_CONWEAVE) {
        cfg->pfc_shift = 4;
        cfg->reserve_bytes = 2 * CONWEAVE_PACKET_BYTES;
        cfg->resume_bytes = 1;
    }
    if (cfg->model == MODEL_UET)
        scenario_use_uet(cfg);
    if (cfg->model == MODEL_HPCC && cfg->cc->has_window) {
        cfg->window_bytes = UINT64_MAX;
        cfg->window_by_rate = true;
        cfg->ack_unpaused = false;       /* as in the fork's run.py */
    }
}

/* ---- knobs ---- */

static uint64_t fastest_host_bps(const struct graph *g)
{
    uint64_t fastest = 0;

    for (uint32_t i = 0; i < g->links; i++)
        if ((!g->node[g->link[i].a].is_switch || !g->node[g->link[i].b].is_switch) &&
            g->link[i].rate_bps > fastest)
            fastest = g->link[i].rate_bps;
    return fastest;
}

/* Key 'nic'. Explicit knobs override it. */
static void read_nic(const struct section *sec, struct scenario *s)
{
    int chosen = section_choice(sec, "nic", "a NIC", nic_profile_names);

    if (chosen < 0 || sec->r->rc)
        return;
    nic_profile_put(&nic_profile_all[chosen], fastest_host_bps(&s->graph), &s->cfg.knobs);
}

static void read_one_knob(struct reader *r, const struct yaml_node *node, struct knobs *knobs)
{
    enum knob  knob = knob_find(node->key);
    struct err why;
    char       near[80];

    if (knob == KNOB_COUNT)
        reader_refuse_key(r, node, "'%.60s' is not a knob%s", node->key,
                          text_did_you_mean(near, sizeof near, node->key, knob_names));
    else if (node->kind != YAML_SCALAR)
        reader_refuse(r, node, "'%s' must be a single value", node->key);
    else if (knob_parse(knob, node->text, &knobs->value[knob], &why))
        reader_refuse(r, node, "%s", why.text);
}

/* Returns the most likely wrong one of contradictory knobs. */
static const struct yaml_node *misfit(const struct yaml_node *map, const struct knobs *k)
{
    static const char *const names[] = { "hf2t_min", "hf2t_max", "kmin", "kmax" };

    for (int i = k->value[KNOB_hf2t_min] > k->value[KNOB_hf2t_max] ? 0 : 2; i < 4; i++)
        if (yaml_get(map, names[i]))
            return yaml_get(map, names[i]);
    return map;
}

/* Overrides knobs by those of a map. */
static void read_knobs(struct reader *r, const struct yaml_node *map, struct knobs *knobs)
{
    struct err why;

    if (r->rc || !map || (map->kind == YAML_SCALAR && *map->text == '\0'))
        return;
    if (map->kind != YAML_MAP)
        reader_refuse(r, map, "'knobs' must be a map of 'knob: value'");
    for (const struct yaml_node *c = map->child; c && !r->rc; c = c->next)
        read_one_knob(r, c, knobs);
    if (!r->rc && knobs_check(knobs, &why))
        reader_refuse(r, misfit(map, knobs), "%s", why.text);
}

static bool sets_ecn(const struct yaml_node *knobs)
{
    return yaml_get(knobs, "kmin") || yaml_get(knobs, "kmax") || yaml_get(knobs, "pmax");
}

/* HPCC's thresholds are proportional to the speed of the port: 100 and 400 KB at 25 Gb/s. ConWeave's are
 * constant. */
static void use_fork_ecn(struct reader *r, struct scenario *s, const struct yaml_node *root)
{
    struct sim_cfg     *cfg = &s->cfg;
    const struct graph *g = &s->graph;

    for (uint32_t i = 0; i < g->links && !r->rc; i++) {
        double   speed = cfg->model == MODEL_HPCC ? (double)g->link[i].rate_bps / 25e9 : 1;
        uint32_t at = 0;

        while (at < cfg->ecn_rates && cfg->ecn_rate[at].rate_bps != g->link[i].rate_bps)
            at++;
        if (at == ECN_RATES_MAX)
            reader_refuse(r, root, "links have more than %zu speeds: set kmin, kmax and pmax", ECN_RATES_MAX);
        else if (at == cfg->ecn_rates)
            cfg->ecn_rate[cfg->ecn_rates++] =
                (struct ecn_rate){ g->link[i].rate_bps, 100 * speed, 400 * speed, 0.2 };
    }
}

/* Thresholds given as knobs apply to all ports, unless there is a list by rate. */
static void settle_ecn(struct reader *r, struct scenario *s, const struct yaml_node *root)
{
    struct sim_cfg *cfg = &s->cfg;
    bool            is_listed = yaml_get(yaml_get(root, "switch"), "ecn_by_rate");

    cfg->ecn_by_network = cfg->model == MODEL_UET && !is_listed && !sets_ecn(yaml_get(root, "knobs"));
    if (r->rc || is_listed)
        return;
    if (sets_ecn(yaml_get(root, "knobs")) || yaml_get(root, "tuner"))
        cfg->ecn_rates = 0;
    else if (!sim_model_is_real(cfg->model) && cfg->ecn_rates == 0)
        use_fork_ecn(r, s, root);
}

/* ---- changes ---- */

static void read_change(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section     sec = scenario_open(r, node, "changes");
    struct knob_change made = { .set.knobs = s->changes ? s->change[s->changes - 1].set.knobs
                                : s->cfg.knobs };

    section_need(&sec, "at");
    section_need(&sec, "knobs");
    section_time(&sec, "at", &made.at_ps);
    read_knobs(r, section_get(&sec, "knobs"), &made.set.knobs);
    if (r->rc)
        return;
    for (int i = 0; i < KNOB_COUNT; i++)
        made.set.is_named[i] = yaml_get(section_get(&sec, "knobs"), knob_info[i].name) != NULL;
    if (made.at_ps == 0)
        section_refuse(&sec, "at", "a change must be after the start; use 'knobs' for the initial setting");
    else if (s->changes && made.at_ps <= s->change[s->changes - 1].at_ps)
        section_refuse(&sec, "at", "changes must be in the order of their time");
    else if (made.at_ps >= s->run_ps)
        section_refuse(&sec, "at", "the run is over by then");
    else
        s->change[s->changes++] = made;
}

void scenario_read_settings(struct reader *r, struct scenario *s, const struct yaml_node *root)
{
    struct section sec = { .r = r, .name = "", .common = scenario_keys(""), .map = root };

    if (section_get(&sec, "host"))
        read_host(r, s, section_get(&sec, "host"));
    if (section_get(&sec, "switch"))
        read_switch(r, s, section_get(&sec, "switch"));
    read_nic(&sec, s);
    read_knobs(r, section_get(&sec, "knobs"), &s->cfg.knobs);
    fit_find_idle_knob(&sec, s);
    settle_ecn(r, s, root);
    root = section_list(&sec, "changes", SCENARIO_ENTRIES_MAX);
    if (root)
        s->change = xcalloc(section_get(&sec, "changes")->count, sizeof *s->change);
    for (; root && !r->rc; root = root->next)
        read_change(r, s, root);
}
