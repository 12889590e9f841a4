/* src/base/file/interrupt.h - on Ctrl-C or kill: removes incomplete output, prints one line, exits. */
#ifndef BASE_FILE_INTERRUPT_H
#define BASE_FILE_INTERRUPT_H

#include <stdint.h>

/* Installs handlers: SIGINT, SIGTERM and SIGHUP end the program with status 128 + signal. */
void interrupt_catch(void);

/* Sets the simulation clock for the message; it must stay valid until interrupt_end(). */
void interrupt_watch(const uint64_t *now_ps);

/* Blocks signals while results are moved into place, so that they appear completely or not at all. */
void interrupt_hold(void);

/* Restores the default action and unblocks signals. A pending signal is delivered now. */
void interrupt_end(void);

#endif
