/* src/base/escape.h - escapes untrusted text before it is printed on a terminal.
 *
 * Names of files, hosts, traffic and variants come from users and files. They may contain escape sequences
 * that control the terminal, or newlines that split a message. Control characters (C0, DEL, C1), line
 * separators, bidirectional controls and invalid UTF-8 become "\x1b", "\n" or "\u202e". Other characters are
 * unchanged.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stddef.h>

#define ESCAPE_GROWTH 4          /* largest growth factor */

/* Writes as much of 'text' as fits into 'size' bytes, without splitting characters. Returns 'to'. */
char *escape_text(char *to, size_t size, const char *text);

#endif
