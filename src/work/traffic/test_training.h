/* src/work/traffic/test_training.h - training with a single collective, for tests. */
#ifndef WORK_TRAFFIC_TEST_TRAINING_H
#define WORK_TRAFFIC_TEST_TRAINING_H

#include "work/traffic/kinds/training.h"

struct traffic_training {
    struct collective_cfg collective;
    uint64_t              compute_ps, delay_ps;
    uint32_t              iterations;    /* UINT32_MAX: practically unlimited */
    uint64_t              step_ps;       /* as in struct traffic_steps */
};

static inline void traffic_add_training(struct traffic *traffic, const struct traffic_common *common,
                          const struct traffic_training *cfg, const uint32_t *hosts)
{
    uint32_t                    workers = cfg->collective.workers;
    const struct iteration_step step = { .collective = cfg->collective, .group = PARALLEL_ALL, .times = 1 };
    const struct traffic_steps  steps = {
        .iteration = { { workers, 1, workers, 1, 1, 1 }, &step, 1 },
        .size_bytes = collective_size_bytes(&cfg->collective),
        .compute_ps = cfg->compute_ps, .delay_ps = cfg->delay_ps, .iterations = cfg->iterations,
        .step_ps = cfg->step_ps,
    };

    traffic_add_training_steps(traffic, common, &steps, hosts);
}

#endif
