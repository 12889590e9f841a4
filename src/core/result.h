/* src/core/result.h - results of single flows, operations and PFC frames. */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include <stdint.h>

struct flow_result {
    uint32_t src, dst;           /* nodes */
    uint16_t sport, dport;
    uint8_t  prio;
    uint32_t traffic;            /* index in the scenario's traffic list */
    uint64_t bytes;              /* payload */
    uint64_t start_ps, fct_ps;
    uint64_t ideal_ps;           /* FCT of the same flow alone in the network */
    uint64_t resent_bytes;       /* payload sent again after a loss */
    uint64_t tag;                /* identifies the message to the job that posted it */
};

enum op_kind {
    OP_ITERATION,                /* of training: one collective, until the last worker has finished */
    OP_READ, OP_WRITE,           /* of storage */
    OP_CALL,                     /* of a remote procedure */
    OP_KINDS,
};

struct op_result {               /* an operation that an application waits for */
    enum op_kind kind;
    uint32_t traffic;            /* index of the scenario's traffic entry */
    uint64_t bytes;              /* iteration: the collective's size, as nccl-tests define it */
    uint64_t start_ps, took_ps;
    /* ranks > 0: one of so many has ended this pass (from 0); start_ps is that of the first */
    uint32_t pass, ranks;
};

struct pfc_result {              /* a PFC frame arrives */
    uint64_t at_ps;
    uint32_t node, port;         /* port: from 1, in the order of the node's links */
    uint8_t  prio;
    uint8_t  is_switch, is_pause;
};

#endif
