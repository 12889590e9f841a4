#include "core/catalog.h"

#include <stddef.h>
#include <string.h>

#define MB   1000000ull

#define ROWS(X) \
    X("trident_plus", "Broadcom Trident+, 48 x 10G and 4 x 40G", 640000000000ull, 9 * MB, ASIC_NO_SHIFT, \
      0, 0, "port-buffers.forwardingplane.net") \
    X("trident2", "Broadcom Trident II, 32 x 40G", 1280000000000ull, 12 * MB, ASIC_NO_SHIFT, 208, 600, \
      "Arista's data sheet of the 7050X (550 to 650 ns), by people.ucsc.edu/~warner/Bufs") \
    X("tomahawk", "Broadcom Tomahawk, 32 x 100G", 3200000000000ull, 16 * MB, ASIC_NO_SHIFT, 208, 0, \
      "Delta's manual of the AG9032") \
    X("tomahawk2", "Broadcom Tomahawk 2, 64 x 100G", 6400000000000ull, 42 * MB, ASIC_NO_SHIFT, 208, 0, \
      "port-buffers.forwardingplane.net") \
    X("tomahawk3", "Broadcom Tomahawk 3, 32 x 400G", 12800000000000ull, 64 * MB, ASIC_NO_SHIFT, 254, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("tomahawk5", "Broadcom Tomahawk 5, 64 x 800G", 51200000000000ull, 166298880, 0, 254, 0, \
      "SONiC: pools and profiles of Arista's 7060X6-64PE") \
    X("trident3", "Broadcom Trident 3 X7, 32 x 100G", 3200000000000ull, 32732160, 0, 256, 800, \
      "SONiC: pools and profiles of Arista's 7050CX3-32S; latency: data sheet of the 7050X3") \
    X("trident4", "Broadcom Trident 4 X11, 32 x 400G", 12800000000000ull, 132 * MB, ASIC_NO_SHIFT, 0, 0, \
      "Juniper's data sheet of the QFX5130, by people.ucsc.edu/~warner/Bufs") \
    X("spectrum2", "NVIDIA Spectrum-2, 32 x 200G", 6400000000000ull, 42 * MB, ASIC_NO_SHIFT, 144, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("spectrum3", "NVIDIA Spectrum-3, 32 x 400G", 12800000000000ull, 64 * MB, ASIC_NO_SHIFT, 144, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("spectrum4", "NVIDIA Spectrum-4, 64 x 800G", 51200000000000ull, 158229504, ASIC_NO_SHIFT, 192, 0, \
      "SONiC: pools of NVIDIA's SN5600") \
    X("teralynx7", "Marvell TeraLynx 7, 32 x 400G", 12800000000000ull, 70 * MB, ASIC_NO_SHIFT, 0, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)") \
    X("teralynx8", "Marvell TeraLynx 8, 64 x 400G", 25600000000000ull, 170 * MB, ASIC_NO_SHIFT, 0, 0, \
      "a list of high-speed Ethernet ASICs of 2020 (jopietsch)")

#define ROW(name, about, capacity, buffer, shift, cell, latency, source) \
    { name, about, capacity, buffer, shift, cell, latency, source },
#define NAME(name, about, capacity, buffer, shift, cell, latency, source) name,

const struct asic asic_all[] = { ROWS(ROW) { 0 } };

const char *const asic_names[] = { ROWS(NAME) NULL };

/* ---- NICs ---- */

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
