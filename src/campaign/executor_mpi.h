/* src/campaign/executor_mpi.h - the MPI functions that a campaign needs.
 *
 * Only executor_mpi.c calls MPI. It is a separate library, anole-mpi.so, loaded under mpirun, so that other
 * runs do not need MPI.
 */
#ifndef CAMPAIGN_EXECUTOR_MPI_H
#define CAMPAIGN_EXECUTOR_MPI_H

#include <stdbool.h>
#include <stddef.h>

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
