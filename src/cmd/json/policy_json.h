/* src/cmd/json/policy_json.h - learned rate controls as JSON: for anole explain rlcc, distil, export and
 * train. */
#ifndef CMD_JSON_POLICY_JSON_H
#define CMD_JSON_POLICY_JSON_H

#include "learn/policy/distil.h"
#include "learn/policy/policy_story.h"

#include <jansson.h>

/* Kind of the policy, its decisions, the table by deltas, and the paper's table. */
json_t *policy_json(const struct policy *, const struct rule_cfg *);

json_t *policy_gap_json(const struct policy_gap *);
json_t *policy_rising_json(const struct policy_rising *);
json_t *certificate_json(const struct certificate *);

/* Training rows of trees, and their difference from the teacher. */
json_t *distil_json(const struct distil_report *);

/* Cost of a decision on a NIC. */
json_t *forest_cost_json(const struct forest *);

#endif
