/* src/meter/monitor/flowstate_table.h - the states of all flows of a sketch.
 *
 * In every interval the states of tens of thousands of flows move on. A table of flows would have to be
 * searched for each of them. Here a state lies beside the entry of the sketch that counts the flow, and flows
 * keep their entries from interval to interval: reading the sketch is one walk through both arrays, a bucket
 * at a time. Only where an entry has changed hands is something looked up: the state of the flow that has lost
 * it is parked, in a table of fixed size that forgets the oldest, and that of the flow that has it now is
 * taken out if it is there. A silent flow that has sent no more than a sixteenth of tau is forgotten: most of
 * those are mice that are through.
 */
#ifndef METER_MONITOR_FLOWSTATE_TABLE_H
#define METER_MONITOR_FLOWSTATE_TABLE_H

#include "meter/monitor/elastic.h"
#include "meter/monitor/flowstate.h"

struct bucket_states {             /* of a bucket; the eighth is 0 */
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
    struct flowstate_cfg cfg;
    struct bucket_states  *states;             /* [bucket] */
    uint64_t            *owner;              /* [bucket * ELASTIC_ENTRIES + entry]: hash of a key; 0: none */
    struct parked_flow  *parked;
    uint32_t             buckets, parking_places;
    uint16_t             interval;           /* number of it, modulo 65536 */
};

/* For sketches of so many buckets; parks at most 'places' flows, but always a few. */
void flowstate_table_init(struct flowstate_table *, struct flowstate_cfg, uint32_t buckets, uint32_t places);
void flowstate_table_fini(struct flowstate_table *);

/* Ends an interval: moves the states of the sketch's flows on, adds them up, and does what
 * elastic_next_interval() does. Always with the same sketch. */
void flowstate_table_read(struct flowstate_table *, struct elastic *, struct flow_tally *);

/* The same without vectors. */
void flowstate_table_read_scalar(struct flowstate_table *, struct elastic *, struct flow_tally *);

uint64_t flowstate_table_bytes(const struct flowstate_table *);

#endif
