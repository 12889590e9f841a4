#include "base/file/outfile.h"
#include "base/file/scratch.h"
#include "base/file/test_home.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each test works in an empty folder and writes to "out" in it. */
static char target[120];

static int enter(void **unused)
{
    int rc = enter_home(unused);

    snprintf(target, sizeof(target), "%s/out", home);
    return rc;
}

static void expect_file(const char *path, const char *want)
{
    char got[100] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(want, got);
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Counts files and folders in 'path', including hidden ones. */
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

static struct outdir *open_out(void)
{
    struct outdir *dir;
    struct err err;

    if (outdir_open(&dir, target, "anole test", &err))
        fail_msg("%s", err.text);
    return dir;
}

static void add(struct outdir *dir, const char *name, const char *text)
{
    FILE *f = outdir_file(dir, name, NULL);

    assert_non_null(f);
    fputs(text, f);
}

static void write_out(const char *name, const char *text)
{
    struct outdir *dir = open_out();

    add(dir, name, text);
    assert_int_equal(0, outdir_commit(dir, NULL));
}

static void expect_refused(const char *path, int rc, const char *why)
{
    struct outdir *dir = (struct outdir *)home;
    struct err err = { "" };
    int before = entries(home);

    assert_int_equal(rc, outdir_open(&dir, path, "anole test", &err));
    assert_null(dir);
    assert_string_equal(why, err.text);
    assert_int_equal(before, entries(home));
}

static void open__leaves_the_target_alone(void **unused)
{
    struct outdir *dir;

    (void)unused;
    write_out("a", "old");
    dir = open_out();
    add(dir, "a", "new");
    expect_file("out/a", "old");
    outdir_abort(dir);
    expect_file("out/a", "old");
}

static void open__refuses_files_and_folders_of_others(void **unused)
{
    (void)unused;
    mkdir("thesis", 0777);
    put("thesis/chapter1", "much work");
    put("file", "");
    assert_int_equal(0, symlink("nowhere", "dangling"));
    expect_refused("thesis", -EEXIST, "thesis: exists and was not written by anole; name another folder");
    expect_refused("file", -ENOTDIR, "file: exists and is not a folder");
    expect_refused("dangling", -ENOTDIR, "dangling: exists and is not a folder");
    expect_refused("file/out", -ENOTDIR, "file/out: Not a directory");
    expect_refused("", -EINVAL, "'' cannot be a folder for results");
    expect_refused("-", -EINVAL, "'-' cannot be a folder for results");
    expect_refused("/", -EINVAL, "'/' cannot be a folder for results");
    expect_refused("/proc", -EBUSY, "/proc: is a mount point; name a folder inside it");
    expect_file("thesis/chapter1", "much work");
}

static void open__makes_folders_above(void **unused)
{
    struct outdir *dir;
    struct err     err;
    int            before = entries(home);

    (void)unused;
    assert_int_equal(0, outdir_open(&dir, "new/er/out", "anole test", &err));
    outdir_abort(dir);
    assert_int_equal(before, entries(home));     /* abort removes them */
    assert_int_equal(0, outdir_open(&dir, "new/er/out", "anole test", &err));
    add(dir, "a", "text");
    assert_int_equal(0, outdir_commit(dir, &err));
    expect_file("new/er/out/a", "text");
}

static void open__accepts_every_spelling_of_a_path(void **unused)
{
    static const char *const path[] = { "out", "./out", "out/", "out///", "x/../out", "x/back/out" };

    (void)unused;
    mkdir("x", 0777);
    assert_int_equal(0, symlink("..", "x/back"));
    for (int i = 0; i < 6; i++) {
        struct outdir *dir;
        struct err err;

        if (outdir_open(&dir, path[i], "anole test", &err))
            fail_msg("%s", err.text);
        add(dir, "a", path[i]);
        assert_int_equal(0, outdir_commit(dir, NULL));
        expect_file("out/a", path[i]);
    }
    assert_int_equal(2, entries("."));
}

static void open__allows_at_least_16_at_once(void **unused)
{
    struct outdir *dir[100];
    struct err err;
    char path[20];
    int n = 0, rc = 0;

    (void)unused;
    for (; n < 100; n++) {
        snprintf(path, sizeof(path), "out%d", n);
        rc = outdir_open(&dir[n], path, "anole test", &err);
        if (rc)
            break;
    }
    assert_in_range(n, 16, 99);
    assert_int_equal(-EMFILE, rc);
    assert_non_null(strstr(err.text, "Too many open files"));
    assert_int_equal(0, outdir_commit(dir[--n], NULL));
    assert_int_equal(0, outdir_open(&dir[n], "out", "anole test", NULL));
    while (n >= 0)
        outdir_abort(dir[n--]);
    assert_int_equal(1, entries("."));
}

static void file__refuses_names_that_lead_elsewhere(void **unused)
{
    static const char *const name[] = { "", ".", "..", "a/b", "/etc/x", ".anole", "twice" };
    struct outdir *dir = open_out();

    (void)unused;
    add(dir, "twice", "");
    for (int i = 0; i < 7; i++) {
        struct err err = { "" };

        assert_null(outdir_file(dir, name[i], &err));
        assert_string_not_equal("", err.text);
    }
    assert_int_equal(0, outdir_commit(dir, NULL));
    assert_int_equal(2, entries("out"));
}

static void commit__makes_the_folder(void **unused)
{
    struct outdir *dir = open_out();
    struct stat s;
    mode_t mask = umask(027);

    (void)unused;
    outdir_abort(dir);
    dir = open_out();
    umask(mask);
    add(dir, "flows.csv", "1,2\n");
    add(dir, "summary.json", "{}");
    assert_false(exists("out"));
    assert_int_equal(0, outdir_commit(dir, NULL));
    expect_file("out/flows.csv", "1,2\n");
    expect_file("out/summary.json", "{}");
    assert_int_equal(3, entries("out"));     /* plus the marker */
    assert_int_equal(1, entries("."));
    assert_int_equal(0, stat("out", &s));
    assert_int_equal(0750, s.st_mode & 0777);
}

static void commit__replaces_an_empty_folder(void **unused)
{
    (void)unused;
    mkdir("out", 0777);
    write_out("a", "new");
    expect_file("out/a", "new");
    assert_int_equal(1, entries("."));
}

static void commit__replaces_its_own_files_and_keeps_the_others(void **unused)
{
    (void)unused;
    write_out("old", "old");
    mkdir("out/plots", 0777);
    put("out/plots/a.png", "picture");
    put("out/notes.ipynb", "much work");
    put("precious", "stays");
    assert_int_equal(0, symlink("../precious", "out/link"));
    for (int i = 0; i < 2; i++) {
        write_out("new", "new");
        expect_file("out/new", "new");
        assert_false(exists("out/old"));
        expect_file("out/plots/a.png", "picture");
        expect_file("out/notes.ipynb", "much work");
        expect_file("out/link", "stays");
        assert_int_equal(5, entries("out"));     /* plus the marker */
        assert_int_equal(2, entries("."));
    }
    expect_file("precious", "stays");
}

static void commit__keeps_a_file_with_the_name_of_a_new_result(void **unused)
{
    (void)unused;
    write_out("a", "1");
    put("out/b", "the user's");
    write_out("b", "2");
    expect_file("out/b", "2");
    expect_file("out/b.before", "the user's");
    assert_int_equal(0, unlink("out/b"));
    mkdir("out/b", 0777);                        /* the marker names it, but it is not the file that was
                                                  * written */
    put("out/b/deep", "kept too");
    write_out("b", "3");
    expect_file("out/b", "3");
    expect_file("out/b.before", "the user's");
    expect_file("out/b.before.before/deep", "kept too");
    assert_int_equal(1, entries("."));
}

static void open__refuses_results_of_another_command(void **unused)
{
    struct outdir *dir;

    (void)unused;
    assert_int_equal(0, outdir_open(&dir, "out", "anole run", NULL));
    add(dir, "flows.csv", "x");
    assert_int_equal(0, outdir_commit(dir, NULL));
    expect_refused("out", -EEXIST,
                   "out: holds results of 'anole run', not of 'anole test'; name another folder, or remove "
                   "it");
    expect_file("out/flows.csv", "x");
}

/* Version 0.1 wrote empty markers. */
static void open__refuses_an_empty_marker(void **unused)
{
    (void)unused;
    mkdir("out", 0777);
    put("out/.anole", "");
    put("out/thesis", "x");
    expect_refused("out", -EEXIST, "out: written by anole 0.1, which did not record its files; choose "
                   "another folder, or remove this one");
    expect_file("out/thesis", "x");
}

static void commit__follows_a_link(void **unused)
{
    struct stat s;

    (void)unused;
    mkdir("disk", 0777);
    mkdir("disk/results", 0777);
    assert_int_equal(0, symlink("disk/results", "out"));
    write_out("a", "1");
    write_out("a", "2");
    assert_int_equal(0, lstat("out", &s));
    assert_true(S_ISLNK(s.st_mode));
    expect_file("disk/results/a", "2");
    assert_int_equal(1, entries("disk"));
}

static void commit__works_after_a_chdir(void **unused)
{
    struct outdir *dir;

    (void)unused;
    assert_int_equal(0, outdir_open(&dir, "out", "anole test", NULL));
    assert_int_equal(0, chdir("/"));
    assert_int_equal(0, outdir_commit(dir, NULL));
    assert_int_equal(0, chdir(home));
    assert_true(exists("out/.anole"));
}

static void commit__refuses_a_folder_created_meanwhile(void **unused)
{
    struct outdir *dir = open_out();
    struct err err;

    (void)unused;
    add(dir, "a", "new");
    mkdir("out", 0777);
    put("out/b", "someone else's");
    assert_int_equal(-EEXIST, outdir_commit(dir, &err));
    expect_file("out/b", "someone else's");
    assert_int_equal(1, entries("out"));
    assert_int_equal(1, entries("."));
}

/* A limit on the file size simulates a full disk. */
static void commit__fails_when_the_disk_is_full(void **unused)
{
    struct rlimit before, small;
    struct outdir *dir;
    struct err err;
    FILE *f;
    int rc;

    (void)unused;
    write_out("a", "old");
    dir = open_out();
    f = outdir_file(dir, "flows.csv", NULL);
    add(dir, "small", "fits");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){ .rlim_cur = 10000, .rlim_max = before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 10000; i++)
        fprintf(f, "%d\n", i);
    setrlimit(RLIMIT_FSIZE, &before);        /* there is room again, but some data was lost */
    signal(SIGXFSZ, SIG_DFL);
    rc = outdir_commit(dir, &err);
    assert_true(rc < 0);
    assert_non_null(strstr(err.text, "/out/flows.csv: could not be written: "));
    expect_file("out/a", "old");
    assert_int_equal(1, entries("."));
}

/* As above, but all data fits into the buffer, and only the last flush fails. */
static void commit__fails_when_the_last_flush_does(void **unused)
{
    struct rlimit before, none;
    struct outdir *dir = open_out();
    struct err err;
    int rc;

    (void)unused;
    add(dir, "a", "x");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    none = (struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &none);
    rc = outdir_commit(dir, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(-EFBIG, rc);
    assert_non_null(strstr(err.text, "/out/a: could not be written: File too large"));
    assert_int_equal(0, entries("."));
}

/* Runs 'act' in a child; returns its wait status. */
static int in_child(void (*act)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        act();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void be_killed(void)
{
    struct outdir *dir;
    FILE *f;

    if (outdir_open(&dir, target, "anole test", NULL) || !(f = outdir_file(dir, "a", NULL)))
        _exit(1);
    fputs("half", f);
    fflush(f);
    raise(SIGKILL);
}

static void open__works_after_a_kill_in_the_middle(void **unused)
{
    int status;

    (void)unused;
    write_out("a", "old");
    status = in_child(be_killed);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    expect_file("out/a", "old");
    assert_int_equal(2, entries("."));       /* plus the unfinished folder */
    write_out("a", "new");
    expect_file("out/a", "new");
    assert_int_equal(1, entries("."));
}

/* Makes renameat2() fail with EINVAL, as on file systems that cannot exchange two folders. */
static int forbid_exchange(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = 4, .filter = code };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void replace_without_exchange(void)
{
    struct outdir *dir;
    FILE *f;

    put("out/notes", "kept");
    if (forbid_exchange())
        _exit(77);
    if (syscall(SYS_renameat2, -1, "", -1, "", 0) == 0 || errno != EINVAL)
        _exit(2);
    if (outdir_open(&dir, target, "anole test", NULL) || !(f = outdir_file(dir, "new", NULL)))
        _exit(3);
    fputs("new", f);
    _exit(outdir_commit(dir, NULL) ? 4 : 0);
}

static void commit__replaces_without_renameat2(void **unused)
{
    int status;

    (void)unused;
    write_out("old", "old");
    status = in_child(replace_without_exchange);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();                  /* no seccomp here */
    assert_int_equal(0, status);
    expect_file("out/new", "new");
    expect_file("out/notes", "kept");
    assert_int_equal(3, entries("out"));
    assert_int_equal(1, entries("."));
}

static void abort__removes_everything(void **unused)
{
    struct outdir *dir = open_out();

    (void)unused;
    add(dir, "a", "x");
    add(dir, "b", "y");
    assert_int_equal(1, entries("."));
    outdir_abort(dir);
    assert_int_equal(0, entries("."));
    outdir_abort(NULL);
}

static void on_signal(int number)
{
    scratch_remove_all_on_signal();
    _exit(100 + number);
}

static void be_interrupted(void)
{
    struct outdir *dir[2];

    signal(SIGTERM, on_signal);
    if (outdir_open(&dir[0], target, "anole test", NULL) || outdir_open(&dir[1], "other", "anole test", NULL))
        _exit(1);
    if (!outdir_file(dir[0], "a", NULL) || !outdir_file(dir[1], "b", NULL) || entries(".") != 3)
        _exit(2);
    raise(SIGTERM);
}

static void abort_all_on_signal__removes_everything(void **unused)
{
    (void)unused;
    write_out("a", "old");
    assert_int_equal(100 + SIGTERM, WEXITSTATUS(in_child(be_interrupted)));
    expect_file("out/a", "old");
    assert_int_equal(1, entries("."));
}

static void commit_after_an_interruption(void)
{
    struct outdir *dir;

    if (outdir_open(&dir, target, "anole test", NULL))
        _exit(1);
    scratch_remove_all_on_signal();
    _exit(outdir_commit(dir, NULL) == -EINTR ? 0 : 2);
}

static void commit__fails_after_an_interruption(void **unused)
{
    (void)unused;
    assert_int_equal(0, in_child(commit_after_an_interruption));
    assert_int_equal(0, entries("."));
}

static void abort_all(void)
{
    scratch_remove_all_on_signal();
}

static void abort_all_on_signal__leaves_a_parents_folder_alone(void **unused)
{
    struct outdir *dir = open_out();

    (void)unused;
    add(dir, "a", "x");
    assert_int_equal(0, in_child(abort_all));
    assert_int_equal(0, outdir_commit(dir, NULL));
    expect_file("out/a", "x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave_home)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(open__leaves_the_target_alone),
        TEST(open__refuses_files_and_folders_of_others),
        TEST(open__makes_folders_above),
        TEST(open__accepts_every_spelling_of_a_path),
        TEST(open__allows_at_least_16_at_once),
        TEST(open__works_after_a_kill_in_the_middle),
        TEST(file__refuses_names_that_lead_elsewhere),
        TEST(commit__makes_the_folder),
        TEST(commit__replaces_an_empty_folder),
        TEST(commit__replaces_its_own_files_and_keeps_the_others),
        TEST(commit__keeps_a_file_with_the_name_of_a_new_result),
        TEST(open__refuses_results_of_another_command),
        TEST(open__refuses_an_empty_marker),
        TEST(commit__replaces_without_renameat2),
        TEST(commit__follows_a_link),
        TEST(commit__works_after_a_chdir),
        TEST(commit__refuses_a_folder_created_meanwhile),
        TEST(commit__fails_when_the_disk_is_full),
        TEST(commit__fails_when_the_last_flush_does),
        TEST(commit__fails_after_an_interruption),
        TEST(abort__removes_everything),
        TEST(abort_all_on_signal__removes_everything),
        TEST(abort_all_on_signal__leaves_a_parents_folder_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
