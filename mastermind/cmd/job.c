/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c: identify the parallel job that an MPI launcher has started this process in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/job.h"
#include "mastermind/format/job_file.h"

static int number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long number = text ? strtol(text, &end, 10) : -1;

    return text && end > text && !*end && number >= 0 && number < 100000000 ? (int)number
                                                                            : -1;
}

static const char *text_of(const char *name)
{
    const char *text = getenv(name);

    return text ? text : "";
}

struct process {
    char name[64];
    long parent;
    unsigned long long started; /* start of the process, in clock ticks after boot */
};

/* Read /proc/PID/stat. The command name is in parentheses and may contain parentheses. */
static int read_process(long pid, struct process *process)
{
    char path[64], line[1024];
    FILE *file;
    char *open, *close;
    size_t length;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    open = strchr(line, '(');
    close = strrchr(line, ')');
    if (!open || !close)
        return 0;
    snprintf(process->name, sizeof process->name, "%.*s", (int)(close - open - 1),
             open + 1);
    return sscanf(close + 1,
                  " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                  "%*d %*d %llu",
                  &process->parent, &process->started) == 2;
}

unsigned long long mm_process_started(long pid)
{
    struct process process;

    return read_process(pid, &process) ? process.started : 0;
}

/* Hydra sets no job name: use the process id and start time of its proxy on this machine.
 * A shell may be between the proxy and this process. */
static void name_by_proxy(struct mm_job *job)
{
    struct process process;
    char host[128] = "";
    long pid = getppid(), proxy = pid;

    gethostname(host, sizeof host - 1);
    for (long at = pid; at > 1 && read_process(at, &process); at = process.parent) {
        if (strncmp(process.name, "hydra", 5) == 0) {
            proxy = at;
            break;
        }
    }
    if (!read_process(proxy, &process))
        process.started = 0;
    snprintf(job->name, sizeof job->name, "mpich %s %ld %llu", host, proxy,
             process.started);
}

void mm_job_find(struct mm_job *job)
{
    const char *name = text_of("MASTERMIND_JOB");

    memset(job, 0, sizeof *job);
    job->rank = number_of("OMPI_COMM_WORLD_RANK");
    job->ranks = number_of("OMPI_COMM_WORLD_SIZE");
    if (job->rank >= 0 && job->ranks > job->rank) {
        job->flavour = "openmpi";
        snprintf(job->name, sizeof job->name, "openmpi %s %s",
                 text_of("OMPI_MCA_ess_base_jobid"),
                 text_of("OMPI_MCA_orte_precondition_transports"));
    } else {
        job->rank = number_of("PMI_RANK");
        job->ranks = number_of("PMI_SIZE");
        if (job->rank < 0 || job->ranks <= job->rank)
            return;
        job->flavour = "mpich";
        name_by_proxy(job);
    }
    if (*name)
        snprintf(job->name, sizeof job->name, "%s", name);
}

int mm_job_owns(const struct mm_job *job, const char *path)
{
    return job->flavour && mm_job_file_names(path, job->name);
}
