/* src/sim/rto_default.h - the default retransmission timeout of queue pairs.
 *
 * A lossless network that preserves packet order loses nothing, so every timeout is spurious: the packet
 * waits in a queue. NICs then use local_ack_timeout, 4.096 us x 2^n, with n = 14 (67 ms) or more. So do we: n
 * is the smallest value from 14 on that covers full buffers on the longest path.
 *
 * Where packets may be lost or reordered, go-back-N recovers the end of a message only by timeout. NICs have
 * adaptive retransmission for that (ConnectX: ROCE_ACCL, roce_adp_retrans_en): the timeout starts small,
 * doubles on each consecutive timeout up to local_ack_timeout, and restarts on progress. Ours starts at 4 ms
 * or, if one full queue takes longer to drain, at the smallest 4.096 us x 2^n that covers it.
 */
#ifndef SIM_RTO_DEFAULT_H
#define SIM_RTO_DEFAULT_H

#include "sim/state/state.h"

#define RTO_TRIES 7u             /* largest retry_cnt of NICs: timeouts until a queue pair fails */

/* Resolves RTO_AUTO. Call it when routes and the base round trip are known. */
void rto_default_settle(struct sim *);

/* Returns roughly the longest response time: the round trip of the longest path with full buffers. This is
 * not a bound: if many full queues feed one link, each drains more slowly. */
uint64_t rto_default_full_ps(const struct sim *);

/* Like rto_default_full_ps(), with only one full buffer on the path. */
uint64_t rto_default_queue_ps(const struct sim *);

/* Returns the longest time between two attempts of a queue pair. No timer: the default timeout. */
uint64_t rto_default_longest_ps(const struct sim *);

#endif
