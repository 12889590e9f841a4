#include "sim/build.h"
#include "sim/nic/sender_spray.h"
#include "sim/transport/uet/uet.h"
#include "sim/switch/switch.h"

#include <math.h>

#define ECN_LOW         0.2              /* in BDPs */
#define ECN_HIGH        0.8
#define QUEUES_NO_TRIM  5u               /* in BDPs */

static uint64_t frame_bytes(const struct sim *s)
{
    return s->cfg.mtu_bytes + s->cfg.header_bytes;
}

/* Sets the marking thresholds to one fifth and four fifths of a BDP. */
static void use_thresholds(struct sim *s)
{
    double packets = (double)uet_bdp_packets(s), kb = (double)frame_bytes(s) / 1000;

    s->cfg.knobs.value[KNOB_kmin] = ceil(ECN_LOW * packets) * kb;
    s->cfg.knobs.value[KNOB_kmax] = ceil(ECN_HIGH * packets) * kb;
    s->cfg.knobs.value[KNOB_pmax] = 1;
    knobs_clamp(&s->cfg.knobs);
}

/* Headers are not marked, and have strict priority. */
static void set_apart_headers(struct sim *s)
{
    s->sw.ecn_prios |= (uint8_t)(1u << s->cfg.head_prio);
    s->sw.ecn_class[s->cfg.head_prio] = (struct ecn_cfg){ .kmin_bytes = UINT32_MAX,
                                                          .kmax_bytes = UINT32_MAX };
    s->scheduler.strict_prios |= (uint8_t)(1u << s->cfg.head_prio);
}

/* Queue pairs: the knobs set the thresholds of UET's classes. Classes of queue pairs use the initial
 * thresholds, or those of 'ecn_by_class'. */
static void set_apart_pairs(struct sim *s)
{
    uint8_t unset = sim_roce_prios(&s->cfg) & (uint8_t)~s->sw.ecn_prios;

    for (uint32_t c = 0; c < PRIOS && s->cfg.ecn_on; c++)
        if (unset >> c & 1)
            s->sw.ecn_class[c] = (struct ecn_cfg){ (uint32_t)(knob_info[KNOB_kmin].initial * 1000),
                                                   (uint32_t)(knob_info[KNOB_kmax].initial * 1000),
                                                   knob_info[KNOB_pmax].initial };
    s->sw.ecn_prios |= s->cfg.ecn_on ? unset : 0;
    if (sim_roce_prios(&s->cfg))
        s->sw.queue_prios = s->sw.trim.prios & (uint8_t)~s->sw.ecn_prios;
}

static uint8_t data_classes(const struct sim *s)
{
    const struct traffic *traffic = s->program.traffic;

    return (uint8_t)(traffic_prios(traffic) & ~traffic_prios_tcp(traffic) & ~sim_roce_prios(&s->cfg));
}

uint8_t uet_classes(const struct sim *s)
{
    if (s->cfg.model != MODEL_UET)
        return 0;
    return data_classes(s) | (uint8_t)(1u << s->cfg.head_prio);
}

void uet_build(struct sim *s)
{
    if (s->cfg.model != MODEL_UET)
        return;
    s->sw.trim = (struct trimming){ .classes = uet_classes(s), .prios = data_classes(s),
                                    .is_on = s->cfg.has_trim };
    s->sw.has_credit = s->cfg.cc->has_credit;
    set_apart_headers(s);
    set_apart_pairs(s);
    if (s->cfg.ecn_by_network)
        use_thresholds(s);
    uet_configure(s);
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].is_switch)
            switch_set_ecn_by_knobs(s, &s->net.port[i], !s->cfg.ecn_by_network);
}

uint64_t uet_queue_bytes_automatic(const struct sim *s)
{
    return uet_bdp_packets(s) * frame_bytes(s) * (s->sw.trim.is_on ? 1 : QUEUES_NO_TRIM);
}

static uint64_t queue_bytes_max(const struct sim *s)
{
    uint64_t kb = (uint64_t)s->cfg.knobs.value[KNOB_trim], frame = frame_bytes(s);
    uint64_t bytes = kb ? kb * 1000 : uet_queue_bytes_automatic(s);

    return bytes > frame ? bytes : frame;
}

void uet_configure(struct sim *s)
{
    spray_configure(s);
    if (!s->sw.trim.classes)
        return;
    uint64_t bytes = queue_bytes_max(s);
    uint32_t limit = bytes < UINT32_MAX / 4 ? (uint32_t)bytes : UINT32_MAX / 4;
    for (uint32_t c = 0; c < PRIOS; c++)
        s->sw.trim.queue_bytes_max[c] = s->sw.trim.prios >> c & 1 ? limit : 0;
    s->sw.trim.queue_bytes_max[s->cfg.head_prio] = 2 * limit;
}
