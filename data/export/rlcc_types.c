/*
 * Made from trees; do not edit. Integers alone: no floating point, no division, no loop, no library.
 */
#include <stdint.h>

#define RLCC_RATE_ONE   (1u << 28)           /* the line's rate */
#define RLCC_RATE_SHIFT 8                    /* reported rates count 2^-20 of it */
#define RLCC_EXCESS_MAX (1u << 22)           /* ns */

struct rlcc_params {
    uint32_t beta_ns;                        /* RTT that counts as none */
    uint32_t target_ns;                      /* of what is above, times sqrt(rate); in 1/256 ns */
    uint32_t gain;                           /* from 1/256 ns to 1/256 of delta, in 2^-24 */
    uint32_t rate_min;                       /* 256 .. RLCC_RATE_ONE */
    uint32_t rtt_ns_max;                     /* above it the rate is halved */
};

struct rlcc_flow {
    uint32_t rate;                           /* in 2^-28 of the line's */
    int16_t  action_older, action, delta;
    uint16_t is_started;
};
_Static_assert(sizeof(struct rlcc_flow) <= 48, "a flow has 48 bytes");

void     rlcc_start(struct rlcc_flow *, uint32_t rate);
int32_t  rlcc_tree(int32_t action_older, int32_t delta_older, int32_t action, int32_t delta);
uint32_t rlcc_decide(struct rlcc_flow *, const struct rlcc_params *, uint32_t rtt_ns);
extern const struct rlcc_params rlcc_params_default;

