/* src/study/report/results_json.h - results as JSON. */
#ifndef STUDY_REPORT_RESULTS_JSON_H
#define STUDY_REPORT_RESULTS_JSON_H

#include "base/json.h"
#include "study/report/metrics.h"
#include "study/report/results.h"

#include <stdint.h>

json_t *json_of_us(uint64_t ps);

/* Everything a run has found, as summary.json holds it. */
json_t *results_json(const struct results *);

/* Parts of it that other files contain too. */
json_t *results_json_network(const struct results *);
json_t *results_json_passes(const struct results *, uint32_t entry);
json_t *results_json_outages(const struct results *);
json_t *results_json_metrics(const struct metric *, uint32_t count);

/* Prints it as files of results are, and frees it. */
void results_json_print(json_t *, FILE *);

#endif
