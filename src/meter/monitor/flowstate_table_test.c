#include "meter/monitor/flowstate_table.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_qp(0x0a000001, 0x0a000002, flow);
}

static void insert(struct elastic *e, uint32_t flow, uint32_t bytes)
{
    struct flow_key key = key_of(flow);

    elastic_insert(e, &key, bytes);
}

struct pair { struct elastic sketch; struct flowstate_table entries; };

static void pair_init(struct pair *p, uint32_t buckets, uint32_t places, struct flowstate_cfg cfg)
{
    elastic_init(&p->sketch, &(struct elastic_cfg){ .heavy_bytes = buckets * 64, .light_bytes = 1000 });
    flowstate_table_init(&p->entries, cfg, buckets, places);
}

static void pair_fini(struct pair *p)
{
    elastic_fini(&p->sketch);
    flowstate_table_fini(&p->entries);
}

static struct flow_tally read(struct pair *p)
{
    struct flow_tally t = { 0 };

    flowstate_table_read(&p->entries, &p->sketch, &t);
    return t;
}

/* With a position for every flow, the sums equal those of flowstate_step() per flow. */
static void check_equals_single_flows(struct flowstate_cfg cfg)
{
    enum { FLOWS = 500 };
    struct flowstate state[FLOWS] = { { 0, 0 } };
    struct flow_tally expected, actual;
    uint64_t elephants = 0, potentials = 0;
    struct pair p;
    struct rng r;

    rng_init(&r, 1, 2);
    cfg = flowstate_configure(cfg);
    pair_init(&p, 1000, 16, cfg);
    for (int interval = 0; interval < 40; interval++) {
        expected = (struct flow_tally){ 0 };
        for (uint32_t flow = 0; flow < FLOWS; flow++) {
            uint32_t bytes = rng_next(&r) % (2 + flow % 5) ? (uint32_t)rng_below(&r, 100000) : 0;
            enum flow_class class = flowstate_step(&cfg, &state[flow], bytes);

            if (bytes)
                insert(&p.sketch, flow, bytes);
            flow_tally_add(&cfg, &expected, class, state[flow]);
        }
        assert_int_equal(p.sketch.lights_used, 0);
        actual = read(&p);
        if (cfg.share == FLOW_SHARE_SIZE)
            expected.potential_sigmoid = 0;      /* not requested */
        assert_memory_equal(&actual, &expected, sizeof(actual));
        elephants += expected.elephants;
        potentials += expected.potentials;
    }
    assert_true(elephants > 100 && potentials > 100);
    pair_fini(&p);
}

static void read__equals_single_flows(void **unused)
{
    (void)unused;
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000 });
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000, .delta = 1 });
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000, .share = FLOW_SHARE_SIGMOID });
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000, .share = FLOW_SHARE_ARTIFACT,
                                                      .with_bins = 1 });
}

/* Many flows in few entries, so that entries change hands constantly, and counts of all magnitudes. */
static void read__vector_equals_scalar(void **unused)
{
    struct pair a, b;
    struct rng r;

    (void)unused;
    rng_init(&r, 3, 4);
    pair_init(&a, 33, 64, (struct flowstate_cfg){ 0 });
    pair_init(&b, 33, 64, (struct flowstate_cfg){ 0 });
    for (int interval = 0; interval < 200; interval++) {
        struct flow_tally scalar = { 0 }, vector;

        for (int i = 0; i < 400; i++) {
            uint32_t flow = (uint32_t)rng_below(&r, 600);
            uint32_t bytes = (uint32_t)(rng_next(&r) >> (33 + rng_next(&r) % 31)) + 1;

            insert(&a.sketch, flow, bytes);
            insert(&b.sketch, flow, bytes);
        }
        vector = read(&a);
        flowstate_table_read_scalar(&b.entries, &b.sketch, &scalar);
        scalar.potential_sigmoid = 0;
        assert_memory_equal(&vector, &scalar, sizeof(vector));
        assert_memory_equal(a.entries.states, b.entries.states, 33 * sizeof(*a.entries.states));
        assert_memory_equal(a.entries.owner, b.entries.owner,
                            33 * ELASTIC_ENTRIES * sizeof(*a.entries.owner));
        assert_memory_equal(a.entries.parked, b.entries.parked, 64 * sizeof(*a.entries.parked));
        assert_memory_equal(a.sketch.bucket, b.sketch.bucket, 33 * sizeof(*a.sketch.bucket));
    }
    pair_fini(&a);
    pair_fini(&b);
}

static void send(struct pair *p, uint32_t first, uint32_t last, uint32_t packets, uint32_t bytes)
{
    for (uint32_t flow = first; flow <= last; flow++)
        for (uint32_t i = 0; i < packets; i++)
            insert(&p->sketch, flow, bytes);
}

/* One bucket. Flow 1 sends 'packets' of 1 KB and is silent until seven others have all entries. */
static void lose_entry(struct pair *p, uint32_t packets)
{
    pair_init(p, 1, 16, (struct flowstate_cfg){ 0 });
    send(p, 1, 1, packets, 1000);
    assert_int_equal(read(p).mice, 1);
    send(p, 2, 7, 1, 10);
    assert_int_equal(read(p).mice, 6);
    send(p, 2, 8, 1, 10);
    assert_int_equal(p->sketch.bucket[0].fresh, 1);
    assert_int_equal(read(p).mice, 7);
}

/* It returns with 400 KB, of which eight packets, counted as 1008 bytes, are votes for an entry. */
static void read__remembers_a_flow_that_lost_its_entry(void **unused)
{
    struct flow_tally t;
    struct pair p;

    (void)unused;
    lose_entry(&p, 600);
    send(&p, 1, 1, 400, 1000);
    t = read(&p);
    assert_int_equal(t.elephants, 1);
    assert_int_equal(t.mice, 0);
    pair_fini(&p);
}

/* 62 KB are below a sixteenth of 1 MB, so 62 + 939 KB are not recognised as an elephant. */
static void read__forgets_a_small_flow_that_lost_its_entry(void **unused)
{
    struct pair p;

    (void)unused;
    lose_entry(&p, 62);
    send(&p, 1, 1, 939, 1000);
    assert_int_equal(read(&p).elephants, 0);
    pair_fini(&p);
    lose_entry(&p, 63);
    send(&p, 1, 1, 938, 1000);
    assert_int_equal(read(&p).elephants, 1);
    pair_fini(&p);
}

/* One bucket, flows 1 .. 7 in entries 0 .. 6. In the third interval a newcomer wins entry 0 before flow 1
 * sends, which then wins entry 1: it has moved, and its run continues. 100 bytes are 112 in the light part;
 * eight packets go there. */
static void read__follows_a_flow_to_another_entry(void **unused)
{
    struct flow_tally t;
    struct pair p;

    (void)unused;
    pair_init(&p, 1, 16, (struct flowstate_cfg){ 0 });
    for (int interval = 0; interval < 2; interval++) {
        send(&p, 1, 7, 1, 100);
        assert_int_equal(read(&p).mice, 7);
    }
    send(&p, 9, 9, 9, 100);
    send(&p, 1, 1, 9, 100);
    assert_int_equal(p.sketch.bucket[0].fresh, 3);
    t = read(&p);
    assert_int_equal(t.potentials, 1);
    assert_int_equal(t.potential_bytes, 100 + 100 + 100 + 8 * 112);
    assert_int_equal(t.mice, 1);
    pair_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__equals_single_flows),
        cmocka_unit_test(read__vector_equals_scalar),
        cmocka_unit_test(read__remembers_a_flow_that_lost_its_entry),
        cmocka_unit_test(read__forgets_a_small_flow_that_lost_its_entry),
        cmocka_unit_test(read__follows_a_flow_to_another_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
