/* src/core/nic_profile.h - named NICs: what DCQCN is told in them, all at once.
 *
 * The one place for such values: `nic: NAME` of a scenario, `--set nic=NAME`, settings of tuners and training take
 * them from here. docs/model.md says where each value comes from.
 */
#ifndef CORE_NIC_PROFILE_H
#define CORE_NIC_PROFILE_H

#include "core/knobs.h"

#include <stdint.h>

enum nic_unit {
    NIC_VALUE,                   /* as it stands, in the unit of the knob */
    NIC_PER_25G,                 /* so much for every 25 Gb/s of the fastest host */
    NIC_OF_LINE,                 /* this share of the fastest host's line rate */
};

struct nic_value {
    enum knob     knob;
    double        value;
    enum nic_unit unit;
};

struct nic_profile {
    const char             *name, *about;
    const struct nic_value *value;           /* where it is not NVIDIA's, which knobs.def has; ends with KNOB_COUNT */
};

extern const struct nic_profile nic_profile_all[];       /* ends with a row without a name */
extern const char *const        nic_profile_names[];     /* NULL-terminated, in the same order */

/* The profile of that name, or NULL. */
const struct nic_profile *nic_profile_find(const char *name);

/* Sets what belongs to DCQCN in a NIC, where the fastest host has that speed; thresholds of switches, balancers and HF2T stay. */
void nic_profile_put(const struct nic_profile *, uint64_t host_bps, struct knobs *);

#endif
