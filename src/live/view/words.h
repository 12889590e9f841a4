/* src/live/view/words.h - what people call the states of controllers, trials and devices. */
#ifndef LIVE_VIEW_WORDS_H
#define LIVE_VIEW_WORDS_H

#include "live/controller/state.h"

const char *words_role(enum controller_role);
const char *words_mode(enum controller_mode);
const char *words_phase(enum trial_phase);
const char *words_stage(enum trial_phase, uint32_t stage);       /* "": a phase without stages */

/* What a device is to the controller: one of these. Tuned: it holds a setting of ours. Ready: it may, and
 * holds its baseline. */
enum words_state {
    STATE_SILENT,
    STATE_BROKEN,
    STATE_FROZEN,
    STATE_OBSERVED,
    STATE_HELD_BACK,
    STATE_READY,
    STATE_TUNED,
    STATE_LEFT,
    STATES
};
enum words_state words_state_of(const struct controller *, const struct peer *, uint64_t now_us);
const char      *words_state(enum words_state);

/* Does it hold what is being tried? */
/* Share of its link that it sent; NAN: not known. */
double words_utilisation(const struct msg_sample *);

bool words_has_trial(const struct peer *);

#endif
