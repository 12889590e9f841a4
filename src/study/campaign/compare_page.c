/* src/study/campaign/compare_page.c - the page of a comparison: merges the runs of each variant into one. */
#include "study/campaign/compare.h"
#include "base/json.h"
#include "base/minmax.h"
#include "study/report/page.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double field_of(const json_t *row, const char *field)
{
    return json_number_value(json_object_get(row, field));
}

static bool is_same_text(const json_t *a, const json_t *b, const char *field)
{
    const char *x = json_string_value(json_object_get(a, field)),
               *y = json_string_value(json_object_get(b, field));

    return x && y ? strcmp(x, y) == 0 : x == y;
}

/* ---- figures: elements with a "value", known by name and label ---- */

/* The list called 'field' of element 'outer' of the list 'outer_field'; without 'outer_field': of the run
 * itself. */
static json_t *list_of(const json_t *run, const char *outer_field, size_t outer, const char *field)
{
    const json_t *from = outer_field ? json_array_get(json_object_get(run, outer_field), outer) : run;

    return json_object_get(from, field);
}

/* Elements are the same in another run's list if they are in the same place with the same name and label. */
static void average_list(json_t *made, const json_t *runs, const char *outer_field, size_t outer,
                         const char *field)
{
    json_t *element;
    const json_t *run;
    size_t i, r;

    json_array_foreach(list_of(made, outer_field, outer, field), i, element) {
        double sum = 0, count = 0;

        json_array_foreach(runs, r, run) {
            const json_t *other = json_array_get(list_of(run, outer_field, outer, field), i);
            const json_t *value = json_object_get(other, "value");

            if (json_is_number(value) && is_same_text(other, element, "name") &&
                is_same_text(other, element, "label")) {
                sum += json_number_value(value);
                count++;
            }
        }
        json_object_set_new(element, "value", JSON(count > 0 ? sum / count : NAN));
    }
}

/* As average_list() for each element of 'outer_field'. */
static void average_lists(json_t *made, const json_t *runs, const char *outer_field, const char *field)
{
    for (size_t i = 0; i < json_array_size(json_object_get(made, outer_field)); i++)
        average_list(made, runs, outer_field, i, field);
}

static void average_field(json_t *made, const json_t *runs, const char *field)
{
    double        sum = 0;
    const json_t *run;
    size_t        i;

    json_array_foreach(runs, i, run)
        sum += field_of(run, field);
    json_object_set_new(made, field, JSON(sum / (double)json_array_size(runs)));
}

/* ---- slowdown by size: ranges without flows are left out, so the lists differ ---- */

/* The row of a run that begins with the smallest size of at least 'bytes_min'; NULL: none. */
static const json_t *next_row(const json_t *run, double bytes_min)
{
    const json_t *best = NULL, *row;
    size_t        i;

    json_array_foreach(json_object_get(run, "sizes"), i, row)
        if (field_of(row, "bytes_min") >= bytes_min &&
            (!best || field_of(row, "bytes_min") < field_of(best, "bytes_min")))
            best = row;
    return best;
}

static json_t *average_size_row(const json_t *runs, const json_t *like)
{
    static const char *const fields[] = { "bytes_mean", "mean", "p50", "p95", "p99", "p999" };
    enum { FIELDS = sizeof(fields) / sizeof(*fields) };
    double        sum[FIELDS] = { 0 }, flows = 0, bytes_min = field_of(like, "bytes_min");
    const json_t *run;
    size_t        i;

    json_array_foreach(runs, i, run) {
        const json_t *row = next_row(run, bytes_min);
        double        weight = row && field_of(row, "bytes_min") == bytes_min ? field_of(row, "flows") : 0;

        flows += weight;
        for (int n = 0; n < FIELDS && weight > 0; n++)
            sum[n] += weight * field_of(row, fields[n]);
    }
    json_t *made = JSON_OF({ "bytes_min", json_incref(json_object_get(like, "bytes_min")) },
                           { "bytes_end", json_incref(json_object_get(like, "bytes_end")) },
                           { "flows", json_integer((json_int_t)flows) });
    for (int n = sum[0] > 0 ? 0 : 1; n < FIELDS; n++)    /* a page of an older program has no mean size */
        json_object_set_new(made, fields[n], JSON(flows > 0 ? sum[n] / flows : NAN));
    return made;
}

static json_t *average_sizes(const json_t *runs)
{
    json_t       *made = json_array();
    const json_t *run, *row, *next;
    size_t        i;

    for (double above = 0;; above = field_of(next, "bytes_min") + 1) {
        next = NULL;
        json_array_foreach(runs, i, run) {
            row = next_row(run, above);
            if (row && (!next || field_of(row, "bytes_min") < field_of(next, "bytes_min")))
                next = row;
        }
        if (!next)
            return made;
        json_array_append_new(made, average_size_row(runs, next));
    }
}

/* ---- distributions: the flows of all seeds together ---- */

/* Returns the distribution of the same quantity in a list, or NULL. */
static const json_t *same_cdf(const json_t *cdfs, const json_t *cdf)
{
    const json_t *other;
    size_t i;

    json_array_foreach(cdfs, i, other)
        if (is_same_text(other, cdf, "label") && is_same_text(other, cdf, "quantity") &&
            json_equal(json_object_get(other, "p"), json_object_get(cdf, "p")))
            return other;
    return NULL;
}

struct piece { double x, weight; };          /* flows between two quantiles of a run */

/* Cuts the distribution of one run into pieces: between two quantiles lies the share of flows between
 * their shares. */
static size_t cut_cdf(const json_t *cdf, struct piece *to)
{
    const json_t *x = json_object_get(cdf, "x"), *p = json_object_get(cdf, "p");
    const json_t *flows = json_object_get(cdf, "count");
    double        count = json_is_number(flows) ? json_number_value(flows) : 1, last = 0;
    size_t        n, points = json_array_size(x);

    for (n = 0; n < points; n++) {
        double share = json_number_value(json_array_get(p, n));

        to[n] = (struct piece){ json_number_value(json_array_get(x, n)), count * (share - last) };
        last = share;
    }
    return points;
}

/* Quantiles of all runs together, at the shares of 'cdf'. The mean of their quantiles would be of no
 * distribution. */
static json_t *pool_cdf(const json_t *runs, const json_t *cdf)
{
    const json_t *p = json_object_get(cdf, "p"), *run;
    size_t        points = json_array_size(p), i, pieces = 0, at = 0;
    struct piece *piece = xcalloc(points * (json_array_size(runs) + 1) + 1, sizeof(*piece));
    double        all = 0, below = 0, flows = 0;
    json_t       *made = json_deep_copy(cdf), *x = json_array();

    json_array_foreach(runs, i, run) {
        const json_t *same = same_cdf(json_object_get(run, "cdfs"), cdf);

        if (same && json_array_size(json_object_get(same, "x")) == points)
            pieces += cut_cdf(same, piece + pieces);
        flows += json_number_value(json_object_get(same, "count"));
    }
    qsort(piece, pieces, sizeof(*piece), compare_reals);      /* by x, the first field */
    for (i = 0; i < pieces; i++)
        all += piece[i].weight;
    for (i = 0; i < points; i++) {
        double want = json_number_value(json_array_get(p, i)) * all;

        while (at + 1 < pieces && below + piece[at].weight < want - 1e-9 * all)
            below += piece[at++].weight;
        json_array_append_new(x, pieces ? JSON(piece[at].x) : json_null());
    }
    JSON_PUT(made, { "x", x }, { "count", JSON(flows) });
    free(piece);
    return made;
}

static json_t *pool_cdfs(const json_t *runs)
{
    json_t *made = json_array();
    const json_t *run, *cdf;
    size_t i, n;

    json_array_foreach(runs, i, run)
        json_array_foreach(json_object_get(run, "cdfs"), n, cdf)
            if (!same_cdf(made, cdf))
                json_array_append_new(made, pool_cdf(runs, cdf));
    return made;
}

/* ---- incomplete runs ---- */

/* Says how many there are, and why the first of them is incomplete. */
static json_t *merge_partial(const json_t *runs)
{
    json_t       *made = json_array();
    const json_t *run, *first = NULL;
    size_t        i, count = 0;

    json_array_foreach(runs, i, run)
        if (json_array_size(json_object_get(run, "partial")) > 0) {
            first = first ? first : run;
            count++;
        }
    if (first)
        json_array_append_new(
            made, json_sprintf("In %zu of %zu runs. With seed %s: %s", count, json_array_size(runs),
                               json_string_value(json_array_get(json_object_get(first, "seeds"), 0)),
                               json_string_value(json_array_get(json_object_get(first, "partial"), 0))));
    return made;
}

/* ---- the whole ---- */

json_t *compare_merge_runs(const json_t *runs)
{
    json_t *made = json_deep_copy(json_array_get(runs, 0)), *seeds = json_array();
    const json_t *run;
    size_t i;

    average_field(made, runs, "simulated_us");
    average_list(made, runs, NULL, 0, "metrics");
    average_lists(made, runs, "phases", "metrics");
    average_lists(made, runs, "traffic", "rows");
    JSON_PUT(made, { "sizes", average_sizes(runs) }, { "cdfs", pool_cdfs(runs) });
    json_array_foreach(runs, i, run)
        json_array_extend(seeds, json_object_get(run, "seeds"));
    JSON_PUT(made, { "seeds", seeds }, { "partial", merge_partial(runs) }, { "summary", json_null() },
                   { "files", json_array() });
    return made;
}

/* NULL and err on failure. */
static json_t *load_variant(const struct comparison *c, struct campaign *store, const struct variant *v,
                            struct err *err)
{
    json_t *runs = json_array(), *made = NULL;
    char    key[DIGEST_TEXT_SIZE];
    int     rc = 0;

    for (uint32_t s = 0; s < c->seeds && !rc; s++) {
        json_t *run;

        rc = campaign_page(store, variant_key(key, v, c->seed[s]), &run, err);
        if (!rc && s > 0)        /* data over time and over the network is large: the first seed's is shown */
            JSON_PUT(run, { "series", json_null() }, { "topology", json_null() },
                     { "scenario", json_null() }, { "summary", json_null() });
        if (!rc)
            json_array_append_new(runs, run);
    }
    if (!rc) {
        made = compare_merge_runs(runs);
        JSON_PUT(made, JSON_FIELD(v, name),
                 { "files", json_pack("[s, s, s]", "comparison.csv", "comparison.json", "runs.csv") });
    }
    json_decref(runs);
    return made;
}

/* NULL and err on failure. */
static json_t *comparison_page(const struct comparison *c, struct campaign *store, struct err *err)
{
    json_t *runs = json_array();
    json_t *page = JSON_OF({ "kind", JSON("compare") }, { "version", JSON(ANOLE_VERSION) },
                           JSON_FIELD(c, title), { "runs", runs });

    for (uint32_t v = 0; v < c->variants->count; v++) {
        json_t *run = load_variant(c, store, &c->variants->list[v], err);

        if (!run) {
            json_decref(page);
            return NULL;
        }
        json_array_append_new(runs, run);
    }
    json_object_set_new(page, "comparison", comparison_json(c, true, NULL));
    page_put_command(page, c->argc, c->argv);
    return page;
}

int comparison_write(const struct comparison *c, struct campaign *store, const struct comparison_extra *extra,
                     struct outdir *dir, struct err *err)
{
    FILE *page = outdir_file(dir, "report.html", err);
    FILE *csv = page ? outdir_file(dir, "comparison.csv", err) : NULL;
    FILE *json = csv ? outdir_file(dir, "comparison.json", err) : NULL;
    FILE *charts = json ? outdir_file(dir, "charts.json", err) : NULL;
    json_t *made = charts ? comparison_page(c, store, err) : NULL;

    if (!made) {
        json_decref(extra ? extra->sweep : NULL);
        return -EIO;
    }
    if (extra) {
        json_object_set_new(made, "sweep", extra->sweep);
        json_object_set_new(json_object_get(made, "comparison"), "answer", card_json(extra->answer));
    }
    page_print(made, page);
    page_print_charts(made, charts);
    json_decref(made);
    comparison_print_csv(c, csv, true);
    comparison_print_json(c, json, true, extra ? extra->answer : NULL);
    return 0;
}
