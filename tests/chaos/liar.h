/* tests/chaos/liar.h - Byzantine parties: they have valid certificates, and lie.
 *
 * An agent registers devices that do not exist or are not its own, claims arbitrary terms, counts, clocks and
 * answers, and garbles bytes, to controllers and through relays. A relay alters what it forwards, and forges
 * orders for the agents behind it. An operator gives arbitrary orders. Their messages pass the codec and the
 * certificate checks as in the daemons.
 */
#ifndef TESTS_CHAOS_LIAR_H
#define TESTS_CHAOS_LIAR_H

#include "chaos_world.h"

/* What an agent lies about. */
enum { LIE_TERMS = 1, LIE_NAMES = 2, LIE_GAPS = 4, LIE_NUMBERS = 8, LIE_ANSWERS = 16, LIE_BREACH = 32,
       LIE_BYTES = 64, LIE_FLOOD = 128 };

/* Some lies cost trials, as an honest device in trouble would. These do not. */
#define LIES_HARMLESS (LIE_TERMS | LIE_NAMES | LIE_GAPS | LIE_BYTES | LIE_FLOOD)

/* Sends a message from one process to another. */
typedef void liar_pass(struct world *, uint32_t from, uint32_t to, const struct msg *);

/* Sends the lies of one interval; handles a message that has arrived. */
void liar_on_tick(struct world *, struct proc *, liar_pass *);
void liar_on_msg(struct world *, struct proc *, const struct msg *);

/* liar_rack() alters a rack on its way up; false: the relay drops it. liar_order() alters a message to an
 * agent. */
bool liar_rack(struct world *, struct proc *, struct rack *);
void liar_order(struct world *, struct proc *, struct msg *);

#endif
