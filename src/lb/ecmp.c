/* src/lb/ecmp.c - a flow keeps to one path, chosen by a hash of its addresses and ports. What all packets do
 * that no balancer asks for, so the switches do it themselves: there is no pick(). */
#include "lb/ecmp.h"

const struct lb_algo lb_ecmp = {
    .name  = "ecmp",
    .about = "one path per flow, by a hash of its addresses and ports",
};
