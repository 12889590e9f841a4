/* src/cmd/lib/anole_test.c - verbs of the public library, against closed forms. */
#include "cmd/lib/anole.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS 1000000ull
#define WAY_PS(bytes) (2 * (((bytes) + 62 + 20) * BYTE_PS + DELAY_PS))   /* of one packet over two hops */
#define ACK_PS   (86 * BYTE_PS)

struct seen { char text[1024]; };

static void on_message(void *arg, enum anole_event event, uint64_t now_ps, const struct anole_message *m)
{
    static const char *const names[] = { "arrived", "sent", "woken" };
    struct seen *s = arg;
    size_t       used = strlen(s->text);

    snprintf(s->text + used, sizeof s->text - used, "%llu %u->%u %s %llu %llu\n", (unsigned long long)m->tag,
             m->src, m->dst, names[event], (unsigned long long)m->posted_ps, (unsigned long long)now_ps);
}

/* Posts one message from host 0 to host 1; returns the event about it. */
static const char *post(struct seen *s, const char *scenario, enum anole_verb verb, uint64_t bytes)
{
    char                error[256];
    struct anole_world *w = anole_open(scenario, error, sizeof error);

    *s = (struct seen){ "" };
    assert_non_null(w);
    anole_on_message(w, on_message, s);
    if (anole_post_as(w, verb, 0, 1, bytes, 7))
        snprintf(s->text, sizeof s->text, "refused");
    else
        assert_int_equal(anole_run(w, 1000000000), 0);
    anole_close(w);
    return s->text;
}

#define STAR "topology: {kind: star, hosts: 2}\n"

static void post_as__each_verb_takes_the_wire_time(void **unused)
{
    struct seen s;
    char        want[256];

    (void)unused;
    snprintf(want, sizeof want, "7 1->0 arrived 0 %llu\n", WAY_PS(16) + ACK_PS + WAY_PS(1000));
    assert_string_equal(post(&s, STAR, ANOLE_READ, 1000), want);
    snprintf(want, sizeof want, "7 0->1 arrived 0 %llu\n7 0->1 sent 0 %llu\n", WAY_PS(1000),
             WAY_PS(1000) + 2 * (ACK_PS + DELAY_PS));
    assert_string_equal(post(&s, STAR, ANOLE_WRITE, 1000), want);
    assert_string_equal(post(&s, STAR, ANOLE_SEND, 1000), want);
    assert_string_equal(post(&s, "# two hosts, no external link\n" STAR, ANOLE_SEND, 1000), want);
    snprintf(want, sizeof want, "7 0->1 sent 0 0\n7 0->1 arrived 0 %llu\n", WAY_PS(1000));
    assert_string_equal(post(&s, STAR, ANOLE_UD, 1000), want);
}

static void post_as__read_keys_take_effect(void **unused)
{
    struct seen s;
    char        want[256];

    (void)unused;
    snprintf(want, sizeof want, "7 1->0 arrived 0 %llu\n", WAY_PS(16) + 5 * DELAY_PS + WAY_PS(1000));
    assert_string_equal(post(&s, STAR "traffic: [{kind: external, read_delay: 5us}]\n", ANOLE_READ, 1000),
                        want);
    assert_string_equal(post(&s, STAR "traffic: [{name: a#1, kind: external, read_delay: 5us}]\n", ANOLE_READ,
                             1000), want);
}

/* Returns when the last of two messages to one host is done. Without marks both take about 165 us. */
static uint64_t two_done_ps(const char *more)
{
    char                scenario[512], error[256];
    struct seen         s = { "" };
    struct anole_world *w;

    snprintf(scenario, sizeof scenario, "topology: {kind: star, hosts: 3}\n%s", more);
    w = anole_open(scenario, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    anole_on_message(w, on_message, &s);
    assert_int_equal(anole_post(w, 0, 2, 1000000, 1), 0);
    assert_int_equal(anole_post(w, 1, 2, 1000000, 2), 0);
    for (uint64_t at = 0; anole_run(w, at) > 0; at += 7777777)
        ;
    anole_close(w);
    return strtoull(strrchr(s.text, ' '), NULL, 10);
}

static void run__applies_changes(void **unused)
{
    uint64_t low = two_done_ps("knobs: {kmin: 5, kmax: 5, pmax: 1}\n"),
             high = two_done_ps("knobs: {kmin: 9000, kmax: 9001}\n"),
             first = two_done_ps("knobs: {kmin: 9000, kmax: 9001}\nchanges:\n"
                                 "  - {at: 1ps, knobs: {kmin: 5, kmax: 5, pmax: 1}}\n"),
             later = two_done_ps("knobs: {kmin: 9000, kmax: 9001}\nchanges:\n"
                                 "  - {at: 50us, knobs: {kmin: 5, kmax: 5, pmax: 1}}\n"),
             after = two_done_ps("knobs: {kmin: 9000, kmax: 9001}\nchanges:\n"
                                 "  - {at: 900ms, knobs: {kmin: 5, kmax: 5, pmax: 1}}\n");

    (void)unused;
    assert_int_equal(first, low);
    assert_int_equal(after, high);
    assert_true(low != high && later != low && later != high);
}

static void post_as__refuses_impossible_operations(void **unused)
{
    struct seen s;

    (void)unused;
    assert_string_equal(post(&s, STAR, ANOLE_UD, 5000), "refused");
    assert_string_equal(post(&s, STAR, (enum anole_verb)9, 1000), "refused");
    assert_string_equal(post(&s, STAR "model: hpcc\n", ANOLE_READ, 1000), "refused");
    assert_string_equal(post(&s, STAR "traffic: [{kind: external, qps: fresh}]\n", ANOLE_READ, 1000),
                        "refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post_as__each_verb_takes_the_wire_time),
        cmocka_unit_test(post_as__read_keys_take_effect),
        cmocka_unit_test(run__applies_changes),
        cmocka_unit_test(post_as__refuses_impossible_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
