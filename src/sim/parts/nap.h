/* src/sim/parts/nap.h - threads that wait for a word in memory to change. */
#ifndef SIM_PARTS_NAP_H
#define SIM_PARTS_NAP_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word is 'is', for a short time at most, in case a wake-up is missed. */
void nap_while(_Atomic uint32_t *word, uint32_t is);

/* Wakes the threads that sleep on it. */
void nap_wake(_Atomic uint32_t *word);

#endif
