#include "study/scenario/scenario.h"
#include "work/traffic/collective.h"
#include "work/traffic/kinds/training.h"

#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CLOS "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, delay: 2us, fabric_delay: 3us}\n"

static void parse(struct scenario *s, const char *network, const char *entry)
{
    char       text[1000];
    struct err err;

    snprintf(text, sizeof text, "%straffic: [{kind: training, %s}]\n", network, entry);
    if (scenario_parse(s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
}

/* ---- placement of workers ---- */

static void expect_places(const char *network, const char *entry, const uint32_t *node, uint32_t count)
{
    struct scenario s;

    parse(&s, network, entry);
    assert_int_equal(s.entry[0].workers, count);
    assert_int_equal(s.entry[0].hosts, count);
    assert_int_equal(traffic_streams(s.traffic), count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(traffic_source(s.traffic, i), node[i]);
    scenario_fini(&s);
}

static void placement__in_racks_of_four(void **unused)
{
    static const uint32_t packed[] = { 0, 1, 2, 3, 4, 5 }, spread[] = { 0, 4, 8, 1, 5, 9, 2 };
    static const uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, list[] = { 7, 0, 11 };

    (void)unused;
    expect_places(CLOS, "workers: 6, size: 1MB, iterations: 1", packed, 6);
    expect_places(CLOS, "workers: 6, placement: packed, size: 1MB, iterations: 1", packed, 6);
    expect_places(CLOS, "workers: 7, placement: spread, size: 1MB, iterations: 1", spread, 7);
    expect_places(CLOS, "size: 1MB, iterations: 1", all, 12);
    expect_places(CLOS, "workers: [h7, 0, h11], size: 1MB, iterations: 1", list, 3);
}

/* Racks of 1, 3 and 2 hosts with mixed numbers: h0 h3 h4 behind s1, h1 behind s0, h2 h5 behind s2. Racks are
 * in the order of their first hosts. */
static void placement__in_racks_that_differ(void **unused)
{
    static const char net[] =
        "topology: {kind: graph, hosts: 6, switches: 3, links: [{a: h0, b: s1}, {a: h3, b: s1},"
        " {a: h4, b: s1}, {a: s0, b: h1}, {a: h2, b: s2}, {a: h5, b: s2}, {a: s0, b: s1}, {a: s1, b: s2}]}\n";
    static const uint32_t packed[] = { 0, 3, 4, 1, 2 }, spread[] = { 0, 1, 2, 3, 5, 4 };

    (void)unused;
    expect_places(net, "workers: 5, size: 1MB, iterations: 1", packed, 5);
    expect_places(net, "workers: 6, placement: spread, size: 1MB, iterations: 1", spread, 6);
}

/* ---- values for results ---- */

static void training__results_describe_the_collective(void **unused)
{
    struct scenario s;

    (void)unused;
    parse(&s, CLOS, "workers: 4, size: 10KB, compute: 7ms, iterations: 2");
    assert_int_equal(s.entry[0].collective_bytes, 40000);
    assert_true(s.entry[0].bus_factor == 0.75);
    assert_int_equal(s.entry[0].compute_ps, 7 * PS_PER_MS);
    assert_int_equal(s.entry[0].bound_ps, 3 * (10000 + 10 * 82) * 80);
    scenario_fini(&s);

    parse(&s, CLOS "model: hpcc\n", "workers: 4, collective: ring_all_reduce, size: 10KB, iterations: 2");
    assert_int_equal(s.entry[0].collective_bytes, 10000);
    assert_true(s.entry[0].bus_factor == 1.5);
    assert_int_equal(s.entry[0].compute_ps, 0);
    assert_int_equal(s.entry[0].bound_ps, 6 * (2500 + 3 * 48) * 80);
    scenario_fini(&s);
}

/* The link of the slowest worker determines the bound. h3 is slower, but not a worker. */
static void training__bound_is_that_of_the_slowest_worker(void **unused)
{
    static const char net[] =
        "topology: {kind: graph, hosts: 4, switches: 1, links: [{a: h0, b: s0}, {a: h1, b: s0, rate: 50Gbps},"
        " {a: h2, b: s0}, {a: h3, b: s0, rate: 10Gbps}]}\n";
    struct scenario s;

    (void)unused;
    parse(&s, net, "workers: 3, size: 1024, iterations: 1");
    assert_int_equal(s.entry[0].bound_ps, 2 * 1106 * 160);
    scenario_fini(&s);
}

static void take_op(void *arg, const struct op_result *r)
{
    struct op_result *kept = arg;

    kept[0] = kept[1];
    kept[1] = *r;
}

/* Returns the time from the end of the first iteration to the start of the second. */
static uint64_t pause_ps(const char *entry)
{
    struct op_result op[2] = { { 0 } };
    struct scenario  s;
    struct sim      *sim;
    struct err       err;

    parse(&s, CLOS, entry);
    assert_int_equal(scenario_start(&s, &sim, &err), 0);
    traffic_on_op(sim_traffic(sim), take_op, op);
    sim_run_until(sim, PS_PER_S);
    assert_true(sim_is_done(sim));
    sim_free(sim);
    scenario_fini(&s);
    return op[1].start_ps - op[0].start_ps - op[0].took_ps;
}

static void delay__defaults_to_that_of_the_longest_link(void **unused)
{
    (void)unused;
    assert_int_equal(pause_ps("workers: 3, size: 10KB, iterations: 2"), 3 * PS_PER_US);
    assert_int_equal(pause_ps("workers: 3, size: 10KB, iterations: 2, delay: 2us"), 2 * PS_PER_US);
    assert_int_equal(pause_ps("workers: 3, size: 10KB, iterations: 2, delay: 9us, compute: 1ms"),
                     1009 * PS_PER_US);
}

/* ---- language models ---- */

#define SMALL "layers: 4, hidden: 64, ffn: 128, heads: 4, kv_heads: 4, vocabulary: 100, sequence: 16, " \
              "micro_batches: 3, tflops: 1"

/* Counts an iteration's messages of 'bytes', and adds up the bytes of all messages in 'sum'. */
static uint32_t count_messages(const struct scenario *s, uint64_t bytes, uint64_t *sum)
{
    const struct iteration *it = training_iteration(s->traffic, 0);
    uint32_t                count = 0;

    *sum = 0;
    for (uint32_t i = 0; i < it->messages; i++) {
        struct iteration_message        m = iteration_find(it, i);
        const struct collective_message *is = &m.c->message[m.m];

        count += is->bytes == bytes;
        *sum += is->bytes;
    }
    assert_true(iteration_bytes(it) == (double)*sum);
    return count;
}

/* Two stages, six pipelines: 2 x 3 micro-batches of 16 tokens x 64 x 2 bytes. A layer has 4 x 64^2 + 3 x 64 x
 * 128 parameters, the vocabulary 2 x 100 x 64. Six workers reduce those of a stage in rings. A micro-batch
 * takes (2 x parameters without the input table + 2 x 16 x 64 x 4) x 16 / 2 operations forward, and twice as
 * many backward. */
static void model__dense_by_hand(void **unused)
{
    const uint64_t  parameters = 4 * (4 * 64 * 64 + 3 * 64 * 128) + 2 * 100 * 64;
    const uint64_t  forward_ps = (2 * (parameters - 6400) + 2 * 16 * 64 * 4) * 16 / 2;
    struct scenario s;
    uint64_t        sum;

    (void)unused;
    parse(&s, CLOS, "model: {" SMALL "}, groups: {pipeline: 2}, iterations: 1");
    assert_int_equal(count_messages(&s, 2048, &sum), 36);
    assert_int_equal(sum, 36 * 2048 + 2 * parameters / 2 * 2 * (2 * 5));
    assert_int_equal(s.entry[0].bound_ps, (3 + 2 - 1) * 3 * forward_ps);
    scenario_fini(&s);
}

/* Three layers with experts, which makes two in each stage: 2 layers x 2 all-to-alls x 2 messages x 6 groups
 * for each of 2 x 3 micro-batches. A token goes to 2 of 8 experts; half of the experts are at the other
 * worker. With skew, one worker receives 4/3 and the other 2/3. */
static void model__experts_by_hand(void **unused)
{
    static const char small[] = "model: {" SMALL ", experts: 8, active: 2, expert_ffn: 32, dense_layers: 1}, "
                                "groups: {pipeline: 2, expert: 2}, iterations: 1";
    char              skewed[400];
    struct scenario   s;
    uint64_t          sum;

    (void)unused;
    parse(&s, CLOS, small);
    assert_int_equal(count_messages(&s, 2048, &sum), 36 + 2 * 3 * 2 * 2 * 2 * 6);
    scenario_fini(&s);
    snprintf(skewed, sizeof skewed, "%s, skew: 1", small);
    parse(&s, CLOS, skewed);
    assert_int_equal(count_messages(&s, 2730, &sum), 3 * 2 * 2 * 2 * 6);
    assert_int_equal(count_messages(&s, 1365, &sum), 3 * 2 * 2 * 2 * 6);
    scenario_fini(&s);
}

/* Published numbers of parameters, in billions. */
static void model__has_the_published_parameters(void **unused)
{
    static const struct { const char *name; double all, active; } rows[] = {
        { "llama_8b", 8.03, 8.03 }, { "llama_70b", 70.6, 70.6 }, { "llama_405b", 405.9, 405.9 },
        { "mixtral_8x7b", 46.7, 12.9 }, { "deepseek_v3", 671, 37 },
    };
    char  *text = NULL;
    size_t size = 0;
    FILE  *out = open_memstream(&text, &size);

    (void)unused;
    model_print_markdown(out);
    fclose(out);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *row = strstr(text, rows[i].name);
        double      all, active;

        assert_non_null(row);
        assert_int_equal(sscanf(strchr(row, '|'), "| %lf billion | %lf", &all, &active), 2);
        assert_true(fabs(all / rows[i].all - 1) < 0.01 && fabs(active / rows[i].active - 1) < 0.02);
    }
    free(text);
}

/* Llama 70B stores 80 layers x 8 heads x 128 keys and values of 2 bytes: 327,680 bytes per token. A host
 * sends an eighth of 2,000 tokens, 10 times a second. DeepSeek stores 61 x 576 values per token. */
static void kv_cache__load_by_hand(void **unused)
{
    static const char llama[] = CLOS "traffic: [{kind: kv_cache, prefill: 4, decode: 4, requests: 10, "
                                     "stop: 1ms}]\n";
    static const char deepseek[] = CLOS "traffic: [{kind: kv_cache, model: deepseek_v3, tensor: 1, "
                                        "prompt: 500, prefill: 4, decode: [h4], requests: 10, stop: 1ms}]\n";
    struct scenario   s;

    (void)unused;
    assert_int_equal(scenario_parse(&s, "s.yaml", llama, sizeof llama - 1, NULL, 0, NULL, NULL), 0);
    assert_true(fabs(s.entry[0].bps_per_host / (10 * 8 * 2000 * 327680.0 / 8) - 1) < 0.03);
    scenario_fini(&s);
    assert_int_equal(scenario_parse(&s, "s.yaml", deepseek, sizeof deepseek - 1, NULL, 0, NULL, NULL), 0);
    assert_true(fabs(s.entry[0].bps_per_host / (10 * 8 * 500 * 61 * 576 * 2.0) - 1) < 0.03);
    scenario_fini(&s);
}

static void kv_cache__refuses(void **unused)
{
    static const struct { const char *entry, *message; } rows[] = {
        { "prefill: 4, stop: 1ms", "s.yaml:2:11: 'decode' is missing in traffic kv_cache" },
        { "prefill: 4, decode: 4, prompt: 100000000, tensor: 1, requests: 1e-6, stop: 1ms",
          "s.yaml:2:59: the longest prompt makes a message of 3.28e+14 bytes; 2.81e+14 are the most" },
        { "prefill: 8, decode: 6, stop: 1ms", "s.yaml:2:48: h6 computes prompts, too" },
        { "prefill: 4, decode: 4, prompts: none.txt, stop: 1ms", "s.yaml:2:60: none.txt: No such file or directory" },
        { "prefill: 4, decode: 4, requests: 10000, stop: 1ms",
          "s.yaml:2:11: too much load: h0 would send 6.638 Tb/s, but its link carries 100 Gb/s" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err      err = { "" };
        struct scenario s;
        char            text[1000];

        snprintf(text, sizeof text, CLOS "traffic: [{kind: kv_cache, %s}]\n", rows[i].entry);
        assert_int_not_equal(scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err), 0);
        assert_string_equal(err.text, rows[i].message);
    }
}

/* Runs each kind of collective, selected by name, to its end. */
static void training__runs_every_collective(void **unused)
{
    (void)unused;
    for (int i = 0; i < COLLECTIVE_KINDS; i++) {
        char entry[200];

        snprintf(entry, sizeof entry, "workers: 5, collective: %s, size: 20KB, iterations: 2, compute: 4us",
                 collective_names[i]);
        assert_int_equal(pause_ps(entry), 7 * PS_PER_US);
    }
}

/* ---- refusals ---- */

#define OFTEN "{size: 1MB, times: 65535}, {size: 1MB, times: 65535}, {size: 1MB, times: 65535}, " \
              "{size: 1MB, times: 65535}, {size: 1MB, times: 65535}, {size: 1MB, times: 65535}, "

static void training__refuses(void **unused)
{
    static const struct { const char *entry, *message; } rows[] = {
        { "size: 1MB", "s.yaml:2:11: training traffic needs an end: give it 'stop', or the scenario 'run'" },
        { "iterations: 1", "s.yaml:2:11: 'size' is missing in traffic training" },
        { "size: 1MB, iterations: 0", "s.yaml:2:51: iterations must be 1 .. 4294967294, not 0" },
        { "workers: 13, size: 1MB, iterations: 1", "s.yaml:2:37: workers must be 2 .. 12, not 13" },
        { "workers: 1, size: 1MB, iterations: 1", "s.yaml:2:37: workers must be 2 .. 12, not 1" },
        { "workers: [h1], size: 1MB, iterations: 1", "s.yaml:2:37: 'workers' must name 2 hosts or more" },
        { "workers: [h1, h1], size: 1MB, iterations: 1", "s.yaml:2:42: host 'h1' is listed twice" },
        { "workers: [h1, tor0], size: 1MB, iterations: 1", "s.yaml:2:42: 'tor0' is not a host but a switch" },
        { "workers: [h1, h2], placement: spread, size: 1MB, iterations: 1",
          "s.yaml:2:58: 'placement' has no effect on a list of workers; remove it" },
        { "placement: loose, size: 1MB, iterations: 1",
          "s.yaml:2:39: 'loose' is not a placement; there are packed and spread" },
        { "collective: all_reduce, size: 1MB, iterations: 1",
          "s.yaml:2:40: 'all_reduce' is not a value of collective; there are all_to_all, ring_all_reduce, "
          "tree_all_reduce, halving_doubling_all_reduce, all_gather, reduce_scatter, send_next and "
          "send_previous" },
        { "collective: all_gathr, size: 1MB, iterations: 1",
          "s.yaml:2:40: 'all_gathr' is not a value of collective; did you mean 'all_gather'?" },
        { "collective: all_gather, size: 11, iterations: 1",
          "s.yaml:2:58: 11 bytes cannot be divided among 12 workers" },
        { "size: 1MB, chunk: 1KB, iterations: 1", "s.yaml:2:46: only tree_all_reduce and rings with "
          "'channels' go in chunks" },
        { "collective: tree_all_reduce, size: 1TB, chunk: 1KB, iterations: 1",
          "s.yaml:2:11: more than 16777215 messages: use fewer workers or larger chunks" },
        { "size: 1MB, iterations: 1, delay: 1999ns",
          "s.yaml:2:61: 'delay' must not be less than a link's, 2 us" },
        { "size: 1MB, iterations: 1, at_once: yes, collective: all_gather", "s.yaml:2:63: only all_to_all "
          "can go at once: messages of all_gather wait for others" },
        { "size: 1MB, iterations: 1, hosts: 4", "s.yaml:2:54: 'hosts' is not a key of traffic training; "
          "there are kind, name, start, stop, for, influx, prio, qps, workers, placement, skip, collective, "
          "size, chunk, channels, at_once, pxn, skew, steps, model, groups, compute, step_cost, "
          "iterations and delay" },
        { "workers: 8, skip: 5, size: 1MB, iterations: 1",
          "s.yaml:2:37: 8 workers after 5 skipped hosts do not fit: there are 12 hosts" },
        { "workers: [h1, h2], skip: 5, size: 1MB, iterations: 1",
          "s.yaml:2:53: 'skip' has no effect on a list of workers; remove it" },
        { "groups: {tensor: 2}, size: 1MB, iterations: 1",
          "s.yaml:2:36: 'groups' are for 'steps' or a 'model': without them all workers are one "
          "group" },
        { "groups: {tensor: 5}, steps: [{size: 1MB}], iterations: 1",
          "s.yaml:2:36: 12 workers cannot be divided into groups of 5 (tensor) times 1 (pipeline)" },
        { "groups: {tensor: 2, pipeline: 2, expert: 2}, steps: [{size: 1MB}], iterations: 1",
          "s.yaml:2:36: 3 workers in a data group cannot be divided into groups of 2 (expert)" },
        { "steps: [{size: 1MB, group: tensor}], iterations: 1",
          "s.yaml:2:55: group 'tensor' has only one worker, so it has no collective" },
        { "steps: [{size: 1MB, group: rows}], iterations: 1",
          "s.yaml:2:55: 'rows' is not a value of group; there are all, tensor, data, pipeline, expert, "
          "expert_data and context" },
        { "steps: [{compute: 1ms}], iterations: 1", "s.yaml:2:35: no step has a collective: give one its "
          "'size'" },
        { "steps: [{collective: all_gather}], iterations: 1", "s.yaml:2:36: 'size' is missing in steps" },
        { "steps: [{size: 1MB, tims: 2}], iterations: 1",
          "s.yaml:2:48: 'tims' is not a key of steps; did you mean 'times'?" },
        { "steps: [{size: 1MB}], size: 1MB, iterations: 1",
          "s.yaml:2:56: 'size' belongs into each of the 'steps'" },
        { "steps: [{size: 1MB, pipelined: yes}], iterations: 1", "s.yaml:2:59: 'pipelined' is for "
          "'send_next' and 'send_previous': others have no first worker" },
        { "steps: [{compute: 1us, pipelined: yes}, {size: 1MB}], iterations: 1", "s.yaml:2:62: 'pipelined' "
          "is for 'send_next' and 'send_previous': others have no first worker" },
        { "steps: [{size: 1MB, collective: send_next, pipelined: yes, overlap: yes}], iterations: 1",
          "s.yaml:2:96: 'pipelined' implies 'overlap'; remove it" },
        { "steps: [{compute: 1us, overlap: yes}, {size: 1MB}], iterations: 1",
          "s.yaml:2:60: 'overlap' of a step without a collective: give it its 'size'" },
        { "steps: [{size: 1MB, overlap: perhaps}], iterations: 1", "s.yaml:2:57: overlap: 'perhaps' is "
          "neither true nor false" },
        { "steps: [{size: 1MB, inside: [{size: 1KB}]}], iterations: 1",
          "s.yaml:2:56: 'inside' is for pipelined steps: set 'pipelined: yes'" },
        { "steps: [{collective: all_gather, size: 1MB, skew: 1}], iterations: 1",
          "s.yaml:2:78: only all_to_all can be skewed" },
        { "model: llama_9b, iterations: 1",
          "s.yaml:2:35: 'llama_9b' is not a model; did you mean 'llama_8b'?" },
        { "model: {layers: 4, hidden: 64}, iterations: 1", "s.yaml:2:35: 'ffn' is missing in model" },
        { "model: llama_8b, size: 1MB, iterations: 1",
          "s.yaml:2:51: 'size' does not go with 'model', which has steps of its own" },
        { "model: llama_8b, groups: {expert: 2}, iterations: 1",
          "s.yaml:2:35: the model has 0 experts, too few for groups of 2 (expert)" },
        { "model: {name: llama_8b, layers: 2}, groups: {pipeline: 3}, iterations: 1",
          "s.yaml:2:35: 2 layers are too few for pipelines of 3 stages" },
        { "model: {name: llama_405b, tflops: 0.001, sequence: 100000000}, iterations: 1",
          "s.yaml:2:35: an iteration computes for 9.93e+14 s, too long to simulate" },
        { "model: {name: llama_8b, kv_heads: 64}, iterations: 1",
          "s.yaml:2:35: 64 heads of keys and values are more than 32 heads" },
        { "model: {name: mixtral_8x7b, micro_batches: 9}, groups: {expert: 4, context: 2}, iterations: 1",
          "s.yaml:2:35: an iteration has more than 1024 steps: use 'pipeline' groups, or fewer "
          "'micro_batches'" },
        { "steps: [" OFTEN OFTEN OFTEN OFTEN "{size: 1MB}], iterations: 1",
          "s.yaml:2:35: an iteration has more than 16777216 steps of workers: use fewer workers, steps or times" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err      err = { "" };
        struct scenario s;
        char            text[1000];

        snprintf(text, sizeof text, CLOS "traffic: [{kind: training, %s}]\n", rows[i].entry);
        if (scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err) == 0)
            fail_msg("accepted: %s", rows[i].entry);
        assert_string_equal(err.text, rows[i].message);
        assert_null(s.traffic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement__in_racks_of_four),
        cmocka_unit_test(placement__in_racks_that_differ),
        cmocka_unit_test(training__results_describe_the_collective),
        cmocka_unit_test(training__bound_is_that_of_the_slowest_worker),
        cmocka_unit_test(delay__defaults_to_that_of_the_longest_link),
        cmocka_unit_test(training__runs_every_collective),
        cmocka_unit_test(model__dense_by_hand),
        cmocka_unit_test(model__experts_by_hand),
        cmocka_unit_test(model__has_the_published_parameters),
        cmocka_unit_test(kv_cache__load_by_hand),
        cmocka_unit_test(kv_cache__refuses),
        cmocka_unit_test(training__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
