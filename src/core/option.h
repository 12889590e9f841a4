/* src/core/option.h - options of a tuner, by name, and their values.
 *
 * A tuner's options are a table of rows (base/key.h) without fields: values are kept in the order of the table. Where a value
 * was written, in a file or on the command line, is its place; messages begin with it. KEY_FILE: the name of a setting or a
 * model ('choices'), or of a file.
 */
#ifndef CORE_OPTION_H
#define CORE_OPTION_H

#include "base/key.h"

#define OPTIONS_MAX 48           /* rows of a table */

struct option_values {           /* in the order of the table */
    double value[OPTIONS_MAX];   /* of a choice: its index; yes is 1 */
    char  *text[OPTIONS_MAX];    /* KEY_FILE: owned */
    bool   is_given[OPTIONS_MAX];
};

struct option_text { char *key, *text, *place; };    /* as it is written; place: "file:line:column: ", for messages */

/* A list of them, with all that is in it. */
void option_texts_free(struct option_text *, uint32_t count);

/* All at their initial values; to be given back. A copy has texts of its own. */
void option_values_init(const struct key_row *, struct option_values *);
void option_values_copy(struct option_values *to, const struct option_values *from);
void option_values_fini(struct option_values *);

/* Sets one option from its text. 'owner' is whose options they are, for messages. The reason has no place in front of it;
 * an unknown name is answered with one that is near. */
int option_values_set(const struct key_row *, const char *owner, struct option_values *, const char *name,
                      const char *text, struct err *);

/* The same from what was written, with the place in front of the reason. A text that is neither a choice of its row nor a
 * whole path is a file: beside the file 'beside', or, if it was given by --set, where the user is, if it is there. */
int option_values_read(const struct key_row *, const char *owner, struct option_values *,
                       const struct option_text *, const char *beside, struct err *);

/* The initial value of a row that is not KEY_FILE. */
double option_initial(const struct key_row *);

#endif
