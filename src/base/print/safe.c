#include "base/print/safe.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

char *safe_format(const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        return xstrdup("");
    size_t size = strlen(text) * ESCAPE_GROWTH + 1;
    char *made = escape_text(xmalloc(size), size, text);
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
