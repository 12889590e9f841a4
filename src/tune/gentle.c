#include "tune/gentle.h"
#include "tune/rehearse/search/coded.h"

#include <math.h>

#define FIRST_OVER  1.25         /* times the slowest host's speed: what the first cut leaves at most */
#define WAIT_LONGER 1.5          /* factor of the thresholds where all hosts are equally fast */
#define RISE_LEAST  0.5          /* of the rise */
#define RISE_SHARE  0.125        /* of the rise: the additive one, near the rate of the last cut */
#define FEW         4            /* packets: those of few hosts that meet by chance are no congestion */
#define SOME        6
#define PACKET_KB   4            /* if the MTU is unknown: the largest there is */
/* of the line: what the first cut leaves where there is room for few packets */
#define FIRST_FEW   0.8

/* Result of a search with FB_Hadoop on one switch (also a start of search/twin_search.c): marks from 0.2 of
 * the bandwidth-delay product on, and most packets from 0.65 on; cuts by a fifth at most, from a small alpha;
 * rises by 0.7 % of the line rate every round trip, and later by 2.6 %. rise_slowly() and calm() have later
 * corrections. */
static const double point[CODED_DIMS_MAX] = { 0.40, 0.46, 0.96, 0.11, 0.88, 0.25, 0.75, 0.33, 0.81, 0.91,
                                              0.00, 0.56, 1.00, 0.54, 0.15, 0.10, 0.00 };

/* Speed of the slowest host, as a share of the fastest. */
static double slowest_of(const struct world *w)
{
    double least = (double)w->host_bps;

    for (uint32_t i = 0; i < w->ports; i++)
        if (w->device[w->port[i].device].tier == WORLD_HOSTS && w->port[i].rate_bps)
            least = fmin(least, (double)w->port[i].rate_bps);
    return least / (double)w->host_bps;
}

static void scale(struct knobs *k, enum knob low, enum knob high, double times)
{
    k->value[low] = ceil(times * k->value[low]);
    k->value[high] = ceil(times * k->value[high]);
}

static double packet_kb(const struct world *w)
{
    return w->mtu_bytes ? fmax(1, floor(w->mtu_bytes / 1000.0 + 0.5)) : PACKET_KB;
}

/* On slow links a fifth of the bandwidth-delay product is two packets. Returns true if that is too little. */
static bool keep_some_packets(const struct world *w, struct knobs *k, double packets)
{
    if (k->value[KNOB_kmin] >= FEW * packet_kb(w))
        return false;
    scale(k, KNOB_kmin, KNOB_kmax, packets * packet_kb(w) / k->value[KNOB_kmin]);
    return true;
}

/* If some hundred messages meet at one link and each rises by a hundredth of the line rate, they rise
 * together by more than it carries. Small cuts do not compensate, and queues would stay. If the
 * bandwidth-delay product has room for some packets, rates rise half as fast, and wait a little longer.
 * Otherwise elephants would pay for it, as marks come by chance: marks are made rarer, and the first one cuts
 * less. */
static void calm(const struct world *w, struct knobs *k)
{
    scale(k, KNOB_kmin, KNOB_kmax, WAIT_LONGER);
    scale(k, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate,
          fmax(RISE_LEAST, fmin(1, FEW * packet_kb(w) / k->value[KNOB_kmin])));
    if (keep_some_packets(w, k, SOME))
        k->value[KNOB_rate_to_set_on_first_cnp] = floor(FIRST_FEW * (double)w->host_bps / 1e6);
}

/* On networks near overload many messages share a link, and their additive raises add up: on drawn workloads
 * an eighth of it halved J there and in networks with slow hosts. It cost up to a tenth in collectives, which
 * are few messages. The hyper increase stays: it acts where marks have ceased. */
static void rise_slowly(struct knobs *k)
{
    k->value[KNOB_rpg_ai_rate] = fmax(1, floor(RISE_SHARE * k->value[KNOB_rpg_ai_rate] + 0.5));
}

void gentle_make(struct knobs *k, const struct world *w)
{
    double       slow = slowest_of(w);
    struct coded coded;

    coded_init(&coded, w);
    *k = w->start;
    coded_to_knobs(&coded, point, k);
    if (slow >= 1) {
        calm(w, k);
        rise_slowly(k);
        return;
    }
    keep_some_packets(w, k, FEW);
    scale(k, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, slow);
    rise_slowly(k);
    k->value[KNOB_rpg_time_reset] = ceil(k->value[KNOB_rpg_time_reset] / sqrt(slow));
    k->value[KNOB_rate_to_set_on_first_cnp] = floor(fmin(k->value[KNOB_rate_to_set_on_first_cnp],
                                                         FIRST_OVER * slow * (double)w->host_bps / 1e6));
    knobs_clamp(k);
}
