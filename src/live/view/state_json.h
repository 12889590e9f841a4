/* src/live/view/state_json.h - what a controller knows, as JSON: for `anole ctl`, and for a page.
 * docs/live.md says what each key means. */
#ifndef LIVE_VIEW_STATE_JSON_H
#define LIVE_VIEW_STATE_JSON_H

#include "base/json.h"
#include "live/controller/controller.h"
#include "live/view/ledger.h"
#include "live/view/timeline.h"

#define STATE_JSON_VERSION 1

/* The answer to `anole ctl status`. tuner: of live_tuner_json(), or NULL. */
json_t *state_json_status(const struct controller *, const json_t *tuner, uint64_t now_us);

/* One sentence: which trial runs, or why none does. Returns buf. */
char *state_json_next(char *buf, size_t size, const struct controller *, const json_t *tuner,
                      uint64_t now_us);

/* Devices at which guardrails do not see everything: {"devices":N,"what":...,"example":NAME}. */
json_t *state_json_unguarded(const struct controller *, uint64_t now_us);

/* What devices hold that is not their baseline: the answer to `anole ctl diff`. */
json_t *state_json_diff(const struct controller *);

/* /api/state or, without devices, /api/overview; one device; the event 'state': no history, no records. */
json_t *state_json(const struct controller *, const struct ledger *, const struct timeline *,
                   bool has_devices, uint64_t now_us, uint64_t wall_us);
json_t *state_json_device(const struct controller *, const struct peer *, uint64_t now_us);
json_t *state_json_brief(const struct controller *, const struct timeline *, uint64_t now_us,
                         uint64_t wall_us);

/* [{"knob":K,"kind":"NIC","values":[{"value":V,"devices":N,"example":NAME},...]},...]: knobs of which
 * devices of one kind hold several values, those that most devices hold first; at most 8 values of a knob. */
json_t *state_json_agreement(const struct controller *);

#endif
