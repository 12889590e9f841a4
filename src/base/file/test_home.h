/* src/base/file/test_home.h - a temporary working folder for a test, removed afterwards. */
#ifndef BASE_FILE_TEST_HOME_H
#define BASE_FILE_TEST_HOME_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char home[100];

/* Creates the folder and changes to it. */
static inline int enter_home(void **unused)
{
    (void)unused;
    snprintf(home, sizeof(home), "/tmp/anole-test-XXXXXX");
    return !mkdtemp(home) || chdir(home) ? -1 : 0;
}

static inline int leave_home(void **unused)
{
    char command[200];

    (void)unused;
    snprintf(command, sizeof(command), "rm -rf '%s'", home);
    return chdir("/") || system(command);
}

static inline void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#endif
