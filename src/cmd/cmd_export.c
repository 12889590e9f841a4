/* src/cmd/cmd_export.c - anole export: writes a learned rate control as C for a NIC. */
#include "base/nets/tree/tree_export.h"
#include "base/file/interrupt.h"
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "core/units.h"
#include "train/trees/distil.h"
#include "base/nets/policy/policy_file.h"

#include <ctype.h>
#include <string.h>

#define AS_NOTHING UINT32_MAX

static const char *const layout_names[] = { "c", "doca", NULL };

struct options {
    const char      *what, *model, *out;
    uint32_t         layout;     /* AS_NOTHING: not given */
    bool             is_distilled, is_json;
    struct rule_cfg  rule;
};

static void take_argument(void *options, const char *arg)
{
    static const char *const kinds[] = { "rlcc", NULL };
    struct options          *o = options;

    if (o->what)
        cmd_take_one(&o->model, arg, "model");
    else
        o->what = kinds[cmd_choice("export", arg, kinds)];
}

static const struct cmd_option option_rows[] = {
    { "as", 'a', "c|doca", "What to write: C without library calls, or the same with the entry points of a "
      "programmable congestion control (DOCA PCC)", KEY_AT(struct options, layout), .choices = layout_names },
    { "out", 'o', "FILE", "Write to FILE, atomically, and print a summary (default: write to standard "
      "output)", KEY_AT(struct options, out) },
    { "format", 'f', "table|json", "With --out: format of the summary (default: table)",
      KEY_AT(struct options, is_json), .choices = cmd_table_or_json },
    { "distil", 0, NULL, "First make trees from a net, like anole distil",
      KEY_AT(struct options, is_distilled) },
    { .help = "The rule around the trees:" },
    CMD_RULE(struct options, rule),
    { 0 },
};

static void check_options(const struct options *o)
{
    if (!o->model)
        cmd_usage("which model? anole export rlcc MODEL --as c; see anole export --help");
    if (o->is_json && !o->out)
        cmd_usage("--format json needs --out FILE");
    if (o->layout == AS_NOTHING)
        cmd_usage("--as is missing: --as c or --as doca");
}

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "model", .add = take_argument },
    .args = "rlcc MODEL",
    .help = "Writes the complete decision of RL-CC's trees, from RTT to rate, as C for a NIC: no library, "
            "12 bytes per flow, no floating point, no division, no loop. It decides exactly like anole. "
            "Refuses trees that are not proven to stay within their bounds for every input."
            "\v"
            "Examples:\n"
            "  anole export rlcc trees.rlcc --as c --out rlcc.c\n"
            "      Writes the trees of anole distil.\n"
            "  anole export rlcc net.rlcc --distil --as doca --out rlcc_pcc.c\n"
            "      Converts a net to trees with default options, for DOCA PCC.\n"
            "  anole explain rlcc trees.rlcc\n"
            "      Explains the model and what is proven about it.",
};

/* Loads trees, or makes them from a net. */
static int make_trees(const struct options *o, struct policy *trees, struct distil_report *report,
                      struct err *err)
{
    struct policy p;
    struct err    why;
    int           rc = policy_load(&p, o->model, err);

    if (rc)
        return rc;
    if (p.body == POLICY_TREES) {
        *trees = p;
        return 0;
    }
    if (o->is_distilled) {
        rc = distil_trees(trees, &p, &distil_initial, NULL, report, &why);
        rc = rc ? err_set(err, -rc, "%s: %s", o->model, why.text) : 0;
    } else
        rc = err_set(err, EINVAL, "%s: the model is an %s, not trees; add --distil, or use anole distil",
                     o->model, policy_body_name[p.body]);
    policy_fini(&p);
    return rc;
}

/* The file name goes into a C comment, so characters that could end the comment are replaced. */
static void make_title(char *title, size_t size, const char *model)
{
    int used = snprintf(title, size, "RL-CC in integers, made by anole export rlcc of ");

    for (const char *c = text_base_name(model); *c && (size_t)used < size - 1; c++)
        title[used++] = isalnum((unsigned char)*c) || strchr("._-", *c) ? *c : '?';
    title[used] = 0;
}

static int write_code(const struct options *o, FILE *out, const struct policy *trees, struct err *err)
{
    struct rule_params params;
    char               title[256];
    struct err         why;
    int                rc = rule_params_make(&params, &o->rule, err);

    if (rc)
        return rc;
    make_title(title, sizeof(title), o->model);
    rc = tree_export(out, (enum tree_export_layout)o->layout, &trees->trees, &params, title, &why);
    return rc ? err_set(err, -rc, "%s: %s", o->model, why.text) : 0;
}

static int write_file(const struct options *o, const struct policy *trees, struct err *err)
{
    struct outfile file;
    int rc = outfile_open(&file, o->out, err);

    if (rc)
        return rc;
    rc = write_code(o, file.stream, trees, err);
    interrupt_hold();
    rc = outfile_end(&file, rc, err);
    interrupt_end();
    return rc;
}

/* The rule is right: the code has been written with it. */
static void print_summary(const struct options *o, const struct policy *trees,
                          const struct distil_report *report)
{
    struct rule_params params;
    struct certificate c;
    bool               is_made = report->rows > 0;

    if (!is_made && rule_params_make(&params, &o->rule, NULL) == 0)
        certify_rule(&c, &trees->trees, &params);
    if (o->is_json) {
        cmd_print_json(JSON_OF(JSON_FIELD(o, model), { "as", JSON(layout_names[o->layout]) },
                               JSON_FIELD(o, out),
                               { is_made ? "distilled" : "certificate",
                                 is_made ? distil_json(report) : certificate_json(&c) },
                               { "cost", forest_cost_json(&trees->trees) }));
        return;
    }
    if (is_made)
        distil_print(stdout, report, &trees->trees);
    else
        certify_print(stdout, &c);
    tree_export_print_cost(stdout, &trees->trees);
}

static int export_main(int argc, char **argv)
{
    struct options       o = { .layout = AS_NOTHING };
    struct distil_report report = { 0 };
    struct policy        trees;
    struct err           err;

    cmd_parse(&line, argc, argv, &o);
    check_options(&o);
    interrupt_catch();
    int rc = make_trees(&o, &trees, &report, &err);
    if (rc)
        return cmd_end(rc, &err);
    rc = o.out ? write_file(&o, &trees, &err) : write_code(&o, stdout, &trees, &err);
    if (!rc && o.out)
        print_summary(&o, &trees, &report);
    policy_fini(&trees);
    return cmd_end(rc, &err);
}

const struct command command_export = { "export", "write a learned rate control as C code for a NIC",
                                        export_main };
