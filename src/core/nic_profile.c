#include "core/nic_profile.h"

#include <string.h>

static const struct nic_value nvidia[] = { { .knob = KNOB_COUNT } };

/* Zhu et al., SIGCOMM 2015, for 40 Gb/s. The authors' simulator supplies what the paper leaves open (hyper
 * increase, a target that follows every cut). A flow stays at line rate until its first CNP, and is cut from
 * there. */
static const struct nic_value dcqcn_paper[] = {
    { KNOB_clamp_tgt_rate,             1,      NIC_VALUE },
    { KNOB_dce_tcp_rtt,                55,     NIC_VALUE },
    { KNOB_dce_tcp_g,                  1020,   NIC_VALUE },      /* 1 - 1/256 */
    { KNOB_rpg_time_reset,             55,     NIC_VALUE },
    { KNOB_rpg_threshold,              5,      NIC_VALUE },
    { KNOB_rpg_ai_rate,                40,     NIC_VALUE },
    { KNOB_rpg_hai_rate,               200,    NIC_VALUE },
    { KNOB_min_time_between_cnps,      50,     NIC_VALUE },
    { KNOB_rate_reduce_monitor_period, 50,     NIC_VALUE },
    { KNOB_rate_to_set_on_first_cnp,   800000, NIC_VALUE },      /* above any line rate: line rate */
    { .knob = KNOB_COUNT },
};

/* The profile "dcqcn" of the HPCC paper's simulator, defined for 25 Gb/s. */
static const struct nic_value hpcc[] = {
    { KNOB_rpg_ai_rate,              5,    NIC_PER_25G },
    { KNOB_rpg_hai_rate,             50,   NIC_PER_25G },
    { KNOB_rpg_min_rate,             1000, NIC_VALUE },
    { KNOB_rate_to_set_on_first_cnp, 1,    NIC_OF_LINE },
    { KNOB_dce_tcp_g,                1020, NIC_VALUE },          /* 1 - 1/256 */
    { .knob = KNOB_COUNT },
};

static const struct nic_value strong_alpha[] = {
    { KNOB_dce_tcp_rtt, 16, NIC_VALUE },
    { .knob = KNOB_COUNT },
};

static const struct nic_value truncated_alpha[] = {
    { KNOB_alpha_fraction_bits, 0, NIC_VALUE },
    { .knob = KNOB_COUNT },
};

const struct nic_profile nic_profile_all[] = {
    { "nvidia", "NVIDIA's initial values (ConnectX-4 to 7)", nvidia },
    { "dcqcn_paper", "the DCQCN paper's, at any speed", dcqcn_paper },
    { "hpcc", "the HPCC paper's for DCQCN, in proportion to the speed of hosts", hpcc },
    { "strong_alpha", "nvidia, but alpha is updated every 16 us: how much depends on that?", strong_alpha },
    { "truncated_alpha", "nvidia, but every update cuts alpha to whole 1/1024, as Google's isekai does",
      truncated_alpha },
    { NULL, NULL, NULL },
};

const char *const nic_profile_names[] = { "nvidia", "dcqcn_paper", "hpcc", "strong_alpha", "truncated_alpha",
                                          NULL };

const struct nic_profile *nic_profile_find(const char *name)
{
    for (const struct nic_profile *p = nic_profile_all; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static double scale(enum nic_unit unit, uint64_t host_bps)
{
    switch (unit) {
    case NIC_PER_25G:
        return (double)host_bps / 25e9;
    case NIC_OF_LINE:
        return (double)host_bps / 1e6;
    case NIC_VALUE:
        break;
    }
    return 1;
}

void nic_profile_put(const struct nic_profile *p, uint64_t host_bps, struct knobs *k)
{
    for (int i = 0; i <= KNOB_pmax; i++)
        if (knob_info[i].where == KNOB_NIC)
            k->value[i] = knob_info[i].initial;
    for (const struct nic_value *v = p->value; v->knob != KNOB_COUNT; v++)
        k->value[v->knob] = v->value * scale(v->unit, host_bps);
    knobs_clamp(k);
}
