/* peers/chakra_test.c - Chakra traces: bytes of ASTRA-sim's own example, and hand-made nodes. */
#include "peers/chakra.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* examples/workload/microbenchmarks/all_gather/4npus_1MB/all_gather.0.et of ASTRA-sim. */
static const char golden[] =
    "\x07\x0a\x05" "0.0.4" "\x48\x12\x14" "all_gather_4npus_1MB" "\x18\x07\x52\x0e\x0a\x09"
    "is_cpu_op" "\xd8\x01\x00"
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

/* Node 5 computes for 7 us and waits for 9, which comes later. Dependencies are given both unpacked and
 * packed. */
static void parse__resolves_later_nodes(void **unused)
{
    static const char nodes[] =
        HEAD "\x0a\x08\x05\x18\x04\x38\x07\x20\x09\x28\x0a" "\x04\x08\x09\x18\x01"
        "\x08\x08\x0a\x18\x04\x2a\x02\x05\x09";
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
        ROW("\x1f\x8b\x00", "c: the file is compressed; unpack it with gunzip"),
        ROW("\x05\x0a", "c: truncated record, or not a Chakra trace"),
        ROW(HEAD "\x04\x08\x05\x18\x0b", "c: node 5: nodes of type 11 are not modelled"),
        ROW(HEAD "\x04\x08\x05\x18\x07", "c: node 5: comm_size is missing or too large"),
        ROW(HEAD "\x06\x08\x05\x18\x04\x28\x03", "c: node 5: it waits for node 3, which does not exist"),
        ROW(HEAD "\x04\x08\x05\x18\x01\x04\x08\x05\x18\x01", "c: node 5: this id is used twice"),
        ROW(HEAD "\x13\x08\x05\x18\x05\x52\x0d\x0a\x09" "comm_size" "\x48\x02",
            "c: node 5: a send without comm_dst or comm_tag"),
        ROW(HEAD "\x22\x08\x05\x18\x07\x52\x0d\x0a\x09" "comm_size" "\x48\x02\x52\x0d\x0a\x09" "comm_type"
            "\x48\x09",
            "c: node 5: comm_type 9 is not modelled; ALL_REDUCE (0), ALL_GATHER (2), BROADCAST (5), "
            "ALL_TO_ALL (6) and REDUCE_SCATTER (7) are"),
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
    static const char json[] = "{\"1\": [0, 2], \"3\": [1]}", twice[] = "{\"1\": [0, 0]}",
        none[] = "{\"1\": [7]}", zero[] = "{\"0\": [1]}";
    struct trace      t;
    struct err        err;

    (void)unused;
    trace_init(&t, "t", 3);
    assert_int_equal(chakra_read_groups("g", json, sizeof json - 1, &t, &err), 0);
    assert_int_equal(t.groups, 4);
    assert_int_equal(t.group[1].rank[1], 2);
    assert_int_equal(t.group[2].count, 0);
    assert_int_equal(t.group[0].count, 3);
    assert_true(chakra_read_groups("g", twice, sizeof twice - 1, &t, &err) < 0);
    assert_string_equal(err.text, "g:1:11: this rank is listed twice");
    assert_true(chakra_read_groups("g", none, sizeof none - 1, &t, &err) < 0);
    assert_true(chakra_read_groups("g", zero, sizeof zero - 1, &t, &err) < 0);
    trace_fini(&t);
}

/* ---- files ---- */

static char folder[64], prefix[80], path[96];

static int set_up(void **unused)
{
    (void)unused;
    snprintf(folder, sizeof folder, "/tmp/chakra_test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(prefix, sizeof prefix, "%s/t", folder);
    snprintf(path, sizeof path, "%s.0.et", prefix);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    unlink(path);
    return rmdir(folder);
}

static int read_bytes(const void *bytes, size_t size, struct trace *t, struct err *err)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    return chakra_read(prefix, NULL, t, err);
}

/* Reading a file gives the same, or the same reason, as parsing its bytes. */
static void expect_same_from_file(const void *bytes, size_t size)
{
    struct trace a, b;
    struct err   why, why_file;
    int          rc;

    trace_init(&a, prefix, 1);
    a.is_by_number = true;
    rc = chakra_parse(path, bytes, size, 0, &a, &why);
    rc = rc ? rc : trace_seal(&a, &why);
    rc = rc ? rc : trace_check(&a, &why);
    assert_int_equal(read_bytes(bytes, size, &b, &why_file), rc);
    if (rc) {
        assert_string_equal(why.text, why_file.text);
    } else {
        assert_int_equal(a.ops, b.ops);
        assert_int_equal(a.rank[0].cpus, b.rank[0].cpus);
        assert_int_equal(a.rank[0].sends, b.rank[0].sends);
        assert_int_equal(a.rank[0].edges, b.rank[0].edges);
        for (uint32_t i = 0; i < a.ops; i++)
            assert_memory_equal(&a.rank[0].op[i], &b.rank[0].op[i], sizeof a.rank[0].op[i]);
        assert_memory_equal(a.rank[0].next, b.rank[0].next, a.rank[0].edges * sizeof *a.rank[0].next);
        trace_fini(&b);
    }
    trace_fini(&a);
}

static size_t put_varint(unsigned char *to, uint64_t n)
{
    size_t at = 0;

    for (; n >= 0x80; n >>= 7)
        to[at++] = (unsigned char)(n | 0x80);
    to[at++] = (unsigned char)n;
    return at;
}

/* Writes a node that computes and waits for two others, with a name of name_bytes. */
static size_t put_node(unsigned char *to, uint64_t id, uint64_t first, uint64_t second, size_t name)
{
    unsigned char *body = malloc(name + 64);
    size_t         at = 0, size;

    body[at++] = 0x08;
    at += put_varint(body + at, id);
    body[at++] = 0x12;
    at += put_varint(body + at, name);
    memset(body + at, 'n', name);
    at += name;
    body[at++] = 0x18;
    body[at++] = 4;
    for (int i = 0; i < 2; i++) {
        body[at++] = 0x28;
        at += put_varint(body + at, i ? second : first);
    }
    size = put_varint(to, at);
    memcpy(to + size, body, at);
    free(body);
    return size + at;
}

/* Nodes 3 x i wait for an earlier and a later node; a root is at the end. There are more nodes than one read
 * or write holds, and some are longer than one read. */
static void read__the_same_from_a_file(void **unused)
{
    unsigned char *data = malloc(8u << 20);
    size_t         at = sizeof HEAD - 1, number;
    const uint64_t count = 20000;

    (void)unused;
    memcpy(data, HEAD, at);
    for (uint64_t i = 1; i < count; i++)
        at += put_node(data + at, 3 * i, i > 1 ? 3 * (i - (i % 7 < i - 1 ? i % 7 + 1 : 1)) : 3 * count,
                       3 * count, i % 4000 ? i % 50 : 200000);
    number = put_varint(data + at + 2, 3 * count);
    data[at] = (unsigned char)(3 + number);
    data[at + 1] = 0x08;
    at += 2 + number;
    data[at++] = 0x18;
    data[at++] = 1;
    expect_same_from_file(data, at);
    for (size_t cut = 1; cut < 5000; cut += 37)
        expect_same_from_file(data, at - cut);
    free(data);
}

static void read__refuses_the_same_in_a_file(void **unused)
{
    static const struct { const char *bytes; size_t size; } rows[] = {
#define BYTES(bytes) { bytes, sizeof bytes - 1 }
        BYTES(""),
        BYTES(HEAD),
        /* waits for a node that does not exist */
        BYTES(HEAD "\x06\x08\x05\x18\x04\x28\x03"),
        BYTES(HEAD "\x06\x08\x05\x18\x04\x28\x09"),
        /* two nodes with the same id */
        BYTES(HEAD "\x04\x08\x05\x18\x01\x04\x08\x05\x18\x01"),
        /* descending ids are valid */
        BYTES(HEAD "\x04\x08\x05\x18\x01\x06\x08\x02\x18\x04\x28\x05"),
        /* a length beyond the end */
        BYTES(HEAD "\x04\x08\x05\x18\x01\xff\xff\xff\xff\x7f"),
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_same_from_file(rows[i].bytes, rows[i].size);
}

static void read__refuses_cycles(void **unused)
{
    static const char circle[] =
        HEAD "\x06\x08\x01\x18\x04\x28\x02" "\x06\x08\x02\x18\x04\x28\x01" "\x04\x08\x03\x18\x01";
    struct trace      t;
    struct err        err;

    (void)unused;
    assert_true(read_bytes(circle, sizeof circle - 1, &t, &err) < 0);
    assert_non_null(strstr(err.text, "is part of a dependency cycle, or waits for one"));
}

/* Among ready nodes the lowest id goes first, wherever it is in the file. */
static void read__orders_by_id(void **unused)
{
    static const char nodes[] =
        HEAD "\x06\x08\x09\x18\x04\x38\x09" "\x08\x08\x04\x18\x04\x38\x04\x28\x09"
        "\x06\x08\x06\x18\x04\x38\x06";
    struct trace      t;
    struct err        err;

    (void)unused;
    if (read_bytes(nodes, sizeof nodes - 1, &t, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(t.rank[0].op[i].line, ((uint32_t[]){ 4, 6, 9 })[i]);
    assert_int_equal(t.rank[0].op[0].waits, 1);
    assert_int_equal(t.rank[0].next[t.rank[0].op[2].done_at], 0);
    trace_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__reads_the_golden_bytes),
        cmocka_unit_test(parse__resolves_later_nodes),
        cmocka_unit_test(parse__refuses),
        cmocka_unit_test(groups__by_number),
        cmocka_unit_test_setup_teardown(read__the_same_from_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__refuses_the_same_in_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__refuses_cycles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__orders_by_id, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
