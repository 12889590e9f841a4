#include "study/scenario/scenario.h"

#include "base/text.h"
#include "core/units.h"
#include "peers/htsim.h"
#include "sim/forks/htsim_sim.h"
#include "work/traffic/kinds/flows.h"

#include <stdlib.h>
#include <string.h>

/* The values of the keys. */
struct htsim_keys {
    struct htsim_cfg cfg;
    uint32_t         tiers;
    uint64_t         hop_ps, switch_ps;
};

/* as in enum htsim_route */
static const char *const routes[] = { "ecmp_host", "ecmp_ar", "ecmp_rr", NULL };
/* as in enum htsim_control */
static const char *const controls[] = { "nscc", "rccc", "both", NULL };
/* as in enum htsim_window */
static const char *const windows[] = { "nscc", "dctcp", "constant", NULL };

#define AT(field) KEY_AT(struct htsim_keys, field)

const struct key_row scenario_htsim_keys[] = {
    { "matrix",     KEY_FILE,  "", "connection matrix (.cm). `start` is in microseconds, truncated; "
      "`recv_done_trigger` has no effect", .is_needed = true },
    { "topology",   KEY_FILE,  "", "topology (.topo), instead of `tiers`, `hop_latency` and "
      "`switch_latency`. `Queue_up` and `Queue_down` are ignored" },
    { "tiers",      KEY_COUNT, "3",       "of a full fat-tree, 2 or 3", AT(tiers), 2, 3 },
    { "hop_latency", KEY_TIME, "1us",     "delay of a link", AT(hop_ps), 1, 4e9 },
    { "switch_latency", KEY_TIME, "0",    "delay of a switch", AT(switch_ps), 0, 4e9 },
    { "linkspeed",  KEY_RATE,  "100Gbps", "of NICs and in all formulas; also of links, unless the topology "
      "says otherwise", AT(cfg.linkspeed_bps), 1e8, 1.6e12 },
    { "end",        KEY_TIME,  "1ms",     "events from then on never happen; 0: no end", AT(cfg.end_ps) },
    { "mtu",        KEY_BYTES, "4150",    "of a whole packet, with its header of 64 bytes", AT(cfg.mtu_bytes),
      65, 65535 },
    { "control",    KEY_NAME,  "nscc", "`nscc`: window of the sender; `rccc`: credit of the receiver; `both`",
      AT(cfg.control), .choices = controls },
    { "window",     KEY_NAME,  "nscc",    "how the sender's window changes: `nscc`, `dctcp` or `constant`",
      AT(cfg.window), .choices = windows },
    { "cwnd",       KEY_COUNT, "0",       "initial window in packets; 0: the largest, 1.5 BDP",
      AT(cfg.cwnd_packets), 0, 1e6 },
    { "target_q_delay", KEY_TIME, "0", "target delay of NSCC; 0: 0.75 round trips with trimming, 1 without",
      AT(cfg.target_q_delay_ps), 0, 1e12 },
    { "qa_gate",    KEY_COUNT, "3", "NSCC: quick adapt if less than the largest window / 2^gate arrived in a "
      "round trip", AT(cfg.qa_gate), 0, 31 },
    { "sleek",      KEY_YES,   "no",      "loss recovery with probes", AT(cfg.sleek) },
    { "sack_threshold", KEY_BYTES, "16384", "bytes after which an ACK is sent at the latest",
      AT(cfg.sack_threshold_bytes), 0, UINT32_MAX },
    { "accurate_base_rtt", KEY_YES, "no", "the base RTT is that of the two hosts, not of the longest path",
      AT(cfg.accurate_base_rtt) },
    { "base_rtt_on_nack", KEY_YES, "yes", "NACKs, too, may lower the base RTT", AT(cfg.base_rtt_on_nack) },
    { "load_balancing", KEY_NAME, "mixed", "entropy values: `mixed`, `oblivious`, `bitmap`, `reps` or "
      "`reps_legacy`", AT(cfg.balancer), .choices = entropy_names },
    { "paths",      KEY_COUNT, "64",      "entropy values of a flow, a power of two; 1: one path per flow",
      AT(cfg.paths), 1, ENTROPY_PATHS_MAX },
    { "strat",      KEY_NAME,  "ecmp_host", "switches choose by hash (`ecmp_host`), by queue (`ecmp_ar`) or "
      "round robin (`ecmp_rr`); the last two imply one entropy value", AT(cfg.route), .choices = routes },
    { "trim",       KEY_YES,   "yes",     "full queues trim packets; no: they drop them", AT(cfg.trim) },
    { "trim_size",  KEY_BYTES, "64",      "size of a trimmed packet", AT(cfg.trim_bytes), 1, 65535 },
    { "q",          KEY_COUNT, "0",       "size of a switch port's queue in packets; 0: by BDP",
      AT(cfg.queue_packets), 0, 1e6 },
    { "queue_bdp_factor", KEY_COUNT, "0", "size of a queue in BDPs; 0: 1 with trimming, 5 without",
      AT(cfg.queue_bdp_factor), 0, 1000 },
    { "ecn_low",    KEY_COUNT, "0", "packets from which a queue may mark; with `ecn_high` 0: 20 % of the BDP",
      AT(cfg.ecn_low_packets), 0, 1e6 },
    { "ecn_high",   KEY_COUNT, "0",       "packets from which it always does; 0: 80 % of the BDP",
      AT(cfg.ecn_high_packets), 0, 1e6 },
    { "failed",     KEY_COUNT, "0", "number of links from cores to aggs at a quarter of their rate; with 2 "
      "tiers, number of spines all of whose links are", AT(cfg.failed), 0, 1e6 },
    { "oversubscribed_cc", KEY_YES, "no", "receivers control their rate of credit",
      AT(cfg.oversubscribed_cc) },
    { "oversubscribed_auto", KEY_YES, "yes", "they do so if the topology is oversubscribed. uet-htsim: "
      "unless the sender's control is named by an option", AT(cfg.oversubscribed_auto) },
    { "over_ai",    KEY_REAL,  "0.01",    "that control: additive increase (-Ai)", AT(cfg.over_ai), 0, 1 },
    { "over_md",    KEY_REAL,  "0.5",     "multiplicative decrease (-Md)", AT(cfg.over_md), 0, 1 },
    { "over_alpha", KEY_REAL,  "0.5",     "weight of a new sample (-alpha)", AT(cfg.over_alpha), 0, 1 },
    { 0 },
};

void scenario_check_htsim(const struct section *root, const struct yaml_node *map)
{
    static const char *const known[] = { "model", "seed", "htsim", NULL };

    for (const struct yaml_node *c = map->child; c && !root->r->rc; c = c->next)
        if (text_index(c->key, known) < 0)
            reader_refuse_key(root->r, c,
                              "model htsim has no '%.60s': its settings are in the section 'htsim'", c->key);
}

static void read_matrix(const struct section *sec, struct flow_matrix *m)
{
    struct reader *r = sec->r;
    char          *path = section_file(sec, "matrix");
    struct err     why;

    if (path && !r->rc)
        reader_keep(r, htsim_read_uet_cm(path, NULL, m, &why), &why, section_get(sec, "matrix"));
    free(path);
}

static void refuse_beside_file(const struct section *sec)
{
    static const char *const keys[] = { "tiers", "hop_latency", "switch_latency" };

    for (int i = 0; i < 3; i++)
        if (section_get(sec, keys[i]))
            reader_refuse_key(sec->r, section_get(sec, keys[i]),
                              "the file named by 'topology' brings its own %s", keys[i]);
}

static void read_tree(const struct section *sec, const struct htsim_keys *k, struct htsim_input *in)
{
    struct reader *r = sec->r;
    char          *path = section_get(sec, "topology") ? section_file(sec, "topology") : NULL;
    struct err     why;

    if (r->rc) {
        free(path);
        return;
    }
    if (path) {
        refuse_beside_file(sec);
        reader_keep(r, htsim_read_uet_topology(path, NULL, &in->tree, &why), &why,
                    section_get(sec, "topology"));
    } else if (fat_tree_make(&in->tree, k->tiers, in->matrix.nodes, in->cfg.linkspeed_bps, k->hop_ps,
                             k->switch_ps, &why)) {
        section_refuse(sec, "matrix", "%s", why.text);
    }
    if (!r->rc && in->tree.hosts != in->matrix.nodes)
        section_refuse(sec, "topology", "the network has %u hosts, the connection matrix %u",
                       in->tree.hosts, in->matrix.nodes);
    free(path);
}

/* Makes the network, and a traffic entry that represents the matrix. */
static void make_network(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct htsim_input *in = s->htsim;
    struct flow_list    none = { 0 };
    struct err          why;

    graph_init(&s->graph);
    fat_tree_wire(&in->tree, &s->graph);
    if (graph_check(&s->graph, &why)) {
        reader_refuse(r, node, "%s", why.text);
        return;
    }
    s->traffic = traffic_new(&s->graph, s->cfg.seed);
    traffic_add_list(s->traffic, &none);
    s->entry = xcalloc(1, sizeof *s->entry);
    s->entries = 1;
    *s->entry = (struct traffic_about){ .name = "htsim", .kind = "htsim", .line = node->line,
                                        .hosts = in->tree.hosts, .stop_ps = NEVER };
}

void scenario_read_htsim(struct reader *r, struct scenario *s, const struct section *root)
{
    const struct yaml_node *node = section_need(root, "htsim");
    struct section          sec;
    struct htsim_keys       k = { 0 };

    if (r->rc)
        return;
    sec = section_open(r, node, &(struct section){ .name = "htsim", .common = scenario_htsim_keys });
    section_read(&sec, sec.common, &k);
    s->htsim = xcalloc(1, sizeof *s->htsim);
    struct htsim_input *in = s->htsim;
    in->cfg = k.cfg;
    in->cfg.seed = s->cfg.seed;
    read_matrix(&sec, &in->matrix);
    read_tree(&sec, &k, in);
    if (!r->rc)
        make_network(r, s, node);
}

void scenario_use_htsim(struct scenario *s)
{
    const struct htsim_input *in = s->htsim;

    if (!in)
        return;
    s->cfg.is_lossless = false;
    s->cfg.htsim = in;
    s->cfg.shown_cc = in->cfg.control == HTSIM_RCCC   ? "rccc"
                      : in->cfg.control == HTSIM_BOTH ? "nscc and rccc"
                                                      : windows[in->cfg.window];
    s->cfg.shown_lb = entropy_names[in->cfg.balancer];
}

void scenario_htsim_fini(struct scenario *s)
{
    struct htsim_input *in = s->htsim;

    if (in)
        flow_matrix_fini(&in->matrix);
    free(in);
}
