/* src/learn/model_json.c - a model as JSON. */
#include "learn/model.h"
#include "base/file/outfile.h"
#include "base/json.h"
#include "learn/model_format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_of_numbers(const float *value, uint32_t n)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_real((double)value[i]));
    return list;
}

/* Adds layer i, whose parameters start at p. Returns their end. */
static const float *add_layer(json_t *layers, const struct net_shape *s, uint32_t i, const float *p)
{
    const struct net_layer *l = &s->layer[i];
    uint32_t inputs = i ? s->layer[i - 1].width : s->inputs;
    json_t *layer = json_object(), *weights = json_array();

    for (uint32_t j = 0; j < inputs; j++, p += l->width)
        json_array_append_new(weights, json_of_numbers(p, l->width));
    json_object_set_new(layer, "outputs", json_integer(l->width));
    json_object_set_new(layer, "activation", json_string(net_activation_name[l->activation]));
    json_object_set_new(layer, "weights", weights);
    if (!l->is_unbiased) {
        json_object_set_new(layer, "biases", json_of_numbers(p, l->width));
        p += l->width;
    }
    json_array_append_new(layers, layer);
    return p;
}

char *model_to_json(const struct model *m)
{
    json_t *root = json_object(), *notes = json_object(), *layers = json_array();
    const float *p = m->net.parameter;
    char *text;

    for (uint32_t i = 0; i < m->notes; i++)
        json_object_set_new(notes, m->note[i].key, json_of_text(m->note[i].value));
    for (uint32_t i = 0; i < m->net.shape.layers; i++)
        p = add_layer(layers, &m->net.shape, i, p);
    json_object_set_new(root, "version", json_integer(m->body ? MODEL_VERSION_BODY : MODEL_VERSION));
    json_object_set_new(root, "kind", json_of_text(m->kind));
    json_object_set_new(root, "notes", notes);
    if (m->body)
        json_object_set_new(root, "bytes", json_integer(m->body_bytes));
    else
        json_object_set_new(root, "inputs", json_integer(m->net.shape.inputs));
    json_object_set_new(root, "layers", layers);
    /* Nine digits reproduce every float. */
    text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (!text)
        die("no memory for a model as JSON");
    return text;
}

int model_save_json(const struct model *m, const char *path, struct err *err)
{
    int rc = model_check_finite(&m->net, path, err);
    char *text;

    if (rc)
        return rc;
    text = model_to_json(m);
    rc = outfile_write(path, text, strlen(text), err);
    free(text);
    return rc;
}
