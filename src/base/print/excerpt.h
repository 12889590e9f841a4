/* src/base/print/excerpt.h - the line of a file that an error message is about.
 *
 *     s.yaml:2:9: 'leaf_spne' is not a kind of topology
 *       2 |   kind: leaf_spne
 *         |         ^
 */
#ifndef BASE_PRINT_EXCERPT_H
#define BASE_PRINT_EXCERPT_H

#include <stdio.h>

/* Prints the last two of these lines if the message starts with "file:line:column: " or "file:line: " and the
 * file can be read. Columns count characters, from 1; without one there is no caret. */
void excerpt_print(FILE *, const char *message);

#endif
