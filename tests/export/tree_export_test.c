/* tests/export/tree_export_test.c - exported trees, compiled without a library, decide like their walker.
 *
 * On this processor in 10^7 states; on others in 10^6, if their compiler and an emulator are installed
 * (tools/deps nic). Run it at the top of the repository.
 */
#include "base/nets/tree/tree_export.h"

#include "train/trees/distil.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/tree/test_forest.h"
#include "states.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define FLAGS "-O2 -std=gnu11 -Wall -Wextra -Werror -ffreestanding -nostdlib -static -fno-pie -no-pie " \
              "-fno-stack-protector -fno-builtin -Wl,--no-relax -Itests/export -Itests/export/doca"

struct machine { const char *name, *compiler, *runner; uint64_t states, flows; };

static const struct machine here = { "here", "cc", "", 10000000, 20000 };
static const struct machine x86_64 = { "x86-64", "x86_64-linux-gnu-gcc", "qemu-x86_64-static",
                                       1000000, 2000 };
static const struct machine aarch64 = { "aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64-static",
                                        1000000, 2000 };
static const struct machine riscv64 = { "riscv64", "riscv64-linux-gnu-gcc -march=rv64imac -mabi=lp64",
                                        "qemu-riscv64-static", 1000000, 2000 };

static struct rule_params params;
static char folder[] = "/tmp/anole-export-XXXXXX";

/* Ten trees of depth 4 with thresholds where they matter. They never raise the rate above the target, so
 * CERTIFY_RISING holds too. */
static void make_forest(struct forest *f)
{
    struct rng rng;

    rng_init(&rng, 4, 0);
    test_forest_draw(f, 10, 1500, 900, &rng);
    f->base -= 20000;
    f->tree[0] = (struct tree){ 1, { { 0, TREE_DELTA } }, { 22000, 0 } };
    for (uint32_t i = 1; i < f->trees; i++) {
        while (f->tree[i].depth < TREE_DEPTH_MAX) {
            uint32_t leaves = 1u << f->tree[i].depth;

            f->tree[i].split[f->tree[i].depth++] =
                (struct tree_split){ (int16_t)(rng_below(&rng, 3000) - 1500), (uint8_t)rng_below(&rng, 4) };
            for (uint32_t j = 0; j < leaves; j++)
                f->tree[i].leaf[leaves + j] = -f->tree[i].leaf[j];
        }
    }
}

static bool is_installed(const char *command)
{
    char text[256];

    snprintf(text, sizeof(text), "command -v %.*s >/dev/null 2>&1", (int)strcspn(command, " "), command);
    return system(text) == 0;
}

static void export_to(const char *path, enum tree_export_layout layout, const struct forest *f)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(0, tree_export(out, layout, f, &params, "trees of a test", NULL));
    fclose(out);
}

static void run(const char *command, char *text, int size)
{
    FILE *in = popen(command, "r");
    size_t length;

    assert_non_null(in);
    length = fread(text, 1, (size_t)size - 1, in);
    text[length] = 0;
    assert_int_equal(0, pclose(in));
}

/* Compiles tests/export/main_'name'.c with the exported code and returns its output. */
static void run_export(const struct machine *m, const char *name, char *text, int size)
{
    char command[1024];

    snprintf(command, sizeof(command),
             "%s " FLAGS " -DEXPORTED='\"%s/rlcc.c\"' -DSTATES=%" PRIu64 " -DFLOWS=%" PRIu64
             " tests/export/main_%s.c -o %s/%s",
             m->compiler, folder, m->states, m->flows, name, folder, name);
    assert_int_equal(0, system(command));
    snprintf(command, sizeof(command), "%s %s/%s", m->runner, folder, name);
    run(command, text, size);
}

static uint64_t walk_trees(const struct forest *f, uint64_t states)
{
    uint64_t x = STATES_BEGIN, digest = DIGEST_BEGIN;

    for (uint64_t i = 0; i < states; i++) {
        int16_t feature[4];

        states_draw(&x, feature);
        digest = digest_add_value(digest, (uint32_t)forest_multiplier(f, feature));
    }
    return digest;
}

/* rate 0: drawn for each flow. */
static uint64_t walk_flows(const struct forest *f, uint64_t flows, uint32_t rate)
{
    uint64_t x = STATES_BEGIN, digest = DIGEST_BEGIN;
    struct rule r;

    rule_init(&r, f, &params);
    for (uint64_t i = 0; i < flows; i++) {
        struct rule_flow flow;

        rule_start(&flow, rate ? rate : (uint32_t)(states_next(&x) >> 32));
        for (int j = 0; j < 100; j++)
            digest = digest_add_value(digest, rule_decide(&r, &flow, states_rtt_ns(&x)));
    }
    return digest;
}

static void check_machine(const struct machine *m, const struct forest *forest)
{
    char is[128], want[128], path[64];
    struct forest f = *forest;

    if (!is_installed(m->compiler) || (*m->runner && !is_installed(m->runner)))
        skip();
    snprintf(path, sizeof(path), "%s/rlcc.c", folder);
    export_to(path, TREE_EXPORT_C, &f);
    run_export(m, "tree", is, sizeof(is));
    snprintf(want, sizeof(want), "%016" PRIx64 "\n%016" PRIx64 "\n", walk_trees(&f, m->states),
             walk_flows(&f, m->flows, 0));
    assert_string_equal(want, is);
    export_to(path, TREE_EXPORT_DOCA, &f);
    run_export(m, "doca", is, sizeof(is));
    snprintf(want, sizeof(want), "%016x\n%016" PRIx64 "\n", 0, walk_flows(&f, m->flows, RULE_RATE_ONE));
    assert_string_equal(want, is);
}

static void export__decides_as_the_walker_here(void **unused)
{
    struct forest f;

    (void)unused;
    make_forest(&f);
    check_machine(&here, &f);
}

static void export__decides_as_the_walker_on_x86_64(void **unused)
{
    struct forest f;

    (void)unused;
    make_forest(&f);
    check_machine(&x86_64, &f);
}

static void export__decides_as_the_walker_on_aarch64(void **unused)
{
    struct forest f;

    (void)unused;
    make_forest(&f);
    check_machine(&aarch64, &f);
}

static void export__decides_as_the_walker_on_riscv64(void **unused)
{
    struct forest f;

    (void)unused;
    make_forest(&f);
    check_machine(&riscv64, &f);
}

/* Trees as anole distil makes them, with a grid of fewer states. */
static void export__decides_as_the_walker_when_distilled(void **unused)
{
    const struct distil_cfg cfg = { .tree.sweeps = 3, .grid = { .actions = 3, .deltas = 40 }, .seed = 1 };
    struct distil_report report;
    struct policy net, trees;

    (void)unused;
    assert_int_equal(0, policy_load(&net, "tests/data/rlcc/mlp.rlcc", NULL));
    assert_int_equal(0, distil_trees(&trees, &net, &cfg, NULL, &report, NULL));
    check_machine(&here, &trees.trees);
    policy_fini(&net);
}

/* Forests of any number of trees, including shallow ones and none: they compile, and decide like the
 * walker. */
static void export__writes_forests_of_any_size(void **unused)
{
    static const uint32_t trees[] = { 0, 1, 2, 16 };
    const struct machine m = { "here", "cc", "", 100000, 100 };
    struct rng rng;

    (void)unused;
    rng_init(&rng, 9, 0);
    for (int i = 0; i < 4; i++) {
        char is[128], want[128], path[64];
        struct forest f;

        test_forest_draw(&f, trees[i], 700, 1000, &rng);
        f.base -= 1000 * (int32_t)trees[i];      /* never raises the rate */
        if (trees[i] == 2)
            f.tree[1].leaf[0] = -40000;          /* does not fit in 16 bits */
        snprintf(path, sizeof(path), "%s/rlcc.c", folder);
        export_to(path, TREE_EXPORT_C, &f);
        run_export(&m, "tree", is, sizeof(is));
        snprintf(want, sizeof(want), "%016" PRIx64 "\n%016" PRIx64 "\n", walk_trees(&f, m.states),
                 walk_flows(&f, m.flows, 0));
        assert_string_equal(want, is);
    }
}

static void export__refuses_uncertified_trees(void **unused)
{
    FILE *out = fopen("/dev/null", "w");
    struct rule_params bad = params;
    struct forest f;
    struct err err;

    (void)unused;
    forest_init(&f);
    f.base++;
    assert_int_equal(-EPERM, tree_export(out, TREE_EXPORT_C, &f, &params, "", &err));
    assert_string_equal(
        "not exported, because this is not so: the rate never goes up when the RTT is above its "
        "target and rising; broken by actions 0.8333, 0.8333 and deltas -128.0000, 127.9961: "
        "multiplier 1.00002",
        err.text);
    f.base--;
    bad.rate_min = 1;
    assert_int_equal(-EPERM, tree_export(out, TREE_EXPORT_C, &f, &bad, "", &err));
    bad = params;
    bad.gain = 0;
    assert_int_equal(-EINVAL, tree_export(out, TREE_EXPORT_C, &f, &bad, "", &err));
    assert_string_equal("the rule's scale over base RTT is out of range", err.text);
    f.trees = 99;
    assert_int_equal(-EINVAL, tree_export(out, TREE_EXPORT_C, &f, &params, "", &err));
    assert_string_equal("the forest has too many trees", err.text);
    fclose(out);
}

/* The text contains no floating point, division or remainder. */
static void export__uses_integers_only(void **unused)
{
    static const char *const word[] = { "float", "double", "malloc", "while", " / ", " % ", "#include <m" };
    char *text, *code;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct forest f;

    (void)unused;
    make_forest(&f);
    assert_int_equal(0, tree_export(out, TREE_EXPORT_C, &f, &params, "trees of a test", NULL));
    fclose(out);
    code = text;
    for (char *open = text; (open = strstr(open, "/*"));) {  /* comments may mention them */
        char *close = strstr(open, "*/");

        memset(open, '.', (size_t)(close + 2 - open));
    }
    for (uint32_t i = 0; i < sizeof(word) / sizeof(*word); i++)
        assert_null(strstr(code, word[i]));
    free(text);
}

/* One tree with two thresholds of one feature and one of another: searches of 2 and 1 steps, two loads, an
 * OR, four for the tree, two for the bounds. */
static void cost__by_hand(void **unused)
{
    struct forest f;
    struct tree_export_cost c;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 3, { { 5, TREE_DELTA }, { 9, TREE_DELTA }, { 0, TREE_ACTION } }, { 0 } };
    c = tree_export_cost(&f);
    assert_int_equal(2 + 1 + 2 + 1 + 4 + 2, c.operations);
    assert_int_equal(256 * 2 + 3 * 8 + 2 * 8, c.table_bytes);
    make_forest(&f);
    assert_true(tree_export_cost(&f).operations <= 100);
    assert_true(tree_export_cost(&f).table_bytes <= 4096);
}

static int begin(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL);
}

static int end(void **unused)
{
    char command[64];

    (void)unused;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(export__decides_as_the_walker_here),
        cmocka_unit_test(export__decides_as_the_walker_on_x86_64),
        cmocka_unit_test(export__decides_as_the_walker_on_aarch64),
        cmocka_unit_test(export__decides_as_the_walker_on_riscv64),
        cmocka_unit_test(export__decides_as_the_walker_when_distilled),
        cmocka_unit_test(export__writes_forests_of_any_size),
        cmocka_unit_test(export__refuses_uncertified_trees),
        cmocka_unit_test(export__uses_integers_only),
        cmocka_unit_test(cost__by_hand),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
