#include "base/err.h"
#include "base/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void err_write(struct err *err, const char *format, ...)
{
    char made[2 * sizeof(err->text)];        /* an argument may be err->text itself */
    va_list args;

    if (!err)
        return;
    va_start(args, format);
    vsnprintf(made, sizeof(made), format, args);
    va_end(args);
    /* Messages quote user input; escaping keeps them on one line. */
    escape_text(err->text, sizeof(err->text), made);
}

void die(const char *format, ...)
{
    char made[1024], shown[ESCAPE_GROWTH * sizeof(made)];
    va_list args;

    va_start(args, format);
    vsnprintf(made, sizeof(made), format, args);
    va_end(args);
    fprintf(stderr, "anole: %s\n", escape_text(shown, sizeof(shown), made));
    exit(EXIT_FAILURE);
}

static void *must(void *memory, unsigned long bytes)
{
    if (!memory)
        die("no memory for %lu bytes", bytes);
    return memory;
}

void *xmalloc(unsigned long bytes)
{
    return must(malloc(bytes ? bytes : 1), bytes);
}

void *xcalloc(unsigned long count, unsigned long bytes)
{
    unsigned long total;

    if (__builtin_mul_overflow(count, bytes, &total))
        die("no memory for %lu times %lu bytes", count, bytes);
    return must(calloc(total ? total : 1, 1), total);
}

void *xrealloc(void *old, unsigned long bytes)
{
    return must(realloc(old, bytes ? bytes : 1), bytes);
}

void *xalloc_lines(unsigned long bytes)
{
    unsigned long whole = bytes / 64 * 64 + 64;

    return memset(must(aligned_alloc(64, whole), whole), 0, whole);
}

char *xstrdup(const char *text)
{
    unsigned long bytes = strlen(text) + 1;

    return memcpy(xmalloc(bytes), text, bytes);
}

char *xprintf(const char *format, ...)
{
    va_list args;
    char   *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        die("no memory for a text");
    va_end(args);
    return text;
}
