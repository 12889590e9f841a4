/* src/live/daemon/exit.c - see exit.h. */
#include "live/daemon/exit.h"
#include "base/print/excerpt.h"
#include "base/print/safe.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int exit_code(int rc, const struct err *err)
{
    if (rc < 0)
        fprintf(stderr, "anole: %s\n", err->text);
    if (rc < 0 && isatty(STDERR_FILENO))
        excerpt_print(stderr, err->text);
    return rc < 0 ? EXIT_FAILED : rc > 0 ? 128 + rc : fclose(stdout) ? EXIT_FAILED : EXIT_SUCCESS;
}

void exit_usage(const char *text, const char *word)
{
    fputs("anole: ", stderr);
    safe_printf(stderr, text, word);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}
