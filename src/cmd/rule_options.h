/* src/cmd/rule_options.h - options of the rule around RL-CC's trees: base RTT, target and the like. */
#ifndef CMD_RULE_OPTIONS_H
#define CMD_RULE_OPTIONS_H

#include "cmd/options.h"
#include "core/units.h"
#include "learn/tree/tree.h"

#define RULE_MIN 1e-12           /* 0 would mean the default */
#define RULE_MAX 1e12

/* Rows for a struct options with a field of type struct rule_cfg. */
#define RULE_OPTIONS(type, rule) \
    { "base-rtt", 0, "TIME", "RTT that counts as 1 (default: 8192ns)", \
      KEY_AT(type, rule.base_ns), KEY_TIME, 1, KEY_TIME_PS_MAX, .per = PS_PER_NS }, \
    { "beta", 0, "N", "RTTs up to so many base RTTs are free (default: 1.5)", \
      KEY_AT(type, rule.beta), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "target", 0, "N", "Desired excess times the square root of the rate (default: 0.064)", \
      KEY_AT(type, rule.target), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "scale", 0, "N", "Factor from there to delta (default: 12.5)", \
      KEY_AT(type, rule.scale), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "rate-min", 0, "SHARE", "Lowest rate, as a fraction of the line rate (default: 2^-14, 0.000061)", \
      KEY_AT(type, rule.rate_min), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "rtt-max", 0, "TIME", "A longer RTT halves the rate, whatever the trees decide (default: 150us)", \
      KEY_AT(type, rule.rtt_us_max), KEY_TIME, 1, KEY_TIME_PS_MAX, .per = PS_PER_US }

#endif
