/* src/study/run/outages.h - links that were down in a run, and what each outage cost the flows under way.
 *
 * Switches change routes at once, so an outage costs what was lost, and the time until that was sent again.
 */
#ifndef STUDY_RUN_OUTAGES_H
#define STUDY_RUN_OUTAGES_H

#include "core/result.h"
#include "sim/sim.h"

#include <stdint.h>

struct outage_flows { uint64_t count; double slowdowns; };       /* that have finished, and their sum */

struct outage {
    uint32_t link;
    uint64_t start_ps, stop_ps;  /* stop: NEVER: the link did not come up again */
    /* flows under way when the link went down: that sent data again, and the others */
    struct outage_flows hit, spared;
};

/* When it ended, in a run that ended then. */
static inline uint64_t outage_end_ps(const struct outage *o, uint64_t run_end_ps)
{
    return o->stop_ps < run_end_ps ? o->stop_ps : run_end_ps;
}

#define OUTAGES_MAX 200          /* more are not counted */

struct outages { struct outage *list; uint32_t count; };

/* All that the configuration has. */
void outages_init(struct outages *, const struct sim_cfg *);
void outages_fini(struct outages *);

void outages_add(struct outages *, const struct flow_result *);

#endif
