/* SPDX-License-Identifier: BSD-3-Clause */
/* speed.c: CPU time of fitting models, intervals included.
 *
 *     speed [--models N]
 *
 * Exit 0; 1: a bar is missed; 2: misuse; 5: a fit failed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/models/cpu_time.h"
#include "bench/models/random.h"
#include "mastermind/cost/estimate.h"

enum { ROUNDS = 5 };

static struct mm_value_info values[2] = {
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "m", .type = MONITOR_INT64, .kind = MONITOR_PARAM}};
static char name[] = "a.p.m";
static struct mm_method_info method = {.instance = "a",
                                       .port = "p",
                                       .method = "m",
                                       .class_name = "A",
                                       .build_id = "b",
                                       .port_type = "t/1",
                                       .name = name,
                                       .values = values};

/* Add `calls` calls at (n, m), 3 % of noise about a law that `kind` chooses. */
static void calls_add(struct mm_points *points, int kind, double n, double m, int calls)
{
    static const double powers[] = {0, .5, 1, 1, 1.25, 1.5, 2};
    double cost = 3000 + 20 * pow(n, powers[kind % 7]) * (kind % 3 ? 1 : log2(n)) +
                  (method.in_count > 1 ? .3 * n * m + 9 * m : 0);
    union monitor_value in[2] = {{.i = (int64_t)n}, {.i = (int64_t)m}};

    for (int i = 0; i < calls; i++)
        if (mm_points_add(points, in, 1, cost * (1 + .03 * random_normal())))
            exit(5);
}

/* Fit a model of the points and estimate a call; CPU seconds. */
static double fit_once(const struct mm_points *points)
{
    union monitor_value in[2] = {{.i = 3000}, {.i = 300}};
    struct mm_estimate estimate;
    struct mm_model model;
    struct cca_error err = {0};
    double start = cpu_seconds();

    if (mm_model_fit(&model, points, in, NULL, &err)) {
        fprintf(stderr, "speed: %s\n", err.text);
        exit(5);
    }
    mm_model_estimate(&model, in, &estimate);
    mm_model_done(&model);
    if (!(estimate.typ > 0))
        exit(5);
    return cpu_seconds() - start;
}

/* CPU seconds of `models` models of 10 sizes with 5 calls, of the best round. */
static double fit_lines(int models)
{
    double best = INFINITY;

    method.value_count = method.in_count = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;

        for (int k = 0; k < models; k++) {
            struct mm_points points;

            mm_points_init(&points, &method);
            for (int i = 0; i < 10; i++)
                calls_add(&points, k, 64 << i, 0, 5);
            sum += fit_once(&points);
            mm_points_done(&points);
        }
        best = fmin(best, sum);
    }
    return best;
}

/* CPU seconds of a model of two parameters at 100 points, of the best round. */
static double fit_plane(void)
{
    double best = INFINITY;

    method.value_count = method.in_count = 2;
    for (int round = 0; round < ROUNDS * 4; round++) {
        struct mm_points points;

        mm_points_init(&points, &method);
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < 10; k++)
                calls_add(&points, 2, 8 << i, round % 2 ? 4 << k : 30 * (k + 1), 5);
        best = fmin(best, fit_once(&points));
        mm_points_done(&points);
    }
    return best;
}

int main(int argc, char **argv)
{
    const double most_line = .15, most_plane = .005;
    int models = argc == 3 && !strcmp(argv[1], "--models") ? atoi(argv[2]) : 1000;
    double line, plane;

    if (models < 1 || (argc != 1 && argc != 3)) {
        fprintf(stderr, "speed: expected --models N\n");
        return 2;
    }
    line = fit_lines(models) * 1000 / models;
    plane = fit_plane();
    printf("1,000 models of 10 sizes, 5 calls each   %6.3f s   at most %.2f s\n", line,
           most_line);
    printf("a model of two parameters, 100 points    %6.2f ms  at most %.0f ms\n",
           1e3 * plane, 1e3 * most_plane);
    return line > most_line || plane > most_plane;
}
