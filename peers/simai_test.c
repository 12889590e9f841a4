/* peers/simai_test.c - SimAI's files: servers, ports and groups, the order of a pass by hand, and
 * refusals. */
#include "peers/simai.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GBPS 1000000000ull

/* Two servers of two GPUs; GPU 3 has a NIC with two ports. */
static const char topology[] = "9 2 2 3 10 H100\n"
                               "4 5\n6 7 8\n"
                               "0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n2 5 2880Gbps "
                               "0.000025ms 0\n5 3 2880Gbps 0.000025ms 0\n"
                               "0 6 200Gbps 0.0005ms 0\n1 7 200Gbps 0.0005ms 0\n2 6 200Gbps 0.0005ms 0\n3 6 "
                               "200Gbps 0.0005ms 0\n3 7 200Gbps 0.0005ms 0\n"
                               "6 7 400Gbps 0.001ms 0\n";

static void simai_topology__servers_and_ports(void **unused)
{
    char         text[sizeof topology + 40];
    struct graph g;
    struct err   err;

    (void)unused;
    snprintf(text, sizeof text, "9 2 2 3 11 H100%s8 7 400Gbps 0.001ms 0\n", topology + 15);
    if (simai_read_topology("t", text, &g, &err))
        fail_msg("%s", err.text);
    assert_int_equal(g.hosts, 4);
    assert_int_equal(g.nodes, 4 + 3 + 1);
    assert_int_equal(g.links, 1 + 5 + 2);
    assert_string_equal(g.node[4].name, "s0");
    assert_string_equal(g.node[7].name, "nic3");
    assert_true(graph_is_inside(&g, 0, 1) && graph_is_inside(&g, 2, 3) && !graph_is_inside(&g, 1, 2));
    assert_int_equal(g.inside_rate_bps, 2880 * GBPS);
    assert_int_equal(g.inside_delay_ps, 50 * PS_PER_NS);             /* to the NV switch and back */
    assert_int_equal(g.link[0].a, 3);
    assert_int_equal(g.link[0].b, 7);
    assert_int_equal(g.link[0].rate_bps, 400 * GBPS);                /* both ports */
    assert_int_equal(g.link[5].a, 7);
    assert_int_equal(g.link[5].delay_ps, 500 * PS_PER_NS);
    graph_fini(&g);
}

static void simai_topology__refuses(void **unused)
{
    static const struct { const char *text, *why; } rows[] = {
        { "", "t: the file is empty" },
        { "4 2 1 1 3", "t:1: the type of the GPUs is missing" },
        { "4 0 1 1 3 A100", "t:1: a server has no GPUs" },
        { "4 2 2 2 3 A100\n", "t:1: 4 of 4 nodes are switches" },
        { "5 2 1 1 3 A100\n0", "t:1: 3 GPUs cannot be divided into servers of 2" },
        { "4 2 1 1 9 A100\n2 3\n", "t:1: the file is too short for 9 links" },
        { "4 2 1 1 1 A100\n2 3\n0 3 1Gbps 1us 0\n", "t:1: 1 links are too few for 2 GPUs" },
        { "4 2 1 1 2 A100\n2 2\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n", "t:2: switch 2 is listed twice" },
        { "4 2 1 1 2 A100\n0 3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n",
          "t:2: switch 0 has the number of a GPU, 0 .. 1" },
        { "4 2 1 1 2 A100\n2 3\n0 3 1Gbps 1us 0\n", "t:3: the file ends after 1 of 2 links" },
        { "4 2 1 1 2 A100\n2 3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n1 3 1Gbps 1us 0",
          "t:5: there are more than the 2 links announced at the top" },
        { "4 2 1 1 2 A100\n2 3\n0 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n",
          "t:4: the NV switch 2 has a link to another switch: only GPUs may be linked to it" },
        { "4 2 1 1 2 A100\n2 3\n0 1 1Gbps 1us 0\n2 3 1Gbps 1us 0\n",
          "t:3: 0 and 1 are GPUs: links between them without a switch are not modelled" },
        { "4 2 1 1 2 A100\n2 3\n0 2 1Gbps 1us 0.1\n2 3 1Gbps 1us 0\n",
          "t:3: nothing is lost inside a server: the error rate of 0-2 must be 0" },
        { "4 1 1 1 2 A100\n2 3\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
          "t:4: the NV switch 2 has GPUs of server 0, and 1 is one of server 1" },
        { "4 2 1 1 3 A100\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n0 3 1Gbps 1us 0\n",
          "t:1: GPUs have links of different rates to their NV switches: 1 other than 0" },
        { "4 2 1 1 2 A100\n2 3\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
          "t:1: the host h0 has 0 links; a host has one" },
        { "3 2 0 1 2 A100\n2\n0 2 1Gbps 1us 0\n1 2 1Mbps 1us 0\n",
          "t:4: the link h1-s0: its rate, 1 Mb/s, is not within 1 Gb/s .. 1.6 Tb/s" },
    };
    struct graph g;
    struct err   err;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(simai_read_topology("t", rows[i].text, &g, &err) < 0);
        assert_string_equal(err.text, rows[i].why);
    }
}

/* ---- workloads ---- */

static void parse(const char *text, uint32_t passes, uint32_t hosts, struct trace *t)
{
    struct err err;

    if (simai_read_workload("w", text, passes, hosts, t, &err))
        fail_msg("%s", err.text);
}

/* Eight GPUs, tensor groups of two, two experts, grouped as in SimAI. */
static void simai_workload__groups(void **unused)
{
    static const char text[] =
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 8\n1\n"
                               "a -1 0 ALLTOALL_EP 4096 0 ALLREDUCE 4096 0 REDUCESCATTER_DP_EP 4096 0\n";
    static const uint32_t want[3][8] = {         /* by operation: members of a rank's group, as a bit mask */
        { 0x05, 0x0a, 0x05, 0x0a, 0x50, 0xa0, 0x50, 0xa0 },          /* experts: ranks 0 2, 1 3, 4 6, 5 7 */
        { 0x03, 0x03, 0x0c, 0x0c, 0x30, 0x30, 0xc0, 0xc0 },          /* tensor: consecutive */
        { 0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88 },          /* replicas of experts: 0 4, 1 5, .. */
    };
    struct trace t;

    (void)unused;
    parse(text, 1, 8, &t);
    assert_int_equal(t.ranks, 8);
    for (uint32_t rank = 0; rank < 8; rank++) {
        assert_int_equal(t.rank[rank].ops, 3);
        for (uint32_t i = 0; i < 3; i++) {
            const struct trace_op *op = &t.rank[rank].op[i];
            uint32_t               bits = 0;

            assert_int_equal(op->type, TRACE_COLLECTIVE);
            for (uint32_t k = 0; k < t.group[op->peer].count; k++)
                bits |= 1u << t.group[op->peer].rank[k];
            assert_int_equal(bits, want[i][rank]);
        }
    }
    trace_fini(&t);
}

static void expect_ops(const struct trace *t, const char *want)
{
    static const char *const names[] = { [TRACE_CALC] = "c", [TRACE_COLLECTIVE] = "x" };
    char                     text[400] = "";

    for (uint32_t i = 0; i < t->rank[0].ops; i++) {
        const struct trace_op *op = &t->rank[0].op[i];
        size_t                 at = strlen(text);

        snprintf(text + at, sizeof text - at, "%s%llu", names[op->type],
                 (unsigned long long)(op->type == TRACE_CALC ? op->size / PS_PER_NS : op->size));
        for (uint32_t before = 0; before < t->rank[0].ops; before++)
            for (uint32_t k = t->rank[0].op[before].done_at; k < t->rank[0].op[before].next_at; k++)
                if (t->rank[0].next[k] == i) {
                    at = strlen(text);
                    snprintf(text + at, sizeof text - at, "<%u", before);
                }
        at = strlen(text);
        snprintf(text + at, sizeof text - at, " ");
    }
    assert_string_equal(text, want);
}

/* Forward 0, 1; backward 1, 0. Weights of layer 1 do not delay layer 0, but delay its own next forward pass.
 * 'c3<2': computes 3 ns after operation 2. */
static void simai_workload__one_pass_by_hand(void **unused)
{
    static const char text[] =
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2\n2\n"
                               "a -1 10 NONE 0 11 NONE 0 12 NONE 0 5\n"
                               "b -1 20 ALLREDUCE 8000 21 NONE 0 22 ALLREDUCE 9000 7\n";
    struct trace t;

    (void)unused;
    parse(text, 2, 2, &t);
    expect_ops(&t, "c10 c20<0 x8000<1 c7<2 c21<3 c22<4 x9000<5 c7<6 c11<5 c12<8 "
                   "c10<9 c0<7<10 c20<11 x8000<12 c7<13 c21<14 c22<15 x9000<16 c7<17 c11<16 c12<19 ");
    trace_fini(&t);
}

/* Layers 1 and 2 are recomputed from checkpoint 1 before the gradients of layer 3. */
static void simai_workload__recomputes_layers(void **unused)
{
    static const char text[] =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 1 "
                               "checkpoints: 1 1 checkpoint_initiates: 1 3\n4\n"
                               "a -1 1 NONE 0 0 NONE 0 0 NONE 0 0\nb -1 2 NONE 0 0 NONE 0 0 NONE 0 0\n"
                               "c -1 3 NONE 0 0 NONE 0 0 NONE 0 0\nd -1 4 NONE 0 5 NONE 0 0 NONE 0 0\n";
    struct trace t;

    (void)unused;
    parse(text, 1, 1, &t);
    expect_ops(&t, "c1 c2<0 c3<1 c4<2 c2<3 c3<4 c5<5 ");
    trace_fini(&t);
}

/* Input gradients are sent while weight gradients are computed; the first layer has none to send. The size of
 * an all-gather is the final size at each rank. */
static void simai_workload__model_and_data(void **unused)
{
    struct trace t;

    (void)unused;
    parse("MODEL\n2\na -1 1 ALLGATHER 8001 2 ALLREDUCE 9000 3 NONE 0 0\nb -1 4 NONE 0 5 ALLREDUCE 9000 6 "
          "NONE 0 0\n", 1, 4, &t);
    expect_ops(&t, "c1 x2001<0 c4<1 c5<2 x9000<3 c6<3 c0<4<5 c2<6 c3<7 ");
    trace_fini(&t);
    parse("DATA\n2\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 50 0\nb -1 4 NONE 0 5 NONE 0 6 NONE 0 0\n", 1, 4, &t);
    expect_ops(&t, "c1 c4<0 c6<1 c5<2 c3<3 x50<4 ");
    trace_fini(&t);
    parse("MICRO\n1\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 50 0\n", 2, 4, &t);
    expect_ops(&t, "x50 x50 ");
    trace_fini(&t);
    parse("DISTRIBUTED_INFERENCE\n1\na -1 1 ALLREDUCE 5 2 NONE 0 3 NONE 0 0\n", 1, 4, &t);
    expect_ops(&t, "c1 x4096<0 ");               /* SimAI's minimum forward size */
    trace_fini(&t);
}

static void simai_workload__refuses(void **unused)
{
#define HEAD "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4"
    static const struct { const char *text, *why; } rows[] = {
        { "", "w: the file is empty" },
        { "HYBRID_DLRM\n",
          "w:1: the policy 'HYBRID_DLRM' is not modelled; there are HYBRID_TRANSFORMER, "
          "HYBRID_TRANSFORMER_FWD_IN_BCKWD, DATA, MODEL, MICRO and "
          "DISTRIBUTED_INFERENCE" },
        { "DATA tp: 3\n", "w:1: there is no key 'tp:'" },
        { "DATA all_gpus: 5\n", "w:1: all_gpus: 5 do not fit on 4 hosts: a host has one" },
        { "HYBRID_TRANSFORMER\n1\n", "w:1: model_parallel_NPU_group is missing or 0" },
        { "DATA pp: 2\n", "w:1: pp: 2: pipelines are not modelled; traffic of kind training has them" },
        { "DATA pp_comm: 7\n",
          "w:1: pp_comm: messages between pipeline stages are not modelled; traffic of kind training has "
          "pipelines" },
        { "HYBRID_TRANSFORMER model_parallel_NPU_group: 3 all_gpus: 4\n",
          "w:1: 4 GPUs cannot be divided into groups of 3, and those among 1 experts" },
        { HEAD, "w:1: the number of layers is missing" },
        { HEAD "\n0\n", "w:2: there are no layers" },
        { HEAD "\n9\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "w:2: the file is too short for 9 layers" },
        { HEAD "\n1\na -1 1 NOTHING 0 1 NONE 0 1 NONE 0 1\n",
          "w:3: 'NOTHING' is not modelled; there are NONE, ALLREDUCE, ALLTOALL, ALLGATHER and "
          "REDUCESCATTER, each also "
          "with _EP and _DP_EP" },
        { HEAD "\n1\na -1 1 ALLREDUCEALLTOALL 9 1 NONE 0 1 NONE 0 1\n",
          "w:3: 'ALLREDUCEALLTOALL' is not modelled; there are NONE, ALLREDUCE, ALLTOALL, ALLGATHER and "
          "REDUCESCATTER, each also with _EP and _DP_EP" },
        { HEAD "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 DATA\n", NULL },
        { HEAD " checkpoints: 1 7 checkpoint_initiates: 0\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
          "w:1: there is no layer 7: there are 1" },
        { HEAD " checkpoint_initiates: 1 0\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
          "w:1: layer 0 is recomputed from the checkpoint before it, but there is none" },
        { "DATA\n1\na -1 1 ALLREDUCE 9 1 NONE 0 1 NONE 0 1\n",
          "w:3: the policy DATA has no collectives in this column" },
        { HEAD "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
          "w:4: there are more than the 1 layers announced" },
    };
    struct trace t;
    struct err   err;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(simai_read_workload("w", rows[i].text, 1, 4, &t, &err) < 0);
        if (rows[i].why)
            assert_string_equal(err.text, rows[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simai_topology__servers_and_ports),
        cmocka_unit_test(simai_topology__refuses),
        cmocka_unit_test(simai_workload__groups),
        cmocka_unit_test(simai_workload__one_pass_by_hand),
        cmocka_unit_test(simai_workload__recomputes_layers),
        cmocka_unit_test(simai_workload__model_and_data),
        cmocka_unit_test(simai_workload__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
