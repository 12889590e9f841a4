/* src/sim/skip/alone.h - a sender that no other flow disturbs, without its packets.
 *
 * Computes when a lone sender sends full packets: one pacer gap after the last, by the rate at that time. If
 * the rate changes, the rest of the gap is scaled (pacer_repace()). The pacer notices a new rate only when
 * the port has sent the last packet. Without marks, congestion control determines its rate in advance: a
 * constant rate needs one division, a rising rate is stepped packet by packet. ACKs that the same host sends
 * take their share of its port.
 */
#ifndef SIM_SKIP_ALONE_H
#define SIM_SKIP_ALONE_H

#include "sim/cc/cc.h"
#include "sim/state/state.h"

struct alone_host {
    const struct model   *model;
    const struct cc_algo *cc;
    const void           *cc_cfg;
    uint32_t              frame_bytes;       /* of a full packet */
    uint64_t              line_bps, other_bps;   /* of its port; the part that others use */
    uint64_t              most_bps;          /* stops when its rate exceeds this */
};

struct alone {
    struct cc_out out;
    uint64_t      at_ps;         /* time of the next packet, if the rate stays */
    uint64_t      seen_ps;       /* when at_ps was last computed */
    uint64_t      gap_rate_bps;  /* the rate used for at_ps */
    uint64_t      free_ps;       /* end of the last packet at the port */
};

/* Sends up to 'packets' full packets before until_ps, and no more than 'steps' one by one. Returns their
 * number. 'state': congestion control's. */
uint64_t alone_send(const struct alone_host *, struct alone *, void *state, uint64_t packets, uint64_t steps,
                    uint64_t until_ps);

#endif
