#include "sim/forks/conweave_buffer.h"
#include "sim/switch/switch.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FULL   1048
#define BUFFER (9u << 20)

/* A switch with four hosts at 100 Gb/s and 1 us. Packets are passed to it one by one. Packets to host 0 stay,
 * because its port is paused. */
struct bench { struct world w; struct node *n; struct port *out; };

static struct port *port_of(const struct bench *b, uint32_t host)
{
    return b->w.sim->net.host[host].port->peer;
}

static void bench_init(struct bench *b, uint64_t buffer_bytes)
{
    const struct flow_row flow = { .src = 1, .dst = 0, .prio = 3, .dport = 100, .bytes = 1 };
    struct sim_cfg         cfg;
    struct graph           g;

    world_cfg(&cfg, MODEL_CONWEAVE);
    cfg.buffer_bytes = buffer_bytes;
    cfg.ecn_on = false;
    graph_star(&g, &(struct graph_star){ 4, 100 * GBPS, PS_PER_US });
    world_of_flows(&b->w, &g, &cfg, &flow, 1);
    assert_true(world_finish(&b->w, PS_PER_US, PS_PER_MS));
    b->out = port_of(b, 0);
    b->n = b->out->node;
    b->out->paused = 1 << 3;
}

static void wait_ps(struct bench *b, uint64_t ps)
{
    uint64_t until = b->w.sim->engine.now_ps + ps;

    sim_run_until(b->w.sim, until);
    b->w.sim->engine.now_ps = until;
}

/* A full packet from a host to host 0. */
static void put(struct bench *b, uint32_t host)
{
    uint32_t id = engine_new_packet(&b->w.sim->engine);

    b->w.sim->engine.packets.packet[id] = (struct packet){ .flow = 1, .generation = 1, .src = host, .dst = 0,
                                                           .bytes = FULL,
                                                    .kind = RC_DATA, .prio = 3 };
    switch_on_packet(b->w.sim, port_of(b, host), id, &b->w.sim->engine.packets.packet[id]);
}

/* One packet leaves. */
static void take(struct bench *b)
{
    wait_ps(b, 100 * PS_PER_NS);         /* the port is idle again */
    b->out->paused = 0;
    switch_kick(b->w.sim, b->out);
    b->out->paused = 1 << 3;
}

/* By hand: headroom 2 x 12,500 + 2 x 1048 of three ports and 12,500 + 2 x 1048 instead of the fourth; eight
 * classes of four ports. */
static void init__reserves_as_much_as_the_fork(void **unused)
{
    struct bench b;

    (void)unused;
    bench_init(&b, BUFFER);
    assert_int_equal(conweave_headroom_bytes(port_of(&b, 1)), 27096);
    assert_int_equal(b.n->shared_bytes_left, 9437184 - (3 * 27096 + 14596) - 4 * 8 * 1048);
    assert_int_equal(b.w.sim->net.conweave[b.n->id].egress_bytes_left, 9437184 - 4 * 8 * 1048);
    world_end(&b.w);
}

/* The fork's rule, in real numbers: pause if the bytes beyond two packets exceed a sixteenth of the bytes
 * left. Above that threshold the switch sends a PAUSE for every packet, not only for the first. */
static void take__pauses_for_every_packet_above_the_threshold(void **unused)
{
    const double limit = 9437184 - (3 * 27096 + 14596) - 4 * 8 * 1048;
    struct bench b;
    uint64_t     pauses = 0;
    double       total = 0;

    (void)unused;
    bench_init(&b, BUFFER);
    for (uint32_t n = 1; n <= 700; n++) {        /* host 2 uses part of the buffer, the other is tested */
        put(&b, 2);
        total += FULL;
    }
    pauses = b.w.sim->engine.counters.pfc_sent;
    for (uint32_t n = 1; n <= 600; n++) {
        double used = n * (double)FULL;

        put(&b, 1);
        total += FULL;
        pauses += used > 2 * FULL && used - 2 * FULL > 0.0625 * (limit - total);
        assert_int_equal(b.w.sim->engine.counters.pfc_sent, pauses);
        wait_ps(&b, 200 * PS_PER_NS);      /* PFC frames do not wait for each other */
    }
    assert_in_range(pauses, 50, 500);            /* both sides of the threshold were seen */
    sim_check(b.w.sim);
    world_end(&b.w);
}

/* Fills host 1's class until it has paused. */
static void fill(struct bench *b)
{
    while (!(port_of(b, 1)->pausing >> 3 & 1)) {
        put(b, 1);
        wait_ps(b, 200 * PS_PER_NS);
    }
}

/* The switch resumes when a departing packet takes the class below the threshold, which is computed with 16
 * bytes less to share. */
static void release__resumes_below_the_threshold(void **unused)
{
    const double limit = 9437184 - (3 * 27096 + 14596) - 4 * 8 * 1048;
    struct bench b;
    double       used;
    uint64_t     frames;

    (void)unused;
    bench_init(&b, BUFFER);
    fill(&b);
    used = port_of(&b, 1)->in[3].bytes;
    frames = b.w.sim->engine.counters.pfc_sent;
    for (bool is_paused = true; is_paused; ) {
        take(&b);
        used -= FULL;
        is_paused = !(used - 2 * FULL < 0.0625 * (limit - used - 16));
        assert_int_equal(port_of(&b, 1)->pausing >> 3 & 1, is_paused);
        assert_int_equal(b.w.sim->engine.counters.pfc_sent, frames + !is_paused);
    }
    world_end(&b.w);
}

/* Packets of host 2 leave, which leaves more room to the class of host 1: its next arriving packet cancels
 * the pause. */
static void take__resumes_when_the_threshold_has_risen(void **unused)
{
    struct bench b;
    uint64_t     frames;

    (void)unused;
    bench_init(&b, BUFFER);
    for (uint32_t n = 0; n < 500; n++)
        put(&b, 2);
    fill(&b);
    frames = b.w.sim->engine.counters.pfc_sent;
    for (uint32_t n = 0; n < 40; n++)            /* packets of host 2 came first */
        take(&b);
    assert_int_equal(b.w.sim->engine.counters.pfc_sent, frames);
    b.w.sim->net.pausing_until_ps[port_of(&b, 1)->id * PRIOS + 3] = b.w.sim->engine.now_ps + 1;
    put(&b, 1);
    assert_int_equal(b.w.sim->engine.counters.pfc_sent, frames + 1);
    assert_int_equal(port_of(&b, 1)->pausing, 0);
    world_end(&b.w);
}

/* After pause_ps the switch knows that the pause has expired: no resume is needed. */
static void release__sends_no_resume_for_an_expired_pause(void **unused)
{
    struct bench b;
    uint64_t     frames;

    (void)unused;
    bench_init(&b, BUFFER);
    fill(&b);
    frames = b.w.sim->engine.counters.pfc_sent;
    wait_ps(&b, 5 * PS_PER_US);
    for (uint32_t n = 0; n < 100; n++)
        take(&b);
    assert_int_equal(port_of(&b, 1)->pausing, 0);
    assert_int_equal(b.w.sim->engine.counters.pfc_sent, frames);
    world_end(&b.w);
}

/* A queue may hold as much as is left, beyond its first 1049 bytes: q + z <= E - q. */
static void take__drops_at_half_of_the_buffer(void **unused)
{
    const int64_t egress = 9437184 - 4 * 8 * 1048;
    struct bench  b;
    int64_t       queue = 0;

    (void)unused;
    bench_init(&b, BUFFER);
    for (uint32_t n = 0; n < 9000; n++) {
        int64_t beyond = queue > 1049 ? queue - 1049 : 0;
        bool    fits = beyond + FULL <= egress - beyond;

        put(&b, 1 + n % 3);
        queue += fits ? FULL : 0;
        assert_int_equal(b.out->queue[3].bytes, queue);
    }
    assert_int_equal(b.w.sim->engine.counters.dropped_buffer, 9000 - queue / FULL);
    assert_in_range(queue, egress / 2, egress / 2 + 2 * FULL);
    sim_check(b.w.sim);
    world_end(&b.w);
}

/* Headroom counts only when no shared bytes are left: here after 67 packets. */
static void take__uses_headroom_when_the_shared_buffer_is_full(void **unused)
{
    const int64_t buffer = 200000, limit = buffer - (3 * 27096 + 14596) - 4 * 8 * 1048;
    struct bench  b;
    int64_t       used = 0, headroom = 0;

    (void)unused;
    bench_init(&b, (uint64_t)buffer);
    assert_int_equal(b.n->shared_bytes_left, limit);
    for (uint32_t n = 0; n < 78; n++) {
        bool fits = used <= limit || headroom + FULL <= 27096;

        put(&b, 1);
        used += fits ? FULL : 0;
        headroom += fits && used > limit ? FULL : 0;
        assert_int_equal(port_of(&b, 1)->in[3].bytes, used);
        assert_int_equal(port_of(&b, 1)->in[3].headroom_bytes, headroom);
    }
    assert_int_equal(headroom, (78 - 67) * FULL);
    while (used > 0) {
        take(&b);
        used -= FULL;
        headroom = headroom > FULL ? headroom - FULL : 0;
        assert_int_equal(port_of(&b, 1)->in[3].headroom_bytes, headroom);
    }
    assert_int_equal(b.n->shared_bytes_left, limit);
    sim_check(b.w.sim);
    world_end(&b.w);
}

/* ACKs are in class 0: they are not charged, and precede data. PFC frames wait in the same queue, in
 * order. */
static void acks__are_not_charged_and_go_first(void **unused)
{
    struct bench   b;
    uint32_t       id;
    struct packet *k;

    (void)unused;
    bench_init(&b, BUFFER);
    for (uint32_t n = 0; n < 20; n++)
        put(&b, 1);
    b.out->free_at_ps = b.w.sim->engine.now_ps + PS_PER_US;             /* busy: all packets have to wait */
    b.out->paused = 0;
    id = engine_new_packet(&b.w.sim->engine);
    b.w.sim->engine.packets.packet[id] = (struct packet){ .flow = 1, .generation = 1, .src = 1, .dst = 0,
                                                          .bytes = 60,
                                                   .kind = RC_ACK, .prio = 0 };
    switch_on_packet(b.w.sim, port_of(&b, 1), id, &b.w.sim->engine.packets.packet[id]);
    switch_send_pfc(b.w.sim, b.out, 3, true);
    assert_int_equal(b.n->used_bytes, 20 * FULL);
    assert_int_equal(b.out->queue[0].bytes, 60 + 43);
    assert_int_equal(b.out->queue[QUEUE_CONTROL].bytes, 0);
    assert_int_equal(b.out->queue[0].head, id);
    k = &b.w.sim->engine.packets.packet[b.w.sim->engine.packets.packet[id].next];
    assert_int_equal(k->kind, PFC);
    wait_ps(&b, PS_PER_US);
    assert_int_equal(b.out->queue[0].bytes, 43);                 /* the ACK was sent, although
                                                                  * data had waited longer */
    assert_int_equal(b.out->queue[3].bytes, 20 * FULL);
    world_end(&b.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init__reserves_as_much_as_the_fork),
        cmocka_unit_test(take__pauses_for_every_packet_above_the_threshold),
        cmocka_unit_test(release__resumes_below_the_threshold),
        cmocka_unit_test(take__resumes_when_the_threshold_has_risen),
        cmocka_unit_test(release__sends_no_resume_for_an_expired_pause),
        cmocka_unit_test(take__drops_at_half_of_the_buffer),
        cmocka_unit_test(take__uses_headroom_when_the_shared_buffer_is_full),
        cmocka_unit_test(acks__are_not_charged_and_go_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
