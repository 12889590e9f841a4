/* src/traffic/kinds/all_to_all.h - every host sends to every other, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_ALL_TO_ALL_H
#define TRAFFIC_KINDS_ALL_TO_ALL_H

#include "traffic/flow.h"

/* Each host sends 'bytes' to each other host, all at start; host i begins with i + 1, so that receivers
 * differ. */
void traffic_add_all_to_all(struct traffic *, const struct traffic_common *, uint64_t bytes, const uint32_t *hosts,
                            uint32_t count);

#endif
