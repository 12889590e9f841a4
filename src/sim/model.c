#include "sim/model.h"
#include "net/measure.h"
#include "sim/control.h"
#include "sim/switch/conweave_buffer.h"

#define REPLY_QUEUE 3            /* of the HPCC fork's hosts, and the class whose pauses stop it */

/* What may still come in after a pause frame was ordered: the frame waits for one full packet, both ways
 * of the wire are full, the peer finishes a packet; two more for what overran the threshold. */
static uint32_t nic_headroom_bytes(const struct sim_cfg *c, const struct port *p)
{
    uint64_t frames_bytes = 4ull * (sim_largest_frame(c) + c->spacing_bytes) + c->pfc_bytes + c->spacing_bytes;

    return (uint32_t)((unsigned __int128)p->rate_bps * p->delay_ps * 2 / 8 / PS_PER_S + frames_bytes);
}

/* Three times rate x delay. */
static uint32_t hpcc_headroom_bytes(const struct sim_cfg *c, const struct port *p)
{
    (void)c;
    return (uint32_t)(p->rate_bps * (p->delay_ps / PS_PER_NS) / 8 / 1000000000 * 3);
}

static uint32_t conweave_headroom(const struct sim_cfg *c, const struct port *p)
{
    (void)c;
    return conweave_headroom_bytes(p);
}

/* RoCEv2 uses the source ports 0xC000 .. 0xFFFF for entropy; the forks count from 10000. The HPCC fork is silent about
 * what it has already. Both forks sort next hops by the addresses of their objects: HPCC's switches are so large that each
 * is mapped by itself, from the top down; ConWeave's lie on the heap, in the order in which they were made. */
static const struct model models[] = {
    [MODEL_NIC] = {
        .headroom_bytes = nic_headroom_bytes,
        .is_repaced = true, .wakes_once = true, .asks_for_acks = true, .acks_old = true,
        .sport_first = 0xc000, .sport_mask = 0x3fff,
    },
    [MODEL_HPCC] = {
        .in_whole_ns = true, .is_ideal_rough = true,
        .headroom_bytes = hpcc_headroom_bytes, .sets_one_share_aside = true, .has_control_class = true,
        .counts_every_mark = true,
        .keeps_wakeup = true, .skips_wakeup = true, .holds_at_turn = true, .counts_sports_by_pair = true, .sport_first = 10000,
        .has_fork_telemetry = true, .marks_in_acks = true, .has_reply_queue = true,
    },
    [MODEL_CONWEAVE] = {
        .in_whole_ns = true, .is_ideal_rough = true,
        .headroom_bytes = conweave_headroom, .has_own_streams = true, .has_control_class = true,
        .has_egress_account = true, .unmarked_bytes = CONWEAVE_QUEUE_BYTES, .counts_every_mark = true,
        .asks_by_ports = true, .is_next_hop_ascending = true,
        .keeps_wakeup = true, .holds_at_turn = true, .keeps_finished = true, .has_qp_timers = true, .ignores_late_answers = true,
        .sport_first = 10000, .sport_mask = 0xffff,
        .marks_in_acks = true, .acks_old = true, .echoes_old = true,
    },
};

/* One that goes by acknowledgements finds marks there; nobody would listen to CNPs. */
static bool takes_marks_from_acks(const struct sim_cfg *c)
{
    bool has_ack = false, has_cnp = false;

    for (uint32_t i = 0; sim_cc(c, i); i++) {
        has_ack |= sim_cc(c, i)->on_ack != NULL;
        has_cnp |= sim_cc(c, i)->on_cnp != NULL;
    }
    return has_ack && !has_cnp;
}

/* With the timer that the HPCC fork does not have, a lost ACK must be repeated. Only where sender and receiver are in
 * one part can one forget what the other knows. */
static struct model model_of(const struct sim_cfg *c)
{
    struct model m = models[c->model];

    m.spacing_bytes = c->spacing_bytes;
    m.rtt_bytes = m.is_ideal_rough ? 0 : c->mtu_bytes;
    m.acks_old |= c->rto_ps > 0;
    m.acks_marks = c->model == MODEL_NIC && takes_marks_from_acks(c);
    m.marks_in_acks |= m.acks_marks;
    if (control_takes_turns(c))
        m.marks_in_acks = false;         /* a receiver's turns are CNP packets in model hpcc, too */
    m.spaces_copies = c->model == MODEL_CONWEAVE && c->order == ORDER_NODE;
    m.forgets_finished = c->model != MODEL_NIC && c->order == ORDER_NS3 && m.marks_in_acks;
    m.fails_as_fork = c->model == MODEL_HPCC && c->order == ORDER_NS3;
    m.ignores_late_answers |= m.fails_as_fork;
    return m;
}

/* Model nic: a record has 8 bytes and there are two before them, as HPCC's authors have it, with room for the longest way. A
 * NIC remembers itself when it sent what. */
static uint32_t nic_telemetry_bytes(const struct sim *s)
{
    switch (sim_cc_telemetry(&s->cfg)) {
    case CC_HOPS:   return 2 + 8 * graph_switches_max(&s->net.graph);
    case CC_DIGEST: return 2;
    default:        return 0;
    }
}

/* Packets have room for what the control wants to know, from the start and at full size, and ACKs bring it back. The
 * fork's ACKs do so in a header of 46 bytes and are never shorter than the least frame. */
static void build_telemetry(struct sim *s)
{
    static const uint32_t fork_bytes[] = { [CC_TIMESTAMP] = 8, [CC_HOPS] = 42, [CC_DIGEST] = 2 };
    bool                  is_fork = s->model.has_fork_telemetry;
    uint32_t              bytes = is_fork ? fork_bytes[sim_cc_telemetry(&s->cfg)] : nic_telemetry_bytes(s);
    uint32_t              ack_bytes = (is_fork ? 46 : s->cfg.ack_bytes) + bytes;

    if (!bytes)
        return;
    s->model.telemetry_bytes = bytes;
    s->cfg.header_bytes += bytes;
    s->cfg.ack_bytes = ack_bytes > s->cfg.ack_bytes ? ack_bytes : s->cfg.ack_bytes;
}

/* In model conweave PFC frames wait with ACKs, in turn, and a pause is sent for every packet that meets a full class. */
static void build_links(struct sim *s)
{
    bool is_conweave = s->cfg.model == MODEL_CONWEAVE;

    s->pfc = (struct pfc_cfg){ .pause_ps = s->cfg.pause_ps, .frame_bytes = s->cfg.pfc_bytes,
                               .is_refreshed = s->cfg.pause_ps && !is_conweave,
                               .queue = is_conweave ? 0 : QUEUE_CONTROL };
    s->scheduler = (struct scheduler_cfg){ .strict_prios = s->cfg.strict_prios,
                                           .by_packet = s->cfg.model != MODEL_NIC };
    for (uint32_t c = 0; c < PRIOS; c++)
        s->scheduler.quantum_bytes[c] = s->cfg.weight[c] * (s->cfg.mtu_bytes + s->cfg.header_bytes);
}

/* Which classes have PFC by the account of switch/buffer.h. */
static uint8_t lossless_prios(const struct sim *s)
{
    uint8_t prios = s->cfg.is_lossless ? (uint8_t)~s->cfg.lossy_prios : 0;

    if (s->model.has_control_class)
        prios &= (uint8_t)~1u;
    return s->model.has_egress_account ? 0 : prios;
}

/* What may be in the buffer of a lossy switch so that any frame finds room in an empty queue: see buffer_admit_lossy(). Half
 * a buffer that is far too large is enough. */
static int64_t lossy_pass_max(const struct sim *s)
{
    uint32_t frame = sim_largest_frame(&s->cfg);
    int64_t  used = (int64_t)s->cfg.buffer_bytes / 2, left = (int64_t)s->cfg.buffer_bytes - used;

    if (s->cfg.is_lossless || s->model.has_egress_account || (s->cfg.lossy_queue_bytes && s->cfg.lossy_queue_bytes < frame))
        return -1;
    return left >= frame && s->cfg.lossy_alpha * (double)left >= (double)frame ? used : -1;
}

/* Does a packet that passes a switch without waiting take its class's turn? The forks count it, and with several classes
 * that decides which of them goes next. */
static bool counts_turns(const struct sim *s)
{
    uint32_t prios = traffic_prios(s->program.traffic);

    return s->scheduler.by_packet && prios & (prios - 1);
}

/* Thresholds of classes are the same at every port, and stay when the knobs change. */
static void build_ecn_classes(struct sim *s)
{
    for (uint32_t c = 0; c < PRIOS && s->cfg.ecn_on; c++) {
        const struct ecn_class *e = &s->cfg.ecn_class[c];

        if (!e->is_set)
            continue;
        s->sw.ecn_prios |= (uint8_t)(1u << c);
        s->sw.ecn_class[c] = (struct ecn_cfg){ (uint32_t)(e->kmin_kb * 1000), (uint32_t)(e->kmax_kb * 1000), e->pmax };
    }
}

void model_build(struct sim *s)
{
    if (s->cfg.lossy_by_traffic)
        s->cfg.lossy_prios = traffic_prios_tcp(s->program.traffic);
    s->model = model_of(&s->cfg);
    build_telemetry(s);
    build_links(s);
    build_ecn_classes(s);
    s->sw.lossless_prios = lossless_prios(s);
    s->sw.queue_prios = (uint8_t)((s->sw.lossless_prios ? s->sw.lossless_prios : 0xff) & ~s->sw.ecn_prios);
    s->sw.pass_bytes_max = s->cfg.is_lossless ? s->cfg.reserve_bytes : 0;
    s->sw.pass_alone_max = counts_turns(s) ? 0 : s->sw.pass_bytes_max;
    s->sw.pass_used_max = lossy_pass_max(s);
    for (uint32_t c = 0; c < PRIOS; c++) {
        s->hosts.ack_prio[c] = s->cfg.has_ack_prio ? s->cfg.ack_prio : (uint8_t)c;
        s->hosts.reply_queue[c] = s->model.has_reply_queue && !s->cfg.has_ack_prio ? REPLY_QUEUE : (uint8_t)c;
    }
}
