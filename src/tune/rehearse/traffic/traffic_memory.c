/* src/tune/rehearse/traffic/traffic_memory.c - see traffic_memory.h. */
#include "tune/rehearse/traffic/traffic_memory.h"
#include "tune/rehearse/traffic/traffic_model.h"

#include <stddef.h>

#define ALIKE 0.5                /* model_distance() of the same traffic, at most */

static uint32_t held(const struct memories *m)
{
    return m->made < MEMORIES ? m->made : MEMORIES;
}

static uint32_t nearest(const struct memories *m, const struct traffic_model *model)
{
    uint32_t best = MEMORIES;
    double   least = ALIKE;

    for (uint32_t i = 0; i < held(m); i++) {
        double apart = model_distance(&m->memory[i].model, model);

        if (apart < least) {
            least = apart;
            best = i;
        }
    }
    return best;
}

const struct memory *memory_recall(const struct memories *m, const struct traffic_model *model)
{
    uint32_t i = nearest(m, model);

    return i < MEMORIES ? &m->memory[i] : NULL;
}

void memory_add(struct memories *m, const struct traffic_model *model, const struct knobs *k, bool is_bad)
{
    uint32_t i = nearest(m, model);

    if (i == MEMORIES)
        i = m->made++ % MEMORIES;
    m->memory[i] = (struct memory){ *model, *k, is_bad };
}

uint32_t memory_good(const struct memories *m, struct knobs *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < held(m); i++)
        if (!m->memory[i].is_bad)
            out[count++] = m->memory[i].knobs;
    return count;
}
