/* src/cmd/cmd_init.c - anole init: creates a scenario from an example. */
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "study/scenario/examples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEMPLATE_BYTES_MAX (1u << 20)

struct options { const char *name, *out; bool is_json; };

static const struct cmd_option option_rows[] = {
    { "out", 'o', "FILE", "File to create (default: NAME.yaml)", KEY_AT(struct options, out) },
    CMD_FORMAT(struct options, is_json),
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "template", KEY_AT(struct options, name) },
    .args = "[NAME]",
    .help = "Creates a scenario file from an example (anole list scenario; default: incast). Never "
            "overwrites an existing file."
            "\v"
            "Examples:\n"
            "  anole init\n"
            "  anole init dgx_h100 -o cluster.yaml\n",
};

static int no_such(const char *name, struct err *err)
{
    char *near = examples_nearest(name);

    err_set(err, ENOENT, "there is no scenario '%.60s' to begin with%s%s%s", name,
            near ? "; did you mean '" : "; see anole list scenario", near ? near : "", near ? "'?" : "");
    free(near);
    return -ENOENT;
}

static int write_copy(const char *from, const char *to, struct err *err)
{
    size_t length;
    char  *text;

    if (access(to, F_OK) == 0)
        return err_set(err, EEXIST, "%s already exists; choose another name with --out", to);
    int rc = text_read_file(from, TEMPLATE_BYTES_MAX, &text, &length, err);
    if (rc)
        return rc;
    rc = outfile_write(to, text, length, err);
    free(text);
    return rc;
}

static void print_next_steps(const struct options *o, const char *to)
{
    if (o->is_json) {
        cmd_print_json(JSON_OF({ "template", JSON(o->name) }, { "out", JSON(to) }));
    } else {
        safe_printf(stdout, "%s: run it with anole run %s", to, to);
        putchar('\n');
    }
}

static int init_main(int argc, char **argv)
{
    struct options o = { 0 };
    char           to[300], *from;
    struct err     err;

    cmd_parse(&line, argc, argv, &o);
    o.name = o.name ? o.name : "incast";
    from = strchr(o.name, '/') ? NULL : examples_find(o.name);
    snprintf(to, sizeof to, "%.200s.yaml", o.name);
    int rc = from ? write_copy(from, o.out ? o.out : to, &err) : no_such(o.name, &err);
    free(from);
    if (!rc)
        print_next_steps(&o, o.out ? o.out : to);
    return cmd_end(rc, &err);
}

const struct command command_init = { "init", "create a scenario file from an example", init_main };
