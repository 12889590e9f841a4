#include "sim/link/port.h"

double port_survival(const struct port *p, uint32_t bytes)
{
    return (1 - p->loss) * rng_pow(1 - p->ber, 8ull * bytes);
}

bool port_is_hit(const struct port *p, uint32_t bytes)
{
    return rng_real(&p->node->rng) >= port_survival(p, bytes);
}

void port_count_frame(struct port *p, const struct packet *k)
{
    if (k->kind == PACKET_PFC || !(p->counted_prios >> k->prio & 1))
        return;
    p->queue_tx_bytes += k->bytes;
    if (k->kind == PACKET_DATA && k->flags & PACKET_ECN)
        p->queue_marked_bytes += k->bytes;
}

uint64_t port_paused_ps(const struct port *p, uint64_t now_ps)
{
    /* A run may be told to end before what was under way then has arrived. */
    return p->counters.paused_ps + (p->paused && now_ps > p->paused_since_ps ? now_ps - p->paused_since_ps : 0);
}
