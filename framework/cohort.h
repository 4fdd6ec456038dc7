/* SPDX-License-Identifier: BSD-3-Clause */
/* cohort.h: the ranks that hold the same assembly (SCMD), and how they agree.
 *
 * The framework knows MPI by this struct alone. framework/mpi/ implements it, compiled
 * once per flavour of MPI; a main program may bring another. A failed rank
 * waits for the others a few seconds at most: an alarm calls back the ranks that wait in
 * an exchange port, and if a rank does not come, the whole run is ended. */
#ifndef FRAMEWORK_COHORT_H
#define FRAMEWORK_COHORT_H

#include <stdio.h>

#include "framework/cca.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CCA_COHORT_ALARM_MS =
        250, /* a rank that has failed waits so long before it raises the alarm */
    CCA_COHORT_GRACE_MS = 5000 /* time limit for the other ranks */
};

struct cca_cohort {
    const char *flavour; /* "openmpi", "mpich" */
    int rank, size;

    /* Each rank gives `bytes` bytes and gets those of all, in order of ranks. Collective.
     *
     *   all      out  [size][bytes], caller's memory
     *   failing  in   this rank has failed: the others may never come. Then the alarm is
     *                 raised after CCA_COHORT_ALARM_MS, and after CCA_COHORT_GRACE_MS it
     *                 returns -ETIMEDOUT; else it waits as long as it takes
     *
     * 0; -ETIMEDOUT; -EIO. After a failure only abort may be called. The thread of the
     * framework. */
    int (*gather)(struct cca_cohort *self, const void *mine, size_t bytes, void *all,
                  int failing);

    /* The rank that raised the alarm since the last gather, or -1. If it is not -1, a
     * failure on this rank is a consequence of the alarm. */
    int (*alarmed)(struct cca_cohort *self);
    /* A step has failed somewhere, and all ranks know: messages under way are lost, ports
     * begin anew. */
    void (*renew)(struct cca_cohort *self);

    /* The cohort's own port of a type (MPI_PORT_TYPE, EXCHANGE_PORT_TYPE) for one
     * instance: new, given back with unserve; NULL: out of memory, or no such type. */
    struct cca_port *(*serve)(struct cca_cohort *self, const char *type);
    void (*unserve)(struct cca_cohort *self, struct cca_port *port);

    /* End all ranks at once; does not return. Any thread. */
    void (*abort)(struct cca_cohort *self, int status);

    /* End this rank together with the others; frees the cohort. If `status` is not 0, it
     * waits only briefly for the others and for MPI, then ends the process with `status`.
     * Collective. */
    void (*close)(struct cca_cohort *self, int status);
};

/* The next step of a rank, or the result of its last one. */
struct cca_step {
    uint64_t digest;   /* must be the same on all ranks; 0: only `status` counts */
    int status;        /* 0, or the exit status of a failure */
    const char *place; /* "FILE:LINE", or NULL */
    const char *text; /* one line: the step that `digest` is of, or the failure; NULL: not
                         reported */
};

/* Agree on a step: 0 where no rank has failed and all have the same digest. Otherwise the
 * exit status, the same on every rank (3 where only digests differ), and rank 0 has
 * written to `words` who failed or differs, one line each. Where other ranks do not come,
 * this one writes its own line and ends the run. Collective.
 *
 *   all_failed  out  each rank had a failure of its own to tell: they are all at the same
 *                    place still. May be NULL */
CCA_API int cca_cohort_agree(struct cca_cohort *cohort, const struct cca_step *mine,
                             FILE *words, int *all_failed);

/* A digest of bytes on top of another one (begin with 0); never 0. */
CCA_API uint64_t cca_digest(uint64_t digest, const void *bytes, size_t size);
static inline uint64_t cca_digest_text(uint64_t digest, const char *text)
{
    const char *end = text;

    while (*end)
        end++;
    return cca_digest(digest, text, (size_t)(end - text) + 1);
}

/* Exported by a module of framework/mpi: the cohort of this process, new; MPI is
 * initialised. NULL with `err`. */
#define CCA_COHORT_OPEN "cca_cohort_open"
typedef struct cca_cohort *(*cca_cohort_open_function)(struct cca_error *err);

#ifdef __cplusplus
}
#endif
#endif
