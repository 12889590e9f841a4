/* src/sim/skip/alone.h - a sender that nothing disturbs, without its packets.
 *
 * Full packets leave as the pacer lets them: the next one a gap after the last, the gap by the rate at that
 * time, and what is left of it shorter or longer when the rate changes (pacer_repace()). The pacer notices a
 * new rate when the port has sent the last packet, not before. Congestion control
 * without marks knows its rate in advance: a rate at its end is a division, a rate that rises is stepped
 * packet by packet. Acknowledgements that the same host sends take their share of its port.
 */
#ifndef SIM_SKIP_ALONE_H
#define SIM_SKIP_ALONE_H

#include "cc/cc.h"
#include "sim/state/state.h"

struct alone_host {
    const struct model   *model;
    const struct cc_algo *cc;
    const void           *cc_cfg;
    uint32_t              frame_bytes;       /* of a full packet */
    uint64_t              line_bps, other_bps;   /* of its port; of that, what others send */
    uint64_t              most_bps;          /* it stops when its rate is above that */
};

struct alone {
    struct cc_out out;
    uint64_t      at_ps;         /* of the next packet, if the rate stays */
    uint64_t      seen_ps;       /* when that was last decided */
    uint64_t      gap_rate_bps;  /* by which at_ps was set */
    uint64_t      free_ps;       /* when the port has sent the last packet */
};

/* Sends full packets, at most so many, that leave before until_ps. Returns how many; 'state' is that of
 * congestion control. */
uint64_t alone_send(const struct alone_host *, struct alone *, void *state, uint64_t packets,
                    uint64_t until_ps);

#endif
