#include "sim/nic/host.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define BACK_PS  (2 * (ACK_PS + DELAY_PS))           /* return of an ACK over two hops */
#define THERE_PS (2 * (FULL_PS + DELAY_PS))          /* a full packet over two hops */

static void start_star(struct world *w, const struct sim_cfg *cfg, uint32_t hosts,
                       const struct flow_row *flow, uint32_t count)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ hosts, 100 * GBPS, DELAY_PS });
    world_of_flows(w, &g, cfg, flow, count);
}

/* One flow of 'packets' full packets from host 0 to host 1. */
static void start_one(struct world *w, const struct sim_cfg *cfg, uint64_t packets)
{
    start_star(w, cfg, 2,
               &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = packets * 1024 }, 1);
}

static void set_loss(struct port *p, bool is_on)
{
    p->loss = is_on;
    p->is_lossy = is_on;
    p->slow_path = is_on ? SLOW_LINK : 0;
}

/* Loses exactly the frame that host 0 starts at 'at_ps'. */
static void lose_at(struct world *w, uint64_t at_ps)
{
    struct port *p = w->sim->net.host[0].port;
    uint64_t     before = w->sim->engine.counters.dropped_wire;

    sim_run_until(w->sim, at_ps - 1);
    set_loss(p, true);
    sim_run_until(w->sim, at_ps);
    set_loss(p, false);
    assert_int_equal(w->sim->engine.counters.dropped_wire - before, 1);
}

/* ---- a congestion control with a fixed rate that records when it is called ---- */

static uint64_t fixed_bps, sent_ps[4096], sent_count;

static void fixed_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = fixed_bps, .window_bytes = UINT64_MAX,
                            .due_ps = NEVER, .counts_bytes = true };
}

static void fixed_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static void fixed_on_sent(const void *cfg, void *state, struct cc_now now, uint32_t bytes, struct cc_out *out)
{
    (void)cfg, (void)state, (void)bytes, (void)out;
    sent_ps[sent_count++] = now.ps;
}

static const struct cc_algo fixed = { .on_sent = fixed_on_sent,
                                      .start = fixed_start,
                                      .configure = fixed_configure,
                                      .name = "fixed",
                                      .about = "a rate that stays" };

/* ---- scheduling and pacing ---- */

static void send__takes_turns(void **unused)
{
    struct flow_row flow[7];
    struct sim_cfg   cfg;
    struct world     w;

    (void)unused;
    for (uint32_t i = 0; i < 7; i++)
        flow[i] = (struct flow_row){
            .src = 0, .dst = 1 + i % 3, .prio = 3, .dport = (uint16_t)i, .bytes = 300 * 1024
        };
    world_cfg(&cfg, MODEL_NIC);
    start_star(&w, &cfg, 4, flow, 7);
    while (w.sim->engine.counters.data_sent < 7 * 290) {
        uint64_t least = UINT64_MAX, most = 0;

        sim_run_until(w.sim, w.sim->engine.now_ps + FULL_PS);
        for (uint32_t id = 1; id <= 7; id++) {
            least = w.sim->flows.flow[id].sent < least ? w.sim->flows.flow[id].sent : least;
            most = w.sim->flows.flow[id].sent > most ? w.sim->flows.flow[id].sent : most;
        }
        assert_in_range(most - least, 0, 1024);
    }
    world_end(&w);
}

/* Alone, a paced flow starts a packet every (frame + spacing) / rate, rounded up to a picosecond. */
static void send__keeps_its_rate(void **unused)
{
    static const uint64_t rates[] = { GBPS, 7 * GBPS, 33333333333, 50 * GBPS, 99 * GBPS, 100 * GBPS };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        uint64_t       gap = ((1024 + 62 + 20) * 8 * 1000000000000ull + rates[i] - 1) / rates[i];
        struct sim_cfg cfg;
        struct world   w;

        fixed_bps = rates[i];
        sent_count = 0;
        world_cfg(&cfg, MODEL_NIC);
        cfg.cc = &fixed;
        start_one(&w, &cfg, 100);
        assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
        assert_int_equal(sent_count, 100);
        for (uint32_t n = 0; n < 100; n++)
            assert_int_equal(sent_ps[n], n * gap);
        assert_int_equal(w.done[0].fct_ps, 99 * gap + THERE_PS + BACK_PS);
        world_end(&w);
    }
}

/* Three flows at 40 Gb/s each share a link of 100: none ever exceeds its rate, and the link is never idle. */
static void send__no_flow_exceeds_its_rate(void **unused)
{
    const uint64_t   gap = (1024 + 62 + 20) * 200;           /* 200 ps per byte */
    struct flow_row flow[3];
    uint64_t         last[4] = { 0 }, was[4] = { 0 };
    struct sim_cfg   cfg;
    struct world     w;

    (void)unused;
    for (uint32_t i = 0; i < 3; i++)
        flow[i] =
            (struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = (uint16_t)i, .bytes = 400 * 1024 };
    fixed_bps = 40 * GBPS;
    sent_count = 0;
    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = &fixed;
    start_star(&w, &cfg, 2, flow, 3);
    for (uint32_t n = 0; sent_count < 1100; n = (uint32_t)sent_count) {
        sim_run_until(w.sim, w.sim->engine.now_ps + FULL_PS / 2);
        assert_in_range(sent_count - n, 0, 1);
        for (uint32_t id = 1; sent_count > n && id <= 3; id++)
            if (w.sim->flows.flow[id].sent != was[id]) {
                assert_true(was[id] == 0 || sent_ps[n] - last[id] >= gap);
                last[id] = sent_ps[n];
                was[id] = w.sim->flows.flow[id].sent;
            }
    }
    assert_int_equal(sent_ps[1099], 1099 * FULL_PS);
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
    world_end(&w);
}

/* A window of w bytes: at most that, plus the packet being sent, is in flight. */
static void send__keeps_within_its_window(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    uint64_t       most = 0;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.window_bytes = 10 * 1024;
    start_one(&w, &cfg, 200);
    while (!w.sim->is_done) {
        uint64_t inflight;

        sim_run_until(w.sim, w.sim->engine.now_ps + FULL_PS / 4);
        inflight = w.sim->flows.flow[1].sent - w.sim->flows.flow[1].acked;
        most = inflight > most ? inflight : most;
    }
    assert_int_equal(most, 10 * 1024);
    /* Ten packets per round trip, the last ten back to back. */
    assert_int_equal(w.done[0].fct_ps, 19 * (THERE_PS + BACK_PS) + 9 * FULL_PS + THERE_PS + BACK_PS);
    world_end(&w);
}

/* ---- losses ---- */

/* Packet k is lost. The NACK caused by k + 1 returns while the sender continues. From the next packet on it
 * retransmits from k, as if that many more packets had been sent. */
static void loss__is_retransmitted_from_the_lost_byte(void **unused)
{
    const uint64_t packets = 400;

    (void)unused;
    for (uint64_t k = 1; k < 200; k += 37) {
        uint64_t       nack_at = (k + 1) * FULL_PS + THERE_PS + BACK_PS, again = nack_at / FULL_PS + 1 - k;
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        start_one(&w, &cfg, packets);
        lose_at(&w, k * FULL_PS);
        assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
        assert_int_equal(w.done[0].resent_bytes, again * 1024);
        assert_int_equal(w.sim->engine.counters.nacks_sent, 1);
        assert_int_equal(w.sim->engine.counters.timeouts, 0);
        /* all packets behind the lost one */
        assert_int_equal(w.sim->engine.counters.payload_stale, (again - 1) * 1024);
        assert_int_equal(w.done[0].fct_ps, (packets + again - 1) * FULL_PS + THERE_PS + BACK_PS);
        world_end(&w);
    }
}

/* The second packet is lost, and one NACK is sent; all packets sent before it arrives are out of order. One
 * flow of each size class. */
static void loss__is_counted_by_size(void **unused)
{
    static const uint64_t packets[FCT_BUCKETS] = { 9, 90, 900, 1000 };
    /* sent, or being sent, by then */
    const uint64_t        again = (2 * FULL_PS + THERE_PS + BACK_PS) / FULL_PS;

    (void)unused;
    for (uint32_t i = 0; i < FCT_BUCKETS; i++) {
        const struct sim_counters *c;
        struct sim_cfg             cfg;
        struct world               w;

        world_cfg(&cfg, MODEL_NIC);
        start_one(&w, &cfg, packets[i]);
        lose_at(&w, FULL_PS);
        assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
        c = &w.sim->engine.counters;
        for (uint32_t j = 0; j < FCT_BUCKETS; j++) {
            uint64_t behind = (again < packets[j] - 1 ? again : packets[j] - 1) - 1;

            assert_int_equal(c->nacks_by_size[j], i == j);
            assert_int_equal(c->reordered_by_size[j], i == j ? behind : 0);
        }
        world_end(&w);
    }
}

/* Nothing reveals the loss of the last packet; it is retransmitted rto after the last progress. */
static void loss__of_the_last_packet_waits_for_the_timer(void **unused)
{
    const uint64_t packets = 50, rto_ps = 321 * PS_PER_US,
                   progress_ps = (packets - 2) * FULL_PS + THERE_PS + BACK_PS;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps = rto_ps;
    start_one(&w, &cfg, packets);
    lose_at(&w, (packets - 1) * FULL_PS);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    assert_int_equal(w.sim->engine.counters.timeouts, 1);
    assert_int_equal(w.sim->engine.counters.nacks_sent, 0);
    assert_int_equal(w.done[0].resent_bytes, 1024);
    assert_int_equal(w.done[0].fct_ps, progress_ps + rto_ps + THERE_PS + BACK_PS);
    world_end(&w);
}

/* NACKs for the same byte: one immediately, then one for the first packet that arrives nack_gap or more after
 * the last. */
static void nack__is_spaced(void **unused)
{
    const uint64_t gap_ps = 7 * PS_PER_US, every = (gap_ps + FULL_PS - 1) / FULL_PS * FULL_PS, k = 10;
    const uint64_t first = (k + 1) * FULL_PS + THERE_PS;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.nack_gap_ps = gap_ps;
    start_one(&w, &cfg, 2000);
    lose_at(&w, k * FULL_PS);
    set_loss(w.sim->net.host[1].port, true);       /* the sender never receives them */
    for (uint64_t n = 0; n < 15; n++) {
        sim_run_until(w.sim, first + n * every - 1);
        assert_int_equal(w.sim->engine.counters.nacks_sent, n);
        sim_run_until(w.sim, first + n * every);
        assert_int_equal(w.sim->engine.counters.nacks_sent, n + 1);
    }
    world_end(&w);
}

/* One packet is lost: its NACK also counts as a CNP, if so configured, and the sender slows down. */
static void nack__may_count_as_a_cnp(void **unused)
{
    (void)unused;
    for (int model = MODEL_NIC; model <= MODEL_CONWEAVE; model++)
        for (int is_cnp = 0; is_cnp < 2; is_cnp++) {
            struct sim_cfg cfg;
            struct world   w;

            world_cfg(&cfg, (enum sim_model)model);
            cfg.cc = cc_find(model == MODEL_NIC ? "dcqcn" : "dcqcn_hpcc");
            cfg.ecn_on = false;
            cfg.nack_is_cnp = is_cnp;
            cfg.nack_gap_ps = 100 * PS_PER_US;
            start_one(&w, &cfg, 400);
            sim_run_until(w.sim, 10 * PS_PER_US);
            set_loss(w.sim->net.host[0].port, true);
            while (!w.sim->engine.counters.dropped_wire)
                sim_run_until(w.sim, w.sim->engine.now_ps + 10 * PS_PER_NS);
            set_loss(w.sim->net.host[0].port, false);
            assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
            assert_int_equal(w.sim->engine.counters.nacks_sent, 1);
            assert_int_equal(w.sim->engine.counters.cnps_received, is_cnp);
            assert_int_equal(w.sim->engine.counters.cnps_sent, 0);              /* no separate packet */
            assert_int_equal(w.sim->flows.flow[1].out.rate_bps < 100 * GBPS, is_cnp);
            world_end(&w);
        }
}

/* ---- answers ---- */

/* The data class is paused on the return path: only ACKs of another class pass. */
static void ack__may_have_a_separate_class(void **unused)
{
    (void)unused;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.has_ack_prio = is_apart;
        cfg.ack_prio = 5;
        cfg.rto_ps = 0;
        start_one(&w, &cfg, 20);
        w.sim->net.host[0].port->peer->paused = 1 << 3;
        sim_run_until(w.sim, PS_PER_MS);
        assert_int_equal(w.sim->engine.counters.acks_sent, 20);
        assert_int_equal(w.done_count, is_apart);
        world_end(&w);
    }
}

static void ack__every_nth_packet_and_the_last(void **unused)
{
    (void)unused;
    for (uint32_t every = 1; every <= 7; every++)
        for (uint64_t packets = 1; packets <= 30; packets += 7) {
            struct sim_cfg cfg;
            struct world   w;

            world_cfg(&cfg, MODEL_NIC);
            cfg.ack_every = every;
            start_one(&w, &cfg, packets);
            assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
            assert_int_equal(w.sim->engine.counters.acks_sent, (packets + every - 1) / every);
            world_end(&w);
        }
}

/* A window of four packets and an ACK for eight: the fourth packet requests one, and its ACK opens the window
 * again. */
static void ack__is_requested_by_the_packet_that_fills_the_window(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.window_bytes = 4 * 1024;
    cfg.ack_every = 8;
    start_one(&w, &cfg, 12);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    assert_int_equal(w.done[0].fct_ps, 3 * (3 * FULL_PS + THERE_PS + BACK_PS));
    assert_int_equal(w.sim->engine.counters.acks_sent, 3);
    world_end(&w);
}

/* A window of ten packets that shrinks with the first ACK. */
static void closing_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = 100 * GBPS, .window_bytes = 10 * 1024, .due_ps = NEVER };
}

static void closing_on_ack(const void *cfg, void *state, struct cc_now now, const struct cc_ack *ack,
                           struct cc_out *out)
{
    (void)cfg, (void)state, (void)now, (void)ack;
    out->window_bytes = 1024;
}

/* The last packet requests an ACK, too: one ACK for 32 packets would not come before. */
static void ack__is_requested_when_the_window_has_shrunk(void **unused)
{
    static const struct cc_algo closing = { .start = closing_start, .on_ack = closing_on_ack,
                                            .configure = fixed_configure,
                                            .name = "closing", .about = "" };

    (void)unused;
    for (uint32_t every = 2; every <= 32; every++) {
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.cc = &closing;
        cfg.ack_every = every;
        start_one(&w, &cfg, 40);
        assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
        assert_int_equal(w.sim->engine.counters.timeouts, 0);
        /* Ten packets at once, then at most one per round trip, and one more each time. */
        assert_in_range(w.done[0].fct_ps, 15 * (THERE_PS + BACK_PS), 31 * (THERE_PS + BACK_PS) + 9 * FULL_PS);
        world_end(&w);
    }
}

/* An incast into one port, with every congestion control: no flow waits for the timer, however rare ACKs
 * are. */
static void ack__is_requested_with_every_control(void **unused)
{
    static const uint32_t every[] = { 2, 8, 256 };
    struct flow_row       flow[32];

    (void)unused;
    for (uint32_t i = 0; i < 32; i++)
        flow[i] = (struct flow_row){ .src = i, .dst = 32, .prio = 3, .dport = 1, .bytes = 100000 };
    for (uint32_t i = 0; cc_all[i]; i++)
        for (uint32_t n = 0; n < 3 && strcmp(cc_all[i]->name, "rlcc"); n++) {
            struct sim_cfg cfg;
            struct world   w;

            world_cfg(&cfg, MODEL_NIC);
            cfg.cc = cc_all[i];
            cfg.mtu_bytes = 4096;
            cfg.ack_every = every[n];
            start_star(&w, &cfg, 33, flow, 32);
            assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_MS));
            assert_int_equal(w.sim->engine.counters.timeouts, 0);
            world_end(&w);
        }
}

/* Returns when the next CNP is allowed for this flow, in the given scope. */
static uint64_t next_cnp_ps(const struct sim *s, uint32_t flow, int scope)
{
    const struct host *h = &s->net.host[0];

    return scope == 0   ? s->flows.rx[flow].cnp_ps
           : scope == 1 ? (h->cnp_by_source ? h->cnp_by_source[s->flows.flow[flow].src % 1024] : 0)
                        : h->cnp_ps;
}

/* Hosts 1 and 2 send two flows each to host 0, every packet marked. CNPs are spaced per queue pair (4 of
 * them), per source (2) or per port (1), and by nothing else: one CNP in every spacing plus two packets of
 * each flow. */
static void cnp__is_spaced_in_each_scope(void **unused)
{
    static const uint64_t keepers[] = { 4, 2, 1 };
    const uint64_t        distance = 10 * PS_PER_US, until = 400 * PS_PER_US;

    (void)unused;
    for (int scope = 0; scope < 3; scope++) {
        struct flow_row flow[4];
        uint64_t         last[5] = { 0 }, changes[5] = { 0 }, sum = 0;
        struct sim_cfg   cfg;
        struct world     w;

        for (uint32_t i = 0; i < 4; i++)
            flow[i] = (struct flow_row){
                .src = 1 + i / 2, .dst = 0, .prio = 3, .dport = (uint16_t)i, .bytes = 10000000
            };
        world_cfg(&cfg, MODEL_NIC);
        cfg.knobs.value[KNOB_kmin] = cfg.knobs.value[KNOB_kmax] = 0;
        cfg.knobs.value[KNOB_min_time_between_cnps] = 10;
        cfg.knobs.value[KNOB_roce_cc_cnp_moderation] = scope;
        start_star(&w, &cfg, 3, flow, 4);
        while (w.sim->engine.now_ps < until) {
            sim_run_until(w.sim, w.sim->engine.now_ps + FULL_PS / 2);
            for (uint32_t id = 1; id <= 4 && id < w.sim->flows.used; id++) {
                uint64_t next = next_cnp_ps(w.sim, id, scope);

                if (next == last[id])
                    continue;
                assert_true(last[id] == 0 || next - last[id] >= distance);
                assert_true(last[id] == 0 || next - last[id] <= distance + 12 * FULL_PS);
                last[id] = next;
                changes[id]++;
            }
        }
        for (uint32_t id = 1; id <= 4; id++)
            sum += changes[id];
        assert_int_equal(w.sim->engine.counters.cnps_sent,
                         sum * keepers[scope] / 4); /* all flows of a shared scope saw it */
        assert_in_range(w.sim->engine.counters.cnps_sent, keepers[scope] * 33, keepers[scope] * 40);
        world_end(&w);
    }
}

/* 65,536 queue pairs of a paused class: a pass does not visit all of them again. A flow of another class
 * sends immediately, and the others when the pause ends; none is forgotten. */
static void send__does_not_visit_paused_flows_again(void **unused)
{
    enum { MANY = 65536 };
    struct flow_row *flow = calloc(MANY + 1, sizeof *flow);
    struct sim_cfg   cfg;
    struct world     w;
    struct port     *p;
    clock_t          before;

    (void)unused;
    for (uint32_t i = 0; i < MANY; i++)
        flow[i] = (struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 100 };
    flow[MANY] = (struct flow_row){ .src = 0, .dst = 1, .prio = 4, .dport = 2, .bytes = 10240,
                                    .start_ps = 2000000 };
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps = 0;
    start_star(&w, &cfg, 2, flow, MANY + 1);
    p = w.sim->net.host[0].port;
    p->paused = 1 << 3;
    p->paused_since_ps = 0;
    before = clock();
    sim_run_until(w.sim, PS_PER_US);
    for (uint32_t i = 0; i < MANY; i++)
        host_kick(w.sim, &w.sim->net.host[0]);
    assert_int_equal(w.sim->engine.counters.data_sent, 0);
    /* 4 billion visits would take several times as long */
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 5);
    sim_run_until(w.sim, 50 * PS_PER_US);
    assert_int_equal(w.sim->engine.counters.data_sent, 10);
    assert_int_equal(w.done_count, 1);
    p->paused = 0;
    host_kick(w.sim, &w.sim->net.host[0]);
    sim_run_until(w.sim, 10 * PS_PER_MS);
    assert_int_equal(w.done_count, MANY + 1);
    world_end(&w);
    free(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(send__takes_turns),
        cmocka_unit_test(send__does_not_visit_paused_flows_again),
        cmocka_unit_test(send__keeps_its_rate),
        cmocka_unit_test(send__no_flow_exceeds_its_rate),
        cmocka_unit_test(send__keeps_within_its_window),
        cmocka_unit_test(loss__is_retransmitted_from_the_lost_byte),
        cmocka_unit_test(loss__is_counted_by_size),
        cmocka_unit_test(loss__of_the_last_packet_waits_for_the_timer),
        cmocka_unit_test(nack__is_spaced),
        cmocka_unit_test(nack__may_count_as_a_cnp),
        cmocka_unit_test(ack__may_have_a_separate_class),
        cmocka_unit_test(ack__every_nth_packet_and_the_last),
        cmocka_unit_test(ack__is_requested_by_the_packet_that_fills_the_window),
        cmocka_unit_test(ack__is_requested_when_the_window_has_shrunk),
        cmocka_unit_test(ack__is_requested_with_every_control),
        cmocka_unit_test(cnp__is_spaced_in_each_scope),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
