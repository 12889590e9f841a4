/* src/meter/steps.h - messages of training by kind of collective: their durations, and the worst of each.
 *
 * Sums are integers and the worst message has a total order, so neither depends on the order of completion.
 */
#ifndef METER_STEPS_H
#define METER_STEPS_H

#include "core/result.h"

#include <stdint.h>

struct steps_cell {
    uint64_t           count;
    unsigned __int128  fct_ps_sum, ideal_ps_sum;
    struct flow_result worst;    /* the message that lost the most time compared with being alone */
};

struct steps {
    struct steps_cell *cell;     /* [entry * kinds + kind] */
    uint32_t           entries, kinds;
};

void steps_init(struct steps *, uint32_t entries, uint32_t kinds);
void steps_fini(struct steps *);
void steps_add(struct steps *, uint32_t kind, const struct flow_result *);

const struct steps_cell *steps_cell(const struct steps *, uint32_t entry, uint32_t kind);

#endif
