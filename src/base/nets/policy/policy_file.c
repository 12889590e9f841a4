#include "base/nets/policy/policy_file.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIND_PREFIX "rlcc-"

/* ---- bodies; each function writes one or reads one ---- */

static void code_lstm(struct model_codec *c, struct policy *p)
{
    struct lstm_shape s = c->out ? p->lstm.shape : (struct lstm_shape){ 0 };

    s.cells = model_code(c, s.cells);
    model_code_shape(c, &s.front);
    model_code_shape(c, &s.head);
    if (!c->rc && !lstm_shape_equal(&s, &lstm_shape_rlcc))
        model_refuse(c, "is an LSTM of another shape than 2-32relu-16relu-lstm16-1tanh");
    if (c->rc)
        return;
    if (!c->out)
        lstm_init(&p->lstm, &s);
    model_code_floats(c, p->lstm.parameter, p->lstm.parameters);
}

static void code_int8_layer(struct model_codec *c, struct quant_layer *l, uint32_t inputs, bool has_bias)
{
    l->inputs = inputs;
    l->outputs = model_code(c, l->outputs);
    l->bits = (int32_t)model_code(c, (uint32_t)l->bits);
    if (l->outputs > QUANT_WIDTH_MAX)
        return;                  /* reported by quant_flaw() */
    for (uint32_t o = 0; o < l->outputs; o++)
        l->scale[o] = (uint16_t)model_code_bytes(c, l->scale[o], 2);
    for (uint32_t o = 0; o < l->outputs; o++)
        for (uint32_t i = 0; i < inputs; i++)
            l->weight[o][i] = (int8_t)model_code_bytes(c, (uint32_t)l->weight[o][i], 1);
    for (uint32_t o = 0; o < l->outputs && has_bias; o++)
        l->bias[o] = (int32_t)model_code(c, (uint32_t)l->bias[o]);
}

static void code_int8(struct model_codec *c, struct policy *p)
{
    struct quant *q = c->out ? p->int8 : xcalloc(1, sizeof(*q));

    assert(q);
    p->int8 = q;
    q->is_lstm = p->body == POLICY_INT8_LSTM;
    q->layers = model_code(c, q->layers);
    for (uint32_t i = 0; i < q->layers && i < NET_LAYERS_MAX && quant_inputs(q, i) <= QUANT_WIDTH_MAX; i++)
        code_int8_layer(c, &q->layer[i], quant_inputs(q, i), q->is_lstm);
    for (int i = 0; i < QUANT_TABLE_SIZE; i++)
        q->table[i] = (int32_t)model_code(c, (uint32_t)q->table[i]);
    if (c->out)
        return;
    quant_fill_tanh(q);
    if (quant_flaw(q))
        model_refuse(c, "the net %s", quant_flaw(q));
}

static void code_trees(struct model_codec *c, struct policy *p)
{
    struct forest *f = &p->trees;

    f->trees = model_code(c, f->trees);
    f->base = (int32_t)model_code(c, (uint32_t)f->base);
    f->multiplier_min = (int32_t)model_code(c, (uint32_t)f->multiplier_min);
    f->multiplier_max = (int32_t)model_code(c, (uint32_t)f->multiplier_max);
    if (f->trees > TREE_TREES_MAX)
        model_refuse(c, "has %u trees; there may be %d", f->trees, TREE_TREES_MAX);
    for (uint32_t i = 0; i < f->trees && !c->rc; i++) {
        struct tree *t = &f->tree[i];

        t->depth = model_code(c, t->depth);
        if (t->depth > TREE_DEPTH_MAX)
            model_refuse(c, "has a tree of depth %u; there may be %d", t->depth, TREE_DEPTH_MAX);
        for (uint32_t k = 0; k < t->depth && !c->rc; k++) {
            uint32_t feature = model_code(c, t->split[k].feature);
            int32_t threshold = (int32_t)model_code(c, (uint32_t)t->split[k].threshold);

            if (feature >= TREE_FEATURES || threshold != (int16_t)threshold)
                model_refuse(c, "has a split that no feature can have");
            t->split[k] = (struct tree_split){ (int16_t)threshold, (uint8_t)feature };
        }
        for (uint32_t k = 0; !c->rc && k < 1u << t->depth; k++)
            t->leaf[k] = (int32_t)model_code(c, (uint32_t)t->leaf[k]);
    }
    if (!c->rc && forest_flaw(f))
        model_refuse(c, "the forest %s", forest_flaw(f));
}

static void code_body(struct model_codec *c, struct policy *p)
{
    uint32_t version = model_code(c, POLICY_FILE_VERSION);

    if (version != POLICY_FILE_VERSION)
        model_refuse(c, "is a policy of version %u; this program reads version %u", version,
                     POLICY_FILE_VERSION);
    if (c->rc)
        return;
    if (p->body == POLICY_LSTM)
        code_lstm(c, p);
    else if (p->body == POLICY_TREES)
        code_trees(c, p);
    else
        code_int8(c, p);
    if (!c->out && c->left)
        model_refuse(c, "has %zu bytes behind its policy", c->left);
}

/* ---- policies to models ---- */

static void put_body(const struct policy *p, struct model *m, const char *kind)
{
    struct policy copy = *p;
    char *body = NULL;
    size_t length = 0;
    struct model_codec c = { .out = open_memstream(&body, &length), .name = "a policy" };

    if (!c.out)
        die("no memory for a policy");
    code_body(&c, &copy);
    fclose(c.out);
    model_init_body(m, kind, body, (uint32_t)length);
    free(body);
}

void policy_to_model(const struct policy *p, struct model *m)
{
    char kind[32], range[32];

    snprintf(kind, sizeof(kind), KIND_PREFIX "%s", policy_body_name[p->body]);
    snprintf(range, sizeof(range), "%.9g", (double)p->range);
    if (p->body == POLICY_MLP)
        model_init(m, kind, &p->mlp);
    else
        put_body(p, m, kind);
    if (policy_is_float(p))
        model_put(m, "range", range);
}

/* ---- models to policies ---- */

#define refuse_as(name, err, format, ...) err_set((err), EINVAL, "%s: " format, (name), ##__VA_ARGS__)

static int get_body(struct policy *p, const struct model *m, const char *name, struct err *err)
{
    struct model_codec c = { .name = name, .at = m->body, .left = m->body_bytes, .err = err };

    if (!m->body)
        return refuse_as(name, err, "holds a net where a body of %s should be", policy_body_name[p->body]);
    code_body(&c, p);
    if (c.rc)
        policy_fini(p);
    return c.rc;
}

static int get_mlp(struct policy *p, const struct model *m, const char *name, struct err *err)
{
    int rc = model_check(m, name, KIND_PREFIX "mlp", &policy_shape_mlp, err);

    if (rc)
        return rc;
    net_init(&p->mlp, &m->net.shape);
    net_copy(&p->mlp, &m->net);
    return 0;
}

static int get_range(struct policy *p, const struct model *m, const char *name, struct err *err)
{
    const char *text = model_get(m, "range");
    double range = POLICY_RANGE;

    p->range = POLICY_RANGE;
    if (!text || !policy_is_float(p))
        return 0;
    if (text_to_real(text, &range, NULL) || range <= 0 || range > 1)
        return refuse_as(name, err, "its range of actions, '%s', is not a number in 0 .. 1", text);
    p->range = (float)range;
    return 0;
}

static int find_body(const struct model *m, const char *name, enum policy_body *body, struct err *err)
{
    size_t prefix = strlen(KIND_PREFIX);

    for (*body = 0; *body < POLICY_BODIES; ++*body)
        if (strncmp(m->kind, KIND_PREFIX, prefix) == 0 &&
            strcmp(m->kind + prefix, policy_body_name[*body]) == 0)
            return 0;
    return refuse_as(name, err, "is a model for %s, not for rlcc", m->kind);
}

int policy_from_model(struct policy *p, const struct model *m, const char *name, struct err *err)
{
    struct policy read;

    memset(&read, 0, sizeof(read));
    int rc = find_body(m, name, &read.body, err);
    if (!rc)
        rc = get_range(&read, m, name, err);
    if (!rc)
        rc = read.body == POLICY_MLP ? get_mlp(&read, m, name, err) : get_body(&read, m, name, err);
    if (!rc)
        *p = read;
    return rc;
}

/* ---- checkpoints of PyTorch: the zip archive ---- */

#define LOCAL_SIGNATURE   0x04034b50u
#define ENTRY_SIGNATURE   0x02014b50u
#define END_SIGNATURE     0x06054b50u
#define LOCAL_BYTES       30
#define ENTRY_BYTES       46
#define PICKLE_TEXT       'X'    /* then a uint32 length and the bytes */
#define KEY_BYTES_MAX     9

struct torch_span { const unsigned char *at; size_t length; };

struct torch_file {
    const char       *name;      /* for error messages */
    struct torch_span all;
    struct err       *err;
};

#define refuse_torch(file, format, ...) \
    err_set((file)->err, EINVAL, "%s: is no checkpoint of RL-CC: " format, (file)->name, ##__VA_ARGS__)

/* Returns a part of a span; 'at' is NULL if the span ends before. */
static struct torch_span part_of(struct torch_span s, size_t from, size_t length)
{
    if (from > s.length || s.length - from < length)
        return (struct torch_span){ 0 };
    return (struct torch_span){ s.at + from, length };
}

/* 0 behind the end. */
static uint32_t number_at(struct torch_span s, size_t from, size_t bytes)
{
    struct torch_span part = part_of(s, from, bytes);
    uint32_t value = 0;

    for (size_t i = 0; i < part.length; i++)
        value |= (uint32_t)part.at[i] << 8 * i;
    return value;
}

bool policy_torch_is(const void *bytes, size_t length)
{
    return number_at((struct torch_span){ bytes, length }, 0, 4) == LOCAL_SIGNATURE;
}

static bool ends_in(struct torch_span text, const char *end)
{
    size_t length = strlen(end);

    return text.length >= length && memcmp(text.at + text.length - length, end, length) == 0;
}

/* Finds the content of the directory's entry at 'entry'. */
static int open_entry(const struct torch_file *f, size_t entry, struct torch_span *content)
{
    size_t at = number_at(f->all, entry + 42, 4);
    size_t head = LOCAL_BYTES + number_at(f->all, at + 26, 2) + number_at(f->all, at + 28, 2);

    *content = part_of(f->all, at + head, number_at(f->all, entry + 20, 4));
    if (number_at(f->all, entry + 10, 2) != 0)
        return refuse_torch(f, "the archive is compressed");
    if (number_at(f->all, at, 4) != LOCAL_SIGNATURE || !content->at)
        return refuse_torch(f, "the archive is damaged");
    return 0;
}

/* Finds the file whose path ends so. The record at the end of the archive has the place of its directory. */
static int open_path(const struct torch_file *f, const char *path, struct torch_span *content)
{
    size_t end = f->all.length;

    while (end > 0 && number_at(f->all, end, 4) != END_SIGNATURE)
        end--;
    for (size_t at = number_at(f->all, end + 16, 4); number_at(f->all, at, 4) == ENTRY_SIGNATURE;) {
        size_t name = number_at(f->all, at + 28, 2);

        if (ends_in(part_of(f->all, at + ENTRY_BYTES, name), path))
            return open_entry(f, at, content);
        at += ENTRY_BYTES + name + number_at(f->all, at + 30, 2) + number_at(f->all, at + 32, 2);
    }
    return refuse_torch(f, "there is no %s in it", path + 1);
}

/* ---- checkpoints: the pickle ---- */

/* Returns the text that starts at 'at', or an empty span. */
static struct torch_span text_at(struct torch_span pickle, size_t at)
{
    bool is_text = pickle.at[at] == PICKLE_TEXT;

    return is_text ? part_of(pickle, at + 5, number_at(pickle, at + 1, 4)) : (struct torch_span){ 0 };
}

static bool is_key(struct torch_span text)
{
    if (text.length == 0 || text.length > KEY_BYTES_MAX)
        return false;
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    return true;
}

/* Returns the key of the tensor's storage, or an empty span if there is no such tensor. */
static struct torch_span find_key(struct torch_span pickle, const char *tensor)
{
    bool is_found = false;

    for (size_t at = 0; at < pickle.length; at++) {
        struct torch_span text = text_at(pickle, at);

        if (text.length == strlen(tensor) && ends_in(text, tensor))
            is_found = true;
        else if (is_found && is_key(text))
            return text;
    }
    return (struct torch_span){ 0 };
}

/* ---- checkpoints: the net ---- */

static int read_layer(const struct torch_file *f, struct torch_span pickle, const char *tensor,
                      float *weights, uint32_t inputs, uint32_t outputs)
{
    struct torch_span key = find_key(pickle, tensor), numbers = { 0 };
    size_t wanted = sizeof(float) * inputs * outputs;
    char path[sizeof("/data/") + KEY_BYTES_MAX];

    if (!key.at)
        return refuse_torch(f, "there is no tensor %s", tensor);
    snprintf(path, sizeof(path), "/data/%.*s", (int)key.length, (const char *)key.at);
    int rc = open_path(f, path, &numbers);
    if (rc)
        return rc;
    if (numbers.length != wanted)
        return refuse_torch(f, "%s has %zu bytes; those of 4-12relu-12relu-1tanh would be %zu", tensor,
                            numbers.length, wanted);
    for (uint32_t i = 0; i < inputs; i++)
        for (uint32_t o = 0; o < outputs; o++, weights++) {
            uint32_t bits = number_at(numbers, sizeof(float) * ((size_t)o * inputs + i), 4);

            memcpy(weights, &bits, sizeof(bits));
            if (!isfinite(*weights))
                return refuse_torch(f, "%s has a weight that is not a finite number", tensor);
        }
    return 0;
}

static int read_net(const struct torch_file *f, struct net *net)
{
    static const char *const tensor[] = { "net.0.weight", "net.2.weight", "output_layer.weight" };
    uint32_t inputs = net->shape.inputs;
    float *weights = net->parameter;
    struct torch_span pickle = { 0 };
    int rc = open_path(f, "/data.pkl", &pickle);

    assert(net->shape.layers == sizeof tensor / sizeof *tensor);
    if (!rc && find_key(pickle, "net.0.bias").at)
        return refuse_torch(f, "the net has biases");
    for (uint32_t i = 0; !rc && i < net->shape.layers; i++) {
        uint32_t outputs = net->shape.layer[i].width;

        rc = read_layer(f, pickle, tensor[i], weights, inputs, outputs);
        weights += (size_t)inputs * outputs;
        inputs = outputs;
    }
    return rc;
}

int policy_torch_parse(struct policy *p, const char *name, const void *bytes, size_t length, struct err *err)
{
    struct torch_file f = { name, { bytes, length }, err };
    struct policy read = { .body = POLICY_MLP, .range = POLICY_RANGE };

    net_init(&read.mlp, &policy_shape_mlp);
    int rc = read_net(&f, &read.mlp);
    if (rc)
        policy_fini(&read);
    else
        *p = read;
    return rc;
}

/* ---- files ---- */

/* A checkpoint of PyTorch becomes the model that it would be here. */
static int parse_model(struct model *m, const char *name, const void *bytes, size_t length, struct err *err)
{
    struct policy p;

    if (!policy_torch_is(bytes, length))
        return model_parse(m, name, bytes, length, err);
    int rc = policy_torch_parse(&p, name, bytes, length, err);
    if (rc)
        return rc;
    policy_to_model(&p, m);
    policy_fini(&p);
    return 0;
}

int policy_model_load(struct model *m, const char *path, struct err *err)
{
    char *bytes;
    size_t length;
    int rc = text_read_file(path, MODEL_BYTES_MAX, &bytes, &length, err);

    if (rc)
        return rc;
    rc = parse_model(m, path, bytes, length, err);
    free(bytes);
    return rc;
}

/* Turns a model that was read into a policy. */
static int take_model(struct policy *p, int rc, struct model *m, const char *name, struct err *err)
{
    if (rc)
        return rc;
    rc = policy_from_model(p, m, name, err);
    model_fini(m);
    return rc;
}

int policy_parse(struct policy *p, const char *name, const void *bytes, size_t length, struct err *err)
{
    struct model m;

    return take_model(p, model_parse(&m, name, bytes, length, err), &m, name, err);
}

int policy_load(struct policy *p, const char *path, struct err *err)
{
    struct model m;

    return take_model(p, policy_model_load(&m, path, err), &m, path, err);
}
