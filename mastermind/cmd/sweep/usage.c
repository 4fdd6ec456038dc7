/* SPDX-License-Identifier: BSD-3-Clause */
/* usage.c: CPU time and memory of programs that a parallel launcher starts, which may be
 * children of a daemon, or on other hosts: from ranks that measure themselves, or from
 * the accounting of Slurm. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/cost.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/library/launch/launch.h"

/* True if the first of the words, up to a blank, is one of these programs. */
static int is_program(const char *words, const char *const *names)
{
    size_t length;
    const char *slash;

    words += strspn(words, " \t");
    length = strcspn(words, " \t");
    slash = memrchr(words, '/', length);
    if (slash) {
        length -= (size_t)(slash + 1 - words);
        words = slash + 1;
    }
    for (; *names; names++) {
        size_t size = strlen(*names);

        /* mpirun.openmpi is one, too */
        if (length >= size && strncmp(words, *names, size) == 0 &&
            (length == size || words[size] == '.'))
            return 1;
    }
    return 0;
}

static int measures_ranks(const struct sweep *sweep)
{
    static const char *const names[] = {"srun",    "mpirun",  "mpiexec",
                                        "orterun", "prterun", NULL};

    return sweep->is_plain && sweep->launcher && is_program(sweep->launcher, names);
}

/* Processes outside of the sweep's own have no samples. */
static void raise_cost(struct sweep_cost *cost, double cpu_s, double peak_bytes)
{
    if (cpu_s > cost->cpu_s) {
        cost->cpu_s = cpu_s;
        cost->part_count = 0;
    }
    cost->peak_bytes = fmax(cost->peak_bytes, peak_bytes);
}

/* --- Ranks that measure themselves -------------------------------------------------- */

void sweep_usage_add_words(struct sweep_words *words, const struct sweep *sweep,
                           size_t at)
{
    char path[PATH_MAX];

    if (!measures_ranks(sweep) || mm_launch_path(path, sizeof path))
        return;
    sweep_words_add(words, strdup(path));
    sweep_words_add(words, strdup("--usage"));
    sweep_words_add(words, sweep_run_path(sweep, at, ".usage"));
}

/* Add the measurement of a rank. */
static void add_rank(const char *directory, const char *name, double *cpu_s,
                     double *peak_bytes, size_t *count)
{
    char *path = sweep_path_in(directory, name);
    FILE *file = path && *name != '.' ? fopen(path, "re") : NULL;
    double us, kib;

    if (file && fscanf(file, "%lf %lf", &us, &kib) == 2) {
        *cpu_s += 1e-6 * us;
        *peak_bytes = fmax(*peak_bytes, 1024 * kib);
        ++*count;
    }
    if (file)
        fclose(file);
    free(path);
}

static int take_ranks(const char *directory, const char *ranks, struct sweep_cost *cost,
                      struct cca_error *err)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    double cpu_s = 0, peak_bytes = 0;
    size_t count = 0;

    if (!dir)
        return 0;
    while ((entry = readdir(dir)))
        add_rank(directory, entry->d_name, &cpu_s, &peak_bytes, &count);
    closedir(dir);
    /* ranks on this host may be in the cost already */
    raise_cost(cost, cpu_s, peak_bytes);
    if (ranks && count && count != strtoul(ranks, NULL, 10))
        return cca_error_set(err, -EINVAL, "found %zu rank%s, expected %s", count,
                             count == 1 ? "" : "s", ranks);
    return 0;
}

/* --- Accounting of Slurm ------------------------------------------------------------ */

/* A time of sacct, "[DAYS-][HOURS:]MINUTES:SECONDS", in s. */
static double read_time(const char *text)
{
    const char *dash = strchr(text, '-');
    double seconds = 0;

    for (const char *at = dash ? dash + 1 : text; at;) {
        seconds = 60 * seconds + strtod(at, NULL);
        at = strchr(at, ':');
        at = at ? at + 1 : NULL;
    }
    return seconds + (dash ? 86400 * strtod(text, NULL) : 0);
}

/* A size of sacct, "123K", in bytes. */
static double read_bytes(const char *text)
{
    static const char units[] = "KMGTP";
    char *end;
    double bytes = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;

    return unit ? bytes * pow(1024, (double)(unit - units + 1)) : bytes;
}

/* Steps of this job, from `first` on. Returns the number of the last step, or -1. */
static long read_steps(long first, double *cpu_s, double *peak_bytes)
{
    char line[400], *command = NULL;
    FILE *file = NULL;
    long last = -1;

    if (asprintf(&command,
                 "exec sacct --noheader --parsable2 --jobs='%.40s' "
                 "--format=JobIDRaw,TotalCPU,MaxRSS,End 2>/dev/null",
                 getenv("SLURM_JOB_ID")) >= 0)
        file = popen(command, "re");
    free(command);
    while (file && fgets(line, sizeof line, file)) {
        char time[40], size[40], end[40];
        long step;

        if (sscanf(line, "%*[^.|].%ld|%39[^|]|%39[^|]|%39[^\n]", &step, time, size,
                   end) != 4 ||
            strcmp(end, "Unknown") == 0)
            continue;
        last = step > last ? step : last;
        if (step < first)
            continue;
        *cpu_s += read_time(time);
        *peak_bytes = fmax(*peak_bytes, read_bytes(size));
    }
    return file && pclose(file) == 0 ? last : -1;
}

/* The number of steps that runs of this process have made. */
static long steps_before;

static int is_step(const struct sweep *sweep)
{
    static const char *const names[] = {"srun", NULL};
    const char *job = getenv("SLURM_JOB_ID");

    return job && !job[strspn(job, "0123456789")] && sweep->is_plain &&
           !sweep->launcher && is_program(sweep->command[0], names);
}

/* Take the cost of a run whose command is srun: its processes are children of a daemon.
 */
static void take_steps(size_t at, struct sweep_cost *cost)
{
    enum { TRIES = 10 }; /* the accounting is some seconds late */
    double cpu_s = 0, peak_bytes = 0;
    long last = -1;

    for (int i = 0; i < TRIES && last < steps_before; i++) {
        const struct timespec rest = {.tv_nsec = 500000000};

        if (i)
            nanosleep(&rest, NULL);
        cpu_s = peak_bytes = 0;
        last = read_steps(steps_before, &cpu_s, &peak_bytes);
        if (last < 0)
            break;
    }
    if (last < steps_before) {
        fprintf(stderr,
                "mastermind: run %zu has CPU time and memory of srun alone, as sacct has "
                "none: use --launcher srun\n",
                at + 1);
        return;
    }
    raise_cost(cost, cpu_s, peak_bytes);
}

/* --- A run -------------------------------------------------------------------------- */

void sweep_usage_begin(const struct sweep *sweep, size_t at)
{
    char *path = measures_ranks(sweep) ? sweep_run_path(sweep, at, ".usage") : NULL;
    double unused = 0;

    if (path) {
        cca_directory_remove(path);
        mkdir(path, 0777);
    }
    if (is_step(sweep))
        steps_before = read_steps(LONG_MAX, &unused, &unused) + 1;
    free(path);
}

int sweep_usage_end(const struct sweep *sweep, size_t at, const char *ranks,
                    struct sweep_cost *cost, struct cca_error *err)
{
    char *path = measures_ranks(sweep) ? sweep_run_path(sweep, at, ".usage") : NULL;
    int result = path ? take_ranks(path, ranks, cost, err) : 0;

    if (path)
        cca_directory_remove(path);
    if (is_step(sweep))
        take_steps(at, cost);
    free(path);
    return result;
}
