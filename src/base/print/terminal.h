/* src/base/print/terminal.h - wraps text to the width of the terminal. */
#ifndef BASE_PRINT_TERMINAL_H
#define BASE_PRINT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Returns the width of the terminal, or 0 if 'f' is not a terminal. */
int terminal_width(FILE *f);

/* True if the text begins with a unit as a word: "us (idle)", "Gb/s,". */
bool terminal_is_unit(const char *text);

/* Prints words and a newline. The cursor is at column 'at'. Words that would exceed 'width' (0: unlimited)
 * start a new line, indented by 'hang'. A number stays with its unit. */
void terminal_words(FILE *f, const char *text, int at, int hang, int width);

#endif
