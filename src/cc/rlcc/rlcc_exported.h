/* src/cc/rlcc/rlcc_exported.h - declarations of data/models/rlcc_exported.c, the C code
 * exported from the shipped trees.
 *
 * That file includes none of our headers, as in a NIC, so it repeats these declarations. A test compares the
 * two, and the file with a new export.
 */
#ifndef CC_RLCC_RLCC_EXPORTED_H
#define CC_RLCC_RLCC_EXPORTED_H

#include <stdint.h>

struct rlcc_params { uint32_t beta_ns, target_ns, gain, rate_min, rtt_ns_max; };

struct rlcc_flow {
    uint32_t rate;
    int16_t  action_older, action, delta;
    uint16_t is_started;
};

uint32_t rlcc_decide(struct rlcc_flow *, const struct rlcc_params *, uint32_t rtt_ns);

#endif
