#include "base/file/csv.h"

#include "base/text.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static bool ends_cell(const struct csv *c, bool is_quoted)
{
    return *c->at == '\n' || (!is_quoted && *c->at == ',');
}

/* Reads the next cell of a line and returns its length, which may exceed CSV_CELL_BYTES. *is_last: the line
 * ends here. */
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
