/* src/live/relay/relay_test.c - a relay connected to the controller's end of it. The same messages arrive
 * as without a relay. */
#include "live/relay/relay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define AGENTS 5

struct sent { uint32_t link; struct msg msg; bool has_seen; struct seen_part seen; };

static struct relay relay;
static struct mux   mux;
static struct sent down[64], up[64];    /* received by agents; by the controller */
static uint32_t     downs, ups, cuts, links, racks_down, items_down;
static bool         is_leasing;
static uint32_t     not_leased;          /* the link that gets no lease from the controller */

/* ---- the controller: answers reports with leases ---- */

static uint32_t on_link(void *arg, uint64_t now_us) { (void)arg, (void)now_us; return 1000 + links++; }
static void     on_cut(void *arg, uint32_t link) { (void)arg, (void)link; cuts++; }

static void on_msg(void *arg, uint32_t link, const struct msg *m, uint64_t now_us)
{
    (void)arg, (void)now_us;
    up[ups] = (struct sent){ .link = link, .msg = *m,
                             .has_seen = m->sample.detail && m->sample.detail->has_seen };
    if (up[ups].has_seen)
        seen_part_copy(&up[ups].seen, &m->sample.detail->seen);
    ups++;
    if (m->kind == MSG_REPORT && is_leasing && link != not_leased)
        assert_true(mux_send(&mux, link,
                             &(struct msg){ .kind = MSG_LEASE, .term = 9, .incarnation = m->incarnation,
                                                        .stamp_us = m->stamp_us }));
}

static void send_down(void *arg, const struct rack *r)
{
    (void)arg;
    racks_down++;
    items_down += r->items;
    relay_on_rack(&relay, r, 1);
}

/* ---- the rack ---- */

static void send(void *arg, uint32_t link, const struct msg *m)
{
    (void)arg;
    down[downs++] = (struct sent){ .link = link, .msg = *m };
}

static void cut(void *arg, uint32_t link) { (void)arg, (void)link; cuts++; }
static void send_up(void *arg, const struct rack *r) { (void)arg; mux_on_rack(&mux, r, 1); }

static int set_up(void **unused)
{
    (void)unused;
    downs = ups = cuts = links = racks_down = items_down = 0;
    is_leasing = true;
    not_leased = 0;
    relay_init(&relay, &(struct relay_config){ .silence_us = 1000 },
               &(struct relay_io){ send, cut, send_up, NULL }, 77);
    mux_init(&mux, &(struct mux_io){ on_link, on_msg, on_cut, send_down, NULL });
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    relay_fini(&relay);
    mux_fini(&mux);
    return 0;
}

static struct msg hello_of(uint32_t agent)
{
    return (struct msg){ .kind = MSG_HELLO, .incarnation = 100 + agent, .version = MSG_VERSION };
}

static struct msg report_of(uint32_t agent, uint64_t stamp_us)
{
    return (struct msg){ .kind = MSG_REPORT, .incarnation = 100 + agent, .stamp_us = stamp_us,
                         .sample = { .interval_us = 10, .tx_bytes = 1000 + agent, .metric = 0.5,
                                     .paused = 0.25 } };
}

static void say_hello(void)
{
    for (uint32_t i = 0; i < AGENTS; i++) {
        struct msg m = hello_of(i);

        relay_on_agent(&relay, i, &m, 1);
    }
    relay_flush(&relay);
    downs = ups = racks_down = items_down = 0;
}

static void report_all(uint64_t stamp_us)
{
    for (uint32_t i = 0; i < AGENTS; i++) {
        struct msg m = report_of(i, stamp_us + i);

        relay_on_agent(&relay, i, &m, 1);
    }
}

/* ---- tests ---- */

static void tick__one_number_leases_every_device_for_its_own_stamp(void **unused)
{
    (void)unused;
    say_hello();
    report_all(1000);
    assert_int_equal(ups, 0);                    /* not before the tick */
    relay_on_tick(&relay, 2);
    assert_int_equal(ups, AGENTS);
    for (uint32_t i = 0; i < AGENTS; i++) {
        assert_true(up[i].msg.kind == MSG_REPORT && up[i].msg.incarnation == 100 + i &&
                    up[i].msg.stamp_us == 1000 + i);
        assert_true(up[i].msg.sample.tx_bytes == 1000 + i && up[i].msg.phase == PHASE_IDLE);
    }
    assert_true(racks_down == 1 && items_down == 0);
    assert_int_equal(downs, AGENTS);
    for (uint32_t i = 0; i < AGENTS; i++)
        assert_true(down[i].link == i && down[i].msg.kind == MSG_LEASE && down[i].msg.term == 9 &&
                    down[i].msg.incarnation == 100 + i && down[i].msg.stamp_us == 1000 + i);
}

static void tick__grants_no_lease_that_the_controller_did_not(void **unused)
{
    (void)unused;
    say_hello();
    not_leased = 1002;
    report_all(1000);
    relay_on_tick(&relay, 2);
    assert_int_equal(downs, AGENTS - 1);
    for (uint32_t i = 0; i < downs; i++)
        assert_true(down[i].link != 2 && down[i].msg.stamp_us == 1000 + down[i].link);
    is_leasing = false;
    downs = racks_down = 0;
    report_all(2000);
    relay_on_tick(&relay, 3);
    assert_int_equal(downs, 0);
    assert_int_equal(racks_down, 1);             /* the relay still gets its acknowledgement */
}

static void tick__two_intervals_become_one(void **unused)
{
    struct msg m = report_of(0, 1), next = report_of(0, 2);

    (void)unused;
    say_hello();
    next.sample = (struct msg_sample){ .interval_us = 30, .tx_bytes = 5, .cnps = 7, .metric = 0.9,
                                       .paused = 0 };
    relay_on_agent(&relay, 0, &m, 1);
    relay_on_agent(&relay, 0, &next, 1);
    relay_on_tick(&relay, 2);
    assert_int_equal(ups, 1);
    assert_true(up[0].msg.sample.interval_us == 40 && up[0].msg.sample.tx_bytes == 1005 &&
                up[0].msg.sample.cnps == 7);
    assert_true(fabs(up[0].msg.sample.metric - 0.8) < 1e-12 &&
                fabs(up[0].msg.sample.paused - 0.0625) < 1e-12);
    assert_true(downs == 1 && down[0].msg.stamp_us == 2);
}

static void tick__flow_sizes_are_added(void **unused)
{
    struct msg_detail d = { .fsd = { .elephants = 3, .mice = 4, .bin = { 1 } } };
    uint64_t          elephants = 0;

    (void)unused;
    say_hello();
    for (uint32_t i = 0; i < AGENTS; i++) {
        struct msg m = report_of(i, 1);

        m.sample.detail = &d;
        relay_on_agent(&relay, i, &m, 1);
    }
    relay_on_tick(&relay, 2);
    for (uint32_t i = 0; i < ups; i++)
        elephants += up[i].msg.sample.detail != NULL;
    /* one report has the sum; the rack has been cleared since */
    assert_int_equal(elephants, 1);
    assert_int_equal(relay.up.fsd.elephants, 0);
}

/* Reports this many messages of 1500 bytes each in bin 40. */
static void post(uint32_t agent, uint32_t messages, enum msg_phase phase)
{
    static struct msg_detail d;
    struct msg               m = report_of(agent, 1);

    d.has_seen = true;
    seen_part_clear(&d.seen);
    d.seen.row[d.seen.rows++] = (struct seen_row){ 40, messages, (uint64_t)messages * 1500 };
    d.seen.done[0] = (struct seen_part_class){ messages, messages * 65536ul };
    m.sample.detail = &d;
    m.phase = phase;
    relay_on_agent(&relay, agent, &m, 1);
}

/* The messages of two intervals of a host are added, those of two hosts are not. Each message is reported
 * once, even if some reports do not fit a row. */
static void tick__reports_messages_of_a_host_once_and_as_its_own(void **unused)
{
    uint32_t messages[AGENTS] = { 0 }, reporters = 0;

    (void)unused;
    say_hello();
    post(0, 3, PHASE_IDLE);
    post(0, 4, PHASE_IDLE);
    post(1, 11, PHASE_IDLE);
    post(2, 20, PHASE_APPLIED);
    post(2, 30, PHASE_APPLIED);
    relay_on_agent(&relay, 3,
                   &(struct msg){ .kind = MSG_REPORT, .incarnation = 103, .sample = { .metric = NAN } }, 1);
    relay_on_tick(&relay, 2);
    assert_int_equal(ups, 5);                    /* two of them from the third host */
    for (uint32_t i = 0; i < ups; i++) {
        uint64_t of = up[i].msg.incarnation - 100;

        reporters += up[i].has_seen;
        assert_true(up[i].has_seen == (of != 3));
        for (uint32_t k = 0; up[i].has_seen && k < up[i].seen.rows; k++) {
            assert_true(up[i].seen.row[k].bin == 40 &&
                        up[i].seen.row[k].bytes == up[i].seen.row[k].messages * 1500ul);
            messages[of] += up[i].seen.row[k].messages;
        }
    }
    assert_true(reporters == 4 && messages[0] == 7 && messages[1] == 11 && messages[2] == 50 &&
                messages[3] == 0);
    ups = 0;
    report_all(10);
    relay_on_tick(&relay, 3);
    assert_int_equal(ups, AGENTS);
    for (uint32_t i = 0; i < ups; i++)
        assert_false(up[i].has_seen);            /* no messages since the last rack */
    post(4, 1, PHASE_IDLE);
    relay_on_agent_cut(&relay, 4);
    post(4, 2, PHASE_IDLE);                      /* another connection: earlier reports are gone */
    ups = 0;
    relay_on_tick(&relay, 4);
    assert_int_equal(relay.agents, AGENTS);
}

/* What does not fit a row is passed unchanged: phases, guardrails, answers. Commands are passed down. */
static void flush__messages_pass_both_ways(void **unused)
{
    struct msg answer = { .kind = MSG_ANSWER, .incarnation = 103, .change = 12, .answer = ANSWER_APPLIED };
    struct msg report = report_of(4, 5);

    (void)unused;
    say_hello();
    relay_on_agent(&relay, 3, &answer, 1);
    report.phase = PHASE_APPLIED;
    report.change = 8;
    snprintf(report.why, sizeof report.why, "guardrail: a drop");
    relay_on_agent(&relay, 4, &report, 1);
    relay_flush(&relay);
    assert_int_equal(ups, 2);
    assert_true(up[0].link == 1003 && up[0].msg.kind == MSG_ANSWER && up[0].msg.change == 12);
    assert_true(up[1].link == 1004 && up[1].msg.phase == PHASE_APPLIED && up[1].msg.change == 8);
    assert_string_equal(up[1].msg.why, "guardrail: a drop");
    assert_true(downs == 1 && down[0].link == 4 && down[0].msg.kind == MSG_LEASE &&
                down[0].msg.stamp_us == 5);
    assert_true(mux_send(&mux, 1001, &(struct msg){ .kind = MSG_PREPARE, .change = 13 }));
    assert_false(mux_send(&mux, 17, &answer));
    assert_int_equal(downs, 1);
    mux_flush(&mux);
    assert_true(downs == 2 && down[1].link == 1 && down[1].msg.kind == MSG_PREPARE &&
                down[1].msg.change == 13);
}

static void life__a_restarted_relay_has_other_slots(void **unused)
{
    struct msg  m = hello_of(4);
    struct rack late;

    (void)unused;
    say_hello();
    rack_init(&late, 77);
    rack_add(&late, 1, &(struct msg){ .kind = MSG_COMMIT });
    relay_fini(&relay);
    relay_init(&relay, &(struct relay_config){ .silence_us = 1000 },
               &(struct relay_io){ send, cut, send_up, NULL }, 78);
    relay_on_agent(&relay, 4, &m, 1);            /* gets the slot that agent 0 had */
    relay_on_rack(&relay, &late, 1);             /* meant for agent 0 */
    assert_int_equal(downs, 0);
    relay_flush(&relay);
    assert_int_equal(cuts, AGENTS);              /* the controller has dropped the old links */
    assert_true(ups == 1 && up[0].link == 1000 + AGENTS);
    rack_fini(&late);
}

static void agent__that_restarts_gets_another_slot(void **unused)
{
    struct msg m = hello_of(0);

    (void)unused;
    say_hello();
    m.incarnation = 500;
    relay_on_agent(&relay, 0, &m, 1);
    relay_flush(&relay);
    assert_true(ups == 1 && up[0].link == 1000 + AGENTS && cuts == 1);
}

/* A controller reads at most 1,024 items of a rack, so a single agent must not fill it. */
static void agent__that_floods_does_not_block_others(void **unused)
{
    struct msg m = hello_of(0);

    (void)unused;
    say_hello();
    relay_on_tick(&relay, 10);
    for (int i = 0; i < 2000; i++) {
        m.incarnation = i < 1000 ? 500u : 500u + (unsigned)i;
        relay_on_agent(&relay, 0, &m, 11);
    }
    assert_true(relay.up.items <= RELAY_ITEMS_MAX && relay.ignored > 1900);
    for (uint32_t i = 1; i < AGENTS; i++) {
        m = hello_of(i);
        relay_on_agent(&relay, i, &m, 12);
    }
    assert_int_equal(relay.up.items, RELAY_ITEMS_MAX + AGENTS - 1);
    assert_int_equal(relay.agents, AGENTS);
}

static void silence__disconnects_agents(void **unused)
{
    (void)unused;
    relay_on_up(&relay, 1);
    say_hello();
    relay_on_tick(&relay, 900);
    assert_int_equal(cuts, 0);
    relay_on_tick(&relay, 1100);
    assert_int_equal(cuts, AGENTS);
    assert_int_equal(relay.agents, 0);
}

static void silence__does_not_count_without_agents(void **unused)
{
    struct msg m = hello_of(0);

    (void)unused;
    relay_on_up(&relay, 1);
    relay_on_tick(&relay, 50000);
    relay_on_agent(&relay, 0, &m, 50000);
    relay_on_tick(&relay, 50900);
    assert_true(cuts == 0 && relay.agents == 1);
    relay_on_tick(&relay, 51100);
    assert_true(cuts == 1 && relay.agents == 0);
}

static void agent__one_too_many_is_disconnected(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i <= RACK_DEVICES_MAX; i++)
        relay_on_agent(&relay, i, &(struct msg){ .kind = MSG_REPORT, .incarnation = 1 + i,
                                                 .sample = { .metric = NAN } }, 1);
    assert_true(cuts == 1 && relay.agents == RACK_DEVICES_MAX);
}

static void path__changes_after_silence_and_returns_to_the_first(void **unused)
{
    struct path p;

    (void)unused;
    path_init(&p, 3, 2, 100, 1000, 0);
    p.heard_us = 50;
    assert_false(path_on_tick(&p, 150));
    assert_true(path_on_tick(&p, 151) && p.at == 1);
    path_lost(&p, 160);
    assert_int_equal(p.at, 2);
    for (uint64_t t = 200; t <= 1160; t += 20) {
        p.heard_us = t;
        assert_false(path_on_tick(&p, t));
    }
    p.heard_us = 1161;
    assert_true(path_on_tick(&p, 1161) && p.at == 0);
    path_init(&p, 1, 0, 100, 1000, 0);
    assert_false(path_on_tick(&p, 100000));      /* there is no other path */
}

/* The controllers decide which of them acts. An agent that changed its path without silence could leave the
 * one that acts. */
static void path__without_relays_stays_without_silence(void **unused)
{
    struct path p;

    (void)unused;
    path_init(&p, 2, 0, 100, 1000, 0);
    path_lost(&p, 10);
    assert_int_equal(p.at, 1);
    for (uint64_t t = 20; t <= 100000; t += 20) {
        p.heard_us = t;
        assert_false(path_on_tick(&p, t));
    }
    assert_true(path_on_tick(&p, 100101) && p.at == 0);  /* silence does change the path */
    path_lost(&p, 100110);
    assert_int_equal(p.at, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tick__one_number_leases_every_device_for_its_own_stamp,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(tick__grants_no_lease_that_the_controller_did_not,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(tick__two_intervals_become_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tick__flow_sizes_are_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tick__reports_messages_of_a_host_once_and_as_its_own,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(flush__messages_pass_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(life__a_restarted_relay_has_other_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agent__that_restarts_gets_another_slot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agent__that_floods_does_not_block_others,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(silence__disconnects_agents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(silence__does_not_count_without_agents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agent__one_too_many_is_disconnected, set_up, tear_down),
        cmocka_unit_test(path__changes_after_silence_and_returns_to_the_first),
        cmocka_unit_test(path__without_relays_stays_without_silence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
