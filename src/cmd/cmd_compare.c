/* src/cmd/cmd_compare.c - anole compare: runs variants of a scenario with many seeds and finds the
 * differences that are more than chance. */
#include "campaign/compare.h"
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "cmd/campaign_options.h"

#define SEEDS_DEFAULT 5

struct options {
    struct compare_request request;
    enum cmd_format        format;
    bool                   is_digest;    /* --digest: print digests and run nothing */
};

static void add_variant(void *options, const char *text)
{
    struct options *o = options;
    struct err      err;

    if (axis_add_variant(&o->request.common.named, text, &err))
        cmd_usage("%s", err.text);
}

static const struct cmd_option option_rows[] = {
    { .help = "Variants:" },
    CAMPAIGN_VARY("One variant for each value; KEY as for --set. Repeatable: all combinations"),
    { "variant", 0, "NAME:KEY=VALUE,...", "A named variant with several settings; NAME alone is the "
      "scenario as it is. Repeatable", .add = add_variant },
    { "baseline", 'b', "NAME", "The variant that others are compared with (default: the first)",
      KEY_AT(struct options, request.baseline) },
    CMD_GOAL(struct options, request.goal, "all main figures count"),
    CAMPAIGN_OPTIONS("variant", "5", "Figures to print; names may contain * (default: a dozen)",
                     "report.html, comparison.csv, comparison.json, and runs.csv"),
    { "digest", 0, NULL, "Run nothing: print a digest of what each variant resolves to, with all defaults, files "
      "and models", KEY_AT(struct options, is_digest) },
    CMD_FORMATS(struct options, format, ". csv and json have all figures unless --metrics says otherwise"),
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "scenario", CMD_LIST(struct campaign_request, path, paths) },
    .missing = "which scenarios? anole compare A.yaml B.yaml; see anole compare --help",
    .args = "SCENARIO.yaml...",
    .help =
        "Runs variants of a scenario, each with several seeds and in parallel, and prints which one to use "
        "and why: means over the seeds, changes to the baseline with 95 % confidence intervals, and which "
        "changes are clear. All variants of one seed have the same flows. Variants with other traffic than "
        "the baseline's are shown next to it, without a verdict."
            "\v"
        "Examples:\n"
        "  anole compare a.yaml b.yaml --seeds 10\n"
        "      Two scenarios: judged if they send the same flows, else side by side.\n"
        "  anole compare s.yaml --vary kmin=100KB,400KB --vary kmax=1MB,4MB -o results\n"
        "      Four settings, and a report on all of them.\n"
        "  anole compare s.yaml --variant default --variant big:kmin=1MB,kmax=4MB\n"
        "      Named settings.\n"
        "\n"
        "Run an interrupted comparison again with the same command to resume it: finished runs are in the "
        "file of --store.",
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

static int print_digests(const struct options *o, struct err *err)
{
    struct plan plan;
    int         rc = plan_open(&plan, &o->request.common, NULL, 0, VARIANTS_MAX, err);

    for (uint32_t i = 0; !rc && i < plan.variants.count; i++) {
        struct digest digest;
        char          text[DIGEST_TEXT_SIZE];

        rc = variant_resolve(&plan.variants.list[i], &o->request.common.seed[0], &digest, err);
        if (!rc)
            printf("%s %s\n", digest_text(text, &digest), plan.variants.list[i].name);
    }
    plan_close(&plan);
    return rc;
}

static int compare_main(int argc, char **argv)
{
    struct options o = { 0 };
    struct compare c;
    struct err err;
    int rc;

    executor_hush_worker();
    cmd_parse(&line, argc, argv, &o);
    if (!o.request.common.seeds)
        campaign_count_seeds(&o.request.common, SEEDS_DEFAULT);
    o.request.argc = argc;
    o.request.argv = argv;
    if (o.is_digest) {
        rc = print_digests(&o, &err);
        campaign_request_fini(&o.request.common);
        return cmd_end(rc, &err);
    }
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
