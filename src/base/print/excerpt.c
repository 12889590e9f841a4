#include "base/print/excerpt.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static bool is_first_byte(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
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
