/* src/sim/nic/host_conweave_test.c - differences of hosts in model conweave: timers, and packets after the
 * end of a flow. Times are computed by hand: at 100 Gb/s a full packet takes 83 ns and an ACK 4, each link 1
 * us.
 */
#include "sim/nic/host.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NS    PS_PER_NS
#define US    PS_PER_US
#define MS    PS_PER_MS
#define TRIP  (2 * (83 + 1000 + 4 + 1000) * NS)      /* a full packet there, its ACK back */

/* ---- a congestion control with a fixed rate per flow, which records departures ---- */

static uint64_t next_bps, sent_ps[64], sent_count;

static void fixed_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = next_bps, .window_bytes = UINT64_MAX,
                            .due_ps = NEVER, .counts_bytes = true };
}

static void fixed_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static void fixed_on_sent(const void *cfg, void *state, struct cc_now now, uint32_t bytes, struct cc_out *out)
{
    (void)cfg, (void)state, (void)bytes, (void)out;
    assert_true(sent_count < 64);
    sent_ps[sent_count++] = now.ps;
}

static const struct cc_algo fixed = { .on_sent = fixed_on_sent,
                                      .start = fixed_start,
                                      .configure = fixed_configure,
                                      .name = "fixed",
                                      .about = "a rate that stays" };

/* ---- worlds ---- */

static void start(struct world *w, enum sim_order order, const struct flow_row *flow, uint32_t count)
{
    struct sim_cfg cfg;
    struct graph   g;

    world_cfg(&cfg, MODEL_CONWEAVE);
    cfg.cc = &fixed;
    cfg.order = order;
    sent_count = 0;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, US });
    world_of_flows(w, &g, &cfg, flow, count);
}

/* One flow of this many full packets, paced at 'gap_ps' per packet. */
static void start_one(struct world *w, enum sim_order order, uint64_t packets, uint64_t gap_ps)
{
    next_bps = 1048 * 8 * PS_PER_S / gap_ps;
    start(w, order, &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 100,
                                        .bytes = packets * 1000 }, 1);
}

static struct port *port_of(const struct world *w, uint32_t host)
{
    return w->sim->net.host[host].port;
}

/* Starts or stops losing packets that host 0 sends. */
static void set_loss(struct world *w, bool is_on)
{
    struct port *p = port_of(w, 0);

    p->loss = is_on;
    p->is_lossy = is_on;
    p->slow_path = is_on ? SLOW_LINK : 0;
}

static void run_until(struct world *w, uint64_t at_ps)
{
    sim_run_until(w->sim, at_ps);
    w->sim->engine.now_ps = at_ps;
}

/* A packet of the first flow that had this index arrives at a host. */
static void put(struct world *w, uint32_t host, uint32_t id, enum packet_kind kind, uint64_t seq)
{
    uint32_t           k = engine_new_packet(&w->sim->engine);
    const struct flow *f = &w->sim->flows.flow[id];

    w->sim->engine.packets.packet[k] =
        (struct packet){ .flow = id, .generation = 1, .src = host ? f->src : f->dst,
                         .dst = host ? f->dst : f->src, .seq = seq, .sent_ps = w->sim->engine.now_ps,
                         .kind = (uint8_t)kind,
                         .prio = kind == RC_DATA ? 3 : 0, .bytes = kind == RC_DATA ? 1048 : 60,
                         .payload = kind == RC_DATA ? 1000 : 0 };
    w->sim->engine.counters.data_sent += kind == RC_DATA;
    w->sim->engine.counters.payload_sent += kind == RC_DATA ? 1000 : 0;
    host_on_packet(w->sim, &w->sim->net.host[host], &w->sim->engine.packets.packet[k]);
}

/* ---- the timer ---- */

/* Three packets, one every ms, all lost: the 4 ms count from the last. Then they are retransmitted, one every
 * ms. */
static void timeout__counts_from_the_last_packet(void **unused)
{
    static const uint64_t at_ms[] = { 0, 1, 2, 6, 7, 8 };
    struct world          w;

    (void)unused;
    start_one(&w, ORDER_NS3, 3, MS);
    set_loss(&w, true);
    run_until(&w, 3 * MS);
    set_loss(&w, false);
    assert_true(world_finish(&w, 100 * US, PS_PER_S));
    assert_int_equal(sent_count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(sent_ps[i], at_ms[i] * MS);
    assert_int_equal(w.sim->engine.counters.timeouts, 1);
    assert_int_equal(w.done[0].fct_ps, 8 * MS + TRIP);
    world_end(&w);
}

/* The only packet is lost. An ACK without progress arrives after 1 ms, and the 4 ms count from there. */
static void timeout__counts_from_an_ack_without_progress(void **unused)
{
    struct world w;

    (void)unused;
    start_one(&w, ORDER_NS3, 1, 83 * NS);
    set_loss(&w, true);
    run_until(&w, MS);
    set_loss(&w, false);
    put(&w, 0, 1, RC_ACK, 0);
    assert_true(world_finish(&w, 100 * US, PS_PER_S));
    assert_int_equal(w.done[0].fct_ps, 5 * MS + TRIP);
    world_end(&w);
}

/* A flow with nothing in flight, because its pacer waits 10 ms after each packet, has no timeout. */
static void timeout__needs_packets_in_flight(void **unused)
{
    struct world w;

    (void)unused;
    start_one(&w, ORDER_NS3, 2, 10 * MS);
    assert_true(world_finish(&w, 100 * US, PS_PER_S));
    assert_int_equal(w.sim->engine.counters.timeouts, 0);
    assert_int_equal(w.done[0].fct_ps, 10 * MS + TRIP);
    world_end(&w);
}

/* ---- after the end ---- */

/* Flow 1 has one packet and is soon done. Flow 2 may send again 1 ms after its first packet, and the NIC's
 * wake-up is set to that. Flow 3 starts at 10 us and may send again at 110 us, but the wake-up is not moved.
 * A packet that arrives at 200 us makes the NIC check, and flow 3 sends, unless the packet belongs to a
 * finished flow. */
static uint64_t sent_after_answer(uint32_t flow, enum packet_kind kind)
{
    const struct flow_row list[] = {
        { .src = 0, .dst = 1, .prio = 3, .dport = 100, .bytes = 1000 },
        { .src = 0, .dst = 1, .prio = 3, .dport = 101, .bytes = 2000 },
        { .src = 0, .dst = 1, .prio = 3, .dport = 102, .bytes = 2000, .start_ps = 10000000 },
    };
    struct world w;
    uint64_t     third;

    next_bps = 1048 * 8 * 1000;                      /* a packet takes 1 ms */
    start(&w, ORDER_NS3, list, 3);
    run_until(&w, 5 * US);
    assert_int_equal(w.done_count, 1);
    next_bps *= 10;
    run_until(&w, 200 * US);
    assert_int_equal(sent_count, 3);
    put(&w, 0, flow, kind, 1000);
    assert_true(world_finish(&w, 100 * US, PS_PER_S));
    assert_int_equal(sent_count, 5);
    third = sent_ps[3];
    world_end(&w);
    return third;
}

static void answer__of_a_finished_flow_wakes_no_flow(void **unused)
{
    (void)unused;
    assert_int_equal(sent_after_answer(2, RC_ACK), 200 * US);
    assert_int_equal(sent_after_answer(2, RC_NACK), 200 * US);
    assert_int_equal(sent_after_answer(1, RC_ACK), 83 * NS + MS);
    assert_int_equal(sent_after_answer(1, RC_NACK), 83 * NS + MS);
}

/* Four packets, the second of which was lost and retransmitted; the sender knows that all have arrived. */
static void start_over(struct world *w, enum sim_order order)
{
    start_one(w, order, 4, 83 * NS);
    run_until(w, 83 * NS - 1);
    set_loss(w, true);
    run_until(w, 83 * NS);
    set_loss(w, false);
    run_until(w, 50 * US);
    assert_int_equal(w->done_count, 1);
    assert_int_equal(w->sim->engine.counters.dropped_wire, 1);
    assert_int_equal(w->done[0].resent_bytes, 3000);
}

/* Returns the packet that host 1 sends in answer to a duplicate that arrives at 'at_ps', or NULL. */
static const struct packet *answer_to(struct world *w, uint64_t at_ps, uint64_t seq)
{
    uint64_t          before = port_of(w, 1)->counters.tx_bytes;
    struct world_wire wire;

    run_until(w, at_ps);
    put(w, 1, 1, RC_DATA, seq);
    wire = world_wire(w, port_of(w, 1));
    return port_of(w, 1)->counters.tx_bytes == before ? NULL : wire.packet[wire.count - 1];
}

static void expect_answer(const struct packet *k, enum packet_kind kind, uint64_t seq, uint8_t flags)
{
    assert_non_null(k);
    assert_int_equal(k->kind, kind);
    assert_int_equal(k->seq, seq);
    assert_int_equal(k->flags, flags);
    assert_int_equal(k->bytes, 60);
}

/* Order ns3: a fresh state expects byte 0 and says so, with the flag of a CNP, at most every 4 us. */
static void duplicate__after_the_end_is_answered_by_fresh_state(void **unused)
{
    struct world w;

    (void)unused;
    start_over(&w, ORDER_NS3);
    expect_answer(answer_to(&w, 100 * US, 1000), RC_NACK, 0, PACKET_ECHO);
    assert_null(answer_to(&w, 101 * US, 2000));
    assert_null(answer_to(&w, 104 * US - 1, 3000));
    expect_answer(answer_to(&w, 104 * US, 3000), RC_NACK, 0, PACKET_ECHO);
    expect_answer(answer_to(&w, 105 * US, 0), RC_ACK, 1000, 0);
    expect_answer(answer_to(&w, 106 * US, 3000), RC_NACK, 1000, PACKET_ECHO);
    expect_answer(answer_to(&w, 107 * US, 1000), RC_ACK, 2000, 0);
    expect_answer(answer_to(&w, 108 * US, 0), RC_ACK, 2000, 0);
    assert_int_equal(w.sim->engine.counters.payload_received, 4000);
    assert_int_equal(w.done_count, 1);
    world_end(&w);
}

/* Order node: the receiver cannot know when the sender finishes. Its answers are spaced as above, but are
 * ACKs. */
static void duplicate__after_the_last_byte_is_acknowledged_spaced(void **unused)
{
    struct world w;

    (void)unused;
    start_over(&w, ORDER_NODE);
    expect_answer(answer_to(&w, 100 * US, 1000), RC_ACK, 4000, 0);
    assert_null(answer_to(&w, 101 * US, 0));
    assert_null(answer_to(&w, 104 * US - 1, 3000));
    expect_answer(answer_to(&w, 104 * US, 3000), RC_ACK, 4000, 0);
    assert_int_equal(w.sim->engine.counters.payload_received, 4000);
    world_end(&w);
}

/* Order node: the last ACK is lost. The sender retransmits after 4 ms and must learn that everything has
 * arrived. */
static void duplicate__is_acknowledged_if_the_last_ack_was_lost(void **unused)
{
    struct world w;
    struct port *p;

    (void)unused;
    start_one(&w, ORDER_NODE, 1, 83 * NS);
    p = port_of(&w, 1);
    p->loss = 1;
    p->is_lossy = true;
    p->slow_path = SLOW_LINK;
    run_until(&w, MS);
    assert_int_equal(w.sim->engine.counters.dropped_wire, 1);
    p->loss = 0;
    p->is_lossy = false;
    p->slow_path = 0;
    assert_true(world_finish(&w, 100 * US, PS_PER_S));
    assert_int_equal(w.done[0].fct_ps, 4 * MS + TRIP);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeout__counts_from_the_last_packet),
        cmocka_unit_test(timeout__counts_from_an_ack_without_progress),
        cmocka_unit_test(timeout__needs_packets_in_flight),
        cmocka_unit_test(answer__of_a_finished_flow_wakes_no_flow),
        cmocka_unit_test(duplicate__after_the_end_is_answered_by_fresh_state),
        cmocka_unit_test(duplicate__after_the_last_byte_is_acknowledged_spaced),
        cmocka_unit_test(duplicate__is_acknowledged_if_the_last_ack_was_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
