/* src/tune/raise.h - undoes what a trial leaves behind when the setting from the start returns.
 *
 * A setting is more than its knobs: persistent queue pairs keep the rates to which it has cut them. With
 * DCQCN's default setting a rate rises by 5 Mb/s every 300 us, so one millisecond of a setting that cuts more
 * often slows jobs down for hundreds of milliseconds after the start has returned. Cuts, in contrast, are
 * quick. So for one interval rates rise as fast as to reach the line rate, and then the start returns. It
 * finds rates that are too high, as those of new queue pairs are, and cuts them.
 *
 * Other controls than DCQCN are left alone. So are networks that were in use before the tuner: their users
 * have not asked for rates that rise so fast.
 */
#ifndef TUNE_RAISE_H
#define TUNE_RAISE_H

#include "tune/tuner.h"

struct raise {
    bool         is_on;          /* rates rise in the current interval */
    struct knobs start;          /* what returns then */
};

/* After a step: if it returns to 'start', *now becomes a setting with which rates rise. */
void raise_begin(struct raise *, const struct world *, const struct knobs *was, const struct knobs *start,
                 struct knobs *now);

/* True if rates rose in this interval, which carries no information. Then 'start' returns. */
bool raise_end(struct raise *, struct knobs *now, struct tuner_note *);

#endif
