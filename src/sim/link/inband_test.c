/* src/sim/link/inband_test.c - telemetry that ports write into packets, and how it returns.
 *
 * Oracles: times and sizes of frames over known links, and a congestion control that records what it
 * receives.
 */
#include "sim/link/path.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define DELAY_PS PS_PER_US
#define ACKS_MAX 4000

static struct { struct cc_ack ack; struct cc_hop hop[CC_HOPS_MAX]; uint64_t at_ps; } seen[ACKS_MAX];
static uint32_t seen_count;

static void on_ack(const void *cfg, void *state, struct cc_now now, const struct cc_ack *a,
                   struct cc_out *out)
{
    (void)cfg, (void)state, (void)out;
    assert_true(seen_count < ACKS_MAX);
    seen[seen_count].ack = *a;
    seen[seen_count].at_ps = now.ps;
    for (uint32_t i = 0; i < a->records; i++)
        seen[seen_count].hop[i] = a->hop[i];
    seen_count++;
}

static void start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = 10 * GBPS, .window_bytes = UINT64_MAX,
                            .due_ps = NEVER, .probe_ps = NEVER };
}

static void configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo hops = { .on_ack = on_ack, .start = start, .configure = configure, .name = "hops",
                                     .telemetry = CC_HOPS };
static const struct cc_algo path = { .on_ack = on_ack, .start = start, .configure = configure, .name = "path",
                                     .telemetry = CC_PATH };

static void run(struct graph *g, const struct cc_algo *cc, const struct flow_row *flow, uint32_t flows)
{
    struct sim_cfg cfg;
    struct world   w;

    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = cc;
    seen_count = 0;
    world_of_flows(&w, g, &cfg, flow, flows);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    world_end(&w);
}

static const struct flow_row one = { .src = 0, .dst = 1, .prio = 3, .dport = 100, .bytes = 100 * 1024 };

/* A lone flow of 10 Gb/s. Frames have 10 bytes for one record, and 20 more on the wire. */
static void records__of_a_flow_alone(void **unused)
{
    const uint64_t wire = 1024 + 62 + 10 + 20;
    struct graph   g;

    (void)unused;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    run(&g, &hops, &one, 1);
    assert_int_equal(seen_count, 99);             /* the last ACK ends the flow */
    for (uint32_t i = 0; i < seen_count; i++) {
        const struct cc_hop *h = &seen[i].hop[0];

        assert_int_equal(seen[i].ack.records, 1);
        assert_int_equal(h->rate_bps, 100 * GBPS);
        assert_int_equal(h->at_ps, i * wire * 800 + wire * 80 + DELAY_PS);
        assert_int_equal(h->sent_bytes, i * wire);
        assert_int_equal(h->queue_bytes, 0);
    }
}

/* Every switch on the path writes a record, in path order: each is a frame's transmission and a link delay
 * later. */
static void records__of_every_switch(void **unused)
{
    const uint64_t wire = 1024 + 62 + 2 + 5 * 8 + 20;
    struct flow_row flow = one;
    struct graph    g;

    (void)unused;
    flow.dst = 15;
    graph_fat_tree(&g, &(struct graph_fat_tree){ .k = 4, .rate_bps = 100 * GBPS, .delay_ps = DELAY_PS });
    run(&g, &hops, &flow, 1);
    assert_int_equal(seen_count, 99);
    assert_int_equal(seen[7].ack.records, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(seen[7].hop[i].at_ps, 7 * wire * 800 + (i + 1) * (wire * 80 + DELAY_PS));
}

static void take(void *arg, const struct port *p, uint32_t packet)
{
    (void)arg, (void)p, (void)packet;
}

/* After link failures a packet may pass more switches than its header has room for: further switches write
 * nothing. */
static void records__do_not_exceed_their_room(void **unused)
{
    static struct inband slot[3];
    static struct packet packet[3];
    struct node          node = { .is_switch = true };
    uint32_t             tx_ps[2000] = { 0 };
    struct inband_ports  ports = { .kind = CC_HOPS };
    struct engine       *e = calloc(1, sizeof *e);
    struct port          p = { .is_switch = true, .node = &node, .rate_bps = 100 * GBPS, .tx_ps = tx_ps,
                                 .slow_path = SLOW_RECORD | SLOW_BORDER };

    (void)unused;
    memset(slot, 0x55, sizeof slot);
    e->border.take = take;
    e->inband = &ports;
    e->packets.inband = slot;
    e->packets.packet = packet;
    packet[1] = (struct packet){ .kind = RC_DATA, .bytes = 1000 };
    p.is_switch = false;
    path_transmit(e, &p, 1, &packet[1]);
    p.is_switch = true;
    for (uint32_t i = 1; i <= 9; i++) {
        e->now_ps = i;
        path_transmit(e, &p, 1, &packet[1]);
        assert_int_equal(slot[1].records, i <= CC_HOPS_MAX ? i : CC_HOPS_MAX + 1);
    }
    for (uint32_t i = 0; i < CC_HOPS_MAX; i++)
        assert_int_equal(slot[1].hop[i].at_ps, i + 1);
    for (size_t i = 0; i < sizeof *slot; i++)
        assert_true(((unsigned char *)&slot[0])[i] == 0x55 && ((unsigned char *)&slot[2])[i] == 0x55);
    free(e);
}

/* A rack, two racks of a Clos, two pods of a fat-tree. An idle receiver answers immediately. */
static void path__counts_switches(void **unused)
{
    static const uint8_t want[] = { 1, 3, 5 };

    (void)unused;
    for (int kind = 0; kind < 3; kind++) {
        struct flow_row flow = one;
        struct graph    g;

        flow.dst = kind == 0 ? 1 : kind == 1 ? 3 : 15;
        if (kind == 0)
            graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
        else if (kind == 1)
            graph_clos(&g, &(struct graph_clos){ 2, 2, 2, 1, 100 * GBPS, DELAY_PS, 100 * GBPS, DELAY_PS });
        else
            graph_fat_tree(&g, &(struct graph_fat_tree){ .k = 4, .rate_bps = 100 * GBPS,
                                                         .delay_ps = DELAY_PS });
        run(&g, &path, &flow, 1);
        assert_int_equal(seen_count, 99);
        for (uint32_t i = 0; i < seen_count; i++) {
            assert_int_equal(seen[i].ack.hops, want[kind]);
            assert_int_equal(seen[i].ack.endpoint_ps, 0);
        }
    }
}

/* Both send a packet every 884.8 ns. Packets of the first arrive 2176.96 ns after they left, which is 407.36
 * within such a period. The second sends from 370 to 458.48 in it, so ACKs wait for 51.12. Packets of the
 * second arrive while no host sends. */
static void path__measures_the_time_in_the_receiver(void **unused)
{
    struct flow_row flow[] = { one, one };
    uint64_t        longest = 0;
    uint32_t        waited = 0;
    struct graph    g;

    (void)unused;
    flow[1].src = 1, flow[1].dst = 0, flow[1].start_ps = 370000;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    run(&g, &path, flow, 2);
    for (uint32_t i = 0; i < seen_count; i++) {
        assert_true(seen[i].ack.endpoint_ps < seen[i].ack.rtt_ps);
        longest = seen[i].ack.endpoint_ps > longest ? seen[i].ack.endpoint_ps : longest;
        waited += seen[i].ack.endpoint_ps > 0;
    }
    assert_int_equal(longest, 51120);
    assert_in_range(waited, 97, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records__of_a_flow_alone),
        cmocka_unit_test(records__of_every_switch),
        cmocka_unit_test(records__do_not_exceed_their_room),
        cmocka_unit_test(path__counts_switches),
        cmocka_unit_test(path__measures_the_time_in_the_receiver),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
