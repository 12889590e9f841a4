/* src/sim/look_ahead.h - asks for memory before it is needed, in a network that does not fit the cache.
 *
 * Nothing here changes what happens, nor when. What arriving packets lead to is asked for only in a vast
 * network: in one that just does not fit the cache, finding it costs more than it gains.
 */
#ifndef SIM_LOOK_AHEAD_H
#define SIM_LOOK_AHEAD_H

#include <stdint.h>

#define LOOK_AHEAD_PORTS_VAST 8192u      /* 2,000 hosts of a fat-tree have 12,000, and gain a little; 1,024
                                          * have 6,144, and lose */

struct sim;

/* Lets the events of a world be looked at before their time. */
void look_ahead_begin(struct sim *);

#endif
