/* src/campaign/sweep_columns.h - what a sweep has set, as numbers: one column a key, in one unit that its name tells. */
#ifndef CAMPAIGN_SWEEP_COLUMNS_H
#define CAMPAIGN_SWEEP_COLUMNS_H

#include "campaign/sweep.h"

#include <jansson.h>
#include <stdbool.h>

struct sweep_column {
    char key[128];               /* "kmin" */
    char name[160];              /* "kmin_kb": with the unit; a text has none */
    char unit[16];               /* "kb", "us", "bps", "bytes", ""; */
    bool is_number;
};

/* Column 'i' of the settings; a number if all of its values are, and of one kind. */
void sweep_column(const struct sweep_results *, uint32_t i, struct sweep_column *);

/* The value of a variant in its unit; only if it is a number. */
double sweep_column_value(const struct sweep_column *, const char *text);

/* All settings with their figures, for the page (interface Sweep of data.ts). */
json_t *sweep_page(const struct sweep_results *);

#endif
