#include "core/seen/seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static void bin__every_size_is_between_its_bounds(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < 1ull << 40; bytes += 1 + bytes / 97) {
        uint32_t bin = seen_bin(bytes);

        assert_true(bin < SEEN_BINS);
        assert_true(seen_bin_min(bin) <= bytes);
        assert_true(bin + 1 == SEEN_BINS || bytes < seen_bin_min(bin + 1));
    }
}

static void bin_min__four_to_the_octave(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < SEEN_BINS; i++)
        assert_true(fabs((double)seen_bin_min(i) / (64 * pow(2, i / 4.0)) - 1) < 0.02);
}

static void add__sums_counts_and_keeps_the_last_waiting(void **state)
{
    struct seen a = { .posted = 3, .bin[5] = 2, .done[1] = { 4, 8 }, .waiting[0] = { 7, 70 } };
    struct seen b = { .posted = 1, .bin[5] = 1, .done[1] = { 1, 3 }, .waiting[0] = { 2, 30 } };
    struct outcomes p;

    (void)state;
    seen_add(&a, &b);
    assert_int_equal(a.posted, 4);
    assert_int_equal(a.bin[5], 3);
    p = seen_outcomes(&a);
    assert_true(p.messages[1] == 5 && p.slowdowns[1] == 11);
    assert_true(p.messages[0] == 2 && p.slowdowns[0] == 30 && p.unfinished == 2);
}

/* ---- seen_part ---- */

/* Each bin has messages of its smallest size and one byte more. */
static void fill(struct seen_part *p, uint32_t first, uint32_t step, uint32_t messages)
{
    seen_part_clear(p);
    for (uint32_t bin = first; bin < SEEN_ROWS; bin += step)
        p->row[p->rows++] = (struct seen_row){ bin, messages,
                                               messages * (seen_bin_min(bin % SEEN_BINS) + 1) };
}

static void sum_of_rows(const struct seen_part *p, uint64_t *messages, uint64_t *bytes)
{
    *messages = *bytes = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        *messages += p->row[i].messages;
        *bytes += p->row[i].bytes;
    }
}

/* For any input, no message and no byte is lost, chains stay chains, and bins stay in order. */
static void fit__a_part_is_never_too_long_and_loses_nothing(void **state)
{
    static struct seen_part p;
    uint64_t                before[2], after[2];

    (void)state;
    for (uint32_t messages = 1; messages < 1u << 30; messages *= 8) {
        fill(&p, 0, 1, messages);
        p.chance_bytes = p.chance_squares = 1;
        p.local_bytes = p.chain_ps = p.burst_bytes = p.bursts = p.burst_messages = UINT64_MAX >> 2;
        for (uint32_t i = 0; i < SEEN_JOBS; i++)
            p.job[i] = (struct seen_part_job){ i + (1ull << 40), 1u << 31, 1u << 31, 1u << 31, 1u << 31,
                                               1u << 31, 1ull << 60 };
        for (int i = 0; i < PREDICT_CLASSES; i++)
            p.done[i] = p.waiting[i] = (struct seen_part_class){ 1ull << 40, 1ull << 50 };
        sum_of_rows(&p, &before[0], &before[1]);
        seen_part_fit(&p);
        sum_of_rows(&p, &after[0], &after[1]);
        assert_in_range(seen_part_bytes(&p), 1, SEEN_PART_BYTES);
        assert_int_equal(before[0], after[0]);
        assert_int_equal(before[1], after[1]);
        for (uint32_t i = 1; i < p.rows; i++)
            assert_true(p.row[i - 1].bin < p.row[i].bin && p.row[i].bin < SEEN_ROWS);
        for (uint32_t i = 0; i < p.rows; i++)
            assert_true(seen_row_excess(&p.row[i]) <= p.row[i].bytes);
    }
    fill(&p, 8, 4, 3);
    before[0] = p.rows;
    seen_part_fit(&p);
    assert_int_equal(p.rows, before[0]);         /* a short report is unchanged */
}

static void add__is_the_sum_of_two_intervals(void **state)
{
    static struct seen_part a, b;
    struct seen             sum, apart, later;
    const struct seen_part *one[1] = { &a };

    (void)state;
    fill(&a, 0, 3, 2);
    fill(&b, 1, 2, 5);
    a.done[1] = (struct seen_part_class){ 4, 8 * 65536 };
    b.done[1] = (struct seen_part_class){ 1, 3 * 65536 };
    a.waiting[0] = (struct seen_part_class){ 7, 70 * 65536 };
    b.waiting[0] = (struct seen_part_class){ 2, 30 * 65536 };
    a.job[0] = (struct seen_part_job){ 5000, 3, 1, 1, 2, 1, 1000000 };
    b.job[0] = (struct seen_part_job){ 7000, 9, 3, 2, 1, 2, 5000000 };
    b.job[1] = (struct seen_part_job){ 5000, 2, 1, 1, 2, 1, 3000000 };
    seen_sum(&apart, one, 1);
    one[0] = &b;
    seen_sum(&later, one, 1);
    seen_add(&apart, &later);
    seen_part_add(&a, &b);
    one[0] = &a;
    seen_sum(&sum, one, 1);
    assert_int_equal(sum.posted, apart.posted);
    assert_int_equal(sum.posted_bytes, apart.posted_bytes);
    assert_memory_equal(sum.bin, apart.bin, sizeof sum.bin);
    assert_memory_equal(sum.chain_bytes, apart.chain_bytes, sizeof sum.chain_bytes);
    assert_memory_equal(sum.done, apart.done, sizeof sum.done);
    assert_memory_equal(sum.waiting, apart.waiting, sizeof sum.waiting);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sum.job[i].bytes, i ? 7000 : 5000);
        assert_int_equal(sum.job[i].messages, i ? 9 : 5);
        assert_true(sum.job[i].pause_s > (i ? 4.9e-6 : 3.9e-6) && sum.job[i].pause_s < (i ? 5.1e-6 : 4.1e-6));
    }
}

/* Three hosts post in chains, one as much as the two others: it is the hub. A missing report is ignored. */
static void sum__hubs_post_more_than_the_mean(void **state)
{
    static struct seen_part a, b, c;
    const struct seen_part *all[] = { &a, NULL, &b, &c };
    struct seen             s;

    (void)state;
    a.rows = b.rows = c.rows = 1;
    a.row[0] = b.row[0] = (struct seen_row){ SEEN_BINS + 40, 10, 1000000 };
    c.row[0] = (struct seen_row){ SEEN_BINS + 40, 20, 2000000 };
    a.job[0] = (struct seen_part_job){ .bytes = 9000, .messages = 4, .pairs = 2 };
    c.job[0] = (struct seen_part_job){ .bytes = 4000, .messages = 4, .pairs = 1 };
    c.job[1] = (struct seen_part_job){ .bytes = 9000, .messages = 1, .pairs = 3 };
    seen_sum(&s, all, 4);
    assert_int_equal(s.chain_senders, 3);
    assert_int_equal(s.chain_hubs, 1);
    assert_int_equal(s.chain_hub_bytes, 2000000);
    assert_int_equal(s.posted, 40 + 9);
    assert_int_equal(s.posted_bytes, 4000000 + 4 * 9000 + 4 * 4000 + 9000);
    assert_int_equal(s.job[0].bytes, 4000);              /* in order of size, for any order of hosts */
    assert_int_equal(s.job[1].bytes, 9000);
    assert_int_equal(s.job[1].senders, 2);
    assert_int_equal(s.job[1].pairs, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bin__every_size_is_between_its_bounds),
        cmocka_unit_test(bin_min__four_to_the_octave),
        cmocka_unit_test(add__sums_counts_and_keeps_the_last_waiting),
        cmocka_unit_test(fit__a_part_is_never_too_long_and_loses_nothing),
        cmocka_unit_test(add__is_the_sum_of_two_intervals),
        cmocka_unit_test(sum__hubs_post_more_than_the_mean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
