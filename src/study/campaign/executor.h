/* src/study/campaign/executor.h - runs jobs in parallel on this machine or, under mpirun or srun --mpi=pmix,
 * on all MPI ranks.
 *
 * Rank 0 hands out jobs and collects results. The other ranks, workers, were started with the same command
 * line; they execute jobs and print nothing.
 *
 * MPI and fork() do not work together on every network. Each rank therefore forks a runner before it starts
 * MPI: a pool whose jobs come from a socket. The rank forwards messages between MPI and its runner:
 *
 *     rank 0   next(), done()  <--->  socket  <--->  runner  --- fork --->  job, job ...
 *                    |
 *     rank n        MPI        <--->  socket  <--->  runner  --- fork --->  job, job ...
 *
 * Only executor_mpi.c calls MPI. It is a separate library, anole-mpi.so, loaded under mpirun: other runs do
 * not need MPI.
 */
#ifndef STUDY_CAMPAIGN_EXECUTOR_H
#define STUDY_CAMPAIGN_EXECUTOR_H

#include "base/err.h"
#include "study/campaign/pool.h"

struct executor;

bool executor_is_mpi(void);

/* A worker prints nothing before executor_serve(): rank 0 reports errors in the command line. */
bool executor_is_worker(void);
void executor_hush_worker(void);

/* 'slots': concurrent jobs per rank. Hooks are used as in pool_run(), without 'wake'. 'arg' must be ready
 * for work(), because runners are forked here. On failure *out is NULL. */
int executor_open(struct executor **out, const struct pool_hooks *, uint32_t slots, struct err *);

/* Like pool_run(). May be called repeatedly. After a signal the program must end. */
int executor_run(struct executor *);

/* Ends the other ranks. */
void executor_close(struct executor *);

/* Ends the other ranks if rank 0 fails before executor_open(); mpirun would do that, srun would not. Does
 * nothing otherwise. */
void executor_dismiss(void);

/* In a worker, instead of executor_open(): executes the jobs of rank 0 until there are no more. */
int executor_serve(const struct pool_hooks *, uint32_t slots, struct err *);

/* ---- executor_mpi.c ---- */

#define EXECUTOR_MPI_FILE   "anole-mpi.so"
#define EXECUTOR_MPI_SYMBOL "executor_mpi_ops"

struct executor_mpi_ops {
    const char *version;         /* ANOLE_VERSION of the build */
    /* Joins the job; returns the result of MPI_Init(). */
    int (*start)(int *rank, int *size);
    void (*send)(int to, const void *bytes, size_t length);
    /* Returns true if a message has arrived; does not wait. */
    bool (*probe)(int *from, size_t *length);
    void (*receive)(int from, void *bytes, size_t length);
    void (*stop)(void);
};

extern const struct executor_mpi_ops executor_mpi_ops;

#endif
