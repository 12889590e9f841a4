/* src/base/tokens.h - reads a text line by line and word by word, and tables (CSV).
 *
 * Words are separated by blanks. '#' at the start of a word starts a comment. Lines without words are
 * skipped. Errors start with "file:line: ". The first error is kept. After an error, all functions do nothing
 * and return its code, so callers check for errors once, at the end. Outputs are then unchanged.
 */
#ifndef BASE_TOKENS_H
#define BASE_TOKENS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKENS_BYTES 320         /* longer words are cut */

struct tokens {
    const char *name;            /* of the file, for messages */
    const char *at;              /* unread text */
    uint32_t    line;            /* current line, from 1; 0 before the first */
    char        word[TOKENS_BYTES];
    struct err *err;             /* of the first error; may be NULL */
    int         rc;              /* of the first error; from then on there are no more lines and words */
    char       *own;             /* text that was read from a file, or NULL */
};

/* Starts with a text. 'name' is for messages. */
void tokens_init(struct tokens *, const char *name, const char *text, struct err *);

/* The same with the text of the file 'name' of at most 'max' bytes if 'text' is NULL. Refuses *.gz and files
 * with a zero byte. Close it in any case; that returns the first error, or 0. */
int  tokens_open(struct tokens *, const char *name, const char *text, size_t max, struct err *);
int  tokens_close(struct tokens *);

/* Skips the rest of this line and goes to the next line with a word. Returns false at the end. _need: the end
 * is an error, for which the rest is the message. */
bool tokens_next_line(struct tokens *);
bool tokens_need_line(struct tokens *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the next word of this line, or NULL; valid until the next call. A word that was cut ends in "...",
 * so that it is not a valid number or name. _need: a missing word is an error, which names it. */
const char *tokens_next(struct tokens *);
const char *tokens_need(struct tokens *, const char *what);

/* Reads the next word of this line as a number, rate or time. 'what' names it in error messages. _units: as
 * text_to_units(), up to 'max' units. */
int tokens_uint(struct tokens *, const char *what, uint64_t max, uint64_t *value);
int tokens_uint32(struct tokens *, const char *what, uint32_t max, uint32_t *value);
int tokens_real(struct tokens *, const char *what, double min, double max, double *value);
int tokens_units(struct tokens *, const char *what, uint64_t unit, uint64_t max, uint64_t *value);
int tokens_rate(struct tokens *, const char *what, uint64_t *bps);
int tokens_time(struct tokens *, const char *what, uint64_t *ps);

/* True if this line has no further word. */
bool tokens_at_end(struct tokens *);

/* Refuses further words on this line. */
int tokens_end(struct tokens *);

/* Like err_set(), with the prefix "file:line: ", unless there was an error before. */
int tokens_err(struct tokens *, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a line before this one. */
int tokens_err_at(struct tokens *, uint32_t line, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Refuses the current word: "'x' is not WHAT; did you mean 'y'?" */
int tokens_refuse_name(struct tokens *, const char *what, const char *const *names);

/* ---- reads CSV tables whose first line names the columns ----
 *
 * Cells are separated by commas. A quoted cell may contain commas, and doubled quotes for a quote, but no
 * newline. The caller names the columns that it needs; others are ignored. Errors start with "file:line: ".
 */
#define CSV_COLUMNS    16        /* most columns that a caller may need */
#define CSV_CELL_BYTES 64        /* longer cells of these columns are refused */

struct csv {
    const char        *name;     /* of the file, for messages */
    const char        *at, *end; /* unread text */
    uint32_t           line;     /* of the last row, from 1 */
    const char *const *column;   /* NULL-terminated */
    int                columns;
    int                place[CSV_COLUMNS];       /* index of the column's cell in a row; -1: missing column */
    char               cell[CSV_COLUMNS][CSV_CELL_BYTES];
};

/* Reads the first line. Missing columns are not an error here: see csv_need(). */
void csv_open(struct csv *, const char *name, const char *text, size_t bytes, const char *const *columns);

/* Refuses a table without the column. 'all' lists the expected columns for the message: "flow,delta". */
int csv_need(const struct csv *, int column, const char *all, struct err *);

/* Reads the next row. Returns 1, 0 at the end, or a negative errno. */
int csv_next(struct csv *, struct err *);

/* Reads a cell of the row as a number. */
int csv_uint(const struct csv *, int column, uint64_t *value, struct err *);
int csv_real(const struct csv *, int column, double *value, struct err *);       /* may be negative */

/* Refuses a cell: "file:line: column: why". */
int csv_refuse(const struct csv *, int column, struct err *, const char *why);

#endif
