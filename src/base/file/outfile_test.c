#include "base/file/outfile.h"
#include "base/file/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/outfile_test.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/outfile_test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/fct.txt", folder);
    return 0;
}

/* Fails if the test has left any other file. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_text(const char *text)
{
    char is[64] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    assert_true(fgets(is, sizeof(is), f) != NULL);
    fclose(f);
    assert_string_equal(is, text);
}

static void commit__replaces_the_file_at_the_end(void **state)
{
    struct outfile f;
    struct err err;

    (void)state;
    write_text("old");
    assert_int_equal(outfile_open(&f, path, &err), 0);
    fputs("new", f.stream);
    assert_int_equal(outfile_close(&f, &err), 0);
    assert_text("old");
    assert_int_equal(outfile_commit(&f, &err), 0);
    assert_text("new");
}

static void write__replaces_the_file_or_returns_the_reason(void **state)
{
    struct err err;

    (void)state;
    write_text("old");
    assert_int_equal(outfile_write(path, "newest", 3, &err), 0);
    assert_text("new");
    assert_int_equal(outfile_write("/dev/null", "x", 1, &err), -EINVAL);
    assert_string_equal(err.text, "/dev/null: exists and is not a regular file");
    assert_int_equal(outfile_write("/dev/null/x", "x", 1, &err), -ENOTDIR);
}

static void abort__leaves_the_file_as_it_was(void **state)
{
    struct outfile f;
    struct err err;

    (void)state;
    write_text("old");
    assert_int_equal(outfile_open(&f, path, &err), 0);
    fputs("new", f.stream);
    outfile_abort(&f);
    assert_text("old");
}

/* Runs in a child, because the process must exit afterwards, as it would in a signal handler. */
static void abort_all__removes_open_files(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        struct outfile f;

        if (outfile_open(&f, path, NULL) || access(scratch_path(f.scratch), F_OK))
            _exit(1);
        scratch_remove_all_on_signal();
        _exit(access(scratch_path(f.scratch), F_OK) ? 0 : 2);
    }
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_int_equal(0, status);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void commit__follows_a_link(void **state)
{
    char link[80];
    struct outfile f;
    struct stat s;
    struct err err;

    (void)state;
    snprintf(link, sizeof(link), "%s/link", folder);
    write_text("old");
    assert_int_equal(symlink("fct.txt", link), 0);
    assert_int_equal(outfile_open(&f, link, &err), 0);
    fputs("new", f.stream);
    assert_int_equal(outfile_close(&f, &err), 0);
    assert_int_equal(outfile_commit(&f, &err), 0);
    assert_int_equal(lstat(link, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_text("new");
    unlink(link);
}

static void open__refuses_a_folder_and_a_device(void **state)
{
    struct outfile f;
    struct err err;

    (void)state;
    assert_true(outfile_open(&f, folder, &err) < 0);
    assert_non_null(strstr(err.text, "is not a regular file"));
    assert_true(outfile_open(&f, "/dev/null", &err) < 0);
}

static void close__reports_a_full_disk(void **state)
{
    struct outfile f;
    struct err err;

    (void)state;
    assert_int_equal(outfile_open(&f, path, &err), 0);
    if (!freopen("/dev/full", "w", f.stream))
        skip();
    fputs("new", f.stream);
    assert_true(outfile_close(&f, &err) < 0);
    assert_non_null(strstr(err.text, "No space left"));
    outfile_abort(&f);
}

static void commit__of_an_unopened_file_succeeds(void **state)
{
    struct outfile f = { 0 };
    struct err err;

    (void)state;
    assert_int_equal(outfile_close(&f, &err), 0);
    assert_int_equal(outfile_commit(&f, &err), 0);
    outfile_abort(&f);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(commit__replaces_the_file_at_the_end),
        IN_FOLDER(write__replaces_the_file_or_returns_the_reason),
        IN_FOLDER(abort__leaves_the_file_as_it_was),
        IN_FOLDER(abort_all__removes_open_files),
        IN_FOLDER(commit__follows_a_link),
        IN_FOLDER(open__refuses_a_folder_and_a_device),
        IN_FOLDER(close__reports_a_full_disk),
        cmocka_unit_test(commit__of_an_unopened_file_succeeds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
