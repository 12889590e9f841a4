/* src/cmd/start/init.c - anole init: a scenario to begin with. */
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "run/examples.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEMPLATE_BYTES_MAX (1u << 20)

struct options { const char *name, *out; bool is_json; };

static const struct argp_option option_rows[] = {
    { "out", 'o', "FILE", 0, "Where to (default: NAME.yaml here)", 0 },
    CMD_JSON_OPTION('f'),
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'o':          o->out = arg;                                    break;
    case 'f':          o->is_json = cmd_is_json(arg);                   break;
    case ARGP_KEY_ARG: cmd_take_one(&o->name, arg, "template");         break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "[NAME]",
    .doc = "Writes a scenario to begin with: a copy of one that comes with Anole (anole list scenario), incast without a name. A file that is there "
           "stays as it is."
           "\v"
           "Examples:\n"
           "  anole init\n"
           "  anole init dgx_h100 -o cluster.yaml\n",
};

static int no_such(const char *name, struct err *err)
{
    char *near = examples_nearest(name);

    err_set(err, ENOENT, "there is no scenario '%.60s' to begin with%s%s%s", name, near ? "; did you mean '" : "; see anole list scenario",
            near ? near : "", near ? "'?" : "");
    free(near);
    return -ENOENT;
}

static int write_copy(const char *from, const char *to, struct err *err)
{
    size_t length;
    char  *text;
    int    rc;

    if (access(to, F_OK) == 0)
        return err_set(err, EEXIST, "%s is there already", to);
    rc = text_read_file(from, TEMPLATE_BYTES_MAX, &text, &length, err);
    if (rc)
        return rc;
    rc = outfile_write(to, text, length, err);
    free(text);
    return rc;
}

static void tell(const struct options *o, const char *to)
{
    json_t *all;

    if (!o->is_json) {
        safe_printf(stdout, "%s: run it with anole run %s", to, to);
        putchar('\n');
        return;
    }
    all = json_object();
    json_put_text(all, "template", o->name);
    json_put_text(all, "out", to);
    cmd_print_json(all);
}

static int init_main(int argc, char **argv)
{
    struct options o = { 0 };
    char           to[300], *from;
    struct err     err;
    int            rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.name = o.name ? o.name : "incast";
    from = strchr(o.name, '/') ? NULL : examples_find(o.name);
    snprintf(to, sizeof to, "%.200s.yaml", o.name);
    rc = from ? write_copy(from, o.out ? o.out : to, &err) : no_such(o.name, &err);
    free(from);
    if (!rc)
        tell(&o, o.out ? o.out : to);
    return cmd_end(rc, &err);
}

const struct command command_init = { "init", "write a scenario to begin with", init_main };
