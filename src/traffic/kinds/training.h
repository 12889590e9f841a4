/* src/traffic/kinds/training.h - collectives, again and again, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_TRAINING_H
#define TRAFFIC_KINDS_TRAINING_H

#include "traffic/collective.h"
#include "traffic/flow.h"
#include "traffic/iteration.h"
#include "traffic/read.h"

#include <stdio.h>

/* Training: the workers do a collective and wait for the last of them; delay_ps later all know
 * that it is through, compute for compute_ps and begin again, until 'iterations' have begun or it is time to stop.
 * Worker i is on hosts[i]. An iteration is reported when the last worker has sent and received all of it.
 * delay_ps is not less than the delay of a link. */
struct traffic_training {
    struct collective_cfg collective;
    uint64_t              compute_ps, delay_ps;
    uint32_t              iterations;    /* UINT32_MAX is as good as no limit */
};
void traffic_add_training(struct traffic *, const struct traffic_common *, const struct traffic_training *,
                          const uint32_t *hosts);

/* The same with iterations of several steps, which are taken over by copy. The time of an iteration is from its beginning,
 * computing in its steps included, until the last worker is through; compute_ps comes after that. size_bytes: what results
 * tell of an iteration. */
struct traffic_steps {
    struct iteration_cfg iteration;
    uint64_t             size_bytes, compute_ps, delay_ps;
    uint32_t             iterations;
};
void traffic_add_training_steps(struct traffic *, const struct traffic_common *, const struct traffic_steps *,
                                const uint32_t *hosts);

/* ---- reading, for the kind ---- */

extern const struct key_row training_keys[];

void training_read(struct entry *);
void training_print_steps(FILE *);

#endif
