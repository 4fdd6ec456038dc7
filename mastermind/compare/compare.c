/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c: compare the costs of two groups of runs: compute the parts of each method's
 * change, intervals and verdicts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/compare/statistics.h"
#include "common/statistics.h"

/* --- Parts ---------------------------------------------------------------- */

/* The runs of both sides, perhaps with one run left out. */
struct runs {
    const size_t *count; /* [2] number of runs of each side */
    /* index, over both sides, of the run that is left out; the number of all runs: none
     * is */
    size_t without;
};

/* Return the mean of values[run * stride] over the runs of a side; unknown values are
 * skipped. */
static double side_mean(const double *values, size_t stride, const struct runs *runs,
                        int side)
{
    size_t first = side ? runs->count[0] : 0, end = first + runs->count[side], known = 0;
    double sum = 0;

    for (size_t r = first; r < end; r++)
        if (r != runs->without && !isnan(values[r * stride])) {
            sum += values[r * stride];
            known++;
        }
    return known ? sum / (double)known : NAN;
}

/* Compute the cost of a cell (tuple of in-values) on both sides. If a side has no calls
 * in the cell, its cost is estimated from the other side's cost and the ratio of the
 * sides' costs over all cells, exp(change). */
static void cell_costs(const struct mm_diff_numbers *numbers,
                       const struct mm_diff_table *table, const struct runs *runs,
                       size_t cell, double change, double cost[2])
{
    for (int side = 0; side < 2; side++)
        cost[side] = exp(side_mean(numbers->clipped + cell, table->cells, runs, side));
    if (isnan(cost[0]))
        cost[0] = cost[1] / exp(change);
    if (isnan(cost[1]))
        cost[1] = cost[0] * exp(change);
}

/* Compute all parts (calls, sizes, ...) of the change of a method's cost, in ns for a
 * run. */
static void find_parts(const struct mm_diff_numbers *numbers,
                       const struct mm_diff_table *table, const struct runs *runs,
                       double part[MM_DIFF_PARTS])
{
    double change = side_mean(numbers->value[MM_DIFF_DEARER], 1, runs, 1) -
                    side_mean(numbers->value[MM_DIFF_DEARER], 1, runs, 0);

    double calls[2] = {0, 0}, mu[2] = {0, 0}, sizes = 0, dearer = 0;

    if (isnan(change))
        change = 0;
    for (size_t c = 0; c < table->cells; c++)
        for (int side = 0; side < 2; side++)
            calls[side] += side_mean(table->calls + c, table->cells, runs, side);
    for (size_t c = 0; c < table->cells; c++) {
        double share[2], cost[2];

        for (int side = 0; side < 2; side++)
            share[side] =
                calls[side] > 0
                    ? side_mean(table->calls + c, table->cells, runs, side) / calls[side]
                    : NAN;
        cell_costs(numbers, table, runs, c, change, cost);
        if (isnan(cost[0]))
            continue; /* no cost is known for the calls of this cell */
        /* If only one side calls the method, that side's sizes are used for both. */
        share[0] = isnan(share[0]) ? share[1] : share[0];
        share[1] = isnan(share[1]) ? share[0] : share[1];
        for (int side = 0; side < 2; side++)
            mu[side] += share[side] * cost[side];
        sizes += (share[1] - share[0]) * (cost[0] + cost[1]) / 2;
        dearer += (share[0] + share[1]) / 2 * (cost[1] - cost[0]);
    }
    part[MM_DIFF_CALLS] = (calls[1] - calls[0]) * (mu[0] + mu[1]) / 2;
    part[MM_DIFF_SIZES] = (calls[0] + calls[1]) / 2 * sizes;
    part[MM_DIFF_DEARER] = (calls[0] + calls[1]) / 2 * dearer;
    part[MM_DIFF_ALL] =
        side_mean(table->measured, 1, runs, 1) - side_mean(table->measured, 1, runs, 0);
    part[MM_DIFF_RARE] = part[MM_DIFF_ALL] - part[MM_DIFF_CALLS] - part[MM_DIFF_SIZES] -
                         part[MM_DIFF_DEARER];
}

/* --- Intervals ------------------------------------------------------------ */

static double freedom(const size_t runs[2])
{
    return (double)runs[0] + (double)runs[1] - 2;
}

static double half_width(const size_t runs[2], double serial, double variance)
{
    return runs[0] < 2 || runs[1] < 2
               ? NAN
               : serial * cca_student_quantile(.975, freedom(runs)) * sqrt(variance);
}

/* Compute the parts of a method's change for the jackknife: once without each run, and
 * last with all runs. They are also added to `sums` [runs + 1][PARTS]. */
static void add_parts(const struct mm_diff_numbers *numbers,
                      const struct mm_diff_table *table, const size_t runs[2],
                      double own[][MM_DIFF_PARTS], double sums[][MM_DIFF_PARTS])
{
    size_t all = runs[0] + runs[1];

    for (size_t r = 0; r <= all; r++) {
        struct runs with = {runs, r};

        if (r < all && (runs[0] < 2 || runs[1] < 2)) {
            memset(own[r], 0, sizeof own[r]);
            continue;
        }
        find_parts(numbers, table, &with, own[r]);
        for (int i = 0; i < MM_DIFF_PARTS; i++)
            sums[r][i] += own[r][i];
    }
}

static double jackknife(double parts[][MM_DIFF_PARTS], const size_t runs[2], int part)
{
    double variance = 0;

    for (int side = 0; side < 2; side++) {
        size_t first = side ? runs[0] : 0, end = first + runs[side];
        double mean = 0, squares = 0, n = (double)runs[side];

        for (size_t r = first; r < end; r++)
            mean += parts[r][part] / n;
        for (size_t r = first; r < end; r++)
            squares += (parts[r][part] - mean) * (parts[r][part] - mean);
        variance += (n - 1) / n * squares;
    }
    return variance;
}

static void set_amounts(struct mm_diff_amount *amounts, double parts[][MM_DIFF_PARTS],
                        const size_t runs[2], double serial)
{
    for (int i = 0; i < MM_DIFF_PARTS; i++) {
        double half = half_width(runs, serial, jackknife(parts, runs, i));

        amounts[i].ns = parts[runs[0] + runs[1]][i];
        amounts[i].low = amounts[i].ns - half;
        amounts[i].high = amounts[i].ns + half;
        amounts[i].p = NAN;
    }
}

/* Set the relative change of a method's cost at equal parameters (`dearer`), with its
 * interval. */
static void set_dearer(struct mm_diff_method *method, const double *values,
                       const size_t runs[2], double serial)
{
    struct runs with = {runs, runs[0] + runs[1]};
    double mean[2], squares = 0, half;

    for (int side = 0; side < 2; side++)
        mean[side] = side_mean(values, 1, &with, side);
    for (size_t r = 0; r < runs[0] + runs[1]; r++)
        squares += (values[r] - mean[r >= runs[0]]) * (values[r] - mean[r >= runs[0]]);
    half = half_width(runs, serial,
                      squares / fmax(freedom(runs), 1) *
                          (1 / (double)runs[0] + 1 / (double)runs[1]));
    method->dearer = expm1(mean[1] - mean[0]);
    method->dearer_low = expm1(mean[1] - mean[0] - half);
    method->dearer_high = expm1(mean[1] - mean[0] + half);
}

/* --- Verdicts ------------------------------------------------------------- */

/* A hypothesis to test: that a number, which each run has, differs between the sides. */
struct question {
    const double *values;
    struct mm_diff_amount *amount;
    double cost; /* cost in ns that a relative change of the number refers to */
};

static int all_known(const double *values, size_t all)
{
    for (size_t r = 0; r < all; r++)
        if (isnan(values[r]))
            return 0;
    return 1;
}

int mm_diff_is_change(enum mm_diff_verdict verdict)
{
    return verdict == MM_DIFF_WORSE || verdict == MM_DIFF_BETTER;
}

/* Return the verdict on a change that was not found: MM_DIFF_SAME or MM_DIFF_OPEN. */
static enum mm_diff_verdict without_change(const struct mm_diff_amount *amount,
                                           double bound)
{
    return amount->low >= -bound && amount->high <= bound ? MM_DIFF_SAME : MM_DIFF_OPEN;
}

static enum mm_diff_verdict verdict_of(const struct mm_diff_amount *amount, double cost,
                                       const struct mm_diff_limits *limits, int shown)
{
    if (!shown || !(fabs(amount->ns) >= limits->threshold * cost))
        return without_change(amount, limits->same * cost);
    return amount->ns > 0 ? MM_DIFF_WORSE : MM_DIFF_BETTER;
}

/* Test all hypotheses about the differences together. Returns 0 or -ENOMEM. */
static int answer(struct mm_diff *diff, const struct question *questions, size_t count,
                  const struct mm_diff_limits *limits)
{
    const double **values = calloc(count + 1, sizeof *values);
    double *p = calloc(count + 1, sizeof *p);
    size_t *at = calloc(count + 1, sizeof *at), asked = 0;
    long splits = 0;

    if (!values || !p || !at)
        splits = -ENOMEM;
    for (size_t i = 0; i < count && splits >= 0; i++) {
        struct mm_diff_amount *amount = questions[i].amount;

        amount->exact = mm_diff_is_exact(questions[i].values, diff->runs);
        if (amount->exact) {
            amount->verdict = verdict_of(amount, questions[i].cost, limits, 1);
        } else {
            at[asked] = i;
            values[asked++] = questions[i].values;
        }
    }
    if (splits >= 0)
        splits = mm_diff_adjusted(values, asked, diff->runs, diff->serial, p);
    for (size_t i = 0; i < asked && splits >= 0; i++) {
        const struct question *question = &questions[at[i]];

        question->amount->p = p[i];
        question->amount->verdict =
            verdict_of(question->amount, question->cost, limits, p[i] <= MM_DIFF_ERROR);
    }
    free(values);
    free(p);
    free(at);
    diff->questions = asked;
    diff->splits = splits > 0 ? (size_t)splits : 0;
    return splits < 0 ? (int)splits : 0;
}

/* Return the verdict on a method by the verdicts on its parts and on their sum. */
static enum mm_diff_verdict method_verdict(const struct mm_diff_method *method)
{
    enum mm_diff_verdict verdict = method->part[MM_DIFF_ALL].verdict;

    for (int i = 0; i < MM_DIFF_RARE; i++) {
        enum mm_diff_verdict part = method->part[i].verdict;

        if (part == MM_DIFF_WORSE)
            return MM_DIFF_WORSE;
        if (part == MM_DIFF_BETTER || (part == MM_DIFF_OPEN && verdict != MM_DIFF_BETTER))
            verdict = part;
    }
    return verdict;
}

/* --- The whole comparison ------------------------------------------------- */

struct work {
    /* [methods] numbers of each method in each run, in the order of the tables */
    struct mm_diff_numbers *numbers;
    /* [runs + 1] parts of a method's change, and their sums over methods: without each
     * one of the runs, then with all runs */
    double (*own)[MM_DIFF_PARTS], (*sums)[MM_DIFF_PARTS];
    double *whole; /* [runs] for each run, the logarithm of the typical cost of all
                      methods together */
    /* [runs] for each cost of the whole program, the number that is compared */
    double *program[MM_DIFF_WHOLES];
    struct question *questions;
    size_t question_count;
};

static void work_done(struct work *work, size_t methods)
{
    for (size_t i = 0; work->numbers && i < methods; i++)
        mm_diff_numbers_done(&work->numbers[i]);
    free(work->numbers);
    free(work->own);
    free(work->sums);
    free(work->whole);
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        free(work->program[i]);
    free(work->questions);
}

static int by_change(const void *left, const void *right)
{
    const struct mm_diff_method *a = left, *b = right;
    double x = fabs(a->part[MM_DIFF_ALL].ns), y = fabs(b->part[MM_DIFF_ALL].ns);
    int order = (x < y) - (x > y);

    return order ? order : strcmp(a->table->name, b->table->name);
}

static int measure(struct mm_diff *diff, const struct mm_diff_tables *tables,
                   struct work *work)
{
    size_t all = tables->runs[0] + tables->runs[1];

    for (size_t i = 0; i < tables->count; i++) {
        const struct mm_diff_table *table = &tables->list[i];
        struct mm_diff_method *method = &diff->methods[i];
        struct runs with = {tables->runs, all};

        if (mm_diff_numbers_of(&work->numbers[i], table, tables->runs))
            return -ENOMEM;
        method->table = table;
        method->by_model = work->numbers[i].by_model;
        add_parts(&work->numbers[i], table, tables->runs, work->own, work->sums);
        set_amounts(method->part, work->own, tables->runs, diff->serial);
        set_dearer(method, work->numbers[i].value[MM_DIFF_DEARER], tables->runs,
                   diff->serial);
        for (int side = 0; side < 2; side++) {
            method->ns[side] = side_mean(table->measured, 1, &with, side);
            diff->ns[side] += method->ns[side];
            for (size_t c = 0; c < table->cells; c++)
                method->calls[side] +=
                    side_mean(table->calls + c, table->cells, &with, side);
        }
        for (size_t r = 0; r < all; r++)
            work->whole[r] += mm_diff_run_cost(&work->numbers[i], table, r);
    }
    for (size_t r = 0; r < all; r++)
        work->whole[r] = log(work->whole[r]);
    set_amounts(diff->part, work->sums, tables->runs, diff->serial);
    return 0;
}

/* --- The whole program ---------------------------------------------------- */

/* Set the change of a cost of the whole program, and each run's number to compare: its
 * logarithm, but for the time outside of recorded calls, which may be 0, its share of the
 * CPU time. Returns 0 or -ENOMEM. */
static int measure_total(struct mm_diff *diff, const struct mm_diff_tables *tables,
                         struct work *work, int whole)
{
    const double *values = tables->whole[whole];
    struct mm_diff_total *total = &diff->whole[whole];
    size_t all = tables->runs[0] + tables->runs[1];
    double squares[2] = {0, 0}, scale = 1, half;

    total->amount.p = NAN;
    if (!values || !all_known(values, all))
        return 0;
    work->program[whole] = calloc(all + 1, sizeof(double));
    if (!work->program[whole])
        return -ENOMEM;
    total->known = 1;
    for (size_t r = 0; r < all; r++)
        total->mean[r >= tables->runs[0]] +=
            values[r] / (double)tables->runs[r >= tables->runs[0]];
    if (whole == MM_DIFF_REST)
        scale = fmax(diff->whole[MM_DIFF_CPU].mean[0], diff->whole[MM_DIFF_CPU].mean[1]);
    for (size_t r = 0; r < all; r++) {
        double off = values[r] - total->mean[r >= tables->runs[0]];

        squares[r >= tables->runs[0]] += off * off;
        work->program[whole][r] =
            whole == MM_DIFF_REST ? values[r] / scale : log(fmax(values[r], 1));
    }
    half = half_width(tables->runs, diff->serial,
                      (squares[0] + squares[1]) / fmax(freedom(tables->runs), 1) *
                          (1 / (double)tables->runs[0] + 1 / (double)tables->runs[1]));
    total->amount.ns = total->mean[1] - total->mean[0];
    total->amount.low = total->amount.ns - half;
    total->amount.high = total->amount.ns + half;
    return 0;
}

/* List the hypotheses about the whole program. The time outside of recorded calls is not
 * tested if it is a small share of the CPU time on both sides. */
static void ask_totals(struct mm_diff *diff, struct work *work, double share)
{
    const double *cpu = diff->whole[MM_DIFF_CPU].mean;

    for (int i = 0; i < MM_DIFF_WHOLES; i++) {
        struct mm_diff_total *total = &diff->whole[i];
        double cost = fmax(total->mean[0], total->mean[1]);

        if (total->known && (i != MM_DIFF_REST || cost >= share * fmax(cpu[0], cpu[1])))
            work->questions[work->question_count++] =
                (struct question){work->program[i], &total->amount,
                                  i == MM_DIFF_REST ? cost : total->mean[0]};
    }
}

/* True if parts of a method's cost changed, but not their sum: the interval of the sum
 * contains none of the changes that were found. */
static int has_new_shape(const struct mm_diff_method *method, double threshold)
{
    const struct mm_diff_amount *all = &method->part[MM_DIFF_ALL];
    int changed = 0;

    if (fabs(all->ns) >= threshold * fmax(method->ns[0], method->ns[1]))
        return 0;
    for (int i = 0; i < MM_DIFF_RARE; i++) {
        const struct mm_diff_amount *part = &method->part[i];

        if (part->verdict != MM_DIFF_WORSE && part->verdict != MM_DIFF_BETTER)
            continue;
        if (part->ns > 0 ? !(all->high < part->ns) : !(all->low > part->ns))
            return 0;
        changed = 1;
    }
    return changed;
}

/* Return the sum of the changes with a verdict; `*cost` is set to the cost of the methods
 * that have them. */
static double found_changes(const struct mm_diff *diff, double *cost)
{
    const struct mm_diff_total *rest = &diff->whole[MM_DIFF_REST];
    double sum = 0;

    *cost = 0;
    for (size_t m = 0; m < diff->count; m++) {
        const struct mm_diff_method *method = &diff->methods[m];

        if (method->shape || !mm_diff_is_change(method->verdict))
            continue;
        for (int i = 0; i < MM_DIFF_RARE; i++)
            if (mm_diff_is_change(method->part[i].verdict))
                sum += method->part[i].ns;
        *cost += fmax(method->ns[0], method->ns[1]);
    }
    if (mm_diff_is_change(rest->amount.verdict)) {
        sum += rest->amount.ns;
        *cost += fmax(rest->mean[0], rest->mean[1]);
    }
    return sum;
}

/* Set the verdicts on the methods, and the verdict on all of them together. */
static void conclude(struct mm_diff *diff, const struct mm_diff_limits *limits)
{
    const struct mm_diff_total *cpu = &diff->whole[MM_DIFF_CPU];
    struct mm_diff_amount *memory = &diff->whole[MM_DIFF_MEMORY].amount;
    double bytes = limits->same * diff->whole[MM_DIFF_MEMORY].mean[0];
    int worse = diff->whole[MM_DIFF_REST].amount.verdict == MM_DIFF_WORSE;
    double cost;

    for (size_t m = 0; m < diff->count; m++) {
        struct mm_diff_method *method = &diff->methods[m];

        method->verdict = method_verdict(method);
        method->shape = has_new_shape(method, limits->threshold);
        if (method->shape)
            method->verdict = method->part[MM_DIFF_ALL].verdict;
        worse |= method->verdict == MM_DIFF_WORSE;
        diff->shape |= method->shape;
    }
    if (!mm_diff_is_change(memory->verdict) || fabs(memory->ns) < MM_DIFF_LEAST_BYTES)
        memory->verdict = without_change(memory, fmax(bytes, MM_DIFF_LEAST_BYTES));
    diff->verdict = cpu->known ? cpu->amount.verdict : diff->part[MM_DIFF_ALL].verdict;
    if (diff->part[MM_DIFF_ALL].verdict == MM_DIFF_WORSE &&
        !mm_diff_is_change(diff->verdict) && !(cpu->known && cpu->amount.high <= 0))
        diff->verdict = MM_DIFF_WORSE;
    diff->found_ns = found_changes(diff, &cost);
    if (worse && diff->verdict != MM_DIFF_WORSE) {
        if (diff->found_ns >= limits->threshold * cost &&
            !(cpu->known && cpu->amount.high < diff->found_ns))
            diff->verdict = MM_DIFF_WORSE;
        else
            diff->shape = 1;
    }
    if (memory->verdict == MM_DIFF_WORSE)
        diff->verdict = MM_DIFF_WORSE;
}

/* List the hypotheses: for each relevant method the three parts of its change, and those
 * for the whole program. */
static void ask(struct mm_diff *diff, const struct mm_diff_tables *tables,
                struct work *work, double share)
{
    size_t all = tables->runs[0] + tables->runs[1];

    for (size_t i = 0; i < diff->count; i++) {
        struct mm_diff_method *method = &diff->methods[i];
        double cost = fmax(fabs(method->ns[0]), fabs(method->ns[1]));

        method->tested = cost >= share * fmax(diff->ns[0], diff->ns[1]);
        for (int k = 0; k < MM_DIFF_RARE; k++) {
            if (!method->tested || !all_known(work->numbers[i].value[k], all))
                continue;
            work->questions[work->question_count++] =
                (struct question){work->numbers[i].value[k], &method->part[k],
                                  method->ns[0] > 0 ? method->ns[0] : cost};
        }
        /* only one side calls this method, so its number of calls certainly differs */
        if (method->tested && (method->calls[0] == 0 || method->calls[1] == 0)) {
            method->part[MM_DIFF_CALLS].exact = 1;
            method->part[MM_DIFF_CALLS].verdict =
                method->calls[0] == 0 ? MM_DIFF_WORSE : MM_DIFF_BETTER;
        }
    }
    ask_totals(diff, work, share);
    if (diff->count && all_known(work->whole, all))
        work->questions[work->question_count++] =
            (struct question){work->whole, &diff->part[MM_DIFF_ALL], diff->ns[0]};
}

/* Set the verdicts that changes have without a test, by their intervals alone. */
static void settle(struct mm_diff *diff, double same)
{
    double most = diff->ns[0] > 0 ? diff->ns[0] : diff->ns[1];

    for (size_t m = 0; m < diff->count; m++) {
        struct mm_diff_method *method = &diff->methods[m];
        double cost = method->ns[0] > 0 ? method->ns[0] : method->ns[1];

        for (int i = 0; i < MM_DIFF_PARTS; i++)
            method->part[i].verdict = without_change(&method->part[i], same * cost);
    }
    for (int i = 0; i < MM_DIFF_PARTS; i++)
        diff->part[i].verdict =
            diff->count ? without_change(&diff->part[i], same * most) : MM_DIFF_OPEN;
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        diff->whole[i].amount.verdict =
            without_change(&diff->whole[i].amount, same * diff->whole[i].mean[0]);
}

static void leave_open(struct mm_diff *diff)
{
    diff->verdict = MM_DIFF_OPEN;
    for (int i = 0; i < MM_DIFF_PARTS; i++)
        diff->part[i].verdict = MM_DIFF_OPEN;
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        diff->whole[i].amount.verdict = MM_DIFF_OPEN;
    for (size_t m = 0; m < diff->count; m++) {
        diff->methods[m].verdict = MM_DIFF_OPEN;
        for (int i = 0; i < MM_DIFF_PARTS; i++)
            diff->methods[m].part[i].verdict = MM_DIFF_OPEN;
    }
}

int mm_diff_has_repeats(const struct mm_diff *diff)
{
    return diff->runs[0] > 1 && diff->runs[1] > 1;
}

/* Give the changes in `found` their verdicts. */
static void take_found(struct mm_diff *diff, const struct mm_diff_limits *limits,
                       const struct mm_diff_found *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct mm_diff_method *method = &diff->methods[found[i].table];
        const double *mean = diff->ns;
        struct mm_diff_amount *amount = &diff->part[MM_DIFF_ALL];

        if (found[i].total < 0) {
            mean = method->ns;
            amount = &method->part[found[i].part];
            method->tested = 1;
        } else if (found[i].total < MM_DIFF_WHOLES) {
            mean = diff->whole[found[i].total].mean;
            amount = &diff->whole[found[i].total].amount;
        }
        amount->p = found[i].p;
        amount->verdict = verdict_of(amount, mean[0] > 0 ? mean[0] : mean[1], limits, 1);
    }
}

/* Compare two sides; the significance of the changes is tested where `found` is NULL. */
static int compare(struct mm_diff *diff, const struct mm_diff_tables *tables,
                   const struct mm_diff_limits *limits, const struct mm_diff_found *found,
                   size_t found_count)
{
    size_t all = tables->runs[0] + tables->runs[1];
    struct work work = {.numbers = calloc(tables->count + 1, sizeof *work.numbers),
                        .own = calloc(all + 1, sizeof *work.own),
                        .sums = calloc(all + 1, sizeof *work.sums),
                        .whole = calloc(all + 1, sizeof *work.whole),
                        .questions =
                            calloc(tables->count * MM_DIFF_RARE + MM_DIFF_WHOLES + 1,
                                   sizeof *work.questions)};
    int status;

    memset(diff, 0, sizeof *diff);
    diff->methods = calloc(tables->count + 1, sizeof *diff->methods);
    diff->count = diff->methods ? tables->count : 0;
    memcpy(diff->runs, tables->runs, sizeof diff->runs);
    diff->serial = mm_diff_serial(tables->when, tables->runs);
    status = diff->serial > 0 && work.numbers && work.own && work.sums && work.whole &&
                     work.questions && diff->methods
                 ? measure(diff, tables, &work)
                 : -ENOMEM;
    for (int i = 0; i < MM_DIFF_WHOLES && !status; i++)
        status = measure_total(diff, tables, &work, i);
    if (!status && mm_diff_has_repeats(diff)) {
        settle(diff, limits->same);
        if (found) {
            take_found(diff, limits, found, found_count);
        } else {
            ask(diff, tables, &work, limits->share);
            status = answer(diff, work.questions, work.question_count, limits);
        }
        conclude(diff, limits);
    } else if (!status) {
        leave_open(diff);
    }
    work_done(&work, tables->count);
    return status;
}

int mm_diff_conclude_found(struct mm_diff *diff, const struct mm_diff_tables *tables,
                           const struct mm_diff_limits *limits,
                           const struct mm_diff_found *found, size_t count)
{
    return compare(diff, tables, limits, found, count);
}

int mm_diff_compare(struct mm_diff *diff, const struct mm_diff_tables *tables,
                    const struct mm_diff_limits *limits)
{
    int status = compare(diff, tables, limits, NULL, 0);

    if (!status && diff->count)
        qsort(diff->methods, diff->count, sizeof *diff->methods, by_change);
    return status;
}

void mm_diff_done(struct mm_diff *diff)
{
    free(diff->methods);
    memset(diff, 0, sizeof *diff);
}
