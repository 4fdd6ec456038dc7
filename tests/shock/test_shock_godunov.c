/* SPDX-License-Identifier: BSD-3-Clause */
/* GodunovScalar and GodunovVector against GodunovFlux, and what does not depend on the
 * place of a face. */
#include "tests/lib/test.h"

#include "tests/lib/shock_assembly.h"
#include "tests/lib/shock_parts.h"

static const char *const classes[] = {"GodunovScalar", "GodunovVector"};
static const char *const vectors[] = {"baseline", "avx2", "avx512", "auto"};

static double uniform(uint64_t *seed, double low, double high)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

/* Arrays of one call. */
struct faces {
    int nx, ny;
    double *left, *right, *flux;
};

static size_t faces_bytes(const struct faces *f)
{
    return EULER_NVAR * sizeof(double) * (size_t)(f->nx * f->ny);
}

static void faces_new(struct faces *f, int nx, int ny)
{
    f->nx = nx;
    f->ny = ny;
    f->left = malloc(faces_bytes(f));
    f->right = malloc(faces_bytes(f));
    f->flux = malloc(faces_bytes(f));
    assert_true(f->left && f->right && f->flux);
}

static void faces_free(struct faces *f)
{
    free(f->left);
    free(f->right);
    free(f->flux);
}

/* Gas on both sides of every face: a part `quiet` of the faces has the same on both. */
static void faces_fill(struct faces *f, double quiet, uint64_t *seed)
{
    int count = f->nx * f->ny;

    for (int at = 0; at < count; at++) {
        int same = uniform(seed, 0., 1.) < quiet;
        double velocity[2];

        for (int s = 0; s < 2; s++) {
            double *q = (s ? f->right : f->left) + at;
            double p = pow(10., uniform(seed, -1., 1.));

            q[EULER_RHO * count] = pow(10., uniform(seed, -1., 1.));
            q[EULER_P * count] = p;
            velocity[0] = uniform(seed, -1., 1.);
            velocity[1] = uniform(seed, -1., 1.);
            q[EULER_U * count] = velocity[0];
            q[EULER_V * count] = velocity[1];
            q[EULER_ZETA * count] = uniform(seed, 0., 1.);
        }
        for (int k = 0; k < EULER_NVAR && same; k++)
            f->right[k * count + at] = f->left[k * count + at];
    }
}

static int64_t faces_compute(struct parts *parts, struct faces *f, int axis)
{
    int64_t iterations = -1;

    assert_int_equal(parts->flux->compute(parts->flux, axis, f->nx, f->ny, -1, f->left,
                                          f->right, f->flux, &iterations, NULL),
                     0);
    return iterations;
}

/* The difference of `found` and `expected`, as a part of the largest flux of its kind. */
static double worst_difference(const struct faces *f, const double *found,
                               const double *expected)
{
    double worst = 0.;
    int count = f->nx * f->ny;

    for (int k = 0; k < EULER_NVAR; k++)
        for (int at = 0; at < count; at++) {
            double scale = 1. + fabs(expected[k * count + at]);
            double d = fabs(found[k * count + at] - expected[k * count + at]) / scale;

            worst = d <= worst ? worst : d; /* NaN comes through */
        }
    return worst;
}

TEST(fluxes_are_those_of_godunov_flux)
{
    struct parts reference, parts;
    struct faces f;
    uint64_t seed = 88172645463325252u;
    double *expected, worst;

    faces_new(&f, 97, 53);
    expected = malloc(faces_bytes(&f));
    assert_non_null(expected);
    parts_open(&reference, "GodunovFlux");
    for (int c = 0; c < 2; c++) {
        parts_open(&parts, classes[c]);
        for (int axis = 0; axis < 2; axis++) {
            faces_fill(&f, .3, &seed);
            faces_compute(&reference, &f, axis);
            memcpy(expected, f.flux, faces_bytes(&f));
            faces_compute(&parts, &f, axis);
            worst = worst_difference(&f, f.flux, expected);
            print_message("%s, axis %d: differs by %.1e\n", classes[c], axis, worst);
            assert_true(worst <= 5e-11);
        }
        parts_close(&parts);
    }
    parts_close(&reference);
    free(expected);
    faces_free(&f);
}

/* Faces whose pressure or normal velocity differ by more than rounding. */
static int64_t count_active(const struct faces *f, int axis)
{
    const int count = f->nx * f->ny;
    int64_t active = 0;

    for (int at = 0; at < count; at++) {
        const double *l = f->left + at, *r = f->right + at;
        const long double p = fminl(l[EULER_P * count], r[EULER_P * count]);
        const long double rho = fmaxl(l[EULER_RHO * count], r[EULER_RHO * count]);
        const long double du =
            (long double)r[(EULER_U + axis) * count] - l[(EULER_U + axis) * count];

        active +=
            fabsl((long double)r[EULER_P * count] - l[EULER_P * count]) > 1e-14L * p ||
            fabsl(du) > 1e-14L * sqrtl(p / rho);
    }
    return active;
}

TEST(active_faces_are_counted)
{
    static const char *const all[] = {"GodunovFlux", "GodunovScalar", "GodunovVector"};
    static const int sizes[][2] = {{97, 53}, {64, 1}, {1, 3}, {63, 2}};
    uint64_t seed = 88172645463325252u;
    struct parts parts;
    int64_t active, expected;
    struct faces f;

    for (int i = 0; i < 12; i++) {
        parts_open(&parts, all[i % 3]);
        faces_new(&f, sizes[i / 3][0], sizes[i / 3][1]);
        for (int axis = 0; axis < 2; axis++) {
            faces_fill(&f, .3, &seed);
            expected = count_active(&f, axis);
            active = -2;
            assert_int_equal(parts.flux->compute(parts.flux, axis, f.nx, f.ny, 7, f.left,
                                                 f.right, f.flux, NULL, &active),
                             0);
            assert_int_equal(active, expected);
            assert_true(i >= 3 || (expected > 1000 && expected < 97 * 53 - 1000));
        }
        faces_free(&f);
        parts_close(&parts);
    }
    parts_open(&parts, "EFMFlux");
    faces_new(&f, 5, 5);
    faces_fill(&f, .3, &seed);
    assert_int_equal(parts.flux->compute(parts.flux, 0, 5, 5, 7, f.left, f.right, f.flux,
                                         NULL, &active),
                     0);
    assert_int_equal(active, -1);
    faces_free(&f);
    parts_close(&parts);
}

/* Jumps about the threshold: skipped or not, the flux is the exact one. */
TEST(small_jumps_are_exact_on_both_sides_of_the_threshold)
{
    struct parts reference, parts;
    struct faces f;
    double expected[EULER_NVAR];

    parts_open(&reference, "GodunovFlux");
    parts_open(&parts, "GodunovScalar");
    faces_new(&f, 1, 1);
    for (int n = 0; n < 400; n++) {
        const double w[EULER_NVAR] = {1.3, n % 2 ? .4 : -2., .1, .8, .5};
        double jump = pow(10., -17. + n / 40.);

        memcpy(f.left, w, sizeof w);
        memcpy(f.right, w, sizeof w);
        f.right[EULER_RHO] = 2.;
        f.right[n / 2 % 2 ? EULER_U : EULER_P] *= 1. + jump;
        faces_compute(&reference, &f, 0);
        memcpy(expected, f.flux, sizeof expected);
        assert_true(faces_compute(&parts, &f, 0) == 0 || jump > 1e-15);
        assert_true(worst_difference(&f, f.flux, expected) < 2e-14);
    }
    faces_free(&f);
    parts_close(&parts);
    parts_close(&reference);
}

TEST(iterations_are_those_computed)
{
    struct parts parts;
    struct faces f;
    uint64_t seed = 2463534242u;
    int64_t quiet, active;

    faces_new(&f, 32, 20); /* ten blocks of 64 */
    for (int c = 0; c < 2; c++) {
        parts_open(&parts, classes[c]);
        faces_fill(&f, 1., &seed);
        quiet = faces_compute(&parts, &f, 0);
        assert_int_equal(quiet, c ? 640 : 0);
        /* One face that is not quiet: scalar iterates there, vector on its block. */
        f.left[EULER_P * 640 + 100] *= 10.;
        active = faces_compute(&parts, &f, 0);
        if (c)
            assert_true(active > quiet && (active - quiet) % 64 == 0);
        else
            assert_true(active > 1 && active < 10);
        parts_close(&parts);
    }
    faces_free(&f);
}

/* Each face alone, in rows of any length, and with vectors of any width: the same bits.
 */
TEST(flux_depends_on_the_states_alone)
{
    enum { N = 331 };
    struct parts parts;
    struct faces all, part;
    uint64_t seed = 362436069u;

    faces_new(&all, N, 1);
    for (int c = 0; c < 2; c++) {
        parts_open(&parts, classes[c]);
        faces_fill(&all, .2, &seed);
        for (int width = 0; width < (c ? 4 : 1); width++) {
            if (c)
                parts_set(&parts, "flux", "vectors", vectors[width]);
            if (width == 0)
                faces_compute(&parts, &all, 0);
            for (int length = 1; length < 150; length += length < 10 ? 1 : 23)
                for (int from = 0; from + length <= N; from += length) {
                    faces_new(&part, length, 1);
                    for (int k = 0; k < EULER_NVAR; k++)
                        for (int i = 0; i < length; i++) {
                            part.left[k * length + i] = all.left[k * N + from + i];
                            part.right[k * length + i] = all.right[k * N + from + i];
                        }
                    faces_compute(&parts, &part, 0);
                    for (int k = 0; k < EULER_NVAR; k++)
                        assert_memory_equal(part.flux + k * length,
                                            all.flux + k * N + from,
                                            (size_t)length * sizeof(double));
                    faces_free(&part);
                }
        }
        parts_close(&parts);
    }
    faces_free(&all);
}

static double *run_field(const char *flux, int turned, int patches)
{
    struct assembly a;
    double *field;

    assembly_open(&a, flux, "GasProperties");
    assembly_domain(&a, "shock_interface", turned ? 18 : 60, turned ? 60 : 18, .4);
    if (turned) {
        assembly_set(&a, "initial", "axis", "y");
        assembly_borders(&a, "wall", "outflow");
    }
    assembly_set_number(&a, "mesh", "patches_x", patches);
    assembly_set_number(&a, "mesh", "patches_y", patches);
    assembly_go(&a);
    field = assembly_field(&a);
    assembly_close(&a);
    return field;
}

TEST(runs_cut_into_patches_or_transposed_give_the_same_bits)
{
    enum { nx = 60, ny = 18, cells = nx * ny };
    static const int swapped[] = {EULER_RHO, EULER_V, EULER_U, EULER_P, EULER_ZETA};

    for (int c = 0; c < 2; c++) {
        double *whole = run_field(classes[c], 0, 1), *cut = run_field(classes[c], 0, 3);
        double *turned = run_field(classes[c], 1, 1);

        assert_memory_equal(whole, cut, EULER_NVAR * cells * sizeof *whole);
        for (int n = 0; n < EULER_NVAR; n++)
            for (int j = 0; j < ny; j++)
                for (int i = 0; i < nx; i++)
                    assert_memory_equal(&whole[n * cells + j * nx + i],
                                        &turned[swapped[n] * cells + i * ny + j],
                                        sizeof(double));
        free(whole);
        free(cut);
        free(turned);
    }
}

TESTS(NULL, NULL)
