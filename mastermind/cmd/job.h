/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h: the parallel job that an MPI launcher has started this process in. */
#ifndef MASTERMIND_CMD_JOB_H
#define MASTERMIND_CMD_JOB_H

struct mm_job {
    const char *flavour; /* implementation of MPI, "openmpi" or "mpich"; NULL: the
                          * process was not started by a launcher */
    int rank, ranks;
    char name[256]; /* name of the job: equal in all its processes, different from other
                       jobs' names */
};

/* Find the job from variables of its launcher; $MASTERMIND_JOB, if set, is its name. */
void mm_job_find(struct mm_job *job);

/* Start of a process on this host, in clock ticks after boot; 0: there is no such
 * process. */
unsigned long long mm_process_started(long pid);

/* True if the experiment directory `path` belongs to this job. */
int mm_job_owns(const struct mm_job *job, const char *path);

#endif
