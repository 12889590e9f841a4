#include "learn/policy/trajectory.h"

#include "base/file/csv.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_MAX   (1u << 27)

enum { COLUMN_FLOW, COLUMN_DELTA };

static const char *const column_name[] = { "flow", "delta", NULL };

struct trajectory_parser {
    struct csv           csv;
    uint32_t             steps_max;
    struct trajectories  read;
    struct err          *err;
};

static int read_step(struct trajectory_parser *p, struct trajectory_step *s)
{
    double delta;
    int    rc = csv_uint(&p->csv, COLUMN_FLOW, &s->flow, p->err);

    if (!rc)
        rc = csv_real(&p->csv, COLUMN_DELTA, &delta, p->err);
    if (rc)
        return rc;
    if (fabs(delta) > 1e6)
        return csv_refuse(&p->csv, COLUMN_DELTA, p->err, "this is not within +-10^6");
    s->delta = (float)delta;
    return 0;
}

static int add_step(struct trajectory_parser *p, const struct trajectory_step *s)
{
    struct trajectories *t = &p->read;

    if (t->steps == STEPS_MAX)
        return err_set(p->err, E2BIG, "%s:%u: there are more than %u steps", p->csv.name, p->csv.line,
                       STEPS_MAX);
    if (t->steps == p->steps_max) {
        p->steps_max = p->steps_max ? 2 * p->steps_max : 1024;
        t->step = xrealloc(t->step, p->steps_max * sizeof(*t->step));
    }
    t->step[t->steps] = *s;
    t->step[t->steps].number = t->steps;
    t->steps++;
    return 0;
}

static int read_all(struct trajectory_parser *p)
{
    int more, rc = csv_need(&p->csv, COLUMN_FLOW, "flow,delta", p->err);

    if (!rc)
        rc = csv_need(&p->csv, COLUMN_DELTA, "flow,delta", p->err);
    while (!rc && (more = csv_next(&p->csv, p->err)) != 0) {
        struct trajectory_step s = { 0 };

        rc = more < 0 ? more : read_step(p, &s);
        if (!rc)
            rc = add_step(p, &s);
    }
    if (!rc && p->read.steps == 0)
        rc = err_set(p->err, EINVAL, "%s: there is no step in it", p->csv.name);
    return rc;
}

static int compare_steps(const void *a_, const void *b_)
{
    const struct trajectory_step *a = a_, *b = b_;

    if (a->flow != b->flow)
        return a->flow < b->flow ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

int trajectories_parse(struct trajectories *t, const char *name, const char *text, size_t length,
                       struct err *err)
{
    struct trajectory_parser p = { .err = err };
    int rc;

    csv_open(&p.csv, name, text, length, column_name);
    rc = read_all(&p);
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
