/* src/sim/lb/conweave_test.c - ConWeave's rules at a single ToR, with hand-computed results.
 * tests/fidelity/weave.sh compares whole runs with the fork. */
#include "sim/lb/conweave.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NS PS_PER_NS
#define US PS_PER_US
#define MS PS_PER_MS

/* The two-spine example: paths 0x203 and 0x204 from ToR 4, each link 1 us. */
struct tor {
    struct conweave_cfg      cfg;
    struct conweave_tor      tor;
    struct conweave_counters counters;
    struct rng               rng;
    struct lb_switch         sw;
    uint32_t                 id[2];
    struct conweave_paths    paths;
    struct conweave_tag      tag;
    struct conweave_verdict  verdict;
};

static const struct conweave_key key = { 1, 2, 3 }, other = { 1, 2, 4 };

static void start(struct tor *t)
{
    *t = (struct tor){ .cfg = { 4 * US, 16 * US, 16 * US, 200 * US, 300 * US }, .id = { 0x203, 0x204 } };
    rng_init(&t->rng, 1, 1);
    t->sw = (struct lb_switch){ .salt = 4, .rng = &t->rng };
    t->paths = (struct conweave_paths){ t->id, 2, 1, 4 * US };
    t->tor.avoided = calloc(CONWEAVE_ENTRIES, sizeof *t->tor.avoided);
    conweave_note(&t->tor, 0);
}

static void end(struct tor *t)
{
    conweave_fini(&t->tor, 0);
}

static enum conweave_flag send_packet(struct tor *t, uint64_t now_ps)
{
    conweave_send(&t->cfg, &t->tor, now_ps, &t->sw, &key, &t->paths, &t->tag, &t->counters);
    return t->tag.flag;
}

static void receive(struct tor *t, uint64_t now_ps, struct conweave_tag tag)
{
    tag.path = 0x203;
    conweave_receive(&t->cfg, &t->tor, now_ps, &key, &tag, false, &t->verdict, &t->counters);
    if (t->verdict.holds && !t->verdict.row->first)
        t->verdict.row->first = 1;               /* as the owner of the held packets does */
}

static void release(struct tor *t, uint64_t now_ps)
{
    conweave_release(&t->tor, now_ps, &key, &t->counters)->first = 0;
}

/* ---- avoided paths ---- */

/* Entries according to the fork's hash. */
static void notified__uses_the_hash_of_the_fork(void **unused)
{
    static const struct { uint32_t salt, path, entry; } rows[] = {
        { 4, 0x204, 61138 }, { 16, 0x1020403, 37183 }, { 16, 0x2020303, 3305 },
        { 16, 0x203, 43753 }, { 16, 0x204, 2376 }, { 17, 0x1020304, 2451 },
    };
    struct tor t;

    (void)unused;
    start(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        conweave_notified(&t.cfg, &t.tor, 100 * US, rows[i].salt, rows[i].path);
        assert_int_equal(t.tor.avoided[rows[i].entry].path, rows[i].path);
        assert_int_equal(t.tor.avoided[rows[i].entry].until_ps, 116 * US);
    }
    end(&t);
}

/* A path is avoided until strictly before 16 us later. With one of two paths avoided, the other is taken
 * unless both draws hit the avoided one. */
static void send__avoids_a_path_for_a_while(void **unused)
{
    struct tor t;
    uint32_t   bad = 0;

    (void)unused;
    for (uint32_t i = 0; i < 2000; i++) {
        start(&t);
        rng_init(&t.rng, i, 1);
        conweave_notified(&t.cfg, &t.tor, 100 * US, 4, 0x204);
        send_packet(&t, 116 * US - 1);
        bad += t.tag.path == 0x204;
        end(&t);
    }
    assert_in_range(bad, 500 - 78, 500 + 78);    /* a quarter, within four standard deviations of 19.4 */
    for (uint32_t i = bad = 0; i < 2000; i++) {
        start(&t);
        rng_init(&t.rng, i, 1);
        conweave_notified(&t.cfg, &t.tor, 100 * US, 4, 0x204);
        send_packet(&t, 116 * US);
        bad += t.tag.path == 0x204;
        end(&t);
    }
    assert_in_range(bad, 1000 - 90, 1000 + 90);
}

/* ---- first ToR ---- */

/* The example: INIT at 2083 ns, deadline 8 us later. A timely REPLY starts epoch 2 with the next packet. */
static void send__starts_an_epoch_after_a_timely_reply(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    assert_int_equal(send_packet(&t, 2083 * NS), CONWEAVE_INIT);
    assert_int_equal(t.tag.epoch, 1);
    assert_int_equal(send_packet(&t, 2166 * NS), CONWEAVE_DATA);
    conweave_answered(&t.tor, 6259 * NS, &key, 1, 0, &t.counters);
    assert_int_equal(t.counters.replies_timely, 1);
    assert_int_equal(send_packet(&t, 6316 * NS), CONWEAVE_INIT);
    assert_int_equal(t.tag.epoch, 2);
    assert_int_equal(t.tag.tail_ps, 0);
    end(&t);
}

/* At the deadline nothing is late. One nanosecond later the packet is the TAIL, on the old path and in phase
 * 0. The next packets are in phase 1 until the CLEAR of that epoch. */
static void send__reroutes_after_a_late_reply(void **unused)
{
    struct tor t;
    uint32_t   path;

    (void)unused;
    start(&t);
    send_packet(&t, 1000 * NS);
    path = t.tag.path;
    assert_int_equal(send_packet(&t, 9000 * NS), CONWEAVE_DATA);
    assert_int_equal(send_packet(&t, 9001 * NS), CONWEAVE_TAIL);
    assert_int_equal(t.tag.phase, 0);
    assert_int_equal(t.tag.path, path);
    assert_int_equal(t.tag.tail_ps, 9001 * NS);
    conweave_answered(&t.tor, 9100 * NS, &key, 1, 0, &t.counters);       /* a REPLY does not match phase 1 */
    assert_int_equal(send_packet(&t, 200 * US), CONWEAVE_DATA);          /* regardless of the time */
    assert_int_equal(t.tag.phase, 1);
    assert_int_equal(t.tag.tail_ps, 9001 * NS);
    conweave_answered(&t.tor, 201 * US, &key, 2, 1, &t.counters);        /* of another epoch */
    assert_int_equal(send_packet(&t, 202 * US), CONWEAVE_DATA);
    conweave_answered(&t.tor, 203 * US, &key, 1, 1, &t.counters);
    assert_int_equal(send_packet(&t, 204 * US), CONWEAVE_INIT);
    assert_int_equal(t.tag.epoch, 2);
    assert_int_equal(t.tag.phase, 0);
    assert_int_equal(t.counters.clears_matched, 1);
    assert_int_equal(t.counters.replies_timely, 0);
    assert_int_equal(t.counters.reroutings, 1);
    end(&t);
}

/* A REPLY at the deadline is late, even if no packet has been sent since. */
static void answered__is_late_at_the_deadline(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    send_packet(&t, 1000 * NS);
    conweave_answered(&t.tor, 9000 * NS, &key, 1, 0, &t.counters);
    assert_int_equal(t.counters.replies_timely, 0);
    assert_int_equal(send_packet(&t, 9001 * NS), CONWEAVE_TAIL);
    conweave_answered(&t.tor, 9000 * NS, &other, 1, 0, &t.counters);     /* unknown flow */
    end(&t);
}

/* An idle time over 300 us starts an epoch at once and counts as a rerouting. */
static void send__expires_after_idle_time(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    send_packet(&t, 1 * US);
    assert_int_equal(send_packet(&t, 301 * US), CONWEAVE_TAIL);
    assert_int_equal(send_packet(&t, 601 * US + NS), CONWEAVE_INIT);
    assert_int_equal(t.counters.reroutings, 2);
    end(&t);
}

/* Checks run at 2, 4, 6 ms and remove flows that were idle for more than 2 ms. Epochs then restart at 1. */
static void send__removes_idle_flows_at_checks(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    t.cfg.expiry_ps = 100 * MS;
    send_packet(&t, 2 * MS);
    conweave_answered(&t.tor, 2 * MS + US, &key, 1, 0, &t.counters);
    send_packet(&t, 4 * MS + 1);                 /* idle for 2 ms at the check at 4 ms, not longer */
    assert_int_equal(t.tag.epoch, 2);
    send_packet(&t, 8 * MS - 1);                 /* 2 ms - 1 at 6 ms */
    assert_int_equal(t.tag.epoch, 2);
    send_packet(&t, 12 * MS - 1);                /* 2 ms + 1 at 10 ms */
    assert_int_equal(t.tag.epoch, 1);
    assert_int_equal(t.tag.flag, CONWEAVE_INIT);
    end(&t);
}

/* The size of the tables follows the flows of the last few milliseconds. */
static void send__shrinks_tables(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    for (uint32_t i = 0; i < 100000; i++)
        conweave_send(&t.cfg, &t.tor, i * 10 * US, &t.sw, &(struct conweave_key){ i, 2, 3 }, &t.paths, &t.tag,
                      &t.counters);
    assert_true(t.tor.tx.size <= 2048);          /* 600 flows in 6 ms */
    end(&t);
}

/* ---- last ToR ---- */

static struct conweave_tag tag_of(uint32_t epoch, uint32_t phase, enum conweave_flag flag, uint64_t tx_ps,
                                  uint64_t tail_ps)
{
    return (struct conweave_tag){
        .epoch = epoch, .phase = (uint8_t)phase, .flag = (uint8_t)flag, .tx_ps = tx_ps, .tail_ps = tail_ps
    };
}

/* The example, times in ns: the last packet of phase 0 left at 8225 and arrived at 16533. The TAIL left at
 * 14367, so it is expected 6142 later, plus 16 us. Another packet of phase 0 moves that; the TAIL makes it 1
 * ns. */
static void receive__holds_packets_that_overtake_the_tail(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    receive(&t, 16533 * NS, tag_of(2, 0, CONWEAVE_DATA, 8225 * NS, 0));
    assert_false(t.verdict.holds || t.verdict.moves || t.verdict.replies);
    receive(&t, 16616 * NS, tag_of(2, 1, CONWEAVE_DATA, 14450 * NS, 14367 * NS));
    assert_true(t.verdict.holds && t.verdict.moves);
    assert_int_equal(t.verdict.release_ps, 38675 * NS);
    receive(&t, 16699 * NS, tag_of(2, 1, CONWEAVE_DATA, 14533 * NS, 14367 * NS));
    assert_true(t.verdict.holds && !t.verdict.moves);
    receive(&t, 16699 * NS, tag_of(2, 0, CONWEAVE_DATA, 8308 * NS, 0));
    assert_true(!t.verdict.holds && t.verdict.moves);
    assert_int_equal(t.verdict.release_ps, 38758 * NS);
    receive(&t, 28817 * NS, tag_of(2, 0, CONWEAVE_TAIL, 14367 * NS, 14367 * NS));
    assert_true(!t.verdict.holds && t.verdict.moves && t.verdict.clears);
    assert_int_equal(t.verdict.release_ps, 28818 * NS);
    receive(&t, 28817 * NS, tag_of(2, 1, CONWEAVE_DATA, 20000 * NS, 14367 * NS));
    assert_true(t.verdict.holds);                /* still early */
    release(&t, 28818 * NS);
    receive(&t, 28900 * NS, tag_of(2, 1, CONWEAVE_DATA, 20100 * NS, 14367 * NS));
    assert_false(t.verdict.holds);
    assert_int_equal(t.counters.packets_held, 3);
    assert_int_equal(t.counters.releases_by_tail, 1);
    end(&t);
}

/* No packet of phase 0 in the new epoch: 200 plus 16 us. */
static void receive__waits_longer_without_phase_0(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    receive(&t, 10 * US, tag_of(2, 1, CONWEAVE_DATA, 5 * US, 4 * US));
    assert_int_equal(t.verdict.release_ps, 226 * US);
    assert_int_equal(t.counters.opened_without_cache, 1);
    end(&t);
}

/* After a TAIL no packet is early. Packets of an earlier epoch pass without an answer. */
static void receive__passes_late_packets(void **unused)
{
    struct tor t;

    (void)unused;
    start(&t);
    receive(&t, 10 * US, tag_of(3, 0, CONWEAVE_TAIL, 5 * US, 5 * US));
    assert_true(t.verdict.clears && !t.verdict.moves);
    receive(&t, 11 * US, tag_of(3, 1, CONWEAVE_DATA, 6 * US, 5 * US));
    assert_false(t.verdict.holds);
    receive(&t, 12 * US, tag_of(2, 0, CONWEAVE_INIT, 4 * US, 0));
    assert_false(t.verdict.replies);
    assert_int_equal(t.counters.earlier_epoch_packets, 1);
    receive(&t, 13 * US, tag_of(4, 0, CONWEAVE_INIT, 4 * US, 0));
    assert_true(t.verdict.replies);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notified__uses_the_hash_of_the_fork),
        cmocka_unit_test(send__avoids_a_path_for_a_while),
        cmocka_unit_test(send__starts_an_epoch_after_a_timely_reply),
        cmocka_unit_test(send__reroutes_after_a_late_reply),
        cmocka_unit_test(answered__is_late_at_the_deadline),
        cmocka_unit_test(send__expires_after_idle_time),
        cmocka_unit_test(send__removes_idle_flows_at_checks),
        cmocka_unit_test(send__shrinks_tables),
        cmocka_unit_test(receive__holds_packets_that_overtake_the_tail),
        cmocka_unit_test(receive__waits_longer_without_phase_0),
        cmocka_unit_test(receive__passes_late_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
