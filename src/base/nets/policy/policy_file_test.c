#include "base/nets/policy/policy_file.h"

#include "base/nets/policy/policy_story.h"
#include "base/nets/tree/test_forest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void make_policy(struct policy *p, enum policy_body body)
{
    struct policy mlp;
    struct forest f;
    struct rng rng;

    rng_init(&rng, 3, body);
    policy_init_mlp(&mlp, &rng);
    mlp.range = 0.25f;
    if (body == POLICY_MLP) {
        *p = mlp;
        return;
    }
    if (body == POLICY_LSTM)
        policy_init_lstm(p, &rng);
    else if (body == POLICY_INT8_LSTM) {
        struct policy lstm;

        policy_init_lstm(&lstm, &rng);
        assert_int_equal(0, policy_init_int8(p, &lstm, NULL));
        policy_fini(&lstm);
    } else if (body == POLICY_INT8)
        assert_int_equal(0, policy_init_int8(p, &mlp, NULL));
    else {
        test_forest_draw(&f, 10, 300, 3000, &rng);
        policy_init_trees(p, &f);
    }
    policy_fini(&mlp);
}

static char *encode(const struct policy *p, size_t *length)
{
    struct model m;
    char *bytes;

    policy_to_model(p, &m);
    assert_int_equal(0, model_encode(&m, "m", &bytes, length, NULL));
    model_fini(&m);
    return bytes;
}

/* Encode, decode, encode: the same bytes and the same decisions. */
static void from_model__round_trip(void **unused)
{
    (void)unused;
    for (int body = 0; body < POLICY_BODIES; body++) {
        policy_table before, after;
        struct policy p, again;
        struct model m;
        size_t length, again_length;
        char *bytes, *again_bytes;

        make_policy(&p, body);
        bytes = encode(&p, &length);
        assert_int_equal(0, model_parse(&m, "m", bytes, length, NULL));
        assert_int_equal(0, policy_from_model(&again, &m, "m", NULL));
        assert_int_equal(body, again.body);
        again_bytes = encode(&again, &again_length);
        assert_int_equal(length, again_length);
        assert_memory_equal(bytes, again_bytes, length);
        policy_table_fill(before, &p);
        policy_table_fill(after, &again);
        assert_memory_equal(before, after, sizeof(before));
        model_fini(&m);
        policy_fini(&p);
        policy_fini(&again);
        free(bytes);
        free(again_bytes);
    }
}

/* Samples one byte from the middle of each kind's content. */
static void to_model__writes_the_format(void **unused)
{
    static const unsigned char want[] = {
        1, 0, 0, 0,  1, 0, 0, 0,  0, 0, 1, 0,  0x55, 0xd5, 0, 0,  0x33, 0x33, 1, 0,
        1, 0, 0, 0,  3, 0, 0, 0,  0xfe, 0xff, 0xff, 0xff,  7, 0, 0, 0,  0xf9, 0xff, 0xff, 0xff,
    };
    struct forest f;
    struct policy p;
    struct model m;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 1, { { -2, TREE_DELTA } }, { 7, -7 } };
    policy_init_trees(&p, &f);
    policy_to_model(&p, &m);
    assert_string_equal("rlcc-trees", m.kind);
    assert_int_equal(sizeof(want), m.body_bytes);
    assert_memory_equal(want, m.body, sizeof(want));
    model_fini(&m);
}

static const char *reason(const struct model *m)
{
    static struct err err;
    struct policy p;

    assert_int_equal(-EINVAL, policy_from_model(&p, m, "m", &err));
    return err.text;
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* Each case: body, index of a word, new value, and the expected reason. */
static void from_model__refuses_with_one_clear_line(void **unused)
{
    static const struct { enum policy_body body; uint32_t at, value; const char *why; } row[] = {
        { POLICY_LSTM, 0, 2, "m: is a policy of version 2; this program reads version 1" },
        { POLICY_LSTM, 4, 17, "m: is an LSTM of another shape than 2-32relu-16relu-lstm16-1tanh" },
        { POLICY_LSTM, 8, 3, "m: is an LSTM of another shape than 2-32relu-16relu-lstm16-1tanh" },
        { POLICY_LSTM, 12, 99, "m: has 99 layers; there may be 8" },
        { POLICY_LSTM, 20, 9, "m: has a layer of a kind that is not known" },
        { POLICY_LSTM, 64, 0x7fc00000, "m: parameter 1 of the net is not a finite number" },
        { POLICY_INT8, 4, 9, "m: its content is cut short" },
        { POLICY_INT8, 4, 0, "m: the net has no layers or too many" },
        { POLICY_INT8, 8, 65, "m: the net has layers that do not fit together" },
        { POLICY_INT8, 12, 77, "m: the net has a scale out of range" },
        { POLICY_INT8_LSTM, 4, 9, "m: its content is cut short" },
        { POLICY_INT8_LSTM, 12, 33, "m: the net has a scale out of range" },
        { POLICY_INT8_LSTM, 144, 0x7fffffff, "m: the net has a bias out of range" },
        { POLICY_TREES, 0, 9, "m: is a policy of version 9; this program reads version 1" },
        { POLICY_TREES, 4, 17, "m: has 17 trees; there may be 16" },
        { POLICY_TREES, 12, 70000, "m: the forest has bounds that are not on both sides of 1" },
        { POLICY_TREES, 20, 5, "m: has a tree of depth 5; there may be 4" },
        { POLICY_TREES, 24, 4, "m: has a split that no feature can have" },
        { POLICY_TREES, 28, 32768, "m: has a split that no feature can have" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct policy p;
        struct model m;

        make_policy(&p, row[i].body);
        policy_to_model(&p, &m);
        put_u32(m.body + row[i].at, row[i].value);
        assert_string_equal(row[i].why, reason(&m));
        model_fini(&m);
        policy_fini(&p);
    }
}

/* Every length but the correct one. */
static void from_model__refuses_wrong_lengths(void **unused)
{
    (void)unused;
    for (int body = POLICY_LSTM; body < POLICY_BODIES; body++) {
        struct policy p;
        struct model m;
        uint32_t whole;

        make_policy(&p, body);
        policy_to_model(&p, &m);
        whole = m.body_bytes;
        m.body = realloc(m.body, whole + 1);
        m.body[whole] = 0;
        m.body_bytes++;
        assert_string_equal("m: has 1 bytes behind its policy", reason(&m));
        for (m.body_bytes = 0; m.body_bytes < whole; m.body_bytes += 1 + m.body_bytes / 16)
            assert_string_equal("m: its content is cut short", reason(&m));
        model_fini(&m);
        policy_fini(&p);
    }
}

static void from_model__refuses_other_models(void **unused)
{
    struct net_shape s = policy_shape_mlp;
    struct model m;
    struct net n;

    (void)unused;
    net_init(&n, &s);
    model_init(&m, "acc", &n);
    assert_string_equal("m: is a model for acc, not for rlcc", reason(&m));
    model_fini(&m);
    model_init(&m, "rlcc-lstm", &n);
    assert_string_equal("m: holds a net where a body of lstm should be", reason(&m));
    model_fini(&m);
    model_init_body(&m, "rlcc-mlp", "body", 4);
    assert_string_equal("m: holds no net", reason(&m));
    model_fini(&m);
    model_init(&m, "rlcc-mlp", &n);
    model_put(&m, "range", "2");
    assert_string_equal("m: its range of actions, '2', is not a number in 0 .. 1", reason(&m));
    model_fini(&m);
    net_fini(&n);
    s.layer[0].width = 13;
    net_init(&n, &s);
    model_init(&m, "rlcc-mlp", &n);
    assert_string_equal("m: is a net 4-13relu*-12relu*-1tanh*; wanted is 4-12relu*-12relu*-1tanh*",
                        reason(&m));
    model_fini(&m);
    net_fini(&n);
}

static void load__reads_a_file_or_reports_why(void **unused)
{
    char path[] = "/tmp/anole-policy-XXXXXX";
    int fd = mkstemp(path);
    struct policy p, again;
    struct model m;
    struct err err;

    (void)unused;
    close(fd);
    make_policy(&p, POLICY_TREES);
    policy_to_model(&p, &m);
    assert_int_equal(0, model_save(&m, path, NULL));
    assert_int_equal(0, policy_load(&again, path, NULL));
    assert_memory_equal(&p.trees, &again.trees, sizeof(p.trees));
    assert_int_equal(0, truncate(path, 40));
    assert_int_equal(-EINVAL, policy_load(&again, path, &err));
    assert_non_null(strstr(err.text, "is cut short"));
    unlink(path);
    assert_int_equal(-ENOENT, policy_load(&again, path, &err));
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_model__writes_the_format),
        cmocka_unit_test(from_model__round_trip),
        cmocka_unit_test(from_model__refuses_with_one_clear_line),
        cmocka_unit_test(from_model__refuses_wrong_lengths),
        cmocka_unit_test(from_model__refuses_other_models),
        cmocka_unit_test(load__reads_a_file_or_reports_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
