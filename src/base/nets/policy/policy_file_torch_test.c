/* src/base/nets/policy/policy_file_torch_test.c - reads archives with the layout of torch.save(). They are
 * made here: the authors' file has no licence. */
#include "base/nets/policy/policy_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define FILES_MAX 8

struct archive {
    FILE          *f;
    unsigned char *bytes;
    size_t         length;
    struct { char name[32]; uint32_t at, size, content; } file[FILES_MAX];
    uint32_t       files;
};

static void put(FILE *f, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc(i < 4 ? (int)(value >> 8 * i & 255) : 0, f);
}

/* PyTorch leaves sizes and checksums out of the local header, and aligns content to 64 bytes by an extra
 * field. */
static void add_file(struct archive *a, const char *name, const void *content, uint32_t size)
{
    uint32_t at = (uint32_t)ftell(a->f), padding = (64 - (at + 30 + (uint32_t)strlen(name)) % 64) % 64;

    snprintf(a->file[a->files].name, sizeof(a->file[0].name), "%s", name);
    a->file[a->files].at = at;
    a->file[a->files].content = at + 30 + (uint32_t)strlen(name) + padding;
    a->file[a->files++].size = size;
    put(a->f, 0x04034b50, 4);
    put(a->f, 0, 22);
    put(a->f, (uint32_t)strlen(name), 2);
    put(a->f, padding, 2);
    fputs(name, a->f);
    put(a->f, 0, (int)padding);
    fwrite(content, 1, size, a->f);
}

static void end_archive(struct archive *a, uint32_t method)
{
    uint32_t at = (uint32_t)ftell(a->f);

    for (uint32_t i = 0; i < a->files; i++) {
        put(a->f, 0x02014b50, 4);
        put(a->f, 0, 6);
        put(a->f, method, 2);
        put(a->f, 0, 8);
        put(a->f, a->file[i].size, 4);
        put(a->f, a->file[i].size, 4);
        put(a->f, (uint32_t)strlen(a->file[i].name), 2);
        put(a->f, 0, 12);
        put(a->f, a->file[i].at, 4);
        fputs(a->file[i].name, a->f);
    }
    put(a->f, 0x06054b50, 4);
    put(a->f, 0, 4);
    put(a->f, a->files, 2);
    put(a->f, a->files, 2);
    put(a->f, 0, 4);
    put(a->f, at, 4);
    put(a->f, 0, 2);
    fclose(a->f);
}

static void put_text(FILE *f, const char *text)
{
    fputc('X', f);
    put(f, (uint32_t)strlen(text), 4);
    fputs(text, f);
    fputs("q\x04", f);
}

/* Storages are numbered as the tensors are: 2, 0, 1. */
static void add_pickle(struct archive *a, const char *first)
{
    static const char *const tensor[] = { "", "net.2.weight", "output_layer.weight" };
    static const char *const key[] = { "2", "0", "1" };
    char *pickle;
    size_t length;
    FILE *f = open_memstream(&pickle, &length);

    fputs("\x80\x02}q", f);
    put_text(f, "model_state_dict");
    for (int i = 0; i < 3; i++) {
        put_text(f, i ? tensor[i] : first);
        put_text(f, "storage");
        put_text(f, key[i]);
        put_text(f, "cuda:0");
    }
    put_text(f, "3");
    fclose(f);
    add_file(a, "archive/data.pkl", pickle, (uint32_t)length);
    free(pickle);
}

/* Weights by layer, output and input, all different. */
static float weight(uint32_t layer, uint32_t output, uint32_t input)
{
    return 1000 * (float)(layer + 1) + 20 * (float)output + (float)input;
}

static void add_weights(struct archive *a, const char *name, uint32_t layer, uint32_t outputs,
                        uint32_t inputs)
{
    float numbers[12 * 12];

    for (uint32_t o = 0; o < outputs; o++)
        for (uint32_t i = 0; i < inputs; i++)
            numbers[o * inputs + i] = weight(layer, o, i);
    add_file(a, name, numbers, outputs * inputs * (uint32_t)sizeof(float));
}

static void make_archive(struct archive *a, const char *first, uint32_t method)
{
    *a = (struct archive){ 0 };
    a->f = open_memstream((char **)&a->bytes, &a->length);
    add_pickle(a, first);
    add_weights(a, "archive/data/0", 1, 12, 12);
    add_weights(a, "archive/data/1", 2, 1, 12);
    add_weights(a, "archive/data/2", 0, 12, 4);
    add_weights(a, "archive/data/3", 9, 1, 1);
    end_archive(a, method);
}

/* PyTorch has [output][input], we have [input][output]. */
static void parse__puts_each_weight_in_its_place(void **unused)
{
    static const uint32_t inputs[] = { 4, 12, 12 }, outputs[] = { 12, 12, 1 };
    struct archive a;
    struct policy p;
    const float *w;

    (void)unused;
    make_archive(&a, "net.0.weight", 0);
    assert_true(policy_torch_is(a.bytes, a.length));
    assert_int_equal(0, policy_torch_parse(&p, "m", a.bytes, a.length, NULL));
    assert_int_equal(POLICY_MLP, p.body);
    w = p.mlp.parameter;
    for (uint32_t layer = 0; layer < 3; layer++)
        for (uint32_t i = 0; i < inputs[layer]; i++)
            for (uint32_t o = 0; o < outputs[layer]; o++)
                assert_true(*w++ == weight(layer, o, i));
    policy_fini(&p);
    free(a.bytes);
}

static const char *reason(const struct archive *a, size_t length)
{
    static struct err err;
    struct policy p;

    assert_int_equal(-EINVAL, policy_torch_parse(&p, "m", a->bytes, length, &err));
    return err.text;
}

static void parse__refuses_with_one_clear_line(void **unused)
{
    struct archive a;

    (void)unused;
    make_archive(&a, "net.0.weight", 8);
    assert_string_equal("m: is no checkpoint of RL-CC: the archive is compressed", reason(&a, a.length));
    free(a.bytes);
    make_archive(&a, "actor.weight", 0);
    assert_string_equal("m: is no checkpoint of RL-CC: there is no tensor net.0.weight",
                        reason(&a, a.length));
    free(a.bytes);
    make_archive(&a, "net.0.bias", 0);
    assert_string_equal("m: is no checkpoint of RL-CC: the net has biases", reason(&a, a.length));
    free(a.bytes);
    make_archive(&a, "net.0.weight", 0);
    assert_string_equal("m: is no checkpoint of RL-CC: there is no data.pkl in it",
                        reason(&a, a.length - 30));
    memset(a.bytes + a.file[3].content, 0xff, 4);            /* a weight of the first layer */
    assert_string_equal("m: is no checkpoint of RL-CC: net.0.weight has a weight that is not a finite number",
                        reason(&a, a.length));
    free(a.bytes);
}

/* A file with one changed byte, or cut short anywhere, is either read or refused. No byte beyond its end is
 * read. */
static void parse__survives_damage(void **unused)
{
    struct archive a;
    struct policy p;

    (void)unused;
    make_archive(&a, "net.0.weight", 0);
    for (size_t i = 0; i < a.length; i++) {
        unsigned char *copy = malloc(a.length);

        memcpy(copy, a.bytes, a.length);
        copy[i] ^= 0xff;
        if (!policy_torch_parse(&p, "m", copy, a.length, NULL))
            policy_fini(&p);
        copy = realloc(copy, i + 1);
        copy[i] ^= 0xff;
        if (!policy_torch_parse(&p, "m", copy, i + 1, NULL))
            policy_fini(&p);
        free(copy);
    }
    free(a.bytes);
}

/* A checkpoint is recognized by its first bytes. */
static void load__takes_a_checkpoint(void **unused)
{
    char path[] = "/tmp/anole_torch_XXXXXX";
    int fd = mkstemp(path);
    struct archive a;
    struct policy p;

    (void)unused;
    make_archive(&a, "net.0.weight", 0);
    assert_true(write(fd, a.bytes, a.length) == (ssize_t)a.length);
    close(fd);
    assert_int_equal(0, policy_load(&p, path, NULL));
    assert_true(p.mlp.parameter[0] == weight(0, 0, 0));
    policy_fini(&p);
    unlink(path);
    free(a.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__puts_each_weight_in_its_place),
        cmocka_unit_test(parse__refuses_with_one_clear_line),
        cmocka_unit_test(parse__survives_damage),
        cmocka_unit_test(load__takes_a_checkpoint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
