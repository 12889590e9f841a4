/* src/study/run/passes.h - passes of programs whose ranks end them one by one.
 *
 * A pass ends with its last rank, and begins when the one before it has ended: so passes add up to the whole
 * time, though a rank may begin the next one earlier.
 */
#ifndef STUDY_RUN_PASSES_H
#define STUDY_RUN_PASSES_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>

struct pass { uint32_t ended; uint64_t end_ps; };        /* ended: ranks; end: of the last of them so far */

struct entry_passes { struct pass *pass; uint32_t count, max, ranks; };

struct passes { struct entry_passes *entry; uint32_t entries; };

void passes_init(struct passes *, uint32_t entries);
void passes_fini(struct passes *);

/* Adds what a rank reports. True: that ends a pass, of which 'whole' tells. */
bool passes_add(struct passes *, const struct op_result *, struct op_result *whole);

#endif
