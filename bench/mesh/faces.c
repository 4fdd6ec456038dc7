/* SPDX-License-Identifier: BSD-3-Clause */
/* faces.c: what the optional probe of the flux classes costs a face: the walk compiled
 * without it, with it but unconnected, and with the work of each face kept.
 *
 * Exit 1: unconnected, a face costs more than 5 % more in the median of batches that
 * alternate in one process. The copies of the walk differ by 2 % in either direction
 * already because they lie elsewhere in memory. */
#include "bench/bench.h"

/* gamma is here without an assembly. */
#define COMPONENTS_GAS_H
struct cca_services;
static int gas_gamma(struct cca_services *services, double *gamma)
{
    (void)services;
    *gamma = 1.4;
    return 0;
}

#include "components/riemann.h"

enum { NX = 129, NY = 32, FACES = NX * NY, WALKS = 40, KINDS = 3 };

/* As GodunovScalar's of a quiet face. */
static int quiet_face(double gamma, const struct face_state *left,
                      const struct face_state *right, struct face_flux *flux)
{
    double u = .5 * (left->un + right->un);
    struct face_state at = u >= 0. ? *left : *right;

    at.un = u;
    at.p = .5 * left->p + .5 * right->p;
    face_physical_flux(gamma, &at, flux);
    return 0;
}

/* As GodunovFlux's. */
static int exact_face(double gamma, const struct face_state *left,
                      const struct face_state *right, struct face_flux *flux)
{
    struct face_state at;
    int iterations = riemann_at_face(gamma, left, right, &at);

    if (iterations >= 0)
        face_physical_flux(gamma, &at, flux);
    return iterations;
}

static double left[EULER_NVAR * FACES], right[EULER_NVAR * FACES],
    flux[EULER_NVAR * FACES];
static int32_t kept[FACES];
/* What the compiler cannot know. */
static int32_t *volatile unconnected, *volatile connected = kept;

/* Each function is one copy of the walk, as in a class. */
#define WALK(name, face, work)                                                           \
    __attribute__((noinline)) static int64_t name(void)                                  \
    {                                                                                    \
        int64_t spent = 0;                                                               \
                                                                                         \
        if (faces_walk(face, NULL, 0, NX, NY, left, right, flux, &spent, work))          \
            abort();                                                                     \
        return spent;                                                                    \
    }

WALK(quiet_without, quiet_face, NULL)
WALK(quiet_unconnected, quiet_face, unconnected)
WALK(quiet_kept, quiet_face, connected)
WALK(exact_without, exact_face, NULL)
WALK(exact_unconnected, exact_face, unconnected)
WALK(exact_kept, exact_face, connected)

static int64_t (*const walks[2][KINDS])(void) = {
    {quiet_without, quiet_unconnected, quiet_kept},
    {exact_without, exact_unconnected, exact_kept}};

/* A shock in the middle, small differences at all other faces. */
static void states_fill(void)
{
    for (int at = 0; at < FACES; at++)
        for (int side = 0; side < 2; side++) {
            double *q = side ? right : left;
            int behind = at % NX + side > NX / 2;

            q[EULER_RHO * FACES + at] = (behind ? 1. : 1.86) + 1e-4 * ((at + side) % 7);
            q[EULER_U * FACES + at] = behind ? 0. : .7;
            q[EULER_V * FACES + at] = .1;
            q[EULER_P * FACES + at] = (behind ? 1. : 2.46) + 1e-4 * ((at + side) % 5);
            q[EULER_ZETA * FACES + at] = 0.;
        }
}

static double face_ns(int64_t (*walk)(void))
{
    double begun = bench_seconds(CLOCK_THREAD_CPUTIME_ID);

    for (int k = 0; k < WALKS; k++)
        walk();
    return 1e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begun) /
           ((double)WALKS * FACES);
}

/* Times of a face, ns, and ratios to the walk without a probe, batch by batch. */
static void batches_measure(int face, double ns[KINDS][BATCHES],
                            double ratio[KINDS][BATCHES])
{
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int k = 0; k < KINDS; k++) {
            int kind = batch % 2 ? KINDS - 1 - k : k; /* neither is always first */

            ns[kind][batch] = face_ns(walks[face][kind]);
        }
        for (int kind = 0; kind < KINDS; kind++)
            ratio[kind][batch] = ns[kind][batch] / ns[0][batch];
    }
}

int main(void)
{
    static const char *const faces[] = {"quiet", "exact"};
    int bad = 0;

    states_fill();
    if (exact_kept() != exact_without() || exact_without() == 0)
        return 5;
    puts("face   without ns  unconnected  kept   (CPU time, ratios: median of 21 "
         "batches)");
    for (int face = 0; face < 2; face++) {
        double ns[KINDS][BATCHES], ratio[KINDS][BATCHES];

        batches_measure(face, ns, ratio);
        printf("%-6s %10.1f  %11.3f  %5.3f   unconnected, middle half: %.3f to %.3f\n",
               faces[face], bench_quantile(ns[0], .5), bench_quantile(ratio[1], .5),
               bench_quantile(ratio[2], .5), bench_quantile(ratio[1], .25),
               bench_quantile(ratio[1], .75));
        bad |= bench_quantile(ratio[1], .5) > 1.05;
    }
    return bad;
}
