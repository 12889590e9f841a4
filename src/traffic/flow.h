/* src/traffic/flow.h - the words of traffic: a flow that is to start, one that has ended, an entry of the list. */
#ifndef TRAFFIC_FLOW_H
#define TRAFFIC_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct traffic;

struct flow_spec {
    uint64_t at_ps;
    uint32_t dst;
    uint64_t bytes;
    uint32_t traffic;            /* index of the entry it comes from */
    uint32_t rank;               /* place among flows that start together, over the whole network */
    uint16_t dport;
    uint8_t  prio;
    bool     is_answered;        /* traffic wants to be told of its end, by traffic_on_arrival() and _on_sent() */
    uint8_t  tcp;                /* 0: RDMA; else TCP, by setting tcp - 1 of the simulation */
    uint32_t qps;                /* 0: on a queue pair of its own; else on one of so many that messages of its entry to this
                                  * destination take in turn, and that live on */
    uint32_t pair;               /* which of them, from 1; 0: the next in turn */
    uint64_t tag;                /* what a job knows it by */
};

/* A flow that has ended. */
struct message {
    uint32_t src, dst;
    uint32_t traffic;
    uint64_t bytes, tag;
    uint64_t start_ps;
};

/* What a worker tells all others of its job: it acts at at_ps, a link's delay later at least. */
struct signal {
    uint64_t at_ps;
    uint64_t value;
    uint32_t entry, worker;
};

/* What all entries have: when flows start, and the class of their packets. */
struct traffic_common { uint64_t start_ps, stop_ps; uint8_t prio; };

struct traffic_about {           /* what results say of one entry of the traffic list */
    char     name[64];           /* given, or its kind and number: "poisson 1" */
    char     kind[16];
    uint32_t line;               /* of the file; 0: it does not stand there */
    double   load;               /* asked for; 0: not a matter of load */
    double   bps_per_host;       /* what 'load' comes to */
    uint32_t hosts;
    uint64_t start_ps, stop_ps;  /* of starts of flows; stop_ps is NEVER if nothing limits them */
    bool     is_influx;          /* comes upon the rest and goes: results are split by it */
    uint32_t workers;            /* training; 0: something else */
    uint64_t collective_bytes;   /* training: its size as nccl-tests define it; 0: there are several */
    double   bus_factor;         /* training: bus bandwidth over algorithm bandwidth */
    uint64_t bound_ps;           /* training: the least an iteration can take by the hosts' links; 0: not known */
    uint64_t compute_ps;         /* training: between two collectives */
};

/* How flows are sent that are TCP's. */
struct traffic_tcp {
    uint32_t algorithm;          /* index among those that were there to choose from: struct traffic_env */
    uint32_t mss_bytes;          /* payload of a full packet */
    uint32_t burst_bytes;        /* of payload, at most, back to back */
    uint64_t rto_ps_min;
    uint64_t wake_ps_max;        /* from an ACK to the stack's answer, at most; random */
    bool     is_ecn;             /* switches may mark its packets */
};

#define TRAFFIC_AT_ONCE_MAX (1u << 25)   /* flows that start together, all entries taken together */
#define TRAFFIC_TCPS_MAX 64      /* different ones in a run */

#endif
