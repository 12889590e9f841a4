#include "study/campaign/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOBS 20

struct seen {
    uint32_t done[JOBS], count, order[JOBS + 1];
    int      status[JOBS];
    size_t   length[JOBS];
    bool     is_text_right;
    uint32_t next, jobs, skip, running_max;
    uint32_t again;              /* this job is requested again when it has ended once */
    int      stop_with, wake;    /* wake: jobs are announced on this descriptor, a byte each; -1: none */
};

static enum pool_next next(void *arg, struct pool_job *job)
{
    struct seen *seen = arg;
    char byte;

    if (seen->again && seen->done[seen->again] == 1) {
        job->number = seen->again;
        seen->done[seen->again] = 100;
        return POOL_JOB;
    }
    if (seen->wake != -1 && read(seen->wake, &byte, 1) < 0)
        return POOL_WAIT;
    while (seen->skip && seen->next < seen->jobs && seen->next % seen->skip == 0)
        seen->next++;
    if (seen->next >= seen->jobs)
        return POOL_NONE;
    *job = (struct pool_job){ .number = seen->next++ };
    return POOL_JOB;
}

/* Job n writes its letter n * 10,000 times: more than a pipe holds. */
static int work(void *arg, const struct pool_job *what, FILE *out)
{
    uint32_t job = what->number;

    (void)arg;
    for (uint32_t i = 0; i < job * 10000; i++)
        fputc('a' + (int)job, out);
    return (int)job % 3;
}

static int on_done(void *arg, const struct pool_job *what, int status, const char *text, size_t length)
{
    struct seen *seen = arg;
    uint32_t job = what->number;

    seen->done[job]++;
    seen->status[job] = status;
    seen->length[job] = length;
    seen->order[seen->count++] = job;
    seen->is_text_right &= strlen(text) == length;
    for (size_t i = 0; i < length; i++)
        seen->is_text_right &= text[i] == 'a' + (char)job;
    return seen->stop_with;
}

static int on_tick(void *arg, uint32_t running)
{
    struct seen *seen = arg;

    seen->running_max = running > seen->running_max ? running : seen->running_max;
    return 0;
}

static struct seen start(void)
{
    return (struct seen){ .is_text_right = true, .jobs = JOBS, .wake = -1 };
}

static void run__does_every_job_once_and_returns_its_output(void **unused)
{
    (void)unused;
    for (uint32_t workers = 1; workers <= 7; workers += 3) {
        struct seen seen = start();
        const struct pool_hooks hooks = { &seen, next, work, on_done, on_tick, -1, 0 };

        assert_int_equal(0, pool_run(&hooks, workers));
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

static int keep_text(void *arg, const struct pool_job *what, int status, const char *text, size_t length)
{
    struct seen *seen = arg;

    seen->status[what->number] = status;
    seen->length[what->number] = length;
    seen->count++;
    if (what->number > 6)
        seen->is_text_right &= strcmp(text, "its result is longer than 60000 bytes") == 0;
    return 0;
}

/* Jobs 0 to 6 stay within the limit. Some of the others, 9, 12 ..., would succeed without it. The largest
 * would never end if they were not read, because they write more than a pipe holds. */
static void run__refuses_long_output(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { .arg = &seen, .next = next, .work = work, .done = keep_text, .wake = -1,
                                      .text_max = 60000 };

    (void)unused;
    assert_int_equal(0, pool_run(&hooks, 3));
    assert_int_equal(JOBS, seen.count);
    assert_true(seen.is_text_right);
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_true(WIFEXITED(seen.status[i]));
        assert_int_equal(i <= 6 ? i % 3 : EXIT_FAILURE, WEXITSTATUS(seen.status[i]));
        assert_int_equal(i <= 6 ? i * 10000 : strlen("its result is longer than 60000 bytes"),
                         seen.length[i]);
    }
}

static void run__one_worker_keeps_the_order(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, next, work, on_done, NULL, -1, 0 };

    (void)unused;
    assert_int_equal(0, pool_run(&hooks, 1));
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(i, seen.order[i]);
}

static void run__skips_jobs_that_are_not_needed(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, next, work, on_done, NULL, -1, 0 };

    (void)unused;
    seen.skip = 2;
    assert_int_equal(0, pool_run(&hooks, 3));
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(i % 2, seen.done[i]);
    seen = start();
    seen.skip = 1;
    assert_int_equal(0, pool_run(&hooks, 3));
    assert_int_equal(0, seen.count);
    seen = start();
    seen.jobs = 0;
    assert_int_equal(0, pool_run(&hooks, 3));
    assert_int_equal(0, seen.count);
}

static void run__asks_again_when_the_last_has_ended(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, next, work, on_done, NULL, -1, 0 };

    (void)unused;
    seen.again = JOBS - 1;
    assert_int_equal(0, pool_run(&hooks, 2));
    assert_int_equal(JOBS + 1, seen.count);
    assert_int_equal(101, seen.done[JOBS - 1]);
}

/* Another process announces jobs through a pipe, and closes the pipe after the last. */
static void run__waits_for_jobs_that_come_later(void **unused)
{
    struct seen seen = start();
    int ends[2];

    (void)unused;
    assert_int_equal(0, pipe2(ends, O_NONBLOCK));
    if (fork() == 0) {
        for (int i = 0; i < JOBS; i++) {
            usleep(5000);
            if (write(ends[1], "x", 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    seen.wake = ends[0];
    {
        const struct pool_hooks hooks = { &seen, next, work, on_done, on_tick, ends[0], 0 };

        assert_int_equal(0, pool_run(&hooks, 3));
    }
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(1, seen.done[i]);
    close(ends[0]);
    wait(NULL);
}

static int work_or_crash(void *arg, const struct pool_job *job, FILE *out)
{
    if (job->number == 3) {
        signal(SIGABRT, SIG_DFL);
        raise(SIGABRT);
    }
    return work(arg, job, out);
}

static void run__survives_a_crash(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, next, work_or_crash, on_done, NULL, -1, 0 };

    (void)unused;
    assert_int_equal(0, pool_run(&hooks, 2));
    assert_int_equal(JOBS, seen.count);
    assert_true(WIFSIGNALED(seen.status[3]));
    assert_int_equal(SIGABRT, WTERMSIG(seen.status[3]));
    assert_int_equal(40000, seen.length[4]);
}

static void run__stops_if_done_fails(void **unused)
{
    struct seen seen = start();
    const struct pool_hooks hooks = { &seen, next, work, on_done, NULL, -1, 0 };

    (void)unused;
    seen.stop_with = -5;
    assert_int_equal(-5, pool_run(&hooks, 4));
    assert_int_equal(1, seen.count);
}

/* Job 1 sends SIGTERM to the parent. All jobs take longer than the test. */
static int work_forever(void *arg, const struct pool_job *job, FILE *out)
{
    (void)arg, (void)out;
    if (job->number == 1)
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
    const struct pool_hooks hooks = { &seen, next, work_forever, on_done, NULL, -1, 0 };
    struct sigaction mine = { .sa_handler = ignore_signal }, was;

    (void)unused;
    sigaction(SIGTERM, &mine, NULL);
    assert_int_equal(SIGTERM, pool_run(&hooks, 3));
    assert_int_equal(0, seen.count);
    assert_int_equal(-1, waitpid(-1, NULL, WNOHANG));        /* no child is left */
    sigaction(SIGTERM, NULL, &was);
    assert_true(was.sa_handler == ignore_signal);            /* and the old handler is back */
    signal(SIGTERM, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__does_every_job_once_and_returns_its_output),
        cmocka_unit_test(run__refuses_long_output),
        cmocka_unit_test(run__one_worker_keeps_the_order),
        cmocka_unit_test(run__skips_jobs_that_are_not_needed),
        cmocka_unit_test(run__asks_again_when_the_last_has_ended),
        cmocka_unit_test(run__waits_for_jobs_that_come_later),
        cmocka_unit_test(run__survives_a_crash),
        cmocka_unit_test(run__stops_if_done_fails),
        cmocka_unit_test(run__ends_all_processes_on_a_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
