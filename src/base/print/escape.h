/* src/base/print/escape.h - text of strangers, with nothing in it that a terminal would obey.
 *
 * Names of files, hosts, traffic and variants come from people and from files, and may hold anything: an escape
 * sequence that moves the cursor, colours the rest or renames the window, or a newline that makes one message two.
 * Shown as "\x1b", "\n" or "\u202e" are: control characters (C0, DEL, C1), line separators, characters that reverse the
 * direction of writing, and bytes that are not UTF-8. All else stays as it is.
 */
#ifndef BASE_PRINT_ESCAPE_H
#define BASE_PRINT_ESCAPE_H

#include <stddef.h>

#define ESCAPE_GROWTH 4          /* so many times longer at most */

/* Writes 'text' into 'to', as much of it as fits 'size' with the zero byte; no character is cut. Returns 'to'. */
char *escape_text(char *to, size_t size, const char *text);

#endif
