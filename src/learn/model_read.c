/* src/learn/model_read.c - parses a model file. */
#include "learn/model.h"
#include "learn/model_format.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define SHAPE_TEXT 256           /* fits NET_LAYERS_MAX times "-2048linear*" */

struct model_reader {
    const char          *name;   /* file name, for error messages */
    const unsigned char *at;
    size_t               left;   /* bytes before the checksum */
    struct err          *err;
};

#define refuse(reader, ...) refuse_as((reader)->name, (reader)->err, __VA_ARGS__)
#define refuse_as(name, err, format, ...) err_set((err), EINVAL, "%s: " format, (name), ##__VA_ARGS__)

static uint32_t decode_u32(const unsigned char *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static int get_u32(struct model_reader *r, uint32_t *value, const char *what)
{
    if (r->left < 4)
        return refuse(r, "ends where its %s should be", what);
    *value = decode_u32(r->at);
    r->at += 4;
    r->left -= 4;
    return 0;
}

static int get_text(struct model_reader *r, const char **text, uint32_t *length, const char *what)
{
    int rc = get_u32(r, length, what);

    if (rc)
        return rc;
    if (*length > r->left)
        return refuse(r, "ends before its %s", what);
    *text = (const char *)r->at;
    r->at += *length;
    r->left -= *length;
    return 0;
}

static int get_kind(struct model_reader *r, struct model *m)
{
    const char *text = NULL;
    uint32_t length = 0;
    int rc = get_text(r, &text, &length, "kind");

    if (rc)
        return rc;
    if (!model_is_word(text, length))
        return refuse(r, "its kind is not a word of a-z, 0-9, '_' and '-'");
    m->kind = strndup(text, length);
    if (!m->kind)
        die("no memory for a model");
    return 0;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = xmalloc(length + 1);

    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static int add_line(struct model_reader *r, struct model *m, const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    char *key, *value;
    int rc = 0;

    for (size_t i = 0; i < length; i++)
        if (model_is_control(line[i]))
            return refuse(r, "note %u holds a control character", m->notes + 1);
    if (m->notes == MODEL_NOTES_MAX)
        return refuse(r, "has more than %d notes", MODEL_NOTES_MAX);
    if (!equals || !model_is_word(line, (size_t)(equals - line)))
        return refuse(r, "note %u is not 'key=value'", m->notes + 1);
    key = copy_text(line, (size_t)(equals - line));
    value = copy_text(equals + 1, length - (size_t)(equals + 1 - line));
    if (model_get(m, key))
        rc = refuse(r, "has two notes '%s'", key);
    else
        model_put(m, key, value);
    free(key);
    free(value);
    return rc;
}

static int get_notes(struct model_reader *r, struct model *m)
{
    const char *text = NULL, *end;
    uint32_t left = 0;
    int rc = get_text(r, &text, &left, "notes");

    while (!rc && left) {
        end = memchr(text, '\n', left);
        if (!end)
            return refuse(r, "its last note does not end");
        rc = add_line(r, m, text, (size_t)(end - text));
        left -= (uint32_t)(end + 1 - text);
        text = end + 1;
    }
    return rc;
}

static int get_layer(struct model_reader *r, struct net_layer *l)
{
    uint32_t activation = 0, is_unbiased = 0;
    int rc = get_u32(r, &l->width, "layers");

    if (!rc)
        rc = get_u32(r, &activation, "layers");
    if (!rc)
        rc = get_u32(r, &is_unbiased, "layers");
    if (rc)
        return rc;
    if (activation >= NET_ACTIVATIONS || is_unbiased > 1)
        return refuse(r, "has a layer of a kind that is not known");
    l->activation = activation;
    l->is_unbiased = is_unbiased;
    return 0;
}

static int get_shape(struct model_reader *r, struct net_shape *s)
{
    const char *flaw;
    int rc = get_u32(r, &s->inputs, "inputs");

    if (!rc)
        rc = get_u32(r, &s->layers, "layers");
    if (!rc && s->layers > NET_LAYERS_MAX)
        return refuse(r, "has %u layers; there may be %d", s->layers, NET_LAYERS_MAX);
    for (uint32_t i = 0; !rc && i < s->layers; i++)
        rc = get_layer(r, &s->layer[i]);
    if (rc)
        return rc;
    flaw = net_shape_flaw(s);
    return flaw ? refuse(r, "the net %s", flaw) : 0;
}

static int get_net(struct model_reader *r, struct net *n)
{
    struct net_shape s = { 0 };
    char text[SHAPE_TEXT];
    size_t wanted;
    int rc = get_shape(r, &s);

    if (rc)
        return rc;
    wanted = net_shape_parameters(&s) * sizeof(float);
    if (r->left != wanted)       /* check before allocating memory */
        return refuse(r, "has %zu bytes of parameters; a net %s has %zu", r->left,
                      net_shape_text(text, sizeof(text), &s), wanted);
    net_init(n, &s);
    for (uint32_t i = 0; i < n->parameters; i++) {
        uint32_t bits = decode_u32(r->at + 4 * (size_t)i);

        memcpy(&n->parameter[i], &bits, sizeof(bits));
    }
    return model_check_finite(n, r->name, r->err);
}

static int get_body(struct model_reader *r, struct model *m)
{
    const char *text = NULL;
    int rc = get_text(r, &text, &m->body_bytes, "body");

    if (rc)
        return rc;
    if (r->left)
        return refuse(r, "has %zu bytes behind its body", r->left);
    m->body = (unsigned char *)copy_text(text, m->body_bytes);
    return 0;
}

/* Checks magic, length and checksum. */
static int check_whole(const char *name, const unsigned char *bytes, size_t length, struct err *err)
{
    size_t magic = length < MODEL_MAGIC_BYTES ? length : MODEL_MAGIC_BYTES;
    uint32_t written;

    if (length == 0 || memcmp(bytes, MODEL_MAGIC, magic) != 0)
        return refuse_as(name, err, "is not a model: it does not start as one");
    if (length < MODEL_HEADER_BYTES)
        return refuse_as(name, err, "is cut short: it has %zu bytes", length);
    if (bytes[MODEL_MAGIC_BYTES] != MODEL_VERSION && bytes[MODEL_MAGIC_BYTES] != MODEL_VERSION_BODY)
        return refuse_as(name, err, "is a model of version %u; this program reads versions %u and %u",
                         bytes[MODEL_MAGIC_BYTES], MODEL_VERSION, MODEL_VERSION_BODY);
    written = decode_u32(bytes + MODEL_MAGIC_BYTES + 1);
    if (written < MODEL_HEADER_BYTES + MODEL_CRC_BYTES)
        return refuse_as(name, err, "is damaged: it says that it has %u bytes", written);
    if (length != written)
        return refuse_as(name, err, "is %s: it has %zu bytes and should have %u",
                         length < written ? "cut short" : "too long", length, written);
    if (model_crc(bytes, length - MODEL_CRC_BYTES) != decode_u32(bytes + length - MODEL_CRC_BYTES))
        return refuse_as(name, err, "is damaged: its checksum is not that of its content");
    return 0;
}

int model_parse(struct model *m, const char *name, const void *bytes, size_t length, struct err *err)
{
    struct model_reader r = { .name = name, .at = bytes, .err = err };
    struct model read = { 0 };
    int rc = check_whole(name, bytes, length, err);

    if (rc)
        return rc;
    text_watch_value(bytes, length);
    r.at += MODEL_HEADER_BYTES;
    r.left = length - MODEL_HEADER_BYTES - MODEL_CRC_BYTES;
    rc = get_kind(&r, &read);
    if (!rc)
        rc = get_notes(&r, &read);
    if (!rc)
        rc = ((const unsigned char *)bytes)[MODEL_MAGIC_BYTES] == MODEL_VERSION ? get_net(&r, &read.net)
                                                                               : get_body(&r, &read);
    if (rc)
        model_fini(&read);
    else
        *m = read;
    return rc;
}

int model_load(struct model *m, const char *path, struct err *err)
{
    char *bytes;
    size_t length;
    int rc = text_read_file(path, MODEL_BYTES_MAX, &bytes, &length, err);

    if (rc)
        return rc;
    rc = model_parse(m, path, bytes, length, err);
    free(bytes);
    return rc;
}

int model_check(const struct model *m, const char *name, const char *kind, const struct net_shape *shape,
                struct err *err)
{
    char is[SHAPE_TEXT], wanted[SHAPE_TEXT];

    if (strcmp(m->kind, kind) != 0)
        return refuse_as(name, err, "is a model for %s, not for %s", m->kind, kind);
    if (shape && m->body)
        return refuse_as(name, err, "holds no net");
    if (shape && !net_shape_equal(&m->net.shape, shape))
        return refuse_as(name, err, "is a net %s; wanted is %s",
                         net_shape_text(is, sizeof(is), &m->net.shape),
                         net_shape_text(wanted, sizeof(wanted), shape));
    return 0;
}
