/* src/live/relay/relay.h - a relay between the agents of a rack and a controller, so that a controller talks
 * to racks, not to hosts.
 *
 * A state machine over (clock, network): it has no persistent state, decides nothing, and has no lease of its
 * own. It merges reports (rack.h), forwards all other messages, and passes on to each device the lease that
 * the controller gave for its report. If a device reports several times within one interval of the relay, the
 * reports are merged: counters and message statistics are added, the metric is averaged.
 *
 * A relay that has not heard from its controller for a while disconnects its agents: they go to the next
 * relay or to the controller itself (agent_path.h). An agent does the same if its relay is silent or gone.
 */
#ifndef LIVE_RELAY_RELAY_H
#define LIVE_RELAY_RELAY_H

#include "live/core/rack.h"

#define RELAY_MEMORY 8           /* racks under way that may still be answered */
#define RELAY_STARTS_MAX 2
/* of one agent in a rack: so that all of them fit into what a controller reads */
#define RELAY_ITEMS_MAX 4

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
    uint32_t          starts;    /* incarnations in this interval: more than RELAY_STARTS_MAX have to wait for
                                  * the next */
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

/* Sends what cannot wait: answers and greetings. */
void relay_flush(struct relay *);

/* Once per interval: sends all. */
void relay_on_tick(struct relay *, uint64_t now_us);

#endif
