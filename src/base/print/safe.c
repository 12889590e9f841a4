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

struct csv_text csv_quoted(const char *text)
{
    struct csv_text q;
    char            shown[sizeof q.buf], *to = q.buf;

    *to++ = '"';
    for (text = escape_text(shown, sizeof shown, text); *text && to < q.buf + sizeof q.buf - 3; text++) {
        if (*text == '"')
            *to++ = '"';
        *to++ = *text;
    }
    *to++ = '"';
    *to = '\0';
    return q;
}

struct csv_text csv_field(const char *text)
{
    static const char plain[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.:/+>";
    struct csv_text   q;

    if (text[strspn(text, plain)])
        return csv_quoted(text);
    snprintf(q.buf, sizeof q.buf, "%s", text);
    return q;
}
