/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c: make the run of a step, as a process or a job. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/search/search_verb.h"
#include "mastermind/cmd/sweep/sweep.h"

struct progress {
    const struct search *search;
    size_t at;
};

static void print_progress(void *context, double elapsed_s)
{
    const struct progress *p = context;
    const struct mm_search_run *run = &p->search->steps[p->at].run;

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[Kstep %zu: %s, %s: %s", p->at + 1,
            mm_counted((uint64_t)run->ranks, "rank"), search_asks_text(run->asks),
            mm_time(1e9 * elapsed_s));
    if (isfinite(run->seconds))
        fprintf(stderr, " of about %s", mm_time(1e9 * run->seconds));
    fflush(stderr);
}

/* Rename the experiment of a run that ended well to its final name. */
static int take_experiment(const struct search *search, size_t at)
{
    char *part = search_path(search, at, ".part"), *path = search_path(search, at, ".mm");
    int taken = part && path && sweep_is_finished(part) && rename(part, path) == 0;

    free(part);
    free(path);
    return taken;
}

int search_make_run(struct search *search, size_t at)
{
    struct search_step *step = &search->steps[at];
    struct progress progress = {search, at};
    const struct sweep_watch watch = {.tick = print_progress, .context = &progress};
    char **words = search_command_of(search, at);
    char *part = search_path(search, at, ".part"), *out = search_path(search, at, ".out"),
         *err = search_path(search, at, ".err");
    int status = -ENOMEM, signal_number = 0;
    double elapsed = 0;

    if (part)
        cca_directory_remove(part);
    if (words && part && out && err)
        status = sweep_child_run(words, search->cwd, out, err, &watch, &elapsed,
                                 &signal_number);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    sweep_words_free(words);
    free(part);
    free(out);
    free(err);
    if (signal_number)
        return 128 + signal_number;
    if (status < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot start a run: %s", strerror(-status));
    step->run.seconds = elapsed;
    step->state =
        status == 0 && take_experiment(search, at) ? SEARCH_DONE : SEARCH_FAILED;
    if (step->state == SEARCH_FAILED)
        fprintf(stderr, "mastermind: step %zu failed: status %d; run-%03zu.err has why\n",
                at + 1, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                at + 1);
    return search_write(search);
}

/* --- Jobs --------------------------------------------------------------------------- */

/* Print a word in single quotes for the shell. */
static void put_quoted(FILE *file, const char *word)
{
    fputs(" '", file);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", file);
        else
            fputc(*word, file);
    fputc('\'', file);
}

int search_write_job(const struct search *search, size_t at)
{
    const struct mm_search_run *run = &search->steps[at].run;
    char **words = search_command_of(search, at), *path = search_path(search, at, ".sh");
    FILE *file = words && path ? fopen(path, "we") : NULL;
    int failed = !file;

    if (file) {
        fprintf(file,
                "#!/bin/bash\n#SBATCH --job-name=search-%03zu\n#SBATCH --ntasks=%d\n",
                at + 1, run->ranks);
        if (isfinite(run->seconds)) /* time limit: twice the expected time, in minutes */
            fprintf(file, "#SBATCH --time=%.0f\n", ceil(run->seconds * 2 / 60) + 1);
        fputs("#SBATCH --output=", file);
        fprintf(file, "%s/run-%03zu.out\ncd", search->path, at + 1);
        put_quoted(file, search->cwd);
        fputs(" &&", file);
        for (char **word = words; *word; word++)
            put_quoted(file, *word);
        fputs("\n", file);
        failed = fclose(file) != 0 || chmod(path, 0755) != 0;
    }
    sweep_words_free(words);
    free(path);
    return failed ? mm_refuse(MM_EXIT_SYSTEM, "cannot write the script of step %zu: %s",
                              at + 1, strerror(errno))
                  : -1;
}

size_t search_look_for_jobs(struct search *search)
{
    size_t waiting = 0;

    for (size_t i = 0; i < search->step_count; i++) {
        struct search_step *step = &search->steps[i];
        struct sweep_run measured;
        char *path;

        if (step->state != SEARCH_SUBMITTED)
            continue;
        if (!take_experiment(search, i)) {
            waiting++;
            continue;
        }
        path = search_path(search, i, ".mm");
        step->state = SEARCH_DONE;
        if (path && sweep_measure(path, &measured, NULL) == 0)
            step->run.seconds = measured.time_s;
        free(path);
    }
    return waiting;
}
