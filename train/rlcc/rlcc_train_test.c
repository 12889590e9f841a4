/* train/rlcc/rlcc_train_test.c
 *
 * Oracles: the weights do not depend on the number of jobs or on an interruption. A trained policy slows down
 * when the network is full and speeds up when it is empty.
 */
#include "train/rlcc/rlcc_train.h"

#include "base/text.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/policy/policy_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *small_worlds[] = { "many_to_one:2_1", "many_to_one:4_1", "all_to_all:2_2" };

static char out[64];             /* path of the models */

static struct rlcc_request small(enum policy_body body)
{
    struct rlcc_request q = rlcc_initial;

    q.out = out;
    q.body = body;
    q.world = small_worlds;
    q.worlds = 3;
    q.updates = 12;
    q.warm_up = 2;
    q.warm_steps = 60;
    q.steps = 5;
    q.renew = 2;
    q.jobs = 1;
    q.is_quiet = true;
    return q;
}

static int set_up(void **unused)
{
    (void)unused;
    snprintf(out, sizeof out, "/tmp/rlcc_train_test.%ld", (long)getpid());
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    unlink(out);
    return 0;
}

static void train(const struct rlcc_request *q, char **bytes, size_t *length)
{
    struct rlcc_train t;
    struct err        err;

    if (rlcc_train_open(&t, q, &err) || rlcc_train_run(&t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(-1, access(t.state_path, F_OK));
    rlcc_train_close(&t);
    assert_int_equal(0, text_read_file(q->out, 1 << 20, bytes, length, &err));
}

static void run__same_weights_for_any_number_of_jobs(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct rlcc_request q = small(i == 0 ? POLICY_MLP : POLICY_LSTM);
        char  *one, *many;
        size_t one_length, many_length;

        train(&q, &one, &one_length);
        q.jobs = 3;
        train(&q, &many, &many_length);
        assert_int_equal(one_length, many_length);
        assert_memory_equal(one, many, one_length);
        free(one);
        free(many);
    }
}

static void update(struct rlcc_train *t, double rate)
{
    t->adpg.adam.cfg.rate = rate;
    adpg_update(&t->adpg, t->trajectory, t->trajectories);
}

/* Writes the state file of a training that a signal stopped after the tenth of 12 updates. */
static void check_resume(enum policy_body body)
{
    struct rlcc_request q = small(body);
    struct rlcc_train   t;
    struct rlcc_seen    seen = { 0 };
    struct err          err;
    char               *whole, *rest;
    size_t              whole_length, rest_length;

    train(&q, &whole, &whole_length);
    assert_int_equal(0, rlcc_train_open(&t, &q, &err));
    for (; t.updates < 10; t.updates++) {
        for (uint32_t i = 0; i < 3; i++)
            if ((t.updates + i * 2 / 3) % 2 == 0)
                rlcc_rollout_end(&t, i);
        assert_int_equal(0, rlcc_rollout(&t, &seen, &err));
        update(&t, t.updates < 6 ? 0.01 : 0.01 * (1 - 0.98 * (2.0 * t.updates / 12 - 1)));
    }
    assert_int_equal(0, resume_save(rlcc_train_state(&t), t.state_path, &err));
    rlcc_train_close(&t);
    train(&q, &rest, &rest_length);
    assert_int_equal(whole_length, rest_length);
    assert_memory_equal(whole, rest, whole_length);
    free(whole);
    free(rest);
}

static void run__resumes(void **unused)
{
    (void)unused;
    check_resume(POLICY_MLP);
    check_resume(POLICY_LSTM);
}

static void expect_refusal(struct rlcc_train *t, const char *bytes, size_t length, const char *why)
{
    struct err err;

    assert_int_not_equal(0, resume_parse(rlcc_train_state(t), "s", bytes, length, &err));
    if (strncmp(err.text, why, strlen(why)) != 0)
        fail_msg("%s", err.text);
}

static void state__refuses_invalid_files(void **unused)
{
    struct rlcc_request q = small(POLICY_MLP);
    struct rlcc_train   t, other;
    struct err          err;
    char               *bytes;
    size_t              length;

    (void)unused;
    assert_int_equal(0, rlcc_train_open(&t, &q, &err));
    assert_int_equal(0, resume_save(rlcc_train_state(&t), t.state_path, &err));
    assert_int_equal(0, text_read_file(t.state_path, 1 << 20, &bytes, &length, &err));
    unlink(t.state_path);
    assert_int_equal(0, resume_parse(rlcc_train_state(&t), "s", bytes, length, &err));
    q.worlds = 2;
    assert_int_equal(0, rlcc_train_open(&other, &q, &err));
    expect_refusal(&other, bytes, length, "s: a training in other worlds or with other options");
    expect_refusal(&t, bytes, length - 1, "s: the file is damaged");
    expect_refusal(&t, bytes, 20, "s: the file is truncated");
    expect_refusal(&t, "x", 1, "s: not such a training state");
    bytes[100] ^= 1;
    expect_refusal(&t, bytes, length, "s: the file is damaged");
    rlcc_train_close(&other);
    rlcc_train_close(&t);
    free(bytes);
}

static void open__refuses_unknown_worlds(void **unused)
{
    static const char  *bad[] = { "many_to_one:4_1", "many_to_on:4_1" };
    struct rlcc_request q = small(POLICY_MLP);
    struct rlcc_train   t;
    struct err          err;

    (void)unused;
    q.world = bad;
    q.worlds = 2;
    assert_int_not_equal(0, rlcc_train_open(&t, &q, &err));
    assert_string_equal(err.text,
                        "'many_to_on:4_1' is not a world to learn in; there are many_to_one:HOSTS_QPS, "
                        "all_to_all:HOSTS_QPS and long_short:HOSTS");
    rlcc_train_close(&t);
}

/* Training from scratch in worlds with a few flows: the fuller the network, the lower the rate. */
static void run__learns_to_slow_down(void **unused)
{
    struct rlcc_request q = small(POLICY_MLP);
    struct policy       p;
    struct err          err;
    policy_table        table;
    char               *bytes;
    size_t              length;

    (void)unused;
    q.updates = 300;
    q.warm_up = 20;
    q.renew = 50;
    q.steps = 10;
    q.smoothing = 0.5;
    train(&q, &bytes, &length);
    assert_int_equal(0, policy_load(&p, out, &err));
    policy_table_fill(table, &p);
    assert_true(table[0][0] > 1 && table[2][0] > 1);
    assert_true(table[2][4] < 1 && table[4][5] < 0.95f && table[7][7] < 0.85f);
    for (int i = 1; i < 6; i++)
        assert_true(table[2][i] < table[2][i - 1] + 0.01f);
    assert_true(policy_table_paper_distance(&p) < 0.2);
    policy_fini(&p);
    free(bytes);
}

/* The built-in net: as close to the paper as documented, and usable in unseen worlds. */
static void check__shipped_net(void **unused)
{
    struct policy     p;
    struct err        err;
    struct env_world  w = { .kind = ENV_MANY_TO_ONE, .hosts = 8, .qps = 2 };
    struct rlcc_check c;

    (void)unused;
    assert_int_equal(0, policy_load(&p, "data/models/rlcc_mlp.model", &err));
    assert_true(policy_table_paper_distance(&p) < 0.05);
    assert_int_equal(0, rlcc_check_world(&c, &p, &w, 3, &err));
    assert_true(c.share > 0.8 && c.rtt_us > 10 && c.rtt_us < 1.1 * c.rtt_us_wanted && c.lost == 0);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__same_weights_for_any_number_of_jobs),
        cmocka_unit_test(run__resumes),
        cmocka_unit_test(state__refuses_invalid_files),
        cmocka_unit_test(open__refuses_unknown_worlds),
        cmocka_unit_test(run__learns_to_slow_down),
        cmocka_unit_test(check__shipped_net),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
