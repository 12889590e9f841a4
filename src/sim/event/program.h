/* src/sim/event/program.h - traffic as events: which flow starts next, and when.
 *
 * Traffic (work/traffic/traffic.h) is a set of streams. Each stream has one event: the start of its next
 * flow. Flows of a job's workers depend on earlier flows. The program reports completions that the traffic
 * asked for, and then starts the workers that have something to send. A signal to all workers of a job takes
 * effect in every part of the world.
 */
#ifndef SIM_EVENT_PROGRAM_H
#define SIM_EVENT_PROGRAM_H

#include "sim/event/engine.h"
#include "work/traffic/traffic.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct program {
    struct traffic   *traffic;   /* shared by all parts */
    struct flow_spec *next_flow; /* next flow of each stream; shared by all parts */
    uint32_t         *place;     /* likewise. ORDER_NODE: low bits of the order of its flow starts */
    uint32_t          part;      /* the part that runs these streams */
    uint32_t          streams;
    uint32_t          live;      /* unfinished streams and signals */

    struct signal    *signal;    /* pending signals, the earliest last */
    uint32_t          signals, signals_max;
    struct signal    *made;      /* signals created here for the other parts; NULL if there are none */
    uint32_t          made_count, made_max;
    bool              has_others;
};

/* Reads the streams of 'traffic'. */
void program_init(struct program *, struct traffic *, struct arena *);
void program_fini(struct program *);

/* Returns how many low bits of an event number identify streams, at least 12, if a node has up to 'most' of
 * them. Returns a negative errno if there are too many nodes. */
int program_stream_bits(uint32_t most, uint32_t nodes, struct err *);

/* Numbers the streams of each node from 0. The node's number is in the bits above, so that simultaneous flows
 * start by node, then by stream. Returns how many low bits identify streams, at least 12: a node with more
 * than 4096 streams leaves fewer bits for nodes. Returns a negative errno if there are too many. */
int program_number_streams(struct program *, uint32_t nodes, struct err *);

/* Schedules the first flow of a stream. Not for streams of workers. */
void program_start_stream(struct engine *, struct program *, uint32_t stream);

/* Handles the event of a stream: returns the flow that starts now and schedules the next. */
void program_take_flow(struct engine *, struct program *, uint32_t stream, struct flow_spec *);

/* A message has arrived, or its sender has received all acknowledgements. */
void program_on_arrival(struct engine *, struct program *, const struct message *);
void program_on_sent(struct engine *, struct program *, const struct message *);

/* Wakes a worker. Its flow has no bytes. */
void program_on_wake(struct engine *, struct program *, uint32_t stream, uint64_t tag);

/* Schedules workers that have a flow to start, and stores the signals they created. */
void program_schedule_workers(struct engine *, struct program *);

/* Adds a signal for this part; handles those that are due. */
void program_add_signal(struct engine *, struct program *, const struct signal *);
void program_on_signals(struct engine *, struct program *);

#endif
