/* src/lb/spray.h - every packet goes its own way, at every switch: at random, or (knob spray_mode) in turn, for each
 * last switch apart and beginning anywhere, so that switches do not move in step.
 *
 * Nothing balances better, and nothing keeps the order of packets less.
 */
#ifndef LB_SPRAY_H
#define LB_SPRAY_H

#include "lb/lb.h"

extern const struct lb_algo lb_spray;

#endif
