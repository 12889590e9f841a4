/* src/net/flow_list.h - flows as files list them: each with its hosts, its size and its start.
 *
 * Readers of other simulators' files make such lists (formats/), traffic of kind flows sends them.
 */
#ifndef NET_FLOW_LIST_H
#define NET_FLOW_LIST_H

#include <stdint.h>

struct flow_row {
    uint32_t src, dst;           /* nodes */
    uint8_t  prio;               /* class, 0..7 */
    uint16_t dport;
    uint64_t bytes;              /* 1 .. 2^48 */
    uint64_t start_ns;           /* files count whole nanoseconds */
    uint32_t line;               /* in the file, for messages */
};

struct flow_list { struct flow_row *flow; uint32_t count; };     /* in the order of their starts */

void flow_list_fini(struct flow_list *);

#endif
