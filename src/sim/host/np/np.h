/* src/sim/host/np/np.h - the notification point: how a receiver notifies senders of marked packets.
 *
 * One file per kind of receiver, each with a struct np_algo: np.c sends a CNP immediately, but with a minimum
 * spacing; cnp_arbiter.c serves congested flows in rotation. The congestion control decides which is used.
 */
#ifndef SIM_HOST_NP_NP_H
#define SIM_HOST_NP_NP_H

#include "sim/host/nic.h"

struct np_algo {
    /* A marked packet has arrived. Returns true to send a CNP now. */
    bool (*on_mark)(struct sim *, struct host *, struct flow_rx *, const struct packet *);

    /* Returns what is wrong with the state of a host, or NULL. */
    const char *(*check)(const struct sim *, const struct host *);

    bool has_turns;              /* hosts have an event for the rotation: see cnp_arbiter.h */
};

extern const struct np_algo np_spacing;

/* Derives the configuration from the knobs. */
struct np_cfg np_configure(const struct knobs *);

#endif
