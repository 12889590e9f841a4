/* src/sim/switch/trim_test.c - limits of queues, to the packet. */
#include "sim/switch/switch.h"
#include "sim/link/path.h"
#include "sim/test_world.h"
#include "sim/transport/uet/uet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FULL (4096 + 64)

static void start(struct world *w, const struct sim_cfg *cfg)
{
    struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 1 };
    struct graph    g;

    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, cfg, &flow, 1);
}

static uint32_t new_packet(struct sim *s, uint32_t bytes, uint8_t prio)
{
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];

    *k = (struct packet){ .bytes = (uint16_t)bytes, .payload = (uint16_t)(bytes - 64),
                          .kind = UET_DATA, .prio = prio & 7u, .dst = 1 };
    s->engine.counters.payload_sent += k->payload;
    return id;
}

/* Offers a packet to a port that does not send. Returns true if it, or another in its place, was queued. */
static bool offer(struct sim *s, struct port *out, uint32_t bytes, uint8_t prio)
{
    uint32_t       id = new_packet(s, bytes, prio);
    struct packet *k = &s->engine.packets.packet[id];

    if (!trim_admit(s, out, id)) {
        engine_drop(&s->engine, id);
        return false;
    }
    path_enqueue(&s->engine, out, k->prio, id, k);
    return true;
}

/* A queue of 10 packets holds 10. From then on each packet leaves a header; none is lost until the header
 * queue, with twice as many bytes, is full. */
static void trim__loses_no_header_before_the_queue_is_full(void **unused)
{
    struct sim_cfg  cfg;
    struct world    w;
    struct sim     *s;
    struct port    *out;
    uint32_t        headers = 0;

    (void)unused;
    world_cfg(&cfg, MODEL_UET);
    cfg.knobs.value[KNOB_trim] = 42;
    start(&w, &cfg);
    s = w.sim;
    out = s->net.host[1].port->peer;
    for (uint32_t i = 0; i < 42000 / FULL; i++)
        assert_true(offer(s, out, FULL, 3));
    assert_int_equal(out->queue[3].bytes, 42000 / FULL * FULL);
    assert_int_equal(out->queue[7].bytes, 0);
    while (offer(s, out, FULL, 3))
        headers++;
    assert_int_equal(headers, 84000 / 64);
    assert_int_equal(s->engine.counters.dropped_headers, 1);
    assert_int_equal(s->engine.counters.trimmed, headers + 1);
    assert_int_equal(out->queue[3].bytes, 42000 / FULL * FULL);
    assert_int_equal(s->engine.packets.packet[out->queue[7].head].kind, UET_TRIMMED_AT_LAST);
    buffer_check(s, out->node);
    world_end(&w);
}

/* A coin toss decides whether the arriving packet or the last one in the queue is trimmed. */
static void trim__trims_the_last_or_the_new_packet(void **unused)
{
    struct sim_cfg  cfg;
    struct world    w;
    struct sim     *s;
    struct port    *out;
    uint32_t        stayed = 0;

    (void)unused;
    world_cfg(&cfg, MODEL_UET);
    cfg.knobs.value[KNOB_trim] = 9;
    start(&w, &cfg);
    s = w.sim;
    out = s->net.host[1].port->peer;
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t id = new_packet(s, FULL, 3);

        s->engine.packets.packet[id].seq |= i;
        assert_true(trim_admit(s, out, id));
        path_enqueue(&s->engine, out, s->engine.packets.packet[id].prio, id, &s->engine.packets.packet[id]);
        stayed += (s->engine.packets.packet[out->queue[3].tail].seq & UET_NUMBER) == i;
    }
    assert_in_range(stayed, 70, 130);
    buffer_check(s, out->node);
    world_end(&w);
}

/* A class of UET may also carry CNPs and TCP. A CNP at the end of the queue keeps its position, and a TCP
 * packet that finds no room is dropped. */
static void trim__only_trims_uet_packets(void **unused)
{
    struct sim_cfg  cfg;
    struct world    w;
    struct sim     *s;
    struct port    *out;
    uint32_t        cnp, tcp;

    (void)unused;
    world_cfg(&cfg, MODEL_UET);
    cfg.knobs.value[KNOB_trim] = 9;
    start(&w, &cfg);
    s = w.sim;
    out = s->net.host[1].port->peer;
    for (uint32_t i = 0; i < 9000 / FULL; i++)
        assert_true(offer(s, out, FULL, 3));
    cnp = new_packet(s, 64, 3);
    s->engine.packets.packet[cnp] = (struct packet){ .bytes = 64, .kind = CNP, .prio = 3, .dst = 1,
                                                     .in_port = UNBOOKED };
    path_enqueue(&s->engine, out, 3, cnp, &s->engine.packets.packet[cnp]);
    for (uint32_t i = 0; i < 50; i++)
        assert_true(offer(s, out, FULL, 3));
    assert_int_equal(s->engine.counters.trimmed, 50);
    assert_int_equal(out->queue[3].tail, cnp);
    assert_int_equal(s->engine.packets.packet[cnp].kind, CNP);
    tcp = new_packet(s, FULL, 3);
    s->engine.packets.packet[tcp].kind = TCP_DATA;
    assert_false(trim_admit(s, out, tcp));
    engine_drop(&s->engine, tcp);
    buffer_check(s, out->node);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trim__loses_no_header_before_the_queue_is_full),
        cmocka_unit_test(trim__trims_the_last_or_the_new_packet),
        cmocka_unit_test(trim__only_trims_uet_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
