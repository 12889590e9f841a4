/* src/traffic/kinds/all_to_all.h - API for all-to-all traffic. Hosts are node numbers; arguments must be
 * valid. */
#ifndef TRAFFIC_KINDS_ALL_TO_ALL_H
#define TRAFFIC_KINDS_ALL_TO_ALL_H

#include "traffic/traffic_flow.h"

/* Each host sends 'bytes' to each other host, all at start. Host i starts with i + 1, so that receivers
 * differ. */
void traffic_add_all_to_all(struct traffic *, const struct traffic_common *, uint64_t bytes,
                            const uint32_t *hosts, uint32_t count);

#endif
