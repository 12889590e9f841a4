/* src/base/err.h - what went wrong, said once.
 *
 * The first function that knows what is wrong fills a struct err and returns a
 * negative errno; callers pass both on and add nothing. The text is one line,
 * "file:line:column: what is wrong; did you mean 'x'?", without a newline.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err { char text[512]; };

/* Fills 'err' (which may be NULL) and returns -code, so that a caller can write
 * `return err_set(err, EINVAL, "%s:%u: ...", ...)`. Too long a text is cut. */
int err_set(struct err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the program with a message: no memory, or the like. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As malloc(), calloc() and realloc(), but end the program when there is none. */
void *xmalloc(unsigned long bytes);
void *xcalloc(unsigned long count, unsigned long bytes);
void *xrealloc(void *old, unsigned long bytes);
char *xstrdup(const char *text);

#endif
