/* src/sim/look_ahead.h - prefetches memory in a network that does not fit the cache.
 *
 * Results do not change. In a network of moderate size, routes of arriving packets are looked up ahead only
 * while many ports act in lock step. Otherwise the prefetch costs more than it saves.
 */
#ifndef SIM_LOOK_AHEAD_H
#define SIM_LOOK_AHEAD_H

#include <stdint.h>

#define LOOK_AHEAD_PORTS_VAST 8192u      /* a fat-tree of 2,000 hosts has 12,000 ports and gains a little; one
                                          * of 1,024 hosts has 6,144 and loses */

struct sim;

/* Starts prefetching. */
void look_ahead_begin(struct sim *);

#endif
