/* src/work/traffic/kinds/poisson.h - flows at random times to random hosts; also used by kinds rpc and
 * tcp. */
#ifndef WORK_TRAFFIC_KINDS_POISSON_H
#define WORK_TRAFFIC_KINDS_POISSON_H

#include "work/traffic/cdf.h"
#include "work/traffic/traffic_flow.h"
#include "work/traffic/kind.h"

/* Every host of 'hosts' starts flows to others, chosen uniformly, as a Poisson process with a mean rate of
 * bps_per_host. Sizes come from the table, which is taken over. */
void traffic_add_poisson(struct traffic *, const struct traffic_common *, struct cdf *, double bps_per_host,
                         const uint32_t *hosts, uint32_t count);

/* ---- for other kinds ---- */

struct poisson {
    struct cdf cdf;              /* flow sizes */
    double     gap_ps_mean;      /* between two flows of one host */
    double    *fraction_ps;      /* by stream: fraction of a picosecond, carried over to keep the mean */
    uint32_t   dests;            /* destinations: the first hosts of the entry */
};

/* Takes ownership of the table. */
void poisson_init(struct poisson *, struct cdf *, double bps_per_host, uint32_t streams, uint32_t dests);
void poisson_fini(struct poisson *);

/* Returns the mean sending rate of each host. */
double poisson_bps(const struct poisson *);

/* Returns an upper estimate of the flows that 'hosts' hosts start: the mean plus six standard deviations. */
double poisson_flows(const struct poisson *, const struct traffic_common *, uint32_t hosts);

/* Yields the next flow of a stream, to another of the entry's hosts. */
bool poisson_next(struct poisson *, const struct traffic_entry *, struct traffic_stream *,
                  struct flow_spec *);

#endif
