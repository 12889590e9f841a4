/* src/cc/rlcc/rlcc.h - what RL-CC costs a NIC. */
#ifndef CC_RLCC_RLCC_H
#define CC_RLCC_RLCC_H

#include "learn/policy/policy.h"

/* Bytes that a flow of a policy with this body remembers, the decision ahead included: at most CC_STATE_MAX, trees at most
 * the 48 that a NIC has. */
size_t rlcc_flow_bytes(enum policy_body);

#endif
