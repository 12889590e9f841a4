#include "meter/monitor/flowstate.h"

#include <assert.h>

/* 1 / (1 + e^-n) in 1/FSD_ONE, rounded; a whole flow from 12 on. */
static const uint32_t sigmoid[] = {
    32768, 47911, 57724, 62428, 64357, 65097, 65374, 65476, 65514, 65528, 65533, 65535, 65536,
};

#define SIGMOIDS (sizeof(sigmoid) / sizeof(sigmoid[0]))

struct flowstate_cfg flowstate_configure(struct flowstate_cfg cfg)
{
    cfg.tau_bytes = cfg.tau_bytes ? cfg.tau_bytes : FLOWSTATE_TAU_BYTES;
    cfg.delta = cfg.delta ? cfg.delta : FLOWSTATE_DELTA;
    assert(cfg.delta < FLOWSTATE_RUN_MAX);
    return cfg;
}

enum flow_class flowstate_step(const struct flowstate_cfg *cfg, struct flowstate *s, uint64_t bytes)
{
    uint64_t room = UINT32_MAX - s->bytes;

    s->bytes += (uint32_t)(bytes < room ? bytes : room);
    s->run = (uint16_t)(bytes ? s->run + (s->run < FLOWSTATE_RUN_MAX) : 0);
    if (bytes == 0)
        return FLOW_SILENT;
    if (s->bytes >= cfg->tau_bytes)
        return FLOW_ELEPHANT;
    return s->run >= cfg->delta ? FLOW_POTENTIAL : FLOW_MOUSE;
}

void flow_count(const struct flowstate_cfg *cfg, uint64_t bytes, struct fsd *fsd)
{
    if (bytes >= cfg->tau_bytes)
        fsd->elephants += FSD_ONE;
    else
        fsd->mice += FSD_ONE;
    if (cfg->with_bins)
        fsd->bin[fsd_bin(bytes)]++;
}

void flow_tally_add(const struct flowstate_cfg *cfg, struct flow_tally *t, enum flow_class class,
                    struct flowstate s)
{
    if (class == FLOW_SILENT)
        return;
    t->elephants += class == FLOW_ELEPHANT;
    t->mice += class == FLOW_MOUSE;
    if (class == FLOW_POTENTIAL) {
        uint32_t age = s.run - cfg->delta;

        t->potentials++;
        t->potential_bytes += s.bytes;
        t->potential_sigmoid += sigmoid[age < SIGMOIDS ? age : SIGMOIDS - 1];
    }
    if (cfg->with_bins)
        t->bin[fsd_bin(s.bytes)]++;
}

void flow_tally_write(const struct flowstate_cfg *cfg, const struct flow_tally *t, struct fsd *f)
{
    uint64_t all = t->potentials * FSD_ONE, part = t->potential_sigmoid;

    if (cfg->share == FLOW_SHARE_SIZE)
        part = t->potential_bytes * FSD_ONE / cfg->tau_bytes;
    f->elephants = t->elephants * FSD_ONE + part;
    f->mice = t->mice * FSD_ONE + (cfg->share == FLOW_SHARE_ARTIFACT ? all : all - part);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        f->bin[i] = t->bin[i];
}
