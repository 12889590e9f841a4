/* src/live/core/live_clock.h - what a loop on the clock needs: waiting, signals, lines in the journal. */
#ifndef LIVE_CORE_LIVE_CLOCK_H
#define LIVE_CORE_LIVE_CLOCK_H

#include "base/io/clock.h"

/* Waits until something can be read from one of the files or the time has come; NEVER: for ever. */
struct pollfd;
void clock_wait(struct pollfd *, uint32_t count, uint64_t until_us);

/* SIGTERM, SIGINT and SIGHUP become readable here instead of ending the program; SIGPIPE is ignored. */
int clock_signals(void);

/* Words for the journal: one line on standard error. Never waits: a line for which there is no room is
 * dropped, and the next one says how many are missing. */
void clock_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports the state of the process to systemd (sd_notify(3), Type=notify): "READY=1", "STOPPING=1". No effect
 * without systemd. */
void clock_notify(const char *state);

#endif
