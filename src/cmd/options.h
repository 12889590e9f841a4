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
    void             (*add)(void *into, const char *text);   /* instead of a field */
};

/* A list of texts that grows, and its uint32_t length. If the name of the value contains '=', so must each
 * text. */
#define CMD_LIST(type, list, length) \
    .at = { offsetof(type, list), KEY_NO_FIELD }, .count_at = offsetof(type, length), .is_list = true

/* --format table|json, into a bool. */
#define CMD_FORMAT(type, field) \
    { "format", 'f', "table|json", "Format of the output (default: table)", KEY_AT(type, field), \
      .choices = cmd_table_or_json }
extern const char *const cmd_table_or_json[];

struct cmd_line {
    const struct cmd_option *options;
    struct cmd_option        argument;       /* its name is for messages; no name: none allowed */
    const char              *missing;        /* error without arguments; NULL: they are optional */
    const char              *args, *help;    /* for --help; \v separates text above and below the options */
};

/* Reads the command line into a struct with initial values. */
void cmd_parse(const struct cmd_line *, int argc, char **argv, void *into);

#endif
