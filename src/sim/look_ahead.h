/* src/sim/look_ahead.h - prefetches memory in a network that does not fit the cache.
 *
 * It changes no result. In a network of moderate size, routes of arriving packets are looked up ahead only
 * while many ports act in lock step: otherwise that costs more than it gains.
 */
#ifndef SIM_LOOK_AHEAD_H
#define SIM_LOOK_AHEAD_H

#include <stdint.h>

#define LOOK_AHEAD_PORTS_VAST 8192u      /* 2,000 hosts of a fat-tree have 12,000, and gain a little; 1,024
                                          * have 6,144, and lose */

struct sim;

/* Starts prefetching. */
void look_ahead_begin(struct sim *);

#endif
