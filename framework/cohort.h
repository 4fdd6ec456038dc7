/* SPDX-License-Identifier: BSD-3-Clause */
/* cohort.h: the ranks that hold the same assembly (SCMD), and how they agree.
 *
 * The framework uses MPI only through this struct. framework/mpi/ implements it, compiled
 * once for each implementation of MPI; a main program may supply another. A failed rank
 * waits for the other ranks a few seconds at most. It raises an alarm, which makes ranks
 * return that wait in an exchange port. If a rank still does not arrive, the whole run is
 * ended. */
#ifndef FRAMEWORK_COHORT_H
#define FRAMEWORK_COHORT_H

#include <stdio.h>

#include "framework/cca.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CCA_COHORT_ALARM_MS =
        250, /* time that a failed rank waits before it raises the alarm */
    CCA_COHORT_GRACE_MS = 5000 /* time limit for the other ranks to arrive */
};

struct cca_cohort {
    const char *flavour; /* "openmpi", "mpich" */
    int rank, size;

    /* Each rank contributes `bytes` bytes and gets the bytes of all, in order of ranks.
     * Collective.
     *
     *   all      out  [size][bytes], caller's memory
     *   failing  in   true if this rank has failed, and the others may never arrive. Then
     *                 the alarm is raised after CCA_COHORT_ALARM_MS, and after
     *                 CCA_COHORT_GRACE_MS gather returns -ETIMEDOUT; otherwise it waits
     *                 without limit
     *
     * Returns 0; -ETIMEDOUT; -EIO. After a failure only abort may be called. Call it in
     * the framework's thread. */
    int (*gather)(struct cca_cohort *self, const void *mine, size_t bytes, void *all,
                  int failing);

    /* Return the rank that raised the alarm since the last gather, or -1. If it is not
     * -1, a failure on this rank is a consequence of the alarm. */
    int (*alarmed)(struct cca_cohort *self);
    /* Called when a step has failed somewhere and all ranks know it: messages in flight
     * are lost, and the cohort's ports start anew. */
    void (*renew)(struct cca_cohort *self);

    /* Make the cohort's port of a type (MPI_PORT_TYPE, EXCHANGE_PORT_TYPE) for one
     * instance: new, freed with unserve; NULL: out of memory, or no such type. */
    struct cca_port *(*serve)(struct cca_cohort *self, const char *type);
    void (*unserve)(struct cca_cohort *self, struct cca_port *port);

    /* Start to compute the minimum of each of `count` values over all ranks, with the
     * communicator of an exchange port that `serve` has made; no other function of that
     * port may be called before minimum_end, which waits for the results.
     *
     *   values  in, out  copied by minimum_begin; set by minimum_end
     *
     * Return 0; -ECANCELED: another rank has failed; -ESTALE: a step has failed somewhere
     * since minimum_begin; -ENOMEM, -EIO. Collective. */
    int (*minimum_begin)(struct cca_cohort *self, struct cca_port *port,
                         const double *values, int count);
    int (*minimum_end)(struct cca_cohort *self, struct cca_port *port, double *values,
                       int count);

    /* End all ranks at once; does not return. Any thread. */
    void (*abort)(struct cca_cohort *self, int status);

    /* End this rank together with the others, and free the cohort. If `status` is not 0,
     * it waits only briefly for the other ranks and for MPI, then ends the process with
     * `status`. Collective. */
    void (*close)(struct cca_cohort *self, int status);
};

/* The next step of a rank, or the result of its last step. */
struct cca_step {
    uint64_t digest;   /* hash of the step, which must be equal on all ranks; 0: only
                        * `status` is compared */
    int status;        /* result of the step: 0, or the exit status of a failure */
    const char *place; /* place of the step in the script, "FILE:LINE"; or NULL */
    const char *text;  /* one line about the step of `digest`, or about the failure; NULL:
                        * not reported */
};

/* Agree on a step. Returns 0 if no rank has failed and all have the same digest.
 * Otherwise returns the exit status, the same on every rank (3 if only digests differ),
 * and rank 0 has written a line to `words` for each rank that failed or differs. If other
 * ranks do not arrive, this rank writes a line about itself and ends the run. Collective.
 *
 *   all_failed  out  true if each rank had a failure of its own, so that all are still
 *                    at the same step. May be NULL */
CCA_API int cca_cohort_agree(struct cca_cohort *cohort, const struct cca_step *mine,
                             FILE *words, int *all_failed);

/* Continue the digest (begin with 0) with further bytes; never 0. */
CCA_API uint64_t cca_digest(uint64_t digest, const void *bytes, size_t size);
static inline uint64_t cca_digest_text(uint64_t digest, const char *text)
{
    const char *end = text;

    while (*end)
        end++;
    return cca_digest(digest, text, (size_t)(end - text) + 1);
}

/* Name and type of the function that a module of framework/mpi exports. It initialises
 * MPI and returns the cohort of this process, new, or NULL with `err`. */
#define CCA_COHORT_OPEN "cca_cohort_open"
typedef struct cca_cohort *(*cca_cohort_open_function)(struct cca_error *err);

#ifdef __cplusplus
}
#endif
#endif
