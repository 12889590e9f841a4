/* src/base/file/csv.h - tables as other programs write them: the first line names the columns, every further one is a row.
 *
 * Cells are separated by commas. One in quotes may hold commas, and a quote twice for one; it ends on its line. Columns are
 * found by name, wherever they stand; those that nobody asks for are not looked at. Refusals start with "file:line: ".
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define CSV_COLUMNS    16        /* that are asked for, at most */
#define CSV_CELL_BYTES 64        /* a longer cell is refused if it is asked for */

struct csv {
    const char        *name;     /* of the file, for messages */
    const char        *at, *end; /* what has not been read yet */
    uint32_t           line;     /* of the row that was read last, from 1 */
    const char *const *column;   /* NULL-terminated */
    int                columns;
    int                place[CSV_COLUMNS];       /* which cell of a row the column is, from 0; -1: there is no such column */
    char               cell[CSV_COLUMNS][CSV_CELL_BYTES];
};

/* Reads the first line. Columns that are missing are not refused here: see csv_need(). */
void csv_open(struct csv *, const char *name, const char *text, size_t bytes, const char *const *columns);

/* Refuses a table without the column. 'all' are those that there should be, for people: "flow,delta". */
int csv_need(const struct csv *, int column, const char *all, struct err *);

/* The next row: 1, with its cells; 0 at the end; below 0 if it is refused. */
int csv_next(struct csv *, struct err *);

/* A cell of the row as a number. */
int csv_uint(const struct csv *, int column, uint64_t *value, struct err *);
int csv_real(const struct csv *, int column, double *value, struct err *);       /* it may be below 0 */

/* Refuses a cell: "file:line: column: why". */
int csv_refuse(const struct csv *, int column, struct err *, const char *why);

#endif
