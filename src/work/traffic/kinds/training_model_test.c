/* src/work/traffic/kinds/training_model_test.c - shapes of models, against published numbers. */
#include "work/traffic/kinds/training.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Billions of parameters, as published: Llama 3.1 (8.03, 70.6, 405.9), "Mixtral of Experts" (46.7, 12.9 of
 * them per token), the DeepSeek-V3 report (671, 37). Bytes of keys and values per token by hand: layers x
 * (keys and values of the KV heads, 128 wide) x 2 bytes; DeepSeek stores 512 + 64 values per layer. */
static const struct { const char *name; double all, active, cache; } published[] = {
    { "llama_8b", 8.03, 8.03, 32 * 2 * 8 * 128 * 2 },
    { "llama_70b", 70.6, 70.6, 80 * 2 * 8 * 128 * 2 },
    { "llama_405b", 405.9, 405.9, 126 * 2 * 8 * 128 * 2 },
    { "mixtral_8x7b", 46.7, 12.9, 32 * 2 * 8 * 128 * 2 },
    { "deepseek_v3", 671, 37, 61 * (512 + 64) * 2 },
};
enum { PUBLISHED = sizeof published / sizeof *published };

static void models__have_the_published_sizes(void **unused)
{
    char *text, row[60];
    FILE *out = text_stream(&text);

    (void)unused;
    model_print_markdown(out);
    fclose(out);
    for (int i = 0; i < PUBLISHED; i++) {
        double      all = 0, active = 0, cache = 0;
        const char *at;

        assert_string_equal(model_names[i], published[i].name);
        snprintf(row, sizeof row, "| `%s` |", published[i].name);
        at = strstr(text, row);
        assert_non_null(at);
        assert_int_equal(sscanf(at + strlen(row), " %lf billion | %lf | %lf", &all, &active, &cache), 3);
        assert_true(all > 0.99 * published[i].all && all < 1.01 * published[i].all);
        assert_true(active > 0.98 * published[i].active && active < 1.02 * published[i].active);
        assert_true(cache == published[i].cache);
        assert_true(model_cache_bytes((uint32_t)i) == published[i].cache);
    }
    assert_null(model_names[PUBLISHED]);
    free(text);
}

/* Two layers of width 4 with 2 heads, 1 of them for keys and values, and a vocabulary of 10: attention 4 x 4
 * x 2 (query, output) + 4 x 2 x 2 (key, value) = 48; feed-forward 3 x 4 x 8 = 96; input and output tables 2 x
 * 10 x 4 = 80. Then one of the layers has 3 experts of width 5, 2 of them active, and 1 shared expert: 60
 * parameters per expert. */
static void parameters__by_hand(void **unused)
{
    static const struct model_shape dense = { .layers = 2, .hidden = 4, .ffn = 8, .heads = 2, .kv_heads = 1,
                                              .vocabulary = 10 };
    struct model_shape              mixed = dense;

    (void)unused;
    assert_true(model_parameters(&dense) == 2 * (48 + 96) + 80);
    assert_true(model_active_parameters(&dense) == 2 * (48 + 96) + 80);
    mixed.experts = 3;
    mixed.active = 2;
    mixed.shared = 1;
    mixed.expert_ffn = 5;
    mixed.dense_layers = 1;
    assert_true(model_parameters(&mixed) == 2 * 48 + 96 + 4 * 60 + 80);
    assert_true(model_active_parameters(&mixed) == 2 * 48 + 96 + 3 * 60 + 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models__have_the_published_sizes),
        cmocka_unit_test(parameters__by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
