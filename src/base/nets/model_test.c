#include "base/nets/model.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* 2-2relu-1tanh*: parameters 0.5, -1, 2, 3, 0.25, -0.125 and 1.5, 1/3 */
static const struct net_shape small = {
    .inputs = 2, .layers = 2, .layer = { { 2, NET_RELU, false }, { 1, NET_TANH, true } },
};
static const float parameter[] = { 0.5f, -1, 2, 3, 0.25f, -0.125f, 1.5f, 1.0f / 3 };

static void make_model(struct model *m)
{
    struct net n;

    net_init(&n, &small);
    assert_int_equal(8, n.parameters);
    memcpy(n.parameter, parameter, sizeof(parameter));
    model_init(m, "acc", &n);
    model_put(m, "seed", "1");
    model_put(m, "command", "anole train acc --out a=b");
    net_fini(&n);
}

static char *encode(size_t *length)
{
    struct model m;
    char *bytes;

    make_model(&m);
    assert_int_equal(0, model_encode(&m, "m", &bytes, length, NULL));
    model_fini(&m);
    return bytes;
}

/* Independent CRC-32C, by a table. */
static uint32_t crc(const char *bytes, size_t length)
{
    uint32_t table[256], sum = 0xffffffffu;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int j = 0; j < 8; j++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0x82f63b78u : table[i] >> 1;
    }
    for (size_t i = 0; i < length; i++)
        sum = sum >> 8 ^ table[(sum ^ (unsigned char)bytes[i]) & 255];
    return sum ^ 0xffffffffu;
}

static void put_u32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(value >> 8 * i);
}

/* Fixes length and checksum, parses the bytes, and returns the reason of the refusal. */
static const char *reason(char *bytes, size_t length)
{
    static struct err err;
    struct model m;

    put_u32(bytes + 8, (uint32_t)length);
    put_u32(bytes + length - 4, crc(bytes, length - 4));
    assert_int_equal(-EINVAL, model_parse(&m, "m", bytes, length, &err));
    return err.text;
}

static bool is_number(const json_t *json, float want)
{
    return (float)json_number_value(json) == want;
}

/* ---- notes ---- */

static void put__replaces_and_keeps_lines_whole(void **unused)
{
    struct model m;

    (void)unused;
    make_model(&m);
    assert_null(model_get(&m, "sed"));
    assert_string_equal("1", model_get(&m, "seed"));
    model_put(&m, "seed", "two\nlines");
    assert_string_equal("two?lines", model_get(&m, "seed"));
    assert_int_equal(2, m.notes);
    model_fini(&m);
}

/* ---- bodies ---- */

static void body__is_written_and_read(void **unused)
{
    static const char want[] = "ANOLENN\2" "\x23\0\0\0" "\4\0\0\0" "tree" "\0\0\0\0" "\3\0\0\0" "a\0b";
    size_t length;
    struct model m;
    struct err err;
    char *bytes, *json;

    (void)unused;
    model_init_body(&m, "tree", "a\0b", 3);
    assert_int_equal(0, model_encode(&m, "m", &bytes, &length, NULL));
    json = model_to_json(&m);
    assert_non_null(strstr(json, "\"bytes\": 3"));
    model_fini(&m);
    assert_int_equal(sizeof(want) - 1 + 4, length);
    assert_memory_equal(want, bytes, sizeof(want) - 1);
    assert_int_equal(0, model_parse(&m, "m", bytes, length, NULL));
    assert_int_equal(3, m.body_bytes);
    assert_memory_equal("a\0b", m.body, 3);
    assert_int_equal(-EINVAL, model_check(&m, "m", "tree", &small, &err));
    assert_string_equal("m: holds no net", err.text);
    model_fini(&m);
    put_u32(bytes + 24, 2);
    assert_string_equal("m: has 1 bytes behind its body", reason(bytes, length));
    put_u32(bytes + 24, 9);
    assert_string_equal("m: its content is cut short", reason(bytes, length));
    free(json);
    free(bytes);
}

/* ---- file format ---- */

static void encode__writes_the_format(void **unused)
{
    static const char head[] = "ANOLENN\1" "\x84\0\0\0" "\3\0\0\0" "acc"
        "\x29\0\0\0" "seed=1\ncommand=anole train acc --out a=b\n"
        "\2\0\0\0" "\2\0\0\0" "\2\0\0\0" "\1\0\0\0" "\0\0\0\0" "\1\0\0\0" "\2\0\0\0" "\1\0\0\0"
        "\0\0\0\x3f" "\0\0\x80\xbf" "\0\0\0\x40" "\0\0\x40\x40" "\0\0\x80\x3e" "\0\0\0\xbe"
        "\0\0\xc0\x3f" "\xab\xaa\xaa\x3e";
    char sum[4], *bytes;
    size_t length;

    (void)unused;
    bytes = encode(&length);
    assert_int_equal(sizeof(head) - 1 + 4, length);
    assert_memory_equal(head, bytes, sizeof(head) - 1);
    assert_int_equal(0xe3069283, crc("123456789", 9));       /* published check value of CRC-32C */
    put_u32(sum, crc(bytes, length - 4));
    assert_memory_equal(sum, bytes + length - 4, 4);
    free(bytes);
}

static void encode__refuses_non_finite_parameters(void **unused)
{
    struct model m;
    struct err err;
    size_t length;
    char *bytes;

    (void)unused;
    make_model(&m);
    m.net.parameter[3] = NAN;
    assert_int_equal(-EINVAL, model_encode(&m, "m", &bytes, &length, &err));
    assert_string_equal("m: parameter 3 of the net is not a finite number", err.text);
    assert_int_equal(-EINVAL, model_save_json(&m, "/nowhere", &err));
    model_fini(&m);
}

static void parse__reads_it_back(void **unused)
{
    size_t length, again_length;
    char *bytes = encode(&length), *again;
    struct model m;

    (void)unused;
    assert_int_equal(0, model_parse(&m, "m", bytes, length, NULL));
    assert_string_equal("acc", m.kind);
    assert_string_equal("anole train acc --out a=b", model_get(&m, "command"));
    assert_true(net_shape_equal(&m.net.shape, &small));
    assert_memory_equal(parameter, m.net.parameter, sizeof(parameter));
    assert_int_equal(0, model_encode(&m, "m", &again, &again_length, NULL));
    assert_int_equal(length, again_length);
    assert_memory_equal(bytes, again, length);
    model_fini(&m);
    free(bytes);
    free(again);
}

static void parse__refuses_any_changed_byte(void **unused)
{
    size_t length;
    char *bytes = encode(&length);
    struct model m;
    struct err err;

    (void)unused;
    for (size_t i = 0; i < length; i++)
        for (int bits = 1; bits < 256; bits++) {
            bytes[i] = (char)(bytes[i] ^ bits);
            err.text[0] = 0;
            assert_true(model_parse(&m, "m", bytes, length, &err) < 0);
            assert_memory_equal("m: is ", err.text, 6);
            bytes[i] = (char)(bytes[i] ^ bits);
        }
    free(bytes);
}

static void parse__refuses_every_other_length(void **unused)
{
    size_t length;
    char *bytes = encode(&length), *part, want[128];
    struct model m;
    struct err err;

    (void)unused;
    for (size_t i = 1; i <= length + 3; i++) {
        part = calloc(1, i);                 /* exact size, so that the sanitizer detects reads beyond it */
        assert_non_null(part);
        memcpy(part, bytes, i < length ? i : length);
        if (i == length) {
            free(part);
            continue;
        }
        assert_int_equal(-EINVAL, model_parse(&m, "m", part, i, &err));
        if (i < 12)
            snprintf(want, sizeof(want), "m: is cut short: it has %zu bytes", i);
        else
            snprintf(want, sizeof(want), "m: is %s: it has %zu bytes and should have %zu",
                     i < length ? "cut short" : "too long", i, length);
        assert_string_equal(want, err.text);
        free(part);
    }
    assert_int_equal(-EINVAL, model_parse(&m, "m", "", 0, &err));
    assert_string_equal("m: is not a model: it does not start as one", err.text);
    free(bytes);
}

static void parse__reports_other_formats(void **unused)
{
    size_t length;
    char *bytes = encode(&length);
    struct model m;
    struct err err;

    (void)unused;
    bytes[7] = 3;
    assert_int_equal(-EINVAL, model_parse(&m, "m", bytes, length, &err));
    assert_string_equal("m: is a model of version 3; this program reads versions 1 and 2", err.text);
    bytes[7] = 1;
    bytes[length - 9] ^= 1;
    assert_int_equal(-EINVAL, model_parse(&m, "m", bytes, length, &err));
    assert_string_equal("m: is damaged: its checksum is not that of its content", err.text);
    assert_int_equal(-EINVAL, model_parse(&m, "m", "topology: {kind: clos}", 22, &err));
    assert_string_equal("m: is not a model: it does not start as one", err.text);
    free(bytes);
}

/* Files with a correct checksum and wrong content: 'value' is written at 'at'. Kind is at 12, its text at 16,
 * notes at 19, their text at 23, inputs at 64, layers at 68, the first layer at 72, parameters at 96. */
static void parse__refuses_wrong_content(void **unused)
{
    static const struct { uint32_t at, value; const char *want; } row[] = {
        { 12, 0,           "m: its kind is not a word of a-z, 0-9, '_' and '-'" },
        { 12, 1u << 31,    "m: its content is cut short" },
        { 16, 0x29636341,  "m: its kind is not a word of a-z, 0-9, '_' and '-'" },
        { 19, 0xffffffff,  "m: its content is cut short" },
        { 19, 40,          "m: its last note does not end" },
        { 23, 0x3d203d20,  "m: note 1 is not 'key=value'" },
        { 23, 0x41414141,  "m: note 1 is not 'key=value'" },
        { 31, 0x6f63016d,  "m: note 2 holds a control character" },
        { 64, 0,           "m: the net has a layer without neurons or with too many" },
        { 64, 3,           "m: has 32 bytes of parameters; a net 3-2relu-1tanh* has 40" },
        { 68, 0,           "m: the net has no layers or too many" },
        { 68, 9,           "m: has 9 layers; there may be 8" },
        { 68, 8,           "m: has a layer of a kind that is not known" },
        { 72, 2049,        "m: the net has a layer without neurons or with too many" },
        { 72, 2048,        "m: has 32 bytes of parameters; a net 2-2048relu-1tanh* has 32768" },
        { 76, 3,           "m: has a layer of a kind that is not known" },
        { 80, 2,           "m: has a layer of a kind that is not known" },
        { 96, 0x7f800000,  "m: parameter 0 of the net is not a finite number" },
        { 124, 0x7fc00000, "m: parameter 7 of the net is not a finite number" },
    };

    (void)unused;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
        size_t length;
        char *bytes = encode(&length);

        put_u32(bytes + row[i].at, row[i].value);
        assert_string_equal(row[i].want, reason(bytes, length));
        free(bytes);
    }
}

static void parse__refuses_a_second_note_of_a_name(void **unused)
{
    static const char twice[] = "seed=1\nseed=2\n";
    size_t length;
    char *bytes = encode(&length);

    (void)unused;
    memcpy(bytes + 23, twice, sizeof(twice) - 1);
    assert_string_equal("m: has two notes 'seed'", reason(bytes, length));
    free(bytes);
}

static void parse__stops_at_the_end(void **unused)
{
    static const struct { uint32_t length; const char *want; } row[] = {
        { 16,  "m: its content is cut short" },
        { 17,  "m: its content is cut short" },
        { 21,  "m: its content is cut short" },
        { 24,  "m: its content is cut short" },
        { 66,  "m: its content is cut short" },
        { 69,  "m: its content is cut short" },
        { 74,  "m: its content is cut short" },
        { 84,  "m: its content is cut short" },
        { 100, "m: has 0 bytes of parameters; a net 2-2relu-1tanh* has 32" },
    };

    (void)unused;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
        size_t length;
        char *bytes = encode(&length);

        assert_string_equal(row[i].want, reason(bytes, row[i].length));
        free(bytes);
    }
}

static void check__wants_kind_and_shape(void **unused)
{
    struct net_shape wanted = small;
    struct model m;
    struct err err;

    (void)unused;
    make_model(&m);
    assert_int_equal(0, model_check(&m, "m", "acc", &small, NULL));
    assert_int_equal(0, model_check(&m, "m", "acc", NULL, NULL));
    assert_int_equal(-EINVAL, model_check(&m, "m", "rlcc", &small, &err));
    assert_string_equal("m: is a model for acc, not for rlcc", err.text);
    wanted.layer[1].is_unbiased = false;
    assert_int_equal(-EINVAL, model_check(&m, "m", "acc", &wanted, &err));
    assert_string_equal("m: is a net 2-2relu-1tanh*; wanted is 2-2relu-1tanh", err.text);
    model_fini(&m);
}

/* ---- files ---- */

static void save__and_load(void **unused)
{
    char folder[] = "/tmp/model_test.XXXXXX", path[64];
    struct model m, back;
    struct err err;

    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/m.acc", folder);
    make_model(&m);
    assert_int_equal(-ENOENT, model_load(&back, path, &err));
    for (int i = 0; i < 2; i++)              /* the second time over the first */
        assert_int_equal(0, model_save(&m, path, NULL));
    assert_int_equal(0, model_load(&back, path, NULL));
    assert_memory_equal(parameter, back.net.parameter, sizeof(parameter));
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));      /* no temporary files were left */
    assert_true(model_save(&m, "/dev/null/m.acc", &err) < 0);
    assert_non_null(strstr(err.text, "/dev/null"));
    assert_int_equal(-EINVAL, model_save(&m, "/dev/null", &err));
    assert_string_equal("/dev/null: exists and is not a regular file", err.text);
    model_fini(&m);
    model_fini(&back);
}

static void save__keeps_the_old_file_when_it_fails(void **unused)
{
    char folder[] = "/tmp/model_test.XXXXXX", path[64];
    struct model m, back;

    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/m.acc", folder);
    make_model(&m);
    assert_int_equal(0, model_save(&m, path, NULL));
    m.net.parameter[0] = INFINITY;
    assert_int_equal(-EINVAL, model_save(&m, path, NULL));
    assert_int_equal(0, model_load(&back, path, NULL));
    assert_true(back.net.parameter[0] == parameter[0]);
    unlink(path);
    rmdir(folder);
    model_fini(&m);
    model_fini(&back);
}

/* ---- JSON ---- */

static void to_json__is_complete(void **unused)
{
    struct model m;
    char *text, *command;
    json_t *root, *layers;

    (void)unused;
    make_model(&m);
    model_put(&m, "bytes", "\xff\xfe.");     /* not UTF-8 */
    text = model_to_json(&m);
    root = json_loads(text, 0, NULL);
    assert_non_null(root);
    assert_int_equal(0, json_unpack(root, "{s{ss}so}", "notes", "command", &command, "layers", &layers));
    assert_string_equal("anole train acc --out a=b", command);
    assert_string_equal("??.", json_string_value(json_object_get(json_object_get(root, "notes"), "bytes")));
    assert_string_equal("acc", json_string_value(json_object_get(root, "kind")));
    assert_int_equal(2, json_integer_value(json_object_get(root, "inputs")));
    assert_int_equal(2, json_array_size(layers));
    for (int i = 0; i < 2; i++) {
        json_t *layer = json_array_get(layers, (size_t)i), *weights = json_object_get(layer, "weights");
        int outputs = 2 - i;

        assert_int_equal(outputs, json_integer_value(json_object_get(layer, "outputs")));
        assert_string_equal(i ? "tanh" : "relu", json_string_value(json_object_get(layer, "activation")));
        assert_int_equal(2, json_array_size(weights));
        for (int j = 0; j < 2 * outputs; j++) {
            json_t *of_input = json_array_get(weights, (size_t)(j / outputs));

            assert_true(is_number(json_array_get(of_input, (size_t)(j % outputs)), parameter[6 * i + j]));
        }
    }
    assert_true(is_number(json_array_get(json_object_get(json_array_get(layers, 0), "biases"), 1), -0.125f));
    assert_null(json_object_get(json_array_get(layers, 1), "biases"));
    json_decref(root);
    free(text);
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put__replaces_and_keeps_lines_whole),
        cmocka_unit_test(body__is_written_and_read),
        cmocka_unit_test(encode__writes_the_format),
        cmocka_unit_test(encode__refuses_non_finite_parameters),
        cmocka_unit_test(parse__reads_it_back),
        cmocka_unit_test(parse__refuses_any_changed_byte),
        cmocka_unit_test(parse__refuses_every_other_length),
        cmocka_unit_test(parse__reports_other_formats),
        cmocka_unit_test(parse__refuses_wrong_content),
        cmocka_unit_test(parse__refuses_a_second_note_of_a_name),
        cmocka_unit_test(parse__stops_at_the_end),
        cmocka_unit_test(check__wants_kind_and_shape),
        cmocka_unit_test(save__and_load),
        cmocka_unit_test(save__keeps_the_old_file_when_it_fails),
        cmocka_unit_test(to_json__is_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
