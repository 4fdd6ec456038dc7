/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c: find change points of a series of runs, and the verdicts on them. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/random.h"
#include "common/same.h"
#include "mastermind/compare/statistics.h"

enum { LEAST_SIDE = 2, LEAST_RUNS = 6, SHUFFLES = 4000 };
/* Changes of two costs at most so many runs apart are one event. */
enum { APART = 1 };
/* Runs that start farther apart do not resemble each other more than others do: a host is
 * slow for minutes. */
#define FAR_S 3600.

/* A cost that each run has a number for. */
struct question {
    struct mm_diff_found about; /* which cost; `p` is unused */
    int presence;   /* true if a run's number is only 1 if it called the method, and 0 if
                       not */
    double *values; /* [runs] NaN: unknown */
};

/* Runs [first, last) with the most significant change of each question in them. */
struct segment {
    size_t first, last;
    double *best; /* [questions] statistic, grows with |t|; <= 0: no change is possible */
    size_t *place; /* [questions] first run after the change */
    double *p;     /* [questions] adjusted for all questions and places */
};

struct search {
    const struct mm_diff_tables *tables;
    const struct mm_diff_limits *limits;
    struct question *questions;
    size_t question_count;
    struct segment *segments; /* computed before */
    size_t segment_count;
    /* scratch memory: [runs] known values and their runs, an order of the runs;
     * [questions] an order of the questions and how often chance reached them */
    double *known;
    size_t *known_runs, *order, *by_best, *above;
    struct mm_diff_change *changes;
    size_t count;
};

/* --- Positions ------------------------------------------------------------ */

/* Find the position in `count` values at which a change has the largest |t|. Returns a
 * number that grows with |t|. */
static double best_place(const double *values, size_t count, size_t *place)
{
    double all = 0, squares = 0, left = 0, best = -1;

    for (size_t i = 0; i < count; i++)
        all += values[i];
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - all / (double)count) * (values[i] - all / (double)count);
    for (size_t i = 1; i < count; i++) {
        double a = (double)i, b = (double)(count - i), between, within, t;

        left += values[i - 1];
        if (i < LEAST_SIDE || count - i < LEAST_SIDE)
            continue;
        between = a * b / (a + b) * pow(left / a - (all - left) / b, 2);
        within = fmax(squares - between, 1e-24);
        t = between <= 1e-24 ? 0 : between / within;
        if (t > best * (1 + CCA_SAME)) {
            best = t;
            *place = i;
        }
    }
    return best;
}

/* Collect the known values of a question, in an order of the runs; `order` NULL: as they
 * are from `first` on. */
static size_t take_known(struct search *search, const double *values, size_t first,
                         size_t count, const size_t *order)
{
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        size_t run = order ? order[i] : first + i;

        if (!isnan(values[run])) {
            search->known[known] = values[run];
            search->known_runs[known++] = run;
        }
    }
    return known;
}

/* True if all numbers are equal. */
static int is_constant(const double *values, size_t count)
{
    for (size_t r = 1; r < count; r++)
        if (fabs(values[r] - values[0]) > CCA_SAME * fmax(1, fabs(values[0])))
            return 0;
    return 1;
}

/* Return the divisor of |t| at a position that allows for the correlation of runs which
 * follow one another within FAR_S; -1: out of memory. */
static double serial_of(const struct search *search, const struct segment *segment,
                        size_t place)
{
    const double *when = search->tables->when;
    size_t far_apart = 0;

    for (size_t r = segment->first; r + 1 < segment->last && when; r++)
        far_apart += fabs(when[r + 1] - when[r]) >= FAR_S;
    return 2 * far_apart > segment->last - segment->first
               ? 1
               : mm_diff_serial(
                     when ? when + segment->first : NULL,
                     (const size_t[]){place - segment->first, segment->last - place});
}

/* Find each question's most significant change in a segment. Returns 0 or -ENOMEM. */
static int find_places(struct search *search, struct segment *segment)
{
    for (size_t q = 0; q < search->question_count; q++) {
        size_t known = take_known(search, search->questions[q].values, segment->first,
                                  segment->last - segment->first, NULL),
               place = 0, at = q;

        segment->p[q] = 1;
        segment->best[q] = known < LEAST_RUNS || is_constant(search->known, known)
                               ? -1
                               : best_place(search->known, known, &place);
        segment->place[q] = search->known_runs[place];
        if (segment->best[q] > 0) {
            double serial = serial_of(search, segment, segment->place[q]);

            if (serial < 0)
                return -ENOMEM;
            segment->best[q] /= serial * serial;
        }
        /* keep the questions in ascending order of significance */
        for (; at > 0 && segment->best[search->by_best[at - 1]] > segment->best[q]; at--)
            search->by_best[at] = search->by_best[at - 1];
        search->by_best[at] = q;
    }
    return 0;
}

static void shuffle(size_t *order, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = cca_random_shift(state) % i, kept = order[i - 1];

        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* Count, for each question, whether the largest statistic of it and of all less
 * significant ones reaches its own in an order of the runs. Returns the least of all
 * counts. */
static size_t count_order(struct search *search, const struct segment *segment)
{
    size_t least = SIZE_MAX, ignored;
    double most = 0;

    for (size_t i = 0; i < search->question_count; i++) {
        size_t q = search->by_best[i];

        if (segment->best[q] <= 0)
            continue;
        most = fmax(most,
                    best_place(search->known,
                               take_known(search, search->questions[q].values, 0,
                                          segment->last - segment->first, search->order),
                               &ignored));
        search->above[q] += most >= segment->best[q] * (1 - CCA_SAME);
        if (search->above[q] < least)
            least = search->above[q];
    }
    return least;
}

/* Set the probabilities that chance gives changes at least as significant as a segment
 * has: their frequencies in random orders of the runs. */
static void find_chances(struct search *search, struct segment *segment)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    size_t count = segment->last - segment->first, orders = 0;
    double before = 0;

    for (size_t i = 0; i < count; i++)
        search->order[i] = segment->first + i;
    for (size_t q = 0; q < search->question_count; q++)
        search->above[q] = 1;
    while (orders < SHUFFLES) {
        shuffle(search->order, count, &state);
        orders++;
        if ((double)count_order(search, segment) > MM_DIFF_ERROR * (SHUFFLES + 1))
            break; /* no question can become significant */
    }
    for (size_t i = search->question_count; i > 0; i--) {
        size_t q = search->by_best[i - 1];

        if (segment->best[q] <= 0)
            continue;
        before = fmax(before, (double)search->above[q] / (double)(orders + 1));
        segment->p[q] = before;
    }
}

/* Return the segment of the runs [first, last), borrowed; NULL: out of memory. */
static const struct segment *segment_of(struct search *search, size_t first, size_t last)
{
    struct segment *segment;

    for (size_t i = 0; i < search->segment_count; i++)
        if (search->segments[i].first == first && search->segments[i].last == last)
            return &search->segments[i];
    segment = cca_array_add(&search->segments, &search->segment_count, sizeof *segment);
    if (!segment)
        return NULL;
    segment->first = first;
    segment->last = last;
    segment->best = calloc(search->question_count, sizeof *segment->best);
    segment->place = calloc(search->question_count, sizeof *segment->place);
    segment->p = calloc(search->question_count, sizeof *segment->p);
    if (!segment->best || !segment->place || !segment->p || find_places(search, segment))
        return NULL;
    find_chances(search, segment);
    return segment;
}

/* --- Changes -------------------------------------------------------------- */

/* Return a method's numbers of the runs [first, last). */
static struct mm_diff_table table_of(const struct mm_diff_table *table, size_t first)
{
    struct mm_diff_table part = *table;

    part.calls += first * table->cells;
    part.typical += first * table->cells;
    part.measured += first;
    return part;
}

static double mean_of(const double *values, size_t first, size_t last)
{
    double sum = 0;
    size_t known = 0;

    for (size_t i = first; i < last; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            known++;
        }
    return sum / (double)known;
}

/* Set the relative increase of the mean at a change; infinity if before it the method was
 * hardly called, -1 if it is hardly called afterwards. Returns 0 or -ENOMEM. */
static int find_relative(const struct question *question, struct mm_diff_change *change)
{
    const double *values = question->values;
    struct mm_diff_table part;
    struct mm_diff_numbers numbers = {.shape = NULL};
    size_t runs[2] = {change->run - change->first, change->last - change->run};
    size_t at = change->first;
    int status = 0;

    if (question->about.part == MM_DIFF_DEARER) {
        /* costs far from the usual one of their side are clipped here, not those far from
         * the usual one of the series */
        part = table_of(change->table, change->first);
        status = mm_diff_numbers_of(&numbers, &part, runs);
        if (!status && !numbers.by_model) {
            values = numbers.value[MM_DIFF_DEARER];
            at = 0;
        }
    }
    if (!status) {
        double before = mean_of(values, at, at + runs[0]);
        double after = mean_of(values, at + runs[0], at + runs[0] + runs[1]);

        change->relative = expm1(after - before);
        if (question->presence)
            change->relative = after > before ? INFINITY : -1;
        else if (question->about.total == MM_DIFF_REST)
            change->relative = before > 0 ? fmax(after, 0) / before - 1 : INFINITY;
    }
    mm_diff_numbers_done(&numbers);
    return status;
}

/* Split the runs [first, last) of a question at their most significant change, then split
 * both parts likewise. */
static int split(struct search *search, size_t q, size_t first, size_t last)
{
    const struct question *question = &search->questions[q];
    const struct segment *segment =
        last - first < LEAST_RUNS ? NULL : segment_of(search, first, last);
    struct mm_diff_change change, *kept;
    int status;

    if (!segment)
        return last - first < LEAST_RUNS ? 0 : -ENOMEM;
    if (segment->p[q] > MM_DIFF_ERROR)
        return 0;
    change = (struct mm_diff_change){
        .table = question->about.total < 0 ? &search->tables->list[question->about.table]
                                           : NULL,
        .part = question->about.part,
        .total = question->about.total,
        .run = segment->place[q],
        .first = first,
        .last = last,
        .mean = {NAN, NAN},
        .p = segment->p[q]};
    status = find_relative(question, &change);
    if (status || !(fabs(change.relative) >= search->limits->threshold))
        return status;
    kept = cca_array_add(&search->changes, &search->count, sizeof *kept);
    if (!kept)
        return -ENOMEM;
    *kept = change;
    status = split(search, q, first, change.run);
    return status ? status : split(search, q, change.run, last);
}

static int order_changes(const void *left, const void *right)
{
    const struct mm_diff_change *a = left, *b = right;

    if (a->run != b->run)
        return (a->run > b->run) - (a->run < b->run);
    if (a->total != b->total) /* totals first */
        return a->total < 0 || (b->total >= 0 && a->total > b->total) ? 1 : -1;
    if (a->table != b->table)
        return strcmp(a->table->name, b->table->name);
    return (int)a->part - (int)b->part;
}

/* --- Verdicts ------------------------------------------------------------- */

/* Return the amount of a change. */
static const struct mm_diff_amount *amount_of(const struct mm_diff *diff,
                                              const struct mm_diff_change *change)
{
    if (change->total < 0) {
        for (size_t i = 0; i < diff->count; i++)
            if (strcmp(diff->methods[i].table->name, change->table->name) == 0)
                return &diff->methods[i].part[change->part];
        return NULL;
    }
    return change->total < MM_DIFF_WHOLES ? &diff->whole[change->total].amount
                                          : &diff->part[MM_DIFF_ALL];
}

/* Take the verdict on a change from the comparison of the runs before and after it. */
static void take_verdict(struct mm_diff_change *change, const struct mm_diff *diff)
{
    const struct mm_diff_amount *amount = amount_of(diff, change);
    enum mm_diff_verdict direction =
        change->relative > 0 ? MM_DIFF_WORSE : MM_DIFF_BETTER;

    for (int side = 0; side < 2; side++)
        if (change->total >= 0)
            change->mean[side] = change->total < MM_DIFF_WHOLES
                                     ? diff->whole[change->total].mean[side]
                                     : diff->ns[side];
    change->verdict = direction;
    change->shape = 0;
    if (change->total == MM_DIFF_MEMORY && amount->verdict != direction)
        change->verdict = MM_DIFF_SAME; /* fewer bytes than matter */
    if (change->total != MM_DIFF_CPU && change->total != MM_DIFF_MEMORY)
        change->shape = direction == MM_DIFF_WORSE && diff->verdict != MM_DIFF_WORSE;
    for (size_t i = 0; i < diff->count && change->total < 0; i++)
        if (diff->methods[i].table->name == change->table->name)
            change->shape |= diff->methods[i].shape;
    if (change->shape)
        change->verdict = MM_DIFF_OPEN;
}

/* Compare the runs before and after a change; changes of other costs at the same place
 * are part of the comparison. Returns 0 or -ENOMEM. */
static int judge(const struct search *search, struct mm_diff_change *change)
{
    const struct mm_diff_tables *tables = search->tables;
    struct mm_diff_tables part = {
        .list = calloc(tables->count + 1, sizeof *part.list),
        .count = tables->count,
        .runs = {change->run - change->first, change->last - change->run}};
    struct mm_diff_found *found = calloc(search->count, sizeof *found);
    struct mm_diff diff = {.methods = NULL};
    size_t count = 0;
    int status = part.list && found ? 0 : -ENOMEM;

    for (size_t i = 0; i < tables->count && !status; i++)
        part.list[i] = table_of(&tables->list[i], change->first);
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        part.whole[i] = tables->whole[i] ? tables->whole[i] + change->first : NULL;
    part.when = tables->when ? tables->when + change->first : NULL;
    for (size_t i = 0; i < search->count && !status; i++) {
        const struct mm_diff_change *other = &search->changes[i];

        if (other->run + APART >= change->run && change->run + APART >= other->run)
            found[count++] = (struct mm_diff_found){
                other->table ? (size_t)(other->table - tables->list) : 0, other->part,
                other->total, other->p};
    }
    if (!status)
        status = mm_diff_conclude_found(&diff, &part, search->limits, found, count);
    if (!status)
        take_verdict(change, &diff);
    mm_diff_done(&diff);
    free(part.list);
    free(found);
    return status;
}

enum mm_diff_verdict mm_diff_series_verdict(const struct mm_diff_change *changes,
                                            size_t count)
{
    enum mm_diff_verdict verdict = MM_DIFF_OPEN;

    for (size_t i = 0; i < count; i++)
        if (changes[i].verdict == MM_DIFF_WORSE)
            return MM_DIFF_WORSE;
        else if (changes[i].verdict == MM_DIFF_BETTER)
            verdict = MM_DIFF_BETTER;
    return verdict;
}

/* --- Questions ------------------------------------------------------------ */

/* Return the method's largest share of the cost of a run. */
static double largest_share(const struct mm_diff_tables *tables, size_t at)
{
    double most = 0;

    for (size_t r = 0; r < tables->runs[0]; r++) {
        double all = 0;

        for (size_t i = 0; i < tables->count; i++)
            all += fmax(tables->list[i].measured[r], 0);
        if (all > 0)
            most = fmax(most, tables->list[at].measured[r] / all);
    }
    return most;
}

/* Add a question with unknown values. NULL: out of memory. */
static struct question *question_add(struct search *search, size_t table,
                                     enum mm_diff_part part, int total)
{
    struct question *question =
        cca_array_add(&search->questions, &search->question_count, sizeof *question);

    if (!question)
        return NULL;
    question->about = (struct mm_diff_found){table, part, total, 0};
    question->values = calloc(search->tables->runs[0] + 1, sizeof *question->values);
    return question->values ? question : NULL;
}

/* Add the questions of a method, and its typical costs to `sums`. */
static int ask_method(struct search *search, size_t at, double *sums)
{
    const struct mm_diff_table *table = &search->tables->list[at];
    size_t runs = search->tables->runs[0];
    int is_relevant = largest_share(search->tables, at) >= search->limits->share;
    struct mm_diff_numbers numbers;
    int status = mm_diff_numbers_of(&numbers, table, search->tables->runs);

    for (size_t r = 0; r < runs && !status; r++)
        sums[r] += mm_diff_run_cost(&numbers, table, r);
    for (int part = 0; part <= MM_DIFF_RARE && is_relevant && !status; part++) {
        int presence = part == MM_DIFF_RARE;
        int of = presence ? MM_DIFF_CALLS : part;
        struct question *question = question_add(search, at, (enum mm_diff_part)of, -1);

        if (!question) {
            status = -ENOMEM;
            break;
        }
        question->presence = presence;
        for (size_t r = 0; r < runs; r++)
            question->values[r] =
                presence ? !isnan(numbers.value[of][r]) : numbers.value[of][r];
    }
    mm_diff_numbers_done(&numbers);
    return status;
}

/* Add the question of a cost of the whole program: its logarithm, of the rest its share
 * of the largest CPU time. */
static int ask_total(struct search *search, int total, const double *values, double scale)
{
    struct question *question =
        values ? question_add(search, 0, MM_DIFF_ALL, total) : NULL;

    for (size_t r = 0; r < search->tables->runs[0] && question; r++)
        question->values[r] =
            total == MM_DIFF_REST ? values[r] / scale : log(fmax(values[r], 1));
    for (size_t r = 0; r < search->tables->runs[0] && question; r++)
        if (isnan(values[r]))
            question->values[r] = NAN;
    return values && !question ? -ENOMEM : 0;
}

static double largest_of(const double *values, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count && values; i++)
        most = fmax(most, values[i]); /* passes over NaN */
    return most;
}

static int ask_all(struct search *search)
{
    const struct mm_diff_tables *tables = search->tables;
    double *sums = calloc(tables->runs[0] + 1, sizeof *sums);
    double cpu = largest_of(tables->whole[MM_DIFF_CPU], tables->runs[0]);
    int status = sums ? 0 : -ENOMEM;

    for (size_t i = 0; i < tables->count && !status; i++)
        status = ask_method(search, i, sums);
    if (!status && tables->count)
        status = ask_total(search, MM_DIFF_WHOLES, sums, 1);
    for (int i = 0; i < MM_DIFF_WHOLES && !status; i++)
        if (i != MM_DIFF_REST ||
            largest_of(tables->whole[i], tables->runs[0]) > search->limits->share * cpu)
            status = ask_total(search, i, tables->whole[i], cpu);
    free(sums);
    return status;
}

static int search_init(struct search *search)
{
    size_t runs = search->tables->runs[0] + 1, questions;
    int status = ask_all(search);

    questions = search->question_count + 1;
    search->known = calloc(runs, sizeof *search->known);
    search->known_runs = calloc(runs, sizeof *search->known_runs);
    search->order = calloc(runs, sizeof *search->order);
    search->by_best = calloc(questions, sizeof *search->by_best);
    search->above = calloc(questions, sizeof *search->above);
    return status || !search->known || !search->known_runs || !search->order ||
                   !search->by_best || !search->above
               ? -ENOMEM
               : 0;
}

static void search_done(struct search *search)
{
    for (size_t i = 0; i < search->question_count; i++)
        free(search->questions[i].values);
    for (size_t i = 0; i < search->segment_count; i++) {
        free(search->segments[i].best);
        free(search->segments[i].place);
        free(search->segments[i].p);
    }
    free(search->questions);
    free(search->segments);
    free(search->known);
    free(search->known_runs);
    free(search->order);
    free(search->by_best);
    free(search->above);
}

/* Drop changes that do not matter. */
static void drop_same(struct search *search)
{
    size_t kept = 0;

    for (size_t i = 0; i < search->count; i++)
        if (search->changes[i].verdict != MM_DIFF_SAME)
            search->changes[kept++] = search->changes[i];
    search->count = kept;
}

int mm_diff_series(const struct mm_diff_tables *tables,
                   const struct mm_diff_limits *limits, struct mm_diff_change **changes,
                   size_t *count)
{
    struct search search = {.tables = tables, .limits = limits};
    int status = search_init(&search);

    for (size_t q = 0; q < search.question_count && !status; q++)
        status = split(&search, q, 0, tables->runs[0]);
    for (size_t i = 0; i < search.count && !status; i++)
        status = judge(&search, &search.changes[i]);
    search_done(&search);
    drop_same(&search);
    if (!status && search.count)
        qsort(search.changes, search.count, sizeof *search.changes, order_changes);
    if (status || !search.count) {
        free(search.changes);
        search.changes = NULL;
        search.count = 0;
    }
    *changes = search.changes;
    *count = search.count;
    return status;
}
