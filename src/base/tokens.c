#include "base/tokens.h"
#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(struct tokens *w)
{
    while (is_blank(*w->at))
        w->at++;
}

/* Valid only where a word could start. */
static bool at_line_end(const struct tokens *w)
{
    return *w->at == '\0' || *w->at == '\n' || *w->at == '#';
}

void tokens_init(struct tokens *w, const char *name, const char *text, struct err *err)
{
    w->own = NULL;
    w->name = name;
    w->at = text;
    w->line = 0;
    w->err = err;
    w->rc = 0;
    w->word[0] = '\0';
}

static int refuse(struct tokens *w, int code, const char *format, va_list args)
{
    char text[sizeof w->err->text];

    if (w->rc)
        return w->rc;
    vsnprintf(text, sizeof text, format, args);
    if (w->line == 0)            /* an empty file */
        return w->rc = err_set(w->err, code, "%s: %s", w->name, text);
    return w->rc = err_set(w->err, code, "%s:%u: %s", w->name, w->line, text);
}

int tokens_err(struct tokens *w, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    code = refuse(w, code, format, args);
    va_end(args);
    return code;
}

int tokens_err_at(struct tokens *w, uint32_t line, int code, const char *format, ...)
{
    va_list args;

    w->line = w->rc ? w->line : line;
    va_start(args, format);
    code = refuse(w, code, format, args);
    va_end(args);
    return code;
}

int tokens_refuse_name(struct tokens *w, const char *what, const char *const *names)
{
    char near[120];

    return tokens_err(w, EINVAL, "'%s' is not %s%s", w->word, what,
                      text_did_you_mean(near, sizeof near, w->word, names));
}

bool tokens_next_line(struct tokens *w)
{
    while (!w->rc) {
        if (w->line > 0) {
            w->at += strcspn(w->at, "\n");
            w->at += *w->at == '\n';
        }
        if (*w->at == '\0')
            return false;
        w->line++;
        skip_blanks(w);
        if (!at_line_end(w))
            return true;
    }
    return false;
}

bool tokens_need_line(struct tokens *w, const char *format, ...)
{
    va_list args;

    if (tokens_next_line(w))
        return true;
    va_start(args, format);
    refuse(w, EINVAL, format, args);
    va_end(args);
    return false;
}

const char *tokens_next(struct tokens *w)
{
    size_t length = 0;

    if (tokens_at_end(w))
        return NULL;
    while (w->at[length] != '\0' && w->at[length] != '\n' && !is_blank(w->at[length]))
        length++;
    if (length < TOKENS_BYTES) {
        memcpy(w->word, w->at, length);
        w->word[length] = '\0';
    } else {
        memcpy(w->word, w->at, TOKENS_BYTES - 4);
        memcpy(w->word + TOKENS_BYTES - 4, "...", 4);
    }
    w->at += length;
    return w->word;
}

const char *tokens_need(struct tokens *w, const char *what)
{
    const char *word = tokens_next(w);

    if (!word)
        tokens_err(w, EINVAL, "nothing is given for %s", what);
    return word;
}

static int quantity(struct tokens *w, const char *what, int (*parse)(const char *, uint64_t *, struct err *),
                    uint64_t *value)
{
    struct err why;

    if (!tokens_need(w, what))
        return w->rc;
    int rc = parse(w->word, value, &why);
    return rc ? tokens_err(w, -rc, "%s: %s", what, why.text) : 0;
}

int tokens_uint(struct tokens *w, const char *what, uint64_t max, uint64_t *value)
{
    uint64_t read = 0;
    int      rc = quantity(w, what, text_to_uint, &read);

    if (rc)
        return rc;
    if (read > max)
        return tokens_err(w, ERANGE, "%s: %s is more than %llu", what, w->word, (unsigned long long)max);
    *value = read;
    return 0;
}

int tokens_uint32(struct tokens *w, const char *what, uint32_t max, uint32_t *value)
{
    uint64_t read = 0;
    int rc = tokens_uint(w, what, max, &read);

    if (!rc)
        *value = (uint32_t)read;
    return rc;
}

int tokens_real(struct tokens *w, const char *what, double min, double max, double *value)
{
    struct err why;
    double read;

    if (!tokens_need(w, what))
        return w->rc;
    int rc = text_to_real(w->word, &read, &why);
    if (rc)
        return tokens_err(w, -rc, "%s: %s", what, why.text);
    if (!(read >= min && read <= max))
        return tokens_err(w, ERANGE, "%s: %s is not within %.15g .. %.15g", what, w->word, min, max);
    *value = read;
    return 0;
}

int tokens_units(struct tokens *w, const char *what, uint64_t unit, uint64_t max, uint64_t *value)
{
    struct err why;
    uint64_t read;

    if (!tokens_need(w, what))
        return w->rc;
    int rc = text_to_units(w->word, unit, &read, &why);
    if (rc)
        return tokens_err(w, -rc, "%s: %s", what, why.text);
    if (read > max * unit)
        return tokens_err(w, ERANGE, "%s: %s is not within 0 .. %llu", what, w->word,
                          (unsigned long long)max);
    *value = read;
    return 0;
}

int tokens_rate(struct tokens *w, const char *what, uint64_t *bps)
{
    return quantity(w, what, text_to_rate, bps);
}

int tokens_time(struct tokens *w, const char *what, uint64_t *ps)
{
    return quantity(w, what, text_to_time, ps);
}

bool tokens_at_end(struct tokens *w)
{
    if (w->rc)
        return true;
    skip_blanks(w);
    return at_line_end(w);
}

int tokens_end(struct tokens *w)
{
    const char *word = tokens_next(w);

    return word ? tokens_err(w, EINVAL, "'%s' is one word too many on this line", word) : w->rc;
}

int tokens_open(struct tokens *w, const char *name, const char *text, size_t max, struct err *err)
{
    size_t length, name_length = strlen(name);

    tokens_init(w, name, text ? text : "", err);
    if (text)
        return 0;
    if (name_length > 3 && strcmp(name + name_length - 3, ".gz") == 0)
        w->rc = err_set(err, EINVAL, "%s: packed files are not read; unpack it with gunzip first", name);
    else
        w->rc = text_read_file(name, max, &w->own, &length, err);
    if (!w->rc && strlen(w->own) != length)
        w->rc = err_set(err, EINVAL, "%s: not a text file: there is a zero byte in it", name);
    if (!w->rc)
        w->at = w->own;
    return w->rc;
}

int tokens_close(struct tokens *w)
{
    free(w->own);
    w->own = NULL;
    return w->rc;
}

/* ---- tables ---- */

static bool ends_cell(const struct csv *c, bool is_quoted)
{
    return *c->at == '\n' || (!is_quoted && *c->at == ',');
}

/* Returns the length of the next cell, which may exceed CSV_CELL_BYTES. *is_last: the line ends here. */
static size_t read_cell(struct csv *c, char *cell, bool *is_last)
{
    bool   is_quoted = false, is_cr = false;
    size_t length = 0;

    for (; c->at < c->end && !ends_cell(c, is_quoted); c->at++) {
        if (*c->at == '"') {
            bool is_second = is_quoted && c->at + 1 < c->end && c->at[1] == '"';

            c->at += is_second;
            is_quoted = is_second || !is_quoted;
            if (!is_second)
                continue;
        }
        is_cr = *c->at == '\r';
        if (length < CSV_CELL_BYTES)
            cell[length] = *c->at;
        length++;
    }
    *is_last = c->at == c->end || *c->at == '\n';
    c->at += c->at < c->end;
    length -= *is_last && is_cr;
    cell[length < CSV_CELL_BYTES ? length : CSV_CELL_BYTES - 1] = 0;
    return length;
}

void csv_open(struct csv *c, const char *name, const char *text, size_t bytes, const char *const *columns)
{
    char cell[CSV_CELL_BYTES];
    bool is_last = false;

    *c = (struct csv){ .name = name, .at = text, .end = text + bytes, .line = 1, .column = columns };
    while (columns[c->columns])
        c->place[c->columns++] = -1;
    assert(c->columns <= CSV_COLUMNS);
    for (int place = 0; !is_last; place++) {
        size_t length = read_cell(c, cell, &is_last);

        for (int i = 0; i < c->columns; i++)
            if (length < CSV_CELL_BYTES && strcmp(cell, columns[i]) == 0 && c->place[i] < 0)
                c->place[i] = place;
    }
}

int csv_need(const struct csv *c, int column, const char *all, struct err *err)
{
    if (c->place[column] >= 0)
        return 0;
    return err_set(err, EINVAL, "%s:1: column '%s' is missing; the first line must name the columns: %s",
                   c->name,
                   c->column[column], all);
}

int csv_refuse(const struct csv *c, int column, struct err *err, const char *why)
{
    return err_set(err, EINVAL, "%s:%u: %s: %s", c->name, c->line, c->column[column], why);
}

static int keep_cell(struct csv *c, int place, const char *cell, size_t length, int *seen, struct err *err)
{
    for (int i = 0; i < c->columns; i++)
        if (c->place[i] == place) {
            if (length >= CSV_CELL_BYTES || strlen(cell) != length)
                return csv_refuse(c, i, err, length >= CSV_CELL_BYTES ? "too long" : "contains a zero byte");
            memcpy(c->cell[i], cell, length + 1);
            ++*seen;
        }
    return 0;
}

int csv_next(struct csv *c, struct err *err)
{
    char cell[CSV_CELL_BYTES];
    int  seen = 0, wanted = 0;
    bool is_last = false;

    if (c->at == c->end)
        return 0;
    c->line++;
    for (int place = 0; !is_last; place++) {
        size_t length = read_cell(c, cell, &is_last);
        int    rc = keep_cell(c, place, cell, length, &seen, err);

        if (rc)
            return rc;
    }
    for (int i = 0; i < c->columns; i++)
        wanted += c->place[i] >= 0;
    if (seen < wanted)
        return err_set(err, EINVAL, "%s:%u: has fewer cells than the first line", c->name, c->line);
    return 1;
}

int csv_uint(const struct csv *c, int column, uint64_t *value, struct err *err)
{
    struct err why;

    return text_to_uint(c->cell[column], value, &why) ? csv_refuse(c, column, err, why.text) : 0;
}

int csv_real(const struct csv *c, int column, double *value, struct err *err)
{
    const char *cell = c->cell[column];
    bool        is_below_0 = *cell == '-';       /* text_to_real() refuses negative numbers */
    struct err  why;

    if (text_to_real(cell + is_below_0, value, &why))
        return csv_refuse(c, column, err, why.text);
    if (is_below_0)
        *value = -*value;
    return 0;
}
