/* src/traffic/kinds/poisson.h - flows at random times to random hosts: for the kinds that send such. */
#ifndef TRAFFIC_KINDS_POISSON_H
#define TRAFFIC_KINDS_POISSON_H

#include "traffic/cdf.h"
#include "traffic/flow.h"
#include "traffic/kind.h"

/* Every host of 'hosts' starts flows at a Poisson rate such that it sends bps_per_host on average, to
 * another of them chosen uniformly, sizes from the table; the table is taken over. */
void traffic_add_poisson(struct traffic *, const struct traffic_common *, struct cdf *, double bps_per_host,
                         const uint32_t *hosts, uint32_t count);

/* ---- for kinds that send such flows too ---- */

struct poisson {
    struct cdf cdf;              /* of sizes */
    double     gap_ps_mean;      /* between two flows of one host */
    double    *fraction_ps;      /* by stream: of a picosecond, kept so that rounding does not change the mean */
};

/* Takes the table over. */
void poisson_init(struct poisson *, struct cdf *, double bps_per_host, uint32_t streams);
void poisson_fini(struct poisson *);

/* What each host sends on average. */
double poisson_bps(const struct poisson *);

/* How many flows so many hosts start from start to stop, and six standard deviations more. */
double poisson_flows(const struct poisson *, const struct traffic_common *, uint32_t hosts);

/* The next flow of a stream, to one of the entry's hosts that it is not itself. */
bool poisson_next(struct poisson *, const struct traffic_entry *, struct traffic_stream *, struct flow_spec *);

#endif
