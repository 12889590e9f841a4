/* peers/convert/convert_scenario.c - writes a scenario with every link and every setting that was read. */
#include "peers/convert/convert.h"

#include "core/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- network ---- */

static void print_link(FILE *out, const struct graph *g, const struct graph_link *l)
{
    char rate[32], delay[32], real[40];

    fprintf(out, "    - {a: %s, b: %s, rate: %s, delay: %s", g->node[l->a].name, g->node[l->b].name,
            convert_rate(rate, sizeof(rate), l->rate_bps), convert_time(delay, sizeof(delay), l->delay_ps));
    if (l->loss > 0)
        fprintf(out, ", loss: %s", convert_real(real, sizeof(real), l->loss));
    if (l->ber > 0)
        fprintf(out, ", ber: %s", convert_real(real, sizeof(real), l->ber));
    fputs("}\n", out);
}

/* Index among the links between the same two nodes. */
static uint32_t which_link(const struct graph *g, uint32_t link)
{
    const struct graph_link *l = &g->link[link];
    uint32_t                 which = 0;

    for (uint32_t i = 0; i < link; i++)
        which +=
            (g->link[i].a == l->a && g->link[i].b == l->b) || (g->link[i].a == l->b && g->link[i].b == l->a);
    return which;
}

static void print_downs(FILE *out, const struct graph *g, const struct link_change *change, uint32_t changes)
{
    if (changes)
        fputs("  links_down:\n", out);
    for (uint32_t i = 0; i < changes; i++)
        if (!change[i].is_up) {
            const struct graph_link *l = &g->link[change[i].link];
            char                     text[32];

            fprintf(out, "    - {a: %s, b: %s, which: %u, down: %s", g->node[l->a].name, g->node[l->b].name,
                    which_link(g, change[i].link), convert_time(text, sizeof(text), change[i].at_ps));
            for (uint32_t j = i + 1; j < changes; j++)
                if (change[j].link == change[i].link) {
                    fprintf(out, ", up: %s", convert_time(text, sizeof(text), change[j].at_ps));
                    break;
                }
            fputs("}\n", out);
        }
}

/* Prints the section 'topology' with all links. Hosts come first. */
static void print_graph(FILE *out, const struct graph *g, const struct link_change *change, uint32_t changes)
{
    fprintf(out, "topology:\n  kind: graph\n  hosts: %u\n  switches: [", g->hosts);
    for (uint32_t i = g->hosts; i < g->nodes; i++)
        fprintf(out, "%s%s", i > g->hosts ? ", " : "", g->node[i].name);
    fputs("]\n  links:\n", out);
    for (uint32_t i = 0; i < g->links; i++)
        print_link(out, g, &g->link[i]);
    print_downs(out, g, change, changes);
}

/* Scenarios of kind graph number hosts first. A topology that mixes hosts and switches stays a file, so that
 * every node keeps its number, which affects paths. */
static int write_network(const struct convert_source *s, FILE *out, struct outdir *dir, struct err *err)
{
    const struct graph   *g = &s->scenario.graph;
    const struct sim_cfg *cfg = &s->scenario.cfg;
    FILE                 *file;

    if (convert_hosts_first(g)) {
        print_graph(out, g, cfg->change, cfg->changes);
        return 0;
    }
    fputs("topology:\n  kind: hpcc\n  file: topology.txt\n", out);
    print_downs(out, g, cfg->change, cfg->changes);
    file = outdir_file(dir, "topology.txt", err);
    return file ? convert_print_hpcc_topology(file, s, err) : -EIO;
}

/* ---- settings ---- */

static const char *yes_no(bool is_yes)
{
    return is_yes ? "yes" : "no";
}

static void print_host(FILE *out, const struct sim_cfg *cfg)
{
    fprintf(out, "host: {mtu: %u, ack_unpaused: %s, window: ", cfg->mtu_bytes, yes_no(cfg->ack_unpaused));
    if (cfg->window_bytes == 0)
        fputs("none", out);
    else if (cfg->window_bytes == WINDOW_AUTO)
        fputs("bdp", out);
    else
        fprintf(out, "%llu", (unsigned long long)cfg->window_bytes);
    fprintf(out, ", window_by_rate: %s}\n", yes_no(cfg->window_by_rate));
}

static void print_switch(FILE *out, const struct sim_cfg *cfg)
{
    char rate[32], kmin[40], kmax[40], pmax[40];

    fprintf(out, "switch:\n  buffer: %llu\n  reserve: %u\n  resume_offset: %u\n  alpha: %.10g\n  ecn: %s\n",
            (unsigned long long)cfg->buffer_bytes, cfg->reserve_bytes, cfg->resume_bytes,
            1.0 / (1 << cfg->pfc_shift), yes_no(cfg->ecn_on));
    if (cfg->headroom_bytes)
        fprintf(out, "  headroom: %llu\n", (unsigned long long)cfg->headroom_bytes);
    if (cfg->ecn_rates)
        fputs("  ecn_by_rate:\n", out);
    for (uint32_t i = 0; i < cfg->ecn_rates; i++) {
        const struct ecn_rate *e = &cfg->ecn_rate[i];

        fprintf(out, "    - {rate: %s, kmin: %s, kmax: %s, pmax: %s}\n",
                convert_rate(rate, sizeof(rate), e->rate_bps), convert_real(kmin, sizeof(kmin), e->kmin_kb),
                convert_real(kmax, sizeof(kmax), e->kmax_kb), convert_real(pmax, sizeof(pmax), e->pmax));
    }
}

/* True if a scenario without the knob has the same value. Model hpcc has its own defaults for some knobs;
 * kmin, kmax and pmax are listed by rate. */
static bool is_initial(const struct sim_cfg *cfg, int knob)
{
    switch (knob) {
    case KNOB_rpg_ai_rate:
    case KNOB_rpg_hai_rate:
    case KNOB_rpg_min_rate:
    case KNOB_dce_tcp_g:
        return false;
    case KNOB_kmin:
    case KNOB_kmax:
    case KNOB_pmax:
        return cfg->ecn_rates > 0;
    }
    return cfg->knobs.value[knob] == knob_info[knob].initial;
}

static int print_knobs(const struct convert_source *s, FILE *out, struct err *err)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;

    fputs("knobs:\n", out);
    for (int i = 0; i < KNOB_COUNT; i++) {
        double     back;
        char       text[40];
        struct err why;

        if (is_initial(cfg, i))
            continue;
        if (knob_parse((enum knob)i, convert_real(text, sizeof(text), cfg->knobs.value[i]), &back, &why))
            return err_set(err, ENOTSUP, "%s: a scenario cannot express this: %s", s->name, why.text);
        fprintf(out, "  %s: %s\n", knob_info[i].name, text);
    }
    return 0;
}

/* The fork drops ACKs that exceed the headroom, together with its event order. If ACKs are not dropped, the
 * order must not be the fork's either. */
static void print_general(const struct convert_source *s, FILE *out)
{
    const struct sim_cfg *cfg = &s->scenario.cfg;
    char                  text[32];

    fprintf(out, "# Written by anole convert.\nmodel: %s\n", sim_model_names[cfg->model]);
    if (cfg->model != MODEL_NIC &&
        (cfg->order != ORDER_NS3 || (cfg->model == MODEL_HPCC && !cfg->ack_droppable)))
        fputs("order: node\n", out);
    fprintf(out, "seed: %llu\n", (unsigned long long)cfg->seed);
    if (cfg->model == MODEL_HPCC && strcmp(cfg->cc->name, "dcqcn_hpcc") != 0)
        fprintf(out, "cc: %s\n", cfg->cc->name);
    if (strcmp(cfg->lb->name, "ecmp") != 0)
        fprintf(out, "lb: %s\n", cfg->lb->name);
    if (s->scenario.run_ps != NEVER)
        fprintf(out, "run: %s\n", convert_time(text, sizeof(text), s->scenario.run_ps));
}

/* ---- flows ---- */

/* Returns the index of each host among the hosts. */
static uint32_t *host_numbers(const struct graph *g)
{
    uint32_t *number = xcalloc(g->nodes, sizeof(*number)), count = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch)
            number[i] = count++;
    return number;
}

static void print_conn(FILE *out, const struct convert_source *s, const uint32_t *number,
                       const struct matrix_conn *c, uint32_t id)
{
    const struct matrix_trigger *t = s->cm.trigger;

    fprintf(out, "%u->%u id %u ", number[c->src], number[c->dst], id);
    if (c->trigger == MATRIX_NO_TRIGGER)
        fprintf(out, "start %llu", (unsigned long long)c->start_ps);
    else
        fprintf(out, "trigger %u", t[c->trigger].id);
    fprintf(out, " size %llu", (unsigned long long)c->bytes);
    if (c->send_done != MATRIX_NO_TRIGGER)
        fprintf(out, " send_done_trigger %u", t[c->send_done].id);
    if (c->recv_done != MATRIX_NO_TRIGGER)
        fprintf(out, " recv_done_trigger %u", t[c->recv_done].id);
    fputc('\n', out);
}

static void print_triggers(FILE *out, const struct flow_matrix *cm)
{
    static const char *const kinds[] = { "oneshot", "multishot", "barrier" };

    for (uint32_t i = 0; i < cm->triggers; i++) {
        fprintf(out, "trigger id %u %s", cm->trigger[i].id, kinds[cm->trigger[i].kind]);
        if (cm->trigger[i].kind == MATRIX_BARRIER)
            fprintf(out, " count %u", cm->trigger[i].count);
        fputc('\n', out);
    }
}

static void print_cm(FILE *out, const struct convert_source *s)
{
    const struct graph *g = &s->scenario.graph;
    uint32_t           *number = host_numbers(g);

    fprintf(out, "Nodes %u\nConnections %u\n", g->hosts, s->cm.conns);
    if (s->cm.triggers)
        fprintf(out, "Triggers %u\n", s->cm.triggers);
    for (uint32_t i = 0; i < s->cm.conns; i++)
        print_conn(out, s, number, &s->cm.conn[i], i + 1);
    print_triggers(out, &s->cm);
    free(number);
}

/* A list of flows has no dependencies and, in the models of forks, whole nanoseconds. Otherwise a connection
 * matrix is needed. */
static bool needs_cm(const struct convert_source *s)
{
    bool needs = s->cm.triggers > 0;

    for (uint32_t i = 0; i < s->flows && s->cm.conns; i++)
        needs |= s->flow[i].at_ps % PS_PER_NS != 0;
    return needs;
}

static int write_flows(const struct convert_source *s, FILE *out, struct outdir *dir, struct err *err)
{
    bool        is_cm = needs_cm(s);
    const char *name = is_cm ? "traffic.cm" : "flows.txt";
    FILE       *file;

    fprintf(out, "traffic:\n  - {kind: %s, file: %s}\n", is_cm ? "htsim" : "flows", name);
    file = outdir_file(dir, name, err);
    if (!file)
        return -EIO;
    if (!is_cm)
        return convert_print_hpcc_flows(file, s, err);
    print_cm(file, s);
    return 0;
}

int convert_write_scenario(const struct convert_source *s, struct outdir *dir, struct err *err)
{
    FILE *out;

    if (s->command.matrix)
        return convert_write_command(s, dir, err);
    if (s->is_scenario)
        return err_set(err, EINVAL, "%s: this is a scenario already; say --to hpcc", s->name);
    out = outdir_file(dir, "scenario.yaml", err);
    if (!out)
        return -EIO;
    print_general(s, out);
    int rc = write_network(s, out, dir, err);
    if (!rc && s->has_settings) {
        print_host(out, &s->scenario.cfg);
        print_switch(out, &s->scenario.cfg);
        convert_note_fork(&s->scenario.cfg);
        rc = print_knobs(s, out, err);
    }
    return rc ? rc : write_flows(s, out, dir, err);
}
