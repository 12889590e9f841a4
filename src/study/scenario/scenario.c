/* src/study/scenario/scenario.c - reads a scenario: its general keys, then section by section. */
#include "study/scenario/scenario.h"

#include "base/text.h"
#include "core/units.h"
#include "work/net/measure.h"
#include "study/scenario/keys.h"
#include "study/scenario/topology.h"
#include "work/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (64ul << 20)

/* ---- general keys ---- */

static bool is_ns3(enum sim_model model)
{
    return model == MODEL_HPCC || model == MODEL_CONWEAVE;
}

static void read_model(const struct section *sec, struct sim_cfg *cfg)
{
    static const char *const orders[] = { "node", "ns3", NULL };
    const struct yaml_node  *file = section_get(sec, "hpcc"), *node = section_get(sec, "model");
    int                      model = section_choice(sec, "model", "a model", sim_model_names);

    scenario_begin_model(cfg, model < 0 ? MODEL_NIC : (enum sim_model)model);
    if (file && node && !is_ns3(cfg->model))
        reader_refuse(sec->r, node, "a config of a fork needs its model, hpcc or conweave");
    if (file)
        scenario_begin_model(cfg, MODEL_HPCC);   /* until the config turns out to be ConWeave's */
    int order = section_choice(sec, "order", "an order", orders);
    cfg->order = order == 1 || (order < 0 && is_ns3(cfg->model)) ? ORDER_NS3 : ORDER_NODE;
    if (cfg->order == ORDER_NS3 && !is_ns3(cfg->model))
        section_refuse(sec, "order", "the order ns3 needs the model hpcc or conweave");
}

static void read_general(const struct section *sec, struct scenario *s, const uint64_t *seed)
{
    s->run_ps = NEVER;
    section_read(sec, sec->common, s);
    s->has_interval = section_get(sec, "interval") != NULL;
    if (seed)
        s->cfg.seed = *seed;
}

/* Model nic weights next hops by capacity; the fork treats them as equal. */
static void read_lb(struct reader *r, const struct yaml_node *node, struct sim_cfg *cfg)
{
    struct section sec = scenario_open(r, node, "lb");
    const char    *names[32] = { NULL };

    for (int i = 0; lb_all[i] && i < 31; i++)
        names[i] = lb_all[i]->name;
    cfg->lb_weighted = sim_model_is_real(cfg->model);
    section_read(&sec, sec.common, cfg);
    int chosen = section_choice(&sec, "kind", "a load balancer", names);
    cfg->lb = chosen < 0 || (!section_get(&sec, "kind") && cfg->model == MODEL_UET) ? lb_find("mixed")
              : lb_all[chosen];
    if (cfg->lb_by_host && !sim_model_is_real(cfg->model))
        section_refuse(&sec, "entropy", "only in model nic: the forks have ports of their own");
}

/* ---- all sections ---- */

static void refuse_beside_hpcc(const struct section *sec)
{
    const char *const keys[] = { "topology", "nic", "traffic" };

    for (int i = 0; i < 3; i++)
        if (section_get(sec, keys[i]))
            reader_refuse_key(sec->r, section_get(sec, keys[i]),
                              "the config named by 'hpcc' brings its own %s", keys[i]);
}

static void read_network(struct reader *r, struct scenario *s, const struct section *sec, bool has_seed)
{
    if (s->cfg.model == MODEL_HTSIM) {
        scenario_read_htsim(r, s, sec);
        scenario_use_model(r, s);
        scenario_use_htsim(s);
    } else if (section_get(sec, "hpcc")) {
        refuse_beside_hpcc(sec);
        scenario_read_hpcc(r, s, section_get(sec, "hpcc"),
                           (struct scenario_given){ .seed = has_seed, .lb = section_get(sec, "lb"),
                                                     .cc = section_get(sec, "cc") });
    } else {
        scenario_read_topology(r, s, section_need(sec, "topology"));
        scenario_read_links_down(r, s, section_get(sec, "topology"));
        scenario_use_model(r, s);
    }
    if (r->rc)
        return;
    s->host_bps = graph_host_bps(&s->graph);
    s->uplink_bps = graph_uplink_bps(&s->graph);
}

static void read_all(struct reader *r, struct scenario *s, const struct yaml_node *root, const uint64_t *seed)
{
    struct section  sec = scenario_open(r, root, "");
    struct sim_cfg *cfg = &s->cfg;

    read_model(&sec, cfg);
    if (cfg->model == MODEL_HTSIM)
        scenario_check_htsim(&sec, root);
    else if (section_get(&sec, "htsim"))
        reader_refuse_key(r, section_get(&sec, "htsim"), "'htsim' needs 'model: htsim'");
    read_general(&sec, s, seed);
    scenario_read_cc(&sec, cfg);
    read_lb(r, section_get(&sec, "lb"), cfg);
    read_network(r, s, &sec, seed || section_get(&sec, "seed"));
    scenario_keep_place(&sec, s, "cc", PLACE_CC);
    scenario_keep_place(&sec, s, section_get(&sec, "hpcc") ? "hpcc" : "topology", PLACE_TOPOLOGY);
    scenario_keep_place(&sec, s, "changes", PLACE_CHANGES);
    scenario_read_cc_others(&sec, s);
    scenario_read_slow_hosts(&sec, s);
    scenario_read_rlcc(r, s, section_get(&sec, "rlcc"));
    scenario_read_settings(r, s, root);
    scenario_check_uet(&sec, s);
    scenario_read_monitor(r, s, section_get(&sec, "monitor"));
    goal_of_node(r, section_get(&sec, "goal"), &s->goal);
    s->has_goal = section_get(&sec, "goal") != NULL;
    scenario_read_tuner(r, s, section_get(&sec, "tuner"));
    scenario_read_fidelity(r, s, section_get(&sec, "fidelity"));
    if (!section_get(&sec, "hpcc") && cfg->model != MODEL_HTSIM)
        scenario_read_traffic(r, s, &sec);
    scenario_check_uet_traffic(&sec, s);
}

int scenario_make(struct scenario *s, const struct scenario_source *from, struct err *err)
{
    struct scenario_tree t = { .r = { .name = from->name, .what = "a scenario", .set = from->set,
                                      .is_built = from->base != NULL, .err = err }, .sets = from->sets };

    *s = (struct scenario){ .path = xstrdup(from->name) };
    if (from->base)
        t.doc.root = build_copy(&t.made, from->base->root);
    else
        t.r.rc = yaml_parse(&t.doc, from->name, from->text, from->text_bytes, err);
    if (!t.r.rc && !t.doc.root && !from->sets && !from->over)
        t.r.rc = err_set(err, EINVAL, "%s: this file is empty; 'anole init' writes a scenario to begin with",
                         from->name);
    if (!t.r.rc)
        scenario_apply_sets(&t);
    if (!t.r.rc && from->over)
        scenario_put_over(&t, from->over);
    if (!t.r.rc) {
        scenario_open_names(&t);
        read_all(&t.r, s, t.doc.root, from->seed);
    }
    scenario_tree_fini(&t);
    s->warning = t.r.warnings;
    if (t.r.rc)
        scenario_fini(s);
    return t.r.rc;
}

int scenario_parse(struct scenario *s, const char *name, const char *text, size_t length,
                   const char *const *set, uint32_t sets, const uint64_t *seed, struct err *err)
{
    return scenario_make(s, &(struct scenario_source){ .name = name, .text = text, .text_bytes = length,
                                                       .set = set, .sets = sets, .seed = seed }, err);
}

int scenario_read(struct scenario *s, const char *path, const char *const *set, uint32_t sets,
                  const uint64_t *seed, struct err *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    size_t      length;
    char       *text;

    *s = (struct scenario){ 0 };
    int rc = text_read_file(path, FILE_BYTES_MAX, &text, &length, err);
    if (rc)
        return rc;
    rc = scenario_parse(s, name, text, length, set, sets, seed, err);
    free(text);
    return rc;
}

void scenario_fini(struct scenario *s)
{
    traffic_free(s->traffic);
    graph_fini(&s->graph);
    scenario_tuner_fini(&s->tuner);
    scenario_rlcc_fini(s);
    scenario_htsim_fini(s);
    free(s->cfg.change);
    free(s->cfg.cc_by_node);
    free(s->cfg.drains);
    free(s->entry);
    free(s->change);
    for (int i = 0; i < SCENARIO_PLACES; i++)
        free(s->place[i]);
    free(s->warning);
    free(s->path);
    *s = (struct scenario){ 0 };
}

/* Takes ownership of the text, which may be NULL. */
static void add_warning(struct scenario *s, char *text)
{
    struct reader r = { .warnings = s->warning };

    if (text)
        reader_warn(&r, text);
    s->warning = r.warnings;
    free(text);
}

int scenario_start(struct scenario *s, struct sim **sim, struct err *err)
{
    struct err why;
    char       at[FIT_PLACE_MAX];
    int        rc = sim_new(sim, &s->graph, &s->cfg, s->traffic, &why);

    if (rc)
        return err_set(err, -rc, "%s%s", fit_place(s, why.text, at), why.text);
    s->graph = (struct graph){ 0 };
    s->traffic = NULL;
    rc = fit_check(s, *sim, err);
    if (rc) {
        sim_free(*sim);
        *sim = NULL;
        return rc;
    }
    add_warning(s, fit_warning(s, *sim));
    return 0;
}
