#include "base/file/scratch.h"
#include "base/file/test_home.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void read__cuts_lines_and_drops_an_unfinished_one(void **unused)
{
    struct marker m;

    (void)unused;
    put(".anole", "anole run\na b\n\nhalf");
    assert_true(marker_read(&m, "."));
    assert_string_equal("anole run", m.kind);
    assert_int_equal(2, m.names);
    assert_string_equal("a b", m.name[0]);
    assert_string_equal("", m.name[1]);
    marker_fini(&m);
}

static void read__fails_without_a_regular_file(void **unused)
{
    struct marker m;

    (void)unused;
    assert_false(marker_read(&m, "."));
    assert_false(marker_read(&m, "nowhere"));
    put("elsewhere", "anole run\na\n");
    assert_int_equal(0, symlink("elsewhere", ".anole"));
    assert_false(marker_read(&m, "."));
    marker_fini(&m);
}

static void has__knows_files_by_name_and_kind(void **unused)
{
    struct marker m;

    (void)unused;
    put(".anole", "anole run\na\nfolder\nlink\ngone\n");
    put("a", "");
    put("b", "");
    mkdir("folder", 0777);
    assert_int_equal(0, symlink("a", "link"));
    assert_true(marker_read(&m, "."));
    assert_true(marker_has(&m, ".", "a"));
    assert_true(marker_has(&m, ".", ".anole"));
    assert_false(marker_has(&m, ".", "b"));
    assert_false(marker_has(&m, ".", "folder"));
    assert_false(marker_has(&m, ".", "link"));
    assert_false(marker_has(&m, ".", "gone"));
    marker_fini(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_home, leave_home)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(read__cuts_lines_and_drops_an_unfinished_one),
        TEST(read__fails_without_a_regular_file),
        TEST(has__knows_files_by_name_and_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
