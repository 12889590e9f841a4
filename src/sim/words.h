/* src/sim/words.h - reads a text line by line and word by word.
 *
 * Words are separated by blanks; '#' at the start of a word makes the rest of
 * the line a comment; lines without words are skipped. Every refusal starts
 * with "file:line: ".
 */
#ifndef SIM_WORDS_H
#define SIM_WORDS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORDS_BYTES 320          /* a word shorter than this is read whole */

struct words {
    const char *name;            /* of the file, for messages */
    const char *at;              /* what has not been read yet */
    uint32_t    line;            /* the line being read, from 1; 0 before the first */
    char        word[WORDS_BYTES];
};

void words_init(struct words *, const char *name, const char *text);

/* Goes to the next line that has a word, leaving unread what is left of this one; false at the end. */
bool words_next_line(struct words *);

/* The next word of this line, good until the next call; NULL if there is none. A word that is too long
 * to keep ends in "...", so that it is no number and no name. */
const char *words_next(struct words *);

/* Reads the next word of this line as a number, rate or time. 'what' names it in the refusal. */
int words_uint(struct words *, const char *what, uint64_t max, uint64_t *value, struct err *);
int words_uint32(struct words *, const char *what, uint32_t max, uint32_t *value, struct err *);
int words_real(struct words *, const char *what, double min, double max, double *value, struct err *);
int words_rate(struct words *, const char *what, uint64_t *bps, struct err *);
int words_time(struct words *, const char *what, uint64_t *ps, struct err *);

/* Whether this line has no further word. */
bool words_at_end(struct words *);

/* Refuses further words on this line. */
int words_end(struct words *, struct err *);

/* As err_set(), with "file:line: " in front. */
int words_err(const struct words *, struct err *, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads a file of at most 'max' bytes into malloc'd memory. One that ends in .gz or holds a zero byte is
 * refused. */
int words_read_file(const char *path, size_t max, char **text, struct err *);

#endif
