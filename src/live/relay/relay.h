/* src/live/relay/relay.h - a relay between the agents of a rack and a controller, which then has few peers.
 *
 * A state machine over (clock, network): it has no persistent state, decides nothing, and has no lease of its
 * own. It collects reports (rack.h), forwards all other messages, and passes on to each device the lease that
 * the controller gave for its report. Several reports of a device within one interval are merged: counters
 * and message statistics are added, the metric is averaged.
 *
 * A relay that has not heard from its controller for a while disconnects its agents: they go to the next
 * relay or to the controller itself (struct path). An agent does the same if its relay is silent or gone.
 */
#ifndef LIVE_RELAY_RELAY_H
#define LIVE_RELAY_RELAY_H

#include "live/core/rack.h"

#define RELAY_MEMORY 8           /* racks under way that may still be answered */
#define RELAY_STARTS_MAX 2
#define RELAY_ITEMS_MAX  4       /* of one agent in a rack, so that the rack fits */

struct relay_config { uint64_t silence_us; };    /* of the controller, after which agents are sent away */

struct relay_io {
    void (*send)(void *, uint32_t link, const struct msg *);     /* to an agent */
    void (*cut)(void *, uint32_t link);                          /* it shall go elsewhere */
    void (*send_up)(void *, const struct rack *);                /* to the controller */
    void *arg;
};

struct relay_agent {
    uint32_t          link, slot;
    uint64_t          incarnation;
    bool              has_row, has_seen;
    uint32_t          starts;    /* incarnations in this interval, at most RELAY_STARTS_MAX */
    uint32_t          items;     /* of the rack that waits */
    struct rack_row   row;
    struct fsd        fsd;
    struct seen_part *seen;      /* of the waiting reports; NULL: it has never reported messages */
};
struct relay_heard { uint32_t slot; uint64_t stamp_us; };        /* a report that is in a rack */
struct relay_sent  { uint64_t number; uint32_t count; struct relay_heard heard[2 * RACK_DEVICES_MAX]; };

struct relay {
    struct relay_config cfg;
    struct relay_io     io;
    uint64_t            number;          /* of racks so far */
    uint32_t            slots;           /* given so far */
    struct relay_agent *agent;
    uint32_t            agents;
    struct rack         up;
    struct relay_sent  *sent;            /* the last RELAY_MEMORY, by number */
    uint64_t            heard_us;        /* from the controller; 0: never */
    uint64_t            ignored;         /* messages of agents that said too much */
};

void relay_init(struct relay *, const struct relay_config *, const struct relay_io *, uint64_t life);
void relay_fini(struct relay *);

/* From an agent. One too many is sent away. */
void relay_on_agent(struct relay *, uint32_t link, const struct msg *, uint64_t now_us);
void relay_on_agent_cut(struct relay *, uint32_t link);

/* The controller can be reached (again): devices send a hello. */
void relay_on_up(struct relay *, uint64_t now_us);
void relay_on_down(struct relay *);      /* it cannot: disconnects all agents */
void relay_on_rack(struct relay *, const struct rack *, uint64_t now_us);

void relay_flush(struct relay *);                        /* sends what cannot wait: answers and greetings */
void relay_on_tick(struct relay *, uint64_t now_us);     /* once per interval: sends all */

/* ---- the path of an agent ----
 *
 * An agent reaches its controller through one of its relays or, if none works, through one of the
 * controllers of its cell directly. It starts with the first path. If a path is cut, or silent for a while,
 * the agent takes the next one; after the last comes the first. If there are relays, it returns to the first
 * of them from time to time. Among controllers it stays, because only one of them acts. */

struct path {
    uint32_t ways, at;           /* number of paths; the current one, from 0 */
    uint32_t relays;             /* number of relays, which are the first paths */
    uint64_t silence_us;         /* a path that is silent for so long is left */
    uint64_t return_us;          /* back to the first relay after so long */
    uint64_t since_us;
    uint64_t heard_us;           /* the last message; its owner sets it */
};

/* relays of 0: all paths are controllers, and it never returns to an earlier one. */
void path_init(struct path *, uint32_t ways, uint32_t relays, uint64_t silence_us, uint64_t return_us,
               uint64_t now_us);

void path_lost(struct path *, uint64_t now_us);          /* the path was cut: takes the next */
bool path_on_tick(struct path *, uint64_t now_us);       /* returns whether the path has changed */

/* ---- the controller's end of a relay: racks become messages, and answers become racks ----
 *
 * Each slot has a link of its own, as if its agent were connected directly, so the controller's state machine
 * does not know of relays. If all reports of a rack are answered by leases, which is nearly always the case,
 * one number answers them all. */

struct mux_io {
    uint32_t (*on_link)(void *, uint64_t now_us);        /* a device is new; returns an unused link for it */
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

    /* the rack that is being delivered */
    const struct rack     *up;
    const struct mux_slot *current;      /* whose message it is */
    struct mux_lease      *lease;        /* those for its reports so far */
    uint32_t               leases;
    struct msg_detail     *detail;       /* space for the details of a report */
    bool                   is_handed_on[RACK_DEVICES_MAX];       /* of the statistics of hosts */
};

void mux_init(struct mux *, const struct mux_io *);
void mux_fini(struct mux *);     /* its links are not closed */

void mux_on_rack(struct mux *, const struct rack *, uint64_t now_us);

void mux_on_cut(struct mux *);                           /* the relay cannot be reached any more */

/* Queues a message for one of its links until mux_flush(). Returns false if the link belongs to another. */
bool mux_send(struct mux *, uint32_t link, const struct msg *);
void mux_flush(struct mux *);

#endif
