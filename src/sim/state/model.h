/* src/sim/state/model.h - what a model decides, besides the numbers of struct sim_cfg. sim/model.c decides it, where a
 * world is built; nobody else asks for the model.
 */
#ifndef SIM_STATE_MODEL_H
#define SIM_STATE_MODEL_H

#include "core/hpcc_time.h"
#include "core/units.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_cfg;
struct port;

struct model {
    /* Time. */
    bool     fails_as_fork;      /* links that lose packets or go down do so as in the HPCC fork: see docs/fidelity.md */
    bool     in_whole_ns;        /* frames, and the gaps between them, take whole nanoseconds, truncated */
    uint32_t spacing_bytes;      /* otherwise: that go with every frame on the wire */
    uint32_t telemetry_bytes;    /* of the header, and in model nic of ACKs: the rest of it is what ideals count with */
    uint32_t rtt_bytes;          /* payload of the packet whose round trip is the base RTT */
    bool     is_ideal_rough;     /* the FCT of a flow alone is that of HPCC's scripts: see ideal.c */

    /* Switches. */
    uint32_t (*headroom_bytes)(const struct sim_cfg *, const struct port *);     /* that one class of a port needs */
    bool     sets_one_share_aside;   /* of headroom and reserve, whatever classes are used */
    bool     has_own_streams;    /* switches draw from streams of ns-3's, each for itself */
    bool     has_control_class;  /* class 0 is on no account of a buffer */
    bool     has_egress_account; /* of buffers: see switch/conweave_buffer.h */
    uint32_t unmarked_bytes;     /* of a queue that do not count against thresholds of marks */
    bool     counts_every_mark;  /* ACKs' included; otherwise data that is told of congestion, once */
    bool     asks_by_ports;      /* balancers tell flows apart by ports and class: source port and destination do, nearly */
    bool     is_next_hop_ascending;  /* order of equal next hops: see net/route.h */

    /* Senders. */
    bool     is_repaced;         /* a rate that changes moves the time at which a packet goes */
    bool     wakes_once;         /* a NIC does not wait for its port if nobody may go by then: it waits for who may */
    bool     keeps_wakeup;       /* a wake-up that is armed stays where it is, even if somebody may go earlier */
    bool     skips_wakeup;       /* and none is armed while a stopped queue pair could go now */
    bool     holds_at_turn;      /* the window is asked about at every look for somebody to send, and one that is held
                                  * counts as stopped; it is that of the settings, whatever the control says */
    bool     keeps_finished;     /* finished queue pairs keep their place in the turn: see turn.c */
    bool     has_qp_timers;      /* every queue pair has a retransmission timer, set by what it sends and by answers; otherwise
                                  * one counts from the last progress */
    bool     asks_for_acks;      /* a packet that closes its flow's window is acknowledged, whatever ack_every says */
    bool     ignores_late_answers;   /* of a flow that is over: the NIC does not even look for something to send */
    bool     counts_sports_by_pair;  /* of hosts, from 'sport_first' on */
    uint16_t sport_first, sport_mask;

    bool     has_fork_telemetry; /* that of the HPCC fork: sizes of its own, few rates, and at each acknowledgement a random
                                  * number is drawn (CC_DIGEST) */

    /* Receivers. */
    bool     marks_in_acks;      /* a mark is a flag of the ACK; otherwise it makes a CNP */
    bool     acks_marks;         /* and a marked packet is acknowledged at once, however few ACKs there are otherwise */
    bool     acks_old;           /* what has arrived already is acknowledged again, */
    bool     echoes_old;         /* with its mark, */
    bool     has_reply_queue;    /* answers of all classes wait in one queue of their host */
    bool     spaces_copies;      /* but if all of the flow has come, only as often as NACKs */
    bool     forgets_finished;   /* a flow of which its sender knows the end: copies find a fresh state */
};

/* Time from the start of a frame to the earliest start of the next, rounded up where a rate does not divide a picosecond:
 * no flow exceeds its rate. */
static inline uint64_t model_frame_ps(const struct model *m, uint32_t bytes, uint64_t rate_bps)
{
    if (m->in_whole_ns)
        return hpcc_tx_ns(bytes, rate_bps) * PS_PER_NS;
    return ((uint64_t)(bytes + m->spacing_bytes) * 8 * PS_PER_S + rate_bps - 1) / rate_bps;
}

#endif
