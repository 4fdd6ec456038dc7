/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.c: make the runs of a sweep by a job array of Slurm. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/asked.h"
#include "mastermind/cmd/sweep/cost.h"
#include "mastermind/writer/json_file.h"

#define SCRIPT "sweep.sbatch"
enum { MOST_TASKS = 100 /* by default */ };

int sweep_slurm_asked(const struct cca_given *slurm, const struct cca_given *tasks,
                      const struct cca_given *options, struct sweep_slurm *asked)
{
    double count = 0;
    int result = mm_option_count(tasks, 1, &count);

    if (result >= 0)
        return result;
    if (!slurm->given && (tasks->given || options->given))
        return mm_refuse(MM_EXIT_MISUSE, "option '%s' needs --slurm",
                         tasks->given ? tasks->name : options->name);
    asked->tasks = (size_t)(count < 1e6 ? count : 1e6);
    asked->options = cca_given_value(options);
    return -1;
}

/* --- The script --------------------------------------------------------------------- */

/* Print a word of a shell's command. */
static void print_word(FILE *file, const char *word)
{
    putc('\'', file);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", file);
        else
            putc(*word, file);
    putc('\'', file);
}

/* Print the directory in an option of sbatch, where %j and others stand for numbers. */
static void print_output(FILE *file, const char *path)
{
    fputs("#SBATCH --output=\"", file);
    for (; *path; path++)
        fprintf(file, *path == '%' ? "%%%%" : "%c", *path);
    fputs("/slurm-%A_%a.out\"\n", file);
}

static const char *most_ranks(const struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (sweep->axes[a].kind == SWEEP_RANKS)
            return sweep->axes[a].texts[sweep->axes[a].count - 1];
    return NULL;
}

static void print_script(FILE *file, const struct sweep *sweep,
                         const struct sweep_slurm *asked, size_t tasks,
                         const char *program)
{
    const char *ranks = most_ranks(sweep);

    fprintf(file,
            "#!/bin/bash\n#SBATCH --job-name=mastermind-sweep\n"
            "#SBATCH --array=1-%zu\n",
            tasks);
    print_output(file, sweep->path);
    fputs("#SBATCH --open-mode=append\n#SBATCH --requeue\n", file);
    if (ranks)
        fprintf(file, "#SBATCH --ntasks=%s\n", ranks);
    for (const char *at = asked->options ? asked->options : ""; *at;) {
        size_t length = strcspn(at, " \t");

        if (length)
            fprintf(file, "#SBATCH %.*s\n", (int)length, at);
        at += length;
        at += strspn(at, " \t");
    }
    fputs("# Each task makes runs until none is left; a task that dies loses none.\n"
          "exec ",
          file);
    print_word(file, program);
    fputs(" sweep --shared -o ", file);
    print_word(file, sweep->path);
    if (sweep->patience_s < SWEEP_PATIENCE_S || sweep->patience_s > SWEEP_PATIENCE_S)
        fprintf(file, " --patience %.17gs", sweep->patience_s);
    if (asked->budget) {
        fputs(" --budget ", file);
        print_word(file, asked->budget);
    }
    putc('\n', file);
}

static int write_script(const struct sweep *sweep, const struct sweep_slurm *asked,
                        size_t tasks)
{
    char program[PATH_MAX], *text = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct cca_error err = {0};
    int result;

    if (!file)
        return mm_no_memory();
    program[length > 0 ? length : 0] = '\0';
    print_script(file, sweep, asked, tasks, length > 0 ? program : "mastermind");
    result = fclose(file) ? cca_no_memory(&err)
                          : mm_file_replace(sweep->path, SCRIPT, text, size, &err);
    free(text);
    return result ? mm_complain(&err) : -1;
}

/* --- Submitting --------------------------------------------------------------------- */

/* Submit the script. `job` gets the number of the job. Returns -1 to go on. */
static int submit(const struct sweep *sweep, char job[64])
{
    char *path = NULL, *out = NULL, *err = NULL, *line = NULL;
    const struct sweep_watch watch = {.tick = NULL};
    int status = -ENOMEM, signal_number = 0, result = -1;
    double elapsed_s;

    if (asprintf(&path, "%s/" SCRIPT, sweep->path) >= 0 &&
        asprintf(&out, "%s/sbatch.out", sweep->path) >= 0 &&
        asprintf(&err, "%s/sbatch.err", sweep->path) >= 0)
        status = sweep_child_run(
            (char *[]){(char[]){"sbatch"}, (char[]){"--parsable"}, path, NULL},
            sweep->cwd, out, err, &watch, &elapsed_s, &signal_number);
    if (signal_number)
        result = 128 + signal_number;
    else if (status < 0)
        result = mm_refuse(MM_EXIT_SYSTEM, "cannot start sbatch: %s", strerror(-status));
    else if (status) {
        line = sweep_last_line(err);
        result = mm_refuse(MM_EXIT_SYSTEM, "cannot submit '%s/" SCRIPT "': %s",
                           mm_safe(sweep->dir), line ? mm_safe(line) : "sbatch failed");
    } else {
        FILE *file = fopen(out, "re");

        if (!file || fscanf(file, "%63[^;\n]", job) != 1)
            snprintf(job, 64, "?");
        if (file)
            fclose(file);
    }
    free(path);
    free(out);
    free(err);
    free(line);
    return result;
}

static void give_up_locks(struct sweep *sweep)
{
    close(sweep->lock);
    close(sweep->run_lock);
    sweep->lock = sweep->run_lock = -1;
}

int sweep_slurm_submit(struct sweep *sweep, const struct sweep_slurm *asked)
{
    size_t open = 0, tasks;
    char job[64];
    int result;

    for (size_t i = 0; i < sweep->plan->run_count; i++)
        open += sweep->runs[i].state == SWEEP_OPEN;
    if (!open) {
        printf("all %s in %s are done\n", mm_counted(sweep->plan->run_count, "run"),
               mm_safe(sweep->dir));
        return mm_finish_output(MM_EXIT_DONE);
    }
    tasks = asked->tasks ? asked->tasks : open < MOST_TASKS ? open : MOST_TASKS;
    result = sweep_queue_make(sweep);
    if (result < 0)
        result = write_script(sweep, asked, tasks);
    give_up_locks(sweep); /* tasks may start at once */
    if (result < 0)
        result = submit(sweep, job);
    if (result >= 0)
        return result;
    printf("job %s: %s for %s in %s; '%s %s' prints the results\n", mm_safe(job),
           mm_counted(tasks, "task"), mm_counted(open, "run"), mm_safe(sweep->dir),
           asked->results, mm_safe(sweep->dir));
    return mm_finish_output(MM_EXIT_DONE);
}
