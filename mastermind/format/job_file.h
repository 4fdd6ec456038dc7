/* SPDX-License-Identifier: BSD-3-Clause */
/* job_file.h: the file `job` of an experiment directory. It names the job whose processes
 * may join the experiment. */
#ifndef MASTERMIND_FORMAT_JOB_FILE_H
#define MASTERMIND_FORMAT_JOB_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MM_JOB_FILE "job"

/* True if the directory belongs to the job. */
static inline int mm_job_file_names(const char *directory, const char *job)
{
    char found[512];
    char *path;
    FILE *file;
    size_t length = 0;

    if (asprintf(&path, "%s/%s", directory, MM_JOB_FILE) < 0)
        return 0;
    file = fopen(path, "re");
    free(path);
    if (!file)
        return 0;
    length = fread(found, 1, sizeof found, file);
    fclose(file);
    return length == strlen(job) && memcmp(found, job, length) == 0;
}

#endif
