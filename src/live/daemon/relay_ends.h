/* src/live/daemon/relay_ends.h - the controller's ends of all connected relays: struct mux of
 * live/relay/relay.h over streams. */
#ifndef LIVE_DAEMON_RELAY_ENDS_H
#define LIVE_DAEMON_RELAY_ENDS_H

#include "live/controller/controller.h"
#include "live/relay/relay.h"
#include "live/wire/codec.h"
#include "live/wire/serve.h"

struct relay_end { struct relay_ends *all; uint32_t link; struct account *account; struct mux mux; };

struct relay_ends {
    struct controller *controller;
    struct serve      *serve;
    struct relay_end **end;
    uint32_t           ends;
    struct relay_end  *current;          /* whose rack is at hand */
    uint32_t           reports;          /* heard since the owner has counted them */
    uint32_t           links;            /* given to devices behind relays so far */
    uint32_t           names_max;        /* of devices that one certificate of a relay may speak for */
    struct rack        rack;             /* that came last */
};

/* 'agent_devices': as of the configuration. A rack may always be full. */
void relay_ends_init(struct relay_ends *, struct controller *, uint32_t agent_devices);
void relay_ends_fini(struct relay_ends *);

/* -EBADMSG: it is not a rack. A relay has room for names_max names, as long as its account lasts. */
int  relay_ends_on_event(struct relay_ends *, const struct rpc_event *, uint64_t now_us);
void relay_ends_cut(struct relay_ends *, uint32_t link);

/* Returns false if the link is not behind a relay. The message is sent with the next flush. */
bool relay_ends_send(struct relay_ends *, uint32_t link, const struct msg *);
void relay_ends_flush(struct relay_ends *);

#endif
