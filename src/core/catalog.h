/* src/core/catalog.h - named switch chips (capacity, buffers, latency) and named NICs (DCQCN parameters).
 *
 * `switch: {asic: NAME}` in a scenario takes the buffer from here, and alpha, the cell size and the latency
 * if known. Each value has a source; see also docs/model.md. Cell sizes are those of SONiC's buffer tests
 * (sonic-mgmt, tests/qos/files).
 *
 * NICs are used by `nic: NAME` in a scenario, `--set nic=NAME`, presets and training. docs/model.md has the
 * sources.
 */
#ifndef CORE_CATALOG_H
#define CORE_CATALOG_H

#include "core/knobs.h"

#include <stdint.h>

#define ASIC_NO_SHIFT UINT32_MAX

struct asic {
    const char *name, *about;
    uint64_t    capacity_bps;    /* sum of all ports, one way */
    uint64_t    buffer_bytes;    /* shared packet buffer */
    uint32_t    pfc_shift;       /* default alpha of lossless classes is 2^-shift; ASIC_NO_SHIFT: unknown */
    uint32_t    cell_bytes;      /* size of a buffer cell; 0: unknown */
    uint32_t    latency_ns;      /* cut-through latency of a frame; 0: unknown */
    const char *source;
};

extern const struct asic asic_all[];             /* ends with a row without a name */
extern const char *const asic_names[];           /* NULL-terminated, in the same order */

/* ---- NICs ---- */

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
    const struct nic_value *value;           /* differences from knobs.def; ends with KNOB_COUNT */
};

extern const struct nic_profile nic_profile_all[];       /* ends with a row without a name */
extern const char *const        nic_profile_names[];     /* NULL-terminated, in the same order */

/* Returns the profile of that name, or NULL. */
const struct nic_profile *nic_profile_find(const char *name);

/* Sets the DCQCN knobs of NICs, for this speed of the fastest host. Other knobs are unchanged. */
void nic_profile_put(const struct nic_profile *, uint64_t host_bps, struct knobs *);

#endif
