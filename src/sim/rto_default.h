/* src/sim/rto_default.h - how long a queue pair waits for progress, where nobody has said it.
 *
 * A lossless network that keeps the order of packets loses nothing, so a time-out there is wrong, always: the
 * packet waits in some queue. NICs wait for local_ack_timeout then, 4.096 us x 2^n, with n = 14 (67 ms) or
 * more, and so do we: n is the least from 14 on with which full buffers on the longest way do not take
 * longer.
 *
 * Where packets may be lost or overtake each other, go-back-N recovers the end of a message by time-out
 * alone. NICs have adaptive retransmission for that (ConnectX: ROCE_ACCL, roce_adp_retrans_en): a time-out
 * that begins small, doubles with each one in a row up to local_ack_timeout, and begins anew with progress.
 * Ours begins with 4 ms or, if one full queue takes longer than that, with the least 4.096 us x 2^n that does
 * not.
 */
#ifndef SIM_RTO_DEFAULT_H
#define SIM_RTO_DEFAULT_H

#include "sim/state/state.h"

#define RTO_TRIES 7u             /* retry_cnt of NICs, at most: without progress a queue pair fails after
                                  * so many */

/* Decides RTO_AUTO; keeps what else was set. To be called when routes and the base round trip are known. */
void rto_default_settle(struct sim *);

/* The longest that an answer takes, about: the round trip of the longest way with its buffers full. It is no
 * bound: where many full queues feed one link, each of them drains slower than its own link could. */
uint64_t rto_default_full_ps(const struct sim *);

/* The same with one of its buffers full. */
uint64_t rto_default_queue_ps(const struct sim *);

/* The longest that any queue pair waits between two tries, as it is set or, without a timer, as it would
 * be. */
uint64_t rto_default_longest_ps(const struct sim *);

#endif
