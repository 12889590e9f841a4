#include "study/report/run_files.h"
#include "base/text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

static const char star[] = "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"
                           "traffic:\n  - {kind: incast, senders: 2, receiver: h2, size: 10KB}\n";

static char folder[] = "/tmp/run_files_test.XXXXXX";

static void open_star(struct simulation *s)
{
    struct simulation_input input = { .name = "star.yaml", .text = star, .text_bytes = strlen(star) };
    struct err err;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
}

static const char *path_of(char buf[128], const char *name)
{
    snprintf(buf, 128, "%s/%s", folder, name);
    return buf;
}

static uint32_t count_entries(const char *path)
{
    DIR *dir = opendir(path);
    uint32_t count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;            /* without . and .. */
}

static void remove_all(const char *path)
{
    char command[200];

    snprintf(command, sizeof(command), "rm -rf '%s'", path);
    assert_int_equal(0, system(command));
}

/* The folder contains exactly the listed files and its marker. */
static void write__leaves_the_listed_files(void **unused)
{
    char out[128], fct[128], name[300];
    struct run_files_paths paths = { .out = path_of(out, "out"),
                                     .single[RUN_FILE_HPCC_FCT] = path_of(fct, "fct.txt") };
    struct simulation_hooks hooks;
    struct simulation s;
    struct run_files f;
    struct results r;
    struct err err;
    uint32_t count = 0;

    (void)unused;
    open_star(&s);
    assert_int_equal(0, run_files_open(&f, &paths, &s, &err));
    assert_int_not_equal(0, access(out, F_OK));
    hooks = run_files_hooks(&f);
    assert_null(hooks.pfc);
    simulation_run(&s, &hooks, NULL);
    results_init(&r, &s);
    assert_int_equal(0, run_files_write(&f, &r, &err));
    results_fini(&r);
    for (; f.name[count]; count++) {
        snprintf(name, sizeof(name), "%s/%s", out, f.name[count]);
        assert_int_equal(0, access(name, R_OK));
    }
    assert_string_equal("report.html", f.name[0]);
    assert_int_equal(8, count);
    assert_int_equal(count + 1, count_entries(out));
    assert_int_equal(0, access(fct, R_OK));
    run_files_abort(&f);
    simulation_close(&s);
}

/* A file that cannot be opened leads to an errno and a reason. No files are left behind. */
static void open__of_too_many_files_is_an_errno(void **unused)
{
    char out[128];
    struct run_files_paths paths = { .out = path_of(out, "none") };
    struct rlimit was, few;
    struct simulation s;
    struct run_files f;
    struct err err = { "" };
    uint32_t before = count_entries(folder);
    int rc = 0;

    (void)unused;
    open_star(&s);
    getrlimit(RLIMIT_NOFILE, &was);
    few = was;
    /* With a growing limit, first the folder and its marker can be opened, and then also the first files. */
    for (few.rlim_cur = 3; few.rlim_cur < 20 && !strstr(err.text, "intervals.csv"); few.rlim_cur++) {
        err.text[0] = '\0';
        setrlimit(RLIMIT_NOFILE, &few);
        rc = run_files_open(&f, &paths, &s, &err);
        setrlimit(RLIMIT_NOFILE, &was);
        run_files_abort(&f);
    }
    assert_non_null(strstr(err.text, "intervals.csv"));
    assert_int_equal(-EIO, rc);
    assert_int_equal(before, count_entries(folder));
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write__leaves_the_listed_files),
        cmocka_unit_test(open__of_too_many_files_is_an_errno),
    };
    int rc;

    if (!mkdtemp(folder))
        return 1;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    remove_all(folder);
    return rc;
}
