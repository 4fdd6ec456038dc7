/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_port.h: a communicator of MPI for one component (CCA's MPIBorrow and MPIService). A
 * class uses a port of this type; the framework connects it where the assembly runs on
 * ranks, and leaves it unconnected elsewhere: declare it as optional.
 *
 * This header does not need mpi.h, a component that asks for the communicator does; it is
 * then made for one flavour of MPI and lies in the folder of that flavour. Components
 * that shall do without use exchange_port.h. */
#ifndef PORTS_MPI_PORT_H
#define PORTS_MPI_PORT_H

#include "ports/cca_port.h"

#define MPI_PORT_TYPE "cca.MPIPort/1"

struct mpi_port {
    struct cca_port base;

    /* This rank among those of the assembly, 0 to size - 1. Any thread. */
    int (*rank)(struct mpi_port *self) CCA_UNMEASURED;
    int (*size)(struct mpi_port *self) CCA_UNMEASURED;
    /* The flavour, "openmpi" or "mpich". Static storage. Any thread. */
    const char *(*flavour)(struct mpi_port *self)CCA_UNMEASURED;
    /* What MPI_Init_thread has provided: MPI_THREAD_SINGLE 0 to MPI_THREAD_MULTIPLE 3, as
     * their order in MPI. Any thread. */
    int (*thread_level)(struct mpi_port *self) CCA_UNMEASURED;

    /* Lend the communicator of this component, a duplicate of MPI_COMM_WORLD that no
     * other component has:
     *
     *     MPI_Comm comm;
     *     int code = mpi->communicator(mpi, &comm, sizeof comm, err);
     *
     *   comm  out  MPI_Comm of the flavour; borrowed while the instance lives, not to be
     *              freed
     *   size  in   sizeof(MPI_Comm), which tells a component of another flavour
     *
     * Returns 0; -EINVAL the component was compiled for another flavour; -ECANCELED
     * another rank has failed; -EIO MPI failed. Collective the first time, and the first
     * time after a go that failed. The thread of the framework. */
    int (*communicator)(struct mpi_port *self, void *comm, size_t size,
                        struct cca_error *err) CCA_UNMEASURED;
};

#endif
