/* src/live/driver/kept_test.c - a file that changes, is replaced, goes and comes back. */
#include "live/driver/kept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[64], other[80];

static void put(const char *at, const char *text)
{
    FILE *f = fopen(at, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void expect(struct kept *k, const char *text)
{
    char got[16];

    assert_int_equal(kept_read(k, got, sizeof got), 0);
    assert_string_equal(got, text);
}

static void read__what_is_there_now(void **unused)
{
    struct kept k;
    char        got[16];
    int         fd;

    (void)unused;
    snprintf(path, sizeof path, "/tmp/anole-kept-%d", (int)getpid());
    snprintf(other, sizeof other, "%s.new", path);
    kept_init(&k, path);
    assert_int_equal(kept_read(&k, got, sizeof got), -ENOENT);
    assert_string_equal(got, "");
    put(path, "5\n");
    expect(&k, "5\n");
    fd = k.fd;
    put(path, "1000\n");                         /* in place */
    expect(&k, "1000\n");
    put(path, "7\n");                            /* shorter */
    expect(&k, "7\n");
    assert_int_equal(k.fd, fd);                  /* it has stayed open */
    put(other, "8\n");
    assert_int_equal(rename(other, path), 0);
    expect(&k, "8\n");
    unlink(path);
    assert_int_equal(kept_read(&k, got, sizeof got), -ENOENT);
    put(path, "0123456789abcdefghij");
    expect(&k, "0123456789abcde");               /* as much as there is room for */
    kept_fini(&k);
    kept_fini(&k);
    unlink(path);
}

/* Of the kernel's own files, which are made when they are read. */
static void read__files_of_the_kernel_are_asked_again(void **unused)
{
    struct kept k;
    char        before[64], after[64];

    (void)unused;
    kept_init(&k, "/proc/self/stat");
    assert_int_equal(kept_read(&k, before, sizeof before), 0);
    assert_int_equal(kept_read(&k, after, sizeof after), 0);
    assert_int_equal(strncmp(before, after, 4), 0);
    kept_fini(&k);
    kept_init(&k, "/proc/self/comm");
    assert_int_equal(kept_read(&k, before, sizeof before), 0);
    put("/proc/self/comm", "another");
    assert_int_equal(kept_read(&k, after, sizeof after), 0);
    assert_string_equal(after, "another\n");
    put("/proc/self/comm", before);
    kept_fini(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__what_is_there_now),
        cmocka_unit_test(read__files_of_the_kernel_are_asked_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
