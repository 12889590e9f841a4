#include "study/scenario/scenario.h"

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

/* Refuses the value of a key if it is wrong. */
static void refuse(const struct section *root, bool is_wrong, const char *section, const char *key,
                   const char *why)
{
    if (is_wrong)
        reader_refuse_key(root->r, key_of(root, section, key), "%s", why);
}

/* ---- in other models ---- */

static void check_others(const struct section *root, const struct sim_cfg *cfg)
{
    refuse(root, cfg->has_trim, "switch", "trim", "trimming needs 'model: uet': a receiver without selective "
           "ACKs cannot use a packet that lost its payload");
    refuse(root, cfg->is_sleek, "host", "sleek", "'sleek' needs 'model: uet'");
    if (cfg->cc->needs_uet)
        section_refuse(root, "cc", "%s needs 'model: uet'", cfg->cc->name);
    if (cfg->lb->entropy && (cfg->model != MODEL_NIC || !cfg->is_selective))
        section_refuse(root, "lb", "with '%s' packets overtake each other: it needs 'model: uet', or model "
                       "nic with 'host: {retransmit: selective}'", cfg->lb->name);
}

/* Refuses keys of NICs and switches outside of model nic, or without what they are about. */
static void check_nic(const struct section *root, const struct sim_cfg *cfg)
{
    static const char fifo[] = "about a FIFO: it needs 'tx_fifo'";
    static const char slow[] = "about slow hosts: it needs 'drain'";
    const struct { const char *section, *key, *about; bool is_missing; } only[] = {
        { "host", "tx_fifo" }, { "host", "turn", fifo, !cfg->tx_fifo_bytes },
        { "host", "pcie", fifo, !cfg->tx_fifo_bytes }, { "host", "drain" },
        { "host", "drain_hosts", slow, !key_of(root, "host", "drain") },
        { "host", "rx_buffer", slow, !key_of(root, "host", "drain") }, { "host", "receives" },
        { "host", "repost" }, { "host", "rnr_timer" }, { "switch", "cut_through" }, { "switch", "latency" },
        { "switch", "ecn_cell" }, { "switch", "ecn_lag" },
    };

    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        const struct yaml_node *key = key_of(root, only[i].section, only[i].key);

        if (key && cfg->model != MODEL_NIC)
            reader_refuse_key(root->r, key, "'%s' needs 'model: nic'", only[i].key);
        else if (key && only[i].is_missing)
            reader_refuse_key(root->r, key, "'%s' is %s", only[i].key, only[i].about);
    }
    refuse(root, cfg->receives && cfg->is_selective, "host", "receives",
           "'receives' needs 'retransmit: go_back_n'");
}

/* ---- model uet ---- */

static void check_control(const struct section *root, const struct sim_cfg *cfg)
{
    if (!cfg->cc->needs_uet && strcmp(cfg->cc->name, "nscc") != 0)
        section_refuse(root, "cc", "model uet has the controls nscc, rccc, nscc_rccc and nscc_dctcp: %s is "
                       "for queue pairs; 'others' with 'classes' gives them classes of their own",
                       cfg->cc->name);
    refuse(root, cfg->is_sleek && cfg->cc->has_credit, "host", "sleek", "SLEEK does not go with receiver "
           "credit: it sends again without waiting for credit");
    refuse(root, cfg->is_sleek && cfg->has_trim, "host", "sleek", "SLEEK finds losses without trimming: it "
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
    refuse(root, cfg->is_lossless && !sim_roce_prios(cfg), "switch", "lossless", cfg->cc->has_credit
           ? "receiver credit does not go with PFC: pauses would hold back what credit was given for"
           : "model uet does not go with PFC: where senders are paused, no queue is full and nothing is "
             "trimmed");
    if (cfg->lb->is_woven || strcmp(cfg->lb->name, "conga") == 0)
        section_refuse(root, "lb",
                       "%s is for flows that keep their order: model uet sprays packets", cfg->lb->name);
    refuse(root, cfg->knobs.value[KNOB_hf2t] > 0, "knobs", "hf2t", "HF2T delays packets of a queue pair on "
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
