#include "live/config/live_config.h"

#include <stdlib.h>
#include <string.h>

static void add_option(struct reader *r, struct config_tuner *t, const struct yaml_node *n)
{
    if (n->kind != YAML_SCALAR) {
        reader_refuse(r, n, "%s: a value is wanted", n->key);
        return;
    }
    t->option = xrealloc(t->option, (t->options + 1ul) * sizeof *t->option);
    t->option[t->options++] = (struct option_text){ xstrdup(n->key), xstrdup(n->text),
                                                    reader_place(r, n->line, n->column) };
}

void config_tuner_read(struct reader *r, const struct yaml_node *node, struct config_tuner *t)
{
    const struct yaml_node *name = node && node->kind == YAML_MAP ? yaml_get(node, "name") : node;

    if (!node || r->rc)
        return;
    if (!name || name->kind != YAML_SCALAR) {
        reader_refuse(r, node, "tuner: a name is wanted, or a map with 'name'");
        return;
    }
    t->kind = xstrdup(name->text);
    t->place = reader_place(r, name->line, name->column);
    for (const struct yaml_node *c = node->kind == YAML_MAP ? node->child : NULL; c && !r->rc; c = c->next)
        if (c != name)
            add_option(r, t, c);
}

void config_tuner_fini(struct config_tuner *t)
{
    option_texts_free(t->option, t->options);
    free(t->kind);
    free(t->place);
    *t = (struct config_tuner){ 0 };
}

struct loop_request config_tuner_request(const struct config_tuner *t, const char *file)
{
    return (struct loop_request){ .kind = t->kind, .place = t->place, .option = t->option,
                                  .options = t->options, .beside = file };
}

bool config_tuner_is_same(const struct config_tuner *a, const struct config_tuner *b)
{
    bool is_same = a->options == b->options && !a->kind == !b->kind &&
                   (!a->kind || strcmp(a->kind, b->kind) == 0);

    for (uint32_t i = 0; i < a->options && is_same; i++)
        is_same = strcmp(a->option[i].key, b->option[i].key) == 0 &&
                  strcmp(a->option[i].text, b->option[i].text) == 0;
    return is_same;
}
