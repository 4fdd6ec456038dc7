/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c: CPU time and gap of the best assignment of random problems.
 *
 *     choice [--seeds N] [--nodes N] [--all]
 *
 * 20 slots with couplings along a random tree and 10 chords: in a second; 50 slots of
 * mean degree 4: in ten. Costs of classes are uniform in 0 to 1, and couplings are
 *
 *     weak    uniform in 0 to .2
 *     even    uniform in 0 to 1
 *     strong  normal, sd 1, and classes alone cost nothing
 *
 * With "sum" a quality, uniform in 0 to 1, is bounded: its sum is at most a third of the
 * way from the least to the mean; with "3 sums", those of three at most three quarters.
 * --all adds problems without a bar.
 *
 * Exit 0; 1: a bar is missed; 2: misuse; 5: a search failed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/models/cpu_time.h"
#include "bench/models/random.h"
#include "mastermind/choice/exact/answer.h"

static size_t random_below(size_t n)
{
    return (size_t)(random_unit() * (double)n);
}

enum costs { WEAK, EVEN, STRONG };

struct kind {
    const char *name;
    size_t slots, classes;
    int tree;     /* couplings along a random tree first */
    size_t pairs; /* further random ones */
    enum costs costs;
    int sums;    /* so many qualities are bounded */
    double most; /* seconds; 0: no bar */
};

static const struct kind kinds[] = {
    {"20 x 5, tree and 10 chords, weak", 20, 5, 1, 10, WEAK, 0, 1},
    {"20 x 5, tree and 10 chords, even", 20, 5, 1, 10, EVEN, 0, 1},
    {"20 x 5, tree and 10 chords, strong", 20, 5, 1, 10, STRONG, 0, 1},
    {"20 x 5, tree and 10 chords, even, sum", 20, 5, 1, 10, EVEN, 1, 1},
    {"20 x 5, tree and 10 chords, strong, sum", 20, 5, 1, 10, STRONG, 1, 1},
    {"20 x 5, tree and 10 chords, even, 3 sums", 20, 5, 1, 10, EVEN, 3, 1},
    {"50 x 3, mean degree 4, strong", 50, 3, 0, 100, STRONG, 0, 10},
    {"50 x 5, mean degree 4, weak", 50, 5, 0, 100, WEAK, 0, 10},
    {"50 x 5, mean degree 4, even", 50, 5, 0, 100, EVEN, 0, 10},
    {"50 x 5, mean degree 4, strong", 50, 5, 0, 100, STRONG, 0, 10},
    {"50 x 5, mean degree 4, even, sum", 50, 5, 0, 100, EVEN, 1, 10},
    {"50 x 5, mean degree 4, strong, sum", 50, 5, 0, 100, STRONG, 1, 10},
    {"50 x 8, mean degree 4, strong", 50, 8, 0, 100, STRONG, 0, 0},
    {"50 x 5, mean degree 6, strong", 50, 5, 0, 150, STRONG, 0, 0},
    {"100 x 5, mean degree 4, even", 100, 5, 0, 200, EVEN, 0, 0},
    {"100 x 5, mean degree 4, strong", 100, 5, 0, 200, STRONG, 0, 0},
    {"20 x 5, all coupled, strong", 20, 5, 0, 190, STRONG, 0, 0},
};

static double class_cost(enum costs costs)
{
    return costs == STRONG ? 0 : random_unit();
}

static double pair_cost(enum costs costs)
{
    return costs == STRONG ? random_normal() : random_unit() * (costs == WEAK ? .2 : 1);
}

static int couple(struct mm_problem *p, const struct kind *kind, char *linked, size_t a,
                  size_t b)
{
    double costs[64];

    if (a == b || linked[a * kind->slots + b])
        return 0;
    linked[a * kind->slots + b] = linked[b * kind->slots + a] = 1;
    for (size_t i = 0; i < kind->classes * kind->classes; i++)
        costs[i] = pair_cost(kind->costs);
    return mm_problem_couple(p, a, b, costs, NULL) < 0 ? -1 : 1;
}

/* Bound the sum of a quality. */
static int bound_sum(struct mm_problem *p, const struct kind *kind, const char *name)
{
    double least = 0, mean = 0, most;
    int q = mm_problem_add_quality(p, name, MM_COMPOSITION_SUM, NULL);

    for (size_t i = 0; i < kind->slots && q >= 0; i++) {
        double low = INFINITY;

        for (size_t k = 0; k < kind->classes; k++) {
            double value = random_unit();

            low = fmin(low, value);
            mean += value / (double)kind->classes;
            if (mm_problem_set_value(p, (size_t)q, i, k, value, NULL) < 0)
                return -1;
        }
        least += low;
    }
    most = least + (mean - least) * (kind->sums > 1 ? .75 : 1. / 3);
    return q < 0 ? -1 : mm_problem_bound(p, (size_t)q, -INFINITY, most, NULL);
}

static struct mm_problem *make_problem(const struct kind *kind, uint64_t seed)
{
    static const char *const names[] = {"q", "r", "s"};
    struct mm_problem *p = mm_problem_new();
    char *linked = calloc(kind->slots, kind->slots);
    int result = p && linked ? 0 : -1;

    random_state = seed;
    for (size_t i = 0; i < kind->slots && result >= 0; i++) {
        result = mm_problem_add_slot(p, "s", NULL);
        for (size_t k = 0; k < kind->classes && result >= 0; k++)
            result = mm_problem_add_class(p, i, "c", class_cost(kind->costs), NULL);
    }
    for (size_t i = 1; i < kind->slots && kind->tree && result >= 0; i++)
        result = couple(p, kind, linked, random_below(i), i);
    for (size_t i = 0; i < kind->pairs && result >= 0;) {
        result =
            couple(p, kind, linked, random_below(kind->slots), random_below(kind->slots));
        i += result > 0;
    }
    for (int i = 0; i < kind->sums && result >= 0; i++)
        result = bound_sum(p, kind, names[i]);
    free(linked);
    if (result >= 0)
        return p;
    mm_problem_free(p);
    return NULL;
}

/* 0: within the bar; 1: not; 5: failed. */
static int bench_kind(const struct kind *kind, int seeds, uint64_t most_nodes)
{
    double worst = 0, sum = 0, gap = 0, nodes = 0;
    int proven = 0;

    for (int seed = 1; seed <= seeds; seed++) {
        struct mm_answer_limits limits = {1, most_nodes};
        struct mm_problem *p = make_problem(kind, (uint64_t)seed);
        double start = cpu_seconds(), seconds;
        struct mm_answer *a = p ? mm_answer_best(p, &limits, NULL) : NULL;

        seconds = cpu_seconds() - start;
        mm_problem_free(p);
        if (!a || !a->count) {
            mm_answer_free(a);
            fprintf(stderr, "choice: %s, seed %d: found no assignment\n", kind->name,
                    seed);
            return 5;
        }
        proven += a->proven;
        gap = fmax(gap, (a->items[0].cost - a->lower) / fabs(a->items[0].cost));
        nodes = fmax(nodes, (double)a->nodes);
        worst = fmax(worst, seconds);
        sum += seconds;
        mm_answer_free(a);
    }
    printf("%-42s %8.3f %8.3f %10.3g %7d/%d %8.2g %%", kind->name, sum / seeds, worst,
           nodes, proven, seeds, 100 * gap);
    if (kind->most > 0)
        printf("  %s %.0f s",
               worst <= kind->most && proven == seeds ? "within" : "MISSES", kind->most);
    putchar('\n');
    fflush(stdout);
    return kind->most > 0 && (worst > kind->most || proven < seeds);
}

int main(int argc, char **argv)
{
    int seeds = 3, all = 0, result = 0;
    double nodes = 3e7;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0) {
            all = 1;
        } else if (i + 1 < argc && strcmp(argv[i], "--seeds") == 0) {
            seeds = atoi(argv[++i]);
        } else if (i + 1 < argc && strcmp(argv[i], "--nodes") == 0) {
            nodes = atof(argv[++i]);
        } else {
            fputs("usage: choice [--seeds N] [--nodes N] [--all]\n", stderr);
            return 2;
        }
    }
    printf("%-42s %8s %8s %10s %9s %10s\n", "CPU time, s", "mean", "most", "nodes",
           "proven", "worst gap");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int one =
            all || kinds[i].most > 0 ? bench_kind(&kinds[i], seeds, (uint64_t)nodes) : 0;

        result = one > result ? one : result;
    }
    return result;
}
