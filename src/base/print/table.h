/* src/base/print/table.h - tables that line up.
 *
 * Cells are added row by row; widths are found when the table is printed. Width is counted in
 * characters on the screen, not bytes (UTF-8). The first row is the heading, underlined.
 */
#ifndef BASE_PRINT_TABLE_H
#define BASE_PRINT_TABLE_H

#include <stdio.h>

struct table;

/* 'align': one letter a column, 'l' or 'r'. */
struct table *table_new(const char *align);
void table_free(struct table *);

/* What a terminal would obey is escaped (base/print/escape.h): cells hold names that people chose. */
void table_cell(struct table *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A word of ours in a colour ("\033[32m"), which takes no place; NULL: without. */
void table_cell_coloured(struct table *, const char *colour, const char *word);

/* Makes columns give way where the table is wider than 'width' (0: no terminal is that narrow). 'order' has a character a
 * column: '0' stays; of the others the highest goes first. Returns how many are gone; table_gone() names them. */
int  table_fit(struct table *, int width, int indent, const char *order);
void table_gone(const struct table *, FILE *);

/* Prints with two spaces between columns and 'indent' spaces before each row; trailing blanks are
 * not printed. The last row may be incomplete. On a terminal that is too narrow, columns of words ('l') take several lines. */
void table_print(const struct table *, FILE *, int indent);

#endif
