#include "sim/build.h"
#include "work/net/measure.h"
#include "sim/forks/ns3.h"
#include "sim/nic/pacer.h"
#include "sim/transport/rc/rc.h"

/* Bytes that may arrive after a pause was requested: the PFC frame waits for one full packet, the wire is
 * full in both directions, and the peer finishes a packet. Two more packets cover the overrun of the
 * threshold. */
static uint32_t nic_headroom_bytes(const struct sim_cfg *c, const struct port *p)
{
    uint64_t frames_bytes = 4ull * (sim_largest_frame(c) + c->spacing_bytes) +
                            c->pfc_bytes + c->spacing_bytes;

    return (uint32_t)((unsigned __int128)p->rate_bps * p->delay_ps * 2 / 8 / PS_PER_S + frames_bytes);
}

/* Returns true if ACKs carry ECN marks: for a congestion control that only uses ACKs. */
static bool takes_marks_from_acks(const struct sim_cfg *c)
{
    bool has_ack = false, has_cnp = false;

    for (uint32_t i = sim_cc_of_pairs(c); sim_cc(c, i); i++) {
        has_ack |= sim_cc(c, i)->on_ack != NULL;
        has_cnp |= sim_cc(c, i)->on_cnp != NULL;
    }
    return has_ack && !has_cnp;
}

/* RoCEv2 uses source ports from 0xC000 for entropy. If ACKs carry marks, marked packets get one at once. */
static struct model nic(const struct sim_cfg *c)
{
    uint8_t echo = takes_marks_from_acks(c) ? PACKET_ECHO : 0;

    return (struct model){
        .tick_ps = 1, .headroom_bytes = nic_headroom_bytes, .pfc_queue = QUEUE_CONTROL,
        .weight_max = UINT8_MAX,
        .marked_classes = 1u << CLASS_DATA, .marked_flags = PACKET_ECN,
        .sport_first = 0xc000, .sport_mask = 0x3fff, .asks = true, .repace = pacer_repace,
        .echo = echo, .ack_flags = echo, .reply_queue = REPLY_BY_CLASS, .on_copy = rc_ack_copy,
    };
}

static struct model (*const models[])(const struct sim_cfg *) = {
    [MODEL_NIC] = nic, [MODEL_HPCC] = hpcc_model, [MODEL_CONWEAVE] = conweave_model,
    [MODEL_UET] = nic,
    [MODEL_HTSIM] = nic,         /* its packets are simulated elsewhere: see forks/htsim_sim.h */
};

static struct model model_of(const struct sim_cfg *c)
{
    struct model m = models[c->model](c);

    m.spacing_bytes = c->spacing_bytes;
    if (control_takes_turns(c))
        m.echo = 0;              /* a receiver that serves flows in rotation sends CNPs in every model */
    if (!m.echo)
        m.forget = NULL;
    return m;
}

/* Model nic: a record has 8 bytes after a 2-byte header, as in HPCC, with room for the longest path. The NIC
 * itself remembers when it sent a packet, so packets carry no timestamp. */
static uint32_t nic_telemetry_bytes(const struct sim *s)
{
    switch (sim_cc_telemetry(&s->cfg)) {
    case CC_HOPS:   return 2 + 8 * graph_switches_max(&s->net.graph);
    case CC_DIGEST: return 2;
    default:        return 0;
    }
}

/* Data packets carry telemetry for congestion control, at full size from the start. ACKs return it. */
static void build_telemetry(struct sim *s)
{
    uint32_t ack_bytes, bytes;

    if (s->model.telemetry_sizes) {
        bytes = s->model.telemetry_sizes(sim_cc_telemetry(&s->cfg), &ack_bytes);
    } else {
        bytes = nic_telemetry_bytes(s);
        ack_bytes = s->cfg.ack_bytes + bytes;
    }
    if (!bytes)
        return;
    s->model.telemetry_bytes = bytes;
    s->cfg.header_bytes += bytes;
    s->cfg.ack_bytes = ack_bytes > s->cfg.ack_bytes ? ack_bytes : s->cfg.ack_bytes;
}

/* An account that sends a pause for each packet that meets a full class needs no refresh. */
static void build_links(struct sim *s)
{
    s->pfc = (struct pfc_cfg){ .pause_ps = s->cfg.pause_ps, .frame_bytes = s->cfg.pfc_bytes,
                               .is_refreshed = s->cfg.pause_ps &&
                                               !s->model.account, .queue = s->model.pfc_queue };
    s->scheduler = (struct scheduler_cfg){ .strict_prios = s->cfg.strict_prios,
                                           .by_packet = !s->model.weight_max };
    for (uint32_t c = 0; c < PRIOS; c++)
        s->scheduler.quantum_bytes[c] = s->cfg.weight[c] * (s->cfg.mtu_bytes + s->cfg.header_bytes);
}

/* Returns the classes with PFC that switch.c accounts for. */
static uint8_t lossless_prios(const struct sim *s)
{
    uint8_t prios = s->cfg.is_lossless ? (uint8_t)~s->cfg.lossy_prios : 0;

    return s->model.account ? 0 : prios & (uint8_t)~s->model.unbooked_prios;
}

/* Returns the buffer occupancy of a lossy switch up to which any frame fits an empty queue (see
 * book_lossy()), or -1. Half of the buffer is a sufficient bound. */
static int64_t lossy_pass_max(const struct sim *s)
{
    uint32_t frame = sim_largest_frame(&s->cfg);
    int64_t  used = (int64_t)s->cfg.buffer_bytes / 2, left = (int64_t)s->cfg.buffer_bytes - used;

    if (s->cfg.is_lossless || s->model.account ||
        (s->cfg.lossy_queue_bytes && s->cfg.lossy_queue_bytes < frame))
        return -1;
    return left >= frame && s->cfg.lossy_alpha * (double)left >= (double)frame ? used : -1;
}

/* Returns true if a packet that bypasses its queue counts as a turn of its class. The forks count it, and
 * with several classes this decides which is next. */
static bool counts_turns(const struct sim *s)
{
    uint32_t prios = traffic_prios(s->program.traffic);

    return s->scheduler.by_packet && prios & (prios - 1);
}

/* Thresholds by class are equal at all ports, and do not depend on the knobs. */
static void build_ecn_classes(struct sim *s)
{
    for (uint32_t c = 0; c < PRIOS && s->cfg.ecn_on; c++) {
        const struct ecn_class *e = &s->cfg.ecn_class[c];

        if (!e->is_set)
            continue;
        s->sw.ecn_prios |= (uint8_t)(1u << c);
        s->sw.ecn_class[c] = (struct ecn_cfg){ (uint32_t)knob_whole(e->kmin_kb, 1000),
                                               (uint32_t)knob_whole(e->kmax_kb, 1000), e->pmax };
    }
}

void model_build(struct sim *s)
{
    if (s->cfg.lossy_by_traffic)
        s->cfg.lossy_prios = traffic_prios_tcp(s->program.traffic);
    s->cfg.lossy_prios |= uet_classes(s);
    s->model = model_of(&s->cfg);
    build_telemetry(s);
    build_links(s);
    build_ecn_classes(s);
    s->sw.lossless_prios = lossless_prios(s);
    s->sw.queue_prios = (uint8_t)((s->sw.lossless_prios ? s->sw.lossless_prios : 0xff) & ~s->sw.ecn_prios);
    s->sw.pass_bytes_max = s->cfg.is_lossless ? s->cfg.reserve_bytes : 0;
    s->sw.pass_alone_max = counts_turns(s) ? 0 : s->sw.pass_bytes_max;
    s->sw.pass_used_max = lossy_pass_max(s);
    if (s->cfg.ecn_on && (s->cfg.ecn_cell_bytes || s->cfg.ecn_lag_ps)) {
        s->sw.pass_bytes_max = s->sw.pass_alone_max = 0;     /* the ECN views see every packet */
        s->sw.pass_used_max = -1;
    }
    for (uint32_t c = 0; c < PRIOS; c++) {
        bool is_by_class = s->model.reply_queue == REPLY_BY_CLASS || s->cfg.has_ack_prio;

        s->hosts.ack_prio[c] = s->cfg.has_ack_prio ? s->cfg.ack_prio : (uint8_t)c;
        s->hosts.reply_queue[c] = is_by_class ? (uint8_t)c : s->model.reply_queue;
    }
}
