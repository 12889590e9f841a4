/* src/cmd/cmd.h - one program, one file per subcommand.
 *
 * Each subcommand parses its own options and returns the program's exit status. Results go to standard
 * output; all else, one line each, to standard error.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct command {
    const char *name, *about;
    int (*main)(int argc, char **argv);      /* argv[0] is "anole <name>" */
};

extern const struct command command_run, command_compare, command_sweep, command_tune, command_explain,
                            command_list, command_convert, command_train;

/* Prints "anole: <what is wrong>"; returns EXIT_FAILED. */
int cmd_fail(const struct err *);

/* Prints "anole: ..." and ends the program with EXIT_USAGE. */
_Noreturn void cmd_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The number that an option gives; --set's text, added to a list that grows. What is wrong ends the program. */
uint64_t cmd_seed(const char *option, const char *text);
uint64_t cmd_count(const char *option, const char *text, uint64_t min, uint64_t max);
void     cmd_add_set(const char ***set, uint32_t *sets, const char *text);

/* Flushes standard output; a failed write (a full disk) is an error. Returns the exit status. */
int cmd_close_stdout(void);

/* Whether escape codes belong on this stream: a terminal, and the user has not set NO_COLOR. */
bool cmd_has_colour(FILE *);

#endif
