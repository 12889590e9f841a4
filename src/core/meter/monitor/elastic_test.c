#include "core/meter/monitor/elastic.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS 3000

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_tuple(0x0a000001, 0x0a000002, (uint16_t)flow, (uint16_t)(flow >> 16), 17);
}

static void insert(struct elastic *e, uint32_t flow, uint32_t bytes, int times)
{
    struct flow_key key = key_of(flow);

    for (int i = 0; i < times; i++)
        elastic_insert(e, &key, bytes);
}

static uint64_t query(const struct elastic *e, uint32_t flow)
{
    struct flow_key key = key_of(flow);

    return elastic_query(e, &key);
}

/* Returns one of FLOWS flows: half of the draws are from the first 30, the others from all. */
static uint32_t draw_flow(struct rng *r)
{
    return (uint32_t)rng_below(r, rng_next(r) >> 63 ? 30 : FLOWS);
}

static void insert_random(struct elastic *e, uint64_t *bytes, uint64_t seed, int packets)
{
    struct rng r;

    rng_init(&r, seed, 0);
    for (int i = 0; i < packets; i++) {
        uint32_t flow = draw_flow(&r), size = 1 + (uint32_t)rng_below(&r, 1500);

        insert(e, flow, size, 1);
        bytes[flow] += size;
    }
}

/* One bucket and one light counter: everything by hand. Flows 1 .. 7 have 100 .. 700 bytes. */
static void fill_one_bucket(struct elastic *e)
{
    elastic_init(e, &(struct elastic_cfg){ .heavy_bytes = 64, .light_bytes = 2 });
    for (uint32_t flow = 1; flow <= 7; flow++)
        insert(e, flow, 100, (int)flow);
}

static void insert__gives_seven_flows_an_entry_each(void **unused)
{
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    for (uint32_t flow = 1; flow <= 7; flow++)
        assert_int_equal(query(&e, flow), flow * 100);
    assert_int_equal(e.bucket[0].guard, 0);
    assert_int_equal(e.bucket[0].split, 0);
    assert_int_equal(e.lights_used, 0);
    elastic_fini(&e);
}

/* The smallest has 100 bytes and lambda is 8: 800 bytes of votes do not suffice. 100 bytes are 7 light
 * units. */
static void insert__needs_more_than_lambda_votes_for_an_entry(void **unused)
{
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    insert(&e, 8, 100, 8);
    assert_int_equal(e.bucket[0].guard, 800);
    assert_int_equal(query(&e, 1), 100);
    assert_int_equal(query(&e, 8), 8 * 7 * 16);
    insert(&e, 8, 100, 1);
    assert_int_equal(e.bucket[0].guard, 0);
    assert_int_equal(e.bucket[0].count[0], 100 + 8 * 7 * 16);
    assert_int_equal(e.bucket[0].split, 1);
    assert_int_equal(query(&e, 8), 100 + 8 * 7 * 16);
    assert_int_equal(query(&e, 1), 8 * 7 * 16);      /* the light counter had more than flow 1's 7 units */
    elastic_fini(&e);
}

/* A flow that wins an entry with its first packet also marks its light counter, so that it is counted in both
 * parts. */
static void insert__marks_the_light_part_for_a_newcomer(void **unused)
{
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    insert(&e, 8, 801, 1);
    assert_int_equal(e.bucket[0].count[0], 801);
    assert_int_equal(e.lights_used, 1);
    assert_int_equal(e.splits, 1);
    assert_int_equal(e.light[0], 7);                 /* flow 1, which lost its entry: max(7, 1) */
    elastic_fini(&e);
}

static void insert__saturates(void **unused)
{
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    insert(&e, 7, UINT32_MAX - 10, 2);
    assert_int_equal(query(&e, 7), UINT32_MAX);
    insert(&e, 1, 1u << 30, 1), insert(&e, 2, 1u << 30, 1), insert(&e, 3, 1u << 30, 1);
    insert(&e, 4, 1u << 30, 1), insert(&e, 5, 1u << 30, 1), insert(&e, 6, 1u << 30, 1);
    insert(&e, 8, 1000000, 3);
    assert_int_equal(query(&e, 8), UINT16_MAX * 16);
    elastic_fini(&e);
}

/* The first entry with this fingerprint, and the first of the smallest ones. */
static uint32_t find_plainly(const struct elastic_bucket *b, uint32_t print)
{
    uint32_t entry = 0;

    while (entry < ELASTIC_ENTRIES && b->print[entry] != print)
        entry++;
    return entry;
}

static uint32_t find_smallest_plainly(const struct elastic_bucket *b)
{
    uint32_t least = 0;

    for (uint32_t entry = 1; entry < ELASTIC_ENTRIES; entry++)
        if (b->count[entry] < b->count[least])
            least = entry;
    return least;
}

/* An entry that got another flow was the first unused one, idle, or the first of the smallest. */
static void check_taken(const struct elastic_bucket *was, const struct elastic_bucket *is)
{
    for (uint32_t i = 0; i < ELASTIC_ENTRIES; i++) {
        if (is->print[i] == was->print[i])
            continue;
        if (find_plainly(was, 0) < ELASTIC_ENTRIES)
            assert_int_equal(i, find_plainly(was, 0));
        else if (!(was->idle >> i & 1) || was->count[i])
            assert_int_equal(i, find_smallest_plainly(was));
    }
}

static void check_places(struct elastic_cfg cfg)
{
    struct elastic e;
    struct rng r;

    elastic_init(&e, &cfg);
    rng_init(&r, 5, cfg.heavy_bytes);
    for (int i = 0; i < 60000; i++) {
        struct flow_key key = key_of(draw_flow(&r));
        uint32_t bytes = 1 + (uint32_t)rng_below(&r, rng_next(&r) >> 60 ? 1500 : UINT32_MAX);
        uint64_t hash = flow_key_hash(&key, e.seed);
        uint32_t bucket = flow_key_below(hash, e.buckets), print = (uint32_t)hash + !(uint32_t)hash, entry;
        struct elastic_bucket was = e.bucket[bucket];

        elastic_insert(&e, &key, bytes);
        check_taken(&was, &e.bucket[bucket]);
        entry = find_plainly(&e.bucket[bucket], print);
        if (entry < ELASTIC_ENTRIES)
            assert_int_equal(elastic_query(&e, &key), e.bucket[bucket].count[entry]);
        if (i % 20000 == 19999)
            elastic_next_interval(&e);
    }
    elastic_fini(&e);
}

static void insert__takes_the_first_free_or_smallest_entry(void **unused)
{
    (void)unused;
    for (uint32_t buckets = 1; buckets <= 729; buckets *= 3)
        check_places((struct elastic_cfg){ .heavy_bytes = buckets * 64, .light_bytes = 2000 });
}

static void query__is_never_less_than_the_truth(void **unused)
{
    uint64_t bytes[FLOWS] = { 0 };
    struct elastic e;

    (void)unused;
    elastic_init(&e, &(struct elastic_cfg){ .heavy_bytes = 20 * 64, .light_bytes = 4000 });
    insert_random(&e, bytes, 7, 50000);
    for (uint32_t flow = 0; flow < FLOWS; flow++)
        assert_true(query(&e, flow) >= (bytes[flow] < 1000000 ? bytes[flow] : 1000000));
    /* The first 30 flows have half of the packets: each is far above the others and must have an entry. */
    for (uint32_t flow = 0; flow < 30; flow++)
        assert_true(query(&e, flow) >= bytes[flow] && query(&e, flow) <= bytes[flow] + bytes[flow] / 10);
    elastic_fini(&e);
}

static void list__has_the_flows_of_the_heavy_part(void **unused)
{
    struct elastic_flow flow[7];
    struct flow_key seven = key_of(7);
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    assert_int_equal(elastic_list(&e, 1, flow, 7), 7);
    assert_int_equal(elastic_list(&e, 1, flow, 3), 7);
    assert_int_equal(elastic_list(&e, 700, flow, 7), 1);
    assert_true(flow_key_equal(&flow[0].key, &seven));
    assert_int_equal(flow[0].bytes, 700);
    assert_false(flow[0].split);
    elastic_fini(&e);
}

static void next_interval__leaves_flows_in_their_entries(void **unused)
{
    struct elastic_flow flow[7];
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    elastic_next_interval(&e);
    assert_int_equal(elastic_list(&e, 1, flow, 7), 0);
    assert_int_equal(query(&e, 5), 0);
    insert(&e, 5, 60, 1);
    assert_int_equal(e.bucket[0].fresh, 0);
    assert_int_equal(e.bucket[0].count[4], 60);
    elastic_fini(&e);
}

/* Flows 1 .. 7 sent in the last interval and are assumed to send a packet in this one: only the ninth packet
 * of a newcomer outvotes one. An interval later six of them have been silent, and an entry is free. */
static void next_interval__keeps_entries_for_late_flows(void **unused)
{
    struct elastic e;

    (void)unused;
    fill_one_bucket(&e);
    elastic_next_interval(&e);
    insert(&e, 9, 100, 8);
    assert_int_equal(e.bucket[0].fresh, 0);
    assert_int_equal(query(&e, 9), 8 * 7 * 16);
    insert(&e, 9, 100, 1);
    assert_int_equal(e.bucket[0].fresh, 1);
    assert_int_equal(query(&e, 9), 100 + 8 * 7 * 16);
    elastic_next_interval(&e);
    insert(&e, 10, 70, 1);
    assert_int_equal(e.bucket[0].fresh, 2);
    assert_int_equal(e.bucket[0].split, 0);
    assert_int_equal(query(&e, 10), 70);
    elastic_fini(&e);
}

/* Seven flows so large that no votes suffice: all others are in the light part. */
static void block_heavy_part(struct elastic *e, uint32_t lights)
{
    elastic_init(e, &(struct elastic_cfg){ .heavy_bytes = 64, .light_bytes = lights * 2, .seed = 3 });
    for (uint32_t flow = 0; flow < 7; flow++)
        insert(e, 1000000 + flow, UINT32_MAX, 1);
}

/* Linear counting of n flows in m counters, load t = n / m: standard deviation sqrt(m (e^t - t - 1)); here
 * m = 10000, t = 2: 209 flows. Four of them. */
static void light_flows__are_right_within_their_error(void **unused)
{
    struct elastic e;

    (void)unused;
    block_heavy_part(&e, 10000);
    for (uint32_t flow = 0; flow < 20000; flow++)
        insert(&e, flow, 100, 1 + (int)(flow % 3));
    assert_true(elastic_light_flows(&e) > 20000 - 836 && elastic_light_flows(&e) < 20000 + 836);
    elastic_fini(&e);
}

/* ---- monitor_key ---- */

static void tuple__keeps_every_field_apart(void **unused)
{
    struct flow_key a = flow_key_tuple(1, 2, 3, 4, 5), other[] = {
        flow_key_tuple(2, 1, 3, 4, 5), flow_key_tuple(1, 3, 3, 4, 5), flow_key_tuple(1, 2, 4, 3, 5),
        flow_key_tuple(1, 2, 3, 5, 5), flow_key_tuple(1, 2, 3, 4, 6), flow_key_qp(1, 2, 3u << 16 | 4),
        flow_key_qp(0, 0, 0), flow_key_tuple(0, 0, 0, 0, 0),
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        assert_false(flow_key_equal(&a, &other[i]));
        assert_false(flow_key_is_none(&other[i]));
    }
    assert_true(flow_key_equal(&a, &(struct flow_key){ { a.word[0], a.word[1] } }));
}

/* Flipping one bit of a key flips each bit of its hash half of the time: 200 of 400, standard deviation 10.
 * Six of them. */
static void hash__depends_on_every_bit(void **unused)
{
    uint32_t flips[64];

    (void)unused;
    for (uint32_t bit = 0; bit < 128; bit++) {
        for (uint32_t i = 0; i < 64; i++)
            flips[i] = 0;
        for (uint32_t n = 0; n < 400; n++) {
            struct flow_key k = flow_key_tuple(0x0a000000 + n, 0x0a010000 + n / 7, (uint16_t)(50000 + n),
                                               4791, 17);
            uint64_t before = flow_key_hash(&k, 12345), changed;

            k.word[bit / 64] ^= 1ull << bit % 64;
            changed = before ^ flow_key_hash(&k, 12345);
            for (uint32_t i = 0; i < 64; i++)
                flips[i] += (uint32_t)(changed >> i & 1);
        }
        for (uint32_t i = 0; i < 64; i++)
            assert_in_range(flips[i], 200 - 60, 200 + 60);
    }
}

/* 100,000 neighbouring flows in 100 places: 1000 each, standard deviation 31.5. */
static void below__spreads_neighbours(void **unused)
{
    uint32_t hits[100] = { 0 };

    (void)unused;
    for (uint32_t i = 0; i < 100000; i++) {
        struct flow_key k = flow_key_qp(0x0a000001, 0x0a000002, i);

        hits[flow_key_below(flow_key_hash(&k, 1), 100)]++;
    }
    for (uint32_t i = 0; i < 100; i++)
        assert_in_range(hits[i], 1000 - 158, 1000 + 158);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insert__gives_seven_flows_an_entry_each),
        cmocka_unit_test(insert__needs_more_than_lambda_votes_for_an_entry),
        cmocka_unit_test(insert__marks_the_light_part_for_a_newcomer),
        cmocka_unit_test(insert__saturates),
        cmocka_unit_test(insert__takes_the_first_free_or_smallest_entry),
        cmocka_unit_test(query__is_never_less_than_the_truth),
        cmocka_unit_test(list__has_the_flows_of_the_heavy_part),
        cmocka_unit_test(next_interval__leaves_flows_in_their_entries),
        cmocka_unit_test(next_interval__keeps_entries_for_late_flows),
        cmocka_unit_test(light_flows__are_right_within_their_error),
        cmocka_unit_test(tuple__keeps_every_field_apart),
        cmocka_unit_test(hash__depends_on_every_bit),
        cmocka_unit_test(below__spreads_neighbours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
