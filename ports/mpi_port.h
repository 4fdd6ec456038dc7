/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_port.h: a communicator of MPI for one component (CCA's MPIBorrow and MPIService). A
 * class uses a port of this type; the framework connects it where the assembly runs on
 * ranks, and leaves it unconnected elsewhere: declare it as optional.
 *
 * This header does not need mpi.h, but a component that uses the communicator does: it is
 * then compiled for one implementation of MPI and lies in the folder of this
 * implementation. Components that need not call MPI themselves use exchange_port.h. */
#ifndef PORTS_MPI_PORT_H
#define PORTS_MPI_PORT_H

#include "ports/cca_port.h"

#define MPI_PORT_TYPE "cca.MPIPort/1"

struct mpi_port {
    struct cca_port base;

    /* Return the number of this rank in the assembly, 0 to size - 1. Any thread. */
    int (*rank)(struct mpi_port *self) CCA_UNMEASURED;
    int (*size)(struct mpi_port *self) CCA_UNMEASURED;
    /* Return the implementation of MPI, "openmpi" or "mpich". Static storage. Any thread.
     */
    const char *(*flavour)(struct mpi_port *self)CCA_UNMEASURED;
    /* Return the thread level that MPI_Init_thread has provided: MPI_THREAD_SINGLE 0 to
     * MPI_THREAD_MULTIPLE 3, in MPI's order. Any thread. */
    int (*thread_level)(struct mpi_port *self) CCA_UNMEASURED;

    /* Get the communicator of this component, a duplicate of MPI_COMM_WORLD that no other
     * component uses:
     *
     *     MPI_Comm comm;
     *     int code = mpi->communicator(mpi, &comm, sizeof comm, err);
     *
     *   comm  out  MPI_Comm; borrowed while the instance lives, do not free it
     *   size  in   sizeof(MPI_Comm), to detect a component that was compiled for another
     *              implementation of MPI
     *
     * Returns 0; -EINVAL the component was compiled for another implementation;
     * -ECANCELED another rank has failed; -EIO MPI failed. Collective in the first call,
     * and in the first call after a call of a Go port has failed. Call it in the
     * framework's thread. */
    int (*communicator)(struct mpi_port *self, void *comm, size_t size,
                        struct cca_error *err) CCA_UNMEASURED;
};

#endif
