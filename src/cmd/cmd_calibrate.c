/* src/cmd/cmd_calibrate.c - anole calibrate: fits a scenario's host and link parameters to measurements. */
#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "peers/measured.h"
#include "base/least_squares.h"
#include "study/report/metrics.h"
#include "study/run/progress.h"
#include "study/run/simulation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char  *measurements, *scenario;
    const char **set;
    uint32_t     sets;
    /* Parameters: keys (several with commas have the same value), bounds, and the unit behind the numbers. */
    char        *keys[LEAST_SQUARES_PARAMETERS_MAX];
    double       low[LEAST_SQUARES_PARAMETERS_MAX], high[LEAST_SQUARES_PARAMETERS_MAX];
    char         unit[LEAST_SQUARES_PARAMETERS_MAX][16];
    uint32_t     parameters;
    bool         is_json;
};

/* Reads "10KB"; returns what follows, or NULL. */
static const char *read_bound(const char *text, double *value, char unit[16])
{
    char  *end;

    *value = strtod(text, &end);
    size_t letters = strspn(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    if (end == text || letters == 0 || letters > 15)
        return NULL;
    snprintf(unit, 16, "%.*s", (int)letters, end);
    return end + letters;
}

/* "host.tx_fifo=10KB..200KB" */
static void add_parameter(void *into, const char *text)
{
    struct options   *o = into;
    uint32_t          n = o->parameters;
    const char       *value = strchr(text, '='), *at;
    char              unit[16] = "";

    if (n == LEAST_SQUARES_PARAMETERS_MAX)
        cmd_usage("--fit: at most %d parameters", LEAST_SQUARES_PARAMETERS_MAX);
    at = value && value != text ? read_bound(value + 1, &o->low[n], o->unit[n]) : NULL;
    at = at && strncmp(at, "..", 2) == 0 ? read_bound(at + 2, &o->high[n], unit) : NULL;
    if (!at || *at || strcmp(unit, o->unit[n]) != 0 || !(o->low[n] > 0) || !(o->high[n] > o->low[n]))
        cmd_usage("--fit: '%s' is not KEY=LOW..HIGH with one unit, such as topology.delay=100ns..5000ns",
                  text);
    o->keys[o->parameters++] = strndup(text, (size_t)(value - text));
}

static const struct cmd_option option_rows[] = {
    { "scenario", 'S', "FILE", "What was measured, as a scenario", KEY_AT(struct options, scenario) },
    { "fit", 0, "KEY=LOW..HIGH", "A parameter that may change, and between which values: "
      "topology.delay=100ns..5000ns. Several keys with commas share a value. Repeatable",
      .add = add_parameter },
    CMD_SET(struct options, set, sets),
    CMD_FORMAT(struct options, is_json),
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "file of measurements", KEY_AT(struct options, measurements) },
    .missing = "which measurements? anole calibrate FILE --scenario FILE --fit KEY=LOW..HIGH; see anole "
               "calibrate --help",
    .args = "MEASUREMENTS",
    .help = "Fits parameters of hosts and links to figures that were measured: output of perftest or "
            "nccl-tests as printed, or CSV with columns 'figure', 'measured' and a column for each scenario "
            "key that differs. Only parameters of --fit change. They are fitted to one part of the "
            "measurements (every second one, or those with 'fit' in a column 'part'), with 95 % intervals; "
            "the others are predicted, and the errors printed. Refuses to fit what the measurements cannot "
            "tell."
            "\v"
            "Examples:\n"
            "  anole calibrate ib_write_bw.txt --scenario pair.yaml \\\n"
            "        --fit topology.delay=100ns..5000ns\n"
            "      The delay of links, from the bandwidth of small messages.\n"
            "  anole calibrate measured.csv --scenario kv.yaml \\\n"
            "        --fit host.tx_fifo=10KB..200KB --fit traffic.0.read_delay=100ns..9000ns\n",
};

/* ---- predicting ---- */

struct fitted_world {
    const struct options       *options;
    const struct scenario_file *file;
    const struct measured      *measured;
    uint32_t                   *row, rows;   /* those that are predicted */
    uint32_t                    simulations; /* so far */
    struct progress             progress;
};

static double figure_of(const struct results *r, const char *name)
{
    uint32_t       count;
    struct metric *list = metrics_new(r, &count);
    double         value = NAN;

    for (uint32_t i = 0; i < count && !isfinite(value); i++) {
        const char *dot = strrchr(list[i].name, '.');    /* a traffic entry's name may stand before it */

        if (strcmp(list[i].name, name) == 0 || (dot && strcmp(dot + 1, name) == 0))
            value = list[i].value;
    }
    free(list);
    return value;
}

/* nccl-tests print the size of all that a rank sends in an all-to-all. A scenario has that of a pair. */
static int check_collective(const struct fitted_world *w, const struct measured_row *row,
                            const struct scenario *s, struct err *err)
{
    char   printed[32], meant[32];
    double bytes = (double)s->entry[0].collective_bytes;

    if (!row->collective_bytes || !bytes || fabs(bytes / row->collective_bytes - 1) < 0.01)
        return 0;
    return err_set(err, EINVAL,
                   "%s:%u: nccl-tests print %s, but as 'size' of this collective that is %s in all; give CSV "
                   "with figure, measured and traffic.0.size", w->options->measurements, row->line,
                   text_from_bytes(printed, sizeof printed, row->collective_bytes),
                   text_from_bytes(meant, sizeof meant, bytes));
}

static int simulate(struct fitted_world *w, const char *const *set, uint32_t sets,
                    const struct measured_row *row, double *figure, struct err *err)
{
    struct simulation_input input = scenario_file_input(w->file);
    struct simulation       simulation;
    struct results          results;
    char                    what[48];

    input.set = set;
    input.sets = sets;
    input.threads = 1;
    int rc = simulation_open(&simulation, &input, err);
    if (rc)
        return rc;
    rc = check_collective(w, row, &simulation.scenario, err);
    if (rc) {
        simulation_close(&simulation);
        return rc;
    }
    snprintf(what, sizeof(what), "simulation %u: ", ++w->simulations);
    interrupt_watch(sim_clock(simulation.sim));
    progress_next(&w->progress, what);
    simulation_run(&simulation, NULL, &w->progress);
    w->progress.what = NULL;
    interrupt_watch(NULL);
    rc = simulation_failed(&simulation, err);
    results_init(&results, &simulation);
    *figure = figure_of(&results, row->figure);
    if (!rc && !(*figure > 0))
        rc = err_set(err, EINVAL, "%s:%u: the run has no figure '%s', or it is 0; see anole list figure",
                     w->options->measurements, row->line, safe_name(row->figure).buf);
    results_fini(&results);
    simulation_close(&simulation);
    return rc;
}

/* The --set texts of a parameter, one for each key. */
static void add_values(const struct options *o, const double *value, const char ***set, uint32_t *sets)
{
    for (uint32_t i = 0; i < o->parameters; i++) {
        char *keys = xstrdup(o->keys[i]), *rest = keys, *key;

        while ((key = strsep(&rest, ","))) {
            char text[256];

            snprintf(text, sizeof(text), "%s=%.6g%s", key, value[i], o->unit[i]);
            cmd_add_text(set, sets, xstrdup(text));
        }
        free(keys);
    }
}

static int predict(void *arg, const double *value, double *figure, struct err *err)
{
    struct fitted_world  *w = arg;
    const struct options *o = w->options;
    int                   rc = 0;

    for (uint32_t i = 0; i < w->rows && !rc; i++) {
        const struct measured_row *row = &w->measured->row[w->row[i]];
        const char               **set = NULL;
        uint32_t                   sets = 0, own;

        for (uint32_t k = 0; k < o->sets; k++)
            cmd_add_text(&set, &sets, o->set[k]);
        for (uint32_t k = 0; k < row->sets; k++)
            cmd_add_text(&set, &sets, row->set[k]);
        own = sets;
        add_values(o, value, &set, &sets);
        rc = simulate(w, set, sets, row, &figure[i], err);
        for (uint32_t k = own; k < sets; k++)
            free((char *)set[k]);
        free(set);
    }
    return rc;
}

/* ---- printing ---- */

static void print_fit(const struct options *o, const struct least_squares_fit *f, uint32_t rows)
{
    printf("Fitted to %u measurements, %u simulations; 95 %% intervals\n", rows, f->predictions * rows);
    for (uint32_t i = 0; i < o->parameters; i++)
        printf("  %s=%.4g%s  [%.4g, %.4g]%s\n", o->keys[i], f->value[i], o->unit[i], f->low[i], f->high[i],
               f->value[i] < 1.001 * o->low[i] || f->value[i] > 0.999 * o->high[i]
                   ? "  at the bound that was given" : "");
    printf("  errors there: %.2f %% (root mean square)\n", 100 * (exp(f->rms) - 1));
}

static void print_checks(const struct fitted_world *w, const double *figure)
{
    double worst = 0, sum = 0;

    if (w->rows == 0) {
        printf("Nothing was held back: how far predictions are off is not known\n");
        return;
    }
    printf("Predicted, not fitted\n");
    for (uint32_t i = 0; i < w->rows; i++) {
        const struct measured_row *row = &w->measured->row[w->row[i]];
        double                     error = 100 * (figure[i] / row->value - 1);

        worst = fabs(error) > fabs(worst) ? error : worst;
        sum += error * error;
        printf("  %+7.2f %%  %s %.4g, measured %.4g ", error, safe_name(row->figure).buf, figure[i],
               row->value);
        for (uint32_t k = 0; k < row->sets; k++)
            printf(" %s", safe_name(row->set[k]).buf);
        printf("\n");
    }
    printf("  errors there: %.2f %% (root mean square), %+.2f %% at worst\n", sqrt(sum / w->rows), worst);
}

static json_t *json_of(const struct fitted_world *w, const struct least_squares_fit *f, const double *figure)
{
    json_t *fitted = json_array(), *predicted = json_array();

    for (uint32_t i = 0; i < w->options->parameters; i++)
        JSON_ADD(fitted, { "keys", JSON(w->options->keys[i]) }, { "value", JSON(f->value[i]) },
                 { "low", JSON(f->low[i]) }, { "high", JSON(f->high[i]) },
                 { "unit", JSON(w->options->unit[i]) });
    for (uint32_t i = 0; i < w->rows; i++) {
        const struct measured_row *row = &w->measured->row[w->row[i]];

        JSON_ADD(predicted, JSON_FIELD(row, line), JSON_FIELD(row, figure), { "measured", JSON(row->value) },
                 { "predicted", JSON(figure[i]) },
                 { "error_pct", JSON(100 * (figure[i] / row->value - 1)) });
    }
    return JSON_OF({ "kind", JSON(w->measured->kind) }, { "fitted", fitted },
                   { "fitted_rms_pct", JSON(100 * (exp(f->rms) - 1)) }, { "predicted", predicted });
}

/* ---- from options to exit status ---- */

static void choose(struct fitted_world *w, bool is_fitted)
{
    w->rows = 0;
    for (uint32_t i = 0; i < w->measured->rows; i++)
        if (w->measured->row[i].is_fitted == is_fitted)
            w->row[w->rows++] = i;
}

static int calibrate(struct fitted_world *w, struct err *err)
{
    const struct options    *o = w->options;
    double                  *value = xcalloc(w->measured->rows + 1ul, sizeof(*value));
    struct least_squares     p = { o->parameters, 0, (const char *const *)o->keys, o->low, o->high, value,
                                   predict, w };
    struct least_squares_fit fit;

    progress_start(&w->progress, true);
    choose(w, true);
    for (uint32_t i = 0; i < w->rows; i++)
        value[i] = w->measured->row[w->row[i]].value;
    p.figures = w->rows;
    int rc = least_squares(&p, &fit, err);
    choose(w, false);
    rc = rc ? rc : predict(w, fit.value, value, err);
    progress_clear(&w->progress);
    if (!rc && o->is_json) {
        cmd_print_json(json_of(w, &fit, value));
    } else if (!rc) {
        print_fit(o, &fit, p.figures);
        print_checks(w, value);
    }
    free(value);
    return rc;
}

static int calibrate_main(int argc, char **argv)
{
    struct options       o = { 0 };
    struct scenario_file file;
    struct measured      measured;
    struct fitted_world  w = { .options = &o, .file = &file, .measured = &measured };
    struct err           err;

    cmd_parse(&line, argc, argv, &o);
    if (!o.scenario)
        cmd_usage("--scenario FILE is missing: what was measured");
    if (!o.parameters)
        cmd_usage("--fit KEY=LOW..HIGH is missing: only named parameters are fitted");
    interrupt_catch();
    int rc = scenario_file_read(&file, o.scenario, &err);
    rc = rc ? rc : measured_read(&measured, o.measurements, &err);
    if (!rc) {
        w.row = xcalloc(measured.rows + 1ul, sizeof(*w.row));
        rc = calibrate(&w, &err);
        free(w.row);
        measured_fini(&measured);
    }
    scenario_file_fini(&file);
    for (uint32_t i = 0; i < o.parameters; i++)
        free(o.keys[i]);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_calibrate = { "calibrate", "fit host and link parameters to measurements",
                                           calibrate_main };
