/* src/sim/switch/balance.h - where a packet goes if something else than ECMP decides: asks the balancer (lb/lb.h), and
 * follows the paths that first switches have chosen.
 */
#ifndef SIM_SWITCH_BALANCE_H
#define SIM_SWITCH_BALANCE_H

#include "sim/state/state.h"

/* Salts, configuration and, where the balancer is not ECMP, its state; before the ports are built. */
void balance_build(struct sim *);

/* The port by which data packet 'id' to group 'to', which came in by 'in', leaves a switch, where 'hop' (see struct
 * route) are several ways, or a first switch's one if there are several paths behind it. */
struct port *balance_way(struct sim *, const struct node *, const struct port *in, uint32_t id, uint32_t to,
                         const uint32_t *hop);

/* Balancers that look on (is_shown) see packets that leave their rack: at the first switch data, and one in eight
 * of the others, which carry what racks tell each other; in between data; at the last data, and others that were told
 * something. The first two return the port by which it leaves, or NULL. */
struct port *balance_enter(struct sim *, const struct node *, uint32_t id, uint32_t to);
struct port *balance_forward(struct sim *, const struct node *, uint32_t id, uint32_t to);
void         balance_leave(struct sim *, const struct node *, uint32_t id);

#define BALANCE_TELL_MASK 14u    /* of a node's numbers, which are even: one in eight */

/* Ports are built: tells the balancer of them. */
void balance_connect(struct sim *);

/* The knobs have changed. */
void balance_configure(struct sim *);

#endif
