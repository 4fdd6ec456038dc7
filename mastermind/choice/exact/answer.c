/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.c: the searches for best, within and front. */
#include "mastermind/choice/exact/answer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "mastermind/choice/exact/parts.h"

#define MOST_DEFAULT 1000
#define MOST_CELLS ((double)MM_ANSWER_TABLE_BYTES / sizeof(int64_t))
#define MOST_COST ((int64_t)1 << 62)

/* Limits of each level: cells of all messages together, and nodes opened before the
 * bounds of the next level are computed. */
static const struct {
    double cells;
    uint64_t nodes;
} levels[] = {{0x1p14, 1 << 17}, {0x1p18, 1 << 21}, {MOST_CELLS, UINT64_MAX}};
#define LEVELS (sizeof levels / sizeof *levels)

struct run {
    const struct mm_problem *problem;
    struct mm_bound *bounds; /* [quality_count] bound of each quality */
    uint64_t nodes_left;
    struct mm_answer *answer;
};

/* Plan the messages (tables of lower bounds) with the most cells up to `most`, or if
 * there is no such plan, with the fewest. */
static struct mm_buckets *plan_widest(const struct mm_network *network,
                                      const size_t *order, double most)
{
    for (double limit = most;; limit /= 2) {
        struct mm_buckets *buckets =
            mm_buckets_plan(network, order, limit, limit <= 1 ? INFINITY : most);

        if (!buckets || limit <= 1 || buckets->cells <= most)
            return buckets;
        mm_buckets_free(buckets);
    }
}

struct search {
    struct run *run;
    struct mm_best_list *list;
    const struct mm_network *network;
    struct mm_branch branch;
    size_t *order;
    int64_t *costs, lower;
};

/* Search with the bounds of a level. Returns 1 if the search is complete; 0 if the limit
 * on nodes was reached; or -ENOMEM. */
static int search_level(struct search *s, size_t level)
{
    struct run *run = s->run;
    struct mm_buckets *buckets = plan_widest(s->network, s->order, levels[level].cells);
    int last, result;

    if (!buckets)
        return -ENOMEM;
    last = level + 1 == LEVELS || buckets->exact;
    result = level ? mm_buckets_fill(buckets, s->costs)
                   : mm_multipliers_find(buckets, s->costs, &s->branch.offset);
    s->branch.buckets = buckets;
    s->branch.most = run->nodes_left;
    if (!last && levels[level].nodes < s->branch.most)
        s->branch.most = levels[level].nodes;
    if (!result && level)
        result = mm_best_list_restart(s->list);
    if (!result) {
        result = mm_branch_run(&s->branch, s->list);
        run->answer->nodes += s->branch.nodes;
        run->nodes_left -=
            s->branch.nodes < run->nodes_left ? s->branch.nodes : run->nodes_left;
    }
    mm_buckets_free(buckets);
    if (result >= 0 && s->branch.lower > s->lower)
        s->lower = s->branch.lower;
    return result;
}

/* Find the best assignments within run->bounds. `quality` breaks ties; quality_count:
 * none. Returns 1 if they are the best; 0 if the limit on nodes was reached; or -ENOMEM.
 * `*lower`: lower bound of all assignments' costs, in units of 2^-exponent. */
static int search_best(struct run *run, struct mm_best_list *list, size_t quality,
                       int greater, const struct mm_network *network, int64_t *lower)
{
    struct search s = {.run = run,
                       .list = list,
                       .network = network,
                       .branch = {.quality = quality, .greater = greater},
                       .lower = INT64_MIN};
    int result = 0;

    *lower = INT64_MAX;
    list->ties = quality < network->quality_count;
    if (network->empty)
        return 1;
    s.order = malloc(network->slot_count * sizeof *s.order);
    s.costs = malloc(network->choice_count * sizeof *s.costs);
    if (!s.order || !s.costs || mm_order_min_fill(network, s.order) < 0)
        result = -ENOMEM;
    for (size_t level = 0; level < LEVELS && !result && (!level || run->nodes_left);
         level++)
        result = search_level(&s, level);
    free(s.order);
    free(s.costs);
    if (mm_best_list_sort(list) < 0)
        result = -ENOMEM;
    if (result != 1)
        *lower = s.lower;
    if (list->count && list->items[0].cost < *lower)
        *lower = list->items[0].cost;
    return result;
}

/* Add an assignment of a list to the answer. */
static int add_item(struct run *run, const struct mm_network *network,
                    const struct mm_found *found, size_t quality)
{
    struct mm_answer *answer = run->answer;
    struct mm_assignment item = {.value = NAN};

    if (cca_array_reserve(&answer->items, answer->count, sizeof item))
        return -ENOMEM;
    item.classes = malloc(network->slot_count * sizeof *item.classes);
    if (!item.classes)
        return -ENOMEM;
    for (size_t i = 0; i < network->slot_count; i++)
        item.classes[i] = network->class_at[network->first[i] + found->chosen[i]];
    item.cost = mm_problem_cost(run->problem, item.classes);
    if (quality < run->problem->quality_count)
        item.value = mm_problem_value(run->problem, quality, item.classes);
    answer->items[answer->count++] = item;
    return 0;
}

static void set_lower(struct run *run, const struct mm_network *network, int64_t lower)
{
    struct mm_answer *answer = run->answer;

    answer->lower =
        lower == INT64_MAX ? INFINITY : ldexp((double)lower, -network->exponent);
    if (answer->count && answer->proven)
        answer->lower = answer->items[0].cost;
}

/* Search once and add at most `most` assignments that cost at most `limit` to the answer;
 * `*best` gets the least cost. Returns 0 or -ENOMEM. */
static int search_once(struct run *run, const struct mm_network *network, size_t most,
                       int64_t limit, int64_t *best)
{
    struct mm_best_list list;
    size_t none = run->problem->quality_count;
    int64_t lower;
    int result;

    mm_best_list_init(&list, network->slot_count, most, limit);
    result = search_best(run, &list, none, 0, network, &lower);
    run->answer->proven = result == 1;
    for (size_t i = 0; i < list.count && result >= 0; i++)
        if (add_item(run, network, &list.items[i], none) < 0)
            result = -ENOMEM;
    if (list.count)
        *best = list.items[0].cost;
    if (result >= 0)
        set_lower(run, network, lower);
    mm_best_list_done(&list);
    return result < 0 ? result : 0;
}

static void clear_items(struct mm_answer *answer, size_t count)
{
    while (answer->count > count)
        free(answer->items[--answer->count].classes);
}

void mm_answer_free(struct mm_answer *answer)
{
    if (!answer)
        return;
    clear_items(answer, 0);
    free(answer->items);
    free(answer);
}

static int run_init(struct run *run, const struct mm_problem *problem,
                    const struct mm_answer_limits *limits, struct cca_error *err)
{
    *run = (struct run){.problem = problem, .nodes_left = UINT64_MAX};
    if (limits && !limits->most)
        return cca_error_set(err, -EINVAL, "expected at least one assignment to keep");
    if (limits && limits->nodes)
        run->nodes_left = limits->nodes;
    if (mm_problem_check(problem, err) < 0)
        return -EINVAL;
    run->answer = calloc(1, sizeof *run->answer);
    run->bounds = calloc(problem->quality_count + 1, sizeof *run->bounds);
    if (!run->answer || !run->bounds)
        return cca_no_memory(err);
    for (size_t i = 0; i < problem->quality_count; i++)
        run->bounds[i] =
            (struct mm_bound){problem->qualities[i].bounded, problem->qualities[i].low,
                              problem->qualities[i].high};
    return 0;
}

/* The finished answer of a run, or NULL if `result` is an error. */
static struct mm_answer *run_done(struct run *run, int result, struct cca_error *err)
{
    free(run->bounds);
    if (result >= 0)
        return run->answer;
    if (result == -ENOMEM)
        cca_no_memory(err);
    mm_answer_free(run->answer);
    return NULL;
}

struct mm_answer *mm_answer_best(const struct mm_problem *problem,
                                 const struct mm_answer_limits *limits,
                                 struct cca_error *err)
{
    struct run run;
    struct mm_network *network = NULL;
    int64_t best;
    int result = run_init(&run, problem, limits, err);

    if (!result) {
        network = mm_network_new(problem, run.bounds);
        result = network ? search_once(&run, network, limits ? limits->most : 1,
                                       MOST_COST, &best)
                         : -ENOMEM;
    }
    mm_network_free(network);
    return run_done(&run, result, err);
}

static int64_t limit_of(int64_t best, double factor)
{
    double limit = floor((best < 0 ? 2 - factor : factor) * (double)best);
    int64_t whole = limit < (double)MOST_COST ? (int64_t)limit : MOST_COST;

    return whole > best ? whole : best;
}

/* Find the best assignment first, then all that cost at most `factor` times as much. */
static int search_within(struct run *run, const struct mm_network *network, double factor,
                         size_t most)
{
    struct mm_answer *answer = run->answer;
    struct mm_assignment first;
    int64_t best = 0;
    int result = search_once(run, network, 1, MOST_COST, &best);

    if (result < 0 || !answer->proven || !answer->count)
        return result;
    first = answer->items[0];
    answer->count = 0;
    answer->proven = 0;
    if (run->nodes_left)
        result = search_once(run, network, most + (most < SIZE_MAX),
                             limit_of(best, factor), &best);
    if (result >= 0 && answer->proven) {
        free(first.classes);
    } else {
        /* a search that was interrupted may have missed the best assignment */
        clear_items(answer, 0);
        if (cca_array_reserve(&answer->items, 0, sizeof first)) {
            free(first.classes);
            return -ENOMEM;
        }
        answer->items[answer->count++] = first;
    }
    answer->lower = first.cost;
    answer->more = answer->count > most;
    clear_items(answer, most);
    return result;
}

struct mm_answer *mm_answer_within(const struct mm_problem *problem, double factor,
                                   const struct mm_answer_limits *limits,
                                   struct cca_error *err)
{
    struct run run;
    struct mm_network *network = NULL;
    int result;

    if (!(factor >= 1) || !isfinite(factor)) {
        cca_error_set(err, -EINVAL, "expected a factor of at least 1, found %g", factor);
        return NULL;
    }
    result = run_init(&run, problem, limits, err);
    if (!result) {
        network = mm_network_new(problem, run.bounds);
        result = network ? search_within(&run, network, factor,
                                         limits ? limits->most : MOST_DEFAULT)
                         : -ENOMEM;
    }
    mm_network_free(network);
    return run_done(&run, result, err);
}

/* Add the next item of the front: the cheapest assignment that is better than the last
 * item, and of equally cheap ones the best. Returns 1 if it was added; 0 if there is
 * none, or it is not proven; or -ENOMEM. */
static int next_of_front(struct run *run, size_t quality, int greater)
{
    struct mm_network *network = mm_network_new(run->problem, run->bounds);
    struct mm_answer *answer = run->answer;
    struct mm_best_list list;
    int64_t lower;
    int result;

    if (!network)
        return -ENOMEM;
    mm_best_list_init(&list, network->slot_count, 1, MOST_COST);
    result = search_best(run, &list, quality, greater, network, &lower);
    answer->proven = result == 1;
    if (list.count && result >= 0) {
        result = add_item(run, network, &list.items[0], quality) < 0 ? -ENOMEM
                                                                     : answer->proven;
    } else if (result > 0) {
        result = 0;
    }
    if (result >= 0 && answer->count <= 1)
        set_lower(run, network, lower);
    mm_best_list_done(&list);
    mm_network_free(network);
    return result;
}

static int search_front(struct run *run, size_t quality, int greater, size_t most)
{
    struct mm_bound *bound = &run->bounds[quality];
    struct mm_answer *answer = run->answer;
    int result = 1;

    if (!bound->active)
        *bound = (struct mm_bound){1, -INFINITY, INFINITY};
    while (result > 0 && answer->count <= most) {
        result = next_of_front(run, quality, greater);
        if (result <= 0)
            break;
        if (greater)
            bound->low = nextafter(answer->items[answer->count - 1].value, INFINITY);
        else
            bound->high = nextafter(answer->items[answer->count - 1].value, -INFINITY);
        if (!run->nodes_left) {
            answer->proven = 0;
            break;
        }
    }
    answer->more = answer->count > most;
    clear_items(answer, most);
    return result < 0 ? result : 0;
}

struct mm_answer *mm_answer_front(const struct mm_problem *problem, size_t quality,
                                  int greater, const struct mm_answer_limits *limits,
                                  struct cca_error *err)
{
    struct run run;
    int result;

    if (quality >= problem->quality_count) {
        cca_error_set(err, -EINVAL, "quality %zu: found %zu qualities", quality,
                      problem->quality_count);
        return NULL;
    }
    result = run_init(&run, problem, limits, err);
    if (!result)
        result =
            search_front(&run, quality, greater, limits ? limits->most : MOST_DEFAULT);
    return run_done(&run, result, err);
}
