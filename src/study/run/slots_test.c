/* src/study/run/slots_test.c - a tuner that sets single queues. */
#include "study/run/slots.h"
#include "study/run/sim_world.h"
#include "study/run/simulation.h"
#include "sim/observe/queue_telemetry.h"
#include "sim/state/state.h"
#include "tune/acc/acc_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define NETWORK \
    "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 25Gbps, fabric_rate: 100Gbps, " \
    "delay: 1us}\n" \
    "traffic:\n" \
    "  - {kind: poisson, sizes: WebSearch, load: 0.7}\n" \
    "  - {kind: incast, senders: 6, size: 64KB, period: 300us}\n" \
    "knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}\n" \
    "interval: 250us\n" \
    "run: 2ms\n"

static void open_text(struct simulation *s, const char *text, const char *const *set, uint32_t sets,
                      uint32_t threads)
{
    struct simulation_input input = { .name = "test", .text = text, .text_bytes = strlen(text), .set = set,
                                      .sets = sets, .threads = threads };
    struct err              err;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
}

/* ---- a tuner that records its calls ---- */

static struct { uint32_t slots; uint64_t bytes[64]; } log_of;

static int create(void **state, const struct world *w, const struct option_values *v, struct err *err)
{
    (void)w, (void)v, (void)err;
    *state = &log_of;
    return 0;
}

static void destroy(void *state)
{
    (void)state;
}

static void step(void *state, const struct report *r, struct knobs *k, struct tuner_note *note)
{
    (void)state, (void)r, (void)k, (void)note;
}

static uint64_t slot_ps(const void *state)
{
    (void)state;
    return 70 * PS_PER_US;
}

static void slot(void *state, const struct queue_slot *seen)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        log_of.bytes[log_of.slots] += seen[i].tx_bytes;
    log_of.slots++;
}

static bool queues(const void *state, struct ecn *ecn)
{
    (void)state, (void)ecn;
    return false;
}

static const struct key_row none[] = { { 0 } };

static const struct tuner_algo logger = { .create = create, .destroy = destroy, .step = step,
                                          .slot_ps = slot_ps,
                                          .slot = slot, .queues = queues, .name = "logger", .option = none };

static void lend(struct simulation *s, const struct tuner_algo *algo)
{
    struct option_values values = { 0 };
    struct world         world;
    struct loop          loop;

    memset(&log_of, 0, sizeof log_of);
    sim_world_init(&world, s->sim, s->scenario.interval_ps);
    assert_int_equal(loop_open_with(&loop, &world, algo, &values, NULL), 0);
    world_fini(&world);
    simulation_lend(s, &loop);
}

/* 2 ms of 70 us are 28 slots and a remainder; they cover everything that ports have sent until then. */
static void look__slots_are_independent_of_intervals(void **state)
{
    struct simulation s;
    uint64_t          bytes = 0, sent = 0;

    (void)state;
    open_text(&s, NETWORK, NULL, 0, 1);
    lend(&s, &logger);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(log_of.slots, 28);
    for (uint32_t i = 0; i < log_of.slots; i++)
        bytes += log_of.bytes[i];
    for (uint32_t i = 0; i < sim_ports(s.sim); i++)
        sent += s.sim->net.port[i].queue_tx_bytes;
    assert_true(bytes < sent && (double)bytes > 0.95 * (double)sent);        /* the remainder: 40 us of 2
                                                                              * ms */
    simulation_close(&s);
}

/* Traffic before the start does not count in the first slot. */
static void look__starts_with_the_tuner(void **state)
{
    static const char *const set[] = { "tuner={kind: default, start: 1ms}" };
    struct simulation        s;
    struct simulation_input  input = { .name = "test", .text = NETWORK, .text_bytes = strlen(NETWORK),
                                       .set = set,
                                       .sets = 1, .threads = 1, .is_untuned = true };
    struct err               err;

    (void)state;
    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    lend(&s, &logger);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(log_of.slots, 14);
    assert_true(log_of.bytes[0] < 2 * log_of.bytes[1] + 200000);
    simulation_close(&s);
}

/* ---- record ---- */

#define ROWS_MAX 4096

static struct row { struct slots_row row; struct queue_slot seen; } rows[ROWS_MAX];
static uint32_t rows_count;

static void keep_row(void *arg, const struct slots_row *r)
{
    (void)arg;
    assert_true(rows_count < ROWS_MAX);
    rows[rows_count++] = (struct row){ *r, *r->seen };
}

static const struct simulation_hooks keep_rows = { .queue = keep_row };

/* Eight hosts send 1 MB each to h8; then one more flow, elsewhere, so that all slots of the first are
 * complete. */
#define STAR \
    "topology: {kind: star, hosts: 10, rate: 25Gbps, delay: 1us}\n" \
    "knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}\n" \
    "traffic:\n" \
    "  - {kind: incast, senders: 8, receiver: h8, size: 1MB}\n" \
    "  - {kind: incast, senders: [h0], receiver: h9, size: 1MB, start: 6ms}\n"

#define FRAMES_BYTES(bytes) ((bytes) + ((bytes) + 1023) / 1024 * 62)

static bool is_to_h8(const struct simulation *s, const struct row *r)
{
    return sim_port(s->sim, r->row.port).peer_node == 8;
}

static void run_recorded(struct simulation *s)
{
    rows_count = 0;
    open_text(s, STAR "tuner: {kind: acc, record: yes, guard: no}\n", NULL, 0, 1);
    simulation_run(s, &keep_rows, NULL);
}

/* Frames are the payload plus 62 bytes for each 1024; nothing is lost, and h8 sends no data. */
static void record__sums_are_the_frames_of_the_flows(void **state)
{
    struct simulation s;
    uint64_t          bytes = 0, last_ps = 0;

    (void)state;
    run_recorded(&s);
    for (uint32_t i = 0; i < rows_count; i++) {
        const struct row *r = &rows[i];

        assert_true(r->row.start_ps >= last_ps && r->row.start_ps % (100 * PS_PER_US) == 0);
        assert_true(r->seen.tx_bytes <= 312500);             /* 100 us of 25 Gb/s */
        assert_true(r->seen.marked_bytes <= r->seen.tx_bytes);
        last_ps = r->row.start_ps;
        bytes += is_to_h8(&s, r) ? r->seen.tx_bytes : 0;
    }
    assert_int_equal(bytes, 8 * FRAMES_BYTES(1000000));
    simulation_close(&s);
}

static bool is_in_template(const struct ecn *e)
{
    struct ecn list[ACC_ACTIONS_MAX];
    uint32_t   count = acc_actions_list(ACC_TEMPLATE, list);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].kmin_bytes == e->kmin_bytes && list[i].kmax_bytes == e->kmax_bytes &&
            list[i].pmax == e->pmax)
            return true;
    return false;
}

/* The setting of a row is that of the previous row, unless the row is marked as changed. The port has the
 * last one. */
static void record__the_setting_continues_from_row_to_row(void **state)
{
    struct simulation s;
    const struct row *last = NULL;
    uint32_t          changes = 0;

    (void)state;
    run_recorded(&s);
    for (uint32_t i = 0; i < rows_count; i++) {
        const struct row *r = &rows[i];

        if (!is_to_h8(&s, r))
            continue;
        assert_true(is_in_template(&r->row.ecn));
        if (last) {
            assert_memory_equal(&r->seen.ecn, &last->row.ecn, sizeof r->seen.ecn);
            assert_int_equal(r->row.is_changed, memcmp(&r->row.ecn, &last->row.ecn, sizeof r->row.ecn) != 0);
        }
        changes += r->row.is_changed;
        last = r;
    }
    assert_true(changes > 0);
    assert_int_equal(sim_port(s.sim, last->row.port).ecn.kmin_bytes, last->row.ecn.kmin_bytes);
    assert_int_equal(sim_port(s.sim, last->row.port).ecn.kmax_bytes, last->row.ecn.kmax_bytes);
    simulation_close(&s);
}

/* Sets the third queue to 7/70 KB after its second slot, and leaves everything else as it is. */
static bool queues_of_script(const void *state, struct ecn *ecn)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        ecn[i] = (struct ecn){ 100000, 400000, 0.2 };
    if (log_of.slots >= 2)
        ecn[2] = (struct ecn){ 7000, 70000, 0.5 };
    return true;
}

static void count_slot(void *state, const struct queue_slot *seen)
{
    (void)state, (void)seen;
    log_of.slots++;
}

static const struct tuner_algo script = { .create = create, .destroy = destroy, .step = step,
                                          .slot_ps = slot_ps,
                                          .slot = count_slot, .queues = queues_of_script, .name = "script",
                                          .option = none };

#define IDLE \
    "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 25Gbps, delay: 1us}\n" \
    "knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}\n" \
    "traffic:\n" \
    "  - {kind: incast, senders: 1, size: 1KB, start: 1.9ms}\n" \
    "  - {kind: incast, senders: 1, size: 1KB, start: 1.99ms}\n" \
    "run: 2ms\n"

static void run_script(struct simulation *s, const char *text)
{
    rows_count = 0;
    open_text(s, text, NULL, 0, 1);
    lend(s, &script);
    simulation_run(s, &keep_rows, NULL);
}

static void record__an_idle_queue_has_a_row_when_it_is_set(void **state)
{
    struct simulation s;

    (void)state;
    run_script(&s, IDLE);
    assert_int_equal(log_of.slots, 28);
    assert_true(rows_count > 1);
    assert_int_equal(rows[0].row.start_ps, 70 * PS_PER_US);
    assert_true(rows[0].row.is_changed);
    assert_int_equal(rows[0].row.ecn.kmin_bytes, 7000);
    assert_int_equal(rows[0].seen.ecn.kmin_bytes, 100000);
    assert_int_equal(sim_port(s.sim, rows[0].row.port).ecn.kmax_bytes, 70000);
    for (uint32_t i = 1; i < rows_count; i++) {              /* then no rows, until something is sent */
        assert_int_equal(rows[i].row.start_ps, 27 * 70 * PS_PER_US);
        assert_false(rows[i].row.is_changed);
        assert_true(rows[i].seen.tx_bytes > 0);
    }
    simulation_close(&s);
}

/* A change of the scenario applies to all queues, but only to the knobs that it names: each queue keeps its
 * other values, and the tuner, which requests nothing new, does not undo it. */
static void run__a_change_keeps_values_it_does_not_name(void **state)
{
    static const struct { const char *change; struct ecn third, others; } rows_of[] = {
        { "kmin: 50KB", { 50000, 70000, 0.5 }, { 50000, 400000, 0.2 } },
        { "kmin: 80KB", { 80000, 80000, 0.5 }, { 80000, 400000, 0.2 } },
        { "pmax: 0.1", { 7000, 70000, 0.1 }, { 100000, 400000, 0.1 } },
    };

    (void)state;
    for (size_t n = 0; n < sizeof rows_of / sizeof *rows_of; n++) {
        struct simulation s;
        char              text[800];

        snprintf(text, sizeof text, IDLE "changes: [{at: 300us, knobs: {%s}}]\n", rows_of[n].change);
        run_script(&s, text);
        assert_true(rows_count > 17);
        for (uint32_t i = 1; i <= 16; i++) {
            const struct ecn *want = i == 3 ? &rows_of[n].third : &rows_of[n].others;

            assert_int_equal(rows[i].row.start_ps, 4 * 70 * PS_PER_US);
            assert_true(rows[i].row.is_changed);
            assert_true(ecn_equal(&rows[i].seen.ecn, want) && ecn_equal(&rows[i].row.ecn, want));
        }
        assert_false(rows[17].row.is_changed);
        simulation_close(&s);
    }
}

/* The second slot ends at 140 us with a request of the tuner for the third queue; a change of the scenario at
 * that instant also applies there. A changed NIC knob does not affect queues. */
static void run__a_change_at_the_end_of_a_slot_holds(void **state)
{
    struct simulation s;

    (void)state;
    run_script(&s, IDLE "changes: [{at: 140us, knobs: {kmin: 20KB}}, {at: 500us, knobs: {rpg_ai_rate: "
        "50}}]\n");
    assert_true(rows_count > 16);
    for (uint32_t i = 0; i < 16; i++) {
        struct ecn want = i == 2 ? (struct ecn){ 20000, 70000, 0.5 } : (struct ecn){ 20000, 400000, 0.2 };

        assert_int_equal(rows[i].row.start_ps, 70 * PS_PER_US);
        assert_int_equal(rows[i].seen.ecn.kmin_bytes, 20000);        /* setting at that instant */
        assert_true(ecn_equal(&rows[i].row.ecn, &want));
    }
    assert_false(rows[16].row.is_changed);
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_rpg_ai_rate] == 50);
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_kmin] == 20);
    simulation_close(&s);
}

/* ---- real tuners ---- */

static const struct port *port_of_speed(const struct simulation *s, uint64_t rate_bps)
{
    for (uint32_t i = 0; i < sim_ports(s->sim); i++)
        if (sim_port(s->sim, i).is_switch && sim_port(s->sim, i).rate_bps == rate_bps)
            return &s->sim->net.port[i];
    fail();
    return NULL;
}

static void set__secn2_by_the_speed_of_each_port(void **state)
{
    static const char *const set[] = { "tuner=secn2" };
    struct simulation        s;

    (void)state;
    open_text(&s, NETWORK, set, 1, 1);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(port_of_speed(&s, 25000000000)->ecn.kmin_bytes, 100000);
    assert_int_equal(port_of_speed(&s, 25000000000)->ecn.kmax_bytes, 400000);
    assert_int_equal(port_of_speed(&s, 100000000000)->ecn.kmin_bytes, 400000);
    assert_int_equal(port_of_speed(&s, 100000000000)->ecn.kmax_bytes, 1600000);
    assert_int_equal(port_of_speed(&s, 100000000000)->mark_from_bytes, 400001);
    simulation_close(&s);
}

/* Agents that learn during the run: results do not depend on the number of threads. */
static void acc__does_not_depend_on_threads(void **state)
{
    static const char *const set[] = { "tuner={kind: acc, model: none, guard: no, train: yes, epsilon: 0.5, "
        "exchange: 5}" };
    struct tuning_step       last[2];
    uint64_t                 done[2], marked[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct simulation s;

        open_text(&s, NETWORK, set, 1, i == 0 ? 1 : 3);
        simulation_run(&s, NULL, NULL);
        assert_int_equal(s.loop.tuning.steps, 8);
        last[i] = s.loop.tuning.step[7];
        done[i] = sim_counts(s.sim)->payload_received;
        marked[i] = sim_counts(s.sim)->cnps_sent;
        simulation_close(&s);
    }
    assert_int_equal(done[0], done[1]);
    assert_int_equal(marked[0], marked[1]);
    assert_string_equal(last[0].note.why, last[1].note.why);
    assert_true(last[0].note.utility == last[1].note.utility);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look__slots_are_independent_of_intervals),
        cmocka_unit_test(look__starts_with_the_tuner),
        cmocka_unit_test(record__sums_are_the_frames_of_the_flows),
        cmocka_unit_test(record__the_setting_continues_from_row_to_row),
        cmocka_unit_test(record__an_idle_queue_has_a_row_when_it_is_set),
        cmocka_unit_test(run__a_change_keeps_values_it_does_not_name),
        cmocka_unit_test(run__a_change_at_the_end_of_a_slot_holds),
        cmocka_unit_test(set__secn2_by_the_speed_of_each_port),
        cmocka_unit_test(acc__does_not_depend_on_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
