/* src/cmd/cluster/nccl.h - which algorithm and protocol NCCL would use for a collective of some size.
 *
 * NCCL predicts the time of each combination as latency + size / bandwidth and takes the fastest
 * (ncclTopoTuneModel() and ncclTopoGetAlgoTime() in src/graph/tuning.cc of NCCL 2.20 and later). This is the
 * same model with NCCL's constants for Hopper GPUs and Intel hosts, without NVLS, CollNet and PAT, which
 * Anole does not simulate.
 */
#ifndef CMD_CLUSTER_NCCL_H
#define CMD_CLUSTER_NCCL_H

#include <stdbool.h>
#include <stdint.h>

enum nccl_algorithm { NCCL_TREE, NCCL_RING, NCCL_ALGORITHMS };
enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };

extern const char *const nccl_protocol_names[];          /* "LL", "LL128", "Simple" */

struct nccl_cluster {
    uint32_t ranks, servers;
    uint32_t channels;           /* rings or trees at once: one for each NIC of a server */
    double   nic_gbytes_per_s;
};

struct nccl_choice { enum nccl_algorithm algorithm; enum nccl_protocol protocol; };

/* steps: 2 (ranks - 1) for an all-reduce, ranks - 1 for all-gather and reduce-scatter. Trees are for
 * all-reduce only. */
double nccl_time_us(const struct nccl_cluster *, bool is_all_reduce, uint64_t bytes, struct nccl_choice);

/* The fastest. 'trees': they may be chosen. */
struct nccl_choice nccl_choose(const struct nccl_cluster *, bool is_all_reduce, bool trees, uint64_t bytes);

/* Bytes on the wire for a byte of data: LL sends a 4-byte flag with 4 bytes, LL128 8 with 120. */
double nccl_wire_factor(enum nccl_protocol);

/* Bytes on the wire of one chunk: a slot of NCCL's buffers. */
uint32_t nccl_chunk_bytes(enum nccl_protocol);

#endif
