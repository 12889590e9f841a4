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
                            command_list, command_convert, command_train, command_advise, command_distil,
                            command_export, command_gym, command_collective, command_init, command_serve, command_plot,
                            command_record, command_draw_workload, command_agent, command_controller, command_ctl, command_twin;

/* How a command ends: 0 closes standard output; a negative errno prints "anole: <what is wrong>"; the number of a
 * signal prints as much, and is a status as a shell gives it. Returns the exit status. */
int cmd_end(int rc, const struct err *);

/* Prints "anole: ..." and ends the program with EXIT_USAGE. */
_Noreturn void cmd_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- what options give; whatever is wrong ends the program ---- */

uint64_t cmd_seed(const char *option, const char *text);
uint64_t cmd_count(const char *option, const char *text, uint64_t min, uint64_t max);

/* Picoseconds; 'zero' says what a time of 0 would be. */
uint64_t cmd_time(const char *option, const char *text, const char *zero);

/* The place of a word in a NULL-terminated list. "'jsn' is not a format; did you mean 'json'?": 'what' is "not a
 * format"; 'option' stands in front, unless it is NULL. */
int cmd_choice(const char *option, const char *what, const char *word, const char *const *names);

/* --format */
enum cmd_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

enum cmd_format cmd_format(const char *word);

/* --set, added to a list that grows. */
void cmd_add_set(const char ***set, uint32_t *sets, const char *text);

/* An argument of which there is one: a scenario, a run, a tuner. */
void cmd_take_one(const char **taken, const char *arg, const char *what);

/* Flushes standard output; a failed write (a full disk) is an error. Returns the exit status. */
int cmd_close_stdout(void);

/* Whether escape codes belong on this stream: a terminal, and the user has not set NO_COLOR. */
bool cmd_has_colour(FILE *);

#endif
