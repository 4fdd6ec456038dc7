/* SPDX-License-Identifier: BSD-3-Clause */
/* questions.c: find the questions that the finished runs leave open. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/search/search_verb.h"

/* Assumed share of the run at stake before any measurement: of a run on another number of
 * ranks; of times in MPI and OpenMP, which are cheap to measure; of caches. */
static const double new_ranks = .5, unseen_mpi = .3, unseen_other = .1;
static const double usual_runs = 3; /* number of runs that a confidence interval from
                                     * repeats needs */

/* --- Runs --------------------------------------------------------------------------- */

/* The step whose experiment has the answer; the step has the measured quantities. */
static const struct search_step *step_of(const struct search *search,
                                         const struct properties_asked *asked, int64_t id)
{
    const struct mm_world_run *run = mm_world_run(&asked->world, id);

    for (size_t i = 0; run && i < search->step_count; i++) {
        char *path = search_path(search, i, ".mm");
        int same = path && strcmp(path, run->path) == 0;

        free(path);
        if (same)
            return &search->steps[i];
    }
    return NULL;
}

/* Number of finished runs with exactly these ranks and measured quantities. */
static size_t count_runs(const struct search *search, int ranks, unsigned asks)
{
    size_t count = 0;

    for (size_t i = 0; i < search->step_count; i++) {
        const struct search_step *step = &search->steps[i];

        count += step->state == SEARCH_DONE && step->run.ranks == ranks &&
                 step->run.asks == asks;
    }
    return count;
}

/* True if a finished run on as many ranks has measured all quantities of `run` and more:
 * its answers are used instead. */
static int is_surpassed(const struct search *search, const struct mm_search_run *run)
{
    for (size_t i = 0; i < search->step_count; i++) {
        const struct search_step *step = &search->steps[i];

        if (step->state == SEARCH_DONE && step->run.ranks == run->ranks &&
            step->run.asks != run->asks && !(run->asks & ~step->run.asks))
            return 1;
    }
    return 0;
}

static int has_run(const struct search *search, int ranks)
{
    for (size_t i = 0; i < search->step_count; i++)
        if (search->steps[i].state != SEARCH_FAILED &&
            search->steps[i].run.ranks == ranks)
            return 1;
    return 0;
}

/* --- Answers ------------------------------------------------------------------------ */

/* The quantity whose measurement would give a missing answer, found by the option that
 * the reason names; 0: none. */
static unsigned asks_in(const char *reason)
{
    static const struct {
        const char *text;
        unsigned ask;
    } options[] = {{"--metrics MPI_SPLIT", MM_ASK_SPLIT},
                   {"--metrics OPENMP", MM_ASK_OPENMP},
                   {"--messages", MM_ASK_MESSAGES},
                   {"--metrics PAPI_TOT_INS", MM_ASK_INSTRUCTIONS},
                   {"--metrics PAPI_L", MM_ASK_CACHE}};

    for (size_t i = 0; reason && i < sizeof options / sizeof *options; i++)
        if (strstr(reason, options[i].text))
            return options[i].ask;
    return 0;
}

/* The time in MPI of the answer's region and run, if known: an upper bound for parts of
 * it. */
static double mpi_share(const struct properties_asked *asked,
                        const struct mm_named_answer *of)
{
    double share = NAN;

    for (size_t i = 0; i < asked->answer_count; i++) {
        const struct mm_named_answer *a = &asked->answers[i];

        if (strcmp(a->property, "MPIOverhead") == 0 && a->holds >= 0 &&
            a->configuration == of->configuration &&
            (!of->region || a->region == of->region))
            share = fmax(isnan(share) ? 0 : share, a->severity);
    }
    return share;
}

/* Share of the run's time that a missing answer may concern (its stake). */
static double stake_of(const struct properties_asked *asked,
                       const struct mm_named_answer *a, unsigned ask)
{
    double share = mpi_share(asked, a);

    if (ask & (MM_ASK_SPLIT | MM_ASK_MESSAGES))
        return isnan(share) ? unseen_mpi : share < asked->threshold ? 0 : fmin(1, share);
    return unseen_other;
}

static int add(struct search_questions *q, const struct mm_search_question *question)
{
    struct mm_search_question *place;

    /* One run answers the question for nested regions: keep only the greatest stake. */
    for (size_t i = 0; i < q->count; i++)
        if (q->all[i].ranks == question->ranks && q->all[i].asks == question->asks &&
            q->all[i].exact == question->exact) {
            q->all[i].gain = fmax(q->all[i].gain, question->gain);
            q->all[i].runs = fmax(q->all[i].runs, question->runs);
            return -1;
        }
    place = cca_array_add(&q->all, &q->count, sizeof *place);
    if (!place)
        return mm_no_memory();
    *place = *question;
    q->allowed |= question->asks;
    return -1;
}

/* Uncertainty of an answer: 1: nothing is known; 0: it is decided. */
static double doubt_of(const struct properties_asked *asked,
                       const struct mm_named_answer *a)
{
    double c = a->confidence;

    if (isnan(c))
        return 1;
    return c >= asked->confidence || c <= 1 - asked->confidence ? 0 : 1 - fabs(2 * c - 1);
}

/* Number of further repeats until the interval excludes the threshold; its width shrinks
 * with the root of the number of runs. */
static double repeats_of(const struct properties_asked *asked,
                         const struct mm_named_answer *a, size_t made)
{
    double half = (a->high - a->low) / 2, off = fabs(a->severity - asked->threshold),
           wanted;

    if (!(half > 0) || made < 2)
        return made < usual_runs ? usual_runs - (double)made : 1;
    wanted = (double)made * pow(half / fmax(off, .01), 2) - (double)made;
    return fmax(1, fmin(wanted, 50));
}

static int add_answer(struct search_questions *q, const struct search *search,
                      const struct properties_asked *asked,
                      const struct mm_named_answer *a)
{
    const struct search_step *step = step_of(search, asked, a->configuration);
    unsigned ask = a->holds < 0 ? asks_in(a->reason) : 0;
    struct mm_search_question question = {.runs = 1};
    double doubt;
    size_t made;

    if (!step || is_surpassed(search, &step->run))
        return -1;
    question.ranks = step->run.ranks;
    question.asks = step->run.asks | ask;
    if (ask) {
        /* the quantity was measured without an answer, or cannot be measured */
        if (ask & step->run.asks || !(ask & search_asks_possible(search)))
            return -1;
        question.gain = stake_of(asked, a, ask);
        return add(q, &question);
    }
    doubt = a->holds >= 0 ? doubt_of(asked, a) : 0;
    if (!(doubt > 0) || !(fmax(a->severity, a->high) > asked->threshold))
        return -1;
    made = count_runs(search, step->run.ranks, step->run.asks);
    question.exact = 1;
    question.runs = repeats_of(asked, a, made);
    question.gain = fmin(1, a->severity) * a->weight * doubt;
    return add(q, &question);
}

int search_questions(struct search_questions *q, const struct search *search,
                     const struct properties_asked *asked)
{
    int result = -1;

    memset(q, 0, sizeof *q);
    for (size_t i = 0; i < search->ranks_count && result < 0; i++) {
        struct mm_search_question question = {
            .gain = new_ranks, .ranks = search->ranks[i], .runs = 1};

        if (has_run(search, search->ranks[i]))
            continue;
        result = add(q, &question);
        question.gain = unseen_mpi;
        question.asks = (MM_ASK_SPLIT | MM_ASK_OPENMP | MM_ASK_MESSAGES) &
                        search_asks_possible(search);
        if (result < 0)
            result = add(q, &question);
    }
    for (size_t i = 0; asked && i < asked->answer_count && result < 0; i++)
        result = add_answer(q, search, asked, &asked->answers[i]);
    return result;
}

int search_ask(const struct search *search, struct properties_asked *asked,
               struct mm_paths *paths, unsigned looks)
{
    int result = properties_library_read(&asked->library, NULL, 0);

    for (size_t i = 0; i < search->step_count && result < 0; i++) {
        char **place;

        if (search->steps[i].state != SEARCH_DONE ||
            is_surpassed(search, &search->steps[i].run))
            continue;
        place = cca_array_add(&paths->items, &paths->count, sizeof *place);
        if (!place || !(*place = search_path(search, i, ".mm")))
            result = mm_no_memory();
    }
    asked->paths = paths->items;
    asked->path_count = paths->count;
    asked->threshold = search->threshold;
    asked->confidence = search->confidence;
    asked->looks = looks;
    asked->limit = PROPERTIES_LINES;
    return result < 0 ? properties_ask(asked) : result;
}
