#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
