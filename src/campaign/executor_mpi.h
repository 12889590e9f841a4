/* src/campaign/executor_mpi.h - the little of MPI that a campaign needs.
 *
 * executor_mpi.c alone calls MPI. It becomes a file of its own, anole-mpi.so, that is loaded when the program
 * was started by mpirun: other runs need not wait until the MPI library is loaded, nor have it installed.
 */
#ifndef CAMPAIGN_EXECUTOR_MPI_H
#define CAMPAIGN_EXECUTOR_MPI_H

#include <stdbool.h>
#include <stddef.h>

#define EXECUTOR_MPI_FILE   "anole-mpi.so"
#define EXECUTOR_MPI_SYMBOL "executor_mpi_ops"

struct executor_mpi_ops {
    const char *version;         /* ANOLE_VERSION of whoever has built it */
    /* Joins the job; returns 0 or what MPI_Init() says. */
    int (*start)(int *rank, int *size);
    void (*send)(int to, const void *bytes, size_t length);
    /* Whether a message has come, from whom, and how long it is. Does not wait. */
    bool (*probe)(int *from, size_t *length);
    void (*receive)(int from, void *bytes, size_t length);
    void (*stop)(void);
};

extern const struct executor_mpi_ops executor_mpi_ops;

#endif
