/* src/core/option.h - options of a tuner and their values.
 *
 * A tuner's options are a table of rows (base/key.h) without fields. Values are stored in the order of the
 * table. Error messages start with the location of a value, in a file or on the command line. KEY_FILE: the
 * name of a setting or a model ('choices'), or of a file.
 */
#ifndef CORE_OPTION_H
#define CORE_OPTION_H

#include "base/key.h"

#define OPTIONS_MAX 48           /* rows of a table */

struct option_values {           /* in the order of the table */
    double value[OPTIONS_MAX];   /* index of a choice; yes is 1 */
    char  *text[OPTIONS_MAX];    /* KEY_FILE: owned */
    bool   is_given[OPTIONS_MAX];
    const char **refused;        /* set by option_refuse(); NULL: not wanted */
};

struct option_text { char *key, *text, *place; };    /* as written; place: prefix of messages */

/* Frees a list with its texts. */
void option_texts_free(struct option_text *, uint32_t count);

/* Sets all options to their initial values. A copy has its own texts. */
void option_values_init(const struct key_row *, struct option_values *);
void option_values_copy(struct option_values *to, const struct option_values *from);
void option_values_fini(struct option_values *);

/* Sets one option from its text. 'owner' is the tuner's name for messages, which have no place. */
int option_values_set(const struct key_row *, const char *owner, struct option_values *, const char *name,
                      const char *text, struct err *);

/* The same with the place in error messages. A relative file name that is not a choice of its row is relative
 * to the folder of the file 'beside', or, if given by --set and found there, to the current folder. */
int option_values_read(const struct key_row *, const char *owner, struct option_values *,
                       const struct option_text *, const char *beside, struct err *);

/* Refuses the value of an option because of other values: "weight_rtt: ...". Names the option, a constant, in
 * 'refused', too. */
#define option_refuse(values, err, code, name, format, ...) \
    ({ \
        const char *option_ = (name); \
        if ((values)->refused) \
            *(values)->refused = option_; \
        err_set(err, code, "%s: " format, option_, ##__VA_ARGS__); \
    })

/* The initial value of a row that is not KEY_FILE. */
double option_initial(const struct key_row *);

#endif
