/* src/base/print/table.h - prints aligned tables.
 *
 * Cells are added row by row. Column widths are computed when the table is printed, in characters on the
 * screen, not in bytes. The first row is the heading, underlined.
 */
#ifndef BASE_PRINT_TABLE_H
#define BASE_PRINT_TABLE_H

#include <stdio.h>

struct table;

/* 'align' has one letter per column: 'l' (text, may wrap) or 'r' (numbers). */
struct table *table_new(const char *align);
void table_free(struct table *);

/* Adds a cell. Escapes control characters, because cells contain names from users. */
void table_cell(struct table *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds several cells; ends with NULL. */
void table_cells(struct table *, const char *first, ...) __attribute__((sentinel));

/* Adds a cell with a color code ("\033[32m"; NULL: none). The word is not escaped. */
void table_cell_coloured(struct table *, const char *colour, const char *word);

/* Prints the table with two spaces between columns and 'indent' spaces before each row, without trailing
 * blanks. The last row may be incomplete. On a narrow terminal, columns of type 'l' wrap. */
void table_print(const struct table *, FILE *, int indent);
void table_end(struct table *, FILE *, int indent);      /* prints and frees it */

/* The same, but drops columns until the table fits 'width' (0: unlimited), and names them. 'order' has one
 * digit per column: '0' stays, and the highest digit is dropped first. */
void table_end_fitted(struct table *, FILE *, int indent, int width, const char *order);

#endif
