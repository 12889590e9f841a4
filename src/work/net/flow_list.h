/* src/work/net/flow_list.h - flows as the readers of other simulators' files (peers/) create them.
 *
 * A list has flows with source, destination, size and start time. Traffic of kind 'flows' sends them. In a
 * matrix, a connection starts at a given time or when a trigger fires, and fires triggers when it has been
 * sent or received. Traffic of kind 'htsim' sends them.
 */
#ifndef WORK_NET_FLOW_LIST_H
#define WORK_NET_FLOW_LIST_H

#include <stdint.h>

struct flow_row {
    uint32_t src, dst;           /* nodes */
    uint8_t  prio;               /* class, 0..7 */
    uint16_t dport;
    uint64_t bytes;              /* 1 .. 2^48 */
    uint64_t start_ps;
    uint32_t line;               /* line in the file, for error messages */
};

struct flow_list { struct flow_row *flow; uint32_t count; };     /* sorted by start time */

void flow_list_fini(struct flow_list *);

/* ---- connection matrix ---- */

#define MATRIX_NO_TRIGGER UINT32_MAX

enum matrix_trigger_kind {
    MATRIX_ONESHOT,              /* fires once and starts all waiting connections */
    MATRIX_MULTISHOT,            /* each time it fires, starts the next waiting connection, in file order */
    MATRIX_BARRIER,              /* starts all waiting connections after 'count' firings */
};

struct matrix_trigger {
    enum matrix_trigger_kind kind;
    uint32_t                 id;     /* as in the file, > 0 */
    uint32_t                 count;  /* barrier: > 0 */
    uint32_t                 line;
};

/* A flow. Several flows may connect the same two hosts. */
struct matrix_conn {
    uint32_t src, dst;           /* hosts, 0 .. nodes-1; src != dst */
    uint32_t id;                 /* as in the file, > 0 and unique; 0: no id */
    uint32_t trigger;  /* index of the trigger that starts it; MATRIX_NO_TRIGGER: starts at start_ps */
    uint32_t send_done;          /* trigger fired when the sender has the last ACK, or MATRIX_NO_TRIGGER */
    uint32_t recv_done;          /* trigger fired when the receiver has all bytes, or MATRIX_NO_TRIGGER */
    uint32_t line;               /* line in the file, for error messages */
    uint64_t start_ps, bytes;    /* bytes > 0 */
};

struct flow_matrix {
    struct matrix_conn    *conn;     /* in file order */
    struct matrix_trigger *trigger;  /* in file order */
    uint32_t               conns, triggers, nodes;
};

void flow_matrix_fini(struct flow_matrix *);

/* The connections that wait for a trigger, in file order. */
struct matrix_waiting { uint32_t *conn, count; };

/* Returns them by trigger, in one piece of memory that the caller frees. */
struct matrix_waiting *flow_matrix_waiting(const struct flow_matrix *);

#endif
