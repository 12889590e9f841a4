/* src/cmd/pool.h - many jobs, each in a process of its own, several at a time.
 *
 * A job that crashes takes nothing with it but itself. What a job has found it writes to a pipe; the parent
 * gets it whole, when the job has ended. SIGINT, SIGTERM and SIGHUP end the pool, and the processes with
 * it; should the parent be killed, they end too.
 */
#ifndef CMD_POOL_H
#define CMD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define POOL_WORKERS_MAX 512

struct pool_hooks {
    void *arg;
    /* In the parent, just before a job would start: whether it must be done at all. */
    bool (*is_needed)(void *arg, uint32_t job);
    /* In a process of its own: does the job; the exit status. */
    int (*work)(void *arg, uint32_t job, FILE *out);
    /* In the parent: 'status' as waitpid() gives it and all that the job has written, with a zero byte
     * behind it. Not 0: no more jobs are started, and those that run are ended. */
    int (*done)(void *arg, uint32_t job, int status, const char *text, size_t length);
    /* In the parent, several times a second; may be NULL. */
    void (*tick)(void *arg, uint32_t running);
};

/* Does the jobs 0 .. jobs - 1, begun in that order, 'workers' (1 .. POOL_WORKERS_MAX) at a time. Returns
 * 0, the number of the signal that has ended it, what done() has returned, or a negative errno if no
 * process could be started. */
int pool_run(const struct pool_hooks *, uint32_t jobs, uint32_t workers);

#endif
