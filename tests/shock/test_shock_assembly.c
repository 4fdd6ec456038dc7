/* SPDX-License-Identifier: BSD-3-Clause */
/* The shock code as a whole: what it conserves, what does not depend on direction and
 * patches, how it ends and how it fails. */
#include "tests/lib/test.h"

#include <math.h>

#include "tests/components/sh_meter_port.h"
#include "tests/lib/shock_assembly.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const classes[] = {"GodunovFlux", "EFMFlux", "HLLCFlux"};
static const char *const limiters[] = {"none", "minmod", "vanleer"};

/* --- Conservation --------------------------------------------------------- */

/* Sum of component n over the cells, and of its absolute values. */
static void field_sum(const double *field, size_t cells, int n, long double *sum,
                      long double *size)
{
    *sum = *size = 0;
    for (size_t i = 0; i < cells; i++) {
        *sum += field[(size_t)n * cells + i];
        *size += fabs(field[(size_t)n * cells + i]);
    }
}

/* The initial field: a run of no time. */
static double *initial_field(struct assembly *a)
{
    assembly_set(a, "driver", "t_end", "0");
    assembly_go(a);
    return assembly_field(a);
}

TEST(with_periodic_borders_everything_is_conserved)
{
    for (size_t k = 0; k < COUNT(classes); k++) {
        struct assembly a;
        double *before, *after;

        assembly_open(&a, classes[k], "GasProperties");
        assembly_domain(&a, "shock_interface", 72, 20, .4);
        assembly_borders(&a, "periodic", "periodic");
        assembly_set(&a, "mesh", "patches_x", "3");
        before = initial_field(&a);
        assembly_set(&a, "driver", "t_end", ".4");
        assembly_go(&a);
        after = assembly_field(&a);
        for (int n = 0; n < EULER_NVAR; n++) {
            long double old, new, size;

            field_sum(before, 72 * 20, n, &old, &size);
            field_sum(after, 72 * 20, n, &new, &size);
            if (fabsl(new - old) > 1e-13L * size)
                fail_msg("%s: component %d went from %.17Lg to %.17Lg", classes[k], n,
                         old, new);
        }
        assert_int_not_equal(0, memcmp(before, after, 72 * 20 * sizeof *before));
        free(before);
        free(after);
        assembly_close(&a);
    }
}

/* Put a WallMeter between driver, integrator and rhs. */
static struct meter_port *meter_insert(struct assembly *a)
{
    assembly_create(a, "WallMeter", "meter");
    assembly_disconnect(a, "integrator", "rhs", "rhs", "rhs");
    assembly_disconnect(a, "driver", "integrator", "integrator", "integrator");
    assembly_connect(a, "driver", "integrator", "meter", "integrator");
    assembly_connect(a, "meter", "target_integrator", "integrator", "integrator");
    assembly_connect(a, "integrator", "rhs", "meter", "rhs");
    assembly_connect(a, "meter", "target_rhs", "rhs", "rhs");
    assembly_connect(a, "driver", "output", "meter", "output");
    return assembly_port(a, "meter", "report", METER_PORT_TYPE,
                         sizeof(struct meter_port));
}

TEST(between_walls_momentum_changes_by_their_impulse_alone)
{
    for (size_t k = 0; k < COUNT(classes); k++) {
        const double cell = 4. / 72 / 20;
        struct assembly a;
        struct meter_port *meter;
        double *before, *after;

        assembly_open(&a, classes[k], "GasProperties");
        assembly_domain(&a, "shock_interface", 72, 20, 1.2);
        assembly_borders(&a, "wall", "wall");
        assembly_set(&a, "mesh", "patches_y", "2");
        meter = meter_insert(&a);
        before = initial_field(&a);
        assembly_set(&a, "driver", "t_end", "1.2");
        assembly_go(&a);
        after = assembly_field(&a);
        for (int n = 0; n < EULER_NVAR; n++) {
            int momentum = n == EULER_U || n == EULER_V;
            long double old, new, size, change,
                came = momentum ? meter->sum(meter, n) : 0.;

            field_sum(before, 72 * 20, n, &old, &size);
            field_sum(after, 72 * 20, n, &new, &size);
            change = (new - old) * cell - came;
            if (fabsl(change) > (momentum ? 1e-12L : 1e-13L) * size * cell)
                fail_msg("%s: component %d changed by %.17Lg, %.17Lg came in", classes[k],
                         n, (new - old) * cell, came);
        }
        /* The walls do push: the test would pass on a fluid at rest. */
        assert_true(fabs(meter->sum(meter, EULER_U)) > .05);
        assert_true(fabs(meter->sum(meter, EULER_V)) > .05);
        free(before);
        free(after);
        assembly_close(&a);
    }
}

/* --- Direction and patches ------------------------------------------------ */

static void assembly_turn(struct assembly *a, int nx, int ny)
{
    assembly_set(a, "initial", "axis", "y");
    assembly_set_number(a, "driver", "nx", ny);
    assembly_set_number(a, "driver", "ny", nx);
    assembly_borders(a, "wall", "outflow");
}

TEST(transposed_problem_gives_the_same_bits)
{
    enum { nx = 60, ny = 18, cells = nx * ny };

    for (size_t k = 0; k < COUNT(classes) * COUNT(limiters); k++) {
        static const int swapped[] = {EULER_RHO, EULER_V, EULER_U, EULER_P, EULER_ZETA};
        struct assembly a;
        double *along_x, *along_y;
        size_t different = 0;

        assembly_open(&a, classes[k / COUNT(limiters)], "GasProperties");
        assembly_set(&a, "states", "limiter", limiters[k % COUNT(limiters)]);
        assembly_domain(&a, "shock_interface", nx, ny, .5);
        assembly_go(&a);
        along_x = assembly_field(&a);
        assembly_turn(&a, nx, ny);
        assembly_go(&a);
        along_y = assembly_field(&a);
        for (int n = 0; n < EULER_NVAR; n++)
            for (int j = 0; j < ny; j++)
                for (int i = 0; i < nx; i++)
                    different += !!memcmp(&along_x[n * cells + j * nx + i],
                                          &along_y[swapped[n] * cells + i * ny + j],
                                          sizeof(double));
        if (different)
            fail_msg("%s, %s: %zu of %d values differ", classes[k / COUNT(limiters)],
                     limiters[k % COUNT(limiters)], different, cells * EULER_NVAR);
        free(along_x);
        free(along_y);
        assembly_close(&a);
    }
}

struct split {
    int patches_x, patches_y, patch_nx, patch_ny, expected;
};

/* Compare every second cut, by turns of `turn`; a soak compares all. */
static void split_compare(const char *flux, const char *in_x, const char *in_y,
                          size_t turn)
{
    static const struct split splits[] = {
        {2, 1, 0, 0, 2},   {1, 3, 0, 0, 3},     {3, 2, 0, 0, 6},  {7, 5, 0, 0, 35},
        {1, 1, 10, 5, 35}, {32, 11, 0, 0, 352}, {1, 1, 64, 3, 8}, {2, 1, 40, 8, 6},
    };
    struct assembly a;
    double *whole;

    assembly_open(&a, flux, "GasProperties");
    assembly_domain(&a, "shock_interface", 64, 22, .4);
    assembly_borders(&a, in_x, in_y);
    assembly_go(&a);
    whole = assembly_field(&a);
    for (size_t k = 0; k < COUNT(splits); k++) {
        const struct split *s = &splits[k];
        struct mesh_port *mesh = assembly_mesh(&a);
        double *cut;

        if ((k + turn) % 2 && !getenv("SOAK"))
            continue;
        assembly_set_number(&a, "mesh", "patches_x", s->patches_x);
        assembly_set_number(&a, "mesh", "patches_y", s->patches_y);
        assembly_set_number(&a, "mesh", "patch_nx", s->patch_nx);
        assembly_set_number(&a, "mesh", "patch_ny", s->patch_ny);
        assembly_go(&a);
        assert_int_equal(s->expected, mesh->patch_count(mesh, 0));
        cut = assembly_field(&a);
        if (memcmp(whole, cut, sizeof *whole * EULER_NVAR * 64 * 22))
            fail_msg("%s, %s: %d x %d patches of %d x %d differ from one patch", flux,
                     in_x, s->patches_x, s->patches_y, s->patch_nx, s->patch_ny);
        free(cut);
    }
    free(whole);
    assembly_close(&a);
}

TEST(any_cut_into_patches_gives_the_same_bits)
{
    for (size_t k = 0; k < COUNT(classes); k++)
        split_compare(classes[k], "outflow", "wall", k);
    split_compare("HLLCFlux", "periodic", "periodic", 0);
}

TEST(uniform_stream_stays_uniform)
{
    struct assembly a;
    double *before, *after;

    assembly_open(&a, "GodunovFlux", "GasProperties");
    assembly_domain(&a, "uniform", 16, 12, .5);
    assembly_borders(&a, "periodic", "outflow");
    before = initial_field(&a);
    assembly_set(&a, "driver", "t_end", ".5");
    assembly_go(&a);
    after = assembly_field(&a);
    for (int i = 0; i < 16 * 12 * EULER_NVAR; i++)
        assert_true(fabs(before[i] - after[i]) < 1e-13);
    free(before);
    free(after);
    assembly_close(&a);
}

/* --- How a run ends ------------------------------------------------------- */

TEST(last_step_ends_at_the_end_time)
{
    struct assembly a;
    struct meter_port *meter;
    int64_t steps;

    assembly_open(&a, "HLLCFlux", "GasProperties");
    meter = meter_insert(&a);
    assembly_domain(&a, "sod", 40, 1, .1);
    assembly_set(&a, "driver", "output_every", "4");
    assembly_go(&a);
    assert_true(meter->time_s(meter) == .1);
    steps = meter->step(meter);
    assert_true(steps > 8);
    assert_int_equal((steps + 3) / 4, meter->writes(meter));

    assembly_set(&a, "driver", "max_steps", "7");
    assembly_set(&a, "driver", "output_every", "0");
    assembly_go(&a);
    assert_int_equal(7, meter->step(meter));
    assert_int_equal(1, meter->writes(meter));
    assert_true(meter->time_s(meter) < .1);
    assembly_close(&a);
}

/* The words of a go that must fail with `code`. */
static void go_fails(struct assembly *a, int code, const char *const *words, size_t count)
{
    struct cca_error err = {0};

    assert_int_equal(code, cca_framework_go(a->framework, "driver", "go", &err));
    for (size_t i = 0; i < count; i++)
        if (!strstr(err.text, words[i]))
            fail_msg("'%s' is not in '%s'", words[i], err.text);
}

TEST(failure_says_when_and_where)
{
    static const char *const lost[] = {"'integrator'", "step 3,", "time 0.0",
                                       "patch 2 (16 x 16 cells", "not positive"};
    struct assembly a;

    assembly_open(&a, "EFMFlux", "GasProperties");
    meter_insert(&a);
    assembly_domain(&a, "shock_interface", 64, 16, .5);
    assembly_set(&a, "mesh", "patches_x", "4");
    assembly_set(&a, "meter", "fail_step", "3");
    assembly_set(&a, "meter", "fail_patch", "2");
    go_fails(&a, -EDOM, lost, COUNT(lost));
    /* Ports were released: the instance can be wired anew and run. */
    assembly_disconnect(&a, "driver", "mesh", "mesh", "mesh");
    assembly_connect(&a, "driver", "mesh", "mesh", "mesh");
    assembly_set(&a, "meter", "fail_step", "0");
    assembly_go(&a);
    assembly_close(&a);
}

TEST(impossible_meshes_are_refused_with_words)
{
    static const char *const many[] = {"33 patches in x", "32 cells"};
    static const char *const thin[] = {"thinner", "2 ghost layers"};
    static const char *const half[] = {"'ylo'", "'yhi'", "periodic"};
    struct assembly a;

    assembly_open(&a, "HLLCFlux", "GasProperties");
    assembly_domain(&a, "shock_interface", 32, 8, .1);
    assembly_set(&a, "mesh", "patches_x", "33");
    go_fails(&a, -EINVAL, many, COUNT(many));
    assembly_set(&a, "mesh", "patches_x", "32");
    go_fails(&a, -EINVAL, thin, COUNT(thin));
    assembly_set(&a, "mesh", "patches_x", "1");
    assembly_set(&a, "boundary", "ylo", "periodic");
    go_fails(&a, -EINVAL, half, COUNT(half));
    assembly_set(&a, "boundary", "yhi", "periodic");
    assembly_go(&a);
    assembly_close(&a);
}

/* --- Picture -------------------------------------------------------------- */

static unsigned big_endian(const unsigned char *at)
{
    return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

TEST(picture_is_whole_or_not_there)
{
    static const unsigned char signature[] = {0x89, 'P',  'N',  'G',
                                              '\r', '\n', 0x1a, '\n'};
    static const char *const nowhere[] = {"no/such/place.png", "No such file"};
    const char *tmp = getenv("TMPDIR");
    char folder[4096], path[8192], part[8300];
    unsigned char head[24];
    struct assembly a;
    FILE *file;

    snprintf(folder, sizeof folder, "%s/pictureXXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    assembly_open(&a, "HLLCFlux", "GasProperties");
    assembly_domain(&a, "shock_interface", 50, 12, .1);
    assembly_create(&a, "FieldImage", "image");
    assembly_connect(&a, "driver", "output", "image", "output");
    assembly_set(&a, "driver", "max_steps", "3");
    snprintf(path, sizeof path, "%s/at-{step}.png", folder);
    assembly_set(&a, "image", "file", path);
    assembly_go(&a);
    snprintf(path, sizeof path, "%s/at-000003.png", folder);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(sizeof head, fread(head, 1, sizeof head, file));
    fclose(file);
    assert_memory_equal(signature, head, sizeof signature);
    assert_int_equal(50 * 16, big_endian(head + 16));
    assert_int_equal(12 * 16, big_endian(head + 20));
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_equal(-1, access(part, F_OK));

    snprintf(part, sizeof part, "%s/no/such/place.png", folder);
    assembly_set(&a, "image", "file", part);
    go_fails(&a, -ENOENT, nowhere, COUNT(nowhere));
    assembly_close(&a);
    unlink(path);
    assert_int_equal(0, rmdir(folder));
}

/* --- Languages ------------------------------------------------------------ */

TEST(components_in_other_languages_take_part)
{
    struct assembly a;
    double *in_c, *in_fortran, *other_gamma, *rusanov;
    size_t size = 50 * 12 * EULER_NVAR * sizeof *in_c;
    long double sum, sharp, smooth;

    assembly_open(&a, "HLLCFlux", "GasProperties");
    assembly_domain(&a, "shock_interface", 50, 12, .3);
    assembly_go(&a);
    in_c = assembly_field(&a);
    assembly_close(&a);

    assembly_open(&a, "HLLCFlux", "FortranGas");
    assembly_domain(&a, "shock_interface", 50, 12, .3);
    assembly_go(&a);
    in_fortran = assembly_field(&a);
    assert_memory_equal(in_c, in_fortran, size);
    assembly_set(&a, "gas", "gamma", "1.3");
    assembly_go(&a);
    other_gamma = assembly_field(&a);
    assert_memory_not_equal(in_c, other_gamma, size);
    assembly_close(&a);

    /* The C++ flux conserves as the others do, and smears more: less variation in
     * density. */
    assembly_open(&a, "RusanovFlux", "FortranGas");
    assembly_domain(&a, "shock_interface", 50, 12, .3);
    assembly_go(&a);
    rusanov = assembly_field(&a);
    sharp = smooth = sum = 0;
    for (int i = 1; i < 50 * 12; i++) {
        if (i % 50 == 0)
            continue;
        sharp += (in_c[i] - in_c[i - 1]) * (in_c[i] - in_c[i - 1]);
        smooth += (rusanov[i] - rusanov[i - 1]) * (rusanov[i] - rusanov[i - 1]);
        sum += fabs(rusanov[i] - in_c[i]);
    }
    assert_true(smooth < sharp && smooth > .3 * sharp);
    assert_true(sum / (50 * 12) < .1);
    assembly_close(&a);
    free(in_c);
    free(in_fortran);
    free(other_gamma);
    free(rusanov);
}

TESTS(NULL, NULL)
