/* src/tune/paraleon.h - what PARALEON's presets are made of. */
#ifndef TUNE_PARALEON_H
#define TUNE_PARALEON_H

/* Values of options as people write them; what has no row is the same in all. Ends with an empty row. */
struct paraleon_preset { const char *option, *published, *corrected, *artifact; };

extern const struct paraleon_preset paraleon_presets[];

#endif
