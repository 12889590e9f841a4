#include "study/scenario/scenario.h"

#include "base/text.h"
#include "sim/cc/rlcc/rlcc.h"
#include "study/scenario/keys.h"
#include "work/traffic/read.h"

#include <stdlib.h>
#include <string.h>

/* In the models of the forks, "dcqcn" means their own DCQCN. */
static const struct cc_algo *read_kind(const struct section *sec, const struct sim_cfg *cfg)
{
    const char *names[32] = { NULL };

    for (int i = 0; cc_all[i] && i < 31; i++)
        names[i] = cc_all[i]->name;
    int chosen = section_choice(sec, "kind", "a congestion control", names);
    if (chosen < 0)
        return NULL;
    return !sim_model_is_real(cfg->model) && strcmp(names[chosen], "dcqcn") == 0 ? cc_find("dcqcn_hpcc")
        : cc_all[chosen];
}

void scenario_read_cc(const struct section *root, struct sim_cfg *cfg)
{
    struct section        sec = scenario_open(root->r, section_get(root, "cc"), "cc");
    const struct cc_algo *cc = read_kind(&sec, cfg);

    cfg->cc = cc ? cc : cfg->cc;
    if (cfg->model == MODEL_UET && !section_get(&sec, "kind"))
        cfg->cc = cc_find("nscc");
}

/* ---- controls that a model supports ---- */

/* Called again after a config of a fork, which may select another model and another control. */
static void check_model(struct reader *r, const struct yaml_node *place, const struct sim_cfg *cfg)
{
    /* the forks' models have their own windows and no probes */
    if ((cfg->cc->telemetry == CC_PATH || cfg->cc->on_rtt) && !sim_model_is_real(cfg->model))
        reader_refuse(r, place, "%s needs the model nic: no other provides its input", cfg->cc->name);
    if ((cfg->cc->on_ack || cfg->cc->takes_turns) && cfg->model == MODEL_CONWEAVE)
        reader_refuse(r, place, "%s needs the model nic or hpcc: conweave has DCQCN alone", cfg->cc->name);
}

/* ---- several controls in one network ---- */

static bool is_in_header(enum cc_telemetry telemetry)
{
    return telemetry == CC_HOPS || telemetry == CC_DIGEST;
}

/* Packets, ACKs and receivers are the same for all flows, so controls must use the same kind of signal. */
static void check_pair(struct reader *r, const struct yaml_node *place, const struct cc_algo *a,
                       const struct cc_algo *b)
{
    if (a->telemetry != b->telemetry && is_in_header(a->telemetry))
        reader_refuse(r, place, "%s and %s do not go together: the first needs telemetry in the headers of "
                      "all packets, which the second does not have there", a->name, b->name);
    if (a->reads_marks && b->on_cnp)
        reader_refuse(r, place, "%s and %s do not go together: receivers put marks into ACKs, as the first "
                      "needs it, or answer them with CNPs, as the second does", a->name, b->name);
    if (a->takes_turns && !b->takes_turns)
        reader_refuse(r, place, "%s and %s do not go together: receivers tell all congested flows in turn, "
                      "as the first needs it, or each by itself", a->name, b->name);
}

static void check_together(struct reader *r, const struct yaml_node *place, const struct sim_cfg *cfg)
{
    const struct cc_algo *last = cfg->cc_other[cfg->cc_others - 1].cc;

    for (uint32_t i = 0; i < cfg->cc_others && !r->rc; i++) {
        check_pair(r, place, sim_cc(cfg, i), last);
        check_pair(r, place, last, sim_cc(cfg, i));
    }
}

/* Assigns a control to hosts. A host has one control. */
static void mark_hosts(struct entry *e, struct sim_cfg *cfg, uint8_t mark)
{
    struct hosts hosts = entry_hosts(e, "hosts", 1, UINT32_MAX);

    for (uint32_t i = 0; i < hosts.count && !e->r->rc; i++) {
        if (cfg->cc_by_node[hosts.node[i]])
            section_refuse(&e->sec, "hosts", "the host %s has a control of its own already",
                           e->graph->node[hosts.node[i]].name);
        cfg->cc_by_node[hosts.node[i]] = mark;
    }
    cfg->cc_other[mark - 1].hosts = hosts.count;
}

/* Model uet: queue pairs of RoCE in classes of their own. */
static void read_classes(const struct section *sec, struct sim_cfg *cfg, const struct cc_algo *cc)
{
    const struct yaml_node *kind = section_get(sec, "kind"), *c;
    uint8_t                 prios = 0;
    uint32_t                class = 0;

    for (c = section_list(sec, "classes", PRIOS);
         c && reader_count(sec->r, c, "a class", 0, PRIOS - 1, &class); c = c->next)
        prios |= (uint8_t)(1u << class);
    if (sec->r->rc)
        return;
    if (!prios)
        section_refuse(sec, "classes", "'classes' names no class");
    else if (cfg->cc_others)
        reader_refuse(sec->r, kind,
                      "queue pairs have one control in model uet; list all their classes with it");
    else if (cc->needs_uet)
        reader_refuse(sec->r, kind, "%s is for connections of UET: queue pairs cannot use it", cc->name);
    else if (is_in_header(cc->telemetry))
        reader_refuse(sec->r, kind,
                      "%s needs telemetry in the headers of all packets, which those of UET do not have",
                      cc->name);
    cfg->cc_other[0] = (struct cc_other){ .cc = cc, .prios = prios };
    cfg->cc_others = 1;
}

static void read_other(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct sim_cfg      *cfg = &s->cfg;
    struct traffic_about about = { .kind = "a control" };
    struct entry         e = { .r = r, .sec = scenario_open(r, node, "cc others"), .graph = &s->graph,
                               .about = &about };
    const struct cc_algo *cc = section_need(&e.sec, "kind") ? read_kind(&e.sec, cfg) : NULL;
    bool                  is_uet = cfg->model == MODEL_UET;
    const char           *other = is_uet ? "hosts" : "classes";

    if (section_get(&e.sec, other))
        reader_refuse_key(r, section_get(&e.sec, other),
                          is_uet ? "model uet has one control for all hosts; 'classes' "
                                   "names classes whose flows are queue pairs of RoCE"
                                 : "'classes' needs 'model: uet'");
    section_need(&e.sec, is_uet ? "classes" : "hosts");
    if (r->rc || !cc)
        return;
    if (is_uet) {
        read_classes(&e.sec, cfg, cc);
        return;
    }
    cfg->cc_other[cfg->cc_others++].cc = cc;
    check_together(r, section_get(&e.sec, "kind"), cfg);
    if (!r->rc)
        mark_hosts(&e, cfg, (uint8_t)cfg->cc_others);
}

void scenario_read_cc_others(const struct section *root, struct scenario *s)
{
    struct reader *r = root->r;
    struct section sec = scenario_open(r, section_get(root, "cc"), "cc");

    if (r->rc)
        return;
    check_model(r, section_place(&sec, "kind"), &s->cfg);
    const struct yaml_node *other = section_list(&sec, "others", CC_OTHERS_MAX);
    if (other && !sim_model_is_real(s->cfg.model))
        reader_refuse_key(r, section_get(&sec, "others"), "several controls in one network need the model "
            "nic: the forks have one");
    if (other && !r->rc && s->cfg.model != MODEL_UET)
        s->cfg.cc_by_node = xcalloc(s->graph.nodes, sizeof *s->cfg.cc_by_node);
    for (; other && !r->rc; other = other->next)
        read_other(r, s, other);
}

/* ---- slow hosts ---- */

void scenario_read_slow_hosts(const struct section *root, struct scenario *s)
{
    struct traffic_about about = { .kind = "a host" };
    struct entry         e = { .r = root->r, .sec = scenario_open(root->r, section_get(root, "host"), "host"),
                               .graph = &s->graph, .about = &about };

    if (root->r->rc || !section_get(&e.sec, "drain_hosts"))
        return;
    struct hosts hosts = entry_hosts(&e, "drain_hosts", 1, UINT32_MAX);
    s->cfg.drains = xcalloc(s->graph.nodes, sizeof *s->cfg.drains);
    for (uint32_t i = 0; i < hosts.count && !root->r->rc; i++)
        s->cfg.drains[hosts.node[i]] = 1;
}

/* ---- rlcc ---- */

static void open_model(struct reader *r, struct scenario *s, const struct yaml_node *place, const char *name,
                       double range)
{
    char      *path = text_index(name, rlcc_model_names) >= 0 ? xstrdup(name) : reader_path(r->name, name);
    struct err why;

    if (rlcc_model_open(&s->rlcc, path, range, &why))
        reader_refuse(r, place, "rlcc: %s", why.text);
    s->cfg.rlcc = s->rlcc;
    free(path);
}

static bool is_used(const struct sim_cfg *cfg)
{
    for (uint32_t i = 0; sim_cc(cfg, i); i++)
        if (strcmp(sim_cc(cfg, i)->name, "rlcc") == 0)
            return true;
    return false;
}

void scenario_read_rlcc(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = scenario_open(r, node, "rlcc");
    const char    *name = section_text(&sec, "model");
    double         range = 0;

    section_real(&sec, "range", 0.001, 1, &range);
    if (!r->rc && is_used(&s->cfg))
        open_model(r, s, section_place(&sec, "model"), name, range);
}

void scenario_rlcc_fini(struct scenario *s)
{
    rlcc_model_close(s->rlcc);
    s->rlcc = NULL;
}
