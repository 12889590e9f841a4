/* src/cmd/cmd_json.h - common parts of --format json. */
#ifndef CMD_CMD_JSON_H
#define CMD_CMD_JSON_H

#include "core/knobs.h"
#include "train/trees/distil.h"
#include "base/nets/policy/policy_story.h"

#include <jansson.h>
#include <stdbool.h>

/* Prints one value to standard output, and frees it. */
void cmd_print_json(json_t *);

/* All knobs: numbers in the units of anole list knob. */
json_t *json_of_knobs(const struct knobs *);

/* The knobs that differ: name, was, is. */
json_t *json_of_changes(const struct knobs *was, const struct knobs *is);

/* ---- learned rate controls: for anole explain rlcc, distil, export and train ---- */

/* Kind of the policy, its decisions, the table by deltas, and the paper's table. */
json_t *policy_json(const struct policy *, const struct rule_cfg *);

json_t *policy_gap_json(const struct policy_gap *, float delta_max);
json_t *policy_rising_json(const struct policy_rising *);
json_t *certificate_json(const struct certificate *);

/* Training rows of trees, and their difference from the teacher. */
json_t *distil_json(const struct distil_report *);

/* Cost of a decision on a NIC. */
json_t *forest_cost_json(const struct forest *);

#endif
