/* src/meter/monitor/flowstate.h - PARALEON's ternary flow states.
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
#ifndef METER_MONITOR_FLOWSTATE_H
#define METER_MONITOR_FLOWSTATE_H

#include "core/fsd.h"

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
    bool            with_bins;   /* fill the distribution's bins, which is slower */
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

#endif
