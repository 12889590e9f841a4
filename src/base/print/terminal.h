/* src/base/print/terminal.h - text for terminals: wrapped words, sparklines, excerpts of files. */
#ifndef BASE_PRINT_TERMINAL_H
#define BASE_PRINT_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the width of the terminal, or 0 if 'f' is not a terminal. */
int terminal_width(FILE *f);

/* True if the text begins with a unit as a word: "us (idle)", "Gb/s,". */
bool terminal_is_unit(const char *text);

/* Prints words and a newline. The cursor is at column 'at'. Words that would exceed 'width' (0: unlimited)
 * start a new line, indented by 'hang'. A number stays with its unit. */
void terminal_words(FILE *f, const char *text, int at, int hang, int width);

#define SPARK_COLUMNS 60                         /* the widest line */
#define SPARK_BYTES   (3 * SPARK_COLUMNS + 1)    /* a block is three bytes of UTF-8 */

/* True if the environment (LC_ALL, LC_CTYPE, LANG) selects UTF-8. */
bool spark_is_utf8(void);

/* Draws a sparkline: one character per value, at most SPARK_COLUMNS, in eight heights from the smallest to
 * the largest value: U+2581 .. U+2588, or without UTF-8 "_.-:=+*#". NAN is a blank. If all values are equal,
 * the line is low for 0 and otherwise of medium height. Returns buf. */
char *spark_draw(char buf[SPARK_BYTES], const double *values, uint32_t count, bool is_utf8);

/* The smallest and largest value except NAN; returns false if there are none. */
bool spark_range(const double *values, uint32_t count, double *low, double *high);

/* If a message starts with "file:line:column: " or "file:line: " and the file can be read, prints the line
 * that it is about, with a caret below the column (in characters, from 1), such as the last two lines of
 *
 *     s.yaml:2:9: 'leaf_spne' is not a kind of topology
 *       2 |   kind: leaf_spne
 *         |         ^
 */
void excerpt_print(FILE *, const char *message);

#endif
