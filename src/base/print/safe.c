/* src/base/print/safe.c */
#include "base/print/safe.h"
#include "base/err.h"
#include "base/print/escape.h"

#include <stdlib.h>

char *safe_format(const char *format, va_list args)
{
    va_list again;
    char *text, *made;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return xstrdup("");
    text = xmalloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    made = xmalloc((size_t)length * ESCAPE_GROWTH + 1);
    escape_text(made, (size_t)length * ESCAPE_GROWTH + 1, text);
    free(text);
    return made;
}

void safe_vprintf(FILE *out, const char *format, va_list args)
{
    char *text = safe_format(format, args);

    fputs(text, out);
    free(text);
}

void safe_printf(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    safe_vprintf(out, format, args);
    va_end(args);
}

struct safe_name safe_name(const char *text)
{
    struct safe_name name;

    escape_text(name.buf, sizeof(name.buf), text);
    return name;
}
