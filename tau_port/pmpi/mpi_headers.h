/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_headers.h: the declarations of one flavour of MPI, for the generator and for the
 * wrappers. */
#ifndef TAU_PORT_PMPI_MPI_HEADERS_H
#define TAU_PORT_PMPI_MPI_HEADERS_H

/* Open MPI still declares functions that MPI-3.0 removed. */
#ifndef OMPI_OMIT_MPI1_COMPAT_DECLS
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#endif
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#endif
