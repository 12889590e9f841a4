/* src/live/relay/mux.h - the controller's end of a relay: what comes in a rack becomes messages, and answers
 * become racks.
 *
 * Each slot has a link of its own, as if its agent were connected directly, so the controller's state machine
 * does not know of relays. Where all reports of a rack are answered by leases, which is nearly always, one
 * number answers them all.
 */
#ifndef LIVE_RELAY_MUX_H
#define LIVE_RELAY_MUX_H

#include "live/core/rack.h"

struct mux_io {
    uint32_t (*open)(void *);                            /* returns an unused link */
    void (*on_link)(void *, uint32_t link, uint64_t now_us);
    void (*on_msg)(void *, uint32_t link, const struct msg *, uint64_t now_us);
    void (*on_cut)(void *, uint32_t link);
    void (*send_down)(void *, const struct rack *);      /* to the relay */
    void *arg;
};

#define MUX_LEASES_MAX (2 * RACK_DEVICES_MAX)

struct mux_lease { uint32_t slot; uint64_t term, incarnation, stamp_us; };
struct mux_slot { uint32_t slot, link; uint64_t incarnation; };  /* incarnation: of which messages came */

struct mux {
    struct mux_io   io;
    uint64_t        life;        /* of the relay; 0: nothing was heard yet */
    struct mux_slot slot[RACK_DEVICES_MAX];
    uint32_t        slots;
    struct rack     down;

    /* the rack that is being handed on */
    const struct rack     *up;
    const struct mux_slot *current;      /* whose message it is */
    struct mux_lease      *lease;        /* given for its reports so far; room for MUX_LEASES_MAX, while it is
                                          * handed on */
    uint32_t               leases;
    struct msg_detail     *detail;       /* space for the details of a report */
    bool                   is_handed_on[RACK_DEVICES_MAX];       /* of the statistics of hosts */
};

void mux_init(struct mux *, const struct mux_io *);
void mux_fini(struct mux *);     /* its links are not closed */

void mux_on_rack(struct mux *, const struct rack *, uint64_t now_us);

/* The relay cannot be reached any more. */
void mux_on_cut(struct mux *);

/* Queues a message for one of its links until mux_flush(). Returns false if the link belongs to another. */
bool mux_send(struct mux *, uint32_t link, const struct msg *);
void mux_flush(struct mux *);

#endif
