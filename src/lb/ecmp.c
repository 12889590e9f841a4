/* src/lb/ecmp.c - ECMP: one path per flow, chosen by a hash of addresses and ports. It is the default for all
 * packets, so the switches implement it, and there is no pick(). */
#include "lb/ecmp.h"

const struct lb_algo lb_ecmp = {
    .name  = "ecmp",
    .about = "one path per flow, chosen by a hash of addresses and ports",
};
