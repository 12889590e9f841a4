/* src/study/twin/maker.h - twins of the network that a run simulates, for tuners that try settings before
 * they apply them.
 *
 * The operator knows how the network is built (speeds, buffers, NICs, switches), so the twin takes this from
 * the scenario. The traffic is unknown: the twin uses the model made from reports.
 */
#ifndef STUDY_TWIN_MAKER_H
#define STUDY_TWIN_MAKER_H

#include "core/predict.h"
#include "study/scenario/scenario_build.h"
#include "study/twin/recorded.h"

/* For simulation_input.maker. */
extern const struct predict_maker twin_maker;

/* ---- a network that people describe in a few numbers, as a scenario ---- */

struct described {
    uint64_t    rate_bps;        /* of hosts' links */
    uint64_t    rtt_ps;          /* longest of the empty network */
    double      oversubscription;        /* bandwidth of a rack's hosts over that of its uplinks */
    uint64_t    buffer_bytes;    /* of a switch, for a port; 0: as switches of the simulator come */
    const char *sizes;           /* a built-in table, or a file */
    const struct recorded *messages;         /* or the sizes of these; NULL: nothing was recorded */
    double      load;            /* of hosts' links, 0 .. 1 */
};

/* Builds a cell with such traffic. Free it with build_fini() in any case. */
int described_build(struct build *, const struct described *, struct err *);

#endif
