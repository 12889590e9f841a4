/* src/lb/ecmp.c - a flow keeps to one path, chosen by a hash of its addresses and ports. */
#include "lb/ecmp.h"

static uint32_t ecmp_pick(const void *cfg, void *state, uint64_t now_ps, struct lb_packet *p)
{
    (void)cfg, (void)state, (void)now_ps;
    return ecmp_hash(p->salt, p->src_ip, p->dst_ip, p->ports) % p->ways;
}

const struct lb_algo lb_ecmp = {
    .name  = "ecmp",
    .about = "one path per flow, by a hash of its addresses and ports",
    .pick  = ecmp_pick,
};
