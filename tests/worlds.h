/* tests/worlds.h - small scenarios that between them use all that the simulator can do, with the digest of what
 * becomes of each: for tests of "the same whatever ...".
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
      0xf87a3f6c06219b70 },
    { "nic_incast",
      "{topology: {kind: star, hosts: 17, rate: 100Gbps, delay: 1us}, switch: {buffer: 3MB}, "
      "knobs: {kmin: 20, kmax: 200}, traffic: [{kind: incast, senders: 16, size: 300KB}]}",
      0x6307d0c51670d549 },
    { "nic_classes",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 500ns}, switch: {weights: [1, 2, 3, "
      "4, 5, 6, 7, 8], ecn_at: enqueue}, traffic: [{kind: permutation, size: 400KB}, "
      "{kind: all_to_all, size: 20KB, prio: 5}]}",
      0xab81d06da63eeb13 },
    { "nic_lossy",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, "
      "ber: 1e-8}, switch: {lossless: no, buffer: 300KB}, host: {rto: 300us}, "
      "traffic: [{kind: poisson, sizes: WebSearch, load: 0.3, stop: 500us}, {kind: incast, "
      "senders: 7, size: 100KB, start: 50us}]}",
      0x0c6d2747ab63543a },
    { "nic_failure",
      "{knobs: {kmin: 5, kmax: 50}, "
      "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 3, rate: 100Gbps, delay: 1us, "
      "links_down: [{a: tor0, b: spine1, down: 100us, up: 400us}]}, host: {rto: 200us}, "
      "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.4, stop: 600us}]}",
      0xc67be53ba8c79d48 },
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
};
#define WORLDS (sizeof worlds / sizeof *worlds)

#endif
