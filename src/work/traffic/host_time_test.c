/* src/work/traffic/host_time_test.c - CPU time of programs: queues computed by hand, distributions checked by
 * their means. */
#include "work/traffic/host_time.h"
#include "core/units.h"
#include "work/net/graph.h"
#include "work/traffic/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>


static const struct traffic_kind kind = { .name = "test" };

struct fixture { struct graph graph; struct traffic *traffic; struct job *job; };

static void open_job(struct fixture *f, struct host_times *times)
{
    static const uint32_t       hosts[] = { 0, 1 };
    const struct traffic_common common = { .stop_ps = PS_PER_S };

    graph_star(&f->graph, &(struct graph_star){ 2, 100000000000, 1000 });
    f->traffic = traffic_new(&f->graph, 7);
    f->job = xcalloc(1, sizeof *f->job);
    job_init(f->job, &kind, f->traffic, &common, hosts, 2);
    if (times)
        job_use_host_time(f->job, times);
}

static void close_job(struct fixture *f)
{
    traffic_free(f->traffic);
    graph_fini(&f->graph);
}

/* A worker posts three messages at 0, 2 us each: they leave at 2, 4 and 6 us. A message of 1000 bytes arrives
 * at 5 us and waits until 6 us; then polling takes 1 us, and copying at 8 Gb/s another. The other worker has
 * its own CPU. Think time does not occupy a CPU. */
static void cpu__serializes_posts_and_polls(void **unused)
{
    struct host_times times = { .post = { .ps = 2 * PS_PER_US }, .poll = { .ps = PS_PER_US },
                                .think = { .ps = 10 * PS_PER_US }, .copy_bps = 8000000000 };
    struct fixture    f;

    (void)unused;
    assert_true(host_times_are_set(&times));
    open_job(&f, &times);
    for (uint64_t i = 1; i <= 3; i++)
        assert_int_equal(job_cpu_post(f.job, 0, 0), 2 * i * PS_PER_US);
    assert_int_equal(job_cpu_take(f.job, 0, 5 * PS_PER_US, 1000), 8 * PS_PER_US);
    assert_int_equal(job_cpu_post(f.job, 1, 5 * PS_PER_US), 7 * PS_PER_US);
    assert_int_equal(job_think(f.job, 0, 5 * PS_PER_US), 15 * PS_PER_US);
    assert_int_equal(job_cpu_post(f.job, 0, 20 * PS_PER_US), 22 * PS_PER_US);
    close_job(&f);
}

static void cpu__takes_no_time_by_default(void **unused)
{
    static const struct host_times none = { 0 };
    struct fixture                 f;

    (void)unused;
    assert_false(host_times_are_set(&none));
    open_job(&f, NULL);
    assert_int_equal(job_cpu_post(f.job, 0, 5), 5);
    assert_int_equal(job_cpu_take(f.job, 0, 5, 1000), 5);
    assert_int_equal(job_think(f.job, 0, 5), 5);
    close_job(&f);
}

/* Returns the mean of 20,000 draws of job_think() in us, and the smallest and largest value. */
static double mean_us(struct host_time think, double *least, double *most)
{
    struct host_times times = { .think = think };
    struct fixture    f;
    double            sum = 0;

    open_job(&f, &times);
    *least = 1e9;
    *most = 0;
    for (int i = 0; i < 20000; i++) {
        double us = (double)job_think(f.job, 1, 0) / PS_PER_US;

        sum += us;
        *least = us < *least ? us : *least;
        *most = us > *most ? us : *most;
    }
    close_job(&f);
    return sum / 20000;
}

/* Uniform from 1 to 3 us: mean 2, standard deviation 0.58. Exponential with mean 2: the largest of 20,000 is
 * near 2 ln 20000 = 20. A table of 1 to 3 us, half of which is 1 us: mean 0.5 + 0.5 x 2. Means are within
 * four standard errors. */
static void draws__have_the_means_of_their_distributions(void **unused)
{
    struct host_time table = { .kind = TIME_TABLE };
    double           least, most, mean;

    (void)unused;
    mean = mean_us((struct host_time){ TIME_UNIFORM, PS_PER_US, 3 * PS_PER_US, { 0 } }, &least, &most);
    assert_true(mean > 1.98 && mean < 2.02 && least >= 1 && most <= 3);
    mean = mean_us((struct host_time){ TIME_EXPONENTIAL, 2 * PS_PER_US, 0, { 0 } }, &least, &most);
    assert_true(mean > 1.94 && mean < 2.06 && most > 14 && most < 40);
    assert_int_equal(cdf_read(&table.table, "t", "1000 0.5\n3000 1\n", NULL), 0);
    mean = mean_us(table, &least, &most);
    assert_true(mean > 1.48 && mean < 1.52 && least == 1 && most <= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu__serializes_posts_and_polls),
        cmocka_unit_test(cpu__takes_no_time_by_default),
        cmocka_unit_test(draws__have_the_means_of_their_distributions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
