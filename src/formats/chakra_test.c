/* src/formats/chakra_test.c - Chakra traces: bytes of ASTRA-sim's own example, and nodes put together by hand. */
#include "formats/chakra.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* examples/workload/microbenchmarks/all_gather/4npus_1MB/all_gather.0.et of ASTRA-sim. */
static const char golden[] = "\x07\x0a\x05" "0.0.4" "\x48\x12\x14" "all_gather_4npus_1MB" "\x18\x07\x52\x0e\x0a\x09" "is_cpu_op" "\xd8\x01\x00"
                             "\x52\x0d\x0a\x09" "comm_type" "\x48\x02\x52\x0f\x0a\x09" "comm_size" "\x48\x80\x80\x40";

static void parse__reads_the_golden_bytes(void **unused)
{
    struct trace t;
    struct err   err;

    (void)unused;
    assert_int_equal(sizeof golden - 1, 81);
    trace_init(&t, "t", 4);
    if (chakra_parse("c", golden, sizeof golden - 1, 1, &t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.rank[1].ops, 1);
    assert_int_equal(t.rank[1].op[0].type, TRACE_COLLECTIVE);
    assert_int_equal(t.rank[1].op[0].collective, TRACE_ALL_GATHER);
    assert_int_equal(t.rank[1].op[0].size, 1048576);
    assert_int_equal(t.rank[1].op[0].peer, 0);
    trace_fini(&t);
}

#define HEAD "\x03\x0a\x01" "x"

/* Node 5 computes for 7 us and waits for 9, which comes later and is unpacked once and packed once: a row and a single number. */
static void parse__joins_what_comes_later(void **unused)
{
    static const char nodes[] = HEAD "\x0a\x08\x05\x18\x04\x38\x07\x20\x09\x28\x0a" "\x04\x08\x09\x18\x01" "\x08\x08\x0a\x18\x04\x2a\x02\x05\x09";
    struct trace      t;
    struct err        err;

    (void)unused;
    trace_init(&t, "t", 1);
    assert_true(chakra_parse("c", nodes, sizeof nodes - 1, 0, &t, &err) == 0);
    assert_int_equal(t.rank[0].ops, 3);
    assert_int_equal(t.rank[0].op[0].size, 7 * PS_PER_US);
    assert_int_equal(t.rank[0].op[0].waits, 2);
    assert_int_equal(t.rank[0].op[1].size, 0);
    assert_int_equal(t.rank[0].op[2].waits, 2);
    assert_int_equal(t.rank[0].op[2].size, PS_PER_NS);
    assert_true(trace_seal(&t, &err) < 0);           /* 5 waits for 10, and 10 for 5 */
    trace_fini(&t);
}

static void parse__refuses(void **unused)
{
    static const struct { const char *bytes; size_t size; const char *why; } rows[] = {
#define ROW(bytes, why) { bytes, sizeof bytes - 1, why }
        ROW("\x1f\x8b\x00", "c: it is packed; unpack it with gunzip"),
        ROW("\x05\x0a", "c: it ends in the middle of a record, or is no Chakra trace"),
        ROW(HEAD "\x04\x08\x05\x18\x0b", "c: node 5: nodes of type 11 are not modelled"),
        ROW(HEAD "\x04\x08\x05\x18\x07", "c: node 5: comm_size is missing or too large"),
        ROW(HEAD "\x06\x08\x05\x18\x04\x28\x03", "c: node 5: it waits for node 3, which is not there"),
        ROW(HEAD "\x04\x08\x05\x18\x01\x04\x08\x05\x18\x01", "c: node 5: there are two of it"),
        ROW(HEAD "\x13\x08\x05\x18\x05\x52\x0d\x0a\x09" "comm_size" "\x48\x02", "c: node 5: a send without comm_dst or comm_tag"),
        ROW(HEAD "\x22\x08\x05\x18\x07\x52\x0d\x0a\x09" "comm_size" "\x48\x02\x52\x0d\x0a\x09" "comm_type" "\x48\x09",
            "c: node 5: comm_type 9 is not modelled; ALL_REDUCE (0), ALL_GATHER (2), BROADCAST (5), ALL_TO_ALL (6) and REDUCE_SCATTER (7) are"),
    };
    struct trace t;
    struct err   err;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trace_init(&t, "t", 2);
        assert_true(chakra_parse("c", rows[i].bytes, rows[i].size, 0, &t, &err) < 0);
        assert_string_equal(err.text, rows[i].why);
        trace_fini(&t);
    }
}

static void groups__by_number(void **unused)
{
    static const char json[] = "{\"1\": [0, 2], \"3\": [1]}", twice[] = "{\"1\": [0, 0]}", none[] = "{\"1\": [7]}", zero[] = "{\"0\": [1]}";
    struct trace      t;
    struct err        err;

    (void)unused;
    trace_init(&t, "t", 3);
    assert_int_equal(chakra_parse_groups("g", json, sizeof json - 1, &t, &err), 0);
    assert_int_equal(t.groups, 4);
    assert_int_equal(t.group[1].rank[1], 2);
    assert_int_equal(t.group[2].count, 0);
    assert_int_equal(t.group[0].count, 3);
    assert_true(chakra_parse_groups("g", twice, sizeof twice - 1, &t, &err) < 0);
    assert_string_equal(err.text, "g:1:11: this rank is there twice");
    assert_true(chakra_parse_groups("g", none, sizeof none - 1, &t, &err) < 0);
    assert_true(chakra_parse_groups("g", zero, sizeof zero - 1, &t, &err) < 0);
    trace_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__reads_the_golden_bytes),
        cmocka_unit_test(parse__joins_what_comes_later),
        cmocka_unit_test(parse__refuses),
        cmocka_unit_test(groups__by_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
