/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_nist.c: fits against certified values: the linear sets of the Statistical
 * Reference Datasets of the U.S. National Institute of Standards and Technology. The
 * certified standard deviations of the residuals show that the data are copied right. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/cost/forms/fit.h"

enum { MOST_ROWS = 82 };

static const double norris_x[] = {
    0.2, 337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4,
    0.6, 775.5, 666.9, 338.0, 447.5, 11.6,  556.0, 228.1, 995.8, 887.6, 120.2, 0.3,
    0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
static const double norris_y[] = {
    0.1, 338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3,
    0.1, 778.1, 668.8, 339.3, 448.9, 10.8,  557.7, 228.3, 998.0, 888.8, 119.6, 0.3,
    0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
static const double pontius_y[] = {
    0.11019, .21956,  .32949,  .43899,  .54803,  .65694,  .76562,  .87487,
    .98292,  1.09146, 1.20001, 1.30822, 1.41599, 1.52399, 1.63194, 1.73947,
    1.84646, 1.95392, 2.06128, 2.16844, .11052,  .22018,  .32939,  .43886,
    .54798,  .65739,  .76596,  .87474,  .98300,  1.09150, 1.20004, 1.30818,
    1.41613, 1.52408, 1.63159, 1.73965, 1.84696, 1.95445, 2.06177, 2.16829};
static const double filip_x[] = {
    -6.860120914, -4.324130045, -4.358625055, -4.358426747, -6.955852379, -6.661145254,
    -6.355462942, -6.118102026, -7.115148017, -6.815308569, -6.519993057, -6.204119983,
    -5.853871964, -6.109523091, -5.79832982,  -5.482672118, -5.171791386, -4.851705903,
    -4.517126416, -4.143573228, -3.709075441, -3.499489089, -6.300769497, -5.953504836,
    -5.642065153, -5.031376979, -4.680685696, -4.329846955, -3.928486195, -8.56735134,
    -8.363211311, -8.107682739, -7.823908741, -7.522878745, -7.218819279, -6.920818754,
    -6.628932138, -6.323946875, -5.991399828, -8.781464495, -8.663140179, -8.473531488,
    -8.247337057, -7.971428747, -7.676129393, -7.352812702, -7.072065318, -6.774174009,
    -6.478861916, -6.159517513, -6.835647144, -6.53165267,  -6.224098421, -5.910094889,
    -5.598599459, -5.290645224, -4.974284616, -4.64454848,  -4.290560426, -3.885055584,
    -3.408378962, -3.13200249,  -8.726767166, -8.66695597,  -8.511026475, -8.165388579,
    -7.886056648, -7.588043762, -7.283412422, -6.995678626, -6.691862621, -6.392544977,
    -6.067374056, -6.684029655, -6.378719832, -6.065855188, -5.752272167, -5.132414673,
    -4.811352704, -4.098269308, -3.66174277,  -3.2644011};
static const double filip_y[] = {
    0.8116, 0.9072, 0.9052, 0.9039, 0.8053, 0.8377, 0.8667, 0.8809, 0.7975, 0.8162,
    0.8515, 0.8766, 0.8885, 0.8859, 0.8959, 0.8913, 0.8959, 0.8971, 0.9021, 0.909,
    0.9139, 0.9199, 0.8692, 0.8872, 0.89,   0.891,  0.8977, 0.9035, 0.9078, 0.7675,
    0.7705, 0.7713, 0.7736, 0.7775, 0.7841, 0.7971, 0.8329, 0.8641, 0.8804, 0.7668,
    0.7633, 0.7678, 0.7697, 0.77,   0.7749, 0.7796, 0.7897, 0.8131, 0.8498, 0.8741,
    0.8061, 0.846,  0.8751, 0.8856, 0.8919, 0.8934, 0.894,  0.8957, 0.9047, 0.9129,
    0.9209, 0.9219, 0.7739, 0.7681, 0.7665, 0.7703, 0.7702, 0.7761, 0.7809, 0.7961,
    0.8253, 0.8602, 0.8809, 0.8301, 0.8664, 0.8834, 0.8898, 0.8964, 0.8963, 0.9074,
    0.9119, 0.9228};
static const double longley_y[] = {60323, 61122, 60171, 61187, 63221, 63639,
                                   64989, 63761, 66019, 67857, 68169, 66513,
                                   68655, 69564, 69331, 70551};
static const double longley_deflator[] = {83.0,  88.5,  88.2,  89.5,  96.2,  98.1,
                                          99.0,  100.0, 101.2, 104.6, 108.4, 110.8,
                                          112.6, 114.2, 115.7, 116.9};
static const double longley_product[] = {234289, 259426, 258054, 284599, 328975, 346999,
                                         365385, 363112, 397469, 419180, 442769, 444546,
                                         482704, 502601, 518173, 554894};
static const double longley_unemployed[] = {2356, 2325, 3682, 3351, 2099, 1932,
                                            1870, 3578, 2904, 2822, 2936, 4681,
                                            3813, 3931, 4806, 4007};
static const double longley_forces[] = {1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350,
                                        3048, 2857, 2798, 2637, 2552, 2514, 2572, 2827};
static const double longley_population[] = {
    107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219,
    117388, 118734, 120445, 121950, 123366, 125368, 127852, 130081};
static const double longley_year[] = {1947, 1948, 1949, 1950, 1951, 1952, 1953, 1954,
                                      1955, 1956, 1957, 1958, 1959, 1960, 1961, 1962};
/* Wampler1 is the polynomial whose coefficients are 1; 3 to 5 add 1, 100 and 10,000 times
 * the differences of 3. */
static const double wampler1_y[] = {1,       6,       63,     364,    1365,    3906,
                                    9331,    19608,   37449,  66430,  111111,  177156,
                                    271453,  402234,  579195, 813616, 1118481, 1508598,
                                    2000719, 2613660, 3368421};
static const double wampler2_y[] = {
    1.00000,  1.11111,  1.24992,  1.42753,  1.65984,  1.96875,  2.38336,
    2.94117,  3.68928,  4.68559,  6.00000,  7.71561,  9.92992,  12.75603,
    16.32384, 20.78125, 26.29536, 33.05367, 41.26528, 51.16209, 63.00000};
static const double wampler3_y[] = {760,     -2042,   2111,   -1684,  3888,    1858,
                                    11379,   17560,   39287,  64382,  113159,  175108,
                                    273291,  400186,  581243, 811568, 1121004, 1506550,
                                    2002767, 2611612, 3369180};

static double work[(MM_FIT_MAX + 1) * MOST_ROWS], weight[MOST_ROWS];

/* Fit columns and compare with certified values; `digits` must agree. */
static void check_fit(const char *name, size_t rows, size_t columns,
                      const double *const *column, const double *y,
                      const double *certified, double residual_sd, double digits)
{
    struct mm_fit fit;
    double sd;

    for (size_t i = 0; i < rows; i++)
        weight[i] = 1;
    assert_int_equal(mm_fit_linear(rows, columns, column, y, weight, work, &fit, NULL),
                     0);
    for (size_t k = 0; k < columns; k++) {
        double off = fabs(fit.coefficient[k] / certified[k] - 1);

        if (!(off <= pow(10, -digits)))
            fail_msg("%s: coefficient %zu is %.15g, certified %.15g", name, k,
                     fit.coefficient[k], certified[k]);
    }
    sd = sqrt(fit.chi2 / (double)(rows - columns));
    if (!(fabs(sd - residual_sd) <=
          pow(10, -fmin(digits, 9)) * residual_sd + 1e-6 * (residual_sd == 0)))
        fail_msg("%s: residual sd is %.15g, certified %.15g", name, sd, residual_sd);
}

/* Fit a polynomial with powers from `first` on. */
static void check_polynomial(const char *name, size_t rows, size_t columns, int first,
                             const double *x, const double *y, const double *certified,
                             double residual_sd, double digits)
{
    static double power[MM_FIT_MAX][MOST_ROWS];
    const double *column[MM_FIT_MAX];

    for (size_t k = 0; k < columns; k++) {
        column[k] = power[k];
        for (size_t i = 0; i < rows; i++) {
            power[k][i] = 1;
            for (size_t j = 0; j < k + (size_t)first; j++)
                power[k][i] *= x[i];
        }
    }
    check_fit(name, rows, columns, column, y, certified, residual_sd, digits);
}

TEST(norris)
{
    static const double certified[] = {-0.262323073774029, 1.00211681802045};

    check_polynomial("Norris", 36, 2, 0, norris_x, norris_y, certified, 0.884796396144373,
                     9);
}

TEST(pontius)
{
    static const double certified[] = {0.673565789473684e-03, 0.732059160401003e-06,
                                       -0.316081871345029e-14};
    double x[40];

    for (size_t i = 0; i < 40; i++)
        x[i] = 150000. * (double)(i % 20 + 1);
    check_polynomial("Pontius", 40, 3, 0, x, pontius_y, certified, 0.205177424076185e-03,
                     9);
}

TEST(lines_through_the_origin)
{
    static const double first[] = {2.07438016528926}, second[] = {0.727272727272727};
    static const double x[] = {4, 5, 6}, y[] = {3, 4, 4};
    double many_x[11], many_y[11];

    for (size_t i = 0; i < 11; i++) {
        many_x[i] = 60 + (double)i;
        many_y[i] = 130 + (double)i;
    }
    check_polynomial("NoInt1", 11, 1, 1, many_x, many_y, first, 3.56753034006338, 9);
    check_polynomial("NoInt2", 3, 1, 1, x, y, second, 0.369274472937998, 9);
}

TEST(filip)
{
    static const double certified[] = {
        -1467.48961422980,      -2772.17959193342,     -2316.37108160893,
        -1127.97394098372,      -354.478233703349,     -75.1242017393757,
        -10.8753180355343,      -1.06221498588947,     -0.670191154593408e-01,
        -0.246781078275479e-02, -0.402962525080404e-04};

    check_polynomial("Filip", 82, 11, 0, filip_x, filip_y, certified,
                     0.334801051324544e-02, 6);
}

TEST(longley)
{
    static const double certified[] = {-3482258.63459582,      15.0618722713733,
                                       -0.358191792925910e-01, -2.02022980381683,
                                       -1.03322686717359,      -0.511041056535807e-01,
                                       1829.15146461355};
    static double ones[16];
    const double *column[] = {
        ones,           longley_deflator,   longley_product, longley_unemployed,
        longley_forces, longley_population, longley_year};

    for (size_t i = 0; i < 16; i++)
        ones[i] = 1;
    check_fit("Longley", 16, 7, column, longley_y, certified, 304.854073561965, 9);
}

TEST(wampler)
{
    static const double ones[] = {1, 1, 1, 1, 1, 1},
                        tenths[] = {1, .1, .01, 1e-3, 1e-4, 1e-5};
    double x[21], y[21], scale = 1;

    for (size_t i = 0; i < 21; i++)
        x[i] = (double)i;
    check_polynomial("Wampler1", 21, 6, 0, x, wampler1_y, ones, 0, 9);
    check_polynomial("Wampler2", 21, 6, 0, x, wampler2_y, tenths, 0, 9);
    for (int number = 3; number <= 5; number++, scale *= 100) {
        for (size_t i = 0; i < 21; i++)
            y[i] = wampler1_y[i] + scale * (wampler3_y[i] - wampler1_y[i]);
        check_polynomial("Wampler3 to 5", 21, 6, 0, x, y, ones, scale * 2360.14502379268,
                         9);
    }
}

TESTS(NULL, NULL)
