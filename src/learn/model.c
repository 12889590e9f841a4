/* src/learn/model.c - models and their encoding. */
#include "learn/model.h"
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/text.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC        "ANOLENN"
#define MAGIC_BYTES  7
#define HEADER_BYTES (MAGIC_BYTES + 1 + 4)
#define CRC_BYTES    4
#define SHAPE_TEXT   256         /* fits NET_LAYERS_MAX times "-2048linear*" */

/* True if not empty and made of a-z, 0-9, '_' and '-'. */
static bool is_word(const char *text, size_t length)
{
    size_t good = 0;

    while (good < length && text[good] && strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", text[good]))
        good++;
    return good == length && length > 0;
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

/* CRC-32C, bit by bit: models are small. */
static uint32_t crc(const unsigned char *bytes, size_t length)
{
    uint32_t crc = ~0u;

    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

/* Refuses parameters that are not finite. */
static int check_finite(const struct net *n, const char *name, struct err *err)
{
    for (uint32_t i = 0; i < n->parameters; i++)
        if (!isfinite(n->parameter[i]))
            return err_set(err, EINVAL, "%s: parameter %u of the net is not a finite number", name, i);
    return 0;
}

/* ---- notes ---- */

void model_init(struct model *m, const char *kind, const struct net *n)
{
    assert(is_word(kind, strlen(kind)));
    *m = (struct model){ .kind = xstrdup(kind) };
    net_init(&m->net, &n->shape);
    net_copy(&m->net, n);
}

void model_init_body(struct model *m, const char *kind, const void *body, uint32_t bytes)
{
    assert(is_word(kind, strlen(kind)));
    *m = (struct model){ .kind = xstrdup(kind), .body = xmalloc(bytes + 1), .body_bytes = bytes };
    memcpy(m->body, body, bytes);
}

void model_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->notes; i++) {
        free(m->note[i].key);
        free(m->note[i].value);
    }
    free(m->note);
    free(m->kind);
    free(m->body);
    net_fini(&m->net);
    *m = (struct model){ 0 };
}

static struct model_note *find_note(const struct model *m, const char *key)
{
    for (uint32_t i = 0; i < m->notes; i++)
        if (strcmp(m->note[i].key, key) == 0)
            return &m->note[i];
    return NULL;
}

void model_put(struct model *m, const char *key, const char *value)
{
    struct model_note *note = find_note(m, key);
    char *copy = xstrdup(value);

    assert(is_word(key, strlen(key)));
    for (char *c = copy; *c; c++)
        *c = is_control(*c) ? '?' : *c;
    if (note) {
        free(note->value);
        note->value = copy;
        return;
    }
    assert(m->notes < MODEL_NOTES_MAX);
    m->note = xrealloc(m->note, (m->notes + 1) * sizeof(*m->note));
    m->note[m->notes++] = (struct model_note){ xstrdup(key), copy };
}

const char *model_get(const struct model *m, const char *key)
{
    const struct model_note *note = find_note(m, key);

    return note ? note->value : NULL;
}

/* ---- encoding ---- */

static void encode_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

void model_put_u32(FILE *f, uint32_t value)
{
    unsigned char bytes[4];

    encode_u32(bytes, value);
    fwrite(bytes, 1, 4, f);
}

static void put_text(FILE *f, const char *text, size_t length)
{
    model_put_u32(f, (uint32_t)length);
    fwrite(text, 1, length, f);
}

static void put_notes(FILE *f, const struct model *m)
{
    char *text = NULL;
    size_t length = 0;
    FILE *lines = open_memstream(&text, &length);

    if (!lines)
        die("no memory for the notes of a model");
    for (uint32_t i = 0; i < m->notes; i++)
        fprintf(lines, "%s=%s\n", m->note[i].key, m->note[i].value);
    fclose(lines);
    put_text(f, text, length);
    free(text);
}

void model_put_shape(FILE *f, const struct net_shape *s)
{
    model_put_u32(f, s->inputs);
    model_put_u32(f, s->layers);
    for (uint32_t i = 0; i < s->layers; i++) {
        model_put_u32(f, s->layer[i].width);
        model_put_u32(f, s->layer[i].activation);
        model_put_u32(f, s->layer[i].is_unbiased);
    }
}

void model_put_floats(FILE *f, const float *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &value[i], sizeof(bits));
        model_put_u32(f, bits);
    }
}

int model_encode(const struct model *m, const char *name, char **bytes, size_t *length, struct err *err)
{
    int rc = check_finite(&m->net, name, err);
    FILE *f;

    if (rc)
        return rc;
    f = open_memstream(bytes, length);
    if (!f)
        die("no memory for a model");
    fprintf(f, "%s%c", MAGIC, m->body ? MODEL_VERSION_BODY : MODEL_VERSION);
    model_put_u32(f, 0);               /* file size, filled in below */
    put_text(f, m->kind, strlen(m->kind));
    put_notes(f, m);
    if (m->body) {
        put_text(f, (const char *)m->body, m->body_bytes);
    } else {
        model_put_shape(f, &m->net.shape);
        model_put_floats(f, m->net.parameter, m->net.parameters);
    }
    model_put_u32(f, 0);               /* checksum, filled in below */
    fclose(f);
    if (*length > MODEL_BYTES_MAX) {
        free(*bytes);
        return err_set(err, EFBIG, "%s: a model may have %u bytes; this one would have %zu", name,
                       MODEL_BYTES_MAX, *length);
    }
    encode_u32((unsigned char *)*bytes + MAGIC_BYTES + 1, (uint32_t)*length);
    encode_u32((unsigned char *)*bytes + *length - CRC_BYTES,
               crc((unsigned char *)*bytes, *length - CRC_BYTES));
    return 0;
}

int model_save(const struct model *m, const char *path, struct err *err)
{
    char *bytes;
    size_t length;
    int rc = model_encode(m, path, &bytes, &length, err);

    if (rc)
        return rc;
    rc = outfile_write(path, bytes, length, err);
    free(bytes);
    return rc;
}

/* ---- decoding ---- */

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

static char *copy_text(const char *text, size_t length)
{
    return xcopy(text, length, 1);
}

static int get_kind(struct model_reader *r, struct model *m)
{
    const char *text = NULL;
    uint32_t length = 0;
    int rc = get_text(r, &text, &length, "kind");

    if (rc)
        return rc;
    if (!is_word(text, length))
        return refuse(r, "its kind is not a word of a-z, 0-9, '_' and '-'");
    m->kind = copy_text(text, length);
    return 0;
}

static int add_line(struct model_reader *r, struct model *m, const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    char *key, *value;
    int rc = 0;

    for (size_t i = 0; i < length; i++)
        if (is_control(line[i]))
            return refuse(r, "note %u holds a control character", m->notes + 1);
    if (m->notes == MODEL_NOTES_MAX)
        return refuse(r, "has more than %d notes", MODEL_NOTES_MAX);
    if (!equals || !is_word(line, (size_t)(equals - line)))
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
    return check_finite(n, r->name, r->err);
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
    size_t magic = length < MAGIC_BYTES ? length : MAGIC_BYTES;
    uint32_t written;

    if (length == 0 || memcmp(bytes, MAGIC, magic) != 0)
        return refuse_as(name, err, "is not a model: it does not start as one");
    if (length < HEADER_BYTES)
        return refuse_as(name, err, "is cut short: it has %zu bytes", length);
    if (bytes[MAGIC_BYTES] != MODEL_VERSION && bytes[MAGIC_BYTES] != MODEL_VERSION_BODY)
        return refuse_as(name, err, "is a model of version %u; this program reads versions %u and %u",
                         bytes[MAGIC_BYTES], MODEL_VERSION, MODEL_VERSION_BODY);
    written = decode_u32(bytes + MAGIC_BYTES + 1);
    if (written < HEADER_BYTES + CRC_BYTES)
        return refuse_as(name, err, "is damaged: it says that it has %u bytes", written);
    if (length != written)
        return refuse_as(name, err, "is %s: it has %zu bytes and should have %u",
                         length < written ? "cut short" : "too long", length, written);
    if (crc(bytes, length - CRC_BYTES) != decode_u32(bytes + length - CRC_BYTES))
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
    r.at += HEADER_BYTES;
    r.left = length - HEADER_BYTES - CRC_BYTES;
    rc = get_kind(&r, &read);
    if (!rc)
        rc = get_notes(&r, &read);
    if (!rc)
        rc = ((const unsigned char *)bytes)[MAGIC_BYTES] == MODEL_VERSION ? get_net(&r, &read.net)
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

/* ---- JSON ---- */

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
    int rc = check_finite(&m->net, path, err);
    char *text;

    if (rc)
        return rc;
    text = model_to_json(m);
    rc = outfile_write(path, text, strlen(text), err);
    free(text);
    return rc;
}
