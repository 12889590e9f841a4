/* train/train_test.c - training traffic, a single run, and the state between rounds. */
#include "train/train.h"
#include "base/text.h"
#include "study/run/simulation.h"
#include "tune/acc/acc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- traffic ---- */

/* Every random scenario is valid. */
static void scenario__all_are_valid(void **state)
{
    uint32_t stars = 0, webs = 0, bursts = 0, others = 0;

    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        char           *text = train_scenario(5, round, round % 7, TRAIN_BOTH, TRAIN_ALL, false);
        struct scenario sc;
        struct err      err;

        if (scenario_parse(&sc, "t", text, strlen(text), NULL, 0, NULL, &err))
            fail_msg("%s\n%s", err.text, text);
        assert_true(sc.run_ps >= 5 * PS_PER_MS && sc.run_ps <= 20 * PS_PER_MS);
        stars += strstr(text, "star") != NULL;
        webs += strstr(text, "WebSearch") != NULL;
        bursts += strstr(text, "incast") != NULL;
        others += strstr(text, "storage") || strstr(text, "training") || strstr(text, "many_to_one");
        scenario_fini(&sc);
        free(text);
    }
    assert_true(stars > 80 && stars < 160);
    assert_true(webs > 90 && bursts > 40 && others > 30);
}

/* Excludes the workloads of the experiments, and their Clos networks of 2, 4 and 12 leaves. */
static void scenario__published_excludes_the_experiments(void **state)
{
    uint32_t bursts = 0;

    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        char           *text = train_scenario(5, round, round % 7, TRAIN_DCQCN, TRAIN_PUBLISHED, false);
        struct scenario sc;
        struct err      err;

        if (scenario_parse(&sc, "t", text, strlen(text), NULL, 0, NULL, &err))
            fail_msg("%s\n%s", err.text, text);
        assert_null(strstr(text, "WebSearch"));
        assert_null(strstr(text, "DataMining"));
        assert_true(strstr(text, "star") || strstr(text, "tors: 3") || strstr(text, "tors: 5"));
        bursts += strstr(text, "incast") != NULL;
        scenario_fini(&sc);
        free(text);
    }
    assert_true(bursts > 80 && bursts < 145);
}

static void scenario__is_reproducible(void **state)
{
    char *a = train_scenario(1, 2, 3, TRAIN_BOTH, TRAIN_ALL, false),
         *b = train_scenario(1, 2, 3, TRAIN_BOTH, TRAIN_ALL, false);
    char *c = train_scenario(1, 2, 4, TRAIN_BOTH, TRAIN_ALL, false),
         *d = train_scenario(2, 2, 3, TRAIN_BOTH, TRAIN_ALL, true);

    (void)state;
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    assert_string_not_equal(a, d);
    free(a);
    free(b);
    free(c);
    free(d);
}

static void check_scenario__all_are_valid(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TRAIN_CHECKS; i++) {
        char           *text = train_check_scenario(i, 7, (enum train_nics)(i % 3), i % 2 == 0);
        struct scenario sc;
        struct err      err;

        if (scenario_parse(&sc, "check", text, strlen(text), NULL, 0, NULL, &err))
            fail_msg("%s", err.text);
        scenario_fini(&sc);
        free(text);
    }
}

/* With both kinds of NICs, half of the checks have each. Otherwise the halves differ by seed. */
static void check_scenario__has_the_nics_asked_for(void **state)
{
    (void)state;
    for (int nics = TRAIN_BOTH; nics <= TRAIN_DCQCN; nics++)
        for (uint32_t i = 0; i < TRAIN_CHECKS / 2; i++) {
            char *first = train_check_scenario(i, 3, (enum train_nics)nics, false);
            char *second = train_check_scenario(i + TRAIN_CHECKS / 2, 3, (enum train_nics)nics, false);

            assert_int_equal(strstr(first, "nic: dcqcn_paper\n") != NULL, nics == TRAIN_DCQCN);
            assert_int_equal(strstr(second, "nic: dcqcn_paper\n") != NULL, nics != TRAIN_NVIDIA);
            assert_string_equal(strstr(first, "topology"), strstr(second, "topology"));
            assert_int_equal(strncmp(first, "seed: 6\n", 8), 0);
            assert_int_equal(strncmp(second, "seed: 7\n", 8), 0);
            free(first);
            free(second);
        }
}

/* ---- run ---- */

static const char star[] = "topology: {kind: star, hosts: 6, rate: 25Gbps, delay: 1us}\nrun: 2ms\n"
                           "traffic: [{kind: incast, senders: 5, size: 64KB, period: 150us}]\n";

static void make_values(struct option_values *v)
{
    struct err err;

    option_values_init(tuner_acc.option, v);
    if (option_values_set(tuner_acc.option, tuner_acc.name, v, "model", "none", &err))
        fail_msg("%s", err.text);
}

static char *run_once(const struct train_job *j, size_t *length)
{
    char      *text = NULL;
    FILE      *out = open_memstream(&text, length);
    struct err err;

    if (train_run(star, j, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    return text;
}

/* A run returns records whose rewards add up to the sum, reproducibly. */
static void run__returns_its_experience(void **state)
{
    struct train_job   j = { .hold = 2, .epsilon = 0.5, .records_max = 10000, .seed = 3 };
    struct option_values v;
    struct net_shape   shape;
    struct net         net;
    struct train_found found;
    size_t             length, again_length;
    char              *text, *again;
    double             sum = 0;

    (void)state;
    make_values(&v);
    acc_shape(&shape, 12, 20);
    net_init(&net, &shape);
    j.values = &v;
    j.net = &net;
    j.record_floats = 27;
    text = run_once(&j, &length);
    again = run_once(&j, &again_length);
    assert_int_equal(length, again_length);
    assert_memory_equal(text, again, length);
    memcpy(&found, text, sizeof found);
    assert_true(found.records > 10 && found.records == found.rewards);
    assert_int_equal(length, sizeof found + found.records * 27ul * sizeof(float));
    for (uint32_t i = 0; i < found.records; i++) {
        float record[27];

        memcpy(record, text + sizeof found + i * sizeof record, sizeof record);
        sum += (double)record[13];
        assert_true(record[12] >= 0 && record[12] < 20);
    }
    assert_true(sum > found.reward_sum - 1e-3 && sum < found.reward_sum + 1e-3);
    assert_true(found.fct_us[0] > 0);
    free(text);
    free(again);
    net_fini(&net);
    option_values_fini(&v);
}

/* ---- state between rounds ---- */

static const struct dqn_cfg small = {
    .shape = { .inputs = 2, .layers = 2,
               .layer = { { .width = 4, .activation = NET_RELU }, { .width = 2 } } },
    .gamma = 0.5,
    .bend = 1,
    .batch = 4,
    .memory = 10,
    .copy_every = 3,
    .epsilon_decay = 1,
    .seed = 3,
};

static void learn_some(struct train_state *s, int steps)
{
    for (int i = 0; i < steps; i++) {
        float           numbers[4] = { (float)i, 0.5f, 0.25f, (float)(i % 3) };
        struct dqn_step step = {
            .state = numbers, .next = numbers + 2, .reward = (float)(i % 2), .action = i % 2
        };

        dqn_remember(&s->dqn, &step);
        dqn_update(&s->dqn);
    }
    s->rounds++;
}

static void state__resumes_with_the_same_result(void **unused)
{
    char               path[] = "/tmp/train_test.XXXXXX";
    struct train_state whole, halved;
    struct err         err;
    size_t             bytes;
    bool               is_there;

    (void)unused;
    close(mkstemp(path));
    unlink(path);
    train_state_init(&whole, &small, "config");
    learn_some(&whole, 25);
    train_state_init(&halved, &small, "config");
    assert_int_equal(0, resume_open(train_state_file(&halved), path, &is_there, &err));
    assert_false(is_there);
    if (resume_save(train_state_file(&whole), path, &err))
        fail_msg("%s", err.text);
    if (resume_open(train_state_file(&halved), path, &is_there, &err))
        fail_msg("%s", err.text);
    assert_true(is_there);
    learn_some(&whole, 7);
    learn_some(&halved, 7);
    bytes = whole.dqn.online.parameters * sizeof(float);
    assert_memory_equal(whole.dqn.online.parameter, halved.dqn.online.parameter, bytes);
    assert_memory_equal(whole.dqn.target.parameter, halved.dqn.target.parameter, bytes);
    assert_int_equal(halved.rounds, 2);
    train_state_fini(&whole);
    train_state_fini(&halved);
    unlink(path);
}

/* Refuses any changed byte, any shorter length, and another configuration. */
static void state__damage_is_refused(void **unused)
{
    char               path[] = "/tmp/train_test.XXXXXX", *bytes;
    struct train_state s, other;
    struct err         err;
    size_t             length;

    (void)unused;
    close(mkstemp(path));
    train_state_init(&s, &small, "0123456789abcdef0123456789abcdef");
    train_state_init(&other, &small, "0123456789abcdef0123456789abcdee");
    learn_some(&s, 3);
    assert_int_equal(0, resume_save(train_state_file(&s), path, &err));
    assert_int_equal(0, text_read_file(path, 1 << 20, &bytes, &length, &err));
    for (size_t i = 0; i < length; i++) {
        char       *cut = xmalloc(i + 1);
        struct err  why;

        memcpy(cut, bytes, i);
        assert_true(resume_parse(train_state_file(&s), "s", cut, i, &why) < 0);
        free(cut);
        bytes[i] ^= 4;
        assert_true(resume_parse(train_state_file(&s), "s", bytes, length, &why) < 0);
        assert_int_equal(strncmp(why.text, "s: ", 3), 0);
        bytes[i] ^= 4;
    }
    assert_int_equal(0, resume_parse(train_state_file(&s), "s", bytes, length, &err));
    assert_true(resume_parse(train_state_file(&other), "s", bytes, length, &err) < 0);
    assert_non_null(strstr(err.text, "other options"));
    free(bytes);
    train_state_fini(&s);
    train_state_fini(&other);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario__all_are_valid),
        cmocka_unit_test(scenario__published_excludes_the_experiments),
        cmocka_unit_test(scenario__is_reproducible),
        cmocka_unit_test(check_scenario__all_are_valid),
        cmocka_unit_test(check_scenario__has_the_nics_asked_for),
        cmocka_unit_test(run__returns_its_experience),
        cmocka_unit_test(state__resumes_with_the_same_result),
        cmocka_unit_test(state__damage_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
