#include "base/print/terminal.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_USUAL 80

int terminal_width(FILE *f)
{
    struct winsize size;
    int            fd = fileno(f);

    if (fd < 0 || !isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : WIDTH_USUAL;
}

/* Counts UTF-8 characters, not bytes. */
static int columns_of(const char *text, size_t bytes)
{
    int columns = 0;

    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

bool terminal_is_unit(const char *word)
{
    static const char *const units[] = { "%", "ns", "us", "ms", "s", "B", "KB", "MB", "GB", "TB", "KiB", "MiB",
                                         "b/s", "Kb/s", "Mb/s", "Gb/s", "Tb/s", "GB/s", NULL };
    size_t length = strcspn(word, " ,.;:()");

    for (const char *const *u = units; *u; u++)
        if (strlen(*u) == length && strncmp(*u, word, length) == 0)
            return true;
    return false;
}

/* A number and its unit are one word. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " ");

    if (length > 0 && isdigit((unsigned char)text[length - 1]) && text[length] == ' ' &&
        terminal_is_unit(text + length + 1))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

void terminal_words(FILE *f, const char *text, int at, int hang, int width)
{
    while (*text) {
        size_t blanks = strspn(text, " "), length = word_length(text + blanks);
        int    columns = columns_of(text + blanks, length);

        if (width > 0 && at > hang && at + (int)blanks + columns > width && length > 0) {
            fprintf(f, "\n%*s", hang, "");
            at = hang + columns;
            fwrite(text + blanks, 1, length, f);
        } else {
            at += (int)blanks + columns;
            fwrite(text, 1, blanks + length, f);
        }
        text += blanks + length;
    }
    fputc('\n', f);
}
