/* src/meter/monitor/flowstate_table.h - the states of all flows of a sketch.
 *
 * Every interval updates the states of tens of thousands of flows. To avoid a lookup per flow, states are
 * stored in the order of the sketch's entries, and flows keep their entries between intervals: reading the
 * sketch is one pass over both arrays. Lookups happen only where an entry changed hands. The old flow's state
 * is parked in a table of fixed size that drops the oldest, and the new flow's state is restored from it, if
 * present. A silent flow that has sent at most tau / 16 is not parked: most of these are finished mice.
 */
#ifndef METER_MONITOR_FLOWSTATE_TABLE_H
#define METER_MONITOR_FLOWSTATE_TABLE_H

#include "meter/monitor/elastic.h"
#include "meter/monitor/flowstate.h"

struct bucket_states {           /* the eighth element is 0 */
    uint32_t bytes[8];
    uint16_t run[8];
} __attribute__((aligned(16)));

struct parked_flow {
    uint64_t name;               /* hash of its key; 0: free */
    uint32_t bytes;
    uint16_t run;
    uint16_t since;              /* interval in which it was parked, modulo 65536 */
};

struct flowstate_table {
    struct flowstate_cfg  cfg;
    struct bucket_states *states;            /* [bucket] */
    uint64_t             *owner;             /* [bucket * ELASTIC_ENTRIES + entry]: hash of a key; 0: none */
    struct parked_flow   *parked;
    uint32_t              buckets, parking_places;
    uint16_t              interval;          /* sequence number modulo 65536 */
};

/* 'buckets': size of the sketch. Parks at most 'places' flows, and at least four. */
void flowstate_table_init(struct flowstate_table *, struct flowstate_cfg, uint32_t buckets, uint32_t places);
void flowstate_table_fini(struct flowstate_table *);

/* Ends an interval: updates the states of the sketch's flows, adds them to the tally, and performs
 * elastic_next_interval(). Must always be called with the same sketch. */
void flowstate_table_read(struct flowstate_table *, struct elastic *, struct flow_tally *);

/* Reference implementation without vectors. */
void flowstate_table_read_scalar(struct flowstate_table *, struct elastic *, struct flow_tally *);

uint64_t flowstate_table_bytes(const struct flowstate_table *);

#endif
