/* peers/goal_test.c - GOAL: golden bytes of the compiled form, equivalent text, and refusals. */
#include "peers/goal.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "num_ranks 2\n"
                           "rank 0 {\nl1: calc 100\n  l2: send 8b to 1 tag 7\nl2 requires l1\n}\n"
                           "/* a comment\n of two lines */ rank 1 {\nl1: recv 8 b from 0 tag 7 // and "
                           "one\n}\n";

/* From the description of the format. */
static const unsigned char golden[] = {
    0x7f, 0x10, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0,
    0x26, 0, 0, 0, 0, 0, 0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0xb7, 0, 0, 0, 0, 0, 0,
    0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 3, 0, 0, 0, 0, 0x64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 1, 0, 0, 0,
    1, 0, 0, 0, 1, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 1, 0, 0, 0,
    1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 2, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0,
};

static void expect_example(const char *data, size_t size)
{
    const struct trace_op *op;
    struct trace           t;
    struct err             err;

    if (goal_parse("g", data, size, &t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.ranks, 2);
    assert_int_equal(t.rank[0].ops, 2);
    op = t.rank[0].op;
    assert_int_equal(op[0].type, TRACE_CALC);
    assert_int_equal(op[0].size, 100 * PS_PER_NS);
    assert_int_equal(op[0].waits, 0);
    assert_int_equal(op[0].started_at - op[0].done_at, 1);
    assert_int_equal(t.rank[0].next[op[0].done_at], 1);
    assert_int_equal(op[1].type, TRACE_SEND);
    assert_int_equal(op[1].size, 8);
    assert_int_equal(op[1].peer, 1);
    assert_int_equal(op[1].tag, 7);
    assert_int_equal(op[1].waits, 1);
    assert_int_equal(t.rank[1].op[0].type, TRACE_RECV);
    trace_fini(&t);
}

static void goal__text_and_golden_bytes_are_the_same_trace(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof golden, 191);
    expect_example(text, strlen(text));
    expect_example((const char *)golden, sizeof golden);
}

static void goal__wildcards_and_starts(void **unused)
{
    static const char any[] =
        "num_ranks 2 /*/ one\ncomment */\nrank 0 {\na: send 0b to 1\nb: calc 5 cpu 3\nb irequires a\n}\n"
        "rank 1 {\nrecv 9b from -1 tag -1\n}";
    struct trace      t;
    struct err        err;

    (void)unused;
    if (goal_parse("g", any, strlen(any), &t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.rank[0].op[0].size, 1);       /* no message is empty */
    assert_int_equal(t.rank[0].op[0].next_at - t.rank[0].op[0].started_at, 1);
    assert_int_equal(t.rank[0].op[1].cpu, 3);
    assert_int_equal(t.rank[1].op[0].peer, TRACE_ANY);
    assert_true(t.rank[1].op[0].tag == TRACE_ANY_TAG);
    trace_fini(&t);
}

static void goal__refuses(void **unused)
{
    static const struct { const char *text, *why; } rows[] = {
        { "", "g:1: num_ranks is missing" },
        { "num_ranks 0", "g:1: there are no ranks" },
        { "rank 0 {\n}", "g:1: num_ranks must come before the first rank" },
        { "rank x {\n}", "g:1: the number of the rank is missing" },
        { "num_ranks 1\nrank 1 {\n}", "g:2: there is no rank 1: there are 1" },
        { "num_ranks 2\nrank 0 {\n}", "g:3: rank 1 is missing" },
        { "num_ranks 1\nrank 0 {\ncalk 5\n}", "g:3: there is no 'calk' in this rank so far" },
        { "num_ranks 1\nrank 0 {\na: b\n}", "g:3: 'b' is not an operation; use calc, send, recv or read" },
        { "num_ranks 1\nrank 0 {\ncalc\n}", "g:3: the time is missing" },
        { "num_ranks 1\nrank 0 {\ncalc 5 tag 3\n}", "g:3: unexpected text after the statement" },
        { "num_ranks 1\nrank 0 {\nsend 5b to 9\n}", "g:3: there is no rank 9: there are 1" },
        { "num_ranks 1\nrank 0 {\nsend 5 to 0\n}", "g:3: 'b' is missing behind the size" },
        { "num_ranks 1\nrank 0 {\nsend 5b to 0 nic 1\n}",
          "g:3: nic 1: ranks with several NICs are not modelled" },
        { "num_ranks 1\nrank 0 {\na: calc 1\na requires c\n}", "g:4: there is no 'c' in this rank so far" },
        { "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}",
          "g:3: operation 0 of rank 0 is part of a dependency cycle, or waits for one" },
        { "num_ranks 1\nrank 0 {\nrecv 5b from 0\n}",
          "g:3: no matching message for the receive of rank 0 (operation 0)" },
        { "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\n}",
          "g:3: no matching receive for the message from rank 0 to rank 1" },
        { "num_ranks 1\nrank 0 {\n", "g:3: rank 0 does not end: '}' is missing" },
    };
    char         data[sizeof golden];
    struct trace t;
    struct err   err;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(goal_parse("g", rows[i].text, strlen(rows[i].text), &t, &err) < 0);
        assert_string_equal(err.text, rows[i].why);
    }
    for (size_t size = 8; size < sizeof golden; size++)
        assert_true(goal_parse("g", (const char *)golden, size, &t, &err) < 0);
    memcpy(data, golden, sizeof golden);
    data[0] = 0x26, data[1] = 0x09;
    assert_true(goal_parse("g", data, sizeof data, &t, &err) < 0);
    assert_string_equal(err.text, "g: LogGOPSim with --save-mem has consumed this file");
}

/* ---- files ---- */

static void write_file(char *path, const void *data, size_t size)
{
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, data, size), size);
    close(file);
}

/* Reading a file gives the same as parsing its bytes. */
static void expect_same_from_file(const char *data, size_t size)
{
    char         path[] = "/tmp/goal_test.XXXXXX";
    struct trace a, b;
    struct err   err;

    write_file(path, data, size);
    if (goal_parse(path, data, size, &a, &err) || goal_read(path, &b, &err))
        fail_msg("%s", err.text);
    assert_int_equal(a.ranks, b.ranks);
    assert_int_equal(a.ops, b.ops);
    for (uint32_t rank = 0; rank < a.ranks; rank++) {
        const struct trace_rank *x = &a.rank[rank], *y = &b.rank[rank];

        assert_int_equal(x->ops, y->ops);
        assert_int_equal(x->edges, y->edges);
        assert_memory_equal(x->next, y->next, x->edges * sizeof *x->next);
        for (uint32_t i = 0; i < x->ops; i++) {
            assert_int_equal(x->op[i].type, y->op[i].type);
            assert_int_equal(x->op[i].size, y->op[i].size);
            assert_int_equal(x->op[i].line, y->op[i].line);
            assert_int_equal(x->op[i].waits, y->op[i].waits);
            assert_int_equal(x->op[i].done_at, y->op[i].done_at);
        }
    }
    trace_fini(&a);
    trace_fini(&b);
    unlink(path);
}

/* Long comments and blanks. */
static void goal__a_long_text_is_the_same_from_a_file(void **unused)
{
    size_t size = 16u << 20, at = 0;
    char  *long_text = malloc(size);

    (void)unused;
    at += (size_t)snprintf(long_text + at, size - at, "num_ranks 2\n/* ");
    memset(long_text + at, '*', 1500000);
    at += 1500000;
    at += (size_t)snprintf(long_text + at, size - at, " */\n// ");
    memset(long_text + at, 'x', 1200000);
    at += 1200000;
    for (int rank = 0; rank < 2; rank++) {
        at += (size_t)snprintf(long_text + at, size - at, "\nrank %d {\n", rank);
        memset(long_text + at, ' ', 1100000);
        at += 1100000;
        for (int i = 0; i < 20000; i++) {
            at += (size_t)snprintf(long_text + at, size - at, "a_long_label_%d: %s 8b %s %d tag %d\n", i,
                                   rank ? "recv" : "send", rank ? "from" : "to", 1 - rank, i);
            if (i)
                at += (size_t)snprintf(long_text + at, size - at, "a_long_label_%d %s a_long_label_%d\n", i,
                                       i % 3 ? "requires" : "irequires", i / 2);
        }
        at += (size_t)snprintf(long_text + at, size - at, "}\n");
    }
    assert_true(at < size);
    expect_same_from_file(long_text, at);
    free(long_text);
    expect_same_from_file(text, strlen(text));
    expect_same_from_file((const char *)golden, sizeof golden);
}

static void goal__refuses_the_same_in_a_file(void **unused)
{
    static const char *const wrong[] = {
        "",
        "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\n}",
        "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}",
        "num_ranks 1\nrank 0 {\n",
        "num_ranks 1\nrank 0 {\ncalc 5 tag 3\n}",
    };
    struct trace             t;
    struct err               parsed, read;

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char path[] = "/tmp/goal_test.XXXXXX";

        write_file(path, wrong[i], strlen(wrong[i]));
        assert_true(goal_parse(path, wrong[i], strlen(wrong[i]), &t, &parsed) < 0);
        assert_true(goal_read(path, &t, &read) < 0);
        assert_string_equal(parsed.text, read.text);
        unlink(path);
    }
    assert_true(goal_read("/there/is/none", &t, &read) < 0);
}

/* A sparse file: one rank with an operation too many, all of them zero bytes. */
static void goal_read__limits_operations_of_a_compiled_file(void **unused)
{
    const uint64_t nodes = TRACE_OPS_MAX + 1ull, bytes = 8 + 39 * nodes;
    const uint64_t head[] = { 4223, 1 };
    char           path[] = "/tmp/goal_test.XXXXXX", begin[38] = "";
    struct trace   t;
    struct err     err;

    (void)unused;
    memcpy(begin, head, 14);                     /* magic, ranks */
    memcpy(begin + 14, &(uint64_t){ 22 }, 8);    /* start and end of the rank, behind byte 8 */
    memcpy(begin + 22, &(uint64_t){ 22 + bytes }, 8);
    memcpy(begin + 30, &nodes, 8);
    write_file(path, begin, sizeof begin);
    assert_int_equal(truncate(path, (off_t)(30 + bytes)), 0);
    assert_true(goal_read(path, &t, &err) < 0);
    assert_non_null(strstr(err.text, ": more than 200000000 operations"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal__text_and_golden_bytes_are_the_same_trace),
        cmocka_unit_test(goal__wildcards_and_starts),
        cmocka_unit_test(goal__refuses),
        cmocka_unit_test(goal__a_long_text_is_the_same_from_a_file),
        cmocka_unit_test(goal__refuses_the_same_in_a_file),
        cmocka_unit_test(goal_read__limits_operations_of_a_compiled_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
