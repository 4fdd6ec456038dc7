/* SPDX-License-Identifier: BSD-3-Clause */
/* How near to the truth the shock code comes: Sod's tube, the isentropic vortex, a
 * contact at rest, and Quirk's odd-even instability. Small by default, in full with SOAK
 * set. */
#include "tests/lib/test.h"

#include <math.h>

#include "components/riemann_exact.h"
#include "tests/lib/shock_assembly.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const classes[] = {"GodunovFlux", "EFMFlux", "HLLCFlux"};
static const char *const limiters[] = {"none", "minmod", "vanleer"};

/* Sanitizers make a run ten times as slow. */
static int soaking(void)
{
    return getenv("SOAK") != NULL && !TEST_ASAN && !TEST_TSAN;
}

/* First order in space goes with first order in time. */
static void limiter_set(struct assembly *a, const char *limiter)
{
    assembly_set(a, "states", "limiter", limiter);
    assembly_set(a, "integrator", "stages", strcmp(limiter, "none") ? "2" : "1");
}

/* --- Sod's tube ----------------------------------------------------------- */

static double sod_error(const char *flux, const char *limiter, int n)
{
    struct exact_problem exact = {1.4, {1., 0., 1.}, {.125, 0., .1}, 0., 0.};
    struct assembly a;
    double *field, error = 0.;

    assert_int_equal(0, exact_solve(&exact));
    assembly_open(&a, flux, "GasProperties");
    limiter_set(&a, limiter);
    assembly_domain(&a, "sod", n, 1, .2);
    assembly_go(&a);
    field = assembly_field(&a);
    for (int i = 0; i < n; i++) {
        double low = ((double)i / n - .5) / .2, high = ((i + 1.) / n - .5) / .2;

        error += fabs(field[i] - exact_mean_density(&exact, low, high)) / n;
    }
    free(field);
    assembly_close(&a);
    return error;
}

/* L1 errors of the density that prototypes gave at n = 100, 200, 400. */
static const double sod_table[][COUNT(classes)][3] = {
    {{.0168, .0111, .0070}, {.0198, .0132, .0084}, {.0175, .0115, .0072}},
    {{.0066, .0039, .0022}, {.0074, .0043, .0024}, {.0069, .0041, .0022}},
    {{.0041, .0025, .0013}, {.0049, .0029, .0015}, {.0046, .0028, .0015}},
};

TEST(sod_errors_and_rates_are_those_of_the_schemes)
{
    for (size_t l = 0; l < COUNT(limiters); l++)
        for (size_t k = 0; k < COUNT(classes); k++) {
            double error[3];

            for (int n = 0; n < 3; n++) {
                double expected = sod_table[l][k][n];

                error[n] = sod_error(classes[k], limiters[l], 100 << n);
                if (fabs(error[n] - expected) > .1 * expected)
                    fail_msg("%s, %s, n = %d: error %.5f, expected %.5f", classes[k],
                             limiters[l], 100 << n, error[n], expected);
            }
            for (int n = 0; n < 2; n++) {
                double rate = log2(error[n] / error[n + 1]);
                /* Theory says 2/3 at first order; EFM's first doubling is .59 in the
                 * table too. */
                double low = l == 0 ? (n ? .6 : .58)
                             : n    ? .85
                                    : .7,
                       high = l == 0 ? .7 : 1.1;

                printf("%s, %s: rate %.3f\n", classes[k], limiters[l], rate);
                if (!(rate >= low && rate <= high))
                    fail_msg("%s, %s, from n = %d: rate %.3f", classes[k], limiters[l],
                             100 << n, rate);
            }
        }
}

/* --- Vortex --------------------------------------------------------------- */

/* The mean error of the density once the vortex is back. */
static double vortex_error(int n)
{
    struct assembly a;
    double *before, *after, error = 0.;

    assembly_open(&a, "HLLCFlux", "GasProperties");
    assembly_borders(&a, "periodic", "periodic");
    assembly_domain(&a, "vortex", n, n, 0.);
    assembly_go(&a);
    before = assembly_field(&a);
    assembly_set(&a, "driver", "t_end", "10");
    assembly_go(&a);
    after = assembly_field(&a);
    for (int i = 0; i < n * n; i++)
        error += fabs(after[i] - before[i]) / (n * n);
    free(before);
    free(after);
    assembly_close(&a);
    return error;
}

TEST(vortex_converges_at_second_order)
{
    int largest = soaking() ? 128 : 64;
    double coarse = vortex_error(32);

    for (int n = 64; n <= largest; n *= 2) {
        double fine = vortex_error(n), rate = log2(coarse / fine);

        printf("vortex, n = %d: error %.3g, rate %.3f\n", n, fine, rate);
        if (!(rate >= 1.9 && rate < 3.))
            fail_msg("n = %d: error %.3g after %.3g, rate %.3f", n, fine, coarse, rate);
        coarse = fine;
    }
}

/* --- Contact at rest ------------------------------------------------------ */

/* Cells whose density is neither side's to 5 % of the jump after 1000 steps; the largest
 * speed into
 * `*speed`. */
static int contact_smeared(const char *flux, const char *limiter, double *speed)
{
    enum { n = 100 };
    struct assembly a;
    double *field;
    int smeared = 0;

    assembly_open(&a, flux, "GasProperties");
    limiter_set(&a, limiter);
    assembly_domain(&a, "contact", n, 1, 1e6);
    assembly_set(&a, "driver", "max_steps", "1000");
    assembly_go(&a);
    field = assembly_field(&a);
    *speed = 0.;
    for (int i = 0; i < n; i++) {
        smeared += fabs(field[i] - 1.) > .1 && fabs(field[i] - 3.) > .1;
        *speed = fmax(*speed, fabs(field[EULER_U * n + i]));
        if (strcmp(flux, "EFMFlux"))
            assert_true(field[i] == (i < n / 2 ? 1. : 3.));
    }
    free(field);
    assembly_close(&a);
    return smeared;
}

TEST(contact_at_rest_stays_except_with_efm)
{
    static const int efm_cells[] = {44, 17, 10};
    double speed;

    for (size_t l = 0; l < COUNT(limiters); l++) {
        int cells;

        assert_int_equal(0, contact_smeared("GodunovFlux", limiters[l], &speed));
        assert_true(speed == 0.);
        assert_int_equal(0, contact_smeared("HLLCFlux", limiters[l], &speed));
        assert_true(speed == 0.);
        cells = contact_smeared("EFMFlux", limiters[l], &speed);
        printf("EFMFlux, %s: %d cells\n", limiters[l], cells);
        if (abs(cells - efm_cells[l]) > 1 + efm_cells[l] / 5)
            fail_msg("EFMFlux, %s: %d cells, about %d expected", limiters[l], cells,
                     efm_cells[l]);
    }
}

/* --- Odd-even ------------------------------------------------------------- */

struct oddeven {
    int nx, ny, cells;
    const char *noise;
};

/* The largest |v| when a shock of Mach 6 has run through so many cells of a duct. */
static double oddeven_speed(const char *flux, const struct oddeven *o)
{
    int size = o->nx * o->ny;
    struct assembly a;
    double *field, most = 0.;

    assembly_open(&a, flux, "GasProperties");
    assembly_domain(&a, "oddeven", o->nx, o->ny,
                    o->cells * (40. / o->nx) / (6. * sqrt(1.4)));
    assembly_set(&a, "initial", "mach", "6");
    assembly_set(&a, "initial", "noise", o->noise);
    assembly_go(&a);
    field = assembly_field(&a);
    for (int i = 0; i < size; i++)
        most = fmax(most, fabs(field[EULER_V * size + i] / field[i]));
    free(field);
    assembly_close(&a);
    return most;
}

TEST(odd_even_noise_grows_except_with_efm)
{
    /* Quirk's duct; a smaller one with more noise. */
    static const struct oddeven full = {800, 20, 700, "1e-6"},
                                quick = {180, 4, 150, "1e-2"};
    const struct oddeven *o = soaking() ? &full : &quick;

    for (size_t k = 0; k < COUNT(classes); k++) {
        double most = oddeven_speed(classes[k], o);

        printf("odd-even, %s: %.3g after %d cells\n", classes[k], most, o->cells);
        if (!strcmp(classes[k], "EFMFlux"))
            assert_true(most < .05);
        else
            assert_true(most > .2);
    }
}

TESTS(NULL, NULL)
