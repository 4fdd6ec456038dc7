/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c: run the chosen assembly. */
#include "common/beside.h"
#include "mastermind/cmd/choose/choose_verb.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_EXPERIMENTS = 100000,
    LONGEST = 40 /* longest name of a choice that is
                  * printed before the numbers */
};

/* The absolute path of `output`, or of the first choice-N.mm that does not exist. The
 * result is new; NULL: out of memory. */
static char *experiment_path(const char *output)
{
    char here[PATH_MAX], *path = NULL;

    if (!getcwd(here, sizeof here))
        snprintf(here, sizeof here, ".");
    if (output && *output == '/')
        return strdup(output);
    if (output)
        return asprintf(&path, "%s/%s", here, output) < 0 ? NULL : path;
    for (int i = 1; i < MOST_EXPERIMENTS; i++) {
        if (asprintf(&path, "%s/choice-%d.mm", here, i) < 0)
            return NULL;
        if (access(path, F_OK) != 0)
            return path;
        free(path);
    }
    return NULL;
}

/* Run a command in `cwd`. Returns its wait status, or a negative errno. */
static int run_words(char *const *words, const char *cwd)
{
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child < 0)
        return -errno;
    if (child == 0) {
        if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || (cwd && chdir(cwd))) {
            fprintf(stderr, "mastermind: cannot run in '%s': %s\n", cwd ? cwd : ".",
                    strerror(errno));
            _exit(127);
        }
        execvp(words[0], words);
        fprintf(stderr, "mastermind: cannot run '%s': %s\n", words[0], strerror(errno));
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status;
}

static int refuse_status(int status, const char *word)
{
    if (status < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot run '%s': %s", mm_safe(word),
                         strerror(-status));
    if (WIFSIGNALED(status))
        return mm_refuse(MM_EXIT_SYSTEM, "the run was ended by signal %d",
                         WTERMSIG(status));
    return mm_refuse(WEXITSTATUS(status) == 127 ? MM_EXIT_SYSTEM : WEXITSTATUS(status),
                     "the run failed with status %d", WEXITSTATUS(status));
}

int mm_choose_run(const struct sweep *sweep, const char *ranks, char *const *options,
                  const char *output, const struct mm_metric *metric,
                  struct mm_choose_run *run)
{
    const char *metrics =
        metric->kind == MM_METRIC_COUNTER ? metric->name
        : metric->kind == MM_METRIC_MPI_TIME || metric->kind == MM_METRIC_COMPUTE_TIME
            ? "MPI_TIME"
            : "";
    char **words;
    int status, result = -1;

    run->experiment = experiment_path(output);
    if (!run->experiment)
        return mm_no_memory();
    words = sweep_command_with(sweep, ranks, run->experiment, metrics, options);
    if (!words)
        return mm_no_memory();
    status = run_words(words, sweep->cwd);
    if (status)
        result = refuse_status(status, words[0]);
    sweep_words_free(words);
    return result;
}

void mm_choose_run_done(struct mm_choose_run *run)
{
    free(run->experiment);
}

/* Path of ccafe: in this program's directory, else from PATH. The result is new, or NULL.
 */
static char *find_ccafe(void)
{
    char path[PATH_MAX];
    int rc = cca_path_beside(path, sizeof path, "ccafe");

    return strdup(rc == 0 && access(path, X_OK) == 0 ? path : "ccafe");
}

int mm_choose_run_script(const char *script, int ranks, const char *launcher,
                         char *const *words, int word_count, const char *output,
                         const struct mm_metric *metric, struct mm_choose_run *run)
{
    char *ccafe = find_ccafe();
    char *command[3] = {ccafe, (char *)script, NULL}, number[16];
    struct sweep sweep = {.command = command};
    char **options = calloc((size_t)word_count + 1, sizeof *options);
    int result;

    if (!ccafe || !options) {
        result = mm_no_memory();
    } else {
        memcpy(options, words, (size_t)word_count * sizeof *options);
        snprintf(number, sizeof number, "%d", ranks);
        if (launcher || ranks > 1)
            sweep.launcher = (char *)(launcher ? launcher : "mpirun -n %n");
        result = mm_choose_run(&sweep, number, options, output, metric, run);
    }
    free(options);
    free(ccafe);
    return result;
}

void mm_choose_run_print(const struct mm_choose_run *run, const struct mm_metric *metric)
{
    const char *place = "";

    if (isfinite(run->low_ns))
        place = run->measured_ns < run->low_ns    ? ", below the interval"
                : run->measured_ns > run->high_ns ? ", above the interval"
                                                  : ", inside the interval";
    printf("%s: predicted %s, measured %s (%+.1f %%)%s\n",
           strlen(run->what) <= LONGEST ? run->what : "the choice",
           mm_cost(metric, run->predicted_ns), mm_cost(metric, run->measured_ns),
           100 * (run->measured_ns / run->predicted_ns - 1), place);
}

json_t *mm_choose_run_json(const struct mm_choose_run *run,
                           const struct mm_metric *metric)
{
    json_t *object = json_object();

    mm_json_put(object, "experiment", mm_json_escaped(run->experiment));
    mm_json_set_seconds(object, metric, "predicted measured", run->predicted_ns,
                        run->measured_ns);
    if (isfinite(run->low_ns))
        mm_json_put(object, "inside",
                    json_boolean(run->measured_ns >= run->low_ns &&
                                 run->measured_ns <= run->high_ns));
    return object;
}
