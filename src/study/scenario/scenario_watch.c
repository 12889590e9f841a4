/* src/study/scenario/scenario_watch.c - the sections monitor, tuner and fidelity.
 *
 * The options of tuners are defined in tune/, which study/scenario/ does not depend on. They are kept as text
 * with their places, and parsed when the tuner is created.
 */
#include "study/scenario/scenario.h"

#include "base/text.h"
#include "study/scenario/keys.h"

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
            reader_refuse(r, node, "the monitor %s is listed twice", algo->name);
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

void scenario_read_monitor(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = scenario_open(r, node, "monitor");

    section_read(&sec, sec.common, &s->watch.cfg);
    s->watch.cfg.seed = s->cfg.seed;
    add_monitors(r, s, section_get(&sec, "kind"));
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

void scenario_read_tuner(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    struct section sec = { .r = r, .name = "tuner", .common = scenario_keys("tuner"), .map = node };

    if (r->rc || !node)
        return;
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

void scenario_read_fidelity(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    static const char *const kinds[] = { "packet", "fast", NULL };
    struct section           sec = scenario_open(r, node, "fidelity");

    s->has_fidelity = node != NULL;
    section_read(&sec, sec.common, s);
    s->cfg.is_fast = section_choice(&sec, "kind", "a fidelity", kinds) == 1;
}
