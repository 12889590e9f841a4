/* src/sim/sim.h - the simulated world: its public door.
 *
 * A struct sim is one network and everything that goes on in it; there are no
 * globals, so a program may hold many. It is made from a graph, a configuration
 * and traffic, laid out in a few arenas, run, read and freed.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "sim/host/nic.h"
#include "sim/state/ideal.h"

/* Builds the world. Takes the graph and the traffic over on success; on failure they remain the caller's. The
 * configuration is the caller's in any case. */
int  sim_new(struct sim **, struct graph *, const struct sim_cfg *, struct traffic *, struct err *);
void sim_free(struct sim *);

/* Runs all events up to and including until_ps. Returns whether there is more to do: when every flow is over
 * (is_done), what is still under way arrives. False also if it cannot go on: see sim_failure(). */
bool sim_run_until(struct sim *, uint64_t until_ps);

/* Why the world cannot go on, or NULL. It then stands where it was, and can be read and freed. */
const struct err *sim_failure(const struct sim *);

/* Puts a setting into force everywhere. K changes act at once; a NIC's running periods end when they were
 * going to. */
void sim_apply(struct sim *, const struct knobs *);

/* Tells the rate control of one host's queue pairs another setting, until sim_apply() tells all the same
 * again. What hosts do as receivers, and what switches do, stays. */
void sim_apply_host(struct sim *, uint32_t host, const struct knobs *);

/* Gives one port of a switch thresholds of its own, at once. They stay until the knobs change kmin, kmax or
 * pmax. Classes with thresholds of their own keep those. */
void sim_set_ecn(struct sim *, uint32_t port, const struct ecn_cfg *);

/* Checks what must always hold: bytes sent = received + in flight + dropped, buffer accounts = sums over
 * queues, and so on; aborts with a message. */
void sim_check(const struct sim *);

/* The first unfinished flow behind 'after' (0: the first of all); 0: there is none. */
uint32_t sim_next_active(const struct sim *, uint32_t after);

#endif
