/* src/base/tokens.h - reads a text line by line and word by word.
 *
 * Words are separated by blanks; '#' at the start of a word makes the rest of
 * the line a comment; lines without words are skipped. Every refusal starts
 * with "file:line: ".
 */
#ifndef BASE_TOKENS_H
#define BASE_TOKENS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKENS_BYTES 320          /* a word shorter than this is read whole */

struct tokens {
    const char *name;            /* of the file, for messages */
    const char *at;              /* what has not been read yet */
    uint32_t    line;            /* the line being read, from 1; 0 before the first */
    char        word[TOKENS_BYTES];
};

void tokens_init(struct tokens *, const char *name, const char *text);

/* Goes to the next line that has a word, leaving unread what is left of this one; false at the end. */
bool tokens_next_line(struct tokens *);

/* The next word of this line, good until the next call; NULL if there is none. A word that is too long
 * to keep ends in "...", so that it is no number and no name. */
const char *tokens_next(struct tokens *);

/* Reads the next word of this line as a number, rate or time. 'what' names it in the refusal. */
int tokens_uint(struct tokens *, const char *what, uint64_t max, uint64_t *value, struct err *);
int tokens_uint32(struct tokens *, const char *what, uint32_t max, uint32_t *value, struct err *);
int tokens_real(struct tokens *, const char *what, double min, double max, double *value, struct err *);
int tokens_rate(struct tokens *, const char *what, uint64_t *bps, struct err *);
int tokens_time(struct tokens *, const char *what, uint64_t *ps, struct err *);

/* Whether this line has no further word. */
bool tokens_at_end(struct tokens *);

/* Refuses further words on this line. */
int tokens_end(struct tokens *, struct err *);

/* As err_set(), with "file:line: " in front. */
int tokens_err(const struct tokens *, struct err *, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads a file of at most 'max' bytes into malloc'd memory. One that ends in .gz or holds a zero byte is
 * refused. */
int tokens_read_file(const char *path, size_t max, char **text, struct err *);

#endif
