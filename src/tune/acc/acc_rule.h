/* src/tune/acc/acc_rule.h - a policy for ACC that fits on a line: what to set, by how long a queue was and how full its
 * link.
 *
 * 15 cells of an action each. A net can do more, but a rule has so few parts that it can be searched for by trying
 * it. Training (train/train.h) searches for one and has the net begin with it.
 *
 *                link below 80 %   80 to 95 %   above
 *   below 5 KB         0                5         10
 *   to 20 KB           1                6         11
 *   to 80 KB           2                7         12      mean length in the last slot, per 25 Gb/s of the port
 *   to 320 KB          3                8         13      where lengths are scaled so
 *   above              4                9         14
 */
#ifndef TUNE_ACC_ACC_RULE_H
#define TUNE_ACC_ACC_RULE_H

#include <stdint.h>

#define ACC_RULE_CELLS 15

struct acc_rule { uint16_t action[ACC_RULE_CELLS]; };

/* The cell of a slot, by its features (acc_state.h). */
uint32_t acc_rule_cell(const float *feature);

#endif
