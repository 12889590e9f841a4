/* src/sim/forks/htsim/htsim.h - uet-htsim's Ultra Ethernet transport, identical to that program flow by flow.
 *
 * It exists to check fidelity, so it reproduces behaviour that a NIC would not have: simultaneous events run
 * in insertion order, one random sequence serves everything, recycled ACKs keep stale flags, and some flows
 * never end. Hence it runs on one thread. docs/uet.md describes the model and these quirks.
 */
#ifndef SIM_FORKS_HTSIM_HTSIM_H
#define SIM_FORKS_HTSIM_HTSIM_H

#include "sim/forks/htsim/htsim_cfg.h"

struct htsim;

/* Builds the world. The matrix and the network are copied. */
int  htsim_new(struct htsim **, const struct htsim_cfg *, const struct fat_tree *, const struct flow_matrix *,
               struct err *);
void htsim_free(struct htsim *);
void htsim_set_hooks(struct htsim *, struct htsim_hooks);

/* Runs all events up to and including until_ps. Returns true if more are pending; false also on failure. */
bool htsim_run_until(struct htsim *, uint64_t until_ps);

/* Returns why the run stopped, or NULL. uet-htsim would have failed an assertion here. */
const struct err *htsim_failure(const struct htsim *);

void     htsim_flow(const struct htsim *, uint32_t flow, struct htsim_flow *);
void     htsim_count(const struct htsim *, struct htsim_counters *);

/* Returns both ends of a link of fat_tree_wire()'s graph: towards the cores, and towards the hosts. */
void     htsim_link(const struct htsim *, uint32_t link, struct htsim_port *up, struct htsim_port *down);

/* Returns the FCT of a lone flow in a network whose links are at least as fast as the hosts': all packets at
 * line rate plus one round trip. */
uint64_t htsim_ideal_ps(const struct htsim *, const struct htsim_flow *);

#endif
