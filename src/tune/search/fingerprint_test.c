/* src/tune/search/fingerprint_test.c */
#include "tune/search/fingerprint.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define HOSTS 8

struct net { struct report report; struct report_port port[HOSTS]; };

/* A millisecond in which host i sends share[i] of 100 Gb/s. */
static const struct report *interval(struct net *n, const double *share)
{
    *n = (struct net){ .report = { .end_ps = PS_PER_MS, .port = n->port, .ports = HOSTS } };
    for (int i = 0; i < HOSTS; i++)
        n->port[i] = (struct report_port){ .tx_bytes = (uint64_t)(share[i] * 12.5e6), .rate_bps = 100000000000, .is_uplink = true };
    return &n->report;
}

static struct fingerprint of(const double *share)
{
    struct fingerprint_window *w = test_calloc(1, sizeof(*w));
    struct fingerprint         f;
    struct net                 n;

    fingerprint_add(w, interval(&n, share));
    fingerprint_make(&f, w, 1);
    test_free(w);
    return f;
}

/* Two of eight hosts send all there is: three quarters of it would have to move. */
static void make__of_uplinks_in_closed_form(void **state)
{
    struct fingerprint even = of((double[HOSTS]){ 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2 });
    struct fingerprint two = of((double[HOSTS]){ 0.8, 0.8, 0, 0, 0, 0, 0, 0 });

    (void)state;
    assert_true(fabs(even.busy - 0.2) < 1e-9 && fabs(even.asymmetry) < 1e-9);
    assert_true(fabs(two.busy - 0.2) < 1e-9 && fabs(two.asymmetry - 0.75) < 1e-9);
    assert_true(fingerprint_distance(&even, &two) >= 1);
    assert_true(fingerprint_distance(&even, &even) == 0);
}

/* Without a word of hosts the load of uplinks tells: half as much again is another traffic. */
static void distance__by_load_where_hosts_do_not_tell(void **state)
{
    struct fingerprint low = of((double[HOSTS]){ 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2 });
    struct fingerprint more = of((double[HOSTS]){ 0.22, 0.22, 0.22, 0.22, 0.22, 0.22, 0.22, 0.22 });
    struct fingerprint half_again = of((double[HOSTS]){ 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3 });

    (void)state;
    assert_true(fingerprint_distance(&low, &more) < 0.5);
    assert_true(fingerprint_distance(&low, &half_again) >= 1);
}

static void add__an_empty_interval_tells_nothing(void **state)
{
    struct fingerprint_window *w = test_calloc(1, sizeof(*w));
    struct fingerprint         f, g;
    struct net                 n;

    (void)state;
    assert_false(fingerprint_add(w, interval(&n, (double[HOSTS]){ 0 })));
    fingerprint_make(&f, w, 3);
    assert_false(f.is_known);
    g = of((double[HOSTS]){ 0.2 });
    assert_true(isinf(fingerprint_distance(&f, &g)));
    test_free(w);
}

/* The same bytes, at random or in bursts of so many hosts to one. */
static struct fingerprint told(uint32_t senders)
{
    struct fingerprint f = { .is_known = true, .has_model = true, .busy = 0.2, .elephants = 0.5 };

    f.model.bps_per_host = senders ? 0 : 20e9;
    f.model.burst_senders = senders;
    f.model.burst_bytes = 64e3;
    f.model.bursts_per_s = senders ? 20e9 / 8 / 64e3 / senders : 0;
    return f;
}

static void distance__by_fan_in(void **state)
{
    struct fingerprint none = told(0), eight = told(8), nine = told(9), all = told(64);

    (void)state;
    assert_true(fingerprint_distance(&none, &eight) >= 1);
    assert_true(fingerprint_distance(&eight, &nine) < 0.5);
    assert_true(fingerprint_distance(&eight, &all) >= 1);
}

/* A job that pauses for 1 ms and one that pauses for 8, as fast while they run. */
static void distance__by_phases(void **state)
{
    struct fingerprint a = { .is_known = true, .has_model = true, .busy = 0.5, .elephants = 1 }, b;

    (void)state;
    a.model.jobs = 1;
    a.model.job[0] = (struct traffic_job){ .bytes = 1e6, .senders = 1, .peers = 1, .times = 14, .pause_s = 1e-3, .bps_per_host = 50e9 };
    b = a;
    b.busy = 0.2;                /* as busy as its setting lets it be: says nothing */
    assert_true(fingerprint_distance(&a, &b) < 0.5);
    b.model.job[0].pause_s = 8e-3;
    assert_true(fingerprint_distance(&a, &b) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make__of_uplinks_in_closed_form),
        cmocka_unit_test(distance__by_load_where_hosts_do_not_tell),
        cmocka_unit_test(add__an_empty_interval_tells_nothing),
        cmocka_unit_test(distance__by_fan_in),
        cmocka_unit_test(distance__by_phases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
