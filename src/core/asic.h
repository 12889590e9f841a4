/* src/core/asic.h - capacity, buffers and latency of switch chips.
 *
 * `switch: {asic: NAME}` in a scenario takes the buffer from here, and alpha, the cell size and the latency
 * if known. Each value has a source; see also docs/model.md. Cell sizes are those of SONiC's buffer tests
 * (sonic-mgmt, tests/qos/files).
 */
#ifndef CORE_ASIC_H
#define CORE_ASIC_H

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

#endif
