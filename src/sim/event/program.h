/* src/sim/event/program.h - the program of traffic: which flow starts next, and when.
 *
 * Traffic (traffic/traffic.h) is a set of streams; each has one event, at which its next flow starts. Workers
 * of jobs have flows that follow from others: traffic is told of every end it asked about, and then says
 * which workers have something to start. What it signals to all of a job's workers acts in every part of the
 * world.
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
    uint32_t          live;      /* streams and signals with something to come */

    struct signal    *signal;    /* that will act; the first last */
    uint32_t          signals, signals_max;
    struct signal    *made;      /* here, for the other parts to be told; NULL unless there are others */
    uint32_t          made_count, made_max;
    bool              has_others;
};

/* The streams of 'traffic', which has been read. */
void program_init(struct program *, struct traffic *, struct arena *);
void program_fini(struct program *);

/* How many low bits of a number are a stream's, 12 or more, if a node has 'most' of them; negative: there are
 * not enough for so many nodes. */
int program_stream_bits(uint32_t most, uint32_t nodes, struct err *);

/* Numbers the streams of each node from 0. A node's number lies above theirs, so that flows which start
 * together do so by node and then by stream. Returns how many low bits of a number are a stream's, 12 or
 * more: a node may have more than 4096 streams, then nodes have fewer bits. Negative: there are not enough
 * for so many. */
int program_number_streams(struct program *, uint32_t nodes, struct err *);

/* The first flow of a stream that is no worker's. */
void program_start_stream(struct engine *, struct program *, uint32_t stream);

/* The event of a stream: takes the flow that starts now, and awaits the next. */
void program_take_flow(struct engine *, struct program *, uint32_t stream, struct flow_spec *);

/* A message has come to its destination; its source knows of it. */
void program_on_arrival(struct engine *, struct program *, const struct message *);
void program_on_sent(struct engine *, struct program *, const struct message *);

/* A worker is to be woken: its flow has no bytes. */
void program_on_wake(struct engine *, struct program *, uint32_t stream, uint64_t tag);

/* Lets workers that have something to start do so, and keeps the signals that were made. */
void program_schedule_workers(struct engine *, struct program *);

/* A signal that will act in this part; the moment at which signals act. */
void program_add_signal(struct engine *, struct program *, const struct signal *);
void program_on_signals(struct engine *, struct program *);

#endif
