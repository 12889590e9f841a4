/* src/base/file/interrupt.h - what Ctrl-C and kill do to a run: it ends at once, what it has written so far is
 * removed, one line says when that was. */
#ifndef BASE_FILE_INTERRUPT_H
#define BASE_FILE_INTERRUPT_H

#include <stdint.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the program with status 128 + signal. */
void interrupt_catch(void);

/* The clock of the simulation that is running, for the message; valid until interrupt_end(). */
void interrupt_watch(const uint64_t *now_ps);

/* While results are put into place, signals wait: all of them are, or none. */
void interrupt_hold(void);

/* Now they are there, and a signal is an ordinary end again. One that waited comes now. */
void interrupt_end(void);

#endif
