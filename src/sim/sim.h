/* src/sim/sim.h - the simulated world: its public interface.
 *
 * A struct sim is one network with all its state. There are no globals, so a program may have several. A
 * world is built in a few arenas from a graph, a configuration and traffic.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "sim/nic/nic.h"
#include "sim/state/ideal.h"

/* Builds the world. On success it owns the graph and the traffic; on failure the caller still does. The
 * caller always owns the configuration. */
int  sim_new(struct sim **, struct graph *, const struct sim_cfg *, struct traffic *, struct err *);
void sim_free(struct sim *);

/* Runs all events up to and including until_ps. Returns true if more events are pending. Packets in flight
 * still arrive after all flows are done (is_done). Returns false on failure: see sim_failure(). */
bool sim_run_until(struct sim *, uint64_t until_ps);

/* Returns why the run has failed, or NULL. The world can still be read and freed. */
const struct err *sim_failure(const struct sim *);

/* Returns true if the run has failed because more was in flight than there is room for. */
bool sim_is_overloaded(const struct sim *);

/* Applies a setting to the whole network. ECN thresholds change at once; timers of NICs that are already
 * running keep their expiry time. */
void sim_apply(struct sim *, const struct knobs *);

/* Applies a setting to one host's rate control, until sim_apply(). Others keep their setting. */
void sim_apply_host(struct sim *, uint32_t host, const struct knobs *);

/* Sets the thresholds of a switch port, until these knobs change. Classes with their own keep them. */
void sim_set_ecn(struct sim *, uint32_t port, const struct ecn_cfg *);

/* Aborts if an invariant fails: bytes sent = received + in flight + dropped, accounts = sums of queues, .. */
void sim_check(const struct sim *);

/* Returns the number of packets that all ports have sent, including PFC frames. */
uint64_t sim_hops(const struct sim *);

/* Returns false if the run has not depended on the seed so far: no node has drawn a random number. */
bool sim_has_drawn(const struct sim *);

/* Returns the first unfinished flow after 'after' (0: the first of all), or 0. */
uint32_t sim_next_active(const struct sim *, uint32_t after);

#endif
