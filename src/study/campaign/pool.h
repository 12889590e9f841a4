/* src/study/campaign/pool.h - runs jobs in parallel, each in its own process.
 *
 * A crash affects only its job. A job writes its result to a pipe; the parent receives it when the job has
 * ended. SIGINT, SIGTERM and SIGHUP end the pool and its processes. If the parent is killed, they end too.
 */
#ifndef STUDY_CAMPAIGN_POOL_H
#define STUDY_CAMPAIGN_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define POOL_WORKERS_MAX 512

struct pool_job {
    uint32_t number;
    uint32_t flags;              /* flags and key are for work() */
    char     key[40];
};

enum pool_next { POOL_JOB, POOL_NONE, POOL_WAIT };

struct pool_hooks {
    void *arg;
    /* In the parent: returns the next job. POOL_NONE: there is none; the pool ends when running jobs have
     * ended and there is still none. POOL_WAIT: none until 'wake' is readable. */
    enum pool_next (*next)(void *arg, struct pool_job *);
    /* In the job's process: does the job and returns the exit status. */
    int (*work)(void *arg, const struct pool_job *, FILE *out);
    /* In the parent: 'status' is that of waitpid(), 'text' the job's output with a terminating zero. If it
     * returns non-zero, running jobs are ended and no more are started. */
    int (*done)(void *arg, const struct pool_job *, int status, const char *text, size_t length);
    /* In the parent, several times per second and after each batch of done(); returns as done(). May be
     * NULL. */
    int (*tick)(void *arg, uint32_t running);
    int wake;                    /* a file descriptor, for POOL_WAIT */
    /* Limit of a job's output; 0: none. A job that exceeds it is killed and has failed: done() gets the
     * reason as text. */
    size_t text_max;
};

/* Runs all jobs, 'workers' (1 .. POOL_WORKERS_MAX) at a time. Returns 0, the number of the signal that
 * ended it, the value of done(), or a negative errno if no process could be started. */
int pool_run(const struct pool_hooks *, uint32_t workers);

/* Catches SIGINT, SIGTERM and SIGHUP, unless they were ignored (nohup). They are blocked except in ppoll()
 * with 'mask', so that none is lost between checking and waiting. */
struct signal_watch {
    sigset_t         mask;
    struct sigaction was[3];
};

void signal_watch_begin(struct signal_watch *);
int signal_watch_caught(void);                       /* its number, or 0 */
void signal_watch_end(struct signal_watch *);        /* restores the previous state */

#endif
