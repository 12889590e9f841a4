/* src/sim/switch/balance.h - balancers other than ECMP: asks them (lb/lb.h), and follows the paths that first
 * switches have chosen. balancer_state.choose is the entry for packets.
 */
#ifndef SIM_SWITCH_BALANCE_H
#define SIM_SWITCH_BALANCE_H

#include "sim/state/state.h"

/* Builds salts, configuration and the balancer's state. Before the ports are built. */
void balance_build(struct sim *);

/* After the ports are built. */
void balance_connect(struct sim *);

/* The knobs have changed. */
void balance_configure(struct sim *);

#endif
