/* src/base/err.h - error messages, escaped texts and memory allocation.
 *
 * The function that detects an error fills a struct err and returns a negative errno. Callers pass both on
 * and add nothing. The text is one line without a newline: "file:line:column: what is wrong; did you mean
 * 'x'?".
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

struct err { char text[512]; };

/* Fills 'err', which may be NULL. Cuts long texts and escapes control characters (escape_text()). */
void err_write(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Negates an errno. 0 becomes -EIO, because libraries may fail without setting errno. */
static inline int err_code(int code)
{
    int result = -code;

    return result < 0 ? result : -EIO;
}

/* Fills 'err' and returns -code: `return err_set(err, EINVAL, "%s:%u: ...", ...)`. A macro, so that readers
 * and static analyzers see that the result is never 0. */
#define err_set(err, code, ...) \
    ({ \
        int err_code_ = err_code(code); \
        err_write((err), __VA_ARGS__); \
        err_code_; \
    })

/* Ends the program with a message, for errors without recovery such as exhausted memory. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like malloc(), calloc(), realloc() and strdup(), but end the program if memory is exhausted. */
void *xmalloc(unsigned long bytes);
void *xcalloc(unsigned long count, unsigned long bytes);
void *xrealloc(void *old, unsigned long bytes);
char *xstrdup(const char *text);

/* Copies an array, which may be empty or NULL. */
void *xcopy(const void *array, unsigned long count, unsigned long bytes);

/* Makes room for one more element: a full array doubles; 'first' is its initial room. Returns the array. */
static inline void *xgrow(void *array, unsigned long count, uint32_t *max, uint32_t first,
                          unsigned long bytes)
{
    if (count < *max)
        return array;
    *max = *max ? 2 * *max : first;
    return xrealloc(array, *max * bytes);
}

/* Formats into malloc'd memory. */
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory, aligned to a cache line. */
void *xalloc_lines(unsigned long bytes);

#define ESCAPE_GROWTH 4          /* largest growth factor of escape_text() */

/* Escapes untrusted text before it is printed on a terminal: names from users and files may contain escape
 * sequences or newlines. Control characters (C0, DEL, C1), line separators, bidirectional controls and
 * invalid UTF-8 become "\x1b", "\n" or "\u202e". Writes as much as fits into 'size' bytes, without splitting
 * characters. Returns 'to'. */
char *escape_text(char *to, size_t size, const char *text);

#endif
