#include "cmd/cmd.h"
#include "base/key.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "version.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cmd_usage(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("anole: ", stderr);
    safe_vprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_USAGE);
}

void cmd_print_warnings(const char *text)
{
    char *copy = text ? xstrdup(text) : NULL, *rest = copy, *line;

    while ((line = strsep(&rest, "\n")))
        if (*line || rest)
            fprintf(stderr, "anole: warning: %s\n", safe_name(line).buf);
    free(copy);
}

int cmd_close_stdout(void)
{
    int failed, code;

    errno = 0;
    failed = ferror(stdout);
    failed |= fclose(stdout);
    code = errno;                /* 0: an earlier write failed, for an unknown reason */
    if (!failed)
        return EXIT_SUCCESS;
    fprintf(stderr, "anole: standard output: %s\n", code ? strerror(code) : "could not be written");
    return EXIT_FAILED;
}

int cmd_end(int rc, const struct err *err)
{
    if (rc == 0)
        return cmd_close_stdout();
    fprintf(stderr, "anole: %s\n", err->text);
    if (isatty(STDERR_FILENO))
        excerpt_print(stderr, err->text);
    return rc > 0 ? 128 + rc : EXIT_FAILED;
}

bool cmd_has_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return isatty(fileno(out)) && !(no && *no) && !(terminal && strcmp(terminal, "dumb") == 0);
}

uint64_t cmd_count(const char *option, const char *text, uint64_t min, uint64_t max)
{
    struct key_row   row = { .name = option, .unit = KEY_COUNT, .min = (double)min, .max = (double)max };
    struct key_value count;
    struct err       err;

    if (key_parse(&row, text, &count, &err))
        cmd_usage("%s", err.text);
    return count.whole;
}

int cmd_choice(const char *option, const char *word, const char *const *names)
{
    char hint[300];

    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    cmd_usage("%s: unknown value '%s'%s", option, word, text_names(hint, sizeof(hint), word, names));
}

void cmd_take_one(const char **taken, const char *arg, const char *what)
{
    if (*taken)
        cmd_usage("one %s at a time: '%s' and '%s'", what, *taken, arg);
    *taken = arg;
}

void cmd_add_text(const char ***list, uint32_t *count, const char *text)
{
    *list = xrealloc(*list, (*count + 1) * sizeof(**list));
    (*list)[(*count)++] = text;
}

/* ---- options ---- */

#define KEY_FIRST 256            /* argp's key of an option without a letter: KEY_FIRST + row */

const char *const cmd_table_or_json[] = { "table", "json", NULL };
const char *const cmd_table_csv_or_json[] = { "table", "csv", "json", NULL };

struct parse { const struct cmd_line *line; void *into; };

static bool is_end(const struct cmd_option *o)
{
    return !o->name && !o->help;
}

static int key_of(const struct cmd_option *table, const struct cmd_option *o)
{
    return !o->name ? 0 : o->letter ? o->letter : KEY_FIRST + (int)(o - table);
}

static void add_text(const struct cmd_option *o, const char *text, void *into)
{
    const char ***list = (const char ***)(void *)((char *)into + o->at.offset);
    uint32_t     *count = (uint32_t *)(void *)((char *)into + o->count_at);

    if (o->arg && strchr(o->arg, '=') && !strchr(text, '='))
        cmd_usage("--set: '%s' has no '='; write --set kmin=200KB", text);
    cmd_add_text(list, count, text);
}

static void store(const struct cmd_option *o, const char *text, void *into)
{
    char             name[40];
    struct key_row   row = { .name = name, .unit = o->unit, .at = o->at, .min = o->min, .max = o->max };
    struct key_value value = { .whole = 1 };
    struct err       why;

    snprintf(name, sizeof name, "--%s", o->name);
    if (o->given_at)
        *(bool *)(void *)((char *)into + o->given_at) = true;
    if (o->add)
        o->add(into, text);
    else if (o->is_list)
        add_text(o, text, into);
    else {
        if (o->choices)
            value.whole = (uint64_t)cmd_choice(name, text, o->choices);
        else if (o->arg && key_parse(&row, text, &value, &why))
            cmd_usage("%s", why.text);
        value.real /= o->per > 0 ? o->per : 1;
        key_store(&row, &value, into);
    }
}

static void store_argument(const struct cmd_option *o, const char *text, void *into)
{
    if (!o->name)
        cmd_usage("'%s' is one argument too many", text);
    else if (o->add)
        o->add(into, text);
    else if (o->is_list)
        add_text(o, text, into);
    else
        cmd_take_one((const char **)(void *)((char *)into + o->at.offset), text, o->name);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    const struct parse *p = state->input;

    if (key == ARGP_KEY_ARG) {
        store_argument(&p->line->argument, text, p->into);
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS && p->line->missing)
        cmd_usage("%s", p->line->missing);
    for (const struct cmd_option *o = p->line->options; !is_end(o); o++)
        if (o->name && key_of(p->line->options, o) == key) {
            store(o, text, p->into);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

void cmd_parse(const struct cmd_line *line, int argc, char **argv, void *into)
{
    struct argp_option *rows;
    size_t              count = 0;

    while (!is_end(&line->options[count]))
        count++;
    argp_program_version = "anole " ANOLE_VERSION;
    argp_err_exit_status = EXIT_USAGE;
    setenv("ARGP_HELP_FMT", "header-col=0,no-dup-args-note", 0);
    rows = xcalloc(count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const struct cmd_option *o = &line->options[i];

        rows[i] = (struct argp_option){ o->name, key_of(line->options, o), o->arg, 0, o->help, 0 };
    }
    argp_parse(&(struct argp){ .options = rows, .parser = parse_option, .args_doc = line->args,
                               .doc = line->help },
               argc, argv, 0, NULL, &(struct parse){ line, into });
    free(rows);
}
