/* src/cmd/interrupt.h - what Ctrl-C and kill do to a run: it ends at once, what it has written so far is removed, one
 * line says when that was. */
#ifndef CMD_INTERRUPT_H
#define CMD_INTERRUPT_H

#include <stdint.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the program with status 128 + signal. */
void interrupt_catch(void);

/* The clock of the simulation that is running, for the message; NULL: none is. */
void interrupt_watch(const uint64_t *now_ps);

#endif
