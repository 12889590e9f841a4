#include "sim/forks/ns3.h"
#include "core/units.h"
#include "sim/transport/rc/rc.h"

uint64_t ns3_frame_ps(uint32_t bytes, uint64_t rate_bps)
{
    return hpcc_ns_from_seconds((double)(bytes * 8ull) / (double)rate_bps) * PS_PER_NS;
}

uint64_t ns3_hop_ps(const struct sim_cfg *c, const struct port *p)
{
    return (2ull * p->delay_ps / PS_PER_NS + c->mtu_bytes * 8000000000ull / p->rate_bps) * PS_PER_NS;
}

uint64_t ns3_rest_ps(const struct sim *s, uint64_t bytes, uint64_t slowest_bps)
{
    uint32_t header = s->cfg.header_bytes - s->model.telemetry_bytes;
    uint64_t packets = (bytes + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;

    return (uint64_t)((unsigned __int128)(bytes + header * packets) * 8000000000u / slowest_bps) * PS_PER_NS;
}

double ns3_random(struct sim *s, const struct node *n)
{
    (void)n;
    return mrg_next(&s->engine.mrg);
}

void ns3_forget(struct sim *s, const struct flow *f)
{
    if (f->transport == TRANSPORT_RC && !s->cfg.is_selective)
        s->flows.rx[f - s->flows.flow] =
            (struct flow_rx){ .expected = UINT64_MAX, .generation = f->generation, .nacked_seq = UINT64_MAX };
}

void ns3_on_forgotten(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k,
                      uint8_t flags)
{
    bool is_next = k->seq == rx->again;

    if (k->seq > rx->again) {
        rc_complain(s, h, rx, k, rx->again, flags);
        return;
    }
    rx->again += is_next ? k->payload : 0;
    if (is_next ? s->cfg.ack_every > 1 &&
        !rc_is_acked_at_once(s, rx->again, k, flags) : !s->model.on_copy)
        return;
    rc_acknowledge(s, h, k, rx->again, flags);
}
