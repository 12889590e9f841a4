/* src/base/print/terminal.h - lines that are not wider than the terminal they are printed on. */
#ifndef BASE_PRINT_TERMINAL_H
#define BASE_PRINT_TERMINAL_H

#include <stdio.h>

/* Columns of the terminal that 'f' is; 0: it is none, and lines may be as long as they like. */
int terminal_width(FILE *f);

/* Prints words, and ends the line. The first stands at column 'at'; where the next one would end beyond 'width' (0: nowhere) a
 * new line begins at column 'hang'. */
void terminal_words(FILE *f, const char *text, int at, int hang, int width);

#endif
