#include "study/campaign/executor.h"
#include "base/file/whole.h"
#include "base/text.h"
#include "version.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_NS_MIN 50000               /* between two looks for messages: first often, */
#define PAUSE_NS_MAX 1000000             /* then this often */
#define TEXT_MAX     (INT_MAX / 2)       /* what MPI carries at once, with room */

struct runner {
    pid_t pid;
    int   fd;                    /* jobs go in, results come out */
};

struct executor {
    const struct pool_hooks       *hooks;
    uint32_t                       slots;
    const struct executor_mpi_ops *mpi;      /* NULL: processes of this machine alone */
    struct runner                  runner;   /* of rank 0 */
    int                            size;
    uint32_t                      *running, total;       /* jobs on each rank; on all */
    long                           pause_ns;
    bool                           is_interrupted;
};

/* What comes back: this, and then the text. */
struct result {
    struct pool_job job;
    int             status;
    size_t          length;
    char            text[];
};

/* ---- are we alone? ---- */

bool executor_is_mpi(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");

    return size ? strcmp(size, "1") != 0 : getenv("PMIX_RANK") != NULL;
}

/* mpirun says so in variables of its own, srun --mpi=pmix in those of PMIx. */
bool executor_is_worker(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    rank = rank ? rank : getenv("PMIX_RANK");
    return executor_is_mpi() && rank && strcmp(rank, "0") != 0;
}

static int stderr_saved = -1;

void executor_hush_worker(void)
{
    int nowhere = executor_is_worker() ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

    if (nowhere < 0)
        return;
    stderr_saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

/* ---- the library with MPI: next to the program as built, or in ../lib/anole as installed ---- */

static int load_mpi(const struct executor_mpi_ops **ops, struct err *err)
{
    static const char *const places[] = { "", "../lib/anole/" };
    char                     folder[PATH_MAX], path[PATH_MAX + 64], why[256] = "";
    void                    *loaded = NULL;

    for (int i = 0; i < 2 && !loaded && text_own_folder(folder); i++) {
        snprintf(path, sizeof(path), "%s/%s%s", folder, places[i], EXECUTOR_MPI_FILE);
        if (access(path, R_OK))
            continue;
        loaded = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (!loaded)
            snprintf(why, sizeof(why), "%s", dlerror());
    }
    *ops = loaded ? dlsym(loaded, EXECUTOR_MPI_SYMBOL) : NULL;
    if (*ops && strcmp((*ops)->version, ANOLE_VERSION) == 0)
        return 0;
    if (*ops)
        return err_set(err, EINVAL, "%s is of version %s, not %s; reinstall both", EXECUTOR_MPI_FILE,
                       (*ops)->version, ANOLE_VERSION);
    if (*why)
        return err_set(err, ENOENT, "started by mpirun, but Open MPI cannot be used: %s; install openmpi-bin",
                       why);
    return err_set(err, ENOENT,
                   "started by mpirun, but built without Open MPI; install openmpi-bin and libopenmpi-dev "
                   "and build again, or start it without mpirun");
}

/* ---- runners ---- */

struct runner_side {             /* of the socket */
    const struct pool_hooks *hooks;
    int                      fd;
};

static enum pool_next runner_next(void *arg, struct pool_job *job)
{
    const struct runner_side *r = arg;
    struct pollfd poll_fd = { .fd = r->fd, .events = POLLIN };

    if (poll(&poll_fd, 1, 0) == 0)
        return POOL_WAIT;
    return whole_read(r->fd, job, sizeof(*job)) ? POOL_JOB : POOL_NONE;
}

static int runner_work(void *arg, const struct pool_job *job, FILE *out)
{
    const struct runner_side *r = arg;

    return r->hooks->work(r->hooks->arg, job, out);
}

static int runner_done(void *arg, const struct pool_job *job, int status, const char *text, size_t length)
{
    const struct runner_side *r = arg;
    struct result head = { .job = *job, .status = status, .length = length };
    bool is_written = whole_write(r->fd, &head, sizeof(head)) && whole_write(r->fd, text, head.length);

    return is_written ? 0 : -EPIPE;
}

/* Signals are the business of the rank; when it ends, whatever the reason, so does this. */
_Noreturn static void be_runner(const struct pool_hooks *hooks, uint32_t slots, int fd, pid_t parent)
{
    struct runner_side side = { hooks, fd };
    const struct pool_hooks mine = { .arg = &side, .next = runner_next, .work = runner_work,
                                     .done = runner_done,
                                     .wake = fd, .text_max = TEXT_MAX };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (getppid() == parent)
        pool_run(&mine, slots);
    _exit(EXIT_SUCCESS);
}

static int start_runner(struct runner *r, const struct pool_hooks *hooks, uint32_t slots, struct err *err)
{
    pid_t parent = getpid();
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(err, errno, "no process for runs could be started: %s", strerror(errno));
    fflush(NULL);                /* or the runner would print it again */
    r->pid = fork();
    if (r->pid == 0) {
        close(ends[0]);
        be_runner(hooks, slots, ends[1], parent);
    }
    r->fd = ends[0];
    close(ends[1]);
    if (r->pid > 0)
        return 0;
    close(r->fd);
    return err_set(err, errno, "no process for runs could be started: %s", strerror(errno));
}

static void end_runner(struct runner *r)
{
    close(r->fd);
    kill(r->pid, SIGKILL);
    while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* The next result that the runner has written, with a zero byte behind it; NULL: it has ended. */
static struct result *read_result(const struct runner *r)
{
    struct result head, *made;

    if (!whole_read(r->fd, &head, sizeof(head)))
        return NULL;
    made = xmalloc(sizeof(head) + head.length + 1);
    *made = head;
    made->text[head.length] = '\0';
    if (whole_read(r->fd, made->text, head.length))
        return made;
    free(made);
    return NULL;
}

/* Waits for the runner, but not long: a message may come too. Whether there is something to read. */
static bool wait_for_runner(const struct runner *r, long *pause_ns, const sigset_t *mask)
{
    struct pollfd         poll_fd = { .fd = r->fd, .events = POLLIN };
    const struct timespec pause = { .tv_nsec = *pause_ns };

    *pause_ns = *pause_ns * 2 < PAUSE_NS_MAX ? *pause_ns * 2 : PAUSE_NS_MAX;
    return ppoll(&poll_fd, 1, &pause, mask) > 0;
}

/* ---- rank 0 ---- */

static bool is_joined;           /* or has tried: MPI starts once */

int executor_open(struct executor **out, const struct pool_hooks *hooks, uint32_t slots, struct err *err)
{
    struct executor *x = xcalloc(1, sizeof(*x));
    int              rank, rc = 0;

    *x = (struct executor){ .hooks = hooks, .slots = slots, .pause_ns = PAUSE_NS_MIN };
    if (executor_is_mpi()) {
        rc = load_mpi(&x->mpi, err);
        rc = rc ? rc : start_runner(&x->runner, hooks, slots, err);
        if (!rc && x->mpi->start(&rank, &x->size)) {
            end_runner(&x->runner);
            rc = err_set(err, EIO, "Open MPI could not be started");
        }
        is_joined = true;
        x->running = rc ? NULL : xcalloc((size_t)x->size, sizeof(*x->running));
    }
    if (rc)
        free(x);
    *out = rc ? NULL : x;
    return rc;
}

/* One for every rank, then a second for every rank: few jobs are spread out. */
static int hand_out(struct executor *x, enum pool_next *last)
{
    struct pool_job job;

    for (uint32_t level = 0; level < x->slots; level++)
        for (int rank = 0; rank < x->size; rank++) {
            if (x->running[rank] > level)
                continue;
            *last = x->hooks->next(x->hooks->arg, &job);
            if (*last != POOL_JOB)
                return 0;
            x->running[rank]++;
            x->total++;
            if (rank > 0)
                x->mpi->send(rank, &job, sizeof(job));
            else if (!whole_write(x->runner.fd, &job, sizeof(job)))
                return -EPIPE;
        }
    return 0;
}

static int receive_result(struct executor *x, int rank, struct result *r)
{
    if (!r)
        return -EPIPE;
    x->running[rank]--;
    x->total--;
    x->pause_ns = PAUSE_NS_MIN;
    int rc = x->hooks->done(x->hooks->arg, &r->job, r->status, r->text, r->length);
    free(r);
    return rc;
}

static int receive_messages(struct executor *x)
{
    size_t length;
    int from, rc = 0;

    /* No more than one from each, so that all get new jobs. */
    for (int i = 0; i < x->size && !rc && x->mpi->probe(&from, &length); i++) {
        struct result *r = xmalloc(length + 1);

        x->mpi->receive(from, r, length);
        ((char *)r)[length] = '\0';
        rc = receive_result(x, from, r);
    }
    return rc;
}

static int run_everywhere(struct executor *x)
{
    enum pool_next last = POOL_JOB;
    struct signal_watch signals;
    int rc;

    signal_watch_begin(&signals);
    do {
        rc = hand_out(x, &last);
        if (rc || (x->total == 0 && last == POOL_NONE))
            break;
        rc = receive_messages(x);
        if (!rc && wait_for_runner(&x->runner, &x->pause_ns, &signals.mask))
            rc = receive_result(x, 0, read_result(&x->runner));
        if (signal_watch_caught())
            rc = signal_watch_caught();
        if (!rc && x->hooks->tick)
            rc = x->hooks->tick(x->hooks->arg, x->total);
    } while (!rc);
    x->is_interrupted = rc > 0;
    signal_watch_end(&signals);
    return rc;
}

int executor_run(struct executor *x)
{
    return x->mpi ? run_everywhere(x) : pool_run(x->hooks, x->slots);
}

void executor_dismiss(void)
{
    const struct executor_mpi_ops *mpi;
    struct err unsaid;           /* rank 0 has something else to say */
    int rank, size;

    if (is_joined || !executor_is_mpi() || executor_is_worker())
        return;
    if (load_mpi(&mpi, &unsaid) || mpi->start(&rank, &size))
        return;
    for (int other = 1; other < size; other++)
        mpi->send(other, NULL, 0);
    mpi->stop();
}

/* After a signal, MPI is not informed: the launcher ends the ranks. */
void executor_close(struct executor *x)
{
    if (!x)
        return;
    if (x->mpi)
        end_runner(&x->runner);
    if (x->mpi && !x->is_interrupted) {
        for (int rank = 1; rank < x->size; rank++)
            x->mpi->send(rank, NULL, 0);
        x->mpi->stop();
    }
    free(x->running);
    free(x);
}

/* ---- the other ranks ---- */

/* Until rank 0 sends an empty message; or a negative errno. */
static int serve(const struct executor_mpi_ops *mpi, const struct runner *r)
{
    long   pause_ns = PAUSE_NS_MIN;
    size_t length;
    int    from;

    for (;;) {
        if (mpi->probe(&from, &length)) {
            struct pool_job job;

            mpi->receive(0, &job, length);
            if (length == 0)
                return 0;
            if (!whole_write(r->fd, &job, sizeof(job)))
                return -EPIPE;
            pause_ns = PAUSE_NS_MIN;
        }
        if (wait_for_runner(r, &pause_ns, NULL)) {
            struct result *result = read_result(r);

            if (!result)
                return -EPIPE;
            mpi->send(0, result, sizeof(*result) + result->length);
            free(result);
            pause_ns = PAUSE_NS_MIN;
        }
    }
}

/* When this fails the program ends with a status that lets mpirun end the other ranks. */
int executor_serve(const struct pool_hooks *hooks, uint32_t slots, struct err *err)
{
    const struct executor_mpi_ops *mpi;
    struct runner                  runner;
    int                            rank, size, rc = load_mpi(&mpi, err);

    if (rc)
        return rc;               /* no output on this rank: rank 0 reports the same error */
    if (stderr_saved >= 0)
        dup2(stderr_saved, STDERR_FILENO);       /* a run that crashes may say why */
    /* When rank 0 has ended, mpirun ends the others: nothing to speak of. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    rc = start_runner(&runner, hooks, slots, err);
    if (rc)
        return rc;
    if (mpi->start(&rank, &size))
        rc = err_set(err, EIO, "Open MPI could not be started");
    else if (serve(mpi, &runner))
        rc = err_set(err, EPIPE, "the process that starts runs has ended");
    end_runner(&runner);
    if (!rc)
        mpi->stop();
    return rc;
}
