/* src/live/view/agreement.h - knobs for which devices of one kind hold different values. */
#ifndef LIVE_VIEW_AGREEMENT_H
#define LIVE_VIEW_AGREEMENT_H

#include "base/json.h"
#include "live/controller/state.h"

/* [{"knob":K,"kind":"NIC","values":[{"value":V,"devices":N,"example":NAME},...]},...]: knobs of which
 * devices of one kind hold several values, those that most devices hold first; at most 8 values of a knob. */
json_t *agreement_json(const struct controller *);

#endif
