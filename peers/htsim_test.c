#include "peers/htsim.h"

#include "core/units.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct refusal { const char *text, *reason; };

static void assert_starts(const char *want, const char *text)
{
    if (strncmp(want, text, strlen(want)) != 0)
        fail_msg("'%s' does not start with '%s'", text, want);
}

/* ---- connection matrix ---- */

static void assert_cm_refused(const struct refusal *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct flow_matrix cm = { .nodes = 77 };
        struct err      err;

        if (htsim_read_cm("c", row[i].text, &cm, &err) == 0)
            fail_msg("'%s' is not refused", row[i].text);
        assert_starts(row[i].reason, err.text);
        assert_int_equal(77, cm.nodes);          /* unchanged */
    }
}

/* Like htsim's own files: with ids, and with repeated pairs of hosts. */
static void parse_cm__plain(void **unused)
{
    static const char text[] = "Nodes 16\nConnections 3\n"
                               "7->5 id 1 start 0 size 2000000\n"
                               "15->1 id 2 start 1250000 size 1\n"
                               "7->5 start 3.000000 size 281474976710656\n";
    struct flow_matrix cm;
    struct err err;

    (void)unused;
    assert_int_equal(0, htsim_read_cm("c", text, &cm, &err));
    assert_int_equal(16, cm.nodes);
    assert_int_equal(3, cm.conns);
    assert_int_equal(0, cm.triggers);
    assert_int_equal(7, cm.conn[0].src);
    assert_int_equal(5, cm.conn[0].dst);
    assert_int_equal(1, cm.conn[0].id);
    assert_int_equal(2000000, cm.conn[0].bytes);
    assert_int_equal(MATRIX_NO_TRIGGER, cm.conn[0].trigger);
    assert_int_equal(MATRIX_NO_TRIGGER, cm.conn[0].send_done);
    assert_int_equal(MATRIX_NO_TRIGGER, cm.conn[0].recv_done);
    assert_int_equal(1250000, cm.conn[1].start_ps);      /* 1.25 us */
    assert_int_equal(4, cm.conn[1].line);
    assert_int_equal(0, cm.conn[2].id);
    assert_int_equal(3, cm.conn[2].start_ps);
    assert_int_equal(1ull << 48, cm.conn[2].bytes);
    flow_matrix_fini(&cm);
}

static void parse_cm__start_is_picoseconds(void **unused)
{
    static const struct { const char *start; uint64_t want_ps; } row[] = {
        { "0", 0 }, { "1", 1 }, { "0.999", 0 }, { "1.5e3", 1500 }, { "1e+06", 1000000 },
        { "16777217", 16777217 },                        /* exceeds the 24 bits of htsim's float */
        { "1000000000000000000", 1000000000000000000 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct flow_matrix cm;
        char text[128];

        snprintf(text, sizeof text, "Nodes 2\nConnections 1\n0->1 start %s size 1\n", row[i].start);
        assert_int_equal(0, htsim_read_cm("c", text, &cm, NULL));
        assert_int_equal(row[i].want_ps, cm.conn[0].start_ps);
        flow_matrix_fini(&cm);
    }
}

/* Words in any order, triggers before and after their users, comments, tabs, carriage returns. */
static void parse_cm__triggers(void **unused)
{
    static const char text[] = "# ring\r\nNodes 4\r\nConnections 5\nTriggers 3\n\n"
                               "trigger barrier count 2 id 900\n"
                               "0->1\tid 1 size 10 start 0 send_done_trigger 7 recv_done_trigger 900 prio 3\n"
                               "1->2 id 2 trigger 7 size 10 send_done_trigger 900   # then the barrier\n"
                               "2->3 id 3 trigger 900 size 10 recv_done_trigger 5\n"
                               "3->0 id 4 trigger 900 size 10 send_done_trigger 5\n"
                               "3->1 id 5 trigger 5 size 10\n"
                               "trigger id 7 oneshot\ntrigger id 5 multishot\n";
    struct flow_matrix cm;
    struct err err;

    (void)unused;
    assert_int_equal(0, htsim_read_cm("c", text, &cm, &err));
    assert_int_equal(3, cm.triggers);
    assert_int_equal(MATRIX_BARRIER, cm.trigger[0].kind);
    assert_int_equal(2, cm.trigger[0].count);
    assert_int_equal(900, cm.trigger[0].id);
    assert_int_equal(MATRIX_ONESHOT, cm.trigger[1].kind);
    assert_int_equal(MATRIX_MULTISHOT, cm.trigger[2].kind);
    assert_int_equal(12, cm.trigger[1].line);
    assert_int_equal(1, cm.conn[0].send_done);           /* indices, not ids */
    assert_int_equal(0, cm.conn[0].recv_done);
    assert_int_equal(1, cm.conn[1].trigger);
    assert_int_equal(0, cm.conn[3].trigger);
    assert_int_equal(2, cm.conn[2].recv_done);
    assert_int_equal(2, cm.conn[4].trigger);
    flow_matrix_fini(&cm);
}

/* A multishot may fire more often than there are waiting connections, as in htsim's all-to-all generator. */
static void parse_cm__multishot_left_over(void **unused)
{
    static const char text[] =
        "Nodes 3\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n"
        "0->2 id 2 start 0 size 1 send_done_trigger 1\n1->2 id 3 trigger 1 size 1\n"
        "trigger id 1 multishot\n";
    struct flow_matrix cm;

    (void)unused;
    assert_int_equal(0, htsim_read_cm("c", text, &cm, NULL));
    flow_matrix_fini(&cm);
}

#define ONE "Nodes 4\nConnections 1\n"

static void parse_cm__refuses_lines(void **unused)
{
    static const struct refusal row[] = {
        { "", "c: 'Nodes', the number of hosts, is missing" },
        { "Nodes 0\n", "c:1: 'Nodes', the number of hosts, is missing" },
        { "Nodes 4\nNodes 4\n", "c:2: line 1 gives 'Nodes' already" },
        { "Nodes x\n", "c:1: Nodes: " },
        { "Nodes 4 5\n", "c:1: '5' is one word too many" },
        { "Nodes 1048577\n", "c:1: Nodes: 1048577 is more than 1048576" },
        { "Node 4\n",
          "c:1: 'Node' is not the start of a line: Nodes, Connections, Triggers, src->dst or trigger; "
          "did you mean 'Nodes'?" },
        { "Connections 1\n0->1 start 0 size 1\n", "c:2: 'Nodes' must be given before the first connection" },
        { "Nodes 4\nConnections 2\n0->1 start 0 size 1\n",
          "c:2: 'Connections' announces 2, but the file has 1 connection" },
        { "Nodes 4\n0->1 start 0 size 1\n", "c:2: 'Connections' announces 0, but the file has 1 connection" },
        { "Nodes 4\nConnections 0\nTriggers 1\n",
          "c:3: 'Triggers' announces 1, but the file has 0 triggers" },
        { "Nodes 4\nFailures 1\n", "c:2: failures of links are not read" },
        { "Nodes 4\nfailure switch_type AGG switch_id 0 link_id 0\n",
          "c:2: 'failure' is not the start of a line" },
        { ONE "0->4 start 0 size 1\n", "c:3: there is no host 4 among 4 Nodes; the first is 0" },
        { ONE "9->1 start 0 size 1\n", "c:3: there is no host 9 among 4 Nodes" },
        { ONE "2->2 start 0 size 1\n", "c:3: a connection from host 2 to itself" },
        { ONE "a->2 start 0 size 1\n", "c:3: a connection starts with src->dst: " },
        { ONE "1->2->3 start 0 size 1\n", "c:3: a connection starts with src->dst: " },
        { ONE "-> start 0 size 1\n", "c:3: a connection starts with src->dst: " },
        { ONE "0 -> 1 start 0 size 1\n", "c:3: '0' is not the start of a line" },
        { ONE "0->1 start 0\n", "c:3: 'size' is missing" },
        { ONE "0->1 start 0 size 0\n", "c:3: a size of 0 means without end, which is not modelled" },
        { ONE "0->1 start 0 size 281474976710657\n",
          "c:3: size: 281474976710657 is more than 281474976710656" },
        { ONE "0->1 size 1\n", "c:3: 'start' or 'trigger' is missing" },
        { ONE "0->1 id 1 start 0 trigger 1 size 1\n", "c:3: give 'start' or 'trigger', not both" },
        { ONE "0->1 start -1 size 1\n", "c:3: start: " },
        { ONE "0->1 start 50% size 1\n", "c:3: start: '50%' is not a number of picoseconds" },
        { ONE "0->1 start 1us size 1\n", "c:3: start: '1us' is not a number of picoseconds" },
        { ONE "0->1 start 1000000000000000001 size 1\n", "c:3: start: " },
        { ONE "0->1 start\n", "c:3: nothing is given for start" },
        { ONE "0->1 start 0 size 1 size 2\n", "c:3: 'size' is given twice" },
        { ONE "0->1 start 0 siez 1\n", "c:3: 'siez' is not a word of a connection; did you mean 'size'?" },
        { ONE "0->1 start 0 size 1 addon\n", "c:3: 'addon' is not a word of a connection" },
        { ONE "0->1 id 0 start 0 size 1\n", "c:3: id: 0 is not an id" },
        { ONE "trigger id 1\n", "c:3: a trigger needs a kind: oneshot, multishot or barrier" },
        { ONE "trigger oneshot\n", "c:3: the trigger has no id" },
        { ONE "trigger id 0 oneshot\n", "c:3: id: 0 is not an id" },
        { ONE "trigger id 1 barrier\n", "c:3: a barrier needs 'count'" },
        { ONE "trigger id 1 oneshot barrier\n", "c:3: a trigger has one kind; 'barrier' is a second one" },
        { ONE "trigger id 1 oneshoot\n",
          "c:3: 'oneshoot' is not a word of a trigger: id, oneshot, multishot, barrier or count; did you mean 'oneshot'?" },
    };

    (void)unused;
    assert_cm_refused(row, sizeof row / sizeof *row);
}

static void parse_cm__refuses_ids(void **unused)
{
    static const struct refusal row[] = {
        { "Nodes 4\nConnections 2\n0->1 id 3 start 0 size 1\n1->2 id 3 start 0 size 1\n",
          "c:4: line 3 has a connection with the id 3 already" },
        { "Nodes 4\nConnections 0\nTriggers 2\ntrigger id 3 oneshot\ntrigger id 3 barrier count 1\n",
          "c:5: line 4 has a trigger with the id 3 already" },
        { ONE "0->1 id 1 start 0 size 1 send_done_trigger 2\n", "c:3: there is no line 'trigger id 2'" },
        { "Nodes 4\nConnections 1\nTriggers 1\n0->1 id 1 trigger 3 size 1\ntrigger id 2 oneshot\n",
          "c:4: there is no line 'trigger id 3'" },
    };

    (void)unused;
    assert_cm_refused(row, sizeof row / sizeof *row);
}

static void parse_cm__refuses_triggers_that_cannot_work(void **unused)
{
    static const struct refusal row[] = {
        { "Nodes 4\nConnections 1\nTriggers 1\n0->1 id 1 trigger 1 size 1\ntrigger id 1 oneshot\n",
          "c:5: no connection fires the trigger 1" },
        { "Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n"
          "1->2 id 2 start 0 size 1\ntrigger id 1 oneshot\n",
          "c:6: no connection waits for the trigger 1" },
        { "Nodes 4\nConnections 2\nTriggers 1\n"
          "0->1 id 1 start 0 size 1 send_done_trigger 1 recv_done_trigger 1\n"
          "1->2 id 2 trigger 1 size 1\ntrigger id 1 oneshot\n",
          "c:6: the trigger 1 is oneshot, but is fired 2 times" },
        { "Nodes 4\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n"
          "1->2 id 2 trigger 1 size 1\n2->3 id 3 trigger 1 size 1\ntrigger id 1 multishot\n",
          "c:7: 2 connections wait for the trigger 1, but it is fired 1 times" },
        { "Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n"
          "1->2 id 2 trigger 1 size 1\ntrigger id 1 barrier count 2\n",
          "c:6: the barrier 1 has a count of 2, but is fired 1 times" },
        { "Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1 "
          "recv_done_trigger 1\n"
          "1->2 id 2 trigger 1 size 1\ntrigger id 1 barrier count 1\n",
          "c:6: the barrier 1 has a count of 1, but is fired 2 times" },
    };

    (void)unused;
    assert_cm_refused(row, sizeof row / sizeof *row);
}

static void parse_cm__refuses_cycles(void **unused)
{
    static const struct refusal row[] = {
        /* one waits for itself */
        { "Nodes 4\nConnections 1\nTriggers 1\n0->1 id 1 trigger 1 size 1 send_done_trigger 1\n"
          "trigger id 1 oneshot\n",
          "c:4: this connection never starts: trigger 1 waits in a cycle" },
        /* two wait for each other, while a third is fine */
        { "Nodes 4\nConnections 3\nTriggers 2\n0->1 id 1 start 0 size 1\n"
          "1->2 id 2 trigger 1 size 1 send_done_trigger 2\n2->1 id 3 trigger 2 size 1 recv_done_trigger 1\n"
          "trigger id 1 oneshot\ntrigger id 2 oneshot\n",
          "c:5: this connection never starts" },
        /* half of what a barrier needs waits behind it */
        { "Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n"
          "1->2 id 2 trigger 1 size 1 send_done_trigger 1\ntrigger id 1 barrier count 2\n",
          "c:5: this connection never starts" },
    };

    (void)unused;
    assert_cm_refused(row, sizeof row / sizeof *row);
}

/* A multishot that starts the connection that fires it next is a chain, not a cycle. */
static void parse_cm__chain_of_one_multishot(void **unused)
{
    static const char text[] = "Nodes 4\nConnections 3\nTriggers 1\n"
                               "0->1 id 1 start 0 size 1 send_done_trigger 1\n"
                               "0->2 id 2 trigger 1 size 1 send_done_trigger 1\n"
                               "0->3 id 3 trigger 1 size 1 send_done_trigger 1\ntrigger id 1 multishot\n";
    struct flow_matrix cm;

    (void)unused;
    assert_int_equal(0, htsim_read_cm("c", text, &cm, NULL));
    flow_matrix_fini(&cm);
}

static void read_cm__names_the_file(void **unused)
{
    struct flow_matrix cm;
    struct err err;

    (void)unused;
    assert_true(htsim_read_cm("no-such.cm", NULL, &cm, &err) < 0);
    assert_starts("no-such.cm: ", err.text);
    assert_true(htsim_read_cm("a.cm.gz", NULL, &cm, &err) < 0);
    assert_starts("a.cm.gz: packed files are not read", err.text);
}

/* ---- topology ---- */

#define T0 "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1000\n"
#define T1 "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 2000\n"
#define T2 "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 3000\n"

static void assert_link(const struct graph *g, uint32_t i, uint32_t a, uint32_t b, uint64_t gbps,
                        uint64_t delay_ps)
{
    assert_int_equal(a, g->link[i].a);
    assert_int_equal(b, g->link[i].b);
    assert_int_equal(gbps * 1000000000, g->link[i].rate_bps);
    assert_int_equal(delay_ps, g->link[i].delay_ps);
    assert_true(g->link[i].loss == 0 && g->link[i].ber == 0);
}

/* 16 hosts in 4 pods of 2 ToRs and 2 aggs; 4 cores, the even ones above each pod's first agg. Derived by hand
 * from htsim's numbering. */
static void parse_topology__three_tiers(void **unused)
{
    static const uint32_t core_of[8][2] = { { 0, 2 }, { 1, 3 }, { 0, 2 }, { 1, 3 },
                                            { 0, 2 }, { 1, 3 }, { 0, 2 }, { 1, 3 } };
    struct graph g;
    struct err err;
    uint32_t at = 0;

    (void)unused;
    assert_int_equal(0, htsim_read_topology("t", "Nodes 16\nTiers 3\nPodsize 4\n" T0 T1 T2, &g, &err));
    assert_int_equal(16 + 8 + 8 + 4, g.nodes);
    assert_int_equal(16, g.hosts);
    assert_int_equal(16 * 3, g.links);
    assert_string_equal("h15", g.node[15].name);
    assert_string_equal("tor0", g.node[16].name);
    assert_string_equal("agg7", g.node[31].name);
    assert_string_equal("core3", g.node[35].name);
    for (uint32_t host = 0; host < 16; host++)
        assert_link(&g, at++, host, 16 + host / 2, 100, 1 * PS_PER_US);
    for (uint32_t tor = 0; tor < 8; tor++)
        for (uint32_t i = 0; i < 2; i++)
            assert_link(&g, at++, 16 + tor, 24 + tor / 2 * 2 + i, 100, 2 * PS_PER_US);
    for (uint32_t agg = 0; agg < 8; agg++)
        for (uint32_t i = 0; i < 2; i++)
            assert_link(&g, at++, 24 + agg, 32 + core_of[agg][i], 100, 3 * PS_PER_US);
    graph_fini(&g);
}

/* Like htsim's leaf_spine_tiny: 32 hosts, 4 ToRs, 2 spines, 4 to 1. */
static void parse_topology__two_tiers(void **unused)
{
    static const char text[] =
        "nodes 32\nTIERS 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\n"
        "Radix_Up 2\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 4\n\n"
        "Tier 1 # the top\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\n";
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, htsim_read_topology("t", text, &g, &err));
    assert_int_equal(32 + 4 + 2, g.nodes);
    assert_int_equal(32 + 4 * 2, g.links);
    assert_link(&g, 31, 31, 35, 100, PS_PER_US);
    for (uint32_t i = 0; i < 8; i++)
        assert_link(&g, 32 + i, 32 + i / 2, 36 + i % 2, 100, PS_PER_US);
    graph_fini(&g);
}

/* Like htsim's zrs: 12 cores, two for each agg, three links each. */
static void parse_topology__bundles_are_parallel_links(void **unused)
{
    static const char text[] =
        "Nodes 432\nTiers 3\nPodsize 36\n"
        "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 6\nRadix_Up 6\nDownlink_Latency_ns 1000\n"
        "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 6\nRadix_Up 6\nDownlink_Latency_ns 1000\n"
        "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 36\nDownlink_Latency_ns 600000\nBundle 3";
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, htsim_read_topology("t", text, &g, &err));
    assert_int_equal(432 + 72 + 72 + 12, g.nodes);
    assert_int_equal(432 * 3, g.links);
    /* agg8 is the third of the second pod: cores 2 and 8 */
    for (uint32_t i = 0; i < 6; i++)
        assert_link(&g, 864 + 8 * 6 + i, 504 + 8, 576 + (i < 3 ? 2 : 8), 100, 600 * PS_PER_US);
    graph_fini(&g);
}

/* Switch latencies on a path add up. From h0 to h4, in another pod, links take 2 x (1000 + 2000 + 3000) ns
 * and switches 100 + 30 + 8 + 30 + 100. */
static void parse_topology__adds_switch_latency_to_links(void **unused)
{
    static const char text[] = "Nodes 16\nTiers 3\nPodsize 4\n" T0 "Switch_Latency_ns 100\n" T1
                               "Switch_Latency_ns 30\n" T2 "Switch_Latency_ns 8\n";
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, htsim_read_topology("t", text, &g, &err));
    assert_int_equal(2 * (1000 + 2000 + 3000) + 100 + 30 + 8 + 30 + 100,
                     2 * (g.link[0].delay_ps + g.link[16].delay_ps + g.link[32].delay_ps) / PS_PER_NS);
    assert_int_equal(1050 * PS_PER_NS, g.link[0].delay_ps);      /* below one ToR: 2 x 1000 + 100 */
    graph_fini(&g);
}

/* Twice the speed above the ToRs: by htsim's count half as many uplinks, so half the Radix_Down. */
static void parse_topology__speeds_differ(void **unused)
{
    static const char text[] = "Nodes 8\nTiers 2\nPodsize 8\n" T0
                               "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nDownlink_Latency_ns 2000\n";
    struct graph g;
    struct err err;

    (void)unused;
    assert_int_equal(0, htsim_read_topology("t", text, &g, &err));
    assert_int_equal(8 + 4 + 2, g.nodes);
    assert_link(&g, 0, 0, 8, 100, PS_PER_US);
    assert_link(&g, 8, 8, 12, 200, 2 * PS_PER_US);
    graph_fini(&g);
}

#define HEAD "Nodes 16\nTiers 3\nPodsize 4\n"

static void parse_topology__refuses_lines(void **unused)
{
    static const struct refusal row[] = {
        { "", "t: Nodes is missing" },
        { "Nodes 16\nTiers 3\n", "t:2: Podsize is missing" },
        { "Nodes 0\n", "t:1: Nodes: 0 is less than 1" },
        { "Nodes 16\nTiers 4\n", "t:2: Tiers: 4 is more than 3" },
        { "Nodes 16\nTiers 1\n", "t:2: Tiers: 1 is less than 2" },
        { "Nodes 16\nnodes 16\n", "t:2: line 1 gives Nodes already" },
        { "Nodes 16\nTiers 3\nTier 0\n", "t:3: Podsize must be given before the first tier" },
        { "Radix_Up 2\n", "t:1: Radix_Up belongs to a tier; 'Tier 0' is to come first" },
        { "Podsizes 2\n", "t:1: 'Podsizes' is not a key; did you mean 'Podsize'?" },
        { "hello\n", "t:1: 'hello' is not a key" },
        { HEAD "Tier 3\n", "t:4: Tier: 3 is more than 2" },
        { "Nodes 16\nTiers 2\nPodsize 16\nTier 2\n", "t:4: Tier: 2 is more than 1" },
        { HEAD "Tier 0\nTier 0\n", "t:5: line 4 begins tier 0 already" },
        { HEAD "Tier 0\nNodes 3\n", "t:5: Nodes must be given before the first tier" },
        { HEAD "Tier 0\nRadix_Up 2\nRadix_Up 2\n", "t:6: line 5 gives Radix_Up already" },
        { HEAD "Tier 2\nRadix_Up 2\n", "t:5: Radix_Up: tier 2 is the top and has no uplinks" },
        { HEAD "Tier 0\nRadix_Up 2.5\n", "t:5: Radix_Up: " },
        { HEAD "Tier 0\nDownlink_speed_Gbps 3200\n", "t:5: Downlink_speed_Gbps: 3200 is more than 1600" },
        { HEAD "Tier 0\nBundle 0\n", "t:5: Bundle: 0 is less than 1" },
        { HEAD "Tier 0\nDownlink_Latency_ns 0\n", "t:5: Downlink_Latency_ns: 0 is less than 1" },
        { HEAD "Tier 0\nDownlink_Latency_ns 4000001\n",
          "t:5: Downlink_Latency_ns: 4000001 is more than 4000000" },
        { HEAD "Tier 0\nQueue_up 100000\n", "t:5: Queue_up: a port has no queue of its own size here" },
        { HEAD "Tier 0\nQueue_down 100000\n", "t:5: Queue_down: a port has no queue" },
        { HEAD T0 T1, "t:13: there is no block 'Tier 2'" },
        { HEAD "Tier 0\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n" T1 T2,
          "t:4: tier 0 has no Downlink_speed_Gbps" },
        { HEAD "Tier 0\nRadix_Down 2\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 1\n" T1 T2,
          "t:4: tier 0 has no Radix_Up" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct graph g = { .nodes = 77 };
        struct err err;

        if (htsim_read_topology("t", row[i].text, &g, &err) == 0)
            fail_msg("'%s' is not refused", row[i].text);
        assert_starts(row[i].reason, err.text);
        assert_int_equal(77, g.nodes);
    }
}

/* Lines: head 1-3, tier 0 4-8, tier 1 9-13, tier 2 14-17; added lines are at the end of their block. */
static void parse_topology__refuses_inconsistent_numbers(void **unused)
{
    static const struct refusal row[] = {
        { "Nodes 15\nTiers 3\nPodsize 4\n" T0 T1 T2, "t:3: 15 Nodes cannot be divided into pods of 4" },
        { "Nodes 16\nTiers 2\nPodsize 4\n" T0 "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 8\n"
          "Downlink_Latency_ns 1\n", "t:3: with two tiers there is one pod: Podsize must be 16" },
        { "Nodes 15\nTiers 3\nPodsize 5\n" T0 T1 T2, "t:6: a pod of 5 hosts cannot be divided among ToRs" },
        { HEAD T0 "Bundle 2\n" T1 T2, "t:9: a host has one link: Bundle of tier 0 is 1" },
        { HEAD T0 T1 "Bundle 3\n" T2,
          "t:7: Radix_Up of tier 0, 2, is not a multiple of the Bundle of tier 1, 3" },
        { HEAD T0 T1 T2 "Bundle 3\n",
          "t:12: Radix_Up of tier 1, 2, is not a multiple of the Bundle of tier 2, 3" },
        { HEAD T0 T1 "Bundle 2\n" T2,
          "t:14: 2 switches of tier 1 in a pod, with a Bundle of 2, take 4 links of a ToR" },
        { HEAD T0 "Oversubscribed 2\n" T1 T2,
          "t:9: tier 0 has 2 ports down and 2 up: Oversubscribed must be 1, not 2" },
        { HEAD T0 "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 3\nRadix_Up 2\nDownlink_Latency_ns 1\n" T2,
          "t:11: by speed and oversubscription ToRs have 16 uplinks, which 4 pods" },
        { HEAD T0 "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 1\nRadix_Up 2\nDownlink_Latency_ns 1\n" T2,
          "t:9: 4 switches of tier 1 in a pod, with a Bundle of 1, take 4 links of a ToR, but its "
          "Radix_Up is 2" },
        { HEAD T0 T1 "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 5\nDownlink_Latency_ns 1\n",
          "t:16: by speed and oversubscription tier 1 has 16 uplinks, which cores with a Radix_Down of 5" },
        { HEAD T0 T1 "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 16\nDownlink_Latency_ns 1\n",
          "t:16: 1 cores cannot be divided among the 2 switches of tier 1 in a pod" },
        { HEAD T0 T1 "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 8\nDownlink_Latency_ns 1\n",
          "t:14: 1 cores for each switch of tier 1, with a Bundle of 1, take 1 links, but its "
          "Radix_Up is 2" },
        { HEAD T0 "Switch_Latency_ns 2\n" T1
          "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 4000000\nSwitch_Latency_ns 1\n",
          "t:18: with the latency of its switches a link of tier 2 takes more than 4ms" },
        { "Nodes 1048576\nTiers 2\nPodsize 1048576\n" T0
          "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 524288\nDownlink_Latency_ns 1\n",
          "t:1: with its switches the network has more than 1048576 nodes" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct graph g;
        struct err err;

        if (htsim_read_topology("t", row[i].text, &g, &err) == 0)
            fail_msg("'%s' is not refused", row[i].text);
        assert_starts(row[i].reason, err.text);
    }
}

/* ---- as uet-htsim reads them ---- */

static void parse_uet_cm__start_is_whole_microseconds(void **unused)
{
    struct flow_matrix cm;
    struct err         err;

    (void)unused;
    assert_int_equal(htsim_read_uet_cm("c", "Nodes 2\nConnections 2\n0->1 start 2.9 size 5 recv_done_trigger 7\n"
                                             "1->0 start 40 size 2147483647\n", &cm, &err), 0);
    assert_int_equal(cm.conn[0].start_ps, 2 * PS_PER_US);
    assert_int_equal(cm.conn[0].recv_done, MATRIX_NO_TRIGGER);
    assert_int_equal(cm.conn[1].start_ps, 40 * PS_PER_US);
    flow_matrix_fini(&cm);
}

static void parse_uet_cm__refuses(void **unused)
{
    static const struct refusal row[] = {
        { "Nodes 2\nConnections 1\n0->1 start 0 size 2147483648\n", "c:3: size: 2147483648 is " },
        { "Nodes 2\nConnections 1\n0->1 start x size 1\n", "c:3: start: 'x' is not a number of microseconds" },
        { "Nodes 2\nConnections 1\n0->1 start 1e13 size 1\n", "c:3: start: 1e13 is not within 0 .. 1000000000000 us" },
        /* the receiver's trigger starts nothing */
        { "Nodes 2\nConnections 2\nTriggers 1\n0->1 start 0 size 1 recv_done_trigger 1\n1->0 trigger 1 size 1\n"
          "trigger id 1 oneshot\n", "c:6: no connection fires the trigger 1" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct flow_matrix cm;
        struct err         err;

        assert_true(htsim_read_uet_cm("c", row[i].text, &cm, &err) < 0);
        assert_starts(row[i].reason, err.text);
    }
}

static void parse_uet_topology__keeps_delays_apart(void **unused)
{
    struct fat_tree t;
    struct err      err;

    (void)unused;
    assert_int_equal(
        htsim_read_uet_topology("t", HEAD T0 "Switch_Latency_ns 300\nQueue_Up 1\n" T1 T2, &t, &err), 0);
    assert_int_equal(t.switch_ps[0], 300 * PS_PER_NS);
    assert_int_equal(t.hosts, 16);
    assert_int_equal(t.pods, 4);
    assert_int_equal(t.aggs_per_pod, 2);
    assert_int_equal(t.cores, 4);
    assert_true(htsim_read_uet_topology("t", HEAD T0 "Queue_Up x\n" T1 T2, &t, &err) < 0);
}

/* In uet-htsim such a link takes no time. */
static void parse_uet_topology__needs_no_delays(void **unused)
{
    struct fat_tree t;
    struct err      err;

    (void)unused;
    assert_int_equal(htsim_read_uet_topology("t", "Nodes 4\nTiers 2\nPodsize 4\n"
                                             "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\n"
                                             "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 5\n",
                                              &t, &err), 0);
    assert_int_equal(t.link_ps[0], 0);
    assert_int_equal(t.link_ps[1], 5 * PS_PER_NS);
}

static const char *setting(const struct htsim_command *c, const char *key)
{
    for (uint32_t i = 0; i < c->settings; i++)
        if (strcmp(c->setting[i].key, key) == 0)
            return c->setting[i].value;
    return "";
}

static void parse_command__options_become_keys(void **unused)
{
    struct htsim_command c;
    struct err           err;

    (void)unused;
    assert_int_equal(htsim_read_command("c", "bin/htsim_uec -tm a.cm -topo b.topo -linkspeed 400000 -hop_latency 1.001 "
                                              "-ecn 8 30 -end 3000\n# why\n-disable_trim -sender_cc_algo dctcp "
                                              "-seed 4 -paths 16 -paths 32 -qa_gate -1\n", &c, &err), 0);
    assert_string_equal(c.matrix, "a.cm");
    assert_string_equal(c.topology, "b.topo");
    assert_int_equal(c.seed, 4);
    assert_string_equal(setting(&c, "linkspeed"), "400000000000bps");
    assert_string_equal(setting(&c, "hop_latency"), "1000999ps");        /* as a double is truncated */
    assert_string_equal(setting(&c, "ecn_low"), "8");
    assert_string_equal(setting(&c, "ecn_high"), "30");
    assert_string_equal(setting(&c, "end"), "3000us");
    assert_string_equal(setting(&c, "trim"), "no");
    assert_string_equal(setting(&c, "window"), "dctcp");
    assert_string_equal(setting(&c, "paths"), "32");
    assert_string_equal(setting(&c, "qa_gate"), "");
    assert_string_equal(setting(&c, "control"), "nscc");
    assert_string_equal(setting(&c, "oversubscribed_auto"), "no");
    htsim_command_fini(&c);
}

/* Options that undo each other act in the order in which they are given. */
static void parse_command__control(void **unused)
{
    static const struct { const char *text, *control, *over, *automatic; } rows[] = {
        { "htsim_uec -tm a", "nscc", "", "yes" },
        { "htsim_uec -tm a -sender_cc_only", "nscc", "no", "no" },
        { "htsim_uec -tm a -receiver_cc_only", "rccc", "no", "yes" },
        { "htsim_uec -tm a -receiver_cc", "both", "", "yes" },
        { "htsim_uec -tm a -oversubscribed_cc -receiver_cc_only", "rccc", "no", "yes" },
        { "htsim_uec -tm a -receiver_cc_only -oversubscribed_cc", "rccc", "yes", "yes" },
        { "htsim_uec -tm a -force_disable_oversubscribed_cc", "nscc", "no", "no" },
        { "htsim_uec -tm a -sender_cc_algo nscc -receiver_cc", "both", "", "no" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htsim_command c;
        struct err           err;

        assert_int_equal(htsim_read_command("c", rows[i].text, &c, &err), 0);
        assert_string_equal(setting(&c, "control"), rows[i].control);
        assert_string_equal(setting(&c, "oversubscribed_cc"), rows[i].over);
        assert_string_equal(setting(&c, "oversubscribed_auto"), rows[i].automatic);
        htsim_command_fini(&c);
    }
}

static void parse_command__refuses(void **unused)
{
    static const struct refusal row[] = {
        { "", "c: a command line of uet-htsim begins with htsim_uec" },
        { "htsim_ndp -tm a", "c:1: a command line of uet-htsim begins with htsim_uec" },
        { "htsim_uec -seed 1", "c:1: -tm, the connection matrix, is missing" },
        { "htsim_uec -tm", "c:1: nothing is given for -tm" },
        { "htsim_uec -tm a -path 4", "c:1: '-path' is not an option; did you mean '-paths'?" },
        { "htsim_uec -tm a -paths x", "c:1: -paths: 'x' is not a whole number" },
        { "htsim_uec -tm a -hop_latency -1", "c:1: -hop_latency: '-1' is not a number" },
        { "htsim_uec -tm a -hop_latency 1e13", "c:1: -hop_latency: 1e13 is not within 0 .. 1e+12" },
        { "htsim_uec -tm a -strat a:b", "c:1: -strat: 'a:b' is not a name" },
        { "htsim_uec -tm a\n-planes 2", "c:2: -planes is not modelled" },
        { "htsim_uec -tm a -ecn 1 0", "c:1: -ecn 1 0 marks every packet" },
        { "htsim_uec -tm a -receiver_cc_only -sender_cc_only", "c:1: -receiver_cc_only contradicts -sender_cc_only" },
        { "htsim_uec -tm a -sender_cc_only -receiver_cc", "c:1: -sender_cc_only contradicts -receiver_cc" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct htsim_command c = { .seed = 77 };
        struct err           err;

        if (htsim_read_command("c", row[i].text, &c, &err) == 0)
            fail_msg("'%s' is not refused", row[i].text);
        assert_starts(row[i].reason, err.text);
        assert_int_equal(c.seed, 77);            /* unchanged */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_cm__plain),
        cmocka_unit_test(parse_cm__start_is_picoseconds),
        cmocka_unit_test(parse_cm__triggers),
        cmocka_unit_test(parse_cm__multishot_left_over),
        cmocka_unit_test(parse_cm__refuses_lines),
        cmocka_unit_test(parse_cm__refuses_ids),
        cmocka_unit_test(parse_cm__refuses_triggers_that_cannot_work),
        cmocka_unit_test(parse_cm__refuses_cycles),
        cmocka_unit_test(parse_cm__chain_of_one_multishot),
        cmocka_unit_test(read_cm__names_the_file),
        cmocka_unit_test(parse_topology__three_tiers),
        cmocka_unit_test(parse_topology__two_tiers),
        cmocka_unit_test(parse_topology__bundles_are_parallel_links),
        cmocka_unit_test(parse_topology__adds_switch_latency_to_links),
        cmocka_unit_test(parse_topology__speeds_differ),
        cmocka_unit_test(parse_topology__refuses_lines),
        cmocka_unit_test(parse_topology__refuses_inconsistent_numbers),
        cmocka_unit_test(parse_uet_cm__start_is_whole_microseconds),
        cmocka_unit_test(parse_uet_cm__refuses),
        cmocka_unit_test(parse_uet_topology__keeps_delays_apart),
        cmocka_unit_test(parse_uet_topology__needs_no_delays),
        cmocka_unit_test(parse_command__options_become_keys),
        cmocka_unit_test(parse_command__control),
        cmocka_unit_test(parse_command__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
