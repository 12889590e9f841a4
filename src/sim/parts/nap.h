/* src/sim/parts/nap.h - threads that wait for a word in memory to change. */
#ifndef SIM_PARTS_NAP_H
#define SIM_PARTS_NAP_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word is 'is', or for a moment: a waker that is missed costs no more than that. */
void nap_while(_Atomic uint32_t *word, uint32_t is);

/* Wakes whoever sleeps on it. */
void nap_wake(_Atomic uint32_t *word);

#endif
