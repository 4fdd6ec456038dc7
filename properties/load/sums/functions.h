/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.h: what kind of work a function of MPI does, by its name. */
#ifndef PROPERTIES_LOAD_SUMS_FUNCTIONS_H
#define PROPERTIES_LOAD_SUMS_FUNCTIONS_H

enum mm_mpi_class {
    MM_MPI_RECV, /* receives, probes, and both at once */
    MM_MPI_SEND,
    MM_MPI_COMPLETION, /* receive or send by the requests that it completes */
    MM_MPI_SYNC,       /* barriers, synchronization of windows */
    MM_MPI_COLL,       /* other collectives */
    MM_MPI_CTL,        /* start, end, processes, communicators, types and all the rest */
    MM_MPI_IO,
    MM_MPI_CLASSES
};

/* The class of "MPI_Waitsome()"; brackets may be missing. */
enum mm_mpi_class mm_mpi_class_of(const char *name);

#endif
