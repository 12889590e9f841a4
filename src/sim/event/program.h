/* src/sim/event/program.h - traffic as events: which flow starts next, and when.
 *
 * Traffic (traffic/traffic.h) is a set of streams. Each has one event, at which its next flow starts. Flows
 * of jobs' workers follow from others: the program reports the ends that traffic asked for, and then starts
 * the workers that have something to send. A signal to all workers of a job acts in every part of the world.
 */
#ifndef SIM_EVENT_PROGRAM_H
#define SIM_EVENT_PROGRAM_H

#include "sim/event/engine.h"
#include "traffic/traffic.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct program {
    struct traffic   *traffic;   /* of all parts */
    struct flow_spec *next_flow; /* of each stream; of all parts */
    uint32_t         *place;     /* likewise. ORDER_NODE: low bits of the order of its flow starts */
    uint32_t          part;      /* whose streams these are */
    uint32_t          streams;
    uint32_t          live;      /* streams and signals that are not finished */

    struct signal    *signal;    /* pending; the first one last */
    uint32_t          signals, signals_max;
    struct signal    *made;      /* made here, for the other parts; NULL unless there are others */
    uint32_t          made_count, made_max;
    bool              has_others;
};

/* The streams of 'traffic', which has been read. */
void program_init(struct program *, struct traffic *, struct arena *);
void program_fini(struct program *);

/* Returns the number of low bits of an event number for streams, 12 or more, if a node has 'most' of them.
 * Negative: too many nodes. */
int program_stream_bits(uint32_t most, uint32_t nodes, struct err *);

/* Numbers the streams of each node from 0. A node's number lies above theirs, so that simultaneous flows
 * start by node, then by stream. Returns the number of low bits for streams, 12 or more: a node with more
 * than 4096 streams leaves fewer bits for nodes. Negative: too many. */
int program_number_streams(struct program *, uint32_t nodes, struct err *);

/* Schedules the first flow of a stream that is not a worker's. */
void program_start_stream(struct engine *, struct program *, uint32_t stream);

/* Handles the event of a stream: takes the flow that starts now and schedules the next. */
void program_take_flow(struct engine *, struct program *, uint32_t stream, struct flow_spec *);

/* A message has arrived; its sender has received all acknowledgements. */
void program_on_arrival(struct engine *, struct program *, const struct message *);
void program_on_sent(struct engine *, struct program *, const struct message *);

/* A worker wakes: its flow has no bytes. */
void program_on_wake(struct engine *, struct program *, uint32_t stream, uint64_t tag);

/* Schedules workers that have a flow to start, and keeps the signals they made. */
void program_schedule_workers(struct engine *, struct program *);

/* Adds a signal for this part; handles those that are due. */
void program_add_signal(struct engine *, struct program *, const struct signal *);
void program_on_signals(struct engine *, struct program *);

#endif
