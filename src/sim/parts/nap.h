/* src/sim/parts/nap.h - threads that wait for a word in memory to change. */
#ifndef SIM_PARTS_NAP_H
#define SIM_PARTS_NAP_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word equals 'is'. Sleeps only for a short time, in case a wake-up is missed. */
void nap_while(_Atomic uint32_t *word, uint32_t is);

/* Wakes the threads that sleep on the word. */
void nap_wake(_Atomic uint32_t *word);

#endif
