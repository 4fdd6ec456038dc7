/* SPDX-License-Identifier: BSD-3-Clause */
/* what_if_run.c: changed costs shown by runs: with delays of all other calls, and with
 * another class, by turns with runs as they are. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/directory.h"
#include "common/sort.h"
#include "mastermind/cmd/predict/what_if.h"
#include "mastermind/cmd/sweep/sweep.h"

/* The Mastermind component reads the changes from this variable. */
#define DELAYS "MASTERMIND_DELAYS"

/* Kinds of runs: without delays, with delays, with another class. */
enum kind { PLAIN, DELAYED, SWAPPED, KINDS };

struct trial {
    const struct what_report *report;
    const struct what_run_options *options;
    char *const *words; /* [word_count] command */
    size_t word_count;
    char *folder, *delays; /* "MASTERMIND_DELAYS=..." */
    double *ns[KINDS];     /* [rounds] lengths of the runs */
};

/* --- Commands ------------------------------------------------------------------------
 */

static int is_ccafe(const char *word)
{
    const char *slash = strrchr(word, '/');

    return strcmp(slash ? slash + 1 : word, "ccafe") == 0;
}

/* The number of words of the option that sets the experiment, at words[at]; 0: none. */
static size_t experiment_words(const struct trial *trial, size_t at)
{
    const char *word = trial->words[at];

    if (strncmp(word, "--experiment=", 13) == 0)
        return 1;
    return strcmp(word, "--experiment") == 0 || strcmp(word, "-o") == 0 ? 2 : 0;
}

/* The command of a run with its own experiment, and with the classes of a swap. New,
 * ending with NULL; NULL: out of memory. */
static char **run_command(const struct trial *trial, enum kind kind, char *experiment)
{
    const size_t swaps = kind == SWAPPED ? trial->report->change_count : 0;
    char **words = calloc(trial->word_count + 2 * swaps + 6, sizeof *words);
    size_t count = 0;
    int found = 0;

    if (!words)
        return NULL;
    words[count++] = (char *)"env";
    words[count++] = kind == DELAYED ? trial->delays : (char *)DELAYS "=none";

    for (size_t i = 0; i < trial->word_count; i++) {
        if (found && experiment_words(trial, i)) {
            i += experiment_words(trial, i) - 1;
            continue;
        }
        words[count++] = trial->words[i];
        if (found || !is_ccafe(trial->words[i]))
            continue;
        found = 1;
        words[count++] = (char *)"--experiment";
        words[count++] = experiment;
        for (size_t k = 0; k < swaps; k++) {
            words[count++] = (char *)"--class";
            words[count++] = trial->report->swaps[k];
        }
    }
    return words;
}

/* Report a failed run with the last line of its output. */
static int refuse_run(int status, const char *output)
{
    char line[300] = "", last[300] = "";
    FILE *in = fopen(output, "r");

    while (in && fgets(line, sizeof line, in))
        if (*line != '\n')
            snprintf(last, sizeof last, "%s", line);
    if (in)
        fclose(in);
    last[strcspn(last, "\n")] = '\0';
    if (WIFSIGNALED(status))
        return mm_refuse(MM_EXIT_COMMAND, "a run was ended by signal %d: %s",
                         WTERMSIG(status), mm_safe(last));
    return mm_refuse(MM_EXIT_COMMAND, "a run failed with status %d: %s",
                     WEXITSTATUS(status), mm_safe(last));
}

/* --- Lengths --------------------------------------------------------------------------
 */

/* Divide by the scale of the delays, after the readings of the clock, two a call, which
 * the delays do not stretch. Returns -1 to go on. */
static int undo_delays(const struct mm_run_input *run, double *ns)
{
    const struct mm_dual *dual = run->runs[0].profile->dual;
    const struct mm_experiment *experiment = run->experiments[0];

    if (!(experiment->delay_scale >= 1))
        return mm_refuse(MM_EXIT_INPUT, "the run has made no delays");
    *ns -= 2 * experiment->delay_reading_ns * (double)(dual->rows + dual->folded);
    *ns /= experiment->delay_scale;
    return -1;
}

static int run_length(const struct trial *trial, char *experiment, double *ns)
{
    struct mm_run_input run = {0};
    const struct mm_forecast_run *first;
    int result = mm_run_input_open(
        &run, &experiment, 1, &(struct mm_run_options){.metric = trial->options->metric},
        trial->report->runs);

    if (result < 0) {
        first = &run.runs[0];
        *ns = isnan(first->total_ns) ? (double)first->profile->dual->total_ns
                                     : first->total_ns;
        result = undo_delays(&run, ns);
    }
    mm_run_input_done(&run);
    return result;
}

/* A run of a round. */
struct run {
    enum kind kind;
    char *experiment, *output, *errors, **words;
};

/* Start runs at the same time, pinned to one core if there are several. Returns -1 to go
 * on. */
static int start_runs(struct run *runs, size_t count, int is_pinned)
{
    struct sweep_watch watch = {.context = NULL};
    struct sweep_child children[KINDS];
    int core = sched_getcpu(), ended_by, result;

    for (size_t i = 0; i < count; i++)
        children[i] = (struct sweep_child){.words = runs[i].words,
                                           .cwd = ".",
                                           .out = runs[i].output,
                                           .err = runs[i].errors,
                                           .watch = &watch,
                                           .is_pinned = is_pinned && core >= 0,
                                           .core = core,
                                           .long_turns = 1};
    result = sweep_children_run(children, count, &ended_by);
    if (result)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot make a run: %s", strerror(-result));
    if (ended_by)
        return mm_refuse(MM_EXIT_COMMAND, "ended by signal %d", ended_by);
    for (size_t i = 0; i < count; i++)
        if (children[i].status)
            return refuse_run(children[i].status, runs[i].errors);
    return -1;
}

/* The path of a file of a kind of runs, new; NULL: out of memory. */
static char *file_of(const struct trial *trial, enum kind kind, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%d%s", trial->folder, (int)kind, name) < 0 ? NULL : path;
}

/* Make some kinds of runs of a round. Returns -1 to go on. */
static int make_runs(struct trial *trial, const enum kind *kinds, size_t count,
                     size_t round)
{
    struct run runs[KINDS];
    int result = -1;

    for (size_t i = 0; i < count; i++) {
        runs[i].kind = kinds[i];
        runs[i].words = NULL;
        runs[i].experiment = file_of(trial, kinds[i], "-run.mm");
        runs[i].output = file_of(trial, kinds[i], "-output");
        runs[i].errors = file_of(trial, kinds[i], "-errors");
        if (runs[i].experiment && runs[i].output && runs[i].errors)
            runs[i].words = run_command(trial, kinds[i], runs[i].experiment);
        if (!runs[i].words)
            result = mm_no_memory();
    }
    if (result < 0)
        result = start_runs(runs, count, trial->options->beside);
    for (size_t i = 0; i < count; i++) {
        if (result < 0)
            result = run_length(trial, runs[i].experiment, &trial->ns[kinds[i]][round]);
        if (runs[i].experiment)
            cca_directory_remove(runs[i].experiment);
        free(runs[i].experiment);
        free(runs[i].output);
        free(runs[i].errors);
        free(runs[i].words);
    }
    return result;
}

/* --- Judgement
 * -------------------------------------------------------------------------- */

/* The smallest order statistic whose interval with its mirror image holds the median with
 * at least 90 %. */
static size_t first_inside(size_t count)
{
    double tail = pow(.5, (double)count), term = tail;
    size_t k = 0;

    for (size_t i = 1; i <= count / 2; i++) {
        if (tail > .05)
            break;
        k = i - 1;
        term *= (double)(count - i + 1) / (double)i;
        tail += term;
    }
    return k;
}

static void judge(const struct trial *trial, enum kind kind, struct what_trial *found)
{
    const size_t rounds = trial->options->rounds, k = first_inside(rounds);
    double *ratios = trial->ns[kind];

    for (size_t i = 0; i < rounds; i++)
        ratios[i] = ratios[i] / trial->ns[PLAIN][i] - 1;
    qsort(ratios, rounds, sizeof *ratios, cca_order_double);
    found->change = (ratios[rounds / 2] + ratios[(rounds - 1) / 2]) / 2;
    found->low = rounds >= 5 ? ratios[k] : NAN;
    found->high = rounds >= 5 ? ratios[rounds - 1 - k] : NAN;
    found->rounds = rounds;
}

/* --- All runs
 * ---------------------------------------------------------------------------- */

/* The text of the environment variable. Returns -1 to go on. */
static int describe_delays(struct trial *trial)
{
    size_t size = sizeof DELAYS "=";

    for (size_t i = 0; i < trial->report->change_count; i++)
        size += strlen(trial->report->changes[i].name) + 32;
    trial->delays = calloc(1, size);
    if (!trial->delays)
        return mm_no_memory();
    strcpy(trial->delays, DELAYS "=");
    for (size_t i = 0; i < trial->report->change_count; i++) {
        const struct mm_change *change = &trial->report->changes[i];
        double factor = mm_change_cost(change) / change->cost_ns;

        if (!(factor >= WHAT_LEAST_FACTOR))
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s: runs can show at most %.0f %% less, by %.0f times the "
                             "length",
                             mm_safe(change->name), 100 * (1 - WHAT_LEAST_FACTOR),
                             1 / WHAT_LEAST_FACTOR);
        sprintf(trial->delays + strlen(trial->delays), "%s%s=%.9g", i ? "," : "",
                change->name, factor);
    }
    return -1;
}

/* Make the runs of a round: side by side, or one after the other, every other round in
 * reverse order. */
static int make_round(struct trial *trial, size_t round)
{
    const size_t count = trial->report->swaps ? KINDS : SWAPPED;
    enum kind kinds[KINDS];
    int result = -1;

    for (size_t i = 0; i < count; i++)
        kinds[i] = (enum kind)(round % 2 ? count - 1 - i : i);
    if (trial->options->beside)
        return make_runs(trial, kinds, count, round);
    for (size_t i = 0; i < count && result < 0; i++)
        result = make_runs(trial, &kinds[i], 1, round);
    return result;
}

static int make_rounds(struct trial *trial, struct what_report *report)
{
    const size_t rounds = trial->options->rounds;
    const char *folder = getenv("TMPDIR");
    int result = -1;

    if (asprintf(&trial->folder, "%s/whatif.XXXXXX",
                 folder && *folder ? folder : "/tmp") < 0) {
        trial->folder = NULL;
        return mm_no_memory();
    }
    if (!mkdtemp(trial->folder))
        return mm_refuse(MM_EXIT_SYSTEM, "cannot make '%s': %s", trial->folder,
                         strerror(errno));
    for (int i = 0; i < KINDS; i++)
        trial->ns[i] = calloc(rounds, sizeof *trial->ns[i]);
    if (!trial->ns[PLAIN] || !trial->ns[DELAYED] || !trial->ns[SWAPPED])
        result = mm_no_memory();
    for (size_t round = 0; round < rounds && result < 0; round++)
        result = make_round(trial, round);
    if (result < 0) {
        judge(trial, DELAYED, &report->by_delays);
        if (report->swaps)
            judge(trial, SWAPPED, &report->by_swap);
    }
    for (int i = 0; i < KINDS; i++)
        free(trial->ns[i]);
    cca_directory_remove(trial->folder);
    return result;
}

int what_run(struct what_report *report, const struct what_run_options *options)
{
    const struct mm_experiment *base = report->runs->experiments[0];
    struct trial trial = {.report = report,
                          .options = options,
                          .words = options->words,
                          .word_count = options->word_count};
    size_t at = 0;
    int result;

    if (!trial.word_count) {
        trial.words = (char *const *)base->command;
        trial.word_count = base->command_count;
    }
    while (at < trial.word_count && !is_ccafe(trial.words[at]))
        at++;
    if (at == trial.word_count || (!options->word_count && base->ranks > 1))
        return mm_refuse(MM_EXIT_MISUSE,
                         "--run: give the command of the run after --, %s%s",
                         base->ranks > 1 ? "such as mpirun -n 4 ccafe --measure X.rc"
                                         : "with the word ccafe",
                         base->ranks > 1 ? ": the experiment has that of a rank" : "");
    if (options->beside && base->ranks > 1)
        return mm_refuse(MM_EXIT_MISUSE, "--beside: ranks share no core");
    sweep_hold_signals();
    result = describe_delays(&trial);
    if (result < 0)
        result = make_rounds(&trial, report);
    free(trial.delays);
    free(trial.folder);
    return result;
}
