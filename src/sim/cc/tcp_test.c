#include "sim/cc/tcp.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MSS 1000

struct tcp_fixture {
    const struct tcp_algo *algo;
    struct tcp_window      window;
    _Alignas(8) char       state[TCP_STATE_MAX];
};

static void start(struct tcp_fixture *t, const char *name)
{
    *t = (struct tcp_fixture){ 0 };
    for (int i = 0; tcp_all[i]; i++)
        if (strcmp(tcp_all[i]->name, name) == 0)
            t->algo = tcp_all[i];
    assert_non_null(t->algo);
    assert_true(t->algo->state_size <= TCP_STATE_MAX);
    tcp_window_init(&t->window, MSS);
    if (t->algo->start)
        t->algo->start(&t->window, t->state);
}

static double cwnd(const struct tcp_fixture *t)
{
    return (double)t->window.cwnd_bytes / MSS;
}

static void lose(struct tcp_fixture *t, uint64_t now_ps)
{
    t->algo->on_loss(&t->window, t->state, now_ps, t->window.cwnd_bytes);
}

/* Acknowledges a window of packets within a round trip, with a share 'marked' of them marked. */
static void pass_round(struct tcp_fixture *t, uint64_t now_ps, uint64_t rtt_ps, double marked)
{
    uint64_t packets = t->window.cwnd_bytes / MSS;

    for (uint64_t i = 0; i < packets; i++) {
        bool           is_marked = (double)i < marked * (double)packets;
        struct tcp_ack a = { now_ps + i * rtt_ps / packets, rtt_ps, MSS, is_marked ? MSS : 0, true,
                             i + 1 == packets };

        t->algo->on_ack(&t->window, t->state, &a);
    }
}

/* Slow start ends at 'packets', without a loss. */
static void bring_to(struct tcp_fixture *t, double packets)
{
    t->window.ssthresh_bytes = (uint64_t)(packets * MSS);
    while (t->window.cwnd_bytes < t->window.ssthresh_bytes)
        t->algo->on_ack(&t->window, t->state, &(struct tcp_ack){ 0, PS_PER_MS, MSS, 0, true, false });
}

/* ---- all ---- */

static void slow_start__doubles(void **unused)
{
    (void)unused;
    for (int i = 0; tcp_all[i]; i++) {
        struct tcp_fixture t;

        start(&t, tcp_all[i]->name);
        for (double want = 20; want < 1000; want *= 2) {
            pass_round(&t, 0, PS_PER_MS, 0);
            assert_int_equal(cwnd(&t), want);
        }
    }
}

static void on_ack__does_not_grow_unless_allowed(void **unused)
{
    (void)unused;
    for (int i = 0; tcp_all[i]; i++) {
        struct tcp_fixture t;

        start(&t, tcp_all[i]->name);
        t.algo->on_ack(&t.window, t.state, &(struct tcp_ack){ 0, PS_PER_MS, 5 * MSS, 0, false, false });
        assert_int_equal(t.window.cwnd_bytes, 10 * MSS);
    }
}

static void on_timeout__leaves_one_packet(void **unused)
{
    static const double part[] = { 0.5, 0.7, 0.5 };

    (void)unused;
    for (int i = 0; tcp_all[i]; i++) {
        struct tcp_fixture t;

        start(&t, tcp_all[i]->name);
        bring_to(&t, 80);
        t.algo->on_timeout(&t.window, t.state, 0, t.window.cwnd_bytes);
        assert_int_equal(t.window.cwnd_bytes, MSS);
        assert_int_equal(t.window.ssthresh_bytes, (uint64_t)(80 * MSS * part[i]));
    }
}

/* ---- NewReno ---- */

static void newreno__one_packet_per_round_and_half_after_a_loss(void **unused)
{
    struct tcp_fixture t;

    (void)unused;
    start(&t, "newreno");
    bring_to(&t, 40);
    for (int i = 1; i <= 10; i++) {
        pass_round(&t, 0, PS_PER_MS, 0);
        assert_int_equal(t.window.cwnd_bytes, (40 + i) * MSS);
    }
    lose(&t, 0);
    assert_int_equal(t.window.cwnd_bytes, 25 * MSS);
    assert_int_equal(t.window.ssthresh_bytes, 25 * MSS);
}

static void newreno__never_less_than_two_packets(void **unused)
{
    struct tcp_fixture t;

    (void)unused;
    start(&t, "newreno");
    for (int i = 0; i < 10; i++)
        lose(&t, 0);
    assert_int_equal(t.window.cwnd_bytes, 2 * MSS);
}

/* ---- CUBIC ---- */

/* RFC 9438: after a loss at 1000 packets, with an RTT of 100 ms, where NewReno would be far behind, the
 * window follows W(t) = 0.4 (t - K)^3 + 1000, K = cbrt(1000 x 0.3 / 0.4) = 9.086 s. */
static void cubic__follows_its_curve(void **unused)
{
    const double       k = cbrt(1000 * 0.3 / 0.4);
    struct tcp_fixture t;

    (void)unused;
    start(&t, "cubic");
    bring_to(&t, 1000);
    lose(&t, 0);
    assert_int_equal(t.window.cwnd_bytes, 700 * MSS);
    for (uint64_t ms = 0; ms < 15000; ms += 100) {
        double s = (double)ms / 1000 + 0.1, want = 0.4 * (s - k) * (s - k) * (s - k) + 1000;

        pass_round(&t, ms * PS_PER_MS, 100 * PS_PER_MS, 0);
        assert_true(fabs(cwnd(&t) - want) < 0.01 * want);
    }
}

/* With an RTT of 100 us it grows as NewReno with beta 0.7 would: 3 x 0.3 / 1.7 packets per round until it
 * regains its previous window, one after that. */
static void cubic__is_newreno_in_a_data_center(void **unused)
{
    struct tcp_fixture t;
    uint64_t           now_ps = 0;
    int                rounds = 0;

    (void)unused;
    start(&t, "cubic");
    bring_to(&t, 100);
    lose(&t, 0);
    for (; cwnd(&t) < 100; rounds++, now_ps += 100 * PS_PER_US)
        pass_round(&t, now_ps, 100 * PS_PER_US, 0);
    assert_in_range(rounds, 30 / (0.9 / 1.7) - 1, 30 / (0.9 / 1.7) + 2);
    for (int i = 0; i < 10; i++, now_ps += 100 * PS_PER_US)
        pass_round(&t, now_ps, 100 * PS_PER_US, 0);
    assert_true(fabs(cwnd(&t) - 110) < 1);
}

/* Fast convergence: if it is cut before it regains 100, it aims below the cut: Wmax = 80 x 0.85 = 68. */
static void cubic__makes_room_for_others(void **unused)
{
    const double       k = cbrt((68 - 56) / 0.4);
    struct tcp_fixture t;

    (void)unused;
    start(&t, "cubic");
    bring_to(&t, 100);
    lose(&t, 0);
    bring_to(&t, 80);
    lose(&t, 0);
    assert_int_equal(t.window.cwnd_bytes, 56 * MSS);
    for (uint64_t ms = 0; ms < 3000; ms += 500)
        pass_round(&t, ms * PS_PER_MS, 500 * PS_PER_MS, 0);
    assert_true(fabs(cwnd(&t) - (0.4 * (3 - k) * (3 - k) * (3 - k) + 68)) < 1);
}

/* ---- DCTCP ---- */

/* Returns the share of the window that a mark would cut now: alpha / 2. */
static double cut(const struct tcp_fixture *t)
{
    struct tcp_fixture copy = *t;

    copy.window.cwnd_bytes = 1000000 * MSS;
    copy.algo->on_ecn(&copy.window, copy.state, 0, copy.window.cwnd_bytes);
    return 1 - (double)copy.window.cwnd_bytes / (1000000.0 * MSS);
}

/* alpha(n) = F + (1 - F) (15/16)^n from alpha = 1: it converges to the share of marks. */
static void dctcp__alpha_converges_to_the_share_of_marks(void **unused)
{
    static const double shares[] = { 0, 0.25, 0.5, 1 };

    (void)unused;
    for (uint32_t i = 0; i < 4; i++) {
        double             alpha = 1;
        struct tcp_fixture t;

        start(&t, "dctcp");
        for (int n = 0; n < 200; n++) {
            t.window.cwnd_bytes = t.window.ssthresh_bytes = 400 * MSS;
            assert_true(fabs(cut(&t) - alpha / 2) < 1e-4);
            pass_round(&t, 0, PS_PER_MS, shares[i]);
            alpha = alpha * 15 / 16 + shares[i] / 16;
        }
        assert_true(fabs(cut(&t) - shares[i] / 2) < 1e-4);
    }
}

static void dctcp__a_loss_halves(void **unused)
{
    struct tcp_fixture t;

    (void)unused;
    start(&t, "dctcp");
    bring_to(&t, 400);
    for (int n = 0; n < 100; n++)
        pass_round(&t, 0, PS_PER_MS, 0);
    t.algo->on_loss(&t.window, t.state, 0, 400 * MSS);
    assert_int_equal(t.window.cwnd_bytes, 200 * MSS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_start__doubles),
        cmocka_unit_test(on_ack__does_not_grow_unless_allowed),
        cmocka_unit_test(on_timeout__leaves_one_packet),
        cmocka_unit_test(newreno__one_packet_per_round_and_half_after_a_loss),
        cmocka_unit_test(newreno__never_less_than_two_packets),
        cmocka_unit_test(cubic__follows_its_curve),
        cmocka_unit_test(cubic__is_newreno_in_a_data_center),
        cmocka_unit_test(cubic__makes_room_for_others),
        cmocka_unit_test(dctcp__alpha_converges_to_the_share_of_marks),
        cmocka_unit_test(dctcp__a_loss_halves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
