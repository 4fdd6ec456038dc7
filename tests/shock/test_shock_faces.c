/* SPDX-License-Identifier: BSD-3-Clause */
/* The flux classes face by face, against the exact Riemann solution, quadrature and
 * symmetry. */
#include "tests/lib/test.h"

#include <math.h>

#include "components/riemann_exact.h"
#include "tests/lib/shock_parts.h"

#define GAMMA 1.4
#define STATES 4000

enum { RHO, U, V, P, ZETA, NVAR };

/* The first three solve the Riemann problem exactly. */
static const char *const classes[] = {"GodunovFlux", "GodunovScalar", "GodunovVector",
                                      "EFMFlux", "HLLCFlux"};
#define CLASSES 5
#define GODUNOV 3

/* The same sequence everywhere. */
static double uniform(uint64_t *seed, double low, double high)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

/* A gas of any density and pressure between 10^-decades and 10^decades, up to `mach`. */
static void random_state(uint64_t *seed, double decades, double mach, double *w)
{
    double a;

    w[RHO] = pow(10., uniform(seed, -decades, decades));
    w[P] = pow(10., uniform(seed, -decades, decades));
    a = sqrt(GAMMA * w[P] / w[RHO]);
    w[U] = a * uniform(seed, -mach, mach);
    w[V] = a * uniform(seed, -mach, mach);
    w[ZETA] = uniform(seed, 0., 1.);
}

static void physical(const double *w, double *f)
{
    double mass = w[RHO] * w[U];

    f[RHO] = mass;
    f[U] = mass * w[U] + w[P];
    f[V] = mass * w[V];
    f[P] =
        w[U] * (GAMMA / (GAMMA - 1.) * w[P] + .5 * w[RHO] * (w[U] * w[U] + w[V] * w[V]));
    f[ZETA] = mass * w[ZETA];
}

/* The size that each component of the flux could have: what errors are measured against.
 */
static void scales(const double *l, const double *r, double *scale)
{
    const double *side[2] = {l, r};

    memset(scale, 0, NVAR * sizeof *scale);
    for (int k = 0; k < 2; k++) {
        const double *w = side[k];
        double speed = fabs(w[U]) + fabs(w[V]) + sqrt(GAMMA * w[P] / w[RHO]);
        double mass = w[RHO] * speed;

        scale[RHO] = fmax(scale[RHO], mass);
        scale[U] = fmax(scale[U], mass * speed);
        scale[V] = scale[U];
        scale[P] = fmax(scale[P], mass * speed * speed);
        scale[ZETA] = scale[RHO];
    }
}

static double worst(const double *found, const double *expected, const double *scale)
{
    double most = 0.;

    for (int k = 0; k < NVAR; k++) {
        double error = fabs(found[k] - expected[k]) / scale[k];

        most = error <= most ? most : error; /* NaN comes through */
    }
    return most;
}

static int one_face(struct parts *parts, const double *l, const double *r, double *f)
{
    int64_t iterations = -1;

    return parts->flux->compute(parts->flux, 0, 1, 1, -1, l, r, f, &iterations, NULL);
}

/* --- Truths --------------------------------------------------------------- */

static void exact_solution_compare(const char *class_name)
{
    struct parts parts;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    int vacuums = 0, solved = 0;
    double most = 0.;

    parts_open(&parts, class_name);
    for (int n = 0; n < STATES; n++) {
        double l[NVAR], r[NVAR], f[NVAR], expected[NVAR], scale[NVAR], at[NVAR];
        struct exact_problem exact = {.gamma = GAMMA};
        struct exact_state s;

        random_state(&seed, n % 2 ? 1. : 4., n % 3 ? 2. : 6., l);
        random_state(&seed, n % 2 ? 1. : 4., n % 3 ? 2. : 6., r);
        exact.left = (struct exact_state){l[RHO], l[U], l[P]};
        exact.right = (struct exact_state){r[RHO], r[U], r[P]};
        if (exact_solve(&exact)) {
            assert_int_equal(one_face(&parts, l, r, f), -EDOM);
            vacuums++;
            continue;
        }
        assert_int_equal(one_face(&parts, l, r, f), 0);
        s = exact_sample(&exact, 0.);
        at[RHO] = s.rho;
        at[U] = s.u;
        at[P] = s.p;
        at[V] = exact.u >= 0. ? l[V] : r[V];
        at[ZETA] = exact.u >= 0. ? l[ZETA] : r[ZETA];
        physical(at, expected);
        scales(l, r, scale);
        most = fmax(most, worst(f, expected, scale));
        assert_false(isnan(worst(f, expected, scale)));
        solved++;
    }
    print_message("%s: %d solved, %d vacuums, largest error %.1e\n", class_name, solved,
                  vacuums, most);
    assert_true(most < 1e-10);
    assert_true(solved > STATES / 2 && vacuums > STATES / 100);
    parts_close(&parts);
}

TEST(godunov_is_the_exact_solution)
{
    for (int c = 0; c < GODUNOV; c++)
        exact_solution_compare(classes[c]);
}

/* Two rarefactions that leave 1e-3 to 1e-12 of the speed at which they would part. */
static void near_vacuum_check(const char *class_name)
{
    struct parts parts;

    parts_open(&parts, class_name);
    for (int decade = 3; decade <= 12; decade++) {
        double speed = sqrt(GAMMA) * 2. / (GAMMA - 1.) * (1. - pow(10., -decade));
        double l[NVAR] = {1., -speed, 0., 1., 1.}, r[NVAR] = {1., speed, 0., 1., 0.},
               f[NVAR];
        double ratio = pow(10., -decade);

        /* The middle is at rest; its sound speed is `ratio` of the undisturbed one. */
        assert_int_equal(one_face(&parts, l, r, f), 0);
        assert_true(fabs(f[RHO]) < 1e-14);
        assert_true(fabs(f[U] / pow(ratio, 2. * GAMMA / (GAMMA - 1.)) - 1.) <
                    1e-14 * pow(10., decade));
    }
    parts_close(&parts);
}

TEST(godunov_stands_next_to_a_vacuum)
{
    for (int c = 0; c < GODUNOV; c++)
        near_vacuum_check(classes[c]);
}

/* Moments of the Maxwellian of `w` over the molecules that move to the right, by
 * quadrature over both components of their velocity; other degrees of freedom hold what
 * is left of the energy. */
static void half_moments(const double *w, double sign, double *f)
{
    enum { NORMAL = 2000, TANGENTIAL = 160 };
    double t = w[P] / w[RHO], sigma = sqrt(t), u = sign * w[U];
    double from = fmax(0., u - 10. * sigma), to = fmax(from, u + 10. * sigma);
    double h = (to - from) / NORMAL, ht = 20. * sigma / TANGENTIAL;
    double rest = t * (1. / (GAMMA - 1.) - 1.);

    for (int i = 0; i <= NORMAL; i++) {
        double c = from + i * h;
        double simpson = h / 3. * (i == 0 || i == NORMAL ? 1. : i % 2 ? 4. : 2.);

        for (int j = 0; j <= TANGENTIAL; j++) {
            double ct = w[V] - 10. * sigma + j * ht;
            double weight =
                simpson * ht * w[RHO] * c / (2. * M_PI * t) *
                exp(-((c - u) * (c - u) + (ct - w[V]) * (ct - w[V])) / (2. * t));

            f[RHO] += sign * weight;
            f[U] += weight * c;
            f[V] += sign * weight * ct;
            f[P] += sign * weight * (.5 * (c * c + ct * ct) + rest);
            f[ZETA] += sign * weight * w[ZETA];
        }
    }
}

TEST(efm_is_what_free_molecules_carry)
{
    struct parts parts;
    uint64_t seed = 88172645463325252u;

    parts_open(&parts, "EFMFlux");
    for (int n = 0; n < 12; n++) {
        double l[NVAR], r[NVAR], f[NVAR], expected[NVAR] = {0.}, scale[NVAR];

        random_state(&seed, 1., 3., l);
        random_state(&seed, 1., 3., r);
        half_moments(l, 1., expected);
        half_moments(r, -1., expected);
        assert_int_equal(one_face(&parts, l, r, f), 0);
        scales(l, r, scale);
        assert_true(worst(f, expected, scale) < 1e-9);
    }
    parts_close(&parts);
}

/* Two states on both sides of a shock that moves into `ahead` at Mach number `mach`. */
static double behind_shock(const double *ahead, double mach, double *behind)
{
    double a = sqrt(GAMMA * ahead[P] / ahead[RHO]), m2 = mach * mach;

    memcpy(behind, ahead, NVAR * sizeof *behind);
    behind[RHO] = ahead[RHO] * (GAMMA + 1.) * m2 / ((GAMMA - 1.) * m2 + 2.);
    behind[P] = ahead[P] * (2. * GAMMA * m2 - (GAMMA - 1.)) / (GAMMA + 1.);
    behind[U] = ahead[U] + a * mach * (1. - ahead[RHO] / behind[RHO]);
    return ahead[U] + a * mach;
}

TEST(single_waves_are_exact_in_godunov_and_hllc)
{
    static const char *const exact[] = {"GodunovFlux", "GodunovScalar", "GodunovVector",
                                        "HLLCFlux"};

    for (int c = 0; c < 4; c++) {
        struct parts parts;
        uint64_t seed = 1234567u;

        parts_open(&parts, exact[c]);
        for (int n = 0; n < 500; n++) {
            double l[NVAR], r[NVAR], f[NVAR], expected[NVAR], scale[NVAR], speed;

            random_state(&seed, 2., 4.,
                         r); /* a shock to the right; tangential speed across */
            speed = behind_shock(r, uniform(&seed, 1.01, 8.), l);
            physical(speed > 0. ? l : r, expected);
            assert_int_equal(one_face(&parts, l, r, f), 0);
            scales(l, r, scale);
            assert_true(worst(f, expected, scale) < 1e-12);

            random_state(&seed, 2., 4., l); /* a contact */
            random_state(&seed, 2., 4., r);
            r[U] = l[U];
            r[P] = l[P];
            physical(l[U] > 0. ? l : r, expected);
            assert_int_equal(one_face(&parts, l, r, f), 0);
            scales(l, r, scale);
            assert_true(worst(f, expected, scale) < 1e-13);

            l[U] = r[U] = 0.; /* a contact at rest: nothing passes, not even rounding */
            assert_int_equal(one_face(&parts, l, r, f), 0);
            assert_true(f[RHO] == 0. && f[U] == l[P] && f[V] == 0. && f[P] == 0. &&
                        f[ZETA] == 0.);
        }
        parts_close(&parts);
    }
}

/* --- Symmetry ------------------------------------------------------------- */

TEST(equal_states_give_the_physical_flux)
{
    for (int c = 0; c < CLASSES; c++) {
        struct parts parts;
        uint64_t seed = 42u;

        parts_open(&parts, classes[c]);
        for (int n = 0; n < 1000; n++) {
            double w[NVAR], f[NVAR], expected[NVAR], scale[NVAR];

            random_state(&seed, 4., 6., w);
            physical(w, expected);
            scales(w, w, scale);
            assert_int_equal(one_face(&parts, w, w, f), 0);
            assert_true(worst(f, expected, scale) < 5e-15);
        }
        parts_close(&parts);
    }
}

TEST(mirrored_states_give_the_mirrored_flux)
{
    for (int c = 0; c < CLASSES; c++) {
        struct parts parts;
        uint64_t seed = 7u;

        parts_open(&parts, classes[c]);
        for (int n = 0; n < 2000; n++) {
            double l[NVAR], r[NVAR], f[NVAR], g[NVAR], scale[NVAR];
            int result;

            random_state(&seed, 2., 3., l);
            random_state(&seed, 2., 3., r);
            scales(l, r, scale);
            result = one_face(&parts, l, r, f);
            l[U] = -l[U];
            r[U] = -r[U];
            assert_int_equal(one_face(&parts, r, l, g), result);
            if (result)
                continue;
            g[RHO] = -g[RHO];
            g[V] = -g[V];
            g[P] = -g[P];
            g[ZETA] = -g[ZETA];
            assert_true(worst(f, g, scale) == 0.);
        }
        parts_close(&parts);
    }
}

TEST(motion_along_the_face_is_carried_and_changes_nothing)
{
    for (int c = 0; c < CLASSES; c++) {
        struct parts parts;
        uint64_t seed = 99u;

        parts_open(&parts, classes[c]);
        for (int n = 0; n < 1000; n++) {
            double l[NVAR], r[NVAR], still[NVAR], moving[NVAR], scale[NVAR], speed;

            random_state(&seed, 1., 1., l);
            random_state(&seed, 1., 1., r);
            speed = l[V];
            r[V] = l[V] = 0.;
            assert_int_equal(one_face(&parts, l, r, still), 0);
            r[V] = l[V] = speed;
            assert_int_equal(one_face(&parts, l, r, moving), 0);
            assert_true(moving[RHO] == still[RHO] && moving[U] == still[U] &&
                        moving[ZETA] == still[ZETA]);
            still[V] = still[RHO] * speed;
            still[P] += .5 * still[RHO] * speed * speed;
            scales(l, r, scale);
            assert_true(worst(moving, still, scale) < 1e-14);
        }
        parts_close(&parts);
    }
}

enum { NX = 23, NY = 17, FACES = NX * NY };

static void transposed(const double *from, double *to)
{
    static const int swapped[NVAR] = {RHO, V, U, P, ZETA};

    for (int k = 0; k < NVAR; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                to[swapped[k] * FACES + i * NY + j] = from[k * FACES + j * NX + i];
}

TEST(a_sweep_in_y_is_one_in_x_transposed_to_the_bit)
{
    static double l[NVAR * FACES], r[NVAR * FACES], f[NVAR * FACES];
    static double lt[NVAR * FACES], rt[NVAR * FACES], ft[NVAR * FACES],
        expected[NVAR * FACES];

    for (int c = 0; c < CLASSES; c++) {
        struct parts parts;
        uint64_t seed = 2024u;
        int64_t iterations = -1, iterations_t = -2;

        parts_open(&parts, classes[c]);
        for (int at = 0; at < FACES; at++) {
            double w[NVAR];

            random_state(&seed, .5, 1., w);
            for (int k = 0; k < NVAR; k++)
                l[k * FACES + at] = w[k];
            random_state(&seed, .5, 1., w);
            for (int k = 0; k < NVAR; k++)
                r[k * FACES + at] = w[k];
        }
        transposed(l, lt);
        transposed(r, rt);
        assert_int_equal(
            parts.flux->compute(parts.flux, 0, NX, NY, -1, l, r, f, &iterations, NULL),
            0);
        assert_int_equal(parts.flux->compute(parts.flux, 1, NY, NX, -1, lt, rt, ft,
                                             &iterations_t, NULL),
                         0);
        transposed(f, expected);
        assert_memory_equal(ft, expected, sizeof ft);
        if (c < GODUNOV)
            assert_true(iterations > FACES && iterations_t > FACES);
        else
            assert_int_equal(iterations, 0);
        /* The blocks of GodunovVector have other faces then. */
        if (strcmp(classes[c], "GodunovVector") != 0)
            assert_int_equal(iterations, iterations_t);
        parts_close(&parts);
    }
}

/* --- Refusals and counts -------------------------------------------------- */

TEST(what_is_no_gas_is_refused)
{
    static const struct {
        int variable;
        double value;
    } bad[] = {{RHO, 0.},      {RHO, -1.}, {RHO, NAN},    {RHO, INFINITY}, {P, 0.},
               {P, -1e-300},   {P, NAN},   {P, INFINITY}, {U, NAN},        {U, INFINITY},
               {V, -INFINITY}, {V, NAN},   {ZETA, NAN},   {ZETA, INFINITY}};

    for (int c = 0; c < CLASSES; c++) {
        struct parts parts;

        parts_open(&parts, classes[c]);
        for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++)
            for (int axis = 0; axis < 2; axis++)
                for (int side = 0; side < 2; side++) {
                    double w[2][NVAR][3], f[NVAR * 3];

                    for (int s = 0; s < 2; s++)
                        for (int i = 0; i < 3; i++) {
                            w[s][RHO][i] = w[s][P][i] = 1.;
                            w[s][U][i] = w[s][V][i] = w[s][ZETA][i] = .5;
                        }
                    assert_int_equal(parts.flux->compute(parts.flux, axis, 3, 1, -1,
                                                         &w[0][0][0], &w[1][0][0], f,
                                                         NULL, NULL),
                                     0);
                    w[side][bad[n].variable][1] = bad[n].value;
                    assert_int_equal(parts.flux->compute(parts.flux, axis, 3, 1, -1,
                                                         &w[0][0][0], &w[1][0][0], f,
                                                         NULL, NULL),
                                     -EDOM);
                }
        parts_close(&parts);
    }
}

TEST(godunov_iterates_more_where_waves_are)
{
    struct parts parts;
    double quiet[NVAR] = {1., .3, .1, 1., 0.}, strong[NVAR] = {1., -3., .1, 50., 0.};
    double f[NVAR];
    int64_t once = -1, more = -1;

    parts_open(&parts, "GodunovFlux");
    assert_int_equal(
        parts.flux->compute(parts.flux, 0, 1, 1, -1, quiet, quiet, f, &once, NULL), 0);
    assert_int_equal(
        parts.flux->compute(parts.flux, 0, 1, 1, -1, quiet, strong, f, &more, NULL), 0);
    assert_int_equal(once, 1);
    assert_true(more > 1 && more < 10);
    parts_close(&parts);
}

TEST(a_flux_without_gas_says_so)
{
    struct parts parts;
    struct cca_error err = {0};
    double w[NVAR] = {1., 0., 0., 1., 0.}, f[NVAR];

    for (int c = 0; c < CLASSES; c++) {
        parts_open(&parts, classes[c]);
        assert_int_equal(
            cca_framework_disconnect(parts.framework, "flux", "gas", "gas", "gas", &err),
            0);
        assert_int_equal(one_face(&parts, w, w, f), -ENOTCONN);
        parts_close(&parts);
    }
}

TESTS(NULL, NULL)
