/* src/traffic/kinds/permutation.h - every host sends to one other, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_PERMUTATION_H
#define TRAFFIC_KINDS_PERMUTATION_H

#include "traffic/flow.h"

/* Each host sends 'bytes' to one other and receives from one other: host i to host i + shift, or, shift 0,
 * a random permutation without fixed points. */
void traffic_add_permutation(struct traffic *, const struct traffic_common *, uint64_t bytes, uint32_t shift,
                             const uint32_t *hosts, uint32_t count);

#endif
