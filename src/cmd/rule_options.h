/* src/cmd/rule_options.h - options of the rule around RL-CC's trees: base RTT, target and the like. */
#ifndef CMD_RULE_OPTIONS_H
#define CMD_RULE_OPTIONS_H

#include "learn/tree/rule.h"

#include <argp.h>

/* A child of a command's parser; its input is a struct rule_cfg, of which what is given is set. */
extern const struct argp rule_options_argp;

#endif
