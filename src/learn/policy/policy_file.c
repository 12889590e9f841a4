#include "learn/policy/policy_file.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIND_PREFIX "rlcc-"

/* ---- encoding ---- */

/* The lowest bytes of a number. */
static void put_bytes(FILE *f, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * i & 255), f);
}

static void put_lstm(FILE *f, const struct lstm *l)
{
    model_put_u32(f, l->shape.cells);
    model_put_shape(f, &l->shape.front);
    model_put_shape(f, &l->shape.head);
    model_put_floats(f, l->parameter, l->parameters);
}

static void put_int8(FILE *f, const struct quant *q)
{
    model_put_u32(f, q->layers);
    for (uint32_t i = 0; i < q->layers; i++) {
        const struct quant_layer *l = &q->layer[i];

        model_put_u32(f, l->outputs);
        model_put_u32(f, (uint32_t)l->bits);
        for (uint32_t o = 0; o < l->outputs; o++)
            put_bytes(f, l->scale[o], 2);
        for (uint32_t o = 0; o < l->outputs; o++)
            for (uint32_t j = 0; j < l->inputs; j++)
                put_bytes(f, (uint32_t)l->weight[o][j], 1);
        for (uint32_t o = 0; o < l->outputs && q->is_lstm; o++)
            model_put_u32(f, (uint32_t)l->bias[o]);
    }
    for (int i = 0; i < QUANT_TABLE_SIZE; i++)
        model_put_u32(f, (uint32_t)q->table[i]);
}

static void put_trees(FILE *f, const struct forest *forest)
{
    model_put_u32(f, forest->trees);
    model_put_u32(f, (uint32_t)forest->base);
    model_put_u32(f, (uint32_t)forest->multiplier_min);
    model_put_u32(f, (uint32_t)forest->multiplier_max);
    for (uint32_t i = 0; i < forest->trees; i++) {
        const struct tree *t = &forest->tree[i];

        model_put_u32(f, t->depth);
        for (uint32_t j = 0; j < t->depth; j++) {
            model_put_u32(f, t->split[j].feature);
            model_put_u32(f, (uint32_t)t->split[j].threshold);
        }
        for (uint32_t j = 0; j < 1u << t->depth; j++)
            model_put_u32(f, (uint32_t)t->leaf[j]);
    }
}

static void put_body(const struct policy *p, struct model *m, const char *kind)
{
    char *body = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&body, &length);

    if (!f)
        die("no memory for a policy");
    model_put_u32(f, POLICY_FILE_VERSION);
    if (p->body == POLICY_LSTM)
        put_lstm(f, &p->lstm);
    else if (p->body == POLICY_INT8 || p->body == POLICY_INT8_LSTM)
        put_int8(f, p->int8);
    else
        put_trees(f, &p->trees);
    fclose(f);
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

/* ---- decoding ---- */

struct policy_reader {
    const char          *name;   /* file name, for error messages */
    const unsigned char *at;
    size_t               left;
    bool                 is_short;           /* read beyond the end; the values were 0 */
    struct err          *err;
};

#define refuse(reader, ...) refuse_as((reader)->name, (reader)->err, __VA_ARGS__)
#define refuse_as(name, err, format, ...) err_set((err), EINVAL, "%s: " format, (name), ##__VA_ARGS__)

static uint32_t get_bytes(struct policy_reader *r, size_t bytes)
{
    uint32_t value = 0;

    if (r->left < bytes) {
        r->is_short = true;
        r->left = 0;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)r->at[i] << 8 * i;
    r->at += bytes;
    r->left -= bytes;
    return value;
}

static uint32_t get_u32(struct policy_reader *r)
{
    return get_bytes(r, 4);
}

/* Checks after reading that the body is neither too short nor too long. */
static int check_end(const struct policy_reader *r)
{
    if (r->is_short)
        return refuse(r, "its body is cut short");
    return r->left ? refuse(r, "has %zu bytes behind its policy", r->left) : 0;
}

static int get_shape(struct policy_reader *r, struct net_shape *s)
{
    s->inputs = get_u32(r);
    s->layers = get_u32(r);
    if (s->layers > NET_LAYERS_MAX)
        return refuse(r, "has %u layers; there may be %d", s->layers, NET_LAYERS_MAX);
    for (uint32_t i = 0; i < s->layers; i++) {
        uint32_t width = get_u32(r), activation = get_u32(r), is_unbiased = get_u32(r);

        if (activation >= NET_ACTIVATIONS || is_unbiased > 1)
            return refuse(r, "has a layer of a kind that is not known");
        s->layer[i] = (struct net_layer){ width, activation, is_unbiased };
    }
    return 0;
}

static int get_parameters(struct policy_reader *r, struct lstm *l)
{
    for (uint32_t i = 0; i < l->parameters; i++) {
        uint32_t bits = get_u32(r);

        memcpy(&l->parameter[i], &bits, sizeof(bits));
        if (!isfinite(l->parameter[i]))
            return refuse(r, "parameter %u of the net is not a finite number", i);
    }
    return check_end(r);
}

static int get_lstm(struct policy_reader *r, struct policy *p)
{
    struct lstm_shape s = { .cells = get_u32(r) };
    int rc = get_shape(r, &s.front);

    if (!rc)
        rc = get_shape(r, &s.head);
    if (!rc && !r->is_short && !lstm_shape_equal(&s, &lstm_shape_rlcc))
        rc = refuse(r, "is an LSTM of another shape than 2-32relu-16relu-lstm16-1tanh");
    if (!rc && r->is_short)
        rc = check_end(r);
    if (rc)
        return rc;
    lstm_init(&p->lstm, &s);
    rc = get_parameters(r, &p->lstm);
    if (rc)
        lstm_fini(&p->lstm);
    return rc;
}

static void get_int8_layer(struct policy_reader *r, struct quant_layer *l, uint32_t inputs, bool has_bias)
{
    l->inputs = inputs;
    l->outputs = get_u32(r);
    l->bits = (int32_t)get_u32(r);
    if (l->outputs > QUANT_WIDTH_MAX)
        return;                  /* reported by quant_flaw() */
    for (uint32_t o = 0; o < l->outputs; o++)
        l->scale[o] = (uint16_t)get_bytes(r, 2);
    for (uint32_t o = 0; o < l->outputs; o++)
        for (uint32_t i = 0; i < inputs; i++)
            l->weight[o][i] = (int8_t)get_bytes(r, 1);
    for (uint32_t o = 0; o < l->outputs && has_bias; o++)
        l->bias[o] = (int32_t)get_u32(r);
}

static int get_int8(struct policy_reader *r, struct policy *p)
{
    struct quant *q = xcalloc(1, sizeof(*q));
    const char *flaw;
    int rc;

    q->is_lstm = p->body == POLICY_INT8_LSTM;
    q->layers = get_u32(r);
    for (uint32_t i = 0; i < q->layers && i < NET_LAYERS_MAX; i++) {
        uint32_t inputs = quant_inputs(q, i);

        if (inputs > QUANT_WIDTH_MAX)
            break;
        get_int8_layer(r, &q->layer[i], inputs, q->is_lstm);
    }
    for (int i = 0; i < QUANT_TABLE_SIZE; i++)
        q->table[i] = (int32_t)get_u32(r);
    quant_fill_tanh(q);
    flaw = quant_flaw(q);
    rc = r->is_short ? check_end(r) : flaw ? refuse(r, "the net %s", flaw) : check_end(r);
    if (rc)
        free(q);
    else
        p->int8 = q;
    return rc;
}

static int get_tree(struct policy_reader *r, struct tree *t)
{
    t->depth = get_u32(r);
    if (t->depth > TREE_DEPTH_MAX)
        return refuse(r, "has a tree of depth %u; there may be %d", t->depth, TREE_DEPTH_MAX);
    for (uint32_t i = 0; i < t->depth; i++) {
        uint32_t feature = get_u32(r);
        int32_t threshold = (int32_t)get_u32(r);

        if (feature >= TREE_FEATURES || threshold != (int16_t)threshold)
            return refuse(r, "has a split that no feature can have");
        t->split[i] = (struct tree_split){ (int16_t)threshold, (uint8_t)feature };
    }
    for (uint32_t i = 0; i < 1u << t->depth; i++)
        t->leaf[i] = (int32_t)get_u32(r);
    return 0;
}

static int get_trees(struct policy_reader *r, struct policy *p)
{
    struct forest *f = &p->trees;
    const char *flaw;
    int rc = 0;

    *f = (struct forest){ .trees = get_u32(r) };
    f->base = (int32_t)get_u32(r);
    f->multiplier_min = (int32_t)get_u32(r);
    f->multiplier_max = (int32_t)get_u32(r);
    if (f->trees > TREE_TREES_MAX)
        return refuse(r, "has %u trees; there may be %d", f->trees, TREE_TREES_MAX);
    for (uint32_t i = 0; !rc && i < f->trees && !r->is_short; i++)
        rc = get_tree(r, &f->tree[i]);
    if (!rc)
        rc = check_end(r);
    flaw = rc ? NULL : forest_flaw(f);
    return flaw ? refuse(r, "the forest %s", flaw) : rc;
}

static int get_body(struct policy *p, const struct model *m, const char *name, struct err *err)
{
    struct policy_reader r = { .name = name, .at = m->body, .left = m->body_bytes, .err = err };
    uint32_t version = get_u32(&r);

    if (r.is_short)
        return check_end(&r);
    if (version != POLICY_FILE_VERSION)
        return refuse_as(name, err, "is a policy of version %u; this program reads version %u", version,
                         POLICY_FILE_VERSION);
    return p->body == POLICY_LSTM    ? get_lstm(&r, p)
           : p->body == POLICY_TREES ? get_trees(&r, p)
                                     : get_int8(&r, p);
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
    struct policy read = { 0 };
    int rc = find_body(m, name, &read.body, err);

    if (!rc)
        rc = get_range(&read, m, name, err);
    if (!rc && read.body != POLICY_MLP && !m->body)
        rc = refuse_as(name, err, "holds a net where a body of %s should be", policy_body_name[read.body]);
    if (!rc)
        rc = read.body == POLICY_MLP ? get_mlp(&read, m, name, err) : get_body(&read, m, name, err);
    if (!rc)
        *p = read;
    return rc;
}

#define LOCAL_SIGNATURE   0x04034b50u
#define ENTRY_SIGNATURE   0x02014b50u
#define END_SIGNATURE     0x06054b50u
#define LOCAL_BYTES       30
#define ENTRY_BYTES       46
#define END_BYTES         22
#define PICKLE_TEXT       'X'    /* then a uint32 length and the bytes */
#define KEY_BYTES_MAX     9

struct torch_file {
    const char          *name;   /* for error messages */
    const unsigned char *bytes;
    size_t               length;
    struct err          *err;
};

struct torch_span { const unsigned char *at; size_t length; };

#define refuse_torch(file, format, ...) \
    err_set((file)->err, EINVAL, "%s: is no checkpoint of RL-CC: " format, (file)->name, ##__VA_ARGS__)

static uint32_t number_at(const unsigned char *at, int bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

bool policy_torch_is(const void *bytes, size_t length)
{
    return length >= LOCAL_BYTES && number_at(bytes, 4) == LOCAL_SIGNATURE;
}

/* ---- checkpoints of PyTorch: the zip archive ---- */

/* Returns the record at the end of the archive, or NULL. */
static const unsigned char *find_end(const struct torch_file *f)
{
    for (size_t at = f->length; at-- > 0;)
        if (f->length - at >= END_BYTES && number_at(f->bytes + at, 4) == END_SIGNATURE)
            return f->bytes + at;
    return NULL;
}

/* Finds the content of an entry of the directory. */
static int open_entry(const struct torch_file *f, const unsigned char *entry, struct torch_span *content)
{
    size_t at = number_at(entry + 42, 4), size = number_at(entry + 20, 4);

    if (number_at(entry + 10, 2) != 0)
        return refuse_torch(f, "the archive is compressed");
    if (at > f->length || f->length - at < LOCAL_BYTES || number_at(f->bytes + at, 4) != LOCAL_SIGNATURE)
        return refuse_torch(f, "the archive is damaged");
    at += LOCAL_BYTES + number_at(f->bytes + at + 26, 2) + number_at(f->bytes + at + 28, 2);
    if (at > f->length || f->length - at < size)
        return refuse_torch(f, "the archive is damaged");
    *content = (struct torch_span){ f->bytes + at, size };
    return 0;
}

static bool ends_in(const unsigned char *text, size_t length, const char *end)
{
    return length >= strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* Finds the file whose path ends so. */
static int open_path(const struct torch_file *f, const char *path, struct torch_span *content)
{
    const unsigned char *end = find_end(f);
    size_t at = end ? number_at(end + 16, 4) : f->length;

    while (at <= f->length && f->length - at >= ENTRY_BYTES &&
           number_at(f->bytes + at, 4) == ENTRY_SIGNATURE) {
        const unsigned char *entry = f->bytes + at;
        size_t name = number_at(entry + 28, 2), more = number_at(entry + 30, 2) + number_at(entry + 32, 2);

        if (f->length - at - ENTRY_BYTES < name)
            break;
        if (ends_in(entry + ENTRY_BYTES, name, path))
            return open_entry(f, entry, content);
        at += ENTRY_BYTES + name + more;
    }
    return refuse_torch(f, "there is no %s in it", path + 1);
}

/* ---- checkpoints: the pickle ---- */

/* Returns the text that starts at 'at', or an empty span. */
static struct torch_span text_at(struct torch_span pickle, size_t at)
{
    size_t left = pickle.length - at, length;

    if (left < 5 || pickle.at[at] != PICKLE_TEXT)
        return (struct torch_span){ 0 };
    length = number_at(pickle.at + at + 1, 4);
    return length <= left - 5 ? (struct torch_span){ pickle.at + at + 5, length } : (struct torch_span){ 0 };
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

static bool is_text(struct torch_span text, const char *wanted)
{
    return text.length == strlen(wanted) && memcmp(text.at, wanted, text.length) == 0;
}

/* Returns the key of the tensor's storage, or an empty span if there is no such tensor. */
static struct torch_span find_key(struct torch_span pickle, const char *tensor)
{
    bool is_found = false;

    for (size_t at = 0; at < pickle.length; at++) {
        struct torch_span text = text_at(pickle, at);

        if (text.at && is_text(text, tensor))
            is_found = true;
        else if (is_found && is_key(text))
            return text;
    }
    return (struct torch_span){ 0 };
}

/* ---- checkpoints: the net ---- */

static int read_weights(const struct torch_file *f, struct torch_span numbers, const char *tensor,
                        float *weights, uint32_t inputs, uint32_t outputs)
{
    size_t wanted = sizeof(float) * inputs * outputs;

    if (numbers.length != wanted)
        return refuse_torch(f, "%s has %zu bytes; those of 4-12relu-12relu-1tanh would be %zu", tensor,
                      numbers.length, wanted);
    for (uint32_t o = 0; o < outputs; o++)
        for (uint32_t i = 0; i < inputs; i++) {
            uint32_t bits = number_at(numbers.at + sizeof(float) * ((size_t)o * inputs + i), 4);
            float   *weight = &weights[(size_t)i * outputs + o];

            memcpy(weight, &bits, sizeof(bits));
            if (!isfinite(*weight))
                return refuse_torch(f, "%s has a weight that is not a finite number", tensor);
        }
    return 0;
}

static int read_layer(const struct torch_file *f, struct torch_span pickle, const char *tensor,
                      float *weights, uint32_t inputs, uint32_t outputs)
{
    struct torch_span key = find_key(pickle, tensor), numbers;
    char path[sizeof("/data/") + KEY_BYTES_MAX];
    int rc;

    if (!key.at)
        return refuse_torch(f, "there is no tensor %s", tensor);
    snprintf(path, sizeof(path), "/data/%.*s", (int)key.length, (const char *)key.at);
    rc = open_path(f, path, &numbers);
    return rc ? rc : read_weights(f, numbers, tensor, weights, inputs, outputs);
}

static int read_net(const struct torch_file *f, struct net *net)
{
    static const char *const tensor[] = { "net.0.weight", "net.2.weight", "output_layer.weight" };
    uint32_t inputs = net->shape.inputs;
    float *weights = net->parameter;
    struct torch_span pickle;
    int rc = open_path(f, "/data.pkl", &pickle);

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
    struct torch_file f = { name, bytes, length, err };
    struct policy read = { .body = POLICY_MLP, .range = POLICY_RANGE };
    int rc;

    net_init(&read.mlp, &policy_shape_mlp);
    rc = read_net(&f, &read.mlp);
    if (rc)
        policy_fini(&read);
    else
        *p = read;
    return rc;
}

/* ---- files ---- */

/* A checkpoint of PyTorch becomes the model that it would be here. */
static int parse_torch(struct model *m, const char *path, const char *bytes, size_t length, struct err *err)
{
    struct policy p;
    int rc = policy_torch_parse(&p, path, bytes, length, err);

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
    rc = policy_torch_is(bytes, length) ? parse_torch(m, path, bytes, length, err)
                                        : model_parse(m, path, bytes, length, err);
    free(bytes);
    return rc;
}

int policy_load(struct policy *p, const char *path, struct err *err)
{
    struct model m;
    int rc = policy_model_load(&m, path, err);

    if (rc)
        return rc;
    rc = policy_from_model(p, &m, path, err);
    model_fini(&m);
    return rc;
}

