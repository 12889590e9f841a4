/* src/live/controller/term.h - what a controller believes of the terms that agents claim.
 *
 * Only controllers and the lease create terms. A term in an agent's message is a claim, and an agent may lie.
 * So
 *
 *   - a controller begins above the terms that more than half of the hosts claim, however far ahead they are:
 *     it may have lost its own state, or have that of an older backup. What fewer claim counts only if it is
 *     near, as after a few starts that the others have not seen;
 *   - a term so far ahead that no controller can have reached it is ignored, with its message, and the sender
 *     is logged;
 *   - with a lease, agents cannot depose a controller. Without one, more than half of the hosts that have
 *     reported must have obeyed a higher term. A host counts once, however many devices it names;
 *   - counters end at MSG_TERM_COUNTER_MAX and never wrap.
 *
 * A controller that continues for a while after another took over does no harm: agents refuse the lower term.
 */
#ifndef LIVE_CONTROLLER_TERM_H
#define LIVE_CONTROLLER_TERM_H

#include "live/controller/roster.h"

/* Is it one that a controller can have come to? If not, the log names its sender, and the message is to be
 * ignored. */
bool term_is_possible(struct controller *, const char *name, uint64_t term, uint64_t now_us);

/* What an agent claims to have obeyed; 0: it does not say. */
void term_see(struct controller *, struct peer *, uint64_t term);

/* The next counter, above all that it has reason to believe in. Devices that claim far more are dropped. */
uint64_t term_next(struct controller *, uint64_t now_us);

/* Do more than half of the hosts that have reported obey a higher term? */
bool term_is_outvoted(struct controller *, uint64_t now_us);

#endif
