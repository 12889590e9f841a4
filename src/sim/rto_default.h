/* src/sim/rto_default.h - the default retransmission time-out of queue pairs.
 *
 * A lossless network that keeps the order of packets loses none, so every time-out is spurious: the packet
 * waits in a queue. NICs then use local_ack_timeout, 4.096 us x 2^n, with n = 14 (67 ms) or more. So do we: n
 * is the least from 14 on that covers full buffers on the longest path.
 *
 * Where packets may be lost or reordered, go-back-N recovers the end of a message only by time-out. NICs have
 * adaptive retransmission for that (ConnectX: ROCE_ACCL, roce_adp_retrans_en): the time-out starts small,
 * doubles each time in a row up to local_ack_timeout, and restarts on progress. Ours starts at 4 ms or, if
 * one full queue takes longer, at the least 4.096 us x 2^n that covers it.
 */
#ifndef SIM_RTO_DEFAULT_H
#define SIM_RTO_DEFAULT_H

#include "sim/state/state.h"

#define RTO_TRIES 7u             /* retry_cnt of NICs, at most: without progress a queue pair fails after
                                  * so many */

/* Resolves RTO_AUTO. Call it when routes and the base round trip are known. */
void rto_default_settle(struct sim *);

/* Returns about the longest time of an answer: the round trip of the longest path with full buffers. It is
 * not a bound: if many full queues feed one link, each drains more slowly. */
uint64_t rto_default_full_ps(const struct sim *);

/* The same with one of its buffers full. */
uint64_t rto_default_queue_ps(const struct sim *);

/* Returns the longest time between two tries of a queue pair, as set or, without a timer, as the default
 * would be. */
uint64_t rto_default_longest_ps(const struct sim *);

#endif
