/* src/tune/rehearse/traffic/traffic_model_test.c */
#include "tune/rehearse/traffic/traffic_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void post(struct seen *s, uint64_t bytes, uint32_t count, bool is_chained)
{
    uint32_t bin = seen_bin(bytes);

    s->posted += count;
    s->posted_bytes += bytes * count;
    (is_chained ? s->chain_bin : s->bin)[bin] += count;
    (is_chained ? s->chain_bytes : s->bin_bytes)[bin] += bytes * count;
}

static double mean_of(const struct traffic_sizes *s)
{
    double sum = 0;

    for (uint32_t i = 1; i < s->rows; i++)
        sum += (s->row[i].p - s->row[i - 1].p) * (s->row[i - 1].bytes + s->row[i].bytes) / 2;
    return sum;
}

/* 20,000 messages of 1 KB and 200 of 5 MB in 20 ms, from 10 hosts: 1.02 GB, which is 40.8 Gb/s per host. */
#define WINDOW_S 20e-3

static struct seen mix(void)
{
    struct seen s = { 0 };

    post(&s, 1000, 20000, false);
    post(&s, 5000000, 200, false);
    return s;
}

static void make__keeps_load_and_mean_size(void **state)
{
    struct seen          s = mix();
    struct traffic_model m;

    (void)state;
    assert_true(model_make(&m, &s, WINDOW_S, 10));
    assert_true(fabs(m.bps_per_host / 40.8e9 - 1) < 1e-9);
    assert_true(fabs(mean_of(&m.sizes) / (51e6 / 1010) - 1) < 0.02);
    assert_true(m.sizes.row[m.sizes.rows - 1].p > 1 - 1e-9);
    for (uint32_t i = 1; i < m.sizes.rows; i++) {
        assert_true(m.sizes.row[i].bytes > m.sizes.row[i - 1].bytes);
        assert_true(m.sizes.row[i].p >= m.sizes.row[i - 1].p);
    }
    assert_int_equal(m.jobs, 0);
    assert_int_equal(m.loop_sizes.rows, 0);
}

static void make__rows_grow_with_every_size(void **state)
{
    struct seen          s = { 0 };
    struct traffic_model m;

    (void)state;
    for (uint64_t bytes = 1; bytes < 1ull << 34; bytes += 1 + bytes / 3)
        post(&s, bytes, 1 + (uint32_t)(bytes % 5), false);
    assert_true(model_make(&m, &s, 1, 4));
    assert_true(m.sizes.rows <= TRAFFIC_SIZES_MAX);
    for (uint32_t i = 1; i < m.sizes.rows; i++)
        assert_true(m.sizes.row[i].bytes > m.sizes.row[i - 1].bytes &&
                    m.sizes.row[i].p >= m.sizes.row[i - 1].p);
}

static void make__needs_a_message(void **state)
{
    struct seen          s = { 0 };
    struct traffic_model m;

    (void)state;
    assert_false(model_make(&m, &s, WINDOW_S, 10));
}

/* A few messages that follow others do so by chance and count as random. Many of them are a closed loop. */
static void make__many_chained_messages_are_a_loop(void **state)
{
    struct seen          few = mix(), many = mix();
    struct traffic_model m;

    (void)state;
    post(&few, 100000, 1000, true);
    assert_true(model_make(&m, &few, WINDOW_S, 10));
    assert_int_equal(m.loop_sizes.rows, 0);
    assert_true(fabs(m.bps_per_host / 44.8e9 - 1) < 1e-9);
    post(&many, 100000, 8000, true);
    many.chain_s = 8000 * 20e-6;             /* each took 20 us: 8 at a time */
    many.chain_senders = 4;
    assert_true(model_make(&m, &many, WINDOW_S, 10));
    assert_true(m.loop_sizes.rows >= 2);
    assert_true(fabs(m.bps_per_host / 40.8e9 - 1) < 1e-9);
    assert_true(fabs(m.outstanding - 2) < 1e-9);
    assert_true(fabs(m.loop_senders - 0.4) < 1e-9);
}

/* Each of eight hosts sends 14 messages to its neighbor, then pauses for 300 us. */
static void make__a_collective_has_its_peers_times_and_pause(void **state)
{
    struct seen          s = { .posted = 8 * 28, .posted_bytes = 8 * 28 * 1000000ull };
    struct traffic_model m;

    (void)state;
    s.job[0] = (struct seen_job){ .bytes = 1000000, .messages = 8 * 28, .firsts = 16, .senders = 8,
                                  .pairs = 8, .local = 112, .pause_s = 16 * 300e-6, .pauses = 16 };
    assert_true(model_make(&m, &s, 10e-3, 16));
    assert_int_equal(m.jobs, 1);
    assert_true(m.job[0].peers == 1 && m.job[0].times == 14 && m.job[0].senders == 0.5 &&
                m.job[0].local == 0.5);
    assert_true(fabs(m.job[0].pause_s - 300e-6) < 1e-12);
    assert_true(fabs(model_bps(&m) / (8 * 28 * 8e6 / 10e-3 / 16) - 1) < 1e-9);
}

static void distance__load_and_sizes_and_kinds_count(void **state)
{
    struct seen          s = mix(), twice = mix(), small = { 0 }, job = mix();
    struct traffic_model m, n;

    (void)state;
    model_make(&m, &s, WINDOW_S, 10);
    assert_true(model_distance(&m, &m) == 0);
    seen_add(&twice, &s);
    model_make(&n, &twice, 2 * WINDOW_S, 10);
    assert_true(model_distance(&m, &n) < 1e-9);
    model_make(&n, &twice, WINDOW_S, 10);
    assert_true(model_distance(&m, &n) > 1);
    post(&small, 1000, 1020000, false);
    model_make(&n, &small, WINDOW_S, 10);
    assert_true(model_distance(&m, &n) > 1);
    job.job[0] = (struct seen_job){ .bytes = 1000000, .messages = 1020, .firsts = 1, .senders = 4,
                                    .pairs = 4 };
    model_make(&n, &job, WINDOW_S, 10);
    assert_true(model_distance(&m, &n) >= 1);
}

static void text__shows_load_and_kinds(void **state)
{
    struct seen          s = mix();
    struct traffic_model m;
    char                 buf[200], tiny[8];

    (void)state;
    model_make(&m, &s, WINDOW_S, 10);
    assert_string_equal(model_text(&m, buf, sizeof(buf)), "40.8 Gb/s per host, 100 % at random");
    assert_int_equal(strlen(model_text(&m, tiny, sizeof(tiny))), sizeof(tiny) - 1);
}

/* Messages of 5 MB, on hosts so busy that 90 % of messages seem to follow others. 28 of 30 is within
 * chance; 2,990 of 3,000 exceeds it by 17 standard deviations. Without chance, on quiet hosts, 28 of 30 are
 * a loop. */
static void chained__chance_alone_is_no_loop(void **state)
{
    static const struct { uint32_t chained, others; double chance; bool is_loop; } row[] = {
        { 28, 2, 0.9, false }, { 2990, 10, 0.9, true }, { 28, 2, 0, true }, { 20, 10, 0.5, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        double      all = row[i].chained + row[i].others, bytes = 5e6;
        struct seen s = { .chance_bytes = all * bytes * row[i].chance,
                          .chance_squares = all * bytes * bytes * row[i].chance * (1 - row[i].chance) };

        post(&s, 5000000, row[i].chained, true);
        post(&s, 5000000, row[i].others, false);
        assert_int_equal(model_chained(&s) >= MODEL_LOOP, row[i].is_loop);
    }
}

/* Storage next to a job with three times its bytes is recognized as a closed loop, as it is without the
 * job. */
static void chained__a_job_beside_it_does_not_hide_a_loop(void **state)
{
    struct seen          s = { 0 };
    struct traffic_model m;

    (void)state;
    post(&s, 100000, 80, true);
    post(&s, 100000, 20, false);
    s.chain_senders = 4;
    assert_true(fabs(model_chained(&s) - 0.8) < 1e-12);
    s.job[0] = (struct seen_job){ .bytes = 1000000, .messages = 30, .firsts = 4, .senders = 4, .pairs = 4 };
    s.posted += 30;
    s.posted_bytes += 30000000;
    assert_true(fabs(model_chained(&s) - 0.8) < 1e-12);
    assert_true(model_make(&m, &s, WINDOW_S, 8));
    assert_true(m.bps_per_host == 0 && m.loop_bps_per_host > 0 && m.jobs == 1);
    assert_true(model_following(&m) == 1);
}

static struct traffic_model at(double gbps)
{
    return (struct traffic_model){ .bps_per_host = gbps * 1e9 };
}

static struct knobs setting(double kmin)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_kmin] = kmin;
    return k;
}

static void recall__finds_only_similar_traffic(void **state)
{
    struct memories      m = { 0 };
    struct traffic_model ten = at(10), eleven = at(11), thirty = at(30);
    struct knobs         k = setting(100);

    (void)state;
    assert_null(memory_recall(&m, &ten));
    memory_add(&m, &ten, &k, false);
    assert_non_null(memory_recall(&m, &eleven));
    assert_true(memory_recall(&m, &eleven)->knobs.value[KNOB_kmin] == 100);
    assert_null(memory_recall(&m, &thirty));
}

static void add__the_same_traffic_takes_the_same_place(void **state)
{
    struct memories      m = { 0 };
    struct traffic_model ten = at(10);
    struct knobs         k = setting(100), other = setting(50), good[MEMORIES];

    (void)state;
    memory_add(&m, &ten, &k, false);
    assert_int_equal(memory_good(&m, good), 1);
    memory_add(&m, &ten, &other, true);
    assert_int_equal(m.made, 1);
    assert_true(memory_recall(&m, &ten)->is_bad);
    assert_int_equal(memory_good(&m, good), 0);
}

/* Loads that double each time are all different. The ninth replaces the first. */
static void add__the_oldest_goes(void **state)
{
    struct memories      m = { 0 };
    struct traffic_model first = at(0.1), last = at(0.1 * 256);
    struct knobs         k = setting(100), good[MEMORIES];

    (void)state;
    for (uint32_t i = 0; i <= MEMORIES; i++) {
        struct traffic_model model = at(0.1 * (double)(1u << i));

        memory_add(&m, &model, &k, false);
    }
    assert_null(memory_recall(&m, &first));
    assert_non_null(memory_recall(&m, &last));
    assert_int_equal(memory_good(&m, good), MEMORIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chained__chance_alone_is_no_loop),
        cmocka_unit_test(chained__a_job_beside_it_does_not_hide_a_loop),
        cmocka_unit_test(make__keeps_load_and_mean_size),
        cmocka_unit_test(make__rows_grow_with_every_size),
        cmocka_unit_test(make__needs_a_message),
        cmocka_unit_test(make__many_chained_messages_are_a_loop),
        cmocka_unit_test(make__a_collective_has_its_peers_times_and_pause),
        cmocka_unit_test(distance__load_and_sizes_and_kinds_count),
        cmocka_unit_test(text__shows_load_and_kinds),
        cmocka_unit_test(recall__finds_only_similar_traffic),
        cmocka_unit_test(add__the_same_traffic_takes_the_same_place),
        cmocka_unit_test(add__the_oldest_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
