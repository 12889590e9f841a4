#include "base/print/table.h"
#include "base/err.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct table {
    char    *align;
    char   **cells;              /* row by row */
    bool    *is_gone;            /* by column; NULL: none is */
    uint32_t columns, count, room;
};

struct range { uint32_t first, last; };

/* Characters that take no place and those that take two, as terminals draw them. */
static const struct range no_place[] = {
    { 0x300, 0x36f }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0, 0 },
};
static const struct range two_places[] = {
    { 0x1100, 0x115f }, { 0x2e80, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
    { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd }, { 0, 0 },
};

struct table *table_new(const char *align)
{
    struct table *t = xcalloc(1, sizeof(*t));

    assert(*align && align[strspn(align, "lr")] == '\0');
    t->align = xstrdup(align);
    t->columns = (uint32_t)strlen(align);
    return t;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->count; i++)
        free(t->cells[i]);
    free(t->cells);
    free(t->is_gone);
    free(t->align);
    free(t);
}

static void add(struct table *t, char *text)
{
    t->cells = xgrow(t->cells, t->count, &t->room, 64, sizeof(*t->cells));
    t->cells[t->count++] = text;
}

void table_cell(struct table *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(t, safe_format(format, args));
    va_end(args);
}

void table_cells(struct table *t, const char *first, ...)
{
    va_list args;

    va_start(args, first);
    for (const char *text = first; text; text = va_arg(args, const char *))
        table_cell(t, "%s", text);
    va_end(args);
}

void table_cell_coloured(struct table *t, const char *colour, const char *word)
{
    size_t bytes = strlen(word) + (colour ? strlen(colour) + sizeof("\033[0m") : 1);
    char *text = xmalloc(bytes);

    snprintf(text, bytes, "%s%s%s", colour ? colour : "", word, colour ? "\033[0m" : "");
    add(t, text);
}

static int is_in(uint32_t c, const struct range *r)
{
    while (r->last && !(c >= r->first && c <= r->last))
        r++;
    return r->last != 0;
}

static int is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Returns the character at *text and advances *text. */
static uint32_t next_char(const char **text)
{
    unsigned char lead = (unsigned char)*(*text)++;
    uint32_t c = lead < 0xc0 ? lead : lead < 0xe0 ? lead & 0x1fu : lead < 0xf0 ? lead & 0x0fu : lead & 0x07u;

    while (is_continuation(**text))
        c = c << 6 | ((unsigned char)*(*text)++ & 0x3fu);
    return c;
}

/* Skips color codes ("\033[32m"), which have no width. */
static const char *skip_colours(const char *text)
{
    while (strncmp(text, "\033[", 2) == 0) {
        const char *end = text + 2 + strspn(text + 2, "0123456789;");

        if (*end != 'm')
            break;
        text = end + 1;
    }
    return text;
}

static uint32_t width_of(const char *text)
{
    uint32_t width = 0;

    while (*(text = skip_colours(text))) {
        uint32_t c = next_char(&text);

        width += is_in(c, two_places) ? 2 : is_in(c, no_place) ? 0 : 1;
    }
    return width;
}

/* Holds back blanks until text follows, so that rows do not end with blanks. */
static void print_text(FILE *f, uint32_t *blanks, const char *text)
{
    size_t length = strlen(text), bare = length;

    while (bare > 0 && text[bare - 1] == ' ')
        bare--;
    if (bare > 0) {
        fprintf(f, "%*s%.*s", (int)*blanks, "", (int)bare, text);
        *blanks = 0;
    }
    *blanks += (uint32_t)(length - bare);
}

static bool is_gone(const struct table *t, uint32_t column)
{
    return t->is_gone && t->is_gone[column];
}

static uint32_t *widths_of(const struct table *t)
{
    uint32_t *widths = xcalloc(t->columns, sizeof(*widths));

    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t width = width_of(t->cells[i]), *column = &widths[i % t->columns];

        *column = width > *column ? width : *column;
    }
    return widths;
}

/* Drops columns until the table fits. Returns the number of dropped columns. */
static int drop_columns(struct table *t, int width, int indent, const char *order)
{
    uint32_t *widths = widths_of(t);
    int all = indent - 2, gone = 0;

    assert(strlen(order) == t->columns);
    t->is_gone = t->is_gone ? t->is_gone : xcalloc(t->columns, sizeof(*t->is_gone));
    for (uint32_t i = 0; i < t->columns; i++)
        all += (int)widths[i] + 2;
    for (char which = '9'; width > 0 && which > '0'; which--)
        for (uint32_t i = 0; i < t->columns && all > width; i++)
            if (order[i] == which) {
                t->is_gone[i] = true;
                all -= (int)widths[i] + 2;
                gone++;
            }
    free(widths);
    return gone;
}

static void print_gone(const struct table *t, FILE *f)
{
    const char *between = "";

    for (uint32_t i = 0; i < t->columns && i < t->count; i++)
        if (is_gone(t, i)) {
            fprintf(f, "%s%s", between, t->cells[i]);
            between = ", ";
        }
}

/* ---- cells of several lines ---- */

#define WORDS_MIN 20             /* smallest width of a column that wraps */

/* Cuts a word to 'width' characters. Returns its length in bytes. */
static size_t cut_word(char *word, uint32_t width)
{
    const char *end = word;

    for (uint32_t i = 0; i < width && *end; i++)
        (void)next_char(&end);
    word[end - word] = '\0';
    return (size_t)(end - word);
}

/* Returns the first words of *text that fit 'width', at least one, malloc'd; advances it. NULL: none. */
static char *next_line(const char **text, uint32_t width)
{
    const char *from = *text + strspn(*text, " "), *end = from;
    char       *line;

    if (!*from)
        return NULL;
    for (const char *next = from; *next; next += strspn(next, " ")) {
        next += strcspn(next, " ");
        line = xprintf("%.*s", (int)(next - from), from);
        if (end != from && width_of(line) > width) {
            free(line);
            break;
        }
        free(line);
        end = next;
    }
    line = xprintf("%.*s", (int)(end - from), from);
    if (width && width_of(line) > width && !strchr(line, '\033'))       /* one long word */
        end = from + cut_word(line, width);
    *text = end + strspn(end, " ");
    return line;
}

static uint32_t longest_word(const struct table *t, uint32_t column)
{
    uint32_t most = 0;

    for (uint32_t i = column; i < t->count; i += t->columns) {
        const char *text = t->cells[i];
        char       *word;

        while ((word = next_line(&text, 0))) {
            most = width_of(word) > most ? width_of(word) : most;
            free(word);
        }
    }
    return most;
}

/* Returns the widest of the wrapping columns that can still shrink, or t->columns. */
static uint32_t widest(const struct table *t, const uint32_t *widths, const uint32_t *least)
{
    uint32_t which = t->columns;

    for (uint32_t i = 0; i < t->columns; i++)
        if (!is_gone(t, i) && t->align[i] == 'l' && widths[i] > least[i] &&
            (which == t->columns || widths[i] > widths[which]))
            which = i;
    return which;
}

/* Shrinks wrapping columns until the table fits a terminal of this width. */
static void squeeze(const struct table *t, uint32_t *widths, uint32_t width)
{
    uint32_t *least = xcalloc(t->columns, sizeof(*least)), all = 0, which;

    for (uint32_t i = 0; i < t->columns; i++) {
        all += is_gone(t, i) ? 0 : widths[i] + (all ? 2 : 0);
        least[i] = longest_word(t, i);
        least[i] = least[i] < WORDS_MIN ? least[i] : WORDS_MIN;
    }
    while (all > width && (which = widest(t, widths, least)) < t->columns) {
        widths[which]--;
        all--;
    }
    free(least);
}

/* Prints one line of a row and advances the texts of its cells. Returns true if the row has more lines. */
static bool print_part(const struct table *t, const char **rest, uint32_t cells, const uint32_t *widths,
                       FILE *f, int indent)
{
    uint32_t blanks = (uint32_t)indent;
    bool     is_more = false;

    for (uint32_t i = 0; i < cells; i++) {
        if (is_gone(t, i))
            continue;
        char *line = width_of(rest[i]) > widths[i] ? next_line(&rest[i], widths[i]) : NULL;
        if (!line) {
            line = xstrdup(rest[i]);
            rest[i] = "";
        }
        is_more |= *rest[i] != '\0';
        uint32_t pad = width_of(line) < widths[i] ? widths[i] - width_of(line) : 0;
        blanks += t->align[i] == 'r' ? pad : 0;
        print_text(f, &blanks, line);
        blanks += 2 + (t->align[i] == 'l' ? pad : 0);
        free(line);
    }
    fputc('\n', f);
    return is_more;
}

static void print_row(const struct table *t, uint32_t first, const uint32_t *widths, FILE *f, int indent)
{
    uint32_t     cells = t->count - first < t->columns ? t->count - first : t->columns;
    const char **rest = xcalloc(cells, sizeof(*rest));

    for (uint32_t i = 0; i < cells; i++)
        rest[i] = t->cells[first + i];
    while (print_part(t, rest, cells, widths, f, indent))
        ;
    free(rest);
}

void table_print(const struct table *t, FILE *f, int indent)
{
    uint32_t *widths = widths_of(t);
    int       width = terminal_width(f);

    if (width > indent)
        squeeze(t, widths, (uint32_t)(width - indent));
    for (uint32_t first = 0; first < t->count; first += t->columns) {
        print_row(t, first, widths, f, indent);
        if (first == 0) {
            uint32_t blanks = (uint32_t)indent;

            for (uint32_t i = 0; i < t->columns; i++) {
                if (is_gone(t, i))
                    continue;
                for (uint32_t n = 0; n < widths[i]; n++)
                    print_text(f, &blanks, "-");
                blanks += 2;
            }
            fputc('\n', f);
        }
    }
    free(widths);
}

void table_end(struct table *t, FILE *f, int indent)
{
    table_print(t, f, indent);
    table_free(t);
}

void table_end_fitted(struct table *t, FILE *f, int indent, int width, const char *order)
{
    int gone = drop_columns(t, width, indent, order);

    table_print(t, f, indent);
    if (gone) {
        fprintf(f, "%*s(without ", indent, "");
        print_gone(t, f);
        fputs(": the terminal is too narrow)\n", f);
    }
    table_free(t);
}
