/* src/core/meter/monitor/flowstate.h - PARALEON's ternary flow states.
 *
 * A flow is classified by the bytes that it sent in each monitor interval:
 *
 *   elephant             has sent at least tau since it was first seen
 *   potential elephant   has sent less, but something in each of the last delta intervals or more
 *   mouse                neither of these
 *   silent               has sent nothing in this interval, and does not count
 *
 * The bytes sent accumulate while the flow is known; a silent interval ends the run of active ones. A
 * potential elephant counts partly as an elephant and partly as a mouse. The paper gives no formula
 * ("proportional to its likelihood of transitioning"), so there are three.
 */
#ifndef CORE_METER_MONITOR_FLOWSTATE_H
#define CORE_METER_MONITOR_FLOWSTATE_H

#include "core/fsd.h"
#include "core/meter/monitor/elastic.h"

#include <stdbool.h>
#include <stdint.h>

#define FLOWSTATE_TAU_BYTES 1000000u         /* PARALEON, table III */
#define FLOWSTATE_DELTA     3
#define FLOWSTATE_RUN_MAX   UINT16_MAX

enum flow_class { FLOW_SILENT, FLOW_MOUSE, FLOW_POTENTIAL, FLOW_ELEPHANT };

enum flow_share {                /* the part of a potential elephant that counts as an elephant */
    FLOW_SHARE_SIZE,             /* bytes sent / tau; the rest counts as a mouse */
    FLOW_SHARE_SIGMOID,          /* 1 / (1 + e^-n) after n intervals in this state:
                                  * .5, .73, ...; the rest counts as a mouse */
    FLOW_SHARE_ARTIFACT,         /* the same, plus a whole mouse, as in PARALEON's artifact */
};

struct flowstate_cfg {
    uint32_t        tau_bytes;   /* 0: FLOWSTATE_TAU_BYTES */
    uint32_t        delta;       /* 0: FLOWSTATE_DELTA; less than FLOWSTATE_RUN_MAX */
    enum flow_share share;
    bool            with_bins;   /* fill the distribution's bins */
};

struct flowstate {
    uint32_t bytes;              /* sent so far, at most UINT32_MAX */
    uint16_t run;                /* consecutive active intervals, at most FLOWSTATE_RUN_MAX */
};

/* Replaces settings that are 0 by their defaults. */
struct flowstate_cfg flowstate_configure(struct flowstate_cfg);

/* Ends an interval in which the flow sent 'bytes'. Here and below, 'cfg' comes from flowstate_configure(). */
enum flow_class flowstate_step(const struct flowstate_cfg *cfg, struct flowstate *, uint64_t bytes);

/* Adds a flow of known total size. */
void flow_count(const struct flowstate_cfg *cfg, uint64_t bytes, struct fsd *);

/* Sums over the flows of an interval, before potential elephants are divided. */
struct flow_tally {
    uint64_t elephants, potentials, mice;
    uint64_t potential_bytes;                    /* total bytes sent by potential elephants */
    uint64_t potential_sigmoid;                  /* sum of their sigmoids, in 1/FSD_ONE */
    uint64_t bin[FSD_BINS];
};

void flow_tally_add(const struct flowstate_cfg *cfg, struct flow_tally *, enum flow_class, struct flowstate);
void flow_tally_write(const struct flowstate_cfg *cfg, const struct flow_tally *, struct fsd *);

/* ---- the states of all flows of a sketch ----
 *
 * Every interval updates the states of tens of thousands of flows. To avoid a lookup per flow, states are
 * stored in the order of the sketch's entries, and flows keep their entries between intervals: reading the
 * sketch is one pass over both arrays. Lookups happen only where an entry changed hands. The old flow's state
 * is parked in a table of fixed size that drops the oldest, and the new flow's state is restored from it, if
 * present. A silent flow that has sent at most tau / 16 is not parked: most of these are finished mice.
 */
struct bucket_states {
    uint32_t bytes[ELASTIC_ENTRIES];
    uint16_t run[ELASTIC_ENTRIES];
};

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

#endif
