/* src/base/file/csv.h - reads CSV tables whose first line names the columns.
 *
 * Cells are separated by commas. A quoted cell may contain commas, and doubled quotes for a quote, but no
 * newline. The caller names the columns that it needs; others are ignored. Errors start with "file:line: ".
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

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
