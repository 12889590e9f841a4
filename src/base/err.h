/* src/base/err.h - what went wrong, said once.
 *
 * The first function that knows what is wrong fills a struct err and returns a
 * negative errno; callers pass both on and add nothing. The text is one line,
 * "file:line:column: what is wrong; did you mean 'x'?", without a newline.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <errno.h>

struct err { char text[512]; };

/* Fills 'err' (which may be NULL). Too long a text is cut; what a terminal would obey is escaped
 * (base/print/escape.h). */
void err_write(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A library may fail without saying why: that is a failure all the same. */
static inline int err_code(int code)
{
    int result = -code;

    return result < 0 ? result : -EIO;
}

/* Fills 'err' and is -code, so that a caller can write `return err_set(err, EINVAL, "%s:%u: ...", ...)`. A
 * macro, so that whoever reads the caller, a person or a program, sees that it is never 0. */
#define err_set(err, code, ...) \
    ({ \
        int err_code_ = err_code(code); \
        err_write((err), __VA_ARGS__); \
        err_code_; \
    })

/* Ends the program with a message: no memory, or the like. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As malloc(), calloc() and realloc(), but end the program when there is none. */
void *xmalloc(unsigned long bytes);
void *xcalloc(unsigned long count, unsigned long bytes);
void *xrealloc(void *old, unsigned long bytes);
char *xstrdup(const char *text);

/* Zeroed memory that begins a cache line. */
void *xalloc_lines(unsigned long bytes);

#endif
