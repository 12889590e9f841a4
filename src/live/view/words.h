/* src/live/view/words.h - what people call the states of controllers, trials and devices. */
#ifndef LIVE_VIEW_WORDS_H
#define LIVE_VIEW_WORDS_H

#include "base/http/gate.h"
#include "live/controller/roster.h"

/* ---- the verbs of `anole ctl` and POST /api/VERB ---- */

struct words_verb {
    const char *name;
    bool        is_order;        /* changes something */
    bool        is_open;         /* without certificates: allowed for every user of this machine */
    bool        takes_device, takes_trial;
    enum gate_right right;       /* who may */
    enum order_kind order, device_order;         /* device: of one device alone */
    const char *done;            /* what ctl prints when the order was accepted */
};
extern const struct words_verb words_verbs[];            /* ends with a row without a name */
const struct words_verb *words_verb_of(const char *name);        /* NULL: there is none */

extern const char *const words_role[], *const words_mode[], *const words_phase[];        /* by their enums */
const char *words_kind(enum knob_where);
const char *words_stage(enum trial_phase, uint32_t stage);       /* "": a phase without stages */

/* The state of a device. Tuned: it holds a setting of ours. Ready: it may, and holds its baseline. Expired:
 * it is silent, and the certificate of its agent has ended. */
enum words_state {
    STATE_SILENT, STATE_BROKEN, STATE_FROZEN, STATE_OBSERVED, STATE_HELD_BACK, STATE_READY, STATE_TUNED,
    STATE_LEFT, STATE_UNREADABLE, STATE_EXPIRED, STATES
};
enum words_state words_state_of(const struct controller *, const struct peer *, uint64_t now_us);
extern const char *const words_state[];

bool             words_has_trial(const struct peer *);            /* it holds the trial's setting */

/* Sums over the last samples of several devices. The plurals count devices that know the value. */
struct words_sums {
    double   metric, paused, use;
    uint32_t metrics, pauses, uses;
    double   paused_most;
    double   sent_bps, rate_bps; /* of those whose use is known */
    uint64_t cnps;
    bool     counts_cnps;        /* one of them does */
};
void   words_sums_add(struct words_sums *, const struct msg_sample *);
double words_mean(double sum, uint32_t count);           /* NAN: of nothing */

#endif
