/* src/study/campaign/executor_mpi.c - Open MPI. Not part of the program: see executor.h. */
#include "study/campaign/executor.h"
#include "version.h"

#include <mpi.h>
#include <stdlib.h>

static int start(int *rank, int *size)
{
    /* Where ranks share a core, one that waits for the others to start or to end lets them. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    int rc = MPI_Init(NULL, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(MPI_COMM_WORLD, size);
    return rc;
}

/* MPI ends the job if a message cannot be delivered; there is nothing to check. */
static void send_message(int to, const void *bytes, size_t length)
{
    MPI_Send(bytes, (int)length, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static bool probe(int *from, size_t *length)
{
    int is_there, count;
    MPI_Status status;

    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *from = status.MPI_SOURCE;
    *length = (size_t)count;
    return true;
}

static void receive_message(int from, void *bytes, size_t length)
{
    MPI_Recv(bytes, (int)length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void stop(void)
{
    MPI_Finalize();
}

const struct executor_mpi_ops executor_mpi_ops = {
    ANOLE_VERSION, start, send_message, probe, receive_message, stop,
};
