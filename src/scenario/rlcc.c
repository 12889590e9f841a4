#include "scenario/rlcc.h"

#include "cc/rlcc/rlcc_model.h"
#include "scenario/keys.h"

#include <stdlib.h>
#include <string.h>

static bool is_shipped(const char *name)
{
    int i = 0;

    while (rlcc_model_names[i] && strcmp(rlcc_model_names[i], name) != 0)
        i++;
    return rlcc_model_names[i];
}

static void open_model(struct reader *r, struct scenario *s, const struct yaml_node *place, const char *name, double range)
{
    char      *path = is_shipped(name) ? xstrdup(name) : reader_path(r->name, name);
    struct err why;

    if (rlcc_model_open(&s->rlcc, path, range, &why))
        reader_refuse(r, place, "rlcc: %s", why.text);
    s->cfg.rlcc = s->rlcc;
    free(path);
}

void scenario_read_rlcc(struct reader *r, struct scenario *s, const struct yaml_node *node)
{
    bool           is_map = node && node->kind == YAML_MAP;
    struct section sec = scenario_open(r, is_map ? node : NULL, "rlcc");
    const char    *name = section_text(&sec, "model");
    double         range = 0;

    section_real(&sec, "range", 0.001, 1, &range);
    if (r->rc || strcmp(s->cfg.cc->name, "rlcc") != 0)
        return;
    if (node && !is_map && node->kind != YAML_SCALAR)
        reader_refuse(r, node, "a model must be a single name");
    else if (node && !is_map)
        open_model(r, s, node, node->text, 0);
    else
        open_model(r, s, is_map && section_get(&sec, "model") ? section_get(&sec, "model") : node, name, range);
}

void scenario_rlcc_fini(struct scenario *s)
{
    rlcc_model_close(s->rlcc);
    s->rlcc = NULL;
}
