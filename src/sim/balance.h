/* src/sim/balance.h - where a packet goes if something else than ECMP decides: asks the balancer (lb/lb.h), and
 * follows the paths that first switches have chosen.
 */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim/sim.h"

/* Salts, configuration and, where the balancer is not ECMP, its state; before the ports are built. */
void balance_build(struct sim *);

/* The port by which data packet 'id', which came in by 'in', leaves switch n, where 'hop' (see struct route) are
 * several ways, or a first switch's one if there are several paths behind it. */
struct port *balance_way(struct sim *, const struct node *, const struct port *in, uint32_t id, const uint32_t *hop);

/* The same for any packet where the balancer wants to see them all (lb_is_shown); NULL: there is no way. */
struct port *balance_shown(struct sim *, const struct node *, const struct port *in, uint32_t id);

/* The knobs have changed. */
void balance_configure(struct sim *);

#endif
