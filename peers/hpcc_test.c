#include "peers/hpcc.h"

#include "core/units.h"

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_starts(const char *want, const char *text)
{
    if (strncmp(want, text, strlen(want)) != 0)
        fail_msg("'%s' does not start with '%s'", text, want);
}

static const char star[] = "4 1 3\n3\n0 3 100Gbps 1us 0.000000\n1 3 25Gb/s 0.001ms 0\n2 3 40G 1000ns 0.25\n";

static void topology__star(void **unused)
{
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_topology("t", star, &g, &err));
    assert_int_equal(4, g.nodes);
    assert_int_equal(3, g.hosts);
    assert_int_equal(3, g.links);
    assert_true(g.node[3].is_switch);
    assert_false(g.node[2].is_switch);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(i, g.link[i].a);
        assert_int_equal(3, g.link[i].b);
        assert_int_equal(PS_PER_US, g.link[i].delay_ps);
        assert_true(g.link[i].ber == 0);
    }
    assert_int_equal(100000000000, g.link[0].rate_bps);
    assert_int_equal(25000000000, g.link[1].rate_bps);
    assert_int_equal(40000000000, g.link[2].rate_bps);
    assert_true(g.link[0].loss == 0 && g.link[2].loss == 0.25);
    graph_fini(&g);
}

/* Ids keep their meaning if switches come first, ids take two lines, and text follows the rows. */
static void topology__any_order_and_trailing_text(void **unused)
{
    static const char text[] = "# two switches\n4 2 3\n 2\n0 \n\n"
                               "3 2 10Gbps 1us 0\n\n0 2 10Gbps 1us 0 # fabric\n1 0 10Gbps 1us 0\n\n"
                               "First line: total node #, switch node #, link #\n1 2 x y z\n";
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_topology("t", text, &g, &err));
    assert_true(g.node[0].is_switch && !g.node[1].is_switch && g.node[2].is_switch && !g.node[3].is_switch);
    assert_string_equal("h1", g.node[3].name);
    assert_int_equal(3, g.link[0].a);
    assert_int_equal(2, g.link[0].b);
    graph_fini(&g);
}

static void topology__no_switch(void **unused)
{
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_topology("t", "2 0 1\n\n0 1 100Gbps 1us 0\n", &g, &err));
    assert_int_equal(2, g.hosts);
    graph_fini(&g);
}

static void topology__refuses_with_the_line(void **unused)
{
    static const struct { const char *text, *reason; } row[] = {
        { "", "t: the file is empty" },
        { "\n\n", "t:2: the file is empty" },
        { "4 1\n", "t:1: nothing is given for the number of links" },
        { "4 1 3 9\n", "t:1: '9' is one word too many" },
        { "1048577 1 3\n", "t:1: the number of nodes: 1048577 is more than 1048576" },
        { "4 1 4194305\n", "t:1: the number of links: 4194305 is more than 4194304" },
        { "4 1 99999999999999999999\n", "t:1: the number of links: " },
        { "1000000 1 4000000\n3\n", "t:1: the file is too short for 4000000 links" },
        { "1000000 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n",
          "t:1: 3 links are too few for 999999 hosts" },
        { "4 5 0\n3\n", "t:1: 5 of 4 nodes are switches" },
        { "4 1 0\n", "t:1: 0 links are too few for 3 hosts" },
        { "4 4 0\n0 1 2\n", "t:2: the file ends before all 4 switches are named" },
        { "4 2 3\n3 3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n",
          "t:2: switch 3 is listed twice" },
        { "4 1 3\n4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n",
          "t:2: a switch: 4 is more than 3" },
        { "4 1 3\n3 2\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n",
          "t:2: '2' is one word too many" },
        { "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n", "t:4: the file ends after 2 of 3 links" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us\n", "t:4: nothing is given for the error rate" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100 1us 0\n", "t:4: the rate: " },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1 0\n", "t:4: the delay: " },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 1\n", "t:4: the link h1-s0: its loss" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us -0.1\n", "t:4: the error rate: " },
        { "3 1 2\n2\n0 2 100Mbps 1us 0\n1 2 100Gbps 1us 0\n", "t:3: the link h0-s0: its rate" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 101ms 0\n", "t:4: the link h1-s0: its delay" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 1 100Gbps 1us 0\n", "t:4: a link goes from h1 to itself" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 7 100Gbps 1us 0\n", "t:4: a link goes from node 1 to node 7" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0 0\n", "t:4: '0' is one word too many" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1e3ns 0\n", "t:4: the delay: '1e3ns' is not a time" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps -1us 0\n", "t:4: the delay: '-1us' is not a time" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps nan 0\n", "t:4: the delay: 'nan' is not a time" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1min 0\n",
          "t:4: the delay: '1min' is not in s, ms, us, ns or ps" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps\n", "t:4: nothing is given for the delay" },
        { "3 1 2\n2\n0 2 100Gbps 1us 0\n0 1 100Gbps 1us 0\n", "t:1: the host h0 has 2 links" },
        { "4 2 2\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n", "t:1: the hosts h0 and h1 cannot reach" },
        { "4 2 4\n2 3\n0 2 100Gbps 1us 0\n3 2 9Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n",
          "t:6: line 4 already links nodes 2 and 3" },
        { "2 2 1\n0 1\n0 1 100Gbps 1us 0\n", "t:1: there is no host" },
        { "0 0 0\n", "t:1: there is no host" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct graph g = { .nodes = 77 };
        struct err err = { "" };

        assert_true(hpcc_read_topology("t", row[i].text, &g, &err) < 0);
        assert_starts(row[i].reason, err.text);
        assert_int_equal(77, g.nodes);
    }
}

static void flows__rows(void **unused)
{
    static const char text[] = "3\n13 3 3 100 5101961 2.000000412\n\n9 0 0 65535 1 2.001\n"
                               "9 12 7 0 4294967296 2.001\n\nFirst line: # of flows\n";
    static const struct flow_row want[] = {
        { 13, 3, 3, 100, 5101961, 2000000411000, 2 },
        { 9, 0, 0, 65535, 1, 2000999999000, 4 },
        { 9, 12, 7, 0, 4294967296, 2000999999000, 5 },
    };
    struct flow_list flows;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_flows("f", text, NULL, &flows, &err));
    assert_int_equal(3, flows.count);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(want[i].src, flows.flow[i].src);
        assert_int_equal(want[i].dst, flows.flow[i].dst);
        assert_int_equal(want[i].prio, flows.flow[i].prio);
        assert_int_equal(want[i].dport, flows.flow[i].dport);
        assert_int_equal(want[i].bytes, flows.flow[i].bytes);
        assert_int_equal(want[i].start_ps, flows.flow[i].start_ps);
        assert_int_equal(want[i].line, flows.flow[i].line);
    }
    flow_list_fini(&flows);
    assert_null(flows.flow);
}

static void flows__none_and_many(void **unused)
{
    struct flow_list flows;
    struct err err;
    char text[8192], *end = text;

    (void)unused;
    assert_int_equal(0, hpcc_read_flows("f", "0\n", NULL, &flows, &err));
    assert_int_equal(0, flows.count);
    flow_list_fini(&flows);

    end += sprintf(end, "200\n");
    for (int i = 0; i < 200; i++)
        end += sprintf(end, "%d 999 3 100 %d 2.%03d\n", i, i + 1, i);
    assert_int_equal(0, hpcc_read_flows("f", text, NULL, &flows, &err));
    assert_int_equal(200, flows.count);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(i + 1, flows.flow[i].bytes);
    flow_list_fini(&flows);
}

/* Values printed by the fork's ns-3.17 for these texts. */
static void topology__truncates_delays_as_ns3(void **unused)
{
    static const struct { const char *text; uint64_t ns; } row[] = {
        { "0.6us", 599 }, { "0.7us", 699 }, { "1.1us", 1100 }, { "2.3us", 2299 }, { "0.3us", 299 },
        { "0.5us", 500 },
        { "0.001ms", 1000 }, { "0.0012ms", 1199 }, { "0.0000012s", 1199 }, { "0.000001", 999 },
        { "1us", 1000 },
        { "999ns", 999 }, { "0.999us", 998 }, { "4.1us", 4099 }, { "1.9ns", 1 }, { "1234ps", 1 },
        { "1000000ps", 1000 },
        { "8.2us", 8199 }, { "1ms", 1000000 }, { "0.1us", 100 }, { "2.7us", 2700 },
    };
    char text[100];

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct graph g;
        struct err   err;

        snprintf(text, sizeof text, "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps %s 0\n", row[i].text);
        assert_int_equal(0, hpcc_read_topology("t", text, &g, &err));
        assert_int_equal(row[i].ns * PS_PER_NS, g.link[1].delay_ps);
        graph_fini(&g);
    }
}

/* Outside of the fork's models a time is what is written, to the picosecond. */
static void topology_and_flows__exact_times(void **unused)
{
    static const struct { const char *text; uint64_t ps; } delay[] = {
        { "0.6us", 600000 }, { "0.0000012s", 1200000 }, { "0.000001", 1000000 }, { "1.9ns", 1900 },
        { "1234ps", 1234 }, { "4.1us", 4100000 }, { "0.0012345ms", 1234500 }, { "+1us", 1000000 },
    };
    static const char flow[] = "4\n0 1 3 100 5 0.000000001\n0 1 3 100 5 2.000005624\n"
                               "0 1 3 100 5 2.000005624001\n0 1 3 100 5 1e6\n";
    static const uint64_t start_ps[] = { 1000, 2000005624000, 2000005624001, 1000000 * PS_PER_S };
    struct flow_list      flows;
    struct graph          g;
    struct err            err;
    char                  text[100];

    (void)unused;
    for (size_t i = 0; i < sizeof delay / sizeof *delay; i++) {
        snprintf(text, sizeof text, "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps %s 0\n", delay[i].text);
        assert_int_equal(0, hpcc_read_topology_exact("t", text, &g, &err));
        assert_int_equal(delay[i].ps, g.link[1].delay_ps);
        graph_fini(&g);
    }
    assert_int_equal(0, hpcc_read_flows_exact("f", flow, NULL, &flows, &err));
    for (uint32_t i = 0; i < flows.count; i++)
        assert_int_equal(start_ps[i], flows.flow[i].start_ps);
    flow_list_fini(&flows);
    assert_true(hpcc_read_flows_exact("f", "1\n0 1 3 100 5 1000000.000000000001\n", NULL, &flows, &err) < 0);
    assert_string_equal("f:2: the start: 1000000.000000000001 is not within 0 .. 1000000", err.text);
    assert_true(hpcc_read_flows_exact("f", "1\n0 1 3 100 5 1us\n", NULL, &flows, &err) < 0);
}

/* The fork reads as many rows as its first line announces. */
static void topology_and_flows__ignore_rows_beyond_the_count(void **unused)
{
    struct flow_list flows;
    struct graph     g;
    struct err       err;

    (void)unused;
    assert_int_equal(HPCC_ODD, hpcc_read_topology("t",
                                                   "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n\n"
                                                   "1 2 x\n", &g, &err));
    assert_string_equal("t:6: the first line announces 2 links; what is from here on is not read", err.text);
    assert_int_equal(2, g.links);
    assert_int_equal(HPCC_ODD, hpcc_read_flows("f", "1\n0 1 3 100 1 2\n1 0 3 100 1 2\n", &g, &flows, &err));
    assert_string_equal("f:3: the first line announces 1 flows; what is from here on is not read", err.text);
    assert_int_equal(1, flows.count);
    flow_list_fini(&flows);
    graph_fini(&g);
}

static void flows__refuses_with_the_line(void **unused)
{
    static const struct { const char *text, *reason; } row[] = {
        { "", "f: the file is empty" },
        { "x\n", "f:1: the number of flows: " },
        { "1 2\n", "f:1: '2' is one word too many" },
        { "100000001\n", "f:1: the number of flows: 100000001 is more than 100000000" },
        { "100000000\n", "f:1: the file ends after 0 of 100000000 flows" },
        { "2\n0 1 3 100 1 2\n", "f:2: the file ends after 1 of 2 flows" },
        { "1\n0 0 3 100 1 2\n", "f:2: a flow from node 0 to itself" },
        { "1\n0 1 8 100 1 2\n", "f:2: pg: 8 is more than 7" },
        { "1\n0 1 3 65536 1 2\n", "f:2: the port: 65536 is more than 65535" },
        { "1\n0 1 3 100 0 2\n", "f:2: a flow of 0 bytes" },
        { "1\n0 1 3 100 281474976710657 2\n", "f:2: the size: " },
        { "1\n0 1 3 100 1 1e7\n", "f:2: the start: " },
        { "1\n0 1 3 100 1 -2\n", "f:2: the start: " },
        { "1\n0 1 3 100 1 nan\n", "f:2: the start: " },
        { "1\n0 1 3 100 1\n", "f:2: nothing is given for the start" },
        { "1\n0 1 3 100 1 2 3\n", "f:2: '3' is one word too many" },
        { "2\n0 1 3 100 1 2.1\n0 1 3 100 1 2.0\n", "f:3: flows must be in the order of their start" },
        { "1\n0 3 3 100 1 2\n", "f:2: the destination: node 3 is a switch" },
        { "1\n4 1 3 100 1 2\n", "f:2: the source: there is no node 4" },
    };
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_topology("t", star, &g, &err));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct flow_list flows = { .count = 77 };

        assert_true(hpcc_read_flows("f", row[i].text, &g, &flows, &err) < 0);
        assert_starts(row[i].reason, err.text);
        assert_int_equal(77, flows.count);
    }
    graph_fini(&g);
}

static void config__missing_keys_take_defaults(void **unused)
{
    struct hpcc_config c;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_config("c", "", &c, &err));
    assert_string_equal("", c.topology_file);
    assert_true(c.enable_qcn && c.has_win && c.global_t);
    assert_false(c.clamp_target_rate || c.var_win || c.ack_high_prio);
    assert_int_equal(1000, c.payload_bytes);
    assert_int_equal(1, c.cc_mode);
    assert_int_equal(5, c.fast_recovery_times);
    assert_int_equal(16, c.buffer_mib);
    assert_true(c.alpha_resume_us == 55 && c.rp_timer_us == 900 && c.rate_decrease_us == 4);
    assert_true(c.ewma_gain == 0.00390625 && c.stop_s == 3.01 && c.error_rate_per_link == 0);
    assert_int_equal(50000000, c.ai_bps);
    assert_int_equal(100000000, c.hai_bps);
    assert_int_equal(100000000, c.min_rate_bps);
    assert_int_equal(0, c.link_down.at_us);
    assert_int_equal(3, c.ecn_count);
    assert_int_equal(100000000000, c.ecn[2].rate_bps);
    assert_true(c.ecn[2].kmin_kb == 400 && c.ecn[2].kmax_kb == 1600 && c.ecn[2].pmax == 0.2);
}

static const char every_key[] =
    "ENABLE_QCN 0\nUSE_DYNAMIC_PFC_THRESHOLD 1\n\nPACKET_PAYLOAD_SIZE 1024\n"
    "PAUSE_TIME 5\nDATA_RATE 100Gbps\nLINK_DELAY 1us\n"
    "TOPOLOGY_FILE mix/topology.txt\nFLOW_FILE mix/flow.txt\nTRACE_FILE trace.txt\nTRACE_OUTPUT_FILE mix.tr\n"
    "FCT_OUTPUT_FILE fct.txt\nPFC_OUTPUT_FILE pfc.txt\nSIMULATOR_STOP_TIME 2.10\n"
    "CC_MODE 1\nALPHA_RESUME_INTERVAL 1.9\nRATE_DECREASE_INTERVAL 4.99\nCLAMP_TARGET_RATE 2\nRP_TIMER 300\n"
    "EWMA_GAIN 0.0625\nFAST_RECOVERY_TIMES 3\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\nMIN_RATE 1000Mb/s\n"
    "DCTCP_RATE_AI 1000Mb/s\nERROR_RATE_PER_LINK 0.001\nL2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 7\n"
    "L2_BACK_TO_ZERO 0\nHAS_WIN 0\nGLOBAL_T 0\nVAR_WIN 1\nFAST_REACT 0\nU_TARGET 0.95\nMI_THRESH 0\n"
    "INT_MULTI 1\nMULTI_RATE 0\nSAMPLE_FEEDBACK 0\nPINT_LOG_BASE 1.05\nPINT_PROB 1.0\nRATE_BOUND 1\n"
    "ACK_HIGH_PRIO 1\nLINK_DOWN 30 5 6\nENABLE_TRACE 0\n"
    "KMAX_MAP 2 25000000000 400 100000000000 1600\n"
    "KMIN_MAP 2 100000000000 401 25000000000 100\n"
    "PMAX_MAP 2 25000000000 0.2 100000000000 0.25\n"
    "BUFFER_SIZE 12\nQLEN_MON_FILE qlen.txt\nQLEN_MON_START 1\nQLEN_MON_END 2 # nanoseconds\n";

static void config__every_key(void **unused)
{
    struct hpcc_config c;
    struct err err;

    (void)unused;
    if (hpcc_read_config("c", every_key, &c, &err))
        fail_msg("%s", err.text);
    assert_string_equal("mix/topology.txt", c.topology_file);
    assert_string_equal("mix/flow.txt", c.flow_file);
    assert_false(c.enable_qcn || c.has_win || c.global_t);
    assert_true(c.clamp_target_rate && c.var_win && c.ack_high_prio);
    assert_int_equal(1024, c.payload_bytes);
    assert_int_equal(3, c.fast_recovery_times);
    assert_int_equal(12, c.buffer_mib);
    assert_int_equal(7, c.l2_ack_interval);
    assert_int_equal(4000, c.l2_chunk_size);
    assert_true(c.alpha_resume_us == 1 && c.rate_decrease_us == 4 && c.rp_timer_us == 300);
    assert_true(c.ewma_gain == 0.0625 && c.error_rate_per_link == 0.001 && c.stop_s == 2.1);
    assert_int_equal(20000000, c.ai_bps);
    assert_int_equal(200000000, c.hai_bps);
    assert_int_equal(1000000000, c.min_rate_bps);
    assert_int_equal(30, c.link_down.at_us);
    assert_int_equal(5, c.link_down.a);
    assert_int_equal(6, c.link_down.b);
    assert_int_equal(2, c.ecn_count);
    assert_int_equal(25000000000, c.ecn[0].rate_bps);
    assert_true(c.ecn[0].kmin_kb == 100 && c.ecn[0].kmax_kb == 400 && c.ecn[0].pmax == 0.2);
    assert_int_equal(100000000000, c.ecn[1].rate_bps);
    assert_true(c.ecn[1].kmin_kb == 401 && c.ecn[1].kmax_kb == 1600 && c.ecn[1].pmax == 0.25);
    assert_int_equal(0, c.ecn[2].rate_bps);
}

static void config__refuses_with_the_line(void **unused)
{
    static const struct { const char *text, *reason; } row[] = {
        { "CC_MODE 4\n",
          "c:1: CC_MODE 4 is not modelled; 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) and 10 "
          "(HPCC-PINT) are" },
        { "\nL2_BACK_TO_ZERO 1\n", "c:2: L2_BACK_TO_ZERO is not modelled" },
        { "RP_TIMR 300\n", "c:1: 'RP_TIMR' is not a key; did you mean 'RP_TIMER'?" },
        { "NONSENSE_OF_SOME_KIND 300\n", "c:1: 'NONSENSE_OF_SOME_KIND' is not a key" },
        { "RP_TIMER\n", "c:1: nothing is given for RP_TIMER" },
        { "FLOW_FILE\n", "c:1: nothing is given for FLOW_FILE" },
        { "PINT_PROB # 1\n", "c:1: nothing is given for PINT_PROB" },
        { "RP_TIMER 300 400\n", "c:1: '400' is one word too many" },
        { "HAS_WIN 1\n\nHAS_WIN 0\n", "c:3: line 1 gives HAS_WIN already" },
        { "HAS_WIN yes\n", "c:1: HAS_WIN: " },
        { "RP_TIMER 0.9\n", "c:1: RP_TIMER must be 1 .. 1000000000, not 0.9" },
        { "PACKET_PAYLOAD_SIZE 0\n", "c:1: PACKET_PAYLOAD_SIZE must be 1 .. 65000, not 0" },
        { "BUFFER_SIZE 4096\n", "c:1: BUFFER_SIZE must be 1 .. 4095, not 4096" },
        { "EWMA_GAIN 1.5\n", "c:1: EWMA_GAIN must be 0 .. 1, not 1.5" },
        { "ERROR_RATE_PER_LINK 1\n", "c:1: with an ERROR_RATE_PER_LINK of 1" },
        { "RATE_AI 20\n", "c:1: RATE_AI: " },
        { "MIN_RATE 0Mb/s\n", "c:1: a MIN_RATE of 0" },
        { "LINK_DOWN 1 2\n", "c:1: nothing is given for the second node" },
        { "KMAX_MAP 17 1 1\n", "c:1: the number of rates: 17 is more than 16" },
        { "KMAX_MAP 2 1 1 1 2\n", "c:1: rate 1 is given twice" },
        { "KMAX_MAP 1 1\n", "c:1: nothing is given for the threshold" },
        { "KMAX_MAP 1 1 2 3\n", "c:1: '3' is one word too many" },
        { "\nKMAX_MAP 1 1 2\n", "c:2: KMAX_MAP, KMIN_MAP and PMAX_MAP must name the same rates" },
        { "KMAX_MAP 1 1 2\nKMIN_MAP 1 2 1\nPMAX_MAP 1 1 1\n",
          "c:1: the rate 1 is in KMAX_MAP but not in KMIN_MAP" },
        { "KMAX_MAP 1 1 2\nKMIN_MAP 1 1 1\nPMAX_MAP 1 2 1\n",
          "c:1: the rate 1 is in KMAX_MAP but not in PMAX_MAP" },
        { "KMIN_MAP 1 1 3\nKMAX_MAP 1 1 2\nPMAX_MAP 1 1 1\n", "c:2: at the rate 1 Kmin is 3 KB" },
        { "PMAX_MAP 1 1 1.5\n", "c:1: the probability: " },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct hpcc_config c = { .buffer_mib = 77 };
        struct err err = { "" };

        assert_true(hpcc_read_config("c", row[i].text, &c, &err) < 0);
        assert_starts(row[i].reason, err.text);
        assert_int_equal(77, c.buffer_mib);
    }
}

static void config__name_of_a_file_fits_or_is_refused(void **unused)
{
    struct hpcc_config c;
    struct err err;
    char text[512];

    (void)unused;
    sprintf(text, "FLOW_FILE %0255d\n", 0);
    assert_int_equal(0, hpcc_read_config("c", text, &c, &err));
    assert_int_equal(255, strlen(c.flow_file));
    sprintf(text, "FLOW_FILE %0256d\n", 0);
    assert_int_equal(-ENAMETOOLONG, hpcc_read_config("c", text, &c, &err));
    sprintf(text, "FLOW_FILE %0400d\n", 0);
    assert_int_equal(-ENAMETOOLONG, hpcc_read_config("c", text, &c, &err));
}

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(strlen(text), write(fd, text, strlen(text)));
    close(fd);
}

static void read__three_files(void **unused)
{
    char topology[] = "/tmp/hpcc_test.XXXXXX", list[] = "/tmp/hpcc_test.XXXXXX";
    char config[] = "/tmp/hpcc_test.XXXXXX";
    struct flow_list flows;
    struct hpcc_config c;
    struct graph g;
    struct err err;

    (void)unused;
    write_file(topology, star);
    write_file(list, "1\n0 1 3 100 1000 2\n");
    write_file(config, every_key);
    assert_int_equal(0, hpcc_read_topology(topology, NULL, &g, &err));
    assert_int_equal(0, hpcc_read_flows(list, NULL, &g, &flows, &err));
    assert_int_equal(0, hpcc_read_config(config, NULL, &c, &err));
    assert_true(g.links == 3 && flows.count == 1 && c.ecn_count == 2);
    graph_fini(&g);
    flow_list_fini(&flows);

    assert_int_equal(-EINVAL, hpcc_read_topology(config, NULL, &g, &err));
    assert_starts(config, err.text);
    unlink(topology), unlink(list), unlink(config);
    assert_int_equal(-ENOENT, hpcc_read_topology(topology, NULL, &g, &err));
    assert_int_equal(-ENOENT, hpcc_read_flows(list, NULL, NULL, &flows, &err));
    assert_int_equal(-ENOENT, hpcc_read_config(config, NULL, &c, &err));
    assert_int_equal(-EINVAL, hpcc_read_flows("flow.txt.gz", NULL, NULL, &flows, &err));
}

/* ---- ConWeave ---- */

static const char conweave[] =
    "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\n\nFLOW_INPUT_FILE in.txt\nCNP_OUTPUT_FILE cnp.txt\n"
    "VOQ_MON_FILE voq.txt\nVOQ_MON_DETAIL_FILE voqd.txt\nUPLINK_MON_FILE up.txt\nCONN_MON_FILE conn.txt\n"
    "EST_ERROR_MON_FILE est.txt\nQLEN_MON_START 2.0\nQLEN_MON_END 2.02\nSW_MONITORING_INTERVAL 10000\n"
    "FLOWGEN_START_TIME 2.0\nFLOWGEN_STOP_TIME 2.02\nBUFFER_SIZE 9\nCC_MODE 1\nLB_MODE 0\nENABLE_PFC 1\n"
    "ENABLE_IRN 0\nCONWEAVE_TX_EXPIRY_TIME 1000\nCONWEAVE_REPLY_TIMEOUT_EXTRA 4\nCONWEAVE_PATH_PAUSE_TIME "
    "16\n"
    "CONWEAVE_EXTRA_VOQ_FLUSH_TIME 64\nCONWEAVE_DEFAULT_VOQ_WAITING_TIME 400\nRATE_AI 40.0Mb/s\nHAS_WIN 0\n"
    "LOAD 70\nRANDOM_SEED 1\n";

static void config__conweave(void **unused)
{
    struct hpcc_config c;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_config("c", conweave, &c, &err));
    assert_true(c.is_conweave && c.enable_pfc && !c.enable_irn && !c.has_win);
    assert_true(c.ack_high_prio);                /* there is no key for it; this is the fork's code */
    assert_int_equal(9, c.buffer_mib);
    assert_int_equal(40000000, c.ai_bps);
    assert_true(c.rp_timer_us == 300);           /* defaults of its main program */
    assert_int_equal(1, c.fast_recovery_times);
    assert_string_equal("flow.txt", c.flow_file);
    assert_int_equal(0, c.lb_mode);
    assert_int_equal(1, c.random_seed);
    assert_true(c.pause_us == 5);
    assert_int_equal(0, hpcc_read_config("c", "LB_MODE 6\nPAUSE_TIME 7.9\nRANDOM_SEED 12\n", &c, &err));
    assert_int_equal(6, c.lb_mode);
    assert_true(c.pause_us == 7);                /* ns-3 truncates it */
    assert_int_equal(12, c.random_seed);
}

/* Without LB_MODE, ConWeave's defaults do not apply. */
static void config__not_conweave(void **unused)
{
    struct hpcc_config c;
    struct err err;

    (void)unused;
    assert_int_equal(0, hpcc_read_config("c", "CC_MODE 1\n", &c, &err));
    assert_false(c.is_conweave);
    assert_false(c.ack_high_prio);
    assert_true(c.rp_timer_us == 900);
    assert_int_equal(5, c.fast_recovery_times);
}

static void config__conweave_refuses(void **unused)
{
    static const struct { const char *text, *reason; } row[] = {
        { "CC_MODE 1\nLB_MODE 2\n",
          "c:2: LB_MODE 2 (drill) is not modelled; 0 (ECMP), 3 (CONGA), 6 (LetFlow) and 9 (ConWeave) are" },
        { "LB_MODE 5\n", "c:1: LB_MODE 5 is not modelled" },
        { "LB_MODE 0\n\nENABLE_IRN 1\n", "c:3: ENABLE_IRN is not modelled; go-back-N (0) is" },
        { "LB_MODE 0\nENABLE_PFC 0\n", "c:2: ENABLE_PFC 0 is not modelled without IRN; 1 is" },
        { "LB_MODE 0\nRANDOM_SEED 0\n", "c:2: RANDOM_SEED must be 1 .. 2147483647, not 0" },
        { "LB_MODE 0\nPAUSE_TIME -1\n", "c:2: PAUSE_TIME: " },
        { "LB_MODE 0\nCC_MODE 3\n", "c:2: CC_MODE 3 of the ConWeave fork is not modelled" },
        { "CC_MODE 3\nLB_MODE 0\n", "c:2: CC_MODE 3 of the ConWeave fork is not modelled" },
        { "LB_MOED 0\n", "c:1: 'LB_MOED' is not a key; did you mean 'LB_MODE'?" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct hpcc_config c;
        struct err err;

        assert_true(hpcc_read_config("c", row[i].text, &c, &err) < 0);
        assert_starts(row[i].reason, err.text);
    }
}

/* The first four flows of one of its lists, and the ports that its results show for them. */
static void flows__conweave(void **unused)
{
    static const char text[] = "4 \n13 3 3 5101961 2.000000412\n9 0 3 596369 2.000005624\n"
                               "9 12 3 891870 2.000011699\n9 0 3 79452 2.000013507\n";
    static const uint16_t want_dport[] = { 100, 100, 100, 101 };
    struct flow_list flows;
    struct graph g;
    struct err err;

    (void)unused;
    graph_star(&g, &(struct graph_star){ 16, 100000000000, PS_PER_US });
    assert_int_equal(0, hpcc_read_flows("f", text, &g, &flows, &err));
    assert_int_equal(4, flows.count);
    assert_int_equal(5101961, flows.flow[0].bytes);
    assert_int_equal(2000005623 * PS_PER_NS, flows.flow[1].start_ps);
    assert_int_equal(2000013506 * PS_PER_NS, flows.flow[3].start_ps);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(want_dport[i], flows.flow[i].dport);
    flow_list_fini(&flows);
    assert_int_equal(0, hpcc_read_flows("f", text, NULL, &flows, &err));
    assert_int_equal(100, flows.flow[3].dport);
    flow_list_fini(&flows);
    graph_fini(&g);
}

/* The first row decides. Five words without a decimal point are a row of six with one missing. */
static void flows__conweave_refuses(void **unused)
{
    static const struct { const char *text, *reason; } row[] = {
        { "2\n0 1 3 1000 2.0\n0 1 3 100 1000 2.1\n", "f:3: '2.1' is one word too many" },
        { "2\n0 1 3 100 1000 2.0\n0 1 3 1000 2.1\n", "f:3: the size: " },
        { "1\n0 1 3 100 1000\n", "f:2: nothing is given for the start" },
        { "1\n0 1 3 2.5\n", "f:2: the port: " },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct flow_list flows;
        struct err err;

        assert_true(hpcc_read_flows("f", row[i].text, NULL, &flows, &err) < 0);
        assert_starts(row[i].reason, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topology__star),
        cmocka_unit_test(topology__any_order_and_trailing_text),
        cmocka_unit_test(topology__no_switch),
        cmocka_unit_test(topology__refuses_with_the_line),
        cmocka_unit_test(flows__rows),
        cmocka_unit_test(flows__none_and_many),
        cmocka_unit_test(topology__truncates_delays_as_ns3),
        cmocka_unit_test(topology_and_flows__exact_times),
        cmocka_unit_test(topology_and_flows__ignore_rows_beyond_the_count),
        cmocka_unit_test(flows__refuses_with_the_line),
        cmocka_unit_test(config__missing_keys_take_defaults),
        cmocka_unit_test(config__every_key),
        cmocka_unit_test(config__refuses_with_the_line),
        cmocka_unit_test(config__name_of_a_file_fits_or_is_refused),
        cmocka_unit_test(read__three_files),
        cmocka_unit_test(config__conweave),
        cmocka_unit_test(config__not_conweave),
        cmocka_unit_test(config__conweave_refuses),
        cmocka_unit_test(flows__conweave),
        cmocka_unit_test(flows__conweave_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
