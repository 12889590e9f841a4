/* src/sim/skip/tape.h - a recorded round of periodic jobs: which flows started when, when each had arrived
 * and was acknowledged, and what was counted.
 *
 * Times are from the start of the round. Counters of the network are sampled; those of a port are kept as
 * totals, and advance in proportion to the bytes that all hosts have sent.
 */
#ifndef SIM_SKIP_TAPE_H
#define SIM_SKIP_TAPE_H

#include "sim/state/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_NONE UINT32_MAX

struct tape_flow {
    uint32_t traffic, src, dst;
    uint64_t tag, bytes;
    uint64_t start_ps, ideal_ps, resent_bytes;
    uint64_t end_ps;             /* to compute its progress */
    uint32_t ports;
    uint8_t  prio;
};

struct tape_step {               /* a flow has arrived in full, or its sender knows of it */
    uint64_t at_ps;
    uint32_t flow;
    bool     is_end;
};

struct tape_post { uint32_t stream; uint64_t at_ps; };   /* pending starts when the round began */

struct tape {
    uint64_t             start_ps;       /* of the world */
    uint64_t             busy_ps;        /* until its last flow was over */
    uint64_t             period_ps;      /* until the next round began */
    struct tape_flow    *flow;
    struct tape_step    *step;
    struct tape_post    *post;
    uint32_t            *sorted;         /* flows, as tape_find() looks for them */
    uint32_t             flows, flows_max, steps, steps_max, posts, posts_max;

    struct sim_counters  was;            /* when it began */
    struct sim_counters *sample;         /* counters up to then; the last is the total */
    uint64_t             sample_ps;      /* from one to the next */
    uint32_t             samples;
    struct port_counters *port;          /* by port: before the round, then over it */
    uint32_t             ports;
    uint64_t             rtt_ps_peak;
    uint64_t             events;         /* that it took, or would have taken */
};

/* Begins a round now. What was on the tape is forgotten. */
void tape_start(struct tape *, const struct sim *);
void tape_fini(struct tape *);

void     tape_add_post(struct tape *, uint32_t stream, uint64_t at_ps);
uint32_t tape_add_flow(struct tape *, const struct flow *);      /* its number on the tape */
void     tape_add_step(struct tape *, uint64_t world_ps, uint32_t flow, bool is_end, uint64_t resent_bytes);

/* When the next sample is due, in the world's time; takes it if it is due now. */
uint64_t tape_due_ps(const struct tape *);
void     tape_look(struct tape *, const struct sim *);

/* The round is over; the next begins now. */
void tape_end(struct tape *, const struct sim *);

/* Did both begin with the same flows to start, at the same times? */
bool tape_is_like(const struct tape *, const struct tape *);

/* The flow that starts at start_ps of a round; TAPE_NONE: there was none such. */
uint32_t tape_find(const struct tape *, uint32_t src, const struct flow_spec *, uint64_t start_ps);

/* Counts what the round has counted from one of its moments to another. */
void tape_count(const struct tape *, struct sim *, uint64_t from_ps, uint64_t to_ps);

/* Copies what ports have counted until now, pauses that go on included. */
void tape_copy_ports(struct port_counters *to, const struct sim *);

/* Counters from this one on grow with packets; those before it with events and flows. */
#define COUNTERS_FIRST (offsetof(struct sim_counters, data_sent) / sizeof(uint64_t))
#define COUNTERS       (sizeof(struct sim_counters) / sizeof(uint64_t))

/* a * b / c without overflow in between; 0 / 0 is 0. */
static inline uint64_t tape_share(uint64_t a, uint64_t b, uint64_t c)
{
    return c ? (uint64_t)((unsigned __int128)a * b / c) : 0;
}

#endif
