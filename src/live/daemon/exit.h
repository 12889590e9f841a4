/* src/live/daemon/exit.h - how programs end: exit codes, and one line that says what is wrong. */
#ifndef LIVE_DAEMON_EXIT_H
#define LIVE_DAEMON_EXIT_H

#include "base/err.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The exit code for a result: 0, a signal's number, or below 0, for which the error is printed. */
int exit_code(int rc, const struct err *);

/* Prints the text, with one word in it, and ends the program with EXIT_USAGE. */
_Noreturn void exit_usage(const char *text, const char *word) __attribute__((format(printf, 1, 0)));

#endif
