/* src/sim/skip/skip.h - skips repetition (fidelity: fast): the public interface.
 *
 * There are two kinds. Within a phase: no flow starts or ends and all rates are steady (steady.h). From phase
 * to phase: a job repeats an iteration (replay.h). The event loop knows of neither: the world runs from one
 * look to the next. For one thread, and order node.
 */
#ifndef SIM_SKIP_SKIP_H
#define SIM_SKIP_SKIP_H

#include "sim/skip/told.h"
#include "sim/state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Starts skipping in a new world, before any event. */
void skip_new(struct sim *);
void skip_free(struct sim *);

/* Advances the world's time, at most to until_ps, as far as no packets are needed. Returns the time, by the
 * network's clock, up to which packets must be simulated before skip_look(). */
uint64_t skip_forward(struct sim *, uint64_t until_ps);
void     skip_look(struct sim *);

/* Between looks: a flow of a stream is about to start; a flow starts (true: its end will be reported without
 * sending it); the event of the replay. */
void skip_before_flow(struct sim *, uint32_t stream);
bool skip_take_flow(struct sim *, uint32_t src, const struct flow_spec *);
void skip_on_event(struct sim *);

/* A knob changes now; none will before this time (0: any time). */
void skip_on_change(struct sim *);
void skip_set_horizon(struct sim *, uint64_t world_ps);

/* Adds the bytes of replayed flows that have arrived, by entry of the traffic list. */
void skip_add_bytes(const struct sim *, uint64_t *entry_bytes);

/* NULL: the world is simulated packet by packet. */
const struct skip_told *skip_told(const struct sim *);

#endif
