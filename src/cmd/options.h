/* src/cmd/options.h - command-line options as rows.
 *
 * A row has the name, letter, value and help of an option, and the field of a C struct that takes the value.
 * A new option is one row. Errors end the program with a message.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a table ends with a row without name and help; without a name: a heading */
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
    { "goal", 0, "GOAL", "What to minimise, and whom not to harm: iteration_time, mean_slowdown, p99_slowdown (of " \
      "mice, middle, or elephants), balanced, latency, throughput, or weights such as mice=0.7,elephants=0.3; " \
      "then class_bound=5%, job_bound=2% (default: the scenario's goal, else " otherwise ")", KEY_AT(type, text) }
#define CMD_QUIET(type, is_quiet) { "quiet", 'q', NULL, "Print errors only", KEY_AT(type, is_quiet) }

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
