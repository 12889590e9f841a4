/* tests/worlds.h - small scenarios that together use all features of the simulator, with the digest of each
 * result: for tests that results do not depend on threads, steps or builds.
 */
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include <stdint.h>

struct world_text {
    const char *name, *text;
    uint64_t    digest;          /* with seed 1 */
};

static const struct world_text worlds[] = {
    { "nic_poisson",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 300us}]}",
      0x42c91b6f716b2e96 },
    { "nic_truncated_alpha",             /* the digest of nic_poisson from before alpha had a fraction */
      "{nic: truncated_alpha, knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 300us}]}",
      0xf87a3f6c06219b70 },
    { "nic_incast",
      "{topology: {kind: star, hosts: 17, rate: 100Gbps, delay: 1us}, switch: {buffer: 3MB}, "
      "knobs: {kmin: 20, kmax: 200}, traffic: [{kind: incast, senders: 16, size: 300KB}]}",
      0x4fb4ddccb443d071 },
    { "nic_classes",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 500ns}, switch: {weights: [1, 2, 3, "
      "4, 5, 6, 7, 8], ecn_at: enqueue}, traffic: [{kind: permutation, size: 400KB}, "
      "{kind: all_to_all, size: 20KB, prio: 5}]}",
      0x380f16bbb85fc629 },
    { "nic_lossy",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, "
      "ber: 1e-8}, switch: {lossless: no, buffer: 300KB}, host: {rto: 300us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.3, stop: 500us}, {kind: incast, "
      "senders: 7, size: 100KB, start: 50us}]}",
      0x2f3a64362d02ebaf },
    { "nic_failure",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 3, rate: 100Gbps, delay: 1us, "
      "links_down: [{a: tor0, b: spine1, down: 100us, up: 400us}]}, host: {rto: 200us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.4, stop: 600us}]}",
      0x79ae2ae1fc7f0ec0 },
    { "hpcc_poisson",
      "{model: hpcc, topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, "
      "delay: 1us}, traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 300us}]}",
      0x63bdfc98b2f46b14 },
    { "hpcc_incast",
      "{model: hpcc, topology: {kind: star, hosts: 17, rate: 25Gbps, delay: 1us}, "
      "traffic: [{kind: incast, senders: 16, size: 200KB}]}",
      0xf1e1d2fcd4a93d32 },
    { "hpcc_node_order",
      "{model: hpcc, order: node, topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: permutation, size: 300KB}]}",
      0x0fc2351f0a4fd51c },
    { "nic_training",
      "{knobs: {kmin: 5, kmax: 50}, topology: {kind: clos, tors: 4, hosts_per_tor: 2, spines: 2, "
      "rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: training, qps: fresh, workers: 8, placement: spread, collective: tree_all_reduce, "
      "size: 400KB, chunk: 50KB, "
      "compute: 20us, iterations: 3}, {kind: training, qps: fresh, name: ring, workers: 6, "
      "collective: ring_all_reduce, "
      "size: 100KB, iterations: 4, prio: 4}, {kind: training, qps: fresh, name: all, workers: 5, "
      "collective: all_to_all, "
      "size: 30KB, iterations: 2, start: 40us}]}",
      0x92d9db026affe5bc },
    { "nic_storage",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: storage, qps: fresh, preset: exchange, depth: 4, stop: 300us}, {kind: rpc, "
      "qps: fresh, sizes: SolarRPC, load: 0.1, "
      "stop: 300us}]}",
      0x348b8b300cb57c46 },
    { "nic_tcp",
      "{knobs: {kmin: 20, kmax: 200}, switch: {buffer: 2MB, weights: [1, 3, 1, 7, 1, 1, 1, 1]}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.3, stop: 300us}, {kind: tcp, algorithm: cubic, "
      "senders: 8, "
      "size: 300KB}, {kind: tcp, algorithm: dctcp, sizes: WebSearch, load: 0.1, prio: 2, stop: 300us}]}",
      0xea7325ec77705684 },
    { "nic_bursts",
      "{knobs: {kmin: 5, kmax: 50}, changes: [{at: 150us, knobs: {kmin: 50, kmax: 500}}], "
      "topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}, run: 600us, "
      "traffic: [{kind: many_to_one, hosts: 6, qps: 4, size: 20KB, spread: 50us}, {kind: long_short, "
      "qps: fresh, long: 2, "
      "long_size: 200KB, shorts: 4, short_size: 10KB, period: 100us, after: 20us, receiver: h3}]}",
      0x327b4f309835a8b4 },
    { "nic_rlcc",
      "{cc: rlcc, rlcc: trees, knobs: {rlcc_decision: 0.9us}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: many_to_one, hosts: 8, qps: 4, size: 100KB, spread: 50us}, {kind: permutation, "
      "size: 500KB}]}",
      0xed3dbd0fd70974c1 },
    { "nic_rlcc_lossy",
      "{cc: rlcc, rlcc: mlp, switch: {lossless: no, buffer: 400KB}, host: {rto: 300us}, "
      "knobs: {rlcc_decision: 2us, rlcc_base: 8.192us}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: many_to_one, hosts: 8, qps: 4, size: 100KB, spread: 50us}, {kind: permutation, "
      "size: 500KB}]}",
      0x396cd6cd307eb9b1 },
    { "nic_rlcc_lossy_auto",
      "{cc: rlcc, rlcc: mlp, switch: {lossless: no, buffer: 400KB}, host: {rto: 300us}, "
      "knobs: {rlcc_decision: 2us}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: many_to_one, hosts: 8, qps: 4, size: 100KB, spread: 50us}, {kind: permutation, "
      "size: 500KB}]}",
      0x78dcb99d14cb7758 },
    { "nic_dcqcn_plus",
      "{cc: dcqcn_plus, knobs: {kmin: 5, kmax: 50, rpg_min_rate: 100}, "
      "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.5, stop: 600us}, {kind: incast, senders: 15, "
      "flows: 60, "
      "size: 20KB, period: 200us, stop: 600us}]}",
      0x06a671d355500de4 },
    { "nic_hf2t_host",
      "{knobs: {kmin: 5, kmax: 50, hf2t: 1, hf2t_scope: 0, hf2t_threshold: 12us, hf2t_training: 60us, "
      "hf2t_guard: 1}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.5, stop: 400us}, {kind: incast, senders: 8, "
      "size: 300KB}]}",
      0x8a63ff26c7c56c4e },
    { "nic_hf2t_queue_pair",
      "{knobs: {kmin: 5, kmax: 50, hf2t: 1, hf2t_scope: 1, hf2t_threshold: 12us, hf2t_training: 60us, "
      "hf2t_guard: 0.5, hf2t_natural: 0}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.5, stop: 400us}, {kind: incast, senders: 8, "
      "size: 300KB}]}",
      0xc4a7904d20153fe6 },
    { "nic_hf2t_network",
      "{knobs: {kmin: 5, kmax: 50, hf2t: 1, hf2t_scope: 2, hf2t_threshold: 12us, hf2t_training: 60us, "
      "hf2t_guard: 0.9, "
      "hf2t_quiet: 50us}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.5, stop: 400us}, {kind: incast, senders: 8, "
      "size: 300KB}]}",
      0xb5baa50655edb775 },
    { "nic_selective",
      "{lb: spray, knobs: {kmin: 5, kmax: 50}, host: {retransmit: selective, reorder: 20us, rto: 300us}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us, ber: 3e-8}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.4, stop: 300us}, {kind: incast, senders: 8, "
      "size: 200KB}]}",
      0x22c51fbad72f21ec },
    { "hpcc_selective",
      "{model: hpcc, order: node, host: {retransmit: selective, reorder: 0, rto: 300us}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, loss: 0.001}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.4, stop: 300us}, {kind: permutation, "
      "size: 300KB}]}",
      0xe365f7f7176d5fe6 },
    { "nic_gaps",
      "{lb: letflow, knobs: {kmin: 5, kmax: 50, flowlet_timeout: 5us, hf2t: 1, hf2t_scope: 0, "
      "hf2t_training: 60us, "
      "hf2t_guard: 1}, "
      "host: {record_gaps: yes}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.4, stop: 300us}, "
      "{kind: tcp, algorithm: dctcp, senders: 8, size: 200KB, prio: 2}]}",
      0x4d564d2138cbc3d4 },
    { "nic_pairs",
      "{knobs: {kmin: 5, kmax: 50}, changes: [{at: 150us, knobs: {kmin: 50, kmax: 500, "
      "rpg_time_reset: 20}}], "
      "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}, run: 3ms, "
      "traffic: [{kind: training, workers: 8, placement: spread, collective: all_to_all, at_once: yes, "
      "size: 60KB, "
      "compute: 20us, iterations: 3, qps: 2}, {kind: storage, preset: exchange, depth: 4, stop: 300us}, "
      "{kind: rpc, sizes: SolarRPC, load: 0.1, stop: 300us, qps: 3}, {kind: long_short, long: 2, "
      "long_size: 200KB, "
      "shorts: 4, short_size: 10KB, period: 100us, after: 20us, receiver: h3, stop: 400us}, "
      "{kind: incast, senders: 6, size: 4KB, flows: 3, period: 10us, stop: 300us, qps: 1}]}",
      0x02bef975e920aba7 },
    { "nic_pairs_selective",
      "{lb: spray, host: {retransmit: selective, reorder: 20us, rto: 300us, ack_every: 3, idle_reset: 50us}, "
      "knobs: {kmin: 5, kmax: 50, hf2t: 1, hf2t_training: 60us}, switch: {lossless: no, buffer: 1MB}, "
      "topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, ber: 3e-8}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.4, stop: 300us, qps: 2}, {kind: rpc, "
      "sizes: SolarRPC, "
      "load: 0.2, stop: 300us}]}",
      0x13d656bef7fa5b8b },
};
#define WORLDS (sizeof worlds / sizeof *worlds)

#endif
