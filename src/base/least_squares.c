#include "base/least_squares.h"
#include "base/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST       LEAST_SQUARES_PARAMETERS_MAX
#define ROUNDS_MAX 12
#define STEP       0.05          /* of a logarithm, to both sides, for derivatives */
#define MOVED_MIN  1e-4          /* of a logarithm: less is the end */
#define SLOPE_MIN  0.003         /* root mean square: a parameter with less of it changes nothing, */
#define ALONE_MIN  0.05          /* or with less of it besides what others explain */

struct state {
    const struct least_squares *p;
    struct least_squares_fit   *fit;
    double                     *error, *tried;       /* by figure: ln(predicted / measured) */
    double                     *slope[MOST];         /* by figure */
    double                      at[MOST];            /* logarithms */
};

static int predict(struct state *s, const double *at, double *error, struct err *err)
{
    double value[MOST];

    for (uint32_t i = 0; i < s->p->parameters; i++)
        value[i] = exp(at[i]);
    s->fit->predictions++;
    int rc = s->p->predict(s->p->arg, value, error, err);
    for (uint32_t i = 0; i < s->p->figures && !rc; i++)
        error[i] = log(error[i] / s->p->measured[i]);
    return rc;
}

static double dot(const struct state *s, const double *a, const double *b)
{
    double sum = 0;

    for (uint32_t i = 0; i < s->p->figures; i++)
        sum += a[i] * b[i];
    return sum;
}

static int find_slopes(struct state *s, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < s->p->parameters && !rc; i++) {
        double at[MOST];

        memcpy(at, s->at, sizeof(at));
        at[i] += STEP;
        rc = predict(s, at, s->slope[i], err);
        at[i] -= 2 * STEP;
        if (!rc)
            rc = predict(s, at, s->tried, err);
        for (uint32_t k = 0; k < s->p->figures && !rc; k++)
            s->slope[i][k] = (s->slope[i][k] - s->tried[k]) / (2 * STEP);
    }
    return rc;
}

/* Refuses parameters that the figures do not tell apart: Gram-Schmidt, each against all others. */
static int check_slopes(const struct state *s, struct err *err)
{
    uint32_t n = s->p->parameters, figures = s->p->figures;
    double *rest = xcalloc(figures + 1ul, sizeof(*rest)),
           *base = xcalloc((size_t)figures * n + 1, sizeof(*base));
    int      rc = 0;

    for (uint32_t i = 0; i < n && !rc; i++) {
        double   size = sqrt(dot(s, s->slope[i], s->slope[i]));
        uint32_t bases = 0;

        if (size < SLOPE_MIN * sqrt(figures)) {
            rc = err_set(err, EDOM, "these measurements cannot tell %s: none of them depends on it",
                         s->p->name[i]);
            break;
        }
        for (uint32_t k = 0; k < n + 1; k++) {       /* the others first, then it */
            const double *slope = s->slope[k < n ? k : i];

            if (k == i)
                continue;
            memcpy(rest, slope, figures * sizeof(*rest));
            for (uint32_t b = 0; b < bases; b++) {
                double along = dot(s, rest, &base[(size_t)b * figures]);

                for (uint32_t f = 0; f < figures; f++)
                    rest[f] -= along * base[(size_t)b * figures + f];
            }
            double left = sqrt(dot(s, rest, rest));
            if (k == n && left < ALONE_MIN * size)
                rc = err_set(err, EDOM,
                             "these measurements cannot tell %s from the other parameters: fix one of them, "
                             "or add measurements in which they act differently", s->p->name[i]);
            if (k < n && left > 1e-9) {
                for (uint32_t f = 0; f < figures; f++)
                    base[(size_t)bases * figures + f] = rest[f] / left;
                bases++;
            }
        }
    }
    free(rest);
    free(base);
    return rc;
}

/* Solves (slopes' slopes) x = right by Cholesky; the matrix is positive, see check_slopes(). */
static void solve(const struct state *s, const double *right, double *x)
{
    double   l[MOST][MOST] = { { 0 } };
    uint32_t n = s->p->parameters;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double sum = dot(s, s->slope[i], s->slope[k]);

            for (uint32_t j = 0; j < k; j++)
                sum -= l[i][j] * l[k][j];
            l[i][k] = i == k ? sqrt(sum) : sum / l[k][k];
        }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = right[i];
        for (uint32_t k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

/* One step, halved until it helps. *moved: how far it went; 0: it is the minimum. */
static int move(struct state *s, double *moved, struct err *err)
{
    double right[MOST], step[MOST] = { 0 }, at[MOST], was = dot(s, s->error, s->error), share = 1;
    int    rc = 0;

    for (uint32_t i = 0; i < s->p->parameters; i++)
        right[i] = -dot(s, s->slope[i], s->error);
    solve(s, right, step);
    for (*moved = 0; share > 0.01 && !rc; share /= 2) {
        double far = 0;

        for (uint32_t i = 0; i < s->p->parameters; i++) {
            at[i] = fmin(fmax(s->at[i] + share * step[i], log(s->p->low[i])), log(s->p->high[i]));
            far = fmax(far, fabs(at[i] - s->at[i]));
        }
        if (far < MOVED_MIN)
            return 0;
        rc = predict(s, at, s->tried, err);
        if (!rc && dot(s, s->tried, s->tried) < was) {
            memcpy(s->at, at, sizeof(at));
            memcpy(s->error, s->tried, s->p->figures * sizeof(*s->error));
            *moved = far;
            return 0;
        }
    }
    return rc;
}

/* Student's t that 95 % do not exceed to either side. */
static double student_95(double df)
{
    double low = 1.9, high = 13;

    while (high - low > 1e-6)
        *(student_p((low + high) / 2, df) > 0.05 ? &low : &high) = (low + high) / 2;
    return high;
}

static void find_intervals(struct state *s)
{
    uint32_t n = s->p->parameters;
    double   df = s->p->figures - n;

    s->fit->rms = sqrt(dot(s, s->error, s->error) / df);
    for (uint32_t i = 0; i < n; i++) {
        double unit[MOST] = { 0 }, column[MOST], far;

        unit[i] = 1;
        solve(s, unit, column);
        far = student_95(df) * s->fit->rms * sqrt(column[i]);
        s->fit->value[i] = exp(s->at[i]);
        s->fit->low[i] = exp(s->at[i] - far);
        s->fit->high[i] = exp(s->at[i] + far);
    }
}

static int fit(struct state *s, struct err *err)
{
    double moved = 1;

    for (uint32_t i = 0; i < s->p->parameters; i++)
        s->at[i] = (log(s->p->low[i]) + log(s->p->high[i])) / 2;
    int rc = predict(s, s->at, s->error, err);
    for (uint32_t round = 0; round < ROUNDS_MAX && moved > 0 && !rc; round++) {
        rc = find_slopes(s, err);
        if (!rc)
            rc = check_slopes(s, err);
        if (!rc)
            rc = move(s, &moved, err);
    }
    if (!rc)
        find_intervals(s);
    return rc;
}

int least_squares(const struct least_squares *p, struct least_squares_fit *made, struct err *err)
{
    struct state s = { .p = p, .fit = made };

    *made = (struct least_squares_fit){ 0 };
    if (p->figures <= p->parameters)
        return err_set(err, EDOM, "%u measurements cannot tell %u parameters: there must be more of them",
                       p->figures, p->parameters);
    s.error = xcalloc(p->figures, sizeof(*s.error));
    s.tried = xcalloc(p->figures, sizeof(*s.tried));
    for (uint32_t i = 0; i < p->parameters; i++)
        s.slope[i] = xcalloc(p->figures, sizeof(**s.slope));
    int rc = fit(&s, err);
    free(s.error);
    free(s.tried);
    for (uint32_t i = 0; i < p->parameters; i++)
        free(s.slope[i]);
    return rc;
}
