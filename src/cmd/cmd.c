#include "cmd/cmd.h"
#include "base/key.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/text.h"

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

void cmd_add_set(const char ***set, uint32_t *sets, const char *text)
{
    if (!strchr(text, '='))
        cmd_usage("--set: '%s' has no '='; write --set kmin=200KB", text);
    cmd_add_text(set, sets, text);
}
