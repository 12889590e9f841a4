/* src/live/daemon/tuner/live_tuner_twin_test.c - trials of a controller's twin in a thread: finished,
 * stopped, and out of time. */
#include "live/daemon/tuner/live_tuner.h"
#include "base/thread/thinker.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[64];

/* A topology without traffic is enough. */
static int set_up(void **unused)
{
    static const char text[] = "topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\n"
                               "host: {mtu: 4096}\n";
    FILE             *f;

    (void)unused;
    snprintf(path, sizeof path, "/tmp/anole-live-twin-XXXXXX");
    f = fdopen(mkstemp(path), "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    return unlink(path);
}

/* Messages of 10 to 100 KB between random hosts, at a fifth of the link rate. */
static struct traffic_model model(void)
{
    return (struct traffic_model){ .window_s = 1e-3, .bps_per_host = 20e9,
                                   .sizes = { .rows = 2, .row = { { 10000, 0 }, { 100000, 1 } } } };
}

struct search {
    struct live_twin *twin;
    uint32_t          trials, done;
    struct predicted  last;
    int               rc;
    struct err        err;
};

static void look_for(void *arg)
{
    struct search       *s = arg;
    struct traffic_model m = model();
    struct predictor     p;
    struct world         w = *live_twin_world(s->twin);

    live_twin_begin(s->twin);
    s->rc = live_twin_maker.make(s->twin, &w, &m, &p, &s->err);
    if (s->rc)
        return;
    for (; s->done < s->trials && !s->rc; s->done += !s->rc) {
        struct predict_point point = { .knobs = &w.start, .seed = 1 + s->done % 2, .load = 1, .length = 1 };

        s->rc = p.run(p.arg, &point, 1, &s->last, &s->err);
    }
    live_twin_maker.drop(&p);
}

static struct search in_thread(uint32_t trials, uint64_t cpu_us, bool is_stopped)
{
    struct search  s = { .trials = trials };
    struct thinker t;

    assert_int_equal(live_twin_open(&s.twin, path, cpu_us, &s.err), 0);
    assert_int_equal(live_twin_world(s.twin)->host_bps, 100000000000);
    thinker_init(&t, 1);
    thinker_begin(&t, look_for, &s);
    if (is_stopped)
        live_twin_stop(s.twin);
    thinker_fini(&t);
    live_twin_close(s.twin);
    return s;
}

/* Each of eight hosts sends 20 Gb/s for 1 ms. That is 20 MB in messages of 55 KB: about 360, and none takes
 * long. */
static void run__trials_in_a_thread(void **unused)
{
    struct search s = in_thread(2, 0, false);
    double        messages = 0, slowdowns = 0;

    (void)unused;
    assert_int_equal(s.rc, 0);
    assert_int_equal(s.done, 2);
    for (int i = 0; i < PREDICT_CLASSES; i++) {
        messages += s.last.all.messages[i];
        slowdowns += s.last.all.slowdowns[i];
    }
    assert_true(messages > 150 && messages < 800);
    assert_true(slowdowns / messages >= 1 && slowdowns / messages < 10);
}

static void stop__a_search_ends_with_nothing_found(void **unused)
{
    struct search s = in_thread(UINT32_MAX, 0, true);

    (void)unused;
    assert_int_equal(s.rc, -ECANCELED);
}

static void run__ends_a_search_that_is_out_of_time(void **unused)
{
    struct search s = in_thread(UINT32_MAX, 1, false);

    (void)unused;
    assert_int_equal(s.rc, -ETIME);
    assert_non_null(strstr(s.err.text, "'think'"));
}

static void open__refuses_invalid_networks(void **unused)
{
    struct live_twin *t;
    struct err        err;

    (void)unused;
    assert_int_equal(live_twin_open(&t, "/nonexistent.yaml", 0, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__trials_in_a_thread),
        cmocka_unit_test(stop__a_search_ends_with_nothing_found),
        cmocka_unit_test(run__ends_a_search_that_is_out_of_time),
        cmocka_unit_test(open__refuses_invalid_networks),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
