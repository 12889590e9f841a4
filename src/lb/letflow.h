/* src/lb/letflow.h - LetFlow (NSDI'17): every flowlet goes a random way. That is enough to balance: flowlets
 * are short on a congested path, so flows leave it sooner than they come.
 *
 * The first switch chooses the whole path, as in the ConWeave ns-3 fork, or (knob flowlet_per_hop) every switch
 * its own hop, as the paper has it for more than two tiers.
 */
#ifndef LB_LETFLOW_H
#define LB_LETFLOW_H

#include "lb/lb.h"

extern const struct lb_algo lb_letflow;

#endif
