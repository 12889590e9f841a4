/* src/base/nets/model.c - models and their encoding. */
#include "base/nets/model.h"
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/text.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
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

static int check_finite(const float *value, uint32_t count, const char *name, struct err *err)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
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

/* ---- numbers, in both directions ---- */

int model_refuse(struct model_codec *c, const char *format, ...)
{
    char why[400];
    va_list args;

    if (c->rc)
        return c->rc;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    c->left = 0;
    return c->rc = err_set(c->err, EINVAL, "%s: %s", c->name, why);
}

/* Reads some bytes. NULL: there are fewer. */
static const unsigned char *take_bytes(struct model_codec *c, size_t bytes)
{
    if (bytes > c->left) {
        model_refuse(c, "its content is cut short");
        return NULL;
    }
    c->at += bytes;
    c->left -= bytes;
    return c->at - bytes;
}

uint32_t model_code_bytes(struct model_codec *c, uint32_t value, uint32_t bytes)
{
    const unsigned char *at = c->out ? NULL : take_bytes(c, bytes);
    uint32_t read = 0;

    for (uint32_t i = 0; i < bytes; i++)
        if (c->out)
            fputc((int)(value >> 8 * i & 255), c->out);
        else if (at)
            read |= (uint32_t)at[i] << 8 * i;
    return c->out ? value : read;
}

uint32_t model_code(struct model_codec *c, uint32_t value)
{
    return model_code_bytes(c, value, 4);
}

void model_code_shape(struct model_codec *c, struct net_shape *s)
{
    s->inputs = model_code(c, s->inputs);
    s->layers = model_code(c, s->layers);
    if (s->layers > NET_LAYERS_MAX)
        model_refuse(c, "has %u layers; there may be %d", s->layers, NET_LAYERS_MAX);
    for (uint32_t i = 0; i < s->layers && !c->rc; i++) {
        struct net_layer *l = &s->layer[i];
        uint32_t width = model_code(c, l->width), activation = model_code(c, l->activation);
        uint32_t is_unbiased = model_code(c, l->is_unbiased);

        if (activation >= NET_ACTIVATIONS || is_unbiased > 1)
            model_refuse(c, "has a layer of a kind that is not known");
        *l = (struct net_layer){ width, activation, is_unbiased };
    }
}

void model_code_floats(struct model_codec *c, float *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &value[i], sizeof(bits));
        bits = model_code(c, bits);
        memcpy(&value[i], &bits, sizeof(bits));
    }
    if (!c->rc)
        c->rc = check_finite(value, count, c->name, c->err);
}

/* ---- encoding ---- */

static void put_text(struct model_codec *c, const void *text, size_t length)
{
    model_code(c, (uint32_t)length);
    fwrite(text, 1, length, c->out);
}

static void put_notes(struct model_codec *c, const struct model *m)
{
    char *text;
    FILE *lines = text_stream(&text);

    for (uint32_t i = 0; i < m->notes; i++)
        fprintf(lines, "%s=%s\n", m->note[i].key, m->note[i].value);
    fclose(lines);
    put_text(c, text, strlen(text));
    free(text);
}

static void encode_u32(char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(value >> 8 * i);
}

int model_encode(const struct model *m, const char *name, char **bytes, size_t *length, struct err *err)
{
    struct net_shape s = m->net.shape;
    struct model_codec c = { .out = open_memstream(bytes, length), .name = name, .err = err };

    if (!c.out)
        die("no memory for a model");
    fprintf(c.out, "%s%c", MAGIC, m->body ? MODEL_VERSION_BODY : MODEL_VERSION);
    model_code(&c, 0);                 /* file size, filled in below */
    put_text(&c, m->kind, strlen(m->kind));
    put_notes(&c, m);
    if (m->body) {
        put_text(&c, m->body, m->body_bytes);
    } else {
        model_code_shape(&c, &s);
        model_code_floats(&c, m->net.parameter, m->net.parameters);
    }
    model_code(&c, 0);                 /* checksum, filled in below */
    fclose(c.out);
    if (!c.rc && *length > MODEL_BYTES_MAX)
        c.rc = err_set(err, EFBIG, "%s: a model may have %u bytes; this one would have %zu", name,
                       MODEL_BYTES_MAX, *length);
    if (c.rc) {
        free(*bytes);
        return c.rc;
    }
    encode_u32(*bytes + MAGIC_BYTES + 1, (uint32_t)*length);
    encode_u32(*bytes + *length - CRC_BYTES, crc((unsigned char *)*bytes, *length - CRC_BYTES));
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

/* Reads a text; malloc'd, with a zero byte. */
static char *get_text(struct model_codec *c, uint32_t *length)
{
    *length = model_code(c, 0);
    const unsigned char *at = take_bytes(c, *length);
    *length = at ? *length : 0;
    return xcopy(at, *length, 1);
}

static void add_line(struct model_codec *c, struct model *m, char *line)
{
    char *equals = strchr(line, '=');

    for (const char *at = line; *at; at++)
        if (is_control(*at))
            model_refuse(c, "note %u holds a control character", m->notes + 1);
    if (m->notes == MODEL_NOTES_MAX)
        model_refuse(c, "has more than %d notes", MODEL_NOTES_MAX);
    if (!equals || !is_word(line, (size_t)(equals - line)))
        model_refuse(c, "note %u is not 'key=value'", m->notes + 1);
    if (!equals || c->rc)
        return;
    *equals = '\0';
    if (model_get(m, line))
        model_refuse(c, "has two notes '%s'", line);
    else
        model_put(m, line, equals + 1);
}

static void get_notes(struct model_codec *c, struct model *m)
{
    uint32_t length;
    char *text = get_text(c, &length), *rest = text;

    if (strlen(text) != length)
        model_refuse(c, "its notes hold a zero byte");
    else if (length && text[length - 1] != '\n')
        model_refuse(c, "its last note does not end");
    for (char *line = strsep(&rest, "\n"); rest && !c->rc; line = strsep(&rest, "\n"))
        add_line(c, m, line);
    free(text);
}

static void get_net(struct model_codec *c, struct net *n)
{
    struct net_shape s = { 0 };
    char text[SHAPE_TEXT];

    model_code_shape(c, &s);
    if (c->rc)
        return;
    if (net_shape_flaw(&s)) {
        model_refuse(c, "the net %s", net_shape_flaw(&s));
        return;
    }
    size_t wanted = net_shape_parameters(&s) * sizeof(float);
    if (c->left != wanted) {     /* check before allocating memory */
        model_refuse(c, "has %zu bytes of parameters; a net %s has %zu", c->left,
                     net_shape_text(text, sizeof(text), &s), wanted);
        return;
    }
    net_init(n, &s);
    model_code_floats(c, n->parameter, n->parameters);
}

static void get_content(struct model_codec *c, struct model *m, bool has_body)
{
    uint32_t length;

    m->kind = get_text(c, &length);
    if (!is_word(m->kind, length))
        model_refuse(c, "its kind is not a word of a-z, 0-9, '_' and '-'");
    get_notes(c, m);
    if (!has_body) {
        get_net(c, &m->net);
        return;
    }
    m->body = (unsigned char *)get_text(c, &m->body_bytes);
    if (c->left)
        model_refuse(c, "has %zu bytes behind its body", c->left);
}

static uint32_t decode_u32(const unsigned char *from)
{
    return model_code(&(struct model_codec){ .at = from, .left = 4 }, 0);
}

/* Checks magic, length and checksum. */
static int check_whole(struct model_codec *c, const unsigned char *bytes, size_t length)
{
    size_t magic = length < MAGIC_BYTES ? length : MAGIC_BYTES;

    if (length == 0 || memcmp(bytes, MAGIC, magic) != 0)
        return model_refuse(c, "is not a model: it does not start as one");
    if (length < HEADER_BYTES)
        return model_refuse(c, "is cut short: it has %zu bytes", length);
    if (bytes[MAGIC_BYTES] != MODEL_VERSION && bytes[MAGIC_BYTES] != MODEL_VERSION_BODY)
        return model_refuse(c, "is a model of version %u; this program reads versions %u and %u",
                            bytes[MAGIC_BYTES], MODEL_VERSION, MODEL_VERSION_BODY);
    uint32_t written = decode_u32(bytes + MAGIC_BYTES + 1);
    if (written < HEADER_BYTES + CRC_BYTES)
        return model_refuse(c, "is damaged: it says that it has %u bytes", written);
    if (length != written)
        return model_refuse(c, "is %s: it has %zu bytes and should have %u",
                            length < written ? "cut short" : "too long", length, written);
    if (crc(bytes, length - CRC_BYTES) != decode_u32(bytes + length - CRC_BYTES))
        return model_refuse(c, "is damaged: its checksum is not that of its content");
    return 0;
}

int model_parse(struct model *m, const char *name, const void *bytes, size_t length, struct err *err)
{
    const unsigned char *at = bytes;
    struct model_codec c = { .name = name, .err = err };
    struct model read = { 0 };

    if (check_whole(&c, bytes, length))
        return c.rc;
    text_watch_value(bytes, length);
    c.at = at + HEADER_BYTES;
    c.left = length - HEADER_BYTES - CRC_BYTES;
    get_content(&c, &read, at[MAGIC_BYTES] == MODEL_VERSION_BODY);
    if (c.rc)
        model_fini(&read);
    else
        *m = read;
    return c.rc;
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
        return err_set(err, EINVAL, "%s: is a model for %s, not for %s", name, m->kind, kind);
    if (shape && m->body)
        return err_set(err, EINVAL, "%s: holds no net", name);
    if (shape && !net_shape_equal(&m->net.shape, shape))
        return err_set(err, EINVAL, "%s: is a net %s; wanted is %s", name,
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
    json_t *weights = json_array();

    for (uint32_t j = 0; j < inputs; j++, p += l->width)
        json_array_append_new(weights, json_of_numbers(p, l->width));
    json_t *layer = json_pack("{s:i, s:s, s:o}", "outputs", (int)l->width, "activation",
                              net_activation_name[l->activation], "weights", weights);
    if (!l->is_unbiased) {
        json_object_set_new(layer, "biases", json_of_numbers(p, l->width));
        p += l->width;
    }
    json_array_append_new(layers, layer);
    return p;
}

char *model_to_json(const struct model *m)
{
    json_t *notes = json_object(), *layers = json_array();
    const float *p = m->net.parameter;

    for (uint32_t i = 0; i < m->notes; i++)
        json_object_set_new(notes, m->note[i].key, json_of_text(m->note[i].value));
    for (uint32_t i = 0; i < m->net.shape.layers; i++)
        p = add_layer(layers, &m->net.shape, i, p);
    json_t *root = json_pack("{s:i, s:o, s:o, s:i, s:o}", "version",
                             m->body ? MODEL_VERSION_BODY : MODEL_VERSION, "kind", json_of_text(m->kind),
                             "notes", notes, m->body ? "bytes" : "inputs",
                             (int)(m->body ? m->body_bytes : m->net.shape.inputs), "layers", layers);
    /* Nine digits reproduce every float. */
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (!text)
        die("no memory for a model as JSON");
    return text;
}

int model_save_json(const struct model *m, const char *path, struct err *err)
{
    int rc = check_finite(m->net.parameter, m->net.parameters, path, err);

    if (rc)
        return rc;
    char *text = model_to_json(m);
    rc = outfile_write(path, text, strlen(text), err);
    free(text);
    return rc;
}
