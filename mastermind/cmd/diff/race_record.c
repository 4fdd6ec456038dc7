/* SPDX-License-Identifier: BSD-3-Clause */
/* race_record.c: runs of both sides with recorded calls, and races of experiments that
 * were recorded before: why one side costs more, by the core of diff. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/random.h"
#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/sweep.h"

/* five runs a side are enough for the statistics of diff */
enum { RECORDED_PAIRS = 5 };

/* --- Comparison --------------------------------------------------------------------- */

/* Compare experiments, side A first. Returns -1 to go on, else an exit code after a
 * message. */
static int compare(struct race *race, char *const *paths, const size_t runs[RACE_SIDES])
{
    struct mm_diff_verb *why = &race->why;
    int result;

    why->metric = NULL;
    why->limits = (struct mm_diff_limits){.02, .01, race->same_change};
    if (race->is_of_experiments && race->has_least_change)
        why->limits.threshold = race->least_change;
    why->rank = -1;
    why->top = 8;
    result = mm_diff_read(why, paths, runs);
    if (result < 0 && mm_diff_compare(&why->diff, &why->tables, &why->limits))
        result = mm_no_memory();
    race->has_why = result < 0;
    return result;
}

/* --- Recorded runs ------------------------------------------------------------------ */

/* The command of a recorded run, new: `record` with the options of the race. NULL: out of
 * memory. */
static char **record_words(const struct race *race, int side, const char *experiment)
{
    static char self[PATH_MAX];
    const char *const front[] = {self, "record"}, *const back[] = {"--no-report", "-o",
                                                                   experiment, "--"};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const char **words = NULL;
    size_t count = 0, commands = 0, at = 0;

    self[length < 0 ? 0 : length] = '\0';
    while (race->command[side][commands])
        commands++;
    count = sizeof front / sizeof *front + race->record.count +
            sizeof back / sizeof *back + commands;
    words = calloc(count + 1, sizeof *words);
    if (!words)
        return NULL;
    for (size_t i = 0; i < sizeof front / sizeof *front; i++)
        words[at++] = front[i];
    for (size_t i = 0; i < race->record.count; i++)
        words[at++] = race->record.words[i];
    for (size_t i = 0; i < sizeof back / sizeof *back; i++)
        words[at++] = back[i];
    for (size_t i = 0; i < commands; i++)
        words[at++] = race->command[side][i];
    return (char **)(uintptr_t)words;
}

/* Record a run into `experiment`. -1 to go on. */
static int record_run(struct race *race, int side, const char *experiment)
{
    char **words = record_words(race, side, experiment);
    int result = words ? race_run_words(race, side, words) : mm_no_memory();

    free(words);
    if (result < 0 && access(experiment, F_OK) != 0) {
        char *path = race_path(race, side ? "b.err" : "a.err");
        char *last = path ? sweep_last_line(path) : NULL;

        snprintf(race->unrecorded, sizeof race->unrecorded,
                 "%s has no recorded calls%s%.150s", side ? "B" : "A", last ? ": " : "",
                 last ? last : "");
        free(last);
        free(path);
    }
    return result;
}

int race_record(struct race *race, uint64_t *state, double (*left_s)(void *context),
                void *context)
{
    char *paths[2 * RECORDED_PAIRS] = {NULL}, *ordered[2 * RECORDED_PAIRS];
    size_t pairs = 0;
    int result = -1;

    while (pairs < RECORDED_PAIRS && result < 0 && !*race->unrecorded) {
        int first = (int)(cca_random_next(state) & 1);

        if (pairs > 1 && left_s(context) <= 0)
            break;
        for (int turn = 0; turn < RACE_SIDES && result < 0 && !*race->unrecorded;
             turn++) {
            int side = turn ? !first : first;
            char **path = &paths[side * RECORDED_PAIRS + (int)pairs];

            if (asprintf(path, "%s/%c-%zu.mm", race->folder, side ? 'b' : 'a', pairs) <
                0) {
                *path = NULL;
                result = mm_no_memory();
            } else {
                result = record_run(race, side, *path);
            }
        }
        pairs++;
    }
    for (size_t i = 0; i < 2 * pairs; i++)
        ordered[i] = paths[i < pairs ? i : RECORDED_PAIRS + i - pairs];
    if (result < 0 && !*race->unrecorded)
        result = compare(race, ordered, (const size_t[]){pairs, pairs});
    for (size_t i = 0; i < 2 * RECORDED_PAIRS; i++)
        free(paths[i]);
    return result;
}

/* --- Experiments that were recorded before ------------------------------------------ */

static enum race_verdict verdict_of(enum mm_diff_verdict verdict)
{
    static const enum race_verdict verdicts[] = {[MM_DIFF_SAME] = RACE_SAME,
                                                 [MM_DIFF_WORSE] = RACE_WORSE,
                                                 [MM_DIFF_BETTER] = RACE_BETTER,
                                                 [MM_DIFF_OPEN] = RACE_OPEN};

    return verdicts[verdict];
}

/* Set a change from the totals of the comparison. */
static void take_total(struct race *race, int cost, const double mean[2],
                       const struct mm_diff_amount *amount, double unit)
{
    struct race_change *change = &race->change[cost];
    double a = fmax(mean[0], 1);

    for (int side = 0; side < RACE_SIDES; side++)
        change->cost[side] = mean[side] / unit;
    change->relative = mean[1] / a - 1;
    change->low = isnan(amount->low) ? -INFINITY : fmax(amount->low / a, -1);
    change->high = isnan(amount->high) ? INFINITY : amount->high / a;
    change->verdict = verdict_of(amount->verdict);
}

int race_experiments(struct race *race)
{
    struct mm_paths sides[RACE_SIDES] = {{NULL, 0}, {NULL, 0}};
    const struct mm_diff *diff = &race->why.diff;
    char **all = NULL;
    int result = -1;

    for (int side = 0; side < RACE_SIDES && result < 0; side++) {
        size_t count = 0;

        while (race->command[side][count])
            count++;
        result = mm_paths_expand(&sides[side], race->command[side], (int)count);
    }
    if (result < 0 && !(all = calloc(sides[0].count + sides[1].count + 1, sizeof *all)))
        result = mm_no_memory();
    for (size_t i = 0; result < 0 && i < sides[0].count + sides[1].count; i++)
        all[i] =
            i < sides[0].count ? sides[0].items[i] : sides[1].items[i - sides[0].count];
    if (result < 0)
        result = compare(race, all, (const size_t[]){sides[0].count, sides[1].count});
    if (result < 0) {
        const struct mm_diff_total *cpu = &diff->whole[MM_DIFF_CPU],
                                   *memory = &diff->whole[MM_DIFF_MEMORY];

        race->ended = "runs";
        race->recorded = verdict_of(diff->verdict);
        take_total(race, RACE_CPU, cpu->known ? cpu->mean : diff->ns,
                   cpu->known ? &cpu->amount : &diff->part[MM_DIFF_ALL], 1e9);
        if (memory->known)
            take_total(race, RACE_MEMORY, memory->mean, &memory->amount, 1);
    }
    free(all);
    mm_paths_done(&sides[0]);
    mm_paths_done(&sides[1]);
    return result;
}
