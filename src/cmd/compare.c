/* src/cmd/compare.c - anole compare: runs variants of a scenario with many seeds and tells which
 * differences are more than chance. */
#include "campaign/compare.h"
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "cmd/campaign_options.h"

#define SEEDS_DEFAULT 5

struct options {
    struct compare_request request;
    enum cmd_format        format;
};

enum { KEY_BASELINE = 'b', KEY_VARIANT = KEY_OWN };

static const struct argp_option option_rows[] = {
    { "vary", KEY_VARY, "KEY=A,B,C", 0,
      "One variant for each value; KEY as for --set. Given more than once: all "
      "combinations",
      0 },
    { "variant", KEY_VARIANT, "NAME:KEY=VALUE,...", 0,
      "A variant with a name and several settings; NAME alone is the "
      "scenario as it is. May be given more than once",
      0 },
    { "baseline", KEY_BASELINE, "NAME", 0, "The variant that others are compared with (default: the first)", 0 },
    CAMPAIGN_OPTIONS("variant", "5", "The figures to print; names may have * in them (default: a dozen)",
                     "report.html, comparison.csv, comparison.json and runs.csv",
                     "How the comparison is printed (default: table). csv and json have all figures unless --metrics says otherwise"),
    { 0 },
};

static void add_variant(struct campaign_request *r, const char *text)
{
    struct err err;

    if (axis_add_variant(&r->named, text, &err))
        cmd_usage("%s", err.text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_VARIANT:  add_variant(&o->request.common, arg); return 0;
    case KEY_BASELINE: o->request.baseline = arg;            return 0;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which scenarios? anole compare A.yaml B.yaml; see anole compare --help");
    default:
        return campaign_take_option(&o->request.common, &o->format, key, arg);
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml...",
    .doc =
        "Runs variants of a scenario, each with several seeds and in parallel, and prints which one to use and why: means "
        "over the seeds, changes to the baseline with 95 % confidence intervals, and which changes are clear. All variants of "
        "one seed have the same flows. Variants with other traffic than the baseline's are shown next to it, without a verdict."
        "\v"
        "Examples:\n"
        "  anole compare a.yaml b.yaml --seeds 10\n"
        "      Two scenarios: judged if they send the same flows, side by side otherwise.\n"
        "  anole compare s.yaml --vary kmin=100KB,400KB --vary kmax=1MB,4MB --out results\n"
        "      Four settings, and a report over all of them.\n"
        "  anole compare s.yaml --variant default --variant fast:rpg_ai_rate=50,kmin=1MB\n"
        "      Named settings.\n"
        "\n"
        "Run an interrupted comparison again with the same command to resume it: finished runs are in the file of --store.",
};

static void print(const struct options *o, const struct comparison *c)
{
    const struct campaign_request *r = &o->request.common;
    bool all = !r->metrics;

    switch (o->format) {
    case FORMAT_TABLE: comparison_print_table(c, stdout, cmd_has_colour(stdout)); break;
    case FORMAT_CSV:   comparison_print_csv(c, stdout, all);                      break;
    case FORMAT_JSON:  comparison_print_json(c, stdout, all, NULL);               break;
    }
    if (o->format == FORMAT_TABLE && r->out)
        printf("\nReport: %s/report.html\n", safe_name(r->out).buf);
}

static int compare_main(int argc, char **argv)
{
    struct options o = { 0 };
    struct compare c;
    struct err err;
    int rc;

    executor_hush_worker();
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (!o.request.common.seeds)
        campaign_count_seeds(&o.request.common, SEEDS_DEFAULT);
    o.request.argc = argc;
    o.request.argv = argv;
    interrupt_catch();
    rc = compare_run(&c, &o.request, &err);
    if (!rc && !o.request.common.is_quiet && !executor_is_worker())
        print(&o, &c.comparison);
    compare_close(&c);
    if (rc <= 0)                 /* a signal ends all ranks */
        executor_dismiss();
    campaign_request_fini(&o.request.common);
    return cmd_end(rc, &err);
}

const struct command command_compare = { "compare", "compare variants of a scenario over several seeds",
                                         compare_main };
