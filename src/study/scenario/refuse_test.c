/* src/study/scenario/refuse_test.c - invalid scenarios are refused before anything runs, with the location of
 * the error. */
#include "study/scenario/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STAR    "topology: {kind: star, hosts: 4}\n"                         /* line 1 */
#define CLOS    "topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 2}\n"
#define INCAST  "traffic: [{kind: incast, senders: 3, size: 1MB}]\n"
#define POISSON "traffic: [{kind: poisson, sizes: WebSearch, stop: 1ms"      /* to be continued */

struct row { const char *text, *message; };

static void refuse(const struct row *row, const char *const *set, uint32_t sets)
{
    struct scenario s;
    struct err      err = { "" };

    if (scenario_parse(&s, "s.yaml", row->text, strlen(row->text), set, sets, NULL, &err) == 0)
        fail_msg("accepted: %s", row->text);
    assert_string_equal(err.text, row->message);
    assert_null(s.path);         /* nothing is left */
    assert_null(s.traffic);
}

static void refuse_all(const struct row *row)
{
    for (; row->text; row++)
        refuse(row, NULL, 0);
}

static void scenario_parse__names(void **state)
{
    static const struct row rows[] = {
        { "", "s.yaml: this file is empty; 'anole init' writes a scenario to begin with" },
        { "# nothing\n", "s.yaml: this file is empty; 'anole init' writes a scenario to begin with" },
        { "seed: 1\n", "s.yaml:1:1: 'topology' is missing" },
        { "- 1\n", "s.yaml:1:1: a scenario must be a map of 'key: value'" },
        { "topolgy: {kind: star}\n",
          "s.yaml:1:1: 'topolgy' is not a key of a scenario; did you mean 'topology'?" },
        { STAR, "s.yaml:1:1: 'traffic' is missing" },
        { "topology: star\n" INCAST, "s.yaml:1:11: 'hosts' is missing in topology star" },
        { "topology: {kind: start}\n",
          "s.yaml:1:18: 'start' is not a kind of topology; did you mean 'star'?" },
        { "topology: {kind: ring}\n", "s.yaml:1:18: 'ring' is not a kind of topology; there are star, clos, "
          "fat_tree, hpcc, graph, htsim, simai, astra, rail_optimized, hpn, multi_plane, dragonfly, "
          "dgx_h100, paraleon_testbed, acc_fabric and rlcc_cluster" },
        { "topology: {kind: star, hots: 4}\n",
          "s.yaml:1:24: 'hots' is not a key of topology star; did you mean 'hosts'?" },
        { "topology: {kind: star, tors: 4}\n",
          "s.yaml:1:24: 'tors' is not a key of topology star; there are kind, loss, ber, links_down, "
          "link_rates, hosts, rate and delay" },
        { "topology: {kind: star, hosts: [4]}\n", "s.yaml:1:31: 'hosts' must be a single value, not a list" },
        { STAR "traffic: [{kind: incst}]\n",
          "s.yaml:2:18: 'incst' is not a kind of traffic; did you mean 'incast'?" },
        { STAR POISSON ", lod: 0.2}]\n",
          "s.yaml:2:56: 'lod' is not a key of traffic poisson; did you mean 'load'?" },
        { STAR "traffic: [{kind: flows, file: f, start: 1ms}]\n",
          "s.yaml:2:34: 'start' is not a key of traffic flows; there are kind, name, file and qps" },
        { STAR INCAST "cc: dcqn\n", "s.yaml:3:5: 'dcqn' is not a congestion control; did you mean 'dcqcn'?" },
        { STAR INCAST "cc: xyz\n", "s.yaml:3:5: 'xyz' is not a congestion control; there are dcqcn, "
          "dcqcn_hpcc, dcqcn_paraleon, dcqcn_plus, hpcc, hpcc_pint, timely, dctcp, swift, nscc, rttcc, rlcc, "
          "none, rccc, nscc_rccc and nscc_dctcp" },
        { STAR INCAST "model: conweave\ncc: dcqcn_plus\n",
          "s.yaml:4:5: dcqcn_plus needs the model nic or hpcc: conweave has DCQCN alone" },
        { STAR INCAST "model: conweave\ncc: hpcc\n",
          "s.yaml:4:5: hpcc needs the model nic or hpcc: conweave has DCQCN alone" },
        { STAR INCAST "model: hpcc\ncc: swift\n",
          "s.yaml:4:5: swift needs the model nic: no other provides its input" },
        { STAR INCAST "cc: rlcc\nrlcc: {model: none.model}\n", "s.yaml:4:15: rlcc: none.model: No such file "
          "or directory" },
        { STAR INCAST "cc: rlcc\nrlcc: {modl: trees}\n", "s.yaml:4:8: 'modl' is not a key of rlcc; did you "
          "mean 'model'?" },
        { STAR INCAST "cc: rlcc\nrlcc: {range: 0.1}\n", "s.yaml:4:7: rlcc: trees: trees have their range of "
          "actions in them" },
        { STAR INCAST "cc: rlcc\nknobs: {rlcc_base: 201us}\n", "s.yaml:4:20: 'rlcc_base' must be 0 .. 200 "
          "us, not 201us" },
        { STAR INCAST "model: hpcc\ncc: rlcc\n",
          "s.yaml:4:5: rlcc needs the model nic: no other provides its input" },
        { STAR INCAST "model: hpcc\ncc: rttcc\n",
          "s.yaml:4:5: rttcc needs the model nic: no other provides its input" },
        { STAR INCAST "cc: hpcc\nknobs: {hpcc_eta: 1.2}\n", "s.yaml:4:19: 'hpcc_eta' must be 0.5 .. 1, not "
          "1.2" },
        { STAR INCAST "nic: nvidea\n", "s.yaml:3:6: 'nvidea' is not a NIC; did you mean 'nvidia'?" },
        { STAR INCAST "nic: broadcom\n", "s.yaml:3:6: 'broadcom' is not a NIC; there are nvidia, "
          "dcqcn_paper, hpcc, strong_alpha and truncated_alpha" },
        { STAR INCAST "nic: {name: hpcc}\n", "s.yaml:3:6: 'nic' must be a single value, not a map" },
        { STAR INCAST "lb: emcp\n", "s.yaml:3:5: 'emcp' is not a load balancer; did you mean 'ecmp'?" },
        { STAR INCAST "model: ns3\n", "s.yaml:3:8: 'ns3' is not a model; there are nic, hpcc, conweave, htsim and uet" },
        { STAR INCAST "order: ns3\n", "s.yaml:3:8: the order ns3 needs the model hpcc or conweave" },
        { STAR INCAST "host: {mut: 1000}\n", "s.yaml:3:8: 'mut' is not a key of host; did you mean 'mtu'?" },
        { STAR INCAST "switch: 5\n", "s.yaml:3:9: switch must be a map of 'key: value'" },
        { STAR INCAST "switch: {alpa: 1}\n",
          "s.yaml:3:10: 'alpa' is not a key of switch; did you mean 'alpha'?" },
        { STAR INCAST "knobs: {kmim: 3}\n", "s.yaml:3:9: 'kmim' is not a knob; did you mean 'kmin'?" },
        { STAR INCAST "knobs: [kmin]\n", "s.yaml:3:8: 'knobs' must be a map of 'knob: value'" },
        { STAR INCAST "cc: a\ncc: b\n", "s.yaml:4:1: 'cc' is given twice, first in line 3" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

static void scenario_parse__values(void **state)
{
    static const struct row rows[] = {
        { STAR INCAST "run: 5 parsecs\n",
          "s.yaml:3:6: run: '5 parsecs' is not a time; write 5us, 3ms, 200ns" },
        { STAR INCAST "run: 5\n", "s.yaml:3:6: run: '5' has no unit; write 5us, 3ms, 200ns" },
        { STAR INCAST "run: 0\n", "s.yaml:3:6: run must be 1 ps .. 1000000 s, not 0" },
        { STAR INCAST "run: 2000000s\n", "s.yaml:3:6: run must be 1 ps .. 1000000 s, not 2000000s" },
        { STAR INCAST "seed: x\n", "s.yaml:3:7: seed: 'x' is not a whole number" },
        { STAR INCAST "host: {mtu: 63}\n", "s.yaml:3:13: mtu must be 64 B .. 9 KB, not 63" },
        { STAR INCAST "host: {mtu: 9001}\n", "s.yaml:3:13: mtu must be 64 B .. 9 KB, not 9001" },
        { STAR INCAST "host: {ack_every: 0}\n", "s.yaml:3:19: ack_every must be 1 .. 1024, not 0" },
        { STAR INCAST "host: {ack_unpaused: maybe}\n",
          "s.yaml:3:22: ack_unpaused: 'maybe' is neither true nor false" },
        { STAR INCAST "switch: {alpha: 0.3}\n",
          "s.yaml:3:17: alpha must be 1, 0.5, 0.25, 0.125 and so on down to 1/128, not 0.3" },
        { STAR INCAST "switch: {alpha: 2}\n", "s.yaml:3:17: alpha must be 0.0078125 .. 1, not 2" },
        { STAR INCAST "switch: {buffer: 5GB}\n", "s.yaml:3:18: buffer must be 1 B .. 4.295 GB, not 5GB" },
        { STAR INCAST "switch: {strict: [8]}\n", "s.yaml:3:19: a class must be 0 .. 7, not 8" },
        { STAR INCAST "switch: {weights: [1, 2]}\n",
          "s.yaml:3:19: 'weights' must name all 8 classes, not 2" },
        { STAR INCAST "switch: {weights: [1, 1, 1, 0, 1, 1, 1, 1]}\n",
          "s.yaml:3:29: a weight must be 1 .. 255, not 0" },
        { STAR INCAST "switch: {ecn_at: egress}\n",
          "s.yaml:3:18: 'egress' is not a value of ecn_at; there are dequeue and enqueue" },
        { STAR INCAST "switch: {ecn_by_rate: [{rate: 25Gbps, kmin: 9, kmax: 4, pmax: 1}]}\n",
          "s.yaml:3:45: 'kmin' (9 KB) must not be above 'kmax' (4 KB)" },
        { STAR INCAST "switch: {ecn_by_rate: [{rate: 25Gbps, kmin: 9, kmax: 9}]}\n",
          "s.yaml:3:24: 'pmax' is missing in switch ecn_by_rate" },
        { STAR INCAST "knobs: {kmin: 2MB}\n",
          "s.yaml:3:15: 'kmin' (2000 KB) must not be above 'kmax' (1600 KB)" },
        { STAR INCAST "knobs: {rpg_gd: 16}\n",
          "s.yaml:3:17: 'rpg_gd' must be a whole number 0 .. 15, not 16" },
        { STAR INCAST "changes: [{at: 1ms, knobs: {kmax: 1KB}}]\n",
          "s.yaml:3:35: 'kmin' (400 KB) must not be above 'kmax' (1 KB)" },
        { STAR INCAST "changes: [{at: 0, knobs: {}}]\n",
          "s.yaml:3:16: a change must be after the start; use 'knobs' for the initial setting" },
        { STAR INCAST "changes: [{at: 2ms, knobs: {}}, {at: 1ms, knobs: {}}]\n",
          "s.yaml:3:38: changes must be in the order of their time" },
        { STAR INCAST "run: 1ms\nchanges: [{at: 1ms, knobs: {}}]\n", "s.yaml:4:16: the run is over by then" },
        { STAR INCAST "changes: [{knobs: {}}]\n", "s.yaml:3:11: 'at' is missing in changes" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

static void scenario_parse__networks(void **state)
{
    static const struct row rows[] = {
        { "topology: {kind: star}\n" INCAST, "s.yaml:1:11: 'hosts' is missing in topology star" },
        { "topology: {kind: star, hosts: 0}\n" INCAST, "s.yaml:1:31: hosts must be 1 .. 1048576, not 0" },
        { "topology: {kind: star, hosts: 1048576}\n" INCAST, "s.yaml:1:11: more than 1048576 nodes" },
        { "topology: {kind: star, hosts: 4, rate: 100}\n" INCAST,
          "s.yaml:1:40: rate: '100' has no unit; write 100Gbps, 400Mbps, 25G" },
        { "topology: {kind: star, hosts: 4, rate: 1Mbps}\n" INCAST,
          "s.yaml:1:11: the link h0-s0: its rate, 1 Mb/s, is not within 1 Gb/s .. 1.6 Tb/s" },
        { "topology: {kind: star, hosts: 4, rate: 1.6Tbps, delay: 100ms}\n" INCAST,
          "s.yaml:1:11: the link h0-s0: its delay, 100 ms, is more than 4 ms" },
        { "topology: {kind: star, hosts: 4, delay: 0}\n" INCAST, "s.yaml:1:11: the link h0-s0 has no delay" },
        { "model: hpcc\ntopology: {kind: star, hosts: 4, delay: 1.5ns}\n" INCAST,
          "s.yaml:2:11: the link h0-s0: in model hpcc a delay is whole nanoseconds, unlike 1.5 ns" },
        { "topology: {kind: star, hosts: 4, loss: 1}\n" INCAST,
          "s.yaml:1:40: loss must be 0 .. 0.999999, not 1" },
        { "topology: {kind: clos, hosts: 10, hosts_per_tor: 4, spines: 2}\n" INCAST,
          "s.yaml:1:31: 10 hosts cannot be divided into racks of 4" },
        { "topology: {kind: clos, hosts: 8, tors: 2, hosts_per_tor: 4, spines: 2}\n" INCAST,
          "s.yaml:1:31: give 'tors' or 'hosts', not both" },
        { "topology: {kind: clos, tors: 1000, hosts_per_tor: 2000, spines: 2}\n" INCAST,
          "s.yaml:1:11: more than 1048576 nodes" },
        { "topology: {kind: clos, tors: 1000, hosts_per_tor: 1, spines: 1000, links: 5}\n" INCAST,
          "s.yaml:1:11: more than 4194304 links" },
        { "topology: {kind: fat_tree, k: 5}\n" INCAST, "s.yaml:1:31: k must be even, not 5" },
        { "topology: {kind: fat_tree, k: 0}\n" INCAST, "s.yaml:1:31: k must be 2 .. 158, not 0" },
        { "topology: {kind: fat_tree, k: 160}\n" INCAST, "s.yaml:1:31: k must be 2 .. 158, not 160" },
        { "topology: {kind: star, hosts: 6000}\ntraffic:\n  - {kind: all_to_all, size: 1KB}\n",
          "s.yaml:3:5: 35994000 flows at once are too many: there may be 33554432, all entries together; "
          "let fewer hosts send, or one after the other" },
        { "topology: {kind: hpcc, file: nowhere.txt}\n" INCAST, "s.yaml:1:30: nowhere.txt: No such file or "
          "directory" },
        { "topology: {kind: graph, hosts: 1, switches: [7up], links: []}\n" INCAST,
          "s.yaml:1:46: the name of a switch has 1 to 15 characters and starts with a letter" },
        { "topology: {kind: graph, hosts: 1, switches: [h0], links: []}\n" INCAST,
          "s.yaml:1:46: there are two nodes called 'h0'" },
        { "topology: {kind: graph, hosts: 1, switches: 1, links: [{a: h0, b: s1}]}\n" INCAST,
          "s.yaml:1:67: there is no node 's1'" },
        { "topology: {kind: graph, hosts: 1, switches: 1, links: [{a: s0, b: s0}]}\n" INCAST,
          "s.yaml:1:56: a link goes from s0 to itself" },
        { "topology: {kind: graph, hosts: 2, switches: 1, links: [{a: h0, b: s0}]}\n" INCAST,
          "s.yaml:1:11: the host h1 has 0 links; a host has one" },
        { "topology: {kind: graph, hosts: 2, switches: 2, links: [{a: h0, b: s0}, {a: h1, b: s1}]}\n" INCAST,
          "s.yaml:1:11: the hosts h0 and h1 cannot reach each other" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

#define DOWN(what) \
    "topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 2,\n links_down: [" what "]}\n" INCAST

static void scenario_parse__links_down(void **state)
{
    static const struct row rows[] = {
        { DOWN("{a: tor0, b: tor1, down: 1ms}"), "s.yaml:2:15: there is no link between tor0 and tor1" },
        { DOWN("{a: tor0, b: spine7, down: 1ms}"), "s.yaml:2:28: there is no node 'spine7'" },
        { DOWN("{a: tor0, b: spine1}"), "s.yaml:2:15: 'down' is missing in topology links_down" },
        { DOWN("{a: tor0, b: spine1, down: 2ms, up: 1ms}"), "s.yaml:2:51: 'up' must be after 'down'" },
        { DOWN("{a: tor0, b: spine1, down: 2ms, which: 1}"),
          "s.yaml:2:54: there is no link 1 between tor0 and spine1; the first is 0" },
        { DOWN("{a: tor0, b: spine1, down: 1ms, up: 3ms}, {a: tor0, b: spine1, down: 2ms}"),
          "s.yaml:2:57: the link tor0-spine1 is down already: the times of two entries overlap" },
        { DOWN("{a: tor0, b: spine0, down: 1ms}, {a: tor0, b: spine1, down: 2ms}"),
          "s.yaml:2:48: links stay down: the hosts h0 and h2 cannot reach each other; without 'run' this "
          "would never end" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

#define SPEED(what) \
    "topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 2,\n link_rates: [" what "]}\n" INCAST

static void scenario_parse__link_rates(void **state)
{
    static const struct row rows[] = {
        { SPEED("{a: tor0, b: tor1, rate: 10Gbps}"), "s.yaml:2:15: there is no link between tor0 and tor1" },
        { SPEED("{a: tor0, b: spine1}"), "s.yaml:2:15: 'rate' is missing in topology link_rates" },
        { SPEED("{a: tor0, b: spine1, rate: 1Mbps}"),
          "s.yaml:1:11: the link tor0-spine1: its rate, 1 Mb/s, is not within 1 Gb/s .. 1.6 Tb/s" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

static void scenario_parse__traffic(void **state)
{
    static const struct row rows[] = {
        { STAR "traffic: []\n", "s.yaml:2:10: 'traffic' must be a list with an entry or more" },
        { STAR "traffic: {kind: incast}\n", "s.yaml:2:10: 'traffic' must be a list" },
        { STAR "traffic: [incast]\n", "s.yaml:2:11: 'kind' is missing in traffic" },
        { STAR "traffic: [{kind: incast, senders: 3}]\n",
          "s.yaml:2:11: 'size' is missing in traffic incast" },
        { STAR "traffic: [{kind: incast, senders: 3, size: 1, qps: 0}]\n",
          "s.yaml:2:52: qps must be 1 .. 65535, not 0" },
        { STAR "traffic: [{kind: incast, senders: 3, size: 1, qps: one}]\n",
          "s.yaml:2:52: qps: 'one' is not a whole number" },
        { STAR "traffic: [{kind: tcp, senders: 3, size: 1, qps: 1}]\n", "s.yaml:2:49: tcp has no queue "
          "pairs" },
        { "model: hpcc\n" STAR "traffic: [{kind: incast, senders: 3, size: 1, qps: 1}]\n",
          "s.yaml:3:52: in this model every flow has its own queue pair: 'qps' must be 'fresh'" },
        { "model: conweave\n" STAR "traffic: [{kind: training, size: 1, iterations: 1, qps: 1}]\n",
          "s.yaml:3:57: in this model every flow has its own queue pair: 'qps' must be 'fresh'" },
        { STAR "traffic: [{kind: incast, senders: 3, size: 0}]\n",
          "s.yaml:2:44: size must be 1 B .. 281.5 TB, not 0" },
        { STAR "traffic: [{kind: incast, senders: 4, size: 1}]\n",
          "s.yaml:2:35: senders must be 1 .. 3, not 4" },
        { STAR "traffic: [{kind: incast, senders: [h1, h3], size: 1}]\n",
          "s.yaml:2:35: the receiver h3 is among the senders" },
        { STAR "traffic: [{kind: incast, senders: [h1, 1], size: 1}]\n",
          "s.yaml:2:40: host '1' is listed twice" },
        { STAR "traffic: [{kind: incast, senders: [h9], size: 1}]\n", "s.yaml:2:36: there is no host 'h9'" },
        { STAR "traffic: [{kind: incast, senders: 1, receiver: s0, size: 1}]\n",
          "s.yaml:2:48: 's0' is not a host but a switch" },
        { STAR "traffic: [{kind: incast, senders: 1, receiver: 5, size: 1}]\n",
          "s.yaml:2:48: there is no host '5'" },
        { STAR "traffic: [{kind: incast, senders: 1, size: 1, period: 1us}]\n",
          "s.yaml:2:11: incast traffic needs an end: give it 'stop', or the scenario 'run'" },
        { STAR "traffic: [{kind: incast, senders: 1, size: 1, prio: 8}]\n",
          "s.yaml:2:53: prio must be 0 .. 7, not 8" },
        { STAR "traffic: [{kind: incast, senders: 1, size: 1, start: 2ms, stop: 1ms}]\n",
          "s.yaml:2:65: 'stop' must be after 'start'" },
        { STAR "run: 1ms\ntraffic: [{kind: incast, senders: 1, size: 1, start: 2ms}]\n",
          "s.yaml:3:54: the run is over by then" },
        { STAR "traffic: [{kind: permutation, size: 1, shift: 4}]\n",
          "s.yaml:2:47: shift must be 0 .. 3, not 4" },
        { STAR "traffic: [{kind: permutation, size: 1, hosts: 1}]\n",
          "s.yaml:2:47: hosts must be 2 .. 4, not 1" },
        { STAR "traffic: [{kind: all_to_all, size: 1, hosts: [h1]}]\n",
          "s.yaml:2:46: 'hosts' must name 2 hosts or more" },
        { "topology: {kind: star, hosts: 1}\ntraffic: [{kind: all_to_all, size: 1}]\n",
          "s.yaml:2:11: 1 hosts are too few for all_to_all" },
        { "topology: {kind: star, hosts: 1}\n" INCAST, "s.yaml:2:11: 1 hosts are too few for incast" },
        { STAR "traffic: [{kind: rpc, stop: 1ms, post_time: 5 parsecs}]\n",
          "s.yaml:2:45: post_time: '5 parsecs' is not a time; write 5us, 3ms, 200ns" },
        { STAR "traffic: [{kind: rpc, stop: 1ms, poll_time: nowhere.txt}]\n",
          "s.yaml:2:45: nowhere.txt: No such file or directory" },
        { STAR "traffic: [{kind: flows, file: nowhere.txt}]\n", "s.yaml:2:31: nowhere.txt: No such file or "
          "directory" },
        { STAR "traffic: [{kind: incast, senders: 1, size: 1, name: a},\n {kind: incast, senders: 1, size: "
               "1, name: a}]\n",
          "s.yaml:3:44: another entry is already named 'a'" },
        { "hpcc: nowhere/config.txt\n", "s.yaml:1:7: nowhere/config.txt: No such file or directory" },
        { "hpcc: nowhere/config.txt\n" STAR,
          "s.yaml:2:1: the config named by 'hpcc' brings its own topology" },
        { "hpcc: nowhere/config.txt\nnic: hpcc\n", "s.yaml:2:1: the config named by 'hpcc' brings its own "
          "nic" },
        { "hpcc: nowhere/config.txt\nmodel: nic\n",
          "s.yaml:2:8: a config of a fork needs its model, hpcc or conweave" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

static void scenario_parse__loads(void **state)
{
    static const struct row rows[] = {
        { STAR "traffic: [{kind: poisson, sizes: WebSearch}]\n",
          "s.yaml:2:11: poisson traffic needs an end: give it 'stop', or the scenario 'run'" },
        { STAR "traffic: [{kind: poisson, sizes: WebSerch, stop: 1ms}]\n",
          "s.yaml:2:34: 'WebSerch' is neither a built-in table of sizes nor a file; did you mean "
          "'WebSearch'?" },
        { STAR "traffic: [{kind: poisson, sizes: [[100, 0.5], [1000]], stop: 1ms}]\n",
          "s.yaml:2:47: a row of sizes is [bytes, probability]" },
        { STAR "traffic: [{kind: poisson, sizes: [[100, 0.5], [1000, 0.9]], stop: 1ms}]\n",
          "s.yaml:2:34: row:2: the last probability must be 1, not 0.9" },
        { STAR "traffic: [{kind: poisson, sizes: nowhere.cdf, stop: 1ms}]\n",
          "s.yaml:2:34: nowhere.cdf: No such file or directory" },
        { STAR POISSON ", load: 0}]\n", "s.yaml:2:62: load must be 1e-06 .. 1000, not 0" },
        { STAR POISSON ", load: 1.2}]\n",
          "s.yaml:2:62: too much load: h0 would send 120 Gb/s, but its link carries 100 Gb/s" },
        { STAR POISSON ", load: 40}]\n",
          "s.yaml:2:62: too much load: h0 would send 4 Tb/s, but its link carries 100 Gb/s; did you mean 40%?" },
        { STAR POISSON ", load: 0.3, of: bisection}]\n",
          "s.yaml:2:71: there is no traffic between racks: all hosts are behind one switch" },
        /* 4 uplinks of 100 Gbps; 4 hosts, 2 of 3 destinations in the other rack: 400 x 0.8 / (4 x 2/3) */
        { CLOS POISSON ", load: 0.8, of: bisection}]\n",
          "s.yaml:2:62: too much load: h0 would send 120 Gb/s, but its link carries 100 Gb/s" },
        { STAR POISSON ", load: 0.6}, {kind: poisson, sizes: FB_Hadoop, start: 0.5ms, stop: 2ms, load: 0.5, "
                       "hosts: [2, 1]}]\n",
          "s.yaml:2:133: too much load: h2 would send 110 Gb/s, but its link carries 100 Gb/s" },
        { STAR POISSON ", of: links}]\n",
          "s.yaml:2:60: 'links' is not a measure of load; there are hosts and bisection" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

static void scenario_parse__sets(void **state)
{
    static const struct { const char *set, *message;
    } rows[] = {
        { "kmim=3", "--set kmim=3: 'kmim' is not a knob or a key; did you mean 'kmin'?" },
        { "tpology.hosts=3",
          "--set tpology.hosts=3: 'tpology' is not a knob or a key; did you mean 'topology'?" },
        { "kmin", "--set kmin: write it as key=value" },
        { "=3", "--set =3: write it as key=value" },
        { "kmin=", "--set kmin=: nothing is given after '='" },
        { "kmin=9MB", "--set kmin=9MB: 'kmin' (9000 KB) must not be above 'kmax' (1600 KB)" },
        { "knobs.kmim=3", "--set knobs.kmim=3: 'kmim' is not a knob; did you mean 'kmin'?" },
        { "topology.hots=3",
          "--set topology.hots=3: 'hots' is not a key of topology star; did you mean 'hosts'?" },
        { "topology.hosts=0", "--set topology.hosts=0: hosts must be 1 .. 1048576, not 0" },
        { "topology.hosts.x=0",
          "--set topology.hosts.x=0: 'x' stands below '4', which is neither a map nor a list" },
        { "traffic.1.size=0", "--set traffic.1.size=0: there is no entry 1 in a list of 1; the first is 0" },
        { "traffic.x.size=0", "--set traffic.x.size=0: 'x' is not the number of an entry of a list" },
        { "traffic.0.size=0", "--set traffic.0.size=0: size must be 1 B .. 281.5 TB, not 0" },
        { "run={a: 1}", "--set run={a: 1}: 'run' must be a single value, not a map" },
        { "host={mut: 1}", "--set host={mut: 1}: 'mut' is not a key of host; did you mean 'mtu'?" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refuse(&(struct row){ STAR INCAST, rows[i].message }, &rows[i].set, 1);
}

/* Errors in a file that the scenario names are returned unchanged. */
static void scenario_read__table_of_sizes(void **state)
{
    static const struct row rows[] = {
        { "0 0\n500 0.9\n", "/sizes.cdf:2: the last probability must be 1, not 0.9" },
        { "0 0\n500 0.9\n400 1\n", "/sizes.cdf:3: sizes must not decrease, but 400 follows 500" },
        { NULL, NULL },
    };
    char folder[] = "/tmp/scenario_test.XXXXXX", table[64], path[64], message[200];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(table, sizeof table, "%s/sizes.cdf", folder);
    snprintf(path, sizeof path, "%s/s.yaml", folder);
    for (const struct row *row = rows; row->text; row++) {
        struct scenario s;
        struct err      err = { "" };
        FILE           *f = fopen(table, "w"), *g = fopen(path, "w");

        fputs(row->text, f);
        fputs(STAR "traffic: [{kind: poisson, sizes: sizes.cdf, stop: 1ms}]\n", g);
        fclose(f);
        fclose(g);
        snprintf(message, sizeof message, "%s%s", folder, row->message);
        assert_true(scenario_read(&s, path, NULL, 0, NULL, &err) < 0);
        assert_string_equal(err.text, message);
    }
    unlink(table);
    unlink(path);
    rmdir(folder);
}

static void scenario_read__no_file(void **state)
{
    struct scenario s;
    struct err      err = { "" };

    (void)state;
    assert_true(scenario_read(&s, "nowhere.yaml", NULL, 0, NULL, &err) < 0);
    assert_string_equal(err.text, "nowhere.yaml: No such file or directory");
}

/* Each of the 4 ports needs 2 x 12500 bytes on the wire, 4 packets, a pause frame and the reserve. */
static void scenario_start__small_buffer(void **state)
{
    static const char text[] = STAR INCAST "switch: {buffer: 64KB}\n";
    struct scenario s;
    struct sim     *sim;
    struct err      err = { "" };

    (void)state;
    assert_int_equal(scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err), 0);
    assert_true(scenario_start(&s, &sim, &err) < 0);
    assert_string_equal(
        err.text, "s.yaml:3:18: the buffer of s0 (64000 bytes) is smaller than the headroom and reserve of "
                  "its 4 ports (134416 bytes)");
    scenario_fini(&s);
}

#define MODEL_LINE "model: uet\n"

static void scenario_parse__uet(void **state)
{
    static const struct row rows[] = {
        { STAR INCAST "switch: {trim: yes}\n", "s.yaml:3:10: trimming needs 'model: uet': a receiver without selective ACKs "
          "cannot use a packet that lost its payload" },
        { STAR INCAST "cc: rccc\n", "s.yaml:3:5: rccc needs 'model: uet'" },
        { STAR INCAST "host: {sleek: yes}\n", "s.yaml:3:8: 'sleek' needs 'model: uet'" },
        { STAR INCAST "switch: {asic: jericho2}\n", "s.yaml:3:16: a chip with virtual output queues marks packets by credits, "
          "whatever kmin and kmax are (sonic-buildimage 20146): its ECN cannot be predicted" },
        { STAR INCAST "model: hpcc\nhost: {tx_fifo: 90KB}\n", "s.yaml:4:8: 'tx_fifo' needs 'model: nic'" },
        { STAR INCAST "host: {turn: 4KB}\n", "s.yaml:3:8: 'turn' is about a FIFO: it needs 'tx_fifo'" },
        { STAR INCAST "lb: reps\n", "s.yaml:3:5: with 'reps' packets overtake each other: it needs 'model: uet', or model nic "
          "with 'host: {retransmit: selective}'" },
        { STAR INCAST MODEL_LINE "cc: dcqcn\n", "s.yaml:4:5: model uet has the controls nscc, rccc, nscc_rccc and nscc_dctcp: dcqcn "
          "is for queue pairs; 'others' with 'classes' gives them classes of their own" },
        { STAR INCAST MODEL_LINE "cc: {others: [{kind: dcqcn, hosts: 2}]}\n", "s.yaml:4:29: model uet has one control for all "
          "hosts; 'classes' names classes whose flows are queue pairs of RoCE" },
        { STAR INCAST MODEL_LINE "cc: {others: [{kind: rccc, classes: [3]}]}\n", "s.yaml:4:22: rccc is for connections of UET: "
          "queue pairs cannot use it" },
        { STAR INCAST MODEL_LINE "cc: {others: [{kind: hpcc, classes: [3]}]}\n", "s.yaml:4:22: hpcc needs telemetry in the "
          "headers of all packets, which those of UET do not have" },
        { STAR INCAST MODEL_LINE "cc: {others: [{kind: dcqcn, classes: [3]}, {kind: dcqcn, classes: [4]}]}\n", "s.yaml:4:51: queue "
          "pairs have one control in model uet; list all their classes with it" },
        { STAR INCAST MODEL_LINE "cc: {others: [{kind: dcqcn, classes: [4]}]}\n", "s.yaml:4:5: class 4 has queue pairs, but no "
          "traffic uses it: 'prio' of a traffic entry is its class" },
        { STAR INCAST "cc: {others: [{kind: dcqcn, classes: [3]}]}\n", "s.yaml:3:29: 'classes' needs 'model: uet'" },
        { STAR INCAST MODEL_LINE "cc: rccc\nswitch: {lossless: yes}\n", "s.yaml:5:10: receiver credit does not go with PFC: pauses "
          "would hold back what credit was given for" },
        { STAR INCAST MODEL_LINE "switch: {lossless: yes}\n", "s.yaml:4:10: model uet does not go with PFC: where senders are paused, "
          "no queue is full and nothing is trimmed" },
        { STAR INCAST MODEL_LINE "host: {retransmit: go_back_n}\n", "s.yaml:4:20: trimming and spraying need selective ACKs: model "
          "uet has nothing else" },
        { STAR INCAST MODEL_LINE "host: {sleek: yes}\n", "s.yaml:4:8: SLEEK finds losses without trimming: it needs 'switch: {trim: "
          "no}'" },
        { STAR INCAST MODEL_LINE "cc: rccc\nhost: {sleek: yes}\nswitch: {trim: no}\n", "s.yaml:5:8: SLEEK does not go with receiver "
          "credit: it sends again without waiting for credit" },
        { STAR INCAST MODEL_LINE "cc: rccc\nhost: {sleek: yes}\n", "s.yaml:5:8: SLEEK does not go with receiver "
          "credit: it sends again without waiting for credit" },
        { STAR INCAST MODEL_LINE "host: {window: 1MB}\n", "s.yaml:4:8: 'window' is for queue pairs: connections of model uet do not "
          "have it" },
        { STAR INCAST MODEL_LINE "lb: conweave\n", "s.yaml:4:5: conweave is for flows that keep their order: model uet sprays "
          "packets" },
        { STAR INCAST MODEL_LINE "knobs: {hf2t: 1}\n", "s.yaml:4:9: HF2T delays packets of a queue pair on one path: connections "
          "of model uet have many" },
        { STAR INCAST MODEL_LINE "switch: {header_class: 3}\n", "s.yaml:2:1: traffic uses class 3, which is that of headers and "
          "answers; 'switch: {header_class: ..}' chooses another" },
        { NULL, NULL },
    };

    (void)state;
    refuse_all(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_parse__names),
        cmocka_unit_test(scenario_parse__values),
        cmocka_unit_test(scenario_parse__networks),
        cmocka_unit_test(scenario_parse__links_down),
        cmocka_unit_test(scenario_parse__link_rates),
        cmocka_unit_test(scenario_parse__traffic),
        cmocka_unit_test(scenario_parse__loads),
        cmocka_unit_test(scenario_parse__sets),
        cmocka_unit_test(scenario_read__table_of_sizes),
        cmocka_unit_test(scenario_read__no_file),
        cmocka_unit_test(scenario_start__small_buffer),
        cmocka_unit_test(scenario_parse__uet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
