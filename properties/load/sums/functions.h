/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.h: class of an MPI function by its name. */
#ifndef PROPERTIES_LOAD_SUMS_FUNCTIONS_H
#define PROPERTIES_LOAD_SUMS_FUNCTIONS_H

enum mm_mpi_class {
    MM_MPI_RECV, /* receives, probes, and combined send-receives */
    MM_MPI_SEND,
    MM_MPI_COMPLETION, /* receive or send, depending on the completed requests */
    MM_MPI_SYNC,       /* barriers, synchronisation of windows */
    MM_MPI_COLL,       /* other collectives */
    MM_MPI_CTL,        /* start, end, processes, communicators, types and all other
                        * functions */
    MM_MPI_IO,
    MM_MPI_CLASSES
};

/* The class of "MPI_Waitsome()"; parentheses may be missing. */
enum mm_mpi_class mm_mpi_class_of(const char *name);

#endif
