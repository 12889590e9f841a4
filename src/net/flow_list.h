/* src/net/flow_list.h - a list of flows, each with source, destination, size and start time.
 *
 * The readers of other simulators' files (formats/) create such lists. Traffic of kind 'flows' sends them.
 */
#ifndef NET_FLOW_LIST_H
#define NET_FLOW_LIST_H

#include <stdint.h>

struct flow_row {
    uint32_t src, dst;           /* nodes */
    uint8_t  prio;               /* class, 0..7 */
    uint16_t dport;
    uint64_t bytes;              /* 1 .. 2^48 */
    uint64_t start_ns;           /* whole nanoseconds, as in the files */
    uint32_t line;               /* line in the file, for error messages */
};

struct flow_list { struct flow_row *flow; uint32_t count; };     /* sorted by start time */

void flow_list_fini(struct flow_list *);

#endif
