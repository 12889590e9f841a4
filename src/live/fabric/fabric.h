/* src/live/fabric/fabric.h - the NICs of a simulated network, as devices of an agent.
 *
 * The driver 'twin': its root is a scenario, its devices are the hosts, by their names. Each report of the agent is one monitor interval
 * of the scenario, so the network lives as much slower as the agent's interval is longer: 1 ms in 100 ms is a hundred times.
 * What is set holds for the senders of that host alone (sim_apply_host()). One process has one simulation, which its
 * devices share; it goes on when every one of them has seen the interval before.
 *
 * The metric is 0.4 x utilisation of the host's link + 0.4 x empty round trip / round trip + 0.2 x share of time not paused.
 */
#ifndef LIVE_FABRIC_FABRIC_H
#define LIVE_FABRIC_FABRIC_H

#include "live/driver/driver.h"

extern const struct driver driver_twin;

#endif
