/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c: what each way to pack a block costs and saves, on a made trace.
 *
 *   pack [--steps N] [--noise PART]
 *
 * 30 x 20 x 20 cells with weights 1 to 9: a Gaussian spot that wanders, and a shell that
 * grows from it; --noise .02 makes each weight 2 % uncertain; --counts rounds them to
 * whole numbers. One table for values in space, one along time, one of AUTO in the bricks
 * of the writer. Times are CPU times of this process, of the middle bound. Fails where a
 * value is beyond its bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mesh/pack/fit.h"
#include "mesh/pack/pack.h"
#include "mesh/trace/cost.h"

enum { N0 = 30, N1 = 20, N2 = 20, CELLS = N0 * N1 * N2, BOUNDS = 3, MOST_STEPS = 400 };

static const double bounds[BOUNDS] = {.01, .05, .25};
static float trace[MOST_STEPS][CELLS];
static int steps = 100;

/* Of one method and bound, over the trace. */
struct result {
    double ratio, largest, sum_error, pack_ns, unpack_ns;
};

static double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double weight(double x, double y, double z, double time)
{
    double a = x - 15 - 8 * sin(3 * time), b = y - 10 - 5 * cos(5 * time), c = z - 10;
    double far = sqrt(a * a + b * b + c * c), wave = far - 25 * fmod(time, 1);

    return 1 + 4 * exp(-far * far / 16) + 4 * exp(-wave * wave / 8);
}

static void make_trace(double noise, int counts)
{
    srand(1);
    for (int s = 0; s < steps; s++)
        for (int c = 0; c < CELLS; c++) {
            double w = weight(c / (N1 * N2), c / N2 % N1, c % N2, s / 150.);

            w *= 1 + noise * (2.0 * rand() / RAND_MAX - 1);
            trace[s][c] = (float)(counts ? floor(w + .5) : w);
        }
}

static struct result measure(int method, double eps)
{
    static unsigned char out[16 + 4 * CELLS];
    static float decoded[2][CELLS], back[CELLS];
    const int64_t n[3] = {N0, N1, N2};
    struct mesh_pack_wish wish = {method, eps};
    struct result r = {0, 0, 0, 0, 0};
    double bytes = 0, sum = 0;

    for (int s = 0; s < steps; s++) {
        const float *before =
            s && (method & MESH_PACK_TIME) ? decoded[(s + 1) & 1] : NULL;
        struct mesh_pack_error error;
        double start = cpu_ns(), middle;
        int chained;
        int64_t size =
            mesh_pack(trace[s], n, before, &wish, out, decoded[s & 1], &chained, &error);

        middle = cpu_ns();
        if (size < 0 || mesh_unpack(out, (size_t)size, n, before, back, NULL) != 0)
            exit(1);
        r.unpack_ns += cpu_ns() - middle;
        r.pack_ns += middle - start;
        bytes += (double)size;
        r.largest = fmax(r.largest, error.largest);
        for (int c = 0; c < CELLS; c++)
            sum += (double)trace[s][c];
        r.sum_error = fmax(r.sum_error, fabs(error.sum));
    }
    r.sum_error /= sum / steps;
    r.ratio = 4. * CELLS * steps / bytes;
    r.pack_ns /= (double)CELLS * steps;
    r.unpack_ns /= (double)CELLS * steps;
    return r;
}

/* A row of a table; returns whether the bound holds where the method promises that. */
static int show(const char *words, int method)
{
    struct result all[BOUNDS];
    int held = 1;

    if (!mesh_pack_method_here(method)) {
        printf("| %s | not installed |\n", words);
        return 1;
    }
    printf("| %s |", words);
    for (int b = 0; b < BOUNDS; b++) {
        all[b] = measure(method, bounds[b]);
        printf(" %.2f", all[b].ratio);
        held &= all[b].largest <= bounds[b] || (method & 0x3f) == MESH_PACK_RMS;
    }
    printf(" | %.2f | %.0e | %.0f | %.0f |\n", all[2].largest, all[2].sum_error,
           all[1].pack_ns, all[1].unpack_ns);
    return held;
}

static int show_table(const char *title, int added)
{
    static const struct {
        const char *words;
        int method;
    } rows[] = {
        {"least squares, stop by RMS (the paper's)", MESH_PACK_RMS},
        {"least squares, stop by largest error", MESH_PACK_LEAST},
        {"the same, boustrophedon", MESH_PACK_LEAST | MESH_PACK_SNAKE},
        {"swing (connected)", MESH_PACK_SWING},
        {"slide (fewest free segments)", MESH_PACK_SLIDE},
        {"steps", MESH_PACK_STEPS},
        {"zfp", MESH_PACK_ZFP},
    };
    int held = 1;

    printf(
        "\n| %s | ratio at eps .01 .05 .25 | largest error at .25 | error of the sum | "
        "pack, ns a cell | unpack |\n|---|---|---|---|---|---|\n",
        title);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        held &= show(rows[i].words, rows[i].method | added);
    return held;
}

/* AUTO as the writer asks it, and what it chose. */
static int show_auto(void)
{
    struct mesh_box box = {.rank = 0, .hi = {N0, N1, N2}};
    double each[BOUNDS + 1] = {0, .01, .05, .25};
    int held = 1;

    printf("\n| auto, bricks of 16 x 16 x 16, eps | ratio | with heads | largest error | "
           "ns a "
           "cell | chosen |\n|---|---|---|---|---|---|\n");
    for (int b = 0; b < BOUNDS + 1; b++) {
        struct mesh_costing *c = mesh_costing_new(3, each[b], NULL);
        const struct mesh_cost *cost = c ? mesh_costing_result(c) : NULL;
        double start = cpu_ns();

        for (int s = 0; c && s < steps; s++) {
            box.step = s;
            if (mesh_costing_add(c, &box, trace[s], NULL, NULL))
                exit(1);
        }
        if (!c)
            exit(1);
        printf("| %g | %.2f | %.2f | %.3g | %.0f |", each[b],
               4. * (double)cost->cells / (double)cost->bytes,
               4. * (double)cost->cells / (double)cost->file_bytes, cost->largest,
               (cpu_ns() - start) / (double)cost->cells);
        for (int m = 0; m < MESH_PACK_METHODS; m++)
            if (cost->methods[m])
                printf(" %s %.0f %%", mesh_pack_method_name(m),
                       100. * (double)cost->methods[m] / (double)cost->blocks);
        printf(", along time %.0f %% |\n",
               100. * (double)cost->chained / (double)cost->blocks);
        held &= cost->largest <= each[b];
        mesh_costing_free(c);
    }
    return held;
}

/* How many segments the bounded rule takes of what is possible. */
static void show_segments(void)
{
    printf("\nsegments of least squares / the fewest:");
    for (int b = 0; b < BOUNDS; b++) {
        size_t own = 0, fewest = 0;

        for (int s = 0; s < steps; s++) {
            struct mesh_fit least = {0}, slide = {0};

            for (size_t at = 0; at < CELLS; own++)
                at += mesh_fit_least(trace[s] + at, CELLS - at, bounds[b], &least).cells;
            for (size_t at = 0; at < CELLS; fewest++)
                at += mesh_fit_slide(trace[s] + at, CELLS - at, bounds[b], &slide).cells;
        }
        printf(" %.3f at %g%s", (double)own / (double)fewest, bounds[b],
               b + 1 < BOUNDS ? "," : "\n");
    }
}

int main(int argc, char **argv)
{
    double noise = 0;
    int counts = 0, held;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--counts") == 0)
            counts = 1;
        else if (i + 1 < argc && strcmp(argv[i], "--steps") == 0)
            steps = atoi(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--noise") == 0)
            noise = atof(argv[++i]);
        else
            steps = 0;
    if (steps < 1 || steps > MOST_STEPS) {
        fprintf(stderr, "usage: pack [--steps 1..%d] [--noise PART] [--counts]\n",
                MOST_STEPS);
        return 2;
    }
    make_trace(noise, counts);
    held = show_table("in space", 0);
    held &= show_table("along time", MESH_PACK_TIME);
    held &= show_auto();
    show_segments();
    if (!held)
        fprintf(stderr, "pack: a value is beyond its bound\n");
    return !held;
}
