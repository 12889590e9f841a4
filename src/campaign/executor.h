/* src/campaign/executor.h - where the runs of a campaign are simulated.
 *
 * On this machine, several at a time; or, when the program was started by mpirun or by srun --mpi=pmix, on
 * all ranks of the MPI job. Rank 0 reads the command line, hands out jobs and takes what they have found; the
 * others were started with the same command line, do what they are told and print nothing.
 *
 * MPI and fork() do not go together on every network, so every rank starts a process before it starts MPI,
 * its runner: a pool whose jobs come from a socket. A job is a process of its own there as everywhere, and
 * neither it nor the runner knows MPI. A rank carries messages between MPI and its runner and sleeps in
 * between:
 *
 *     rank 0   next(), done()  <--->  socket  <--->  runner  --- fork --->  job, job ...
 *                    |
 *     rank n        MPI        <--->  socket  <--->  runner  --- fork --->  job, job ...
 *
 * The MPI library is loaded only then, from a file beside the program (executor_mpi.c).
 */
#ifndef CAMPAIGN_EXECUTOR_H
#define CAMPAIGN_EXECUTOR_H

#include "base/err.h"
#include "campaign/pool.h"

struct executor;

/* Whether this process is one of several that MPI has started. */
bool executor_is_mpi(void);

/* Whether it is one of those that do what rank 0 says. Such a process has nothing to say before
 * executor_serve(): what is wrong with the command line rank 0 tells. */
bool executor_is_worker(void);
void executor_hush_worker(void);

/* 'slots': how many jobs at a time, on each rank. The hooks, but for 'wake', are used as in pool_run(); 'arg'
 * must be ready for work() now, because runners are started here. On failure *out is NULL. */
int executor_open(struct executor **out, const struct pool_hooks *, uint32_t slots, struct err *);

/* As pool_run(). May be called again. After a signal the program must end. */
int executor_run(struct executor *);

/* Lets the other ranks end. */
void executor_close(struct executor *);

/* Rank 0 has failed before executor_open(): lets the other ranks end, which wait for it. mpirun would end them by itself, srun
 * would not. Does nothing in any other process, and nothing after executor_open(). */
void executor_dismiss(void);

/* In a worker, in place of executor_open(): does jobs until rank 0 has no more. */
int executor_serve(const struct pool_hooks *, uint32_t slots, struct err *);

#endif
