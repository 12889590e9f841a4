/* src/core/option.h - options that people may set by name, and values read from what they wrote.
 *
 * Whoever has options has a table of them: a row gives the name, what it may be, what it is if nobody says anything, and a
 * line of help. Readers, messages and lists follow from the rows. Where a value was written, in a file or on the
 * command line, is its place, and stands in front of what is wrong with it.
 */
#ifndef CORE_OPTION_H
#define CORE_OPTION_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum option_kind {
    OPTION_REAL,                 /* a number in min .. max */
    OPTION_COUNT,                /* a whole one */
    OPTION_YES,                  /* yes or no: 1 or 0 */
    OPTION_CHOICE,               /* one of 'choices': its index */
    OPTION_TEXT,                 /* the name of a setting, or of a file */
};

struct option_info {             /* a row; a table ends with one that has no name */
    const char        *name;
    enum option_kind   kind;
    double             initial, min, max;
    const char *const *choices;  /* CHOICE, NULL-terminated; TEXT: what is not a file, or NULL */
    const char        *text;     /* TEXT: initial */
    const char        *about;    /* one line */
};

#define OPTIONS_MAX 48           /* rows of a table */

struct option_values {           /* in the order of the table */
    double value[OPTIONS_MAX];
    char  *text[OPTIONS_MAX];    /* TEXT: owned */
    bool   is_given[OPTIONS_MAX];
};

struct option_text { char *key, *text, *place; };    /* as it is written; place: "file:line:column: ", for messages */

/* A list of them, with all that is in it. */
void option_texts_free(struct option_text *, uint32_t count);

/* All at their initial values; to be given back. A copy has texts of its own. */
void option_values_init(const struct option_info *, struct option_values *);
void option_values_copy(struct option_values *to, const struct option_values *from);
void option_values_fini(struct option_values *);

/* Sets one option from its text. 'owner' is whose options they are, for messages. The reason has no place in front of it;
 * an unknown name is answered with one that is near. */
int option_values_set(const struct option_info *, const char *owner, struct option_values *, const char *name,
                      const char *text, struct err *);

/* The same from what was written, with the place in front of the reason. A text that is neither a choice of its row nor a
 * whole path is a file: beside the file 'beside', or, if it was given by --set, where the user is, if it is there. */
int option_values_read(const struct option_info *, const char *owner, struct option_values *,
                       const struct option_text *, const char *beside, struct err *);

/* The row of that name, or NULL. */
const struct option_info *option_find(const struct option_info *, const char *name);

#endif
