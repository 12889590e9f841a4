#include "scenario/scenario.h"

#include <string.h>

#define ACK_EVERY  4u            /* packets: 16 KB, as in uet-htsim */
#define TRIM_BYTES 64u
#define HEAD_PRIO  7u

void scenario_use_uet(struct sim_cfg *cfg)
{
    cfg->ack_every = ACK_EVERY;
    cfg->is_lossless = false;
    cfg->has_trim = true;
    cfg->trim_bytes = TRIM_BYTES;
    cfg->head_prio = HEAD_PRIO;
}

static const struct yaml_node *key_of(const struct section *root, const char *section, const char *key)
{
    const struct yaml_node *map = section_get(root, section);

    return map && map->kind == YAML_MAP ? yaml_get(map, key) : NULL;
}

/* ---- in other models ---- */

static void check_others(const struct section *root, const struct sim_cfg *cfg)
{
    struct reader *r = root->r;

    if (cfg->has_trim)
        reader_refuse_key(r, key_of(root, "switch", "trim"), "trimming needs 'model: uet': a receiver "
                          "without selective ACKs cannot use a packet that lost its payload");
    if (cfg->is_sleek)
        reader_refuse_key(r, key_of(root, "host", "sleek"), "'sleek' needs 'model: uet'");
    if (cfg->cc->needs_uet)
        section_refuse(root, "cc", "%s needs 'model: uet'", cfg->cc->name);
    if (cfg->lb->entropy && (cfg->model != MODEL_NIC || !cfg->is_selective))
        section_refuse(root, "lb", "with '%s' packets overtake each other: it needs 'model: uet', or model "
                       "nic with 'host: {retransmit: selective}'", cfg->lb->name);
}

/* Refuses keys of NICs and switches outside of model nic. */
static void check_nic(const struct section *root, const struct sim_cfg *cfg)
{
    static const char *const only[][2] = { { "host", "tx_fifo" }, { "host", "turn" }, { "host", "pcie" },
                                           { "host",
                                             "drain" }, { "host", "drain_hosts" }, { "host", "rx_buffer" },
                                           { "host",
                                             "receives" }, { "host", "repost" }, { "host", "rnr_timer" },
                                           { "switch", "cut_through" }, { "switch", "latency" },
                                           { "switch", "ecn_cell" }, { "switch", "ecn_lag" } };

    for (size_t i = 0; i < sizeof only / sizeof *only && cfg->model != MODEL_NIC; i++)
        if (key_of(root, only[i][0], only[i][1]))
            reader_refuse_key(root->r, key_of(root, only[i][0], only[i][1]), "'%s' needs 'model: nic'",
                              only[i][1]);
    for (size_t i = 1; i < 3 && !cfg->tx_fifo_bytes; i++)
        if (key_of(root, "host", only[i][1]))
            reader_refuse_key(root->r, key_of(root, "host", only[i][1]),
                              "'%s' is about a FIFO: it needs 'tx_fifo'", only[i][1]);
    for (size_t i = 4; i < 6 && !key_of(root, "host", "drain"); i++)
        if (key_of(root, "host", only[i][1]))
            reader_refuse_key(root->r, key_of(root, "host", only[i][1]),
                              "'%s' is about slow hosts: it needs 'drain'", only[i][1]);
    if (cfg->receives && cfg->is_selective)
        reader_refuse_key(root->r, key_of(root, "host", "receives"),
                          "'receives' needs 'retransmit: go_back_n'");
}

/* ---- model uet ---- */

static void check_control(const struct section *root, const struct sim_cfg *cfg)
{
    if (!cfg->cc->needs_uet && strcmp(cfg->cc->name, "nscc") != 0)
        section_refuse(root, "cc", "model uet has the controls nscc, rccc, nscc_rccc and nscc_dctcp: %s is "
                       "for queue pairs; 'others' with 'classes' gives them classes of their own",
                       cfg->cc->name);
    if (cfg->is_sleek && cfg->cc->has_credit)
        reader_refuse_key(root->r, key_of(root, "host", "sleek"), "SLEEK does not go with receiver credit: "
                          "it sends again without waiting for credit");
    if (cfg->is_sleek && cfg->has_trim)
        reader_refuse_key(root->r, key_of(root, "host", "sleek"), "SLEEK finds losses without trimming: it "
                          "needs 'switch: {trim: no}'");
}

static void check_host(const struct section *root, const struct sim_cfg *cfg)
{
    static const char *const idle[] = { "ack_class", "window", "window_by_rate", "record_gaps", "nack_gap",
                                        "nack_is_cnp", "reorder" };

    if (sim_roce_prios(cfg))
        return;
    if (key_of(root, "host", "retransmit") && !cfg->is_selective)
        reader_refuse(root->r, key_of(root, "host", "retransmit"), "trimming and spraying need selective "
                      "ACKs: model uet has nothing else");
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (key_of(root, "host", idle[i]))
            reader_refuse_key(root->r, key_of(root, "host", idle[i]), "'%s' is for queue pairs: connections "
                              "of model uet do not have it", idle[i]);
}

static void check_switch(const struct section *root, const struct sim_cfg *cfg)
{
    if (cfg->is_lossless && !sim_roce_prios(cfg))
        reader_refuse_key(root->r, key_of(root, "switch", "lossless"), cfg->cc->has_credit
                          ? "receiver credit does not go with PFC: pauses would hold back what credit was "
                            "given for"
                          : "model uet does not go with PFC: where senders are paused, no queue is full and "
                            "nothing is trimmed");
    if (cfg->lb->is_woven || strcmp(cfg->lb->name, "conga") == 0)
        section_refuse(root, "lb",
                       "%s is for flows that keep their order: model uet sprays packets", cfg->lb->name);
    if (cfg->knobs.value[KNOB_hf2t] > 0)
        reader_refuse_key(root->r, key_of(root, "knobs", "hf2t"), "HF2T delays packets of a queue pair on "
                          "one path: connections of model uet have many");
}

/* Refuses a class of queue pairs without traffic. */
static void check_classes(const struct section *root, const struct scenario *s)
{
    uint8_t idle = sim_roce_prios(&s->cfg) & (uint8_t)~traffic_prios(s->traffic);

    if (idle)
        section_refuse(root, "cc", "class %d has queue pairs, but no traffic uses it: 'prio' of a traffic "
                       "entry is its class", __builtin_ctz(idle));
}

void scenario_check_uet_traffic(const struct section *root, const struct scenario *s)
{
    if (root->r->rc || s->cfg.model != MODEL_UET)
        return;
    if (traffic_prios(s->traffic) >> s->cfg.head_prio & 1)
        reader_refuse_key(root->r, section_get(root, "traffic"), "traffic uses class %u, which is that of "
                          "headers and answers; 'switch: {header_class: ..}' chooses another",
                          s->cfg.head_prio);
    else
        check_classes(root, s);
}

void scenario_check_uet(const struct section *root, struct scenario *s)
{
    struct sim_cfg *cfg = &s->cfg;

    if (root->r->rc || cfg->model == MODEL_HTSIM)
        return;
    check_nic(root, cfg);
    if (cfg->model != MODEL_UET) {
        check_others(root, cfg);
        return;
    }
    check_control(root, cfg);
    check_host(root, cfg);
    check_switch(root, cfg);
    if (!sim_roce_prios(cfg))
        cfg->is_selective = false;       /* that of queue pairs */
}
