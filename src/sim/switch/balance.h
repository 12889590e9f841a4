/* src/sim/switch/balance.h - load balancers other than ECMP.
 *
 * Calls the balancer (sim/lb/lb.h) and follows the paths that first-hop switches have chosen. Packets enter
 * through balancer_state.choose.
 */
#ifndef SIM_SWITCH_BALANCE_H
#define SIM_SWITCH_BALANCE_H

#include "sim/state/state.h"

/* Builds salts, configuration and the balancer's state. Call it before the ports are built. */
void balance_build(struct sim *);

/* Call it after the ports are built. */
void balance_connect(struct sim *);

/* Applies changed knobs. */
void balance_configure(struct sim *);

#endif
