#include "peers/measured.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 64
#define SIZE_KEY  "traffic.0.size"

struct measured_reader {
    struct measured *made;
    const char      *path;
    struct err      *err;
    uint32_t         line;
    char            *head[CELLS_MAX];        /* CSV: its columns */
    uint32_t         heads;
    double           scale;                  /* perftest: bit/s of a unit of its rates */
};

static struct measured_row *add_row(struct measured_reader *x, const char *figure, double value)
{
    struct measured *m = x->made;

    m->row = xrealloc(m->row, (m->rows + 1ul) * sizeof(*m->row));
    m->row[m->rows] = (struct measured_row){ .figure = xstrdup(figure), .value = value, .line = x->line,
                                             .is_fitted = m->rows % 2 == 0 };
    return &m->row[m->rows++];
}

static void add_set(struct measured_row *row, const char *key, const char *value)
{
    row->set = xrealloc(row->set, (row->sets + 1ul) * sizeof(*row->set));
    row->set[row->sets++] = xprintf("%s=%s", key, value);
}

static int refuse(const struct measured_reader *x, const char *why, const char *what)
{
    return err_set(x->err, EINVAL, "%s:%u: %s%s", x->path, x->line, why, what);
}

/* ---- perftest and nccl-tests ---- */

static int add_of_size(struct measured_reader *x, double bytes, const char *figure, double value)
{
    char text[32];

    if (!(bytes >= 1 && bytes < 1e18) || !(value > 0) || !isfinite(value))
        return refuse(x, "a size and a figure above 0 are expected", "");
    snprintf(text, sizeof(text), "%.0fB", bytes);
    add_set(add_row(x, figure, value), SIZE_KEY, text);
    return 0;
}

/* A head of perftest: says the unit of its rates, or that it is of a test of latency. The MB of older
 * versions are 2^20 bytes too. */
static int read_perftest_head(struct measured_reader *x, const char *line)
{
    if (!strstr(line, "BW average"))
        return refuse(x, "latencies of perftest are half round trips of a ping-pong, which is no traffic of "
                      "a scenario; give them as CSV", "");
    x->scale = strstr(line, "Gb/sec") ? 1e9 :
               strstr(line, "MiB/sec") || strstr(line, "MB/sec") ? 8 * 1048576.0 : 0;
    x->made->kind = "perftest";
    return x->scale > 0 ? 0
                        : refuse(x, "'BW average' has no unit that is known: Gb/sec, MB/sec or MiB/sec", "");
}

/* size count type redop root time algbw busbw .. */
static bool is_nccl(const char *line, double *bytes, double *busbw)
{
    char type[17], op[17];
    double count, root, time, algbw;

    /* NOLINTNEXTLINE(cert-err34-c): a line that is something else has fewer fields */
    return sscanf(line, " %lf %lf %16[a-z0-9_] %16[a-z_] %lf %lf %lf %lf", bytes, &count, type, op, &root,
                  &time, &algbw, busbw) == 8;
}

static int read_printed(struct measured_reader *x, const char *line)
{
    double bytes, iterations, peak, average, busbw;

    if (strstr(line, "#bytes"))
        return read_perftest_head(x, line);
    /* NOLINTNEXTLINE(cert-err34-c): as above */
    if (x->scale > 0 && sscanf(line, " %lf %lf %lf %lf", &bytes, &iterations, &peak, &average) == 4)
        return add_of_size(x, bytes, "goodput_bps", average * x->scale);
    if (!is_nccl(line, &bytes, &busbw) || bytes < 1)
        return 0;                /* other lines of either */
    x->made->kind = "nccl-tests";
    int rc = add_of_size(x, bytes, "busbw_bps", busbw * 8e9);
    if (!rc)
        x->made->row[x->made->rows - 1].collective_bytes = bytes;
    return rc;
}

/* ---- CSV ---- */

/* Cuts a line into cells. Returns how many; those beyond CELLS_MAX stay in the last. */
static uint32_t cut(char *line, char *cell[CELLS_MAX])
{
    uint32_t count = 0;
    char    *rest = line, *next;

    while (count < CELLS_MAX && (next = strsep(&rest, ",")))
        cell[count++] = next + strspn(next, " ");
    return rest ? CELLS_MAX + 1u : count;
}

static int column_of(const struct measured_reader *x, const char *name)
{
    for (uint32_t i = 0; i < x->heads; i++)
        if (strcmp(x->head[i], name) == 0)
            return (int)i;
    return -1;
}

static int read_head(struct measured_reader *x, char *line)
{
    char *cell[CELLS_MAX];

    uint32_t cells = cut(line, cell);

    if (cells > CELLS_MAX)
        return refuse(x, "a file may have 64 columns", "");
    for (; x->heads < cells; x->heads++) {
        if (!*cell[x->heads])
            return refuse(x, "a column has no name", "");
        if (strchr(cell[x->heads], '='))
            return refuse(x, "a column's name holds '=': ", cell[x->heads]);
        if (column_of(x, cell[x->heads]) >= 0)
            return refuse(x, "a column is listed twice: ", cell[x->heads]);
        x->head[x->heads] = xstrdup(cell[x->heads]);
    }
    x->made->kind = "CSV";
    return column_of(x, "figure") >= 0 && column_of(x, "measured") >= 0 ? 0 :
           refuse(x, "columns 'figure' and 'measured' are expected", "");
}

static int read_cells(struct measured_reader *x, char *line)
{
    char    *cell[CELLS_MAX], *end;
    uint32_t cells = cut(line, cell);
    int      part = column_of(x, "part");

    if (cells != x->heads)
        return refuse(x, "it does not have as many cells as the head", "");
    double value = strtod(cell[column_of(x, "measured")], &end);
    if (*end || !(value > 0) || !isfinite(value))
        return refuse(x, "'measured' must be a number above 0, not ", cell[column_of(x, "measured")]);
    if (part >= 0 && strcmp(cell[part], "fit") != 0 && strcmp(cell[part], "check") != 0)
        return refuse(x, "'part' must be fit or check, not ", cell[part]);
    struct measured_row *row = add_row(x, cell[column_of(x, "figure")], value);
    if (part >= 0)
        row->is_fitted = strcmp(cell[part], "fit") == 0;
    for (uint32_t i = 0; i < cells; i++)
        if ((int)i != part && strcmp(x->head[i], "figure") != 0 && strcmp(x->head[i], "measured") != 0 &&
            *cell[i])
            add_set(row, x->head[i], cell[i]);
    return 0;
}

/* ---- the file ---- */

static int read_line(struct measured_reader *x, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (x->heads)
        return *line && *line != '#' ? read_cells(x, line) : 0;
    if (x->made->rows == 0 && strstr(line, "figure") && strstr(line, "measured") && strchr(line, ','))
        return read_head(x, line);
    return read_printed(x, line);
}

int measured_read(struct measured *made, const char *path, struct err *err)
{
    FILE *file = fopen(path, "r");

    *made = (struct measured){ 0 };
    if (!file)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    int rc = measured_read_stream(made, file, path, err);
    fclose(file);
    return rc;
}

int measured_read_stream(struct measured *made, FILE *file, const char *path, struct err *err)
{
    struct measured_reader x = { .made = made, .path = path, .err = err };
    char                  *line = NULL;
    size_t                 room = 0;
    int                    rc = 0;

    *made = (struct measured){ 0 };
    while (!rc && getline(&line, &room, file) >= 0) {
        x.line++;
        rc = read_line(&x, line);
    }
    if (!rc && ferror(file))
        rc = err_set(err, EIO, "%s: cannot be read", path);
    if (!rc && made->rows == 0)
        rc = err_set(err, EINVAL, "%s: no measurements: neither lines of perftest or nccl-tests, nor a CSV "
                     "file with columns 'figure' and 'measured'", path);
    free(line);
    for (uint32_t i = 0; i < x.heads; i++)
        free(x.head[i]);
    if (rc)
        measured_fini(made);
    return rc;
}

void measured_fini(struct measured *m)
{
    for (uint32_t i = 0; i < m->rows; i++) {
        for (uint32_t k = 0; k < m->row[i].sets; k++)
            free(m->row[i].set[k]);
        free(m->row[i].set);
        free(m->row[i].figure);
    }
    free(m->row);
    *m = (struct measured){ 0 };
}
