#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
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

void *xcopy(const void *array, unsigned long count, unsigned long bytes)
{
    void *copy = xcalloc(count + 1, bytes);

    return count ? memcpy(copy, array, count * bytes) : copy;
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

/* ---- escape ---- */

#define SHOWN_MAX 8              /* "\u202e" and a zero byte */

/* Decodes a character and its length; 0 bytes: not UTF-8 (RFC 3629: shortest form, no surrogates). */
static uint32_t decode(const unsigned char *text, size_t *bytes)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char lead = text[0];
    size_t count = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4
        : 0;
    uint32_t c = count < 2 ? lead : lead & (0x7fu >> count);

    for (size_t i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80)        /* true for the terminating zero, too */
            count = 0;
        else
            c = c << 6 | (text[i] & 0x3fu);
    }
    *bytes = count && c >= least[count] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff) ? count : 0;
    return c;
}

static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Escapes the character at *text, advances *text, and returns the length of the result. */
static size_t next_shown(char shown[SHOWN_MAX], const char **text)
{
    size_t bytes;
    uint32_t c = decode((const unsigned char *)*text, &bytes);
    int length;

    if (bytes == 0)
        length = snprintf(shown, SHOWN_MAX, "\\x%02x", (unsigned)(unsigned char)**text);
    else if (!is_harmful(c))
        length = snprintf(shown, SHOWN_MAX, "%.*s", (int)bytes, *text);
    else if (c == '\n' || c == '\t' || c == '\r')
        length = snprintf(shown, SHOWN_MAX, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else
        length = snprintf(shown, SHOWN_MAX, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
    *text += bytes ? bytes : 1;
    return (size_t)length;
}

char *escape_text(char *to, size_t size, const char *text)
{
    char shown[SHOWN_MAX];
    size_t used = 0, length;

    for (; *text; used += length) {
        const char *from = shown;

        if (*text >= ' ' && *text <= '~') {  /* fast path */
            from = text++;
            length = 1;
        } else {
            length = next_shown(shown, &text);
        }
        if (used + length >= size)
            break;
        memcpy(to + used, from, length);
    }
    to[used] = '\0';
    return to;
}
