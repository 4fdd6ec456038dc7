/* SPDX-License-Identifier: BSD-3-Clause */
/* preloads.h: the libraries that are loaded into a recorded program, the value of
 * LD_PRELOAD. The functions return 0, or an exit code after a message. */
#ifndef MASTERMIND_CMD_RECORD_PRELOADS_H
#define MASTERMIND_CMD_RECORD_PRELOADS_H

#include <stddef.h>

struct mm_preloads {
    char *text; /* value of LD_PRELOAD, freed by the caller; NULL: no library yet */
    size_t count;
};

/* Add an interposition library, or all of a folder. */
int mm_preloads_add_proxy(struct mm_preloads *preloads, const char *path);
/* Add the library of the recorder. */
int mm_preloads_add_runtime(struct mm_preloads *preloads);
/* Add the interposition library for PETSc's solvers. */
int mm_preloads_add_petsc(struct mm_preloads *preloads);
/* Add the wrappers around MPI if this process is a rank or --mpi requires them.
 *
 *   flavour  in  "openmpi", "mpich", or "none" or NULL: no wrappers
 *   asked    in  true if --mpi names the flavour
 */
int mm_preloads_add_mpi(struct mm_preloads *preloads, const char *flavour, int asked);
/* Add the libraries of wrappers that the metrics require. */
int mm_preloads_add_measuring(struct mm_preloads *preloads, const char *metrics);

#endif
