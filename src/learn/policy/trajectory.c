/* src/learn/policy/trajectory.c */
#include "learn/policy/trajectory.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CELL_MAX    40           /* no number that we know is longer */
#define STEPS_MAX   (1u << 27)

enum column { COLUMN_FLOW, COLUMN_DELTA, COLUMNS };

static const char *const column_name[COLUMNS] = { "flow", "delta" };

struct parser {
    const char          *name, *at, *end;    /* end: of the text */
    uint32_t             line;
    int                  place[COLUMNS];     /* which cell of a line is the column; from 0, -1: none */
    uint32_t             steps_max;
    struct trajectories  read;
    struct err          *err;
};

/* The next cell of a line, at most 'size' - 1 bytes of it; *is_last: the line ends behind it. */
static size_t take_cell(struct parser *p, char *cell, size_t size, bool *is_last)
{
    const char *start = p->at;
    size_t length, kept;

    while (p->at < p->end && *p->at != ',' && *p->at != '\n')
        p->at++;
    length = (size_t)(p->at - start);
    *is_last = p->at == p->end || *p->at == '\n';
    p->at += p->at < p->end;
    if (*is_last && length > 0 && start[length - 1] == '\r')
        length--;
    kept = length < size - 1 ? length : size - 1;
    memcpy(cell, start, kept);
    cell[kept] = 0;
    return length;
}

static int read_head(struct parser *p)
{
    bool is_last = p->at == p->end;
    char cell[CELL_MAX];

    for (int i = 0; i < COLUMNS; i++)
        p->place[i] = -1;
    for (int place = 0; !is_last; place++) {
        take_cell(p, cell, sizeof(cell), &is_last);
        for (int i = 0; i < COLUMNS; i++)
            if (strcmp(cell, column_name[i]) == 0 && p->place[i] < 0)
                p->place[i] = place;
    }
    for (int i = 0; i < COLUMNS; i++)
        if (p->place[i] < 0)
            return err_set(p->err, EINVAL, "%s:1: there is no column '%s'; the first line names them: flow,delta",
                           p->name, column_name[i]);
    return 0;
}

static int refuse_cell(const struct parser *p, int column, const char *why)
{
    return err_set(p->err, EINVAL, "%s:%u: %s: %s", p->name, p->line, column_name[column], why);
}

/* A cell of a column that counts. */
static int read_cell(struct parser *p, int column, const char *cell, size_t length, struct trajectory_step *s)
{
    bool is_below_0 = column == COLUMN_DELTA && *cell == '-';     /* which quantities of people never are */
    double delta = 0;
    struct err why;
    int rc;

    if (length != strlen(cell))
        return refuse_cell(p, column, "this is not a number");
    rc = column == COLUMN_FLOW ? text_to_uint(cell, &s->flow, &why) : text_to_real(cell + is_below_0, &delta, &why);
    if (column == COLUMN_DELTA)
        s->delta = (float)(is_below_0 ? -delta : delta);
    if (!rc && delta > 1e6)
        return refuse_cell(p, column, "this is not within +-10^6");
    return rc ? refuse_cell(p, column, why.text) : 0;
}

static int read_line(struct parser *p, struct trajectory_step *s)
{
    bool is_last = false;
    char cell[CELL_MAX];
    int seen = 0;

    for (int place = 0; !is_last; place++) {
        size_t length = take_cell(p, cell, sizeof(cell), &is_last);

        for (int i = 0; i < COLUMNS; i++)
            if (p->place[i] == place) {
                int rc = read_cell(p, i, cell, length, s);

                if (rc)
                    return rc;
                seen++;
            }
    }
    if (seen < COLUMNS)
        return err_set(p->err, EINVAL, "%s:%u: has fewer cells than the first line", p->name, p->line);
    return 0;
}

static int add_step(struct parser *p, const struct trajectory_step *s)
{
    struct trajectories *t = &p->read;

    if (t->steps == STEPS_MAX)
        return err_set(p->err, E2BIG, "%s:%u: there are more than %u steps", p->name, p->line, STEPS_MAX);
    if (t->steps == p->steps_max) {
        p->steps_max = p->steps_max ? 2 * p->steps_max : 1024;
        t->step = xrealloc(t->step, p->steps_max * sizeof(*t->step));
    }
    t->step[t->steps] = *s;
    t->step[t->steps].number = t->steps;
    t->steps++;
    return 0;
}

static int read_all(struct parser *p)
{
    int rc;

    p->line = 1;
    rc = read_head(p);
    while (!rc && p->at < p->end) {
        struct trajectory_step s = { 0 };

        p->line++;
        rc = read_line(p, &s);
        if (!rc)
            rc = add_step(p, &s);
    }
    if (!rc && p->read.steps == 0)
        rc = err_set(p->err, EINVAL, "%s: there is no step in it", p->name);
    return rc;
}

static int compare_steps(const void *a_, const void *b_)
{
    const struct trajectory_step *a = a_, *b = b_;

    if (a->flow != b->flow)
        return a->flow < b->flow ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

int trajectories_parse(struct trajectories *t, const char *name, const char *text, size_t length, struct err *err)
{
    struct parser p = { .name = name, .at = text, .end = text + length, .err = err };
    int rc = read_all(&p);

    if (rc) {
        free(p.read.step);
        return rc;
    }
    qsort(p.read.step, p.read.steps, sizeof(*p.read.step), compare_steps);
    for (uint32_t i = 0; i < p.read.steps; i++)
        p.read.flows += i == 0 || p.read.step[i].flow != p.read.step[i - 1].flow;
    *t = p.read;
    return 0;
}

int trajectories_load(struct trajectories *t, const char *path, struct err *err)
{
    char *text = NULL;
    size_t length;
    int rc = text_read_file(path, TRAJECTORY_BYTES_MAX, &text, &length, err);

    if (!rc)
        rc = trajectories_parse(t, text_file_name(path), text, length, err);
    free(text);
    return rc;
}

void trajectories_fini(struct trajectories *t)
{
    free(t->step);
    *t = (struct trajectories){ 0 };
}
