/* src/cmd/pool.c - one loop over the pipes of the jobs that run.
 *
 * Signals are blocked but while the loop waits (ppoll), so that none gets lost between looking and waiting.
 * Jobs keep them blocked: Ctrl-C reaches every process of a terminal, but it is the parent who ends the
 * jobs.
 */
#include "cmd/pool.h"
#include "base/err.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS 200000000

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

#define NUMBERS ((int)(sizeof(numbers) / sizeof(*numbers)))

static volatile sig_atomic_t caught;

struct job {                     /* that runs */
    pid_t    pid;
    int      fd;
    uint32_t number;
    char    *text;
    size_t   length, room;
};

struct pool {
    const struct pool_hooks *hooks;
    uint32_t                 next, jobs, running;
    struct job              *job;            /* those that run come first */
    struct pollfd           *poll;           /* one each */
    sigset_t                 mask;           /* while waiting */
    struct sigaction         was[NUMBERS];
};

static void on_signal(int number)
{
    caught = number;
}

/* What was told to be ignored (nohup) stays so. */
static void catch_signals(struct pool *p)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigset_t set;

    caught = 0;
    sigemptyset(&set);
    for (int i = 0; i < NUMBERS; i++) {
        sigaddset(&set, numbers[i]);
        sigaction(numbers[i], NULL, &p->was[i]);
        if (p->was[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, &p->mask);
}

static void release_signals(struct pool *p)
{
    sigprocmask(SIG_SETMASK, &p->mask, NULL);
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &p->was[i], NULL);
}

/* ---- one job ---- */

_Noreturn static void be_job(const struct pool *p, uint32_t number, int fd, pid_t parent)
{
    FILE *out = fdopen(fd, "w");
    int status = EXIT_FAILURE;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (out && getppid() == parent) {
        status = p->hooks->work(p->hooks->arg, number, out);
        if (fclose(out))
            status = EXIT_FAILURE;
    }
    _exit(status);
}

static int start_job(struct pool *p, uint32_t number)
{
    struct job *j = &p->job[p->running];
    pid_t parent = getpid();
    int ends[2], rc;

    *j = (struct job){ .number = number };
    if (pipe(ends))
        return -errno;
    fflush(NULL);                /* or the job would print it once more */
    j->pid = fork();
    if (j->pid < 0) {
        rc = -errno;
        close(ends[0]);
        close(ends[1]);
        return rc;
    }
    if (j->pid == 0) {
        close(ends[0]);
        be_job(p, number, ends[1], parent);
    }
    close(ends[1]);
    j->fd = ends[0];
    p->running++;
    return 0;
}

/* Reads what there is; false: that was all. */
static bool read_job(struct job *j)
{
    ssize_t got;

    if (j->length + 1 >= j->room) {
        j->room = j->room ? j->room * 2 : 64u << 10;
        j->text = xrealloc(j->text, j->room);
    }
    got = read(j->fd, j->text + j->length, j->room - j->length - 1);
    if (got > 0)
        j->length += (size_t)got;
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static int end_job(struct pool *p, uint32_t index)
{
    struct job j = p->job[index];
    int rc, status = wait_for(j.pid);

    close(j.fd);
    p->job[index] = p->job[--p->running];
    j.text[j.length] = '\0';
    rc = p->hooks->done(p->hooks->arg, j.number, status, j.text, j.length);
    free(j.text);
    return rc;
}

static void kill_jobs(struct pool *p)
{
    for (uint32_t i = 0; i < p->running; i++)
        kill(p->job[i].pid, SIGKILL);
    for (uint32_t i = 0; i < p->running; i++) {
        wait_for(p->job[i].pid);
        close(p->job[i].fd);
        free(p->job[i].text);
    }
    p->running = 0;
}

/* ---- all of them ---- */

static int fill(struct pool *p, uint32_t workers)
{
    int rc = 0;

    while (!rc && p->running < workers && p->next < p->jobs) {
        if (p->hooks->is_needed(p->hooks->arg, p->next))
            rc = start_job(p, p->next);
        p->next++;
    }
    return rc;
}

/* Waits for something to happen and takes it in. */
static int attend(struct pool *p)
{
    const struct timespec tick = { .tv_nsec = TICK_NS };
    int rc = 0, ready;

    for (uint32_t i = 0; i < p->running; i++)
        p->poll[i] = (struct pollfd){ .fd = p->job[i].fd, .events = POLLIN };
    ready = ppoll(p->poll, p->running, &tick, &p->mask);
    if (caught)
        return caught;
    /* From the last to the first: a job that has ended is replaced by the last one, which was looked at
     * before. */
    for (uint32_t i = p->running; ready > 0 && !rc && i-- > 0;)
        if (p->poll[i].revents && !read_job(&p->job[i]))
            rc = end_job(p, i);
    if (p->hooks->tick)
        p->hooks->tick(p->hooks->arg, p->running);
    return rc;
}

int pool_run(const struct pool_hooks *hooks, uint32_t jobs, uint32_t workers)
{
    struct pool p = { .hooks = hooks, .jobs = jobs };
    int rc;

    p.job = xcalloc(workers, sizeof(*p.job));
    p.poll = xcalloc(workers, sizeof(*p.poll));
    catch_signals(&p);
    do {
        rc = fill(&p, workers);
        if (!rc && p.running)
            rc = attend(&p);
    } while (!rc && (p.running || p.next < p.jobs));
    kill_jobs(&p);
    release_signals(&p);
    free(p.job);
    free(p.poll);
    return rc;
}
