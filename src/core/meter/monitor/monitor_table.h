/* src/core/meter/monitor/monitor_table.h - a growing hash table of flows, for monitors without a limit. */
#ifndef CORE_METER_MONITOR_MONITOR_TABLE_H
#define CORE_METER_MONITOR_MONITOR_TABLE_H

#include "core/meter/monitor/elastic.h"

#include <stdint.h>

struct table_flow {
    struct flow_key key;         /* none: free */
    uint64_t        size_bytes;  /* size of the work request; 0: not known */
    uint64_t        sent_bytes;  /* so far */
    uint64_t        now_bytes;   /* in this interval */
    bool            is_done;     /* may be removed */
};

struct flow_table {
    struct table_flow *flow;     /* in no particular order, with gaps */
    uint32_t           places, used;
};

void flow_table_init(struct flow_table *);
void flow_table_fini(struct flow_table *);

/* Returns the flow; adds it if necessary. The pointer is valid until the next call. */
struct table_flow *flow_table_at(struct flow_table *, const struct flow_key *);

void flow_table_clear(struct flow_table *);

#endif
