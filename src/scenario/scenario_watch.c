/* src/scenario/scenario_watch.c - the sections monitor, tuner and fidelity.
 *
 * The options of tuners are defined in tune/, which scenario/ does not depend on. They are kept as text with
 * their places, and parsed when the tuner is created.
 */
#include "scenario/scenario.h"

#include "base/text.h"
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
                      node->kind == YAML_SCALAR ? text_names(near, sizeof near, node->text, names) : "");
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
    struct section sec = scenario_open(r, map, "monitor");

    section_read(&sec, sec.common, &s->watch.cfg);
    s->watch.cfg.seed = s->cfg.seed;
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

/* tuner: NAME, or a map with 'kind' and options of that tuner. */
void scenario_read_tuner(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = { .r = r, .name = "tuner", .common = scenario_keys("tuner"), .map = node };

    if (r->rc || !node)
        return;
    if (node->kind != YAML_MAP) {
        set_kind(r, s, node);
        return;
    }
    section_read(&sec, sec.common, &s->tuner);
    if (section_get(&sec, "record"))
        s->tuner.record_place = reader_place(r, yaml_get(node, "record")->line,
                                             yaml_get(node, "record")->column);
    if (!r->rc)
        set_kind(r, s, section_get(&sec, "kind"));
    for (const struct yaml_node *c = node->child; c && !r->rc; c = c->next)
        if (!key_find(sec.common, c->key))
            add_option(r, s, c);
}

void scenario_tuner_fini(struct scenario_tuner *t)
{
    option_texts_free(t->option, t->options);
    free(t->kind);
    free(t->place);
    free(t->record_place);
    *t = (struct scenario_tuner){ 0 };
}

/* ---- fidelity ---- */

static void read_fidelity_kind(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    static const char *const kinds[] = { "packet", "fast", NULL };
    char                     near[80];
    int                      kind = 0;

    if (node->kind != YAML_SCALAR) {
        reader_refuse(r, node, "a fidelity must be a single name");
        return;
    }
    while (kinds[kind] && strcmp(node->text, kinds[kind]) != 0)
        kind++;
    if (!kinds[kind]) {
        reader_refuse(r, node, "'%.60s' is not a fidelity%s", node->text,
                      text_did_you_mean(near, sizeof near, node->text, kinds));
        return;
    }
    s->cfg.is_fast = kind == 1;
    if (s->cfg.is_fast && s->watch.monitors == 1 && s->watch.monitor[0] == monitor_find("none"))
        s->watch.monitors = 0;   /* the monitor "none" can be omitted */
}

void scenario_read_fidelity(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = scenario_open(r, node && node->kind == YAML_MAP ? node : NULL, "fidelity");

    if (r->rc || !node)
        return;
    s->has_fidelity = true;
    if (node->kind != YAML_MAP) {
        read_fidelity_kind(r, s, node);
        return;
    }
    section_read(&sec, sec.common, s);
    if (!r->rc)
        read_fidelity_kind(r, s, section_get(&sec, "kind"));
}
