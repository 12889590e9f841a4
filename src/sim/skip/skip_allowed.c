#include "sim/skip/skip_allowed.h"
#include "sim/host/send.h"

const char *skip_why_never(const struct sim *s)
{
    if (s->cfg.model != MODEL_NIC)
        return "only model nic can skip packets";
    if (s->flows.tcp_tx)
        return "TCP fills its window by what comes back";
    if (s->flows.selective_tx)
        return "selective repeat keeps account of every packet";
    if (s->cfg.window_bytes || s->hosts.has_held)
        return "a window waits for every acknowledgement";
    if (s->lb.choose || s->lb.weave || s->spray.kind)
        return "this balancer chooses paths by packet";
    if (s->cfg.drain_bps)
        return "slow receivers count every packet";
    if (s->cfg.ecn_cell_bytes || s->cfg.ecn_lag_ps)
        return "'ecn_cell' and 'ecn_lag' follow every packet";
    if (s->hosts.at_send & (SEND_HF2T | SEND_GAPS | SEND_PROBES | SEND_UET | SEND_FIFO))
        return "HF2T, 'record_gaps', 'tx_fifo' and RTT probes look at every packet";
    for (uint32_t i = 0; i < s->net.hosts; i++)
        if (s->net.host[i].cc->on_ack || s->net.host[i].cc->on_rtt)
            return "its congestion control looks at every acknowledgement";
    return NULL;
}

/* What may come during the run. From then on every packet is simulated. */
static const char *why_no_more(const struct sim *s)
{
    if (s->watch.arg)
        return "a monitor sees every packet";
    if (s->engine.tap.arg)
        return "every frame is recorded";
    if (s->hosts.hf2t && s->hosts.at_send & SEND_HF2T)
        return "HF2T holds single packets";
    if (s->hosts.after_send & SENT_VERB)
        return "SENDs and datagrams are followed packet by packet";
    return NULL;
}

bool skip_is_allowed(struct skip *k, const struct sim *s)
{
    if (!k->stats.why_not)
        k->stats.why_not = why_no_more(s);
    return !k->stats.why_not;
}
