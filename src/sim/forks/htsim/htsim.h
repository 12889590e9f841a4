/* src/sim/forks/htsim/htsim.h - uet-htsim's Ultra Ethernet transport, equal to that program flow by flow.
 *
 * It exists to check fidelity, so it keeps what a NIC would not do: events of equal time happen in the order
 * in which they were entered, one random sequence serves everything, flags in recycled ACKs are stale, and
 * some flows never end. Hence one thread. docs/uet.md describes the model and these quirks.
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

/* Runs all events up to and including until_ps. Returns whether there are more; false also on failure. */
bool htsim_run_until(struct htsim *, uint64_t until_ps);

/* Why it stopped, or NULL: uet-htsim would have ended with an assertion here. */
const struct err *htsim_failure(const struct htsim *);

/* When something last happened. */
uint64_t htsim_now_ps(const struct htsim *);
uint32_t htsim_flows(const struct htsim *);
uint32_t htsim_unfinished(const struct htsim *);
void     htsim_flow(const struct htsim *, uint32_t flow, struct htsim_flow *);
void     htsim_count(const struct htsim *, struct htsim_counters *);

/* The two ends of a link of the graph that fat_tree_wire() makes: towards the cores, and towards the
 * hosts. */
void     htsim_link(const struct htsim *, uint32_t link, struct htsim_port *up, struct htsim_port *down);

/* Time of a flow alone in a network whose links are no slower than the hosts': all its packets at line
 * rate, and one round trip. */
uint64_t htsim_ideal_ps(const struct htsim *, const struct htsim_flow *);

#endif
