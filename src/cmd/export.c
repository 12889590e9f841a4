/* src/cmd/export.c - anole export: a learned rate control as C for a NIC. */
#include "learn/tree/tree_export.h"
#include "base/file/interrupt.h"
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "cmd/json/policy_json.h"
#include "cmd/rule_options.h"
#include "learn/policy/distil.h"
#include "learn/policy/policy_file.h"

#include <argp.h>
#include <ctype.h>
#include <string.h>

static const char *const layout_names[] = { "c", "doca", NULL };

struct options {
    const char      *what, *model, *out;
    int              layout;     /* -1: not said */
    bool             is_distilled, is_json;
    struct rule_cfg  rule;
};

enum { KEY_AS = 'a', KEY_OUT = 'o', KEY_FORMAT = 'f', KEY_DISTIL = 256 };

static const struct argp_option option_rows[] = {
    { "as", KEY_AS, "c|doca", 0, "What to write: C that needs no library, or the same with the entry points of a "
      "programmable congestion control (DOCA PCC)", 0 },
    { "out", KEY_OUT, "FILE", 0, "Write into FILE, whole or not at all, and tell about it. Without: to standard output",
      0 },
    { "format", KEY_FORMAT, "table|json", 0, "With --out: how it is told (default: table)", 0 },
    { "distil", KEY_DISTIL, NULL, 0, "Make trees of a net first, as anole distil does", 0 },
    { 0 },
};

static void take_argument(struct options *o, const char *arg)
{
    static const char *const kinds[] = { "rlcc", NULL };

    if (o->what)
        cmd_take_one(&o->model, arg, "model");
    else {
        cmd_choice(NULL, "not what can be exported", arg, kinds);
        o->what = arg;
    }
}

static void check_options(const struct options *o)
{
    if (!o->model)
        cmd_usage("which model? anole export rlcc MODEL --as c; see anole export --help");
    if (o->is_json && !o->out)
        cmd_usage("--format json: what is told of an export comes with --out FILE");
    if (o->layout < 0)
        cmd_usage("as what? say --as c or --as doca");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_FORMAT:   o->is_json = cmd_is_json(arg); break;
    case KEY_AS:       o->layout = cmd_choice("--as", "not what can be written", arg, layout_names); break;
    case KEY_OUT:      o->out = arg;                break;
    case KEY_DISTIL:   o->is_distilled = true;      break;
    case ARGP_KEY_ARG: take_argument(o, arg);       break;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->rule;
        break;
    case ARGP_KEY_END:
        check_options(o);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &rule_options_argp, 0, "The rule around the trees:", 1 }, { 0 } };

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .children = children,
    .args_doc = "rlcc MODEL",
    .doc = "Writes the whole decision of RL-CC's trees, from RTT to rate, as C for a NIC: no library, no memory but 12 "
           "bytes per flow, no floating point, no division, no loop. It decides as anole does, bit by bit. What is not "
           "proven to stay within its bounds for every input is not exported."
           "\v"
           "Examples:\n"
           "  anole export rlcc trees.rlcc --as c --out rlcc.c\n"
           "      The trees that anole distil has made.\n"
           "  anole export rlcc net.rlcc --distil --as doca --out rlcc_pcc.c\n"
           "      A net, as trees with default options, for DOCA PCC.\n"
           "  anole explain rlcc trees.rlcc\n"
           "      What it does, and what is proven of it.",
};

/* Trees, one way or the other. */
static int make_trees(const struct options *o, struct policy *trees, struct distil_report *report, struct err *err)
{
    struct policy p;
    struct err why;
    int rc = policy_load(&p, o->model, err);

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
        rc = err_set(err, EINVAL, "%s: is an %s; trees are exported: give --distil, or make them with anole distil",
                     o->model, policy_body_name[p.body]);
    policy_fini(&p);
    return rc;
}

/* The name of a file stands in a comment, which it must not end. */
static void make_title(char *title, size_t size, const char *model)
{
    const char *slash = strrchr(model, '/');
    int used = snprintf(title, size, "RL-CC in integers, made by anole export rlcc of ");

    for (const char *c = slash ? slash + 1 : model; *c && (size_t)used < size - 1; c++)
        title[used++] = isalnum((unsigned char)*c) || strchr("._-", *c) ? *c : '?';
    title[used] = 0;
}

static int write_code(const struct options *o, FILE *out, const struct policy *trees, struct err *err)
{
    struct rule_params params;
    char title[256];
    struct err why;
    int rc = rule_params_make(&params, &o->rule, err);

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
    if (!rc)
        rc = outfile_close(&file, err);
    if (!rc) {
        interrupt_hold();
        rc = outfile_commit(&file, err);
        interrupt_end();
    }
    outfile_abort(&file);
    return rc;
}

/* Of what was written into a file. */
static void tell_json(const struct options *o, const struct policy *trees, const struct distil_report *report)
{
    struct rule_params params;
    struct certificate c;
    json_t            *all = json_object();

    json_put_text(all, "model", o->model);
    json_put_text(all, "as", layout_names[o->layout]);
    json_put_text(all, "out", o->out);
    if (report->rows)
        json_object_set_new(all, "distilled", distil_json(report));
    else if (rule_params_make(&params, &o->rule, NULL) == 0) {
        certify_rule(&c, &trees->trees, &params);
        json_object_set_new(all, "certificate", certificate_json(&c));
    }
    json_object_set_new(all, "cost", forest_cost_json(&trees->trees));
    cmd_print_json(all);
}

static void tell(const struct options *o, const struct policy *trees, const struct distil_report *report)
{
    struct rule_params params;
    struct certificate c;

    if (report->rows)
        distil_print(stdout, report, &trees->trees);
    else if (rule_params_make(&params, &o->rule, NULL) == 0) {
        certify_rule(&c, &trees->trees, &params);
        certify_print(stdout, &c);
    }
    tree_export_print_cost(stdout, &trees->trees);
}

static int export_main(int argc, char **argv)
{
    struct options       o = { .layout = -1 };
    struct distil_report report = { 0 };
    struct policy        trees;
    struct err           err;
    int                  rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    interrupt_catch();
    rc = make_trees(&o, &trees, &report, &err);
    if (rc)
        return cmd_end(rc, &err);
    rc = o.out ? write_file(&o, &trees, &err) : write_code(&o, stdout, &trees, &err);
    if (!rc && o.out)
        (o.is_json ? tell_json : tell)(&o, &trees, &report);
    policy_fini(&trees);
    return cmd_end(rc, &err);
}

const struct command command_export = { "export", "write a learned rate control as C for a NIC", export_main };
