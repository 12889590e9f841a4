/* src/cmd/pool_test.c */
#include "cmd/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOBS 20

struct seen {
    uint32_t done[JOBS], count, order[JOBS];
    int      status[JOBS];
    size_t   length[JOBS];
    bool     is_text_right;
    uint32_t skip, running_max;
    int      stop_with;
};

static bool is_needed(void *arg, uint32_t job)
{
    struct seen *seen = arg;

    return seen->skip == 0 || job % seen->skip != 0;
}

/* Job n writes n * 10,000 times its letter: more than a pipe holds. */
static int work(void *arg, uint32_t job, FILE *out)
{
    (void)arg;
    for (uint32_t i = 0; i < job * 10000; i++)
        fputc('a' + (int)job, out);
    return (int)job % 3;
}

static int on_done(void *arg, uint32_t job, int status, const char *text, size_t length)
{
    struct seen *seen = arg;

    seen->done[job]++;
    seen->status[job] = status;
    seen->length[job] = length;
    seen->order[seen->count++] = job;
    seen->is_text_right &= strlen(text) == length;
    for (size_t i = 0; i < length; i++)
        seen->is_text_right &= text[i] == 'a' + (char)job;
    return seen->stop_with;
}

static void on_tick(void *arg, uint32_t running)
{
    struct seen *seen = arg;

    seen->running_max = running > seen->running_max ? running : seen->running_max;
}

static struct seen start(void)
{
    return (struct seen){ .is_text_right = true };
}

static void run__does_every_job_once_and_hands_over_all_it_wrote(void **unused)
{
    (void)unused;
    for (uint32_t workers = 1; workers <= 7; workers += 3) {
        struct seen seen = start();
        const struct pool_hooks hooks = { &seen, is_needed, work, on_done, on_tick };

        assert_int_equal(0, pool_run(&hooks, JOBS, workers));
        assert_int_equal(JOBS, seen.count);
        assert_true(seen.is_text_right);
        assert_true(seen.running_max <= workers);
        for (uint32_t i = 0; i < JOBS; i++) {
            assert_int_equal(1, seen.done[i]);
            assert_int_equal(i * 10000, seen.length[i]);
            assert_true(WIFEXITED(seen.status[i]));
            assert_int_equal(i % 3, WEXITSTATUS(seen.status[i]));
        }
    }
}

static void run__alone_keeps_the_order(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, is_needed, work, on_done, NULL };

    (void)unused;
    assert_int_equal(0, pool_run(&hooks, JOBS, 1));
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(i, seen.order[i]);
}

static void run__leaves_out_what_is_not_needed(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, is_needed, work, on_done, NULL };

    (void)unused;
    seen.skip = 2;
    assert_int_equal(0, pool_run(&hooks, JOBS, 3));
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(i % 2, seen.done[i]);
    seen = start();
    seen.skip = 1;
    assert_int_equal(0, pool_run(&hooks, JOBS, 3));
    assert_int_equal(0, seen.count);
    assert_int_equal(0, pool_run(&hooks, 0, 3));
}

static int work_or_crash(void *arg, uint32_t job, FILE *out)
{
    if (job == 3) {
        signal(SIGABRT, SIG_DFL);
        raise(SIGABRT);
    }
    return work(arg, job, out);
}

static void run__survives_a_crash(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, is_needed, work_or_crash, on_done, NULL };

    (void)unused;
    assert_int_equal(0, pool_run(&hooks, JOBS, 2));
    assert_int_equal(JOBS, seen.count);
    assert_true(WIFSIGNALED(seen.status[3]));
    assert_int_equal(SIGABRT, WTERMSIG(seen.status[3]));
    assert_int_equal(40000, seen.length[4]);
}

static void run__stops_when_done_says_so(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, is_needed, work, on_done, NULL };

    (void)unused;
    seen.stop_with = -5;
    assert_int_equal(-5, pool_run(&hooks, JOBS, 4));
    assert_int_equal(1, seen.count);
}

/* Job 1 tells the parent to stop; all take longer than anyone waits. */
static int work_forever(void *arg, uint32_t job, FILE *out)
{
    (void)arg, (void)out;
    if (job == 1)
        kill(getppid(), SIGTERM);
    sleep(3600);
    return 0;
}

static void ignore_signal(int number)
{
    (void)number;
}

static void run__ends_all_processes_on_a_signal(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, is_needed, work_forever, on_done, NULL };
    struct sigaction mine = { .sa_handler = ignore_signal }, was;

    (void)unused;
    sigaction(SIGTERM, &mine, NULL);
    assert_int_equal(SIGTERM, pool_run(&hooks, JOBS, 3));
    assert_int_equal(0, seen.count);
    assert_int_equal(-1, waitpid(-1, NULL, WNOHANG));        /* no child is left */
    sigaction(SIGTERM, NULL, &was);
    assert_true(was.sa_handler == ignore_signal);            /* and the handler is the old one */
    signal(SIGTERM, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__does_every_job_once_and_hands_over_all_it_wrote),
        cmocka_unit_test(run__alone_keeps_the_order),
        cmocka_unit_test(run__leaves_out_what_is_not_needed),
        cmocka_unit_test(run__survives_a_crash),
        cmocka_unit_test(run__stops_when_done_says_so),
        cmocka_unit_test(run__ends_all_processes_on_a_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
