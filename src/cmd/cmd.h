/* src/cmd/cmd.h - common parts of the subcommands.
 *
 * Each subcommand parses its options and returns the exit status. Results go to standard output, messages to
 * standard error, one line each.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/err.h"
#include "base/key.h"

#include <stdbool.h>
#include <stddef.h>
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
                            command_draw_workload, command_calibrate, command_explain_rlcc;

/* Ends a command. rc 0: closes standard output. Negative errno, or the number of a signal: prints the error,
 * on a terminal with the line of the file that it is about.
 * Returns the exit status; 128 + signal, as in a shell. */
int cmd_end(int rc, const struct err *);

/* Prints each line as "anole: warning: ..."; NULL: there is none. */
void cmd_print_warnings(const char *text);

/* Prints "anole: ..." and ends the program with EXIT_USAGE. */
_Noreturn void cmd_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- values of options; errors end the program ---- */

uint64_t cmd_count(const char *option, const char *text, uint64_t min, uint64_t max);

/* Returns the index of a word in a NULL-terminated list. Other words are an error: "--format: unknown value
 * 'jsn'; did you mean 'json'?". */
int cmd_choice(const char *option, const char *word, const char *const *names);

enum cmd_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

/* Appends a text to a list that grows. */
void cmd_add_text(const char ***list, uint32_t *count, const char *text);

/* Stores an argument that may be given once. */
void cmd_take_one(const char **taken, const char *arg, const char *what);

/* Flushes standard output; a failed write (a full disk) is an error. Returns the exit status. */
int cmd_close_stdout(void);

/* True if the stream is a terminal that shows colors and NO_COLOR is not set. */
bool cmd_has_colour(FILE *);

/* ---- options as rows ---- */

/* A row has the name, letter, value and help of an option, and the field of a C struct that takes the value.
 * A table ends with a row without name and help. A row without a name is a heading. */
struct cmd_option {
    const char        *name;
    char               letter;               /* 0: none */
    const char        *arg;                  /* name of the value; NULL: a flag, which sets a bool */
    const char        *help;
    struct key_field   at;                   /* KEY_AT(type, field) */
    enum key_unit      unit;
    double             min, max;             /* both 0: as much as the field holds */
    const char *const *choices;              /* NULL-terminated; the value is the index */
    double             per;                  /* unit of a field of type double, in ps, bps or bytes; 0: 1 */
    size_t             count_at;             /* CMD_LIST: offset of the number of texts */
    bool               is_list;
    size_t             given_at;             /* CMD_GIVEN: offset of a bool that says whether it was given */
    void             (*add)(void *into, const char *text);   /* instead of a field */
};

/* A list of texts that grows, and its uint32_t length. If the name of the value contains '=', so must each
 * text. */
#define CMD_LIST(type, list, length) \
    .at = { offsetof(type, list), KEY_NO_FIELD }, .count_at = offsetof(type, length), .is_list = true

/* A bool that is set if the option is given. It must not be the first field of its struct. */
#define CMD_GIVEN(type, field) .given_at = offsetof(type, field)

/* ---- rows of several commands ---- */

#define CMD_SET(type, list, length) \
    { "set", 's', "KEY=VALUE", "Override a knob (kmin=200KB) or a scenario key (topology.delay=2us, " \
      "traffic.0.load=0.5). Repeatable", CMD_LIST(type, list, length) }
#define CMD_SEED(type, seed, is_given) \
    { "seed", 0, "N", "Random seed (default: the scenario's)", KEY_AT(type, seed), KEY_COUNT, \
      CMD_GIVEN(type, is_given) }
#define CMD_UNTIL(type, ps) \
    { "until", 0, "TIME", "Stop at this simulated time (example: 500us)", KEY_AT(type, ps), KEY_TIME, 1, \
      KEY_TIME_PS_MAX }
#define CMD_THREADS(type, count)         /* needs sim/partition.h */ \
    { "threads", 0, "N", "Number of threads (default: one per processor if the run is long enough to " \
      "benefit). Results do not depend on it. 'fidelity=fast' uses one", KEY_AT(type, count), KEY_COUNT, 1, \
      PARTS_MAX }
#define CMD_GOAL(type, text, otherwise) \
    { "goal", 0, "GOAL", "What to minimise, and whom not to harm: iteration_time, mean_slowdown, " \
      "p99_slowdown (of mice, middle, or elephants), balanced, latency, throughput, or weights such as " \
      "mice=0.7,elephants=0.3; then class_bound=5%, job_bound=2% (default: the scenario's goal, else " \
      otherwise ")", KEY_AT(type, text) }
#define CMD_DEVICE(type, field)          /* an enum device of study/report/setting_print.h */ \
    { "as", 0, "mlx5|sonic", "Print the setting as a shell script for mlx5 NICs or as a WRED profile for " \
      "SONiC switches", KEY_AT(type, field), .choices = device_names }
#define CMD_QUIET(type, is_quiet) { "quiet", 'q', NULL, "Print errors only, and what --format requests", \
      KEY_AT(type, is_quiet) }

/* The rule around RL-CC's trees: a struct rule_cfg of base/nets/tree/tree.h; needs core/units.h. */
#define RULE_MIN 1e-12           /* 0 would mean the default */
#define RULE_MAX 1e12

#define CMD_RULE(type, rule) \
    { "base-rtt", 0, "TIME", "RTT that counts as 1 (default: 8192ns)", \
      KEY_AT(type, rule.base_ns), KEY_TIME, 1, KEY_TIME_PS_MAX, .per = PS_PER_NS }, \
    { "beta", 0, "N", "RTTs up to so many base RTTs are free (default: 1.5)", \
      KEY_AT(type, rule.beta), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "target", 0, "N", "Desired excess times the square root of the rate (default: 0.064)", \
      KEY_AT(type, rule.target), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "scale", 0, "N", "Factor from there to delta (default: 12.5)", \
      KEY_AT(type, rule.scale), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "rate-min", 0, "SHARE", "Lowest rate, as a fraction of the line rate (default: 2^-14, 0.000061)", \
      KEY_AT(type, rule.rate_min), KEY_REAL, RULE_MIN, RULE_MAX }, \
    { "rtt-max", 0, "TIME", "A longer RTT halves the rate, whatever the trees decide (default: 150us)", \
      KEY_AT(type, rule.rtt_us_max), KEY_TIME, 1, KEY_TIME_PS_MAX, .per = PS_PER_US }

/* --format table|csv|json, into an enum cmd_format. */
#define CMD_FORMATS(type, format, help) \
    { "format", 'f', "FORMAT", "Output format: table, csv, or json (default: table)" help, \
      KEY_AT(type, format), .choices = cmd_table_csv_or_json }
extern const char *const cmd_table_csv_or_json[];

/* --format table|json, into a bool. */
#define CMD_FORMAT(type, field) \
    { "format", 'f', "FORMAT", "Output format: table or json (default: table)", KEY_AT(type, field), \
      .choices = cmd_table_or_json }
extern const char *const cmd_table_or_json[];

struct cmd_line {
    const struct cmd_option *options;
    struct cmd_option        argument;       /* may be a list; its name is for messages; no name: none */
    const char              *missing;        /* error without arguments; NULL: they are optional */
    const char              *args, *help;    /* for --help; \v separates text above and below the options */
};

/* Reads the command line into a struct with initial values. */
void cmd_parse(const struct cmd_line *, int argc, char **argv, void *into);

#endif
