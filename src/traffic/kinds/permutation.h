/* src/traffic/kinds/permutation.h - API for permutation traffic. Hosts are node numbers; arguments must be
 * valid. */
#ifndef TRAFFIC_KINDS_PERMUTATION_H
#define TRAFFIC_KINDS_PERMUTATION_H

#include "traffic/traffic_flow.h"

/* Each host sends 'bytes' to one other host and receives from one: host i to host i + shift, or, if shift is
 * 0, a random permutation without fixed points. */
void traffic_add_permutation(struct traffic *, const struct traffic_common *, uint64_t bytes, uint32_t shift,
                             const uint32_t *hosts, uint32_t count);

#endif
