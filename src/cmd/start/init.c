/* src/cmd/start/init.c - anole init: a scenario to begin with. */
#include "base/file/outfile.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "run/examples.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEMPLATE_BYTES_MAX (1u << 20)

struct options { const char *name, *out; };

static const struct argp_option option_rows[] = {
    { "out", 'o', "FILE", 0, "Where to (default: NAME.yaml here)", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'o':          o->out = arg;                                    break;
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
    struct example *list;
    uint32_t        count = examples_list(&list);
    const char    **names = xcalloc(count + 1ul, sizeof *names), *near;

    for (uint32_t i = 0; i < count; i++)
        names[i] = list[i].name;
    near = text_nearest(name, names);
    err_set(err, ENOENT, "there is no scenario '%.60s' to begin with%s%s%s", name, near ? "; did you mean '" : "; see anole list scenario",
            near ? near : "", near ? "'?" : "");
    free(names);
    examples_free(list, count);
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
    if (!rc) {
        safe_printf(stdout, "%s: run it with anole run %s", o.out ? o.out : to, o.out ? o.out : to);
        putchar('\n');
    }
    return cmd_end(rc, &err);
}

const struct command command_init = { "init", "write a scenario to begin with", init_main };
