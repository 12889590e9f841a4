/* src/work/traffic/traffic_flow.h - data types of traffic: a flow to start, a completed flow, an entry of the
 * list. */
#ifndef WORK_TRAFFIC_TRAFFIC_FLOW_H
#define WORK_TRAFFIC_TRAFFIC_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct traffic;

/* What a message does. WRITE and SEND are reliable; a SEND takes a receive that its destination has posted.
 * UD is a datagram. A READ has two messages: the requester's ASK, and the data, which is the READ. See
 * sim/nic/flow.h and work/traffic/reads.h. */
enum verb { VERB_WRITE, VERB_SEND, VERB_UD, VERB_READ, VERB_ASK };

extern const char *const verb_names[];   /* of those that an entry may choose; NULL-terminated */

#define READ_REQUEST_BYTES 16u   /* payload of an ASK: the extended header of a READ */

struct operation {               /* what a message is for */
    uint64_t since_ps;           /* READ, ASK: when the requester posted the read */
    uint64_t bytes;              /* ASK: of the data that it asks for */
    uint64_t wait_ps;            /* READ: from the request's arrival until data comes out of memory */
    uint8_t  verb;
};

struct flow_spec {
    uint64_t at_ps;
    uint32_t dst;
    uint64_t bytes;
    uint32_t traffic;            /* index of its traffic entry */
    uint32_t rank;               /* order among flows that start at the same time, network-wide */
    uint16_t dport;
    uint8_t  prio;
    bool     is_answered;        /* report its end by traffic_on_arrival() and traffic_on_sent() */
    uint8_t  tcp;                /* 0: RDMA; otherwise TCP with setting tcp - 1 of the simulation */
    uint32_t qps;                /* 0: a fresh queue pair; otherwise the number of persistent queue pairs that
                                  * the entry's messages to this destination share in rotation */
    uint32_t pair;               /* queue pair to use, from 1; 0: the next in rotation */
    uint64_t tag;                /* identifies the flow to its job */
    struct operation op;         /* not VERB_WRITE: it has a persistent queue pair */
};

/* A completed flow. */
struct message {
    uint32_t src, dst;
    uint32_t traffic;
    uint64_t bytes, tag;
    uint64_t start_ps;           /* READ: when the requester posted it */
    struct operation op;
};

/* A message from a worker to all workers of its job. It takes effect at at_ps, at least one link delay
 * later. */
struct signal {
    uint64_t at_ps;
    uint64_t value;
    uint32_t entry, worker;
};

/* Settings common to all entries: start times of flows, and the priority class of their packets. */
struct traffic_common { uint64_t start_ps, stop_ps; uint8_t prio; };

struct traffic_about {           /* description of a traffic entry for results */
    char     name[64];           /* as given, or kind and number: "poisson 1" */
    char     kind[16];
    uint32_t line;               /* line in the file; 0: not from a file */
    char     what[96];           /* sizes and operations as the file names them: "FB_Hadoop sizes"; "": not
                                  * given */
    double   load;               /* requested load; 0: not applicable */
    bool     is_of_bisection;    /* it is relative to the links between racks, not to those of hosts */
    double   bps_per_host;       /* sending rate that results from 'load' */
    uint32_t hosts;
    uint64_t start_ps, stop_ps;  /* range of flow starts; stop_ps is NEVER if unlimited */
    bool     is_influx;          /* temporary extra load: results are split by it */
    uint32_t workers;            /* training only; otherwise 0 */
    uint64_t collective_bytes;   /* training: size as nccl-tests define it; 0: several collectives */
    double   bus_factor;         /* training: bus bandwidth over algorithm bandwidth */
    uint64_t bound_ps;           /* training: lower bound of an iteration from link rates; 0: unknown */
    uint64_t compute_ps;         /* training: between two collectives */
    bool     has_work;           /* training: work_ps is known */
    uint64_t work_ps;            /* training: time of an iteration if messages took none */
};

/* Transport settings of TCP flows. */
struct traffic_tcp {
    uint32_t algorithm;          /* index into struct traffic_env's tcp */
    uint32_t mss_bytes;          /* payload of a full packet */
    uint32_t burst_bytes;        /* maximum payload sent back to back */
    uint64_t rto_ps_min;
    uint64_t wake_ps_max;        /* maximum random delay from an ACK to the stack's reaction */
    bool     is_ecn;             /* ECN-capable */
};

#define TRAFFIC_AT_ONCE_MAX (1u << 25)   /* flows that start together, over all entries */
#define TRAFFIC_TCPS_MAX 64      /* distinct settings in a run */

#endif
