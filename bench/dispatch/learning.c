/* SPDX-License-Identifier: BSD-3-Clause */
/* learning.c: rules that learn (proxies/proxy_learn.h), rules that stay, and four bandits
 * choose among the same classes, with costs whose truth is known and a clock that is made
 * up.
 *
 *     cc -O2 -I. bench/dispatch/learning.c -o learning -lm && ./learning [SEEDS [CALLS]]
 *
 * Rules are the cheapest class of each region by a model with errors, as `choose
 * --dispatch` writes them. The bandits are one per region, too, and get each cost divided
 * by the model's size law, so that they have all but the predictions. A cost above four
 * times the model's of the slot's class counts as four times; two bandits that need no
 * such bound see it uncut, too, because then they see rare long calls. Costs have the
 * noise of a shared machine: 6 % from call to call, a pace that wanders and jumps, and
 * slices of 3 ms for other guests, in proportion to time. Sums are of expected costs, so
 * that luck with noise is no gain. */
#include <math.h>
#include <stdio.h>

#include "common/random.h"
#include "common/sort.h"
#include "proxies/proxy_learn.h"

enum { CLASSES = 6, REGIONS = 8, LONGEST = 100000 };

/* --- Scenarios --------------------------------------------------------------- */

struct scenario {
    const char *name;
    int classes, regions;
    double spread;      /* standard deviation of the classes' log cost in a region */
    double model_error; /* of the model in a region, log */
    double half;        /* half of the interval that the model states */
    double base;        /* factor of the slot's class, which the model does not know */
    double favourite;   /* factor of the rules' most frequent class, likewise */
    double later;       /* factor of that class in the second half of the run */
    double rare;        /* share of that class's calls that take 40 times as long */
    double noise;       /* factor of all noise */
    int nothing;        /* true: no class is better than the slot's by more than 1 % */
};

static const struct scenario scenarios[] = {
    {"two classes, model right", 2, 2, .5, .05, .1, 1, 1, 1, 0, 1, 0},
    {"six classes, model right", 6, 8, .3, .05, .1, 1, 1, 1, 0, 1, 0},
    {"model without intervals to speak of", 6, 8, .3, .3, .5, 1, 1, 1, 0, 1, 0},
    {"favourite class 1.5 times as dear", 6, 8, .3, .05, .1, 1, 1.5, 1, 0, 1, 0},
    {"favourite twice as dear half-way", 6, 8, .3, .05, .1, 1, 1, 2, 0, 1, 0},
    {"favourite: 2 % of calls 40 times", 6, 8, .3, .05, .1, 1, 1, 1, .02, 1, 0},
    {"noise three times", 6, 8, .3, .05, .1, 1, 1, 1, 0, 3, 0},
    {"all classes equal", 6, 8, 0, .05, .1, 1, 1, 1, 0, 1, 1},
    {"all equal, noise three times", 6, 8, 0, .05, .1, 1, 1, 1, 0, 3, 1},
    {"slot's class best by 10 %", 6, 8, 0, .05, .1, .9, 1, 1, 0, 1, 1},
    {"slot's class best by 30 %", 6, 8, 0, .05, .1, .7, 1, 1, 0, 1, 1},
    {"two classes, slot's best by 50 %", 2, 2, 0, .05, .1, .5, 1, 1, 0, 1, 1},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* A scenario with the numbers of one seed. */
struct world {
    const struct scenario *of;
    double cost[REGIONS][CLASSES];  /* true cost at the region's middle size, ns */
    double model[REGIONS][CLASSES]; /* predicted */
    double power[CLASSES];          /* cost grows with this power of the size */
    double share[REGIONS];          /* cumulative share of the calls */
    int rule[REGIONS];              /* the class that the rules name */
    int favourite;
    int calls;
    uint64_t random;
};

/* A call as it comes. */
struct call {
    int region;
    double size;           /* 1: the region's middle */
    double truth[CLASSES]; /* expected cost */
    double noisy[CLASSES]; /* cost that is measured */
};

static double uniform(uint64_t *random)
{
    return ((double)(cca_random_next(random) >> 11) + .5) * 0x1p-53;
}

static double normal(uint64_t *random)
{
    const double radius = sqrt(-2 * log(uniform(random)));

    return radius * cos(2 * M_PI * uniform(random));
}

static void draw_world(struct world *w, const struct scenario *of, uint64_t *random,
                       int calls)
{
    int taken[CLASSES] = {0};
    double sum = 0;

    *w = (struct world){.of = of, .calls = calls, .random = *random};
    for (int k = 0; k < of->classes; k++)
        w->power[k] = of->spread > 0 ? .8 + .4 * uniform(&w->random) : 1;
    for (int r = 0; r < of->regions; r++) {
        const double level = log(2e5) + normal(&w->random);

        sum += w->share[r] = .3 + uniform(&w->random);
        for (int k = 0; k < of->classes; k++) {
            w->cost[r][k] = exp(level + of->spread * normal(&w->random));
            w->model[r][k] = w->cost[r][k] * exp(of->model_error * normal(&w->random));
            if (w->model[r][k] < w->model[r][w->rule[r]])
                w->rule[r] = k;
        }
        taken[w->rule[r]]++;
    }
    for (int r = 0; r < of->regions; r++)
        w->share[r] = w->share[r] / sum + (r ? w->share[r - 1] : 0);
    for (int k = 1; k < of->classes; k++)
        if (!w->favourite || taken[k] > taken[w->favourite])
            w->favourite = k;
    for (int r = 0; r < of->regions; r++) {
        w->cost[r][0] *= of->base;
        w->cost[r][w->favourite] *= of->favourite;
    }
    *random = w->random;
}

/* True if the best schedule beats the best single class by 15 %. */
static int gains(const struct world *w)
{
    double single[CLASSES] = {0}, schedule = 0, best = INFINITY;

    for (int r = 0; r < w->of->regions; r++) {
        const double share = w->share[r] - (r ? w->share[r - 1] : 0);
        double here = INFINITY;

        for (int k = 0; k < w->of->classes; k++) {
            single[k] += share * w->cost[r][k];
            here = fmin(here, w->cost[r][k]);
        }
        schedule += share * here;
    }
    for (int k = 0; k < w->of->classes; k++)
        best = fmin(best, single[k]);
    return schedule <= best / 1.15;
}

static void make_world(struct world *w, const struct scenario *of, uint64_t seed,
                       int calls)
{
    uint64_t random = seed * 1000003;

    do
        draw_world(w, of, &random, calls);
    while (!of->nothing && !gains(w));
}

/* Draw the calls of a run. */
static void make_calls(struct world *w, struct call *calls)
{
    double pace = .2 * normal(&w->random), jump = 0;

    for (int t = 0; t < w->calls; t++) {
        struct call *call = &calls[t];
        const double u = uniform(&w->random);

        call->region = 0;
        while (call->region < w->of->regions - 1 && u > w->share[call->region])
            call->region++;
        call->size = exp(.7 * (2 * uniform(&w->random) - 1));
        pace = .999 * pace + .004 * w->of->noise * normal(&w->random);
        if (uniform(&w->random) < .005)
            jump = jump > 0 ? 0 : .25 * w->of->noise;
        for (int k = 0; k < w->of->classes; k++) {
            const int favourite = k == w->favourite;
            const int rare = favourite && uniform(&w->random) < w->of->rare;
            double cost = w->cost[call->region][k] * pow(call->size, w->power[k]);

            if (favourite && t >= w->calls / 2)
                cost *= w->of->later;
            call->truth[k] = cost * (favourite ? 1 + 39 * w->of->rare : 1);
            cost *= (rare ? 40 : 1) *
                    exp(pace + jump + .06 * w->of->noise * normal(&w->random));
            /* the host takes a tenth of the time, in slices */
            if (uniform(&w->random) < w->of->noise * cost * .1 / 3e6)
                cost -= 3e6 * log(uniform(&w->random));
            call->noisy[k] = cost;
        }
    }
}

/* --- Policies ---------------------------------------------------------------- */

/* A bandit of one region. Losses are in [0, 1], unless costs are uncut. */
struct bandit {
    double calls[CLASSES], sum[CLASSES], squares[CLASSES];
    double weights[CLASSES]; /* of Tsallis-INF: the distribution drawn from */
    double all;
};

struct policy {
    const struct world *world;
    struct bandit bandits[REGIONS];
    struct proxy_learner *learner;
    struct proxy_timed timed;
    uint64_t random;
};

struct policy_kind {
    const char *name;
    int (*pick)(struct policy *p, const struct call *call);
    void (*see)(struct policy *p, const struct call *call, int k, double cost);
};

static int pick_rule(struct policy *p, const struct call *call)
{
    return p->world->rule[call->region];
}

static void see_nothing(struct policy *p, const struct call *call, int k, double cost)
{
    (void)p;
    (void)call;
    (void)k;
    (void)cost;
}

static int pick_learned(struct policy *p, const struct call *call)
{
    const union monitor_value in = {.d = call->size};

    p->timed.learner = NULL;
    return (int)proxy_learn_target(p->learner, (size_t)call->region, &in, &p->timed);
}

static void see_learned(struct policy *p, const struct call *call, int k, double cost)
{
    (void)call;
    (void)k;
    if (p->timed.learner)
        proxy_learn_finish(&p->timed, cost);
}

static int untried(const struct policy *p, const struct bandit *b, double calls)
{
    for (int k = 0; k < p->world->of->classes; k++)
        if (b->calls[k] < calls)
            return k;
    return -1;
}

static int least(const struct policy *p, const double *values)
{
    int best = 0;

    for (int k = 1; k < p->world->of->classes; k++)
        if (values[k] < values[best])
            best = k;
    return best;
}

static void means_of(const struct bandit *b, double *means)
{
    for (int k = 0; k < CLASSES; k++)
        means[k] = b->calls[k] ? b->sum[k] / b->calls[k] : 1;
}

static void see_below(struct policy *p, const struct call *call, int k, double cost,
                      double most)
{
    const struct world *w = p->world;
    struct bandit *b = &p->bandits[call->region];
    double loss = .25 * cost / (w->model[call->region][0] * pow(call->size, w->power[0]));

    loss = fmin(most, loss);
    b->calls[k]++;
    b->all++;
    b->sum[k] += loss;
    b->squares[k] += loss * loss;
}

static void see_loss(struct policy *p, const struct call *call, int k, double cost)
{
    see_below(p, call, k, cost, 1);
}

static void see_cost(struct policy *p, const struct call *call, int k, double cost)
{
    see_below(p, call, k, cost, INFINITY);
}

/* UCB1-Tuned (Auer, Cesa-Bianchi and Fischer, 2002). */
static int pick_ucb(struct policy *p, const struct call *call)
{
    const struct bandit *b = &p->bandits[call->region];
    double bound[CLASSES];
    const int first = untried(p, b, 1);

    if (first >= 0)
        return first;
    means_of(b, bound);
    for (int k = 0; k < p->world->of->classes; k++) {
        const double n = b->calls[k], rate = log(b->all) / n;
        const double v = b->squares[k] / n - bound[k] * bound[k] + sqrt(2 * rate);

        bound[k] -= sqrt(rate * fmin(.25, v));
    }
    return least(p, bound);
}

/* Epsilon-greedy, epsilon = 5 classes / call. */
static int pick_greedy(struct policy *p, const struct call *call)
{
    const struct bandit *b = &p->bandits[call->region];
    double means[CLASSES];

    if (uniform(&p->random) * (b->all + 1) < 5 * p->world->of->classes)
        return (int)(uniform(&p->random) * p->world->of->classes);
    means_of(b, means);
    return least(p, means);
}

/* Explore, then commit: five calls of each class. */
static int pick_commit(struct policy *p, const struct call *call)
{
    const struct bandit *b = &p->bandits[call->region];
    double means[CLASSES];
    const int first = untried(p, b, 5);

    if (first >= 0)
        return first;
    means_of(b, means);
    return least(p, means);
}

/* Tsallis-INF (Zimmert and Seldin, 2021), importance-weighted, learning rate 2 / sqrt(t).
 */
static int pick_tsallis(struct policy *p, const struct call *call)
{
    struct bandit *b = &p->bandits[call->region];
    const int classes = p->world->of->classes;
    const double rate = 2 / sqrt(b->all + 1);
    double x = b->sum[least(p, b->sum)] - sqrt(classes) * 2 / rate, u;

    for (int step = 0; step < 60; step++) {
        double sum = 0, slope = 0;

        for (int k = 0; k < classes; k++) {
            b->weights[k] = 4 / pow(rate * (b->sum[k] - x), 2);
            sum += b->weights[k];
            slope += rate * pow(b->weights[k], 1.5);
        }
        x -= (sum - 1) / slope;
        if (fabs(sum - 1) < 1e-12)
            break;
    }
    u = uniform(&p->random);
    for (int k = 0; k < classes - 1; k++)
        if ((u -= b->weights[k]) < 0)
            return k;
    return classes - 1;
}

static void see_tsallis(struct policy *p, const struct call *call, int k, double cost)
{
    struct bandit *b = &p->bandits[call->region];
    const double before = b->sum[k];

    see_loss(p, call, k, cost);
    b->sum[k] = before + (b->sum[k] - before) / b->weights[k];
}

static const struct policy_kind policies[] = {
    {"rules that learn", pick_learned, see_learned},
    {"rules", pick_rule, see_nothing},
    {"UCB1-Tuned", pick_ucb, see_loss},
    {"epsilon-greedy", pick_greedy, see_loss},
    {"the same, uncut", pick_greedy, see_cost},
    {"explore, then commit", pick_commit, see_loss},
    {"the same, uncut", pick_commit, see_cost},
    {"Tsallis-INF", pick_tsallis, see_tsallis},
};
enum { POLICIES = sizeof policies / sizeof *policies };

/* The rules of a world, with their predicted costs. */
static struct proxy_learner *make_learner(const struct world *w)
{
    static const struct monitor_value_decl value = {.name = "n", .type = MONITOR_DOUBLE};
    static const struct proxy_table_method method = {
        .name = "work", .values = &value, .in_count = 1};
    struct dispatch_rule rules[REGIONS];
    struct dispatch_cost costs[REGIONS * CLASSES];
    struct dispatch_learning learning = {.limit = .01, .costs = costs};
    int line;

    for (int r = 0; r < w->of->regions; r++) {
        rules[r] = (struct dispatch_rule){
            .line = r + 2, .method = "work", .target = (size_t)w->rule[r]};
        for (int k = 0; k < w->of->classes; k++)
            costs[learning.cost_count++] = (struct dispatch_cost){.rule = (size_t)r,
                                                                  .target = (size_t)k,
                                                                  .ns = w->model[r][k],
                                                                  .half = w->of->half,
                                                                  .value = "n",
                                                                  .at = 1,
                                                                  .power = w->power[k]};
    }
    return proxy_learner_make(&method, rules, (size_t)w->of->regions, &learning,
                              (size_t)w->of->classes, &line, NULL);
}

/* --- Figures ----------------------------------------------------------------- */

struct figures {
    double even;      /* calls until the sum stays below that of the best single class */
    double recovered; /* share of the best schedule's gain */
    double lost;      /* sum against the slot's class, less 1 */
    double swaps;     /* most changes of class of one rule */
};

/* The number of changes of the rule with most. */
static double most_changes(struct proxy_learner *learner)
{
    struct dispatch_change changes[PROXY_MOST_CHANGES];
    const size_t count = proxy_learn_changes(learner, changes, PROXY_MOST_CHANGES);
    int of_rule[REGIONS + 2] = {0}, most = 0;

    for (size_t i = 0; i < count; i++)
        if (++of_rule[changes[i].line] > most)
            most = of_rule[changes[i].line];
    return most;
}

static struct figures run(const struct world *w, const struct call *calls,
                          const struct policy_kind *kind, uint64_t seed)
{
    static struct policy p;
    double single[CLASSES] = {0}, best_schedule = 0, mine = 0, beside = 0, even = 0;
    int best;
    struct figures f;

    p = (struct policy){.world = w, .random = seed};
    p.learner = make_learner(w);
    for (int t = 0; t < w->calls; t++)
        for (int k = 0; k < w->of->classes; k++)
            single[k] += calls[t].truth[k];
    best = least(&p, single);
    for (int t = 0; t < w->calls; t++) {
        const struct call *call = &calls[t];
        const int k = kind->pick(&p, call);

        kind->see(&p, call, k, call->noisy[k]);
        mine += call->truth[k];
        beside += call->truth[best];
        best_schedule += call->truth[least(&p, call->truth)];
        if (mine > beside * (1 + 1e-12))
            even = t + 1;
    }
    f = (struct figures){even, (beside - mine) / (beside - best_schedule),
                         mine / single[0] - 1, most_changes(p.learner)};
    proxy_learner_free(p.learner);
    return f;
}

static double at(double *values, int count, double share)
{
    qsort(values, (size_t)count, sizeof *values, cca_order_double);
    return values[(int)(share * (count - 1) + .5)];
}

int main(int argc, char **argv)
{
    const int seeds = argc > 1 ? atoi(argv[1]) : 100,
              count = argc > 2 ? atoi(argv[2]) : 4000;
    struct call *calls = calloc(LONGEST, sizeof *calls);
    double *values[4];

    if (!calls || seeds < 1 || count < 1 || count > LONGEST)
        return 1;
    for (int i = 0; i < 4; i++)
        values[i] = calloc((size_t)seeds, sizeof **values);
    printf("%d calls, %d seeds, limit 1 %%: medians (90th centile)\n", count, seeds);
    for (int s = 0; s < SCENARIOS; s++) {
        const struct scenario *of = &scenarios[s];

        printf("\n%s\n", of->name);
        for (int k = 0; k < POLICIES; k++) {
            int within = 0, never = 0;

            for (int seed = 0; seed < seeds; seed++) {
                struct world w;
                struct figures f;

                make_world(&w, of, (uint64_t)(seed + 1), count);
                make_calls(&w, calls);
                f = run(&w, calls, &policies[k], (uint64_t)(seed + 1));
                values[0][seed] = f.even;
                values[1][seed] = f.recovered;
                values[2][seed] = f.lost;
                values[3][seed] = f.swaps;
                within += f.lost <= .01;
                never += f.even >= count;
            }
            printf("  %-22s", policies[k].name);
            if (of->nothing)
                printf("lost %6.2f %% (most %6.2f %%), at most 1 %% in %3d",
                       100 * at(values[2], seeds, .5), 100 * at(values[2], seeds, 1),
                       within);
            else
                printf("even after %5.0f (%5.0f), never %3d; recovered %5.1f %% (10th: "
                       "%6.1f)",
                       at(values[0], seeds, .5), at(values[0], seeds, .9), never,
                       100 * at(values[1], seeds, .5), 100 * at(values[1], seeds, .1));
            if (k == 0)
                printf("; changes of a rule %.0f (most %.0f)", at(values[3], seeds, .5),
                       at(values[3], seeds, 1));
            printf("\n");
        }
    }
    return 0;
}
