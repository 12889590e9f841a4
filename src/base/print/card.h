/* src/base/print/card.h - the answer card: what a command found, in the form that people decide from.
 *
 * Every report opens with one: the summary on a terminal, the JSON, and the page. It says the finding in one
 * sentence, what it costs, how sure it is, for which network and traffic it holds, and which command to run
 * next. A command fills the fields; this file prints them, so all commands speak alike.
 */
#ifndef BASE_PRINT_CARD_H
#define BASE_PRINT_CARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum card_field {
    CARD_FINDING,                /* one sentence: what to do, or what was found */
    CARD_DETAIL,                 /* at most three more sentences */
    CARD_COST,
    CARD_SURE,
    CARD_NETWORK,
    CARD_TRAFFIC,
    CARD_SETTING,                /* what the settings are that the finding names */
    CARD_NEXT,                   /* why to run the next command */
    CARD_COMMAND,                /* which command, as typed in a shell */
    CARD_FIELDS
};

struct card { char *text[CARD_FIELDS]; };    /* zero: empty. NULL: no such field */
#define EMPTY_CARD (&(struct card){ .text = { NULL } })

/* Appends to a field; sentences are separated by a space. */
void card_add(struct card *, enum card_field, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same without the space. */
void card_append(struct card *, enum card_field, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* Begins the field with a capital letter. */
void card_capitalise(struct card *, enum card_field);

/* "" if the field is empty. */
const char *card_text(const struct card *, enum card_field);

void    card_print(const struct card *, FILE *, bool has_colour);
json_t *card_json(const struct card *);              /* interface Answer of web/src/data.ts; fields without
                                                      * text are null */
void    card_end(struct card *, FILE *, bool has_colour);            /* prints and frees it */
json_t *card_end_json(struct card *);                /* the same as JSON */
void    card_of_json(struct card *, const json_t *);         /* the other way; NULL: an empty card */
void    card_html(const struct card *, FILE *);      /* the same card, for a page without scripts */
void    card_fini(struct card *);

/* Appends a space and an argument, in quotes where a shell needs them: "demo.yaml", "'{kind: star}'". */
void card_add_argument(struct card *, const char *argument);

/* The same for a file, from the root, so that the command is good in any folder. "-" stays. */
void card_add_path(struct card *, const char *path);

/* Appends the argument of --variant: "after:kmin=100KB,kmax=400KB". */
void card_add_variant(struct card *, const char *name, const char *const *set, uint32_t sets);

/* The command of these arguments, argv[0] included, without some options that have a value: "--jobs=2",
 * "--jobs 2", "-j 2" and "-j2" for { "--jobs", "-j", NULL }. "!--quiet" is an option without a value. */
void card_add_command(struct card *, int argc, char *const *argv, const char *const *without);

#endif
