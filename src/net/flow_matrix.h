/* src/net/flow_matrix.h - connections between hosts, some of which start when others have ended.
 *
 * A connection starts at a time of its own, or when a trigger fires; triggers are fired by connections that have
 * been sent or received. Readers of htsim's files make such matrices (formats/), traffic of kind htsim sends them.
 */
#ifndef NET_FLOW_MATRIX_H
#define NET_FLOW_MATRIX_H

#include <stdint.h>

#define MATRIX_NO_TRIGGER UINT32_MAX

enum matrix_trigger_kind {
    MATRIX_ONESHOT,              /* starts all that wait for it when it is fired, which is once */
    MATRIX_MULTISHOT,            /* starts the next that waits, in the file's order, each time it is fired */
    MATRIX_BARRIER,              /* starts all that wait for it when it has been fired 'count' times */
};

struct matrix_trigger {
    enum matrix_trigger_kind kind;
    uint32_t                 id;     /* as written, > 0 */
    uint32_t                 count;  /* barrier: > 0 */
    uint32_t                 line;
};

/* One flow. Several may have the same two hosts. */
struct matrix_conn {
    uint32_t src, dst;           /* hosts, 0 .. nodes-1; src != dst */
    uint32_t id;                 /* as written, > 0 and unique; 0: none given */
    uint32_t trigger;            /* index of what starts it; MATRIX_NO_TRIGGER: start_ps does */
    uint32_t send_done;          /* index of what it fires when the sender has the last ACK, or none */
    uint32_t recv_done;          /* index of what it fires when the receiver has the last byte, or none */
    uint32_t line;               /* in the file, for messages */
    uint64_t start_ps, bytes;    /* bytes > 0 */
};

struct flow_matrix {
    struct matrix_conn    *conn;     /* in the order of the file */
    struct matrix_trigger *trigger;  /* likewise */
    uint32_t               conns, triggers, nodes;
};

void flow_matrix_fini(struct flow_matrix *);

#endif
