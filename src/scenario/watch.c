/* src/scenario/watch.c - the sections monitor and tuner.
 *
 * What a tuner may be told stands in tune/, which a scenario knows nothing of: its options are kept as they are
 * written, with the place where they stand, and read by whoever makes the tuner.
 */
#include "scenario/watch.h"

#include "base/text.h"
#include "core/units.h"
#include "scenario/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- monitor ---- */

static void add_monitor(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct watch_cfg          *w = &s->watch;
    const struct monitor_algo *algo = node->kind == YAML_SCALAR ? monitor_find(node->text) : NULL;
    const char                *names[32] = { NULL };
    char                       near[300];

    for (int i = 0; monitor_all[i] && i < 31; i++)
        names[i] = monitor_all[i]->name;
    if (!algo) {
        reader_refuse(r, node, "'%.60s' is not a monitor%s", node->kind == YAML_SCALAR ? node->text : "this",
                      node->kind == YAML_SCALAR ? reader_names(near, sizeof near, node->text, names) : "");
        return;
    }
    for (uint32_t i = 0; i < w->monitors; i++)
        if (w->monitor[i] == algo)
            reader_refuse(r, node, "the monitor %s is there twice", algo->name);
    if (!r->rc && w->monitors == WATCH_MONITORS_MAX)
        reader_refuse(r, node, "more than %d monitors", WATCH_MONITORS_MAX);
    if (!r->rc)
        w->monitor[w->monitors++] = algo;
}

static void add_monitors(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    if (!node || r->rc)
        return;
    if (node->kind != YAML_LIST)
        add_monitor(r, s, node);
    else
        for (const struct yaml_node *c = node->child; c && !r->rc; c = c->next)
            add_monitor(r, s, c);
}

static void read_monitor_cfg(struct reader *r, struct scenario *s, const struct yaml_node *map)
{
    static const char *const shares[] = { "size", "sigmoid", "artifact", NULL };
    struct section      sec = scenario_open(r, map, "monitor");
    struct monitor_cfg *cfg = &s->watch.cfg;
    uint64_t            tau = 0, heavy = 0, light = 0;
    bool                heavy_only = false, with_bins = false;
    int                 share;

    section_bytes(&sec, "tau", 1, UINT32_MAX, &tau);
    section_count(&sec, "delta", 1, FLOWSTATE_RUN_MAX - 1, &cfg->states.delta);
    share = section_choice(&sec, "share", "a way to divide potential elephants", shares);
    cfg->states.share = share > 0 ? (enum flow_share)share : FLOW_SHARE_SIZE;
    section_bytes(&sec, "heavy", 64, 1u << 30, &heavy);
    section_bytes(&sec, "light", 2, 1u << 30, &light);
    section_bool(&sec, "heavy_only", &heavy_only);
    section_bool(&sec, "bins", &with_bins);
    section_count(&sec, "sample", 1, 1u << 30, &cfg->netflow_one_in);
    section_time(&sec, "export", &cfg->netflow_export_ps);
    section_count(&sec, "requests", 1, 1u << 24, &cfg->host_requests);
    if (!r->rc && cfg->netflow_export_ps == 0)
        reader_refuse(r, section_get(&sec, "export"), "an export period of no time");
    cfg->states.tau_bytes = (uint32_t)tau;
    cfg->states.with_bins = with_bins;
    cfg->sketch.heavy_bytes = (uint32_t)heavy;
    cfg->sketch.light_bytes = (uint32_t)light;
    cfg->heavy_only = heavy_only;
    cfg->seed = s->cfg.seed;
    add_monitors(r, s, section_get(&sec, "kind"));
}

/* monitor: NAME, monitor: [NAME, ...], or a map. */
void scenario_read_monitor(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    bool is_map = node && node->kind == YAML_MAP;

    if (r->rc)
        return;
    read_monitor_cfg(r, s, is_map ? node : NULL);
    if (!is_map)
        add_monitors(r, s, node);
}

/* ---- tuner ---- */

static void add_option(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct scenario_tuner *t = &s->tuner;

    if (node->kind != YAML_SCALAR) {
        reader_refuse(r, node, "'%s' must be a single value", node->key);
        return;
    }
    t->option = xrealloc(t->option, (t->options + 1ul) * sizeof *t->option);
    t->option[t->options++] = (struct option_text){ xstrdup(node->key), xstrdup(node->text),
                                                    reader_place(r, node->key_line, node->key_column) };
}

static void set_kind(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    if (!node || node->kind != YAML_SCALAR || *node->text == '\0') {
        reader_refuse(r, node, "which tuner? see anole list tuner");
        return;
    }
    s->tuner.kind = xstrdup(node->text);
    s->tuner.place = reader_place(r, node->line, node->column);
}

static void set_time(struct reader *r, const struct yaml_node *node, uint64_t *ps)
{
    struct err why;

    if (node->kind != YAML_SCALAR || text_to_time(node->text, ps, &why))
        reader_refuse(r, node, "%s: %s", node->key, node->kind == YAML_SCALAR ? why.text : "must be a time");
}

/* Whether there is something to record only the tuner knows. */
static void set_record(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct err why;
    int        is_on = 0;

    if (node->kind != YAML_SCALAR || text_to_bool(node->text, &is_on, &why)) {
        reader_refuse(r, node, "record: %s", node->kind == YAML_SCALAR ? why.text : "must be yes or no");
        return;
    }
    s->tuner.is_recorded = is_on;
    s->tuner.record_place = reader_place(r, node->line, node->column);
}

/* tuner: NAME, or a map with 'kind' and options of that tuner. */
void scenario_read_tuner(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    if (r->rc || !node)
        return;
    if (node->kind != YAML_MAP) {
        set_kind(r, s, node);
        return;
    }
    if (!yaml_get(node, "kind"))
        reader_refuse(r, node, "'kind' is missing in tuner");
    for (const struct yaml_node *c = node->child; c && !r->rc; c = c->next) {
        if (strcmp(c->key, "kind") == 0)
            set_kind(r, s, c);
        else if (strcmp(c->key, "start") == 0)
            set_time(r, c, &s->tuner.start_ps);
        else if (strcmp(c->key, "monitor_delay") == 0)
            set_time(r, c, &s->tuner.monitor_delay_ps);
        else if (strcmp(c->key, "dispatch_delay") == 0)
            set_time(r, c, &s->tuner.dispatch_delay_ps);
        else if (strcmp(c->key, "record") == 0)
            set_record(r, s, c);
        else
            add_option(r, s, c);
    }
}

void scenario_tuner_fini(struct scenario_tuner *t)
{
    option_texts_free(t->option, t->options);
    free(t->kind);
    free(t->place);
    free(t->record_place);
    *t = (struct scenario_tuner){ 0 };
}
