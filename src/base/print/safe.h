/* src/base/print/safe.h - prints names from users and files, escaped by escape_text() (base/err.h).
 * Error messages and tables (base/print/table.h) already escape their contents. */
#ifndef BASE_PRINT_SAFE_H
#define BASE_PRINT_SAFE_H

#include <stdarg.h>
#include <stdio.h>

/* Like fprintf(), but escapes the whole result, including newlines and colors. */
void safe_printf(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void safe_vprintf(FILE *, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Like vasprintf(), but escaped. The caller frees the result. */
char *safe_format(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Escapes one name within a longer format: printf("\n%s\n", safe_name(name).buf). Long names are cut. */
struct safe_name { char buf[512]; };
struct safe_name safe_name(const char *);

/* A field of a CSV file: csv_quoted() in quotes, csv_field() only where the text needs them. Control
 * characters are escaped. Long texts are cut. */
struct csv_text { char buf[264]; };
struct csv_text csv_quoted(const char *);
struct csv_text csv_field(const char *);

#endif
