#include "study/plot/charts.h"

#include "base/json.h"
#include "core/figures.h"
#include "study/plot/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH  720.0
#define HEIGHT 430.0
#define LEFT   78.0
#define RIGHT  24.0
#define TOP    52.0
#define BELOW  50.0              /* marks and label of the horizontal axis */

const char *const chart_names[CHARTS + 1] = { "slowdown", "fct", "time", "pareto", NULL };

/* ---- data ---- */

int charts_read(const char *path, json_t **page, struct err *err)
{
    json_error_t why;

    *page = json_load_file(path, 0, &why);
    if (json_is_array(json_object_get(*page, "runs")))
        return 0;
    json_decref(*page);
    *page = NULL;
    if (access(path, F_OK) != 0)
        return err_set(err, errno, "%.300s: %s", path, strerror(errno));
    return err_set(err, EINVAL, "%.300s: not a charts.json, which anole run, compare or sweep --out writes",
                   path);
}

struct chart_values { double *v; uint32_t count; };

/* Returns the numbers of a list; with a key, one field of each of its objects; if that is a list, its number
 * 'at'. */
static struct chart_values values_at(const json_t *list, const char *key, size_t at)
{
    struct chart_values v = { xcalloc(json_array_size(list) + 1, sizeof(double)),
                              (uint32_t)json_array_size(list) };
    const json_t       *value;
    size_t              i;

    json_array_foreach(list, i, value) {
        value = key ? json_object_get(value, key) : value;
        value = json_is_array(value) ? json_array_get(value, at) : value;
        v.v[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return v;
}

static struct chart_values values_of(const json_t *list, const char *key)
{
    return values_at(list, key, 0);
}

static const json_t *runs_of(const json_t *page)
{
    return json_object_get(page, "runs");
}

static const char *run_name(const json_t *run, const char *otherwise)
{
    return *json_get_text(run, "name") ? json_get_text(run, "name") : otherwise;
}

/* Formats the origin of the data: "incast.yaml, seed 1, anole 0.2.0". */
static void format_source(const json_t *page, char *buf, size_t size)
{
    const json_t *seeds = json_object_get(json_array_get(runs_of(page), 0), "seeds");
    size_t        count = json_array_size(seeds);
    const char   *first = json_string_value(json_array_get(seeds, 0)),
                 *last = json_string_value(json_array_get(seeds, count ? count - 1 : 0));
    const char   *title = json_get_text(page, "title"), *slash = strrchr(title, '/');
    char          seed[80] = "";

    if (count == 1)
        snprintf(seed, sizeof seed, ", seed %.20s", first ? first : "");
    else if (count > 1)
        snprintf(seed, sizeof seed, ", %zu seeds, %.20s to %.20s", count, first ? first : "",
                 last ? last : "");
    snprintf(buf, size, "%.280s%s, anole %.20s", slash ? slash + 1 : title, seed,
             json_get_text(page, "version"));
}

/* Starts an empty page with its title and the origin of its data. */
static void begin_page(struct picture *p, const json_t *page, double height, const char *title)
{
    char source[400];

    format_source(page, source, sizeof source);
    picture_init(p, WIDTH, height, title, source);
    picture_heading(p, LEFT - 54, 26, 15, title);
    picture_text(p, WIDTH - RIGHT, height - 10, 9, ANCHOR_END, source);
}

/* Returns the height of a legend with this many names. */
static double legend_room(uint32_t names)
{
    uint32_t lines = names / 3 + 1;

    return 14 + 15.0 * lines;
}

/* ---- slowdown by size ---- */

/* Returns the x position of each row: the mean size of its flows, or the middle of its range. */
static struct chart_values x_positions(const json_t *sizes)
{
    struct chart_values at = values_of(sizes, "bytes_mean"), low = values_of(sizes, "bytes_min"),
                        end = values_of(sizes, "bytes_end");

    for (uint32_t i = 0; i < at.count; i++)
        if (!isfinite(at.v[i]))
            at.v[i] = !isfinite(end.v[i]) ? 2 * low.v[i] : low.v[i] < 1 ? end.v[i] / 2
                      : sqrt(low.v[i] * end.v[i]);
    free(low.v);
    free(end.v);
    return at;
}

struct chart_curve { struct chart_values x, y; char name[120]; };

/* A report that was edited by hand may have more values of one kind than of the other. Values without a
 * partner are dropped. */
static struct chart_curve curve_new(struct chart_values x, struct chart_values y, const char *name)
{
    struct chart_curve c = { x, y, "" };

    c.x.count = c.y.count = x.count < y.count ? x.count : y.count;
    snprintf(c.name, sizeof c.name, "%s", name);
    return c;
}

/* Where the curves of a chart are, among its other parts. */
struct panel { double top, height; bool has_points, has_legend; const json_t *windows; };

/* Draws the curves and frees them. */
static void draw_panel(struct picture *p, struct panel panel, struct axis across, struct axis up,
                       struct chart_curve *c, uint32_t count)
{
    const json_t *w;
    size_t        k;
    struct axes   a;

    for (uint32_t i = 0; i < count; i++) {
        axis_fit(&across, c[i].x.v, c[i].x.count);
        axis_fit(&up, c[i].y.v, c[i].y.count);
    }
    axes_init(&a, p, LEFT, panel.top, WIDTH - LEFT - RIGHT, panel.height, across, up);
    json_array_foreach(panel.windows, k, w)
        axes_shade(&a, json_number_value(json_object_get(w, "start_us")),
                   json_number_value(json_object_get(w, "stop_us")), json_get_text(w, "name"));
    axes_frame(&a);
    for (uint32_t i = 0; i < count; i++) {
        axes_curve(&a, c[i].x.v, c[i].y.v, c[i].x.count, panel.has_points, c[i].name);
        free(c[i].x.v);
        free(c[i].y.v);
    }
    if (panel.has_legend)
        axes_legend(&a);
    axes_fini(&a);
}

static bool draw_curves(struct picture *p, const json_t *page, const char *title, struct axis across,
                        struct axis up, bool has_points, struct chart_curve *c, uint32_t count)
{
    if (count == 0)
        return false;
    begin_page(p, page, HEIGHT + legend_room(count), title);
    draw_panel(p, (struct panel){ .top = TOP, .height = HEIGHT - TOP - BELOW, .has_points = has_points,
                                  .has_legend = true }, across, up, c, count);
    return true;
}

/* A run has one curve per percentile, a comparison one p99 curve per variant. */
static bool draw_slowdown(const json_t *page, struct picture *p)
{
    static const struct { const char *key, *name; } rows[] = { { "p50", "p50" }, { "p95", "p95" },
                                                               { "p99", "p99" }, { "p999", "p99.9" } };
    const json_t      *runs = runs_of(page), *run;
    size_t             seeds = json_array_size(json_object_get(json_array_get(runs, 0), "seeds")), i;
    bool               is_one = json_array_size(runs) == 1;
    struct chart_curve c[CURVES_MAX];
    uint32_t           n = 0;
    char               title[120];

    json_array_foreach(runs, i, run) {
        const json_t *sizes = json_object_get(run, "sizes");

        for (int k = 0; is_one && k < 4 && json_array_size(sizes); k++)
            c[n++] = curve_new(x_positions(sizes), values_of(sizes, rows[k].key), rows[k].name);
        if (!is_one && n < CURVES_MAX && json_array_size(sizes))
            c[n++] = curve_new(x_positions(sizes), values_of(sizes, "p99"), run_name(run, "run"));
    }
    snprintf(title, sizeof title, "%sFCT slowdown by flow size", is_one ? "" : "p99 ");
    if (seeds > 1)
        snprintf(title + strlen(title), sizeof title - strlen(title), ", mean of %zu seeds' percentiles",
                 seeds);
    return draw_curves(p, page, title, axis_new("flow size", "bytes", true),
                       axis_new("slowdown: FCT / FCT of the same flow alone", "", true), true, c, n);
}

/* ---- distribution of completion times ---- */

static bool draw_fct(const json_t *page, struct picture *p)
{
    const json_t      *runs = runs_of(page), *run, *cdf;
    bool               is_one = json_array_size(runs) == 1;
    struct axis        up = axis_new("cumulative share of flows", "share", false);
    struct chart_curve c[CURVES_MAX];
    uint32_t           n = 0;
    size_t             i, k;

    json_array_foreach(runs, i, run)
        json_array_foreach(json_object_get(run, "cdfs"), k, cdf) {
            const char *label = json_get_text(cdf, "label");

            if (n == CURVES_MAX || strcmp(json_get_text(cdf, "quantity"), "FCT") != 0 ||
                (!is_one && strcmp(label, "FCT, all flows") != 0))
                continue;
            c[n++] = curve_new(values_of(json_object_get(cdf, "x"), NULL),
                               values_of(json_object_get(cdf, "p"), NULL),
                               is_one ? label + (strncmp(label, "FCT, ", 5) == 0 ? 5 : 0)
                               : run_name(run, "run"));
        }
    up.low = 0;
    up.high = 1;
    return draw_curves(p, page, "Flow completion times", axis_new("FCT", "us", true), up, false, c, n);
}

/* ---- over time ---- */

#define PANELS       3u
#define PANEL_HEIGHT 150.0

static const enum figure_id panels[PANELS] = FIGURES_OVER_TIME;

static const json_t *column_of(const json_t *run, const char *name)
{
    const json_t *column;
    size_t        i;

    json_array_foreach(json_object_get(json_object_get(run, "series"), "columns"), i, column)
        if (strcmp(json_get_text(column, "name"), name) == 0)
            return json_object_get(column, "values");
    return NULL;
}

static uint32_t read_panel_curves(const json_t *runs, const char *column, struct chart_curve *c)
{
    const json_t *run;
    uint32_t      n = 0;
    size_t        i;

    json_array_foreach(runs, i, run) {
        const json_t *values = column_of(run, column);

        if (n < CURVES_MAX && json_array_size(values))
            c[n++] = curve_new(values_of(json_object_get(json_object_get(run, "series"), "at_us"), NULL),
                               values_of(values, NULL), run_name(run, "run"));
    }
    return n;
}

static bool draw_time(const json_t *page, struct picture *p)
{
    const json_t *runs = runs_of(page);
    uint32_t      names = (uint32_t)json_array_size(runs);
    double        legend = names > 1 ? legend_room(names) : 0, below = TOP + (double)PANELS * PANEL_HEIGHT;

    if (json_array_size(column_of(json_array_get(runs, 0), "goodput_bps")) == 0)
        return false;
    begin_page(p, page, below + legend + 20, names > 1 ? "Over time, first seed" : "Over time");
    for (size_t i = 0; i < PANELS; i++) {
        const struct figure_info *f = &figure_info[panels[i]];
        struct axis across = axis_new("time", "us", false),
                    up = axis_new(f->label, metric_unit_name(f->unit), false);
        struct chart_curve c[CURVES_MAX];
        uint32_t           n = read_panel_curves(runs, f->name, c);

        across.low = up.low = 0;
        draw_panel(p, (struct panel){ .top = TOP + (double)i * PANEL_HEIGHT, .height = PANEL_HEIGHT - BELOW,
                                      .has_legend = names > 1 && i + 1 == PANELS,
                                      .windows = json_object_get(json_array_get(runs, 0), "windows") },
                   across, up, c, n);
    }
    return true;
}

/* ---- two metrics of a sweep ---- */

uint32_t charts_front(const double *x, const double *y, uint32_t count, int x_sign, int y_sign,
                      uint32_t *front)
{
    double   last_x = -INFINITY, best_y = INFINITY;
    uint32_t n = 0;

    for (;;) {
        uint32_t next = count;

        for (uint32_t i = 0; i < count; i++) {           /* the next by x that improves y over all before */
            double xi = x_sign * x[i], yi = y_sign * y[i];

            if (!isfinite(xi) || !isfinite(yi) || yi >= best_y || xi < last_x)
                continue;
            if (next == count || xi < x_sign * x[next] || (xi == x_sign * x[next] && yi < y_sign * y[next]))
                next = i;
        }
        if (next == count)
            return n;
        front[n++] = next;
        last_x = x_sign * x[next];
        best_y = y_sign * y[next];
    }
}

static int sign_of(const json_t *figure)
{
    return strcmp(json_get_text(figure, "better"), "higher") == 0 ? -1 : 1;
}

/* Chooses the metric by which settings are ranked, and a conflicting one, or any other. */
static void choose_metrics(const json_t *sweep, size_t *x, size_t *y)
{
    const json_t *figures = json_object_get(sweep, "figures"), *f;
    size_t        i;

    *x = *y = SIZE_MAX;
    json_array_foreach(figures, i, f)
        if (strcmp(json_get_text(f, "name"), json_get_text(sweep, "best")) == 0)
            *x = i;
    json_array_foreach(figures, i, f) {
        bool is_judged = strcmp(json_get_text(f, "better"), "neither") != 0 && i != *x;

        if (is_judged &&
            (*y == SIZE_MAX || (*x != SIZE_MAX && sign_of(json_array_get(figures, *y)) ==
                                sign_of(json_array_get(figures, *x)) &&
                                             sign_of(f) != sign_of(json_array_get(figures, *x)))))
            *y = i;
    }
}

static void draw_front(struct axes *a, const struct chart_values *x, const struct chart_values *y, int x_sign,
                       int y_sign)
{
    uint32_t *front = xcalloc(x->count + 1ul, sizeof *front),
             n = charts_front(x->v, y->v, x->count, x_sign, y_sign, front);
    double   *fx = xcalloc(n + 1ul, sizeof *fx), *fy = xcalloc(n + 1ul, sizeof *fy);

    for (uint32_t i = 0; i < n; i++) {
        fx[i] = x->v[front[i]];
        fy[i] = y->v[front[i]];
    }
    axes_curve(a, fx, fy, n, true, "Pareto front: no other setting is better in both");
    free(fx);
    free(fy);
    free(front);
}

static struct axis axis_of(const json_t *figure, const struct chart_values *v)
{
    struct axis a = axis_new(json_get_text(figure, "label"), json_get_text(figure, "unit"), false);

    axis_fit(&a, v->v, v->count);
    return a;
}

static bool draw_pareto(const json_t *page, struct picture *p)
{
    const json_t *sweep = json_object_get(page, "sweep"), *figures = json_object_get(sweep, "figures"),
                 *points = json_object_get(sweep, "points");
    size_t        seeds = json_array_size(json_object_get(json_array_get(runs_of(page), 0), "seeds")), fx, fy;
    struct axes   a;

    choose_metrics(sweep, &fx, &fy);
    if (fx == SIZE_MAX || fy == SIZE_MAX)
        return false;
    struct chart_values x = values_at(points, "figures", fx), y = values_at(points, "figures", fy);
    const json_t       *across = json_array_get(figures, fx), *up = json_array_get(figures, fy);
    begin_page(p, page, HEIGHT + legend_room(1), seeds > 1 ? "All settings of the sweep, means over seeds"
               : "All settings of the sweep");
    axes_init(&a, p, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BELOW, axis_of(across, &x),
              axis_of(up, &y));
    axes_frame(&a);
    axes_dots(&a, x.v, y.v, x.count, 0x9aa5af, 2.6);
    draw_front(&a, &x, &y, sign_of(across), sign_of(up));
    axes_legend(&a);
    axes_fini(&a);
    free(x.v);
    free(y.v);
    return true;
}

bool charts_draw(enum chart chart, const json_t *page, struct picture *p)
{
    switch (chart) {
    case CHART_SLOWDOWN: return draw_slowdown(page, p);
    case CHART_FCT:      return draw_fct(page, p);
    case CHART_TIME:     return draw_time(page, p);
    case CHART_PARETO:   return draw_pareto(page, p);
    case CHARTS:         break;
    }
    return false;
}
