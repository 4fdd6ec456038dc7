/* SPDX-License-Identifier: BSD-3-Clause */
/* policies.c: how far policies are above the optimum, on made traces of four families and
 * on waves of the paper's case; how many of the cases of `expect` hold.
 *
 *     policies [--seeds N] [--lag] [--every N] [NAME=EXPERIMENT[:PROBE]]...
 *
 * The constants of expect are chosen for each family on all others. An experiment's
 * profile is a family of its own. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "mesh/balance/simulate.h"
#include "mesh/convert/columns.h"
#include "tests/balance/wave.h"

enum { CASES = 512, FAMILIES = 16, PRICES = 3, CHOICES = 27 };

static const double prices[PRICES] = {.1, 1, 5};
static const char *const partitioners[2] = {"rcb", "rcb:planes"};
static const double bars[2] = {.05, .08};

/* A trace with a partitioner and a number of parts. */
struct one_case {
    int family, planes;
    struct mesh_loads loads;
    struct mesh_price price[PRICES];
    double optimum[PRICES];
    float above[CHOICES][PRICES]; /* of expect with each choice */
};

static struct one_case cases[CASES];
static int case_count, family_count, lag, every; /* every: see struct mesh_policy */
static char families[FAMILIES][32];

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "policies: %s\n", what);
    exit(1);
}

static int family_of(const char *name)
{
    for (int f = 0; f < family_count; f++)
        if (strcmp(families[f], name) == 0)
            return f;
    if (family_count == FAMILIES)
        stop("too many families");
    snprintf(families[family_count], sizeof families[0], "%.31s", name);
    return family_count++;
}

static double cost_of(const struct one_case *c, int price,
                      const struct mesh_policy *policy)
{
    int64_t steps = c->loads.steps;
    unsigned char *schedule = calloc((size_t)steps, 1);
    struct mesh_outcome outcome;

    if (!schedule ||
        (policy ? mesh_policy_schedule(policy, &c->loads, &c->price[price], schedule)
                : mesh_oracle(&c->loads, &c->price[price], schedule)))
        stop("out of memory");
    mesh_schedule_judge(&c->loads, &c->price[price], schedule, &outcome);
    free(schedule);
    return outcome.cost;
}

static void add_case(const char *family, const struct mesh_source *source, int planes,
                     int parts)
{
    struct mesh_loads_wish wish = {.parts = parts, .lag = lag};
    struct mesh_partitioner partitioner;
    struct one_case *c = &cases[case_count++];
    struct cca_error err = {0};

    if (case_count == CASES)
        stop("too many cases");
    c->family = family_of(family);
    c->planes = planes;
    if (mesh_partitioner_open(&partitioner, partitioners[planes], source, &err) ||
        mesh_loads_make(&c->loads, source, &partitioner, &wish, &err))
        stop(err.text);
    mesh_partitioner_close(&partitioner);
    for (int p = 0; p < PRICES; p++) {
        struct mesh_price_word word = {prices[p], 1};

        mesh_price_make(&c->price[p], &c->loads, &word, &word);
        c->optimum[p] = cost_of(c, p, NULL);
    }
}

static void add_trace(const char *family, const struct mesh_source *source)
{
    for (int planes = 0; planes < 2; planes++)
        for (int parts = 8; parts <= 16; parts *= 2)
            add_case(family, source, planes, parts);
}

static void add_made(int seeds)
{
    static const int64_t n[3] = {30, 20, 20};
    static const char *const sources[] = {"6,5,5", "15,10,10", "2,10,17", "25,3,10"};
    struct trace trace;

    for (int f = 0; f < TRACE_FAMILIES; f++)
        for (int seed = 1; seed <= seeds; seed++) {
            trace_make(&trace, (enum trace_family)f, n, 300, (uint64_t)seed);
            add_trace(trace_names[f], &trace.source);
            trace_free(&trace);
        }
    for (int s = 0; s < 4 && s < seeds; s++) {
        if (wave_make(&trace, sources[s], 300))
            stop("no wave");
        add_trace("mrtd", &trace.source);
        trace_free(&trace);
    }
}

/* --- Profiles of experiments. --- */

struct profile_source {
    struct mesh_source source;
    struct mesh_profile *profile;
    int probe;
};

static int profile_weights(void *context, int64_t t, float *weights,
                           struct cca_error *err)
{
    struct profile_source *p = context;
    int64_t lost =
        mesh_columns_values(p->profile, (size_t)t, p->probe, weights, NULL, err);

    return lost > 0 ? cca_error_set(err, -EDOM, "cells are missing") : (int)lost;
}

/* NAME=EXPERIMENT[:PROBE] */
static void add_experiment(char *word)
{
    char *path = strchr(word, '='), *probe;
    struct profile_source p = {0};
    const struct mm_mesh_about *about;
    struct cca_error err = {0};

    if (!path)
        stop("expected NAME=EXPERIMENT[:PROBE]");
    *path++ = 0;
    probe = strrchr(path, ':');
    if (probe)
        *probe++ = 0;
    p.profile = mesh_profile_open(path, NULL, &err);
    if (!p.profile)
        stop(err.text);
    p.probe = probe ? mesh_profile_find_probe(p.profile, probe) : 0;
    if (p.probe < 0)
        stop("no such probe");
    about = mesh_profile_about(p.profile);
    p.source.dims = about->dims;
    for (int d = 0; d < 3; d++)
        p.source.n[d] = d < about->dims ? about->n[d] : 1;
    p.source.centres = mesh_profile_centres(p.profile);
    p.source.steps = (int64_t)mesh_profile_steps(p.profile);
    p.source.weights = profile_weights;
    p.source.context = &p;
    add_trace(word, &p.source);
    mesh_profile_close(p.profile);
}

/* --- Which constants expect has: the best on all other families. --- */

static struct mesh_expect_constants choice(int i)
{
    static const double shares[3] = {.9, 1, 1.1}, patiences[3] = {2, 4, 6};
    static const double memories[3] = {35, 50, 75};

    return (struct mesh_expect_constants){shares[i / 9], patiences[i / 3 % 3],
                                          memories[i % 3]};
}

static void try_choices(void)
{
    struct mesh_policy policy;

    mesh_policy_read(&policy, "expect", NULL);
    policy.every = every;
    for (int i = 0; i < CHOICES; i++) {
        policy.expect = choice(i);
        for (int c = 0; c < case_count; c++)
            for (int p = 0; p < PRICES; p++)
                cases[c].above[i][p] =
                    (float)(cost_of(&cases[c], p, &policy) / cases[c].optimum[p] - 1);
    }
}

/* Mean over families of the mean square over their cases, in bars. */
static double badness(int i, int without)
{
    double sum[FAMILIES] = {0}, all = 0;
    int count[FAMILIES] = {0};

    for (int c = 0; c < case_count; c++)
        for (int p = 0; p < PRICES; p++) {
            double above = (double)cases[c].above[i][p] / bars[cases[c].planes];

            sum[cases[c].family] += above * above;
            count[cases[c].family]++;
        }
    for (int f = 0; f < family_count; f++)
        if (f != without)
            all += sum[f] / count[f];
    return all;
}

static int choose_without(int family)
{
    int best = 0;

    for (int i = 1; i < CHOICES; i++)
        if (badness(i, family) < badness(best, family))
            best = i;
    return best;
}

/* --- Tables. --- */

struct seen {
    double values[CASES];
    int count;
};

static void print_seen(struct seen *seen)
{
    qsort(seen->values, (size_t)seen->count, sizeof *seen->values, bench_compare);
    if (seen->count)
        printf(" %5.1f/%5.1f", 100 * seen->values[seen->count / 2],
               100 * seen->values[seen->count - 1]);
}

static double best_fixed(const struct one_case *c, int price)
{
    double best = INFINITY;
    struct mesh_policy policy;

    for (int n = 1; n <= 100; n++) {
        char text[32];

        snprintf(text, sizeof text, "fixed:%d", n);
        mesh_policy_read(&policy, text, NULL);
        best = fmin(best, cost_of(c, price, &policy));
    }
    return best / c->optimum[price] - 1;
}

static double above(const struct one_case *c, int price, const char *text,
                    const int *chosen)
{
    struct mesh_policy policy;

    if (strcmp(text, "expect") == 0)
        return (double)c->above[chosen[c->family]][price];
    if (strcmp(text, "best fixed") == 0)
        return best_fixed(c, price);
    if (mesh_policy_read(&policy, text, NULL))
        stop(text);
    policy.every = every;
    return cost_of(c, price, &policy) / c->optimum[price] - 1;
}

static void print_table(int planes, int price, const int *chosen)
{
    static const char *const policies[] = {
        "never",          "each",          "fixed:20", "fixed:50", "best fixed",
        "paper:.15:5:20", "threshold:.15", "loss",     "look:10",  "expect"};

    printf("\n%s, a repartition %gx, moving all cells %gx: %% above the optimum, "
           "median/worst\n%-15s",
           partitioners[planes], prices[price], prices[price], "");
    for (int f = 0; f < family_count; f++)
        printf(" %11s", families[f]);
    printf("  cases within %g %%\n", 100 * bars[planes]);
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        static struct seen seen[FAMILIES];
        int within = 0, all = 0;

        memset(seen, 0, sizeof seen);
        for (int c = 0; c < case_count; c++) {
            struct seen *s = &seen[cases[c].family];

            if (cases[c].planes != planes)
                continue;
            s->values[s->count] = above(&cases[c], price, policies[i], chosen);
            within += s->values[s->count++] <= bars[planes];
            all++;
        }
        printf("%-15s", policies[i]);
        for (int f = 0; f < family_count; f++)
            print_seen(&seen[f]);
        printf("  %d of %d\n", within, all);
    }
}

int main(int argc, char **argv)
{
    int seeds = 2, chosen[FAMILIES];

    for (int i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--lag") == 0)
            lag = 1;
        else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            every = atoi(argv[++i]);
        else if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc)
            seeds = atoi(argv[++i]);
        else
            stop("usage: policies [--seeds N] [--lag] [--every N] "
                 "[NAME=EXPERIMENT[:PROBE]]...");
    }
    add_made(seeds < 1 ? 1 : seeds > 20 ? 20 : seeds);
    for (int i = 1; i < argc; i++)
        if (strchr(argv[i], '='))
            add_experiment(argv[i]);
    try_choices();
    printf("constants of expect, chosen on all other families:\n");
    for (int f = 0; f < family_count; f++) {
        struct mesh_expect_constants with = choice(chosen[f] = choose_without(f));

        printf("  %-10s share %g, patience %g, memory %g\n", families[f], with.share,
               with.patience, with.memory);
    }
    for (int planes = 0; planes < 2; planes++)
        for (int price = 0; price < PRICES; price++)
            print_table(planes, price, chosen);
    return 0;
}
