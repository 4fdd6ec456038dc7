/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_fortran.h: convert arguments of Fortran to C, for the hooks of wrappers whose MPI
 * library calls PMPI_* itself. Fortran's INTEGER must be C's int, and a status must have
 * the same layout in both languages, as in Open MPI and MPICH. */
#ifndef TAU_PORT_PMPI_HOOKS_FORTRAN_H
#define TAU_PORT_PMPI_HOOKS_FORTRAN_H

#include "tau_port/pmpi/hooks.h"

#include <stddef.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER of Fortran is not C's int");

enum { PMPI_F_REQUESTS = 32, PMPI_F_TEXT = 1024 };

/* set by wrap.py: there are wrappers of mpi_f08 */
extern const int pmpi_f08_wrapped;
/* 1: the process has loaded an mpi_f08 without wrappers. */
int pmpi_f08_unseen(void);

/* An array of requests, converted to C. */
struct pmpi_f_requests {
    int count;
    size_t mapped; /* size of the mapped array of requests, if `own` is too small */
    MPI_Request *requests;
    MPI_Request own[PMPI_F_REQUESTS];
};

/* Convert `count` requests at `handles`. The array is borrowed until
 * pmpi_f_requests_end; room->count is 0 without memory. */
MPI_Request *pmpi_f_requests(struct pmpi_f_requests *room, const void *handles,
                             int count);
/* Convert the requests back to Fortran after the call. */
void pmpi_f_requests_again(struct pmpi_f_requests *room, const void *handles);
void pmpi_f_requests_end(struct pmpi_f_requests *room);

/* Whether the address means MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE; those of mpi_f08
 * may differ from those of mpif.h. */
int pmpi_f_ignores(const void *status);
int pmpi_f_ignores_all(const void *statuses);

/* Index of the first request, as returned by this function of mpi_f08: 1, but 0 in MPICH
 * 4.0. `known`: -1, later the result. Calls the function once, with a request to
 * MPI_PROC_NULL. */
enum pmpi_f_kind { PMPI_F_WAITANY, PMPI_F_TESTANY, PMPI_F_SOME };
int pmpi_f08_first(int *known, pmpi_function function, enum pmpi_f_kind kind);

/* Number of requests, at `outcount`, that a Waitsome or Testsome with this result has
 * completed; MPI_UNDEFINED: none, or the call has failed. */
int pmpi_f_done(int result, const void *outcount);
/* Add `shift` to each of `count` indices; count may be MPI_UNDEFINED. Returns them. */
int *pmpi_f_indices(void *indices, int count, int shift);

/* A Fortran string without trailing blanks, cut to PMPI_F_TEXT. */
void pmpi_f_text(char text[PMPI_F_TEXT], const void *given, size_t length);

#endif
