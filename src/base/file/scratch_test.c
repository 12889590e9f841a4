/* src/base/file/scratch_test.c - cleanup after killed owners, and fsync() before results are renamed. */
#include "base/file/scratch.h"
#include "base/file/outfile.h"
#include "base/file/test_home.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls of fsync() in order: the last part of each path, with "!" in front if "out" existed by then. */
static char synced[500];
static int  fail_sync_of;        /* the n-th call fails; 0: none */

/* Overrides the function of the C library. */
int fsync(int fd)
{
    char link[40], path[200];
    ssize_t length;
    const char *last;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    assert_true(length > 0);
    path[length] = '\0';
    last = strrchr(path, '/') + 1;
    if (strncmp(last, ".anole-", 7) == 0)
        last = "scratch";
    else if (strcmp(path, home) == 0)
        last = "home";
    snprintf(synced + strlen(synced), sizeof(synced) - strlen(synced), " %s%s",
             access("out", F_OK) == 0 ? "!" : "",
             last);
    if (fail_sync_of && --fail_sync_of == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

static int enter_clean(void **unused)
{
    synced[0] = '\0';
    fail_sync_of = 0;
    return enter_home(unused);
}

static int exists(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0;
}

static int entries(const char *path)
{
    DIR *folder = opendir(path);
    int n = -2;                  /* "." and ".." */

    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void open_and_remove(void)
{
    struct scratch *s;

    assert_int_equal(0, scratch_open(&s, "out"));
    scratch_remove(s);
}

/* Starts a process that opens a scratch with the files "a" and "b" in it, and waits. */
static pid_t start_owner(char path[static 100])
{
    int ends[2];
    ssize_t got;
    pid_t child;

    assert_int_equal(0, pipe(ends));
    child = fork();
    if (child == 0) {
        struct scratch *s;
        FILE *f;

        if (scratch_open(&s, "out") || !(f = scratch_file(s, "a", "out/a")) || !scratch_file(s, "b", "out/b"))
            _exit(1);
        fputs("half", f);
        fflush(f);
        if (write(ends[1], scratch_path(s), strlen(scratch_path(s))) > 0)
            pause();
        _exit(2);
    }
    got = read(ends[0], path, 99);
    assert_true(got > 0);
    path[got] = '\0';
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void kill_owner(pid_t child)
{
    int status;

    kill(child, SIGKILL);
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void open__removes_leftovers_of_dead_owners_only(void **unused)
{
    char path[100];
    pid_t owner = start_owner(path);

    (void)unused;
    assert_int_equal(3, entries(path));      /* plus the marker */
    open_and_remove();
    assert_int_equal(3, entries(path));
    kill_owner(owner);
    assert_int_equal(3, entries(path));
    open_and_remove();
    assert_false(exists(path));
    assert_int_equal(0, entries("."));
}

static void open__keeps_foreign_files_in_a_leftover(void **unused)
{
    char path[100], mine[120];
    pid_t owner = start_owner(path);

    (void)unused;
    kill_owner(owner);
    snprintf(mine, sizeof(mine), "%s/thesis", path);
    put(mine, "much work");
    open_and_remove();
    assert_true(exists(mine));
    assert_int_equal(2, entries(path));      /* the foreign file and the marker */
    unlink(mine);
    open_and_remove();
    assert_false(exists(path));
}

/* Creates a leftover folder with any marker. NULL: none. */
static void put_leftover(const char *name, const char *marker)
{
    char path[64];

    assert_int_equal(0, mkdir(name, 0777));
    snprintf(path, sizeof(path), "%s/a", name);
    put(path, "x");
    snprintf(path, sizeof(path), "%s/.anole", name);
    if (marker)
        put(path, marker);
}

static void open__keeps_folders_without_a_valid_marker(void **unused)
{
    (void)unused;
    put_leftover(".anole-none00", NULL);
    put_leftover(".anole-empty0", "");
    put_leftover(".anole-other0", ".anole-hello0\na\n");
    put_leftover(".anole-halfli", ".anole-halfli");      /* the first line has no end */
    put_leftover(".anole-longer1", ".anole-longer1\na\n");
    put_leftover("results", "results\na\n");
    put(".anole-filexx", ".anole-filexx\n");
    mkdir("elsewhere", 0777);
    put_leftover("elsewhere/.anole-linked", ".anole-linked\na\n");
    assert_int_equal(0, symlink("elsewhere/.anole-linked", ".anole-linked"));
    open_and_remove();
    assert_int_equal(9, entries("."));
    assert_true(exists(".anole-none00/a"));
    assert_true(exists(".anole-empty0/a"));
    assert_true(exists(".anole-other0/a"));
    assert_true(exists(".anole-halfli/a"));
    assert_true(exists(".anole-longer1/a"));
    assert_true(exists("results/a"));
    assert_true(exists("elsewhere/.anole-linked/a"));
}

static void open__removes_only_files_that_the_marker_names(void **unused)
{
    (void)unused;
    put("precious", "x");
    put_leftover(".anole-wicked",
                 ".anole-wicked\n../precious\n/etc/passwd\n..\n.\n\nsub\nlink\nsub/deep\nhal");
    mkdir(".anole-wicked/sub", 0777);
    put(".anole-wicked/sub/deep", "x");
    put(".anole-wicked/hal", "x");
    assert_int_equal(0, symlink("../precious", ".anole-wicked/link"));
    open_and_remove();
    assert_true(exists("precious"));
    assert_true(exists(".anole-wicked/a"));
    assert_true(exists(".anole-wicked/sub/deep"));
    assert_true(exists(".anole-wicked/hal"));
    assert_true(exists(".anole-wicked/link"));
}

/* Results may have a name like that of a temporary folder. */
static void open__keeps_results_with_the_name_of_a_leftover(void **unused)
{
    struct outdir *dir;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(0, outdir_open(&dir, ".anole-result", "anole test", NULL));
        assert_non_null(outdir_file(dir, "a", NULL));
        assert_int_equal(0, outdir_commit(dir, NULL));
    }
    open_and_remove();
    assert_true(exists(".anole-result/a"));
    assert_int_equal(1, entries("."));
}

/* Simulates a process that was killed while it removed the results that it had replaced. */
static void open__removes_replaced_results(void **unused)
{
    struct scratch *s;
    struct marker m;
    char place[100];

    (void)unused;
    put_leftover("old", "anole run\na\nb\n");
    put("old/b", "x");
    put("old/notes", "not in the marker");
    assert_int_equal(0, scratch_open(&s, "out"));
    snprintf(place, sizeof(place), "%s", scratch_path(s));
    assert_true(marker_read(&m, "old"));
    scratch_condemn(s, "old", &m);
    marker_fini(&m);
    scratch_remove(s);
    open_and_remove();
    assert_int_equal(4, entries("old"));     /* unchanged, because they are still in place */
    assert_int_equal(0, rename("old", place));
    open_and_remove();
    assert_int_equal(2, entries(place));     /* the marker and the foreign file */
    snprintf(place + strlen(place), sizeof(place) - strlen(place), "/notes");
    assert_int_equal(0, unlink(place));
    open_and_remove();
    assert_int_equal(0, entries("."));
}

static void marker__of_results_names_its_files(void **unused)
{
    struct outdir *dir;
    struct marker m;

    (void)unused;
    assert_int_equal(0, outdir_open(&dir, "out", "anole test", NULL));
    assert_non_null(outdir_file(dir, "z", NULL));
    assert_non_null(outdir_file(dir, "a", NULL));
    assert_int_equal(0, outdir_commit(dir, NULL));
    assert_true(marker_read(&m, "out"));
    assert_string_equal("anole test", m.kind);
    assert_int_equal(2, m.names);
    assert_string_equal("z", m.name[0]);
    assert_string_equal("a", m.name[1]);
    marker_fini(&m);
}

static struct outdir *open_with_two(void)
{
    struct outdir *dir;

    assert_int_equal(0, outdir_open(&dir, "out", "anole test", NULL));
    fputs("1", outdir_file(dir, "a", NULL));
    fputs("2", outdir_file(dir, "b", NULL));
    return dir;
}

static void outdir__is_synced_before_it_is_renamed(void **unused)
{
    struct outdir *dir = open_with_two();

    (void)unused;
    assert_int_equal(0, outdir_commit(dir, NULL));
    assert_string_equal(" b a scratch !home", synced);
}

static void outdir__is_not_renamed_if_sync_fails(void **unused)
{
    struct outdir *dir = open_with_two();
    struct err err;

    (void)unused;
    fail_sync_of = 2;
    assert_int_equal(-EIO, outdir_commit(dir, &err));
    assert_string_equal("out/a: could not be written: Input/output error", err.text);
    assert_int_equal(0, entries("."));
}

static void outfile__is_synced_before_it_is_renamed(void **unused)
{
    struct outfile f;

    (void)unused;
    assert_int_equal(0, outfile_open(&f, "out", NULL));
    fputs("1", f.stream);
    assert_int_equal(0, outfile_close(&f, NULL));
    assert_int_equal(0, outfile_commit(&f, NULL));
    assert_string_equal(" file scratch !home", synced);
}

static void outfile__is_not_renamed_if_sync_fails(void **unused)
{
    struct err err;

    (void)unused;
    fail_sync_of = 1;
    assert_int_equal(-EIO, outfile_write("out", "1", 1, &err));
    assert_string_equal("out: could not be written: Input/output error", err.text);
    assert_int_equal(0, entries("."));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_clean, leave_home)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(open__removes_leftovers_of_dead_owners_only),
        TEST(open__keeps_foreign_files_in_a_leftover),
        TEST(open__keeps_folders_without_a_valid_marker),
        TEST(open__removes_only_files_that_the_marker_names),
        TEST(open__keeps_results_with_the_name_of_a_leftover),
        TEST(open__removes_replaced_results),
        TEST(marker__of_results_names_its_files),
        TEST(outdir__is_synced_before_it_is_renamed),
        TEST(outdir__is_not_renamed_if_sync_fails),
        TEST(outfile__is_synced_before_it_is_renamed),
        TEST(outfile__is_not_renamed_if_sync_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
