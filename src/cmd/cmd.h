/* src/cmd/cmd.h - common parts of the subcommands.
 *
 * Each subcommand parses its options and returns the exit status. Results go to standard output, messages to
 * standard error, one line each.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct command {
    const char *name, *about;                /* no name: a heading of the help */
    int (*main)(int argc, char **argv);      /* argv[0] is "anole <name>"; NULL: see main.c */
};

extern const struct command command_run, command_compare, command_sweep, command_tune, command_explain,
                            command_list, command_convert, command_train, command_advise, command_distil,
                            command_export, command_gym, command_collective, command_init, command_record,
                            command_draw_workload, command_calibrate;

/* Ends a command. rc 0: closes standard output. Negative errno, or the number of a signal: prints the error,
 * on a terminal with the line of the file that it is about.
 * Returns the exit status; 128 + signal, as in a shell. */
int cmd_end(int rc, const struct err *);

/* Prints "anole: ..." and ends the program with EXIT_USAGE. */
_Noreturn void cmd_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- values of options; errors end the program ---- */

uint64_t cmd_count(const char *option, const char *text, uint64_t min, uint64_t max);

/* Returns the index of a word in a NULL-terminated list. Other words are an error: "--format: unknown value
 * 'jsn'; did you mean 'json'?". */
int cmd_choice(const char *option, const char *word, const char *const *names);

enum cmd_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

/* Appends a text to a list that grows; set: "KEY=VALUE". */
void cmd_add_text(const char ***list, uint32_t *count, const char *text);
void cmd_add_set(const char ***set, uint32_t *sets, const char *text);

/* Stores an argument that may be given once. */
void cmd_take_one(const char **taken, const char *arg, const char *what);

/* Flushes standard output; a failed write (a full disk) is an error. Returns the exit status. */
int cmd_close_stdout(void);

/* True if the stream is a terminal that shows colors and NO_COLOR is not set. */
bool cmd_has_colour(FILE *);

#endif
