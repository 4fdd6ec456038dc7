/* SPDX-License-Identifier: BSD-3-Clause */
/* simulator.c: how long the loads of all partitions of a trace take, by tables of sums
 * and cell by cell; how long partitioners take. CPU times of this process. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "mesh/balance/judge.h"
#include "mesh/balance/schedule.h"

/* A spot that goes through the mesh: cheap to make, so that making it is little. */
struct spot {
    struct mesh_source source;
    double at[3][512];
};

static int spot_weights(void *context, int64_t t, float *weights, struct cca_error *err)
{
    struct spot *spot = context;
    const int64_t *n = spot->source.n;

    (void)err;
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i < n[d]; i++) {
            double x = ((double)i + .5) / (double)n[d] - .5;

            x -= .4 * sin((double)t * .01 * (d + 1));
            spot->at[d][i] = exp(-20 * x * x);
        }
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++) {
            double row = 8 * spot->at[0][i] * spot->at[1][j];

            for (int64_t k = 0; k < n[2]; k++)
                *weights++ = (float)(1 + row * spot->at[2][k]);
        }
    return 0;
}

static void spot_make(struct spot *spot, int64_t n0, int64_t n1, int64_t n2,
                      int64_t steps)
{
    memset(spot, 0, sizeof *spot);
    spot->source.dims = 3;
    memcpy(spot->source.n, (int64_t[]){n0, n1, n2}, sizeof spot->source.n);
    spot->source.steps = steps;
    spot->source.weights = spot_weights;
    spot->source.context = spot;
}

static double cpu(void)
{
    return bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void *must(void *memory)
{
    if (!memory)
        exit(1);
    return memory;
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

/* Loads of all parts, cell by cell; with `lanes` 4 into four arrays, so that neighbours
 * do not wait for each other. Returns the largest. */
static double sum_cells(const uint16_t *owner, const float *weights, int64_t cells,
                        double *load, int parts, int lanes)
{
    double largest = 0;

    memset(load, 0, (size_t)(4 * parts) * sizeof *load);
    if (lanes == 4) {
        for (int64_t c = 0; c < cells; c += 4)
            for (int l = 0; l < 4; l++)
                load[l * parts + owner[c + l]] += (double)weights[c + l];
    } else {
        for (int64_t c = 0; c < cells; c++)
            load[owner[c]] += (double)weights[c];
    }
    for (int p = 0; p < parts; p++) {
        double all =
            load[p] + load[parts + p] + load[2 * parts + p] + load[3 * parts + p];

        largest = all > largest ? all : largest;
    }
    return largest;
}

/* Seconds for one partition and step. */
static double time_direct(struct spot *spot, int parts, int lanes)
{
    int64_t cells = mesh_source_cells(&spot->source);
    float *weights = must(malloc((size_t)cells * sizeof *weights));
    uint16_t *owner = must(malloc((size_t)cells * sizeof *owner));
    double *load = must(malloc((size_t)(4 * parts) * sizeof *load)), best = INFINITY;
    struct mesh_partition partition;
    volatile double sink = 0;

    spot_weights(spot, 3, weights, NULL);
    if (mesh_rcb_planes.cut(NULL, &spot->source, weights, parts, NULL, &partition, NULL))
        exit(1);
    mesh_partition_owners(&spot->source, &partition, owner);
    for (int batch = 0; batch < 5; batch++) {
        double begin = cpu();

        for (int i = 0; i < 40; i++)
            sink = sink + sum_cells(owner, weights, cells, load, parts, lanes);
        best = least_of(best, (cpu() - begin) / 40);
    }
    mesh_partition_free(&partition);
    free(weights);
    free(owner);
    free(load);
    return best;
}

static double time_source(struct spot *spot)
{
    int64_t cells = mesh_source_cells(&spot->source);
    float *weights = must(malloc((size_t)cells * sizeof *weights));
    double begin = cpu();

    for (int64_t t = 0; t < spot->source.steps; t++)
        if (mesh_source_weights(&spot->source, t, weights, NULL))
            exit(1);
    free(weights);
    return cpu() - begin;
}

/* The bar: 96,000 cells, 1,000 steps, 64 parts. */
static int compare_loads(void)
{
    static struct spot spot;
    struct mesh_loads_wish wish = {.parts = 64};
    struct mesh_price price = {.repartition = 1000, .cell = .1};
    unsigned char schedule[1000];
    struct mesh_loads loads;
    double making, tables, oracle, plain, four, pairs = 1000 * 1001 / 2.;

    spot_make(&spot, 60, 40, 40, 1000);
    making = time_source(&spot);
    tables = cpu();
    if (mesh_loads_make(&loads, &spot.source, &mesh_rcb_planes, &wish, NULL))
        return 1;
    tables = cpu() - tables - making;
    oracle = cpu();
    if (mesh_oracle(&loads, &price, schedule))
        return 1;
    oracle = cpu() - oracle;
    mesh_loads_free(&loads);
    plain = pairs * time_direct(&spot, 64, 1);
    four = pairs * time_direct(&spot, 64, 4);
    printf("96,000 cells, 1,000 steps, 64 parts, rcb:planes: loads of %.0f pairs of "
           "steps, CPU s\n",
           pairs);
    printf("%-58s %8.2f\n", "tables of sums (partitions and cells moved, too)", tables);
    printf("%-58s %8.2f  %4.0f times\n", "load[owner[c]] += weight[c]", plain,
           plain / tables);
    printf("%-58s %8.2f  %4.0f times\n", "  the same into four arrays in turn", four,
           four / tables);
    printf("%-58s %8.3f\n\n", "the optimum of them", oracle);
    return plain / tables < 50;
}

static void time_partitioner(struct spot *spot, const char *name)
{
    int64_t cells = mesh_source_cells(&spot->source);
    float *weights = must(malloc((size_t)cells * sizeof *weights));
    struct mesh_partitioner partitioner;
    struct mesh_judge judge;

    spot_weights(spot, 3, weights, NULL);
    printf("%-12s", name);
    if (mesh_partitioner_open(&partitioner, name, &spot->source, NULL))
        exit(1);
    for (int parts = 4; parts <= 256; parts *= 4) {
        double best = INFINITY, mean = 0;
        struct mesh_partition partition;

        for (int i = 0; i < 20; i++) {
            double begin = cpu();

            if (partitioner.cut(partitioner.context, &spot->source, weights, parts, NULL,
                                &partition, NULL))
                exit(1);
            best = least_of(best, cpu() - begin);
            if (i < 19)
                mesh_partition_free(&partition);
        }
        if (mesh_judge_init(&judge, &spot->source, parts, 0))
            exit(1);
        mesh_judge_by(&judge, weights);
        for (int64_t c = 0; c < cells; c++)
            mean += (double)weights[c] / parts;
        printf("  %7.3f ms %6.2f %%", best * 1e3,
               100 * (mesh_judge_largest(&judge, &partition) / mean - 1));
        mesh_judge_done(&judge);
        mesh_partition_free(&partition);
    }
    printf("\n");
    mesh_partitioner_close(&partitioner);
    free(weights);
}

int main(void)
{
    static struct spot spot;
    int status;

    status = compare_loads();
    printf("12,000 cells: time and imbalance of a partition into 4, 16, 64, 256 parts\n");
    spot_make(&spot, 30, 20, 20, 1);
    for (int i = 0; mesh_partitioner_names[i]; i++)
        if (strcmp(mesh_partitioner_names[i], "keep") != 0)
            time_partitioner(&spot, mesh_partitioner_names[i]);
    return status;
}
