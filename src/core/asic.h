/* src/core/asic.h - switch chips by name: how much they switch, and how much they can hold.
 *
 * `switch: {asic: NAME}` of a scenario takes its buffer from here, and alpha where it is known; docs/model.md says where each
 * value comes from. Data sheets rarely tell; what was recalled or is a rumour is not in here.
 */
#ifndef CORE_ASIC_H
#define CORE_ASIC_H

#include <stdint.h>

#define ASIC_NO_SHIFT UINT32_MAX

struct asic {
    const char *name, *about;
    uint64_t    capacity_bps;    /* of all ports together, one way */
    uint64_t    buffer_bytes;    /* that packets may share */
    uint32_t    pfc_shift;       /* alpha = 2^-shift of lossless classes as it is shipped; ASIC_NO_SHIFT: not known */
    const char *source;
};

extern const struct asic asic_all[];             /* ends with a row without a name */
extern const char *const asic_names[];           /* NULL-terminated, in the same order */

#endif
