/* src/cc/rlcc/rlcc.h - the memory cost of RL-CC in a NIC. */
#ifndef CC_RLCC_RLCC_H
#define CC_RLCC_RLCC_H

#include "learn/policy/policy.h"

/* Returns the state size of a flow for a policy with this body, including the pending decision: at most
 * CC_STATE_MAX; for trees at most the 48 bytes of a NIC. */
size_t rlcc_flow_bytes(enum policy_body);

#endif
