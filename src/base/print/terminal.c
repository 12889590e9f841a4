#include "base/print/terminal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
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

static bool is_first_byte(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Counts UTF-8 characters, not bytes. */
static int columns_of(const char *text, size_t bytes)
{
    int columns = 0;

    for (size_t i = 0; i < bytes; i++)
        columns += is_first_byte(text[i]);
    return columns;
}

bool terminal_is_unit(const char *word)
{
    static const char *const units[] = { "%", "ns", "us", "ms", "s", "B", "KB", "MB", "GB", "TB", "KiB",
                                         "MiB", "b/s", "Kb/s", "Mb/s", "Gb/s", "Tb/s", "GB/s", NULL };
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

/* ---- sparklines ---- */

#define LEVELS 8

/* As in the C library, the first variable that is set counts. */
bool spark_is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]), *charset;

        if (!locale || !*locale)
            continue;
        charset = strchr(locale, '.');
        return charset && (strncasecmp(charset, ".UTF-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
    }
    return false;
}

bool spark_range(const double *values, uint32_t count, double *low, double *high)
{
    bool is_any = false;

    for (uint32_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        *low = !is_any || values[i] < *low ? values[i] : *low;
        *high = !is_any || values[i] > *high ? values[i] : *high;
        is_any = true;
    }
    return is_any;
}

static int level_of(double value, double low, double high)
{
    if (high <= low)
        return value == 0 ? 0 : LEVELS / 2 - 1;
    int level = (int)((value - low) / (high - low) * LEVELS);
    return level < LEVELS ? level : LEVELS - 1;
}

char *spark_draw(char buf[SPARK_BYTES], const double *values, uint32_t count, bool is_utf8)
{
    double low = 0, high = 0;
    char  *to = buf;

    count = count < SPARK_COLUMNS ? count : SPARK_COLUMNS;
    spark_range(values, count, &low, &high);
    for (uint32_t i = 0; i < count; i++) {
        int level = isnan(values[i]) ? -1 : level_of(values[i], low, high);

        if (level < 0) {
            *to++ = ' ';
        } else if (!is_utf8) {
            *to++ = "_.-:=+*#"[level];
        } else {
            memcpy(to, "\xe2\x96\x81", 3);
            to[2] = (char)(to[2] + level);
            to += 3;
        }
    }
    *to = '\0';
    return buf;
}

/* ---- excerpts ---- */

#define PATH_SIZE 400
#define SHOWN_MAX 160            /* characters of a line */

struct place { char path[PATH_SIZE]; unsigned long line, column; };      /* column 0: unknown */

/* Reads a number that ends with a colon. Returns the text after it, or NULL. */
static const char *read_number(const char *text, unsigned long *number)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return NULL;
    *number = strtoul(text, &end, 10);
    return *end == ':' ? end + 1 : NULL;
}

static bool find_place(const char *message, struct place *p)
{
    for (const char *colon = strchr(message, ':'), *rest; colon; colon = strchr(colon + 1, ':')) {
        if (!(rest = read_number(colon + 1, &p->line)))
            continue;
        if (!read_number(rest, &p->column))
            p->column = 0;
        return snprintf(p->path, sizeof p->path, "%.*s", (int)(colon - message), message) < PATH_SIZE;
    }
    return false;
}

/* Returns line number 'line' of a regular file without its end, or NULL. The caller frees it. */
static char *read_line(const char *path, unsigned long line)
{
    struct stat st;
    FILE       *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    char       *text = NULL;
    size_t      room = 0;
    bool        is_there = file != NULL;

    for (unsigned long i = 0; i < line && is_there; i++)
        is_there = getline(&text, &room, file) > 0;
    if (file)
        fclose(file);
    if (!is_there || line == 0) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* Prints a blank for each character before the column. Tabs stay tabs, so that the caret is in its place. */
static void print_caret(FILE *out, const char *text, unsigned long column)
{
    for (unsigned long at = 1; *text && at < column; text++) {
        if (is_first_byte(*text))
            fputc(*text == '\t' ? '\t' : ' ', out);
        at += is_first_byte(text[1]);
    }
    fputs("^\n", out);
}

void excerpt_print(FILE *out, const char *message)
{
    struct place p;
    char        *text = find_place(message, &p) ? read_line(p.path, p.line) : NULL;

    if (text && *text && p.column <= SHOWN_MAX) {
        char number[24];
        int  width = snprintf(number, sizeof number, "%lu", p.line);

        fprintf(out, "  %s | ", number);
        for (const char *at = text; *at && at - text < SHOWN_MAX; at++)
            fputc((unsigned char)*at < ' ' && *at != '\t' ? '?' : *at, out);
        fputc('\n', out);
        if (p.column) {
            fprintf(out, "  %*s | ", width, "");
            print_caret(out, text, p.column);
        }
    }
    free(text);
}
