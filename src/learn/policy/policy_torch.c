#include "learn/policy/policy_torch.h"

#include <math.h>
#include <string.h>

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

#define refuse(file, format, ...) \
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

/* ---- zip ---- */

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
        return refuse(f, "the archive is compressed");
    if (at > f->length || f->length - at < LOCAL_BYTES || number_at(f->bytes + at, 4) != LOCAL_SIGNATURE)
        return refuse(f, "the archive is damaged");
    at += LOCAL_BYTES + number_at(f->bytes + at + 26, 2) + number_at(f->bytes + at + 28, 2);
    if (at > f->length || f->length - at < size)
        return refuse(f, "the archive is damaged");
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
    return refuse(f, "there is no %s in it", path + 1);
}

/* ---- pickle ---- */

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

/* ---- the net ---- */

static int read_weights(const struct torch_file *f, struct torch_span numbers, const char *tensor,
                        float *weights, uint32_t inputs, uint32_t outputs)
{
    size_t wanted = sizeof(float) * inputs * outputs;

    if (numbers.length != wanted)
        return refuse(f, "%s has %zu bytes; those of 4-12relu-12relu-1tanh would be %zu", tensor,
                      numbers.length, wanted);
    for (uint32_t o = 0; o < outputs; o++)
        for (uint32_t i = 0; i < inputs; i++) {
            uint32_t bits = number_at(numbers.at + sizeof(float) * ((size_t)o * inputs + i), 4);
            float   *weight = &weights[(size_t)i * outputs + o];

            memcpy(weight, &bits, sizeof(bits));
            if (!isfinite(*weight))
                return refuse(f, "%s has a weight that is not a finite number", tensor);
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
        return refuse(f, "there is no tensor %s", tensor);
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
        return refuse(f, "the net has biases");
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
