/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h: the parallel job that a launcher of MPI has started this process in. */
#ifndef MASTERMIND_CMD_JOB_H
#define MASTERMIND_CMD_JOB_H

struct mm_job {
    const char *flavour; /* "openmpi", "mpich"; NULL: no launcher started this process */
    int rank, ranks;
    char name[256]; /* equal in all processes of a job, different between jobs */
};

/* Find the job by the variables of its launcher; $MASTERMIND_JOB, where it is set, is the
 * name. */
void mm_job_find(struct mm_job *job);

/* True if the experiment directory `path` belongs to this job. */
int mm_job_owns(const struct mm_job *job, const char *path);

#endif
