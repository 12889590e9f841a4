/* tests/oracle/trace_test.c - execution of traces whose completion times have a closed form. At 100 Gb/s a
 * message of 1000 bytes takes two hops of (1000 + 62 + 20) x 80 ps and 1 us; its ACK two of 86 x 80 ps and 1
 * us.
 */
#include "core/units.h"
#include "study/scenario/scenario.h"
#include "sim/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NS      PS_PER_NS
#define THERE   (2 * (1082 * 80ull + PS_PER_US))
#define BACK    (2 * (86 * 80ull + PS_PER_US))

struct ends { uint64_t took_ps[8]; uint32_t count; };

static void on_op(void *arg, const struct op_result *r)
{
    struct ends *e = arg;

    assert_true(e->count < 8);
    e->took_ps[e->count++] = r->took_ps;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Completion times of the ranks, sorted. */
static void run(struct ends *ends, const char *goal, uint32_t threads)
{
    char            path[] = "/tmp/anole-trace-XXXXXX", text[256];
    int             fd = mkstemp(path);
    uint64_t        seed = 1;
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    assert_true(fd >= 0 && write(fd, goal, strlen(goal)) == (ssize_t)strlen(goal));
    close(fd);
    snprintf(text, sizeof text,
             "{topology: {kind: star, hosts: 4}, host: {ack_every: 1000}, traffic: [{kind: goal, file: %s}]}",
             path);
    if (scenario_parse(&scenario, "t", text, strlen(text), NULL, 0, &seed, &err))
        die("%s", err.text);
    unlink(path);
    scenario.cfg.threads = threads;
    if (scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    *ends = (struct ends){ .count = 0 };
    traffic_on_op(s->program.traffic, on_op, ends);
    sim_run_until(s, PS_PER_S);
    traffic_tell(s->program.traffic);
    qsort(ends->took_ps, ends->count, sizeof *ends->took_ps, by_time);
    sim_free(s);
    scenario_fini(&scenario);
}

/* Compute, a message, compute, a message back. */
static void goal__ping_pong(void **unused)
{
    struct ends e;

    (void)unused;
    run(&e, "num_ranks 2\nrank 0 {\na: calc 700\nb: send 1000b to 1\nb requires a\n"
            "recv 1000b from 1 tag 5\n}\n"
            "rank 1 {\na: recv 1000b from 0\nb: calc 300\nb requires a\nc: send 1000b to 0 tag 5\n"
            "c requires b\n}\n", 1);
    assert_int_equal(e.count, 2);
    assert_int_equal(e.took_ps[0], 700 * NS + THERE + 300 * NS + THERE);
    assert_int_equal(e.took_ps[1], 700 * NS + THERE + 300 * NS + THERE + BACK);
}

/* One processor runs operations one after the other, in the order in which they became ready; two run them
 * concurrently. */
static void goal__processors(void **unused)
{
    struct ends e;

    (void)unused;
    run(&e, "num_ranks 1\nrank 0 {\ncalc 100\ncalc 200\ncalc 250 cpu 1\n}\n", 1);
    assert_int_equal(e.took_ps[0], 300 * NS);
    /* c is ready at 100 and waits for b (until 400), d behind it */
    run(&e, "num_ranks 1\nrank 0 {\na: calc 100 cpu 1\nb: calc 400\nc: calc 50\nd: calc 60 cpu 1\n"
            "c requires a\nd requires c\n}\n", 1);
    assert_int_equal(e.took_ps[0], 510 * NS);
}

/* Operations that become ready simultaneously run in file order, regardless of the order of 'requires', even
 * with a processor, a receive or an operation of no duration in between. */
static void goal__ties_run_in_file_order(void **unused)
{
    struct ends e;

    (void)unused;
    /* b from 100 to 150, c from there to 220; d on another processor from 150 on */
    run(&e, "num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50\nc: calc 70\nd: calc 1000 cpu 1\nb requires a\n"
            "c requires a\nd requires b\n}\n", 1);
    assert_int_equal(e.took_ps[0], 1150 * NS);
    run(&e, "num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50\nc: calc 70\nd: calc 1000 cpu 1\nc requires a\n"
            "b requires a\nd requires b\n}\n", 1);
    assert_int_equal(e.took_ps[0], 1150 * NS);
    /* c becomes ready by z, which takes no time, at the same moment as b */
    run(&e, "num_ranks 1\nrank 0 {\na: calc 100\nz: calc 0\nc: calc 70\nb: calc 50\nd: calc 1000 cpu 1\n"
            "b requires a\nz requires a\n"
            "c requires z\nd requires c\n}\n", 1);
    assert_int_equal(e.took_ps[0], 1170 * NS);
    /* Both become ready while the processor is busy (until 400): x and y end at 100 on others, y first. */
    run(&e, "num_ranks 1\nrank 0 {\nx: calc 100 cpu 2\ny: calc 100 cpu 1\na: calc 400\nb: calc 50\n"
            "c: calc 70\nd: calc 1000 cpu 1\n"
            "b requires x\nc requires y\nd requires b\n}\n", 1);
    assert_int_equal(e.took_ps[0], 1450 * NS);
    /* The first message matches the first receive. */
    run(&e, "num_ranks 2\nrank 0 {\na: calc 100\nb: recv 1000b from 1\nc: recv 1000b from 1\nd: calc 90000\n"
            "b requires a\nc requires a\nd requires b\n}\n"
            "rank 1 {\nsend 1000b to 0\na: calc 20000\nb: send 1000b to 0\nb requires a\n}\n", 1);
    assert_int_equal(e.took_ps[1], THERE + 90000 * NS);
}

/* A required send is done when its ACK is back; with 'irequires' its start suffices. */
static void goal__ends_and_starts(void **unused)
{
    struct ends e;

    (void)unused;
    run(&e, "num_ranks 2\nrank 0 {\na: send 1000b to 1\nb: calc 10\nb requires a\n}\nrank 1 {\n"
            "recv 1000b from 0\n}\n", 1);
    assert_int_equal(e.took_ps[0], THERE);
    assert_int_equal(e.took_ps[1], THERE + BACK + 10 * NS);
    run(&e, "num_ranks 2\nrank 0 {\na: send 1000b to 1\nb: calc 10000\nb irequires a\n}\nrank 1 {\n"
            "recv 1000b from 0\n}\n", 1);
    assert_int_equal(e.took_ps[1], 10000 * NS);
}

/* Two messages with one tag match receives in the order of posting; an early message waits. Threads do not
 * matter. */
static void goal__matches_messages_like_mpi(void **unused)
{
    static const char goal[] =
        "num_ranks 3\nrank 0 {\na: calc 9000\nb: send 1000b to 2 tag 1\nb requires a\n}\nrank 1 {\nsend "
        "1000b to 2 tag 1\n}\n"
        "rank 2 {\na: recv 1000b from -1 tag 1\nb: calc 500\nb requires a\nc: recv 1000b from 0 tag -1\n}\n";
    struct ends one, two;

    (void)unused;
    run(&one, goal, 1);
    run(&two, goal, 2);
    assert_int_equal(one.took_ps[0], THERE + BACK);              /* rank 1 */
    assert_int_equal(one.took_ps[1], 9000 * NS + THERE);         /* rank 2: c */
    assert_int_equal(one.took_ps[2], 9000 * NS + THERE + BACK);
    assert_memory_equal(one.took_ps, two.took_ps, sizeof one.took_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goal__ping_pong),
        cmocka_unit_test(goal__processors),
        cmocka_unit_test(goal__ties_run_in_file_order),
        cmocka_unit_test(goal__ends_and_starts),
        cmocka_unit_test(goal__matches_messages_like_mpi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
