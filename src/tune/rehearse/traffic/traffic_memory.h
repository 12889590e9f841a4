/* src/tune/rehearse/traffic/traffic_memory.h - earlier results by traffic, and settings that proved no
 * better. */
#ifndef TUNE_REHEARSE_TRAFFIC_TRAFFIC_MEMORY_H
#define TUNE_REHEARSE_TRAFFIC_TRAFFIC_MEMORY_H

#include "core/predict.h"

#include <stdbool.h>
#include <stdint.h>

#define MEMORIES 8

/* is_bad: what the twin found was no better */
struct memory { struct traffic_model model; struct knobs knobs; bool is_bad; };

struct memories {
    struct memory memory[MEMORIES];
    uint32_t      made;          /* ever */
};

/* Of the traffic that is most like it; NULL: there was none like it. */
const struct memory *memory_recall(const struct memories *, const struct traffic_model *);

/* Replaces the entry for such traffic, or the oldest one. */
void memory_add(struct memories *, const struct traffic_model *, const struct knobs *, bool is_bad);

/* Settings that were not bad, at most MEMORIES; returns how many. */
uint32_t memory_good(const struct memories *, struct knobs *out);

#endif
