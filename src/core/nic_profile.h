/* src/core/nic_profile.h - DCQCN parameters of named NICs.
 *
 * Used by `nic: NAME` in a scenario, `--set nic=NAME`, presets and training. docs/model.md has the sources.
 */
#ifndef CORE_NIC_PROFILE_H
#define CORE_NIC_PROFILE_H

#include "core/knobs.h"

#include <stdint.h>

enum nic_unit {
    NIC_VALUE,                   /* in the unit of the knob */
    NIC_PER_25G,                 /* per 25 Gb/s of the fastest host */
    NIC_OF_LINE,                 /* fraction of the fastest host's line rate */
};

struct nic_value {
    enum knob     knob;
    double        value;
    enum nic_unit unit;
};

struct nic_profile {
    const char             *name, *about;
    const struct nic_value *value;           /* differences from NVIDIA's in knobs.def; ends with
                                              * KNOB_COUNT */
};

extern const struct nic_profile nic_profile_all[];       /* ends with a row without a name */
extern const char *const        nic_profile_names[];     /* NULL-terminated, in the same order */

/* Returns the profile of that name, or NULL. */
const struct nic_profile *nic_profile_find(const char *name);

/* Sets the DCQCN knobs of NICs, for this speed of the fastest host. Other knobs are unchanged. */
void nic_profile_put(const struct nic_profile *, uint64_t host_bps, struct knobs *);

#endif
