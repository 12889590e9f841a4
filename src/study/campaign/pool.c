/* src/study/campaign/pool.c - one loop over the pipes of the jobs that run.
 *
 * Jobs keep signals blocked: Ctrl-C reaches every process of a terminal, but it is the parent who ends the
 * jobs.
 */
#include "study/campaign/pool.h"
#include "base/err.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS 200000000

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

#define NUMBERS ((int)(sizeof(numbers) / sizeof(*numbers)))

static volatile sig_atomic_t caught;

struct job {                     /* that runs */
    pid_t           pid;
    int             fd;
    struct pool_job what;
    char           *text;
    size_t          length, room;
};

struct pool {
    const struct pool_hooks *hooks;
    uint32_t                 running, workers;
    enum pool_next           last;           /* what next() has said */
    struct job              *job;            /* those that run come first */
    struct pollfd           *poll;           /* one each, and one for 'wake' */
    struct signal_watch      signals;
};

/* ---- signals ---- */

static void on_signal(int number)
{
    caught = number;
}

void signal_watch_begin(struct signal_watch *w)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigset_t set;

    caught = 0;
    sigemptyset(&set);
    for (int i = 0; i < NUMBERS; i++) {
        sigaddset(&set, numbers[i]);
        sigaction(numbers[i], NULL, &w->was[i]);
        if (w->was[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, &w->mask);
}

int signal_watch_caught(void)
{
    return caught;
}

/* Restores the handlers first, so that a signal that is pending ends the program at once. */
void signal_watch_end(struct signal_watch *w)
{
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &w->was[i], NULL);
    sigprocmask(SIG_SETMASK, &w->mask, NULL);
}

/* ---- one job ---- */

_Noreturn static void be_job(const struct pool *p, const struct pool_job *what, int fd, pid_t parent)
{
    FILE *out = fdopen(fd, "w");
    int status = EXIT_FAILURE;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (out && getppid() == parent) {
        status = p->hooks->work(p->hooks->arg, what, out);
        if (fclose(out))
            status = EXIT_FAILURE;
    }
    _exit(status);
}

static int start_job(struct pool *p, const struct pool_job *what)
{
    struct job *j = &p->job[p->running];
    pid_t parent = getpid();
    int ends[2], rc;

    *j = (struct job){ .what = *what };
    if (pipe(ends))
        return -errno;
    fflush(NULL);                /* or the job would print it again */
    j->pid = fork();
    if (j->pid < 0) {
        rc = -errno;
        close(ends[0]);
        close(ends[1]);
        return rc;
    }
    if (j->pid == 0) {
        close(ends[0]);
        be_job(p, what, ends[1], parent);
    }
    close(ends[1]);
    j->fd = ends[0];
    p->running++;
    return 0;
}

static bool is_too_long(const struct pool *p, const struct job *j)
{
    return p->hooks->text_max && j->length > p->hooks->text_max;
}

/* Reads what there is; false: that was all, or too much. */
static bool read_job(const struct pool *p, struct job *j)
{
    if (j->length + 1 >= j->room) {
        j->room = j->room ? j->room * 2 : 64u << 10;
        j->text = xrealloc(j->text, j->room);
    }
    ssize_t got = read(j->fd, j->text + j->length, j->room - j->length - 1);
    if (got > 0)
        j->length += (size_t)got;
    if (is_too_long(p, j))
        return false;
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
    bool       is_refused = is_too_long(p, &j);

    if (is_refused)
        kill(j.pid, SIGKILL);
    int status = wait_for(j.pid);
    close(j.fd);
    p->job[index] = p->job[--p->running];
    if (is_refused) {            /* the reason in place of the text; a status as waitpid() gives it */
        j.length = (size_t)snprintf(j.text, j.room, "its result is longer than %zu bytes",
                                    p->hooks->text_max);
        status = W_EXITCODE(EXIT_FAILURE, 0);
    }
    j.text[j.length] = '\0';
    int rc = p->hooks->done(p->hooks->arg, &j.what, status, j.text, j.length);
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

static int fill(struct pool *p)
{
    struct pool_job what;
    int rc = 0;

    while (!rc && p->running < p->workers) {
        p->last = p->hooks->next(p->hooks->arg, &what);
        if (p->last != POOL_JOB)
            break;
        rc = start_job(p, &what);
    }
    return rc;
}

/* Waits for something to happen and takes it in. */
static int attend(struct pool *p)
{
    const struct timespec tick = { .tv_nsec = TICK_NS };
    bool is_waiting = p->last == POOL_WAIT && p->running < p->workers;
    int rc = 0, ready;

    for (uint32_t i = 0; i < p->running; i++)
        p->poll[i] = (struct pollfd){ .fd = p->job[i].fd, .events = POLLIN };
    p->poll[p->running] = (struct pollfd){ .fd = p->hooks->wake, .events = POLLIN };
    ready = ppoll(p->poll, p->running + is_waiting, &tick, &p->signals.mask);
    if (caught)
        return caught;
    /* From the last to the first: a job that has ended is replaced by the last one, which was looked at
     * before. */
    for (uint32_t i = p->running; ready > 0 && !rc && i-- > 0;)
        if (p->poll[i].revents && !read_job(p, &p->job[i]))
            rc = end_job(p, i);
    if (!rc && p->hooks->tick)
        rc = p->hooks->tick(p->hooks->arg, p->running);
    return rc;
}

int pool_run(const struct pool_hooks *hooks, uint32_t workers)
{
    struct pool p = { .hooks = hooks, .workers = workers };
    int rc;

    p.job = xcalloc(workers, sizeof(*p.job));
    p.poll = xcalloc(workers + 1ul, sizeof(*p.poll));
    signal_watch_begin(&p.signals);
    do {
        rc = fill(&p);
        if (!rc && p.running == 0 && p.last == POOL_NONE)
            break;
        rc = rc ? rc : attend(&p);
    } while (!rc);
    kill_jobs(&p);
    signal_watch_end(&p.signals);
    free(p.job);
    free(p.poll);
    return rc;
}
