/* src/base/print/safe.h - printing what people and files have named, escaped as base/print/escape.h says.
 *
 * Whoever prints such a name for people prints it through this. Error messages (base/err.h) and tables (base/print/table.h)
 * do so by themselves.
 */
#ifndef BASE_PRINT_SAFE_H
#define BASE_PRINT_SAFE_H

#include <stdarg.h>
#include <stdio.h>

/* As fprintf(), escaped as a whole: for text without newlines and colours of its own. */
void safe_printf(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void safe_vprintf(FILE *, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* As vasprintf(), escaped as a whole. The caller frees it. */
char *safe_format(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* For a name in a text that has newlines of its own: printf("\n%s\n", safe_name(name).buf). A long one is cut. */
struct safe_name { char buf[512]; };
struct safe_name safe_name(const char *);

#endif
