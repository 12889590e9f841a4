/* src/sim/balance.h - where a packet goes if something else than ECMP decides: asks the balancer (lb/lb.h), and
 * follows the paths that first switches have chosen.
 */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim/sim.h"

/* Salts, configuration and, where the balancer is not ECMP, its state; before the ports are built. */
void balance_build(struct sim *);

/* The port by which packet 'id', which came in by 'in', leaves switch n; NULL: there is no way. */
struct port *balance_way(struct sim *, struct node *, const struct port *in, uint32_t id);

/* The knobs have changed. */
void balance_configure(struct sim *);

#endif
