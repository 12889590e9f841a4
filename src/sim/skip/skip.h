/* src/sim/skip/skip.h - what repeats is skipped (fidelity: fast): the door.
 *
 * Two kinds of repetition are looked for. Within a phase: no flow starts or ends and all rates are steady
 * (steady.h). From phase to phase: a job does again what it did before (replay.h). The loop of events does
 * not know of either: the world runs from one look to the next. For one thread, and order node.
 */
#ifndef SIM_SKIP_SKIP_H
#define SIM_SKIP_SKIP_H

#include "sim/skip/told.h"
#include "sim/state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Makes it; the world must have been built and nothing have happened. */
void skip_new(struct sim *);
void skip_free(struct sim *);

/* Goes on in the world's time, as far as until_ps, where that needs no packets. Returns until when, by the
 * network's clock, packets are to be followed before skip_look() is called. */
uint64_t skip_forward(struct sim *, uint64_t until_ps);
void     skip_look(struct sim *);

/* What happens in between: a stream's flow is about to start; a flow starts, and true means that its end will
 * be told without it being sent; the event of the replay. */
void skip_before_flow(struct sim *, uint32_t stream);
bool skip_take_flow(struct sim *, uint32_t src, const struct flow_spec *);
void skip_on_event(struct sim *);

/* Somebody turns a knob now; nobody will before this time (0: anybody may at any time). */
void skip_on_change(struct sim *);
void skip_set_horizon(struct sim *, uint64_t world_ps);

/* Adds what has come so far of flows that are told without being sent, by entry of the traffic list. */
void skip_add_bytes(const struct sim *, uint64_t *entry_bytes);

/* NULL: the world is simulated packet by packet. */
const struct skip_told *skip_told(const struct sim *);

#endif
