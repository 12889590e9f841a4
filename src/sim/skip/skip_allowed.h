/* src/sim/skip/skip_allowed.h - what needs every packet, so that none may be skipped. */
#ifndef SIM_SKIP_SKIP_ALLOWED_H
#define SIM_SKIP_SKIP_ALLOWED_H

#include "sim/skip/skip_flow.h"

/* Why packets can never be skipped in this world; NULL: they can. */
const char *skip_why_never(const struct sim *);

/* False: a monitor, recording or verb has come that needs every packet from now on. */
bool skip_is_allowed(struct skip *, const struct sim *);

#endif
