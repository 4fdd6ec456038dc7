/* SPDX-License-Identifier: BSD-3-Clause */
/* The theory of a shock at an inclined interface, against published numbers, the
 * relations of oblique shocks in their other form, and the one-dimensional Riemann
 * problem. */
#include "tests/lib/test.h"

#include <math.h>

#include "components/riemann_exact.h"
#include "components/shock_polar.h"

#define DEGREE (3.14159265358979323846 / 180.)
#define GAMMA 1.4

static void assert_near(double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error))
        fail_msg("%.9g, expected %.9g with an error of %g", found, expected, error);
}

static enum polar_kind solve(struct polar *k, double mach, double eta, double degrees)
{
    *k = (struct polar){
        .gamma = GAMMA, .mach = mach, .eta = eta, .angle = degrees * DEGREE};
    return polar_solve(k);
}

/* The law above the theory, in percent. */
static double law_above(double mach, double eta, double degrees)
{
    struct polar k;

    assert_int_equal(solve(&k, mach, eta, degrees), POLAR_SHOCK);
    return 100. * (polar_law(&k) / k.circulation - 1.);
}

TEST(circulation_and_law_are_the_published_ones)
{
    static const double angles[] = {15., 30., 45.};
    static const double circulation[] = {.1333, .2547, .3538};
    static const double law[] = {.1378, .2662, .3765};
    struct polar k;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(solve(&k, 1.5, 3., angles[i]), POLAR_SHOCK);
        assert_near(k.circulation, circulation[i], 6e-5);
        assert_near(polar_law(&k), law[i], 6e-5);
    }
}

TEST(the_law_is_above_the_theory_by_known_parts)
{
    static const double weak[] = {1., 4., 10., 25.}; /* at 15, 30, 45, 60 degrees */

    for (int i = 0; i < 4; i++)
        assert_near(law_above(1.05, 3., 15. * (i + 1)), weak[i], .5);
    for (double angle = 15.; angle < 50.; angle += 15.) {
        assert_near(law_above(2., 3., angle), 7.7, .8);
        assert_near(law_above(3., 3., angle), 13., .5);
        assert_near(law_above(1.5, 14.5, angle), 0., 2.);
    }
}

TEST(refraction_is_irregular_beyond_56_degrees)
{
    struct polar k;

    assert_int_equal(solve(&k, 1.5, 3., 56.), POLAR_SHOCK);
    assert_int_equal(solve(&k, 1.5, 3., 57.), POLAR_IRREGULAR);
    /* The shock in a much lighter gas outruns the node. */
    assert_int_equal(solve(&k, 1.5, .1, 60.), POLAR_IRREGULAR);
}

/* --- The relations of oblique shocks, by the angle of the wave ------------------- */

/* The weak shock that turns a stream of Mach number `mach` by `turn`: theta-beta-M. */
static double wave_angle(double mach, double turn)
{
    double low = asin(1. / mach), high = low;
    double step = (90. * DEGREE - low) / 20000.;

    for (;; high += step) {
        double s = mach * sin(high);
        double t =
            2. / tan(high) * (s * s - 1.) / (mach * mach * (GAMMA + cos(2. * high)) + 2.);

        if (atan(t) >= turn)
            break;
        if (high > 90. * DEGREE)
            fail_msg("no shock turns Mach %g by %g", mach, turn);
        low = high;
    }
    for (int i = 0; i < 60; i++) {
        double beta = .5 * (low + high), s = mach * sin(beta);
        double t =
            2. / tan(beta) * (s * s - 1.) / (mach * mach * (GAMMA + cos(2. * beta)) + 2.);

        if (atan(t) >= turn)
            high = beta;
        else
            low = beta;
    }
    return .5 * (low + high);
}

/* Pressure, density and speed behind it, from the conservation laws along its normal. */
static struct polar_stream turned(const struct polar_stream *s, double turn)
{
    double mach = s->speed / sqrt(GAMMA * s->p / s->rho), beta = wave_angle(mach, turn);
    double normal = s->speed * sin(beta), m2 = mach * mach * sin(beta) * sin(beta);
    double behind = normal * ((GAMMA - 1.) * m2 + 2.) / ((GAMMA + 1.) * m2);

    return (struct polar_stream){s->rho * normal / behind,
                                 s->p + s->rho * normal * (normal - behind),
                                 hypot(behind, s->speed * cos(beta))};
}

/* Turned towards the heavy side and back, the light gas has the pressure and direction of
 * the heavy one that is turned once. */
TEST(three_oblique_shocks_meet_in_the_node)
{
    for (double mach = 1.2; mach < 4.; mach += .6)
        for (double eta = 1.5; eta < 20.; eta *= 3.)
            for (double angle = 10.; angle < 45.; angle += 10.) {
                struct polar_stream light, heavy, behind;
                struct polar k;
                double turn;

                if (solve(&k, mach, eta, angle) != POLAR_SHOCK)
                    continue;
                light = (struct polar_stream){1., 1., k.node_speed};
                heavy = (struct polar_stream){eta, 1., k.node_speed};
                /* The gas behind the shock, seen from the node. */
                behind.rho =
                    (GAMMA + 1.) * mach * mach / ((GAMMA - 1.) * mach * mach + 2.);
                behind.p = (2. * GAMMA * mach * mach - GAMMA + 1.) / (GAMMA + 1.);
                behind.speed = hypot(k.node_speed * cos(k.angle),
                                     k.node_speed * sin(k.angle) / behind.rho);
                turn = k.angle - atan(tan(k.angle) / behind.rho);
                assert_near(turned(&light, turn).p, behind.p, 1e-6 * behind.p);
                heavy = turned(&heavy, k.deflection);
                light = turned(&behind, turn - k.deflection);
                assert_near(heavy.p, k.pressure, 1e-6 * k.pressure);
                assert_near(light.p, k.pressure, 1e-6 * k.pressure);
                assert_near(heavy.speed, k.heavy_speed, 1e-6 * k.node_speed);
                assert_near(light.speed, k.light_speed, 1e-6 * k.node_speed);
            }
}

/* dp = -rho q dq and dtheta = -sqrt(M^2 - 1) dq / q through an expansion, in small steps.
 */
TEST(a_reflected_expansion_turns_as_its_characteristics_do)
{
    struct polar_stream s = {1.2, 2., 3.};
    double end = .7, turn = 0.;
    int steps = 20000;

    for (int i = 0; i < steps; i++) {
        double p = s.p + (end - s.p) * (i + .5) / steps;
        double rho = s.rho * pow(p / s.p, 1. / GAMMA), sound2 = GAMMA * p / rho;
        double q2 =
            s.speed * s.speed + 2. / (GAMMA - 1.) * (GAMMA * s.p / s.rho - sound2);
        double dq = -(end - s.p) / steps / (rho * sqrt(q2));

        turn += sqrt(q2 / sound2 - 1.) * dq / sqrt(q2);
    }
    assert_near(polar_deflection(GAMMA, &s, end), -turn, 1e-6);
}

/* --- Limits ------------------------------------------------------------------------ */

/* At a small angle the waves are those of the one-dimensional problem: gas behind a shock
 * beside the second gas at rest. The speeds follow from the total enthalpy. */
TEST(a_small_angle_gives_the_one_dimensional_riemann_problem)
{
    static const double machs[] = {1.1, 1.5, 3.}, etas[] = {.2, .7, 1.5, 3., 14.5};

    for (int m = 0; m < 3; m++)
        for (int e = 0; e < 5; e++) {
            double mach = machs[m], eta = etas[e], m2 = mach * mach;
            double rho = (GAMMA + 1.) * m2 / ((GAMMA - 1.) * m2 + 2.);
            double p = 1. + 2. * GAMMA / (GAMMA + 1.) * (m2 - 1.);
            double speed = mach * sqrt(GAMMA) * (1. - 1. / rho), light, heavy, expected;
            struct exact_problem flat = {GAMMA, {rho, speed, p}, {eta, 0., 1.}, 0., 0.};
            enum polar_kind kind = eta > 1. ? POLAR_SHOCK : POLAR_EXPANSION;
            struct polar k;

            assert_int_equal(exact_solve(&flat), 0);
            assert_int_equal(solve(&k, mach, eta, .01), kind);
            assert_near(k.pressure, flat.p, 1e-6 * flat.p);
            /* The slip line lags behind the node as the contact does behind the shock. */
            assert_near(tan(k.deflection) / sin(k.angle), flat.u / k.shock_speed, 1e-5);
            light = flat.p * exact_volume(GAMMA, &flat.left, flat.p);
            heavy = flat.p * exact_volume(GAMMA, &flat.right, flat.p);
            expected = GAMMA / (GAMMA - 1.) * (light - 1. - (heavy - 1. / eta)) /
                       k.shock_speed * sin(k.angle);
            assert_near(k.circulation, expected, 1e-5 * fabs(expected));
        }
}

TEST(equal_gases_get_no_circulation)
{
    struct polar k;

    for (double angle = 5.; angle < 50.; angle += 5.) {
        assert_int_not_equal(solve(&k, 2., 1., angle), POLAR_IRREGULAR);
        assert_near(k.pressure, 4.5, 1e-9);
        assert_near(k.circulation, 0., 1e-9);
        assert_near(polar_law(&k), 0., 1e-12);
    }
}

TEST(a_lighter_second_gas_turns_the_circulation_round)
{
    struct polar k;

    assert_int_equal(solve(&k, 1.5, 1. / 3., 20.), POLAR_EXPANSION);
    assert_true(k.circulation < 0. && k.sheet < 0. && polar_law(&k) < 0.);
    assert_true(k.pressure < 2.4583);
}

TESTS(NULL, NULL)
