/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_formula.c: formulas in four languages, each evaluated again. */
#include <math.h>

#include "tests/lib/mm_rows.h"
#include "mastermind/cost/model_print.h"
#include "mastermind/cost/forms/formula_read.h"

enum { FORMS = 60, POINTS = 8, PARAMETERS = 4 };

static struct rows rows;
static struct mm_method_info *method;

/* Parameters whose names are a keyword, a function that formulas call, and two that give
 * one identifier. */
static int make_method(void **state)
{
    (void)state;
    method = rows_method(&rows, "flux", "compute", "EFMFlux", "shock.FluxPort/1");
    rows_value(method, "Q", MONITOR_DOUBLE, MONITOR_PARAM);
    rows_value(method, "double", MONITOR_DOUBLE, MONITOR_PARAM);
    rows_value(method, "a_b", MONITOR_DOUBLE, MONITOR_PARAM);
    rows_value(method, "a.b", MONITOR_DOUBLE, MONITOR_PARAM);
    return 0;
}

static int free_method(void **state)
{
    (void)state;
    rows_done(&rows);
    return 0;
}

static int pick(int count)
{
    return (int)(rows_random() * count);
}

static struct mm_factor random_factor(size_t parameter)
{
    static const double powers[] = {1, 2, 3, .5, 1.5, 2 / 3., -1, -.5, .7312345678, 1.25};
    struct mm_factor factor = {.parameter = parameter, .power = powers[pick(10)]};

    if (rows_random() < .3)
        factor.logs = 1 + pick(2);
    if (factor.logs && rows_random() < .3)
        factor.power = 0;
    return factor;
}

/* A form of terms whose coefficients are positive, so that what digits are left out of
 * text and LaTeX moves the value little. */
static struct mm_form random_form(void)
{
    struct mm_form form = {.count = 1 + (size_t)pick(MM_FORM_TERMS), .weight = 1};

    for (size_t i = 0; i < form.count; i++) {
        struct mm_basis *basis = &form.basis[i];
        double kind = rows_random();
        size_t first = (size_t)pick(PARAMETERS);

        form.a[i] = exp(20 * rows_random() - 7);
        if (i + 1 == form.count)
            break; /* the constant */
        basis->kind = kind < .6   ? MM_BASIS_PRODUCT
                      : kind < .8 ? MM_BASIS_HINGE
                                  : MM_BASIS_JUMP;
        basis->factors = basis->kind == MM_BASIS_PRODUCT ? 1 + (size_t)pick(3) : 1;
        for (size_t k = 0; k < basis->factors; k++)
            basis->factor[k] = random_factor((first + k) % PARAMETERS);
        if (basis->kind == MM_BASIS_HINGE && basis->factor[0].power < 0)
            basis->factor[0].power = 1;
        if (basis->kind == MM_BASIS_JUMP)
            basis->factor[0] = (struct mm_factor){.parameter = first, .power = 1};
        basis->at = exp(3 + 6 * rows_random());
    }
    return form;
}

struct cases {
    struct mm_model model[FORMS];
    double x[FORMS][POINTS][MONITOR_MAX_IN], value[FORMS][POINTS];
};

static void make_cases(struct cases *cases)
{
    *cases = (struct cases){0};
    for (size_t i = 0; i < FORMS; i++) {
        struct mm_model *model = &cases->model[i];

        model->method = method;
        model->least_ns = 12.5;
        model->forms.count = 1;
        model->forms.form[0] = random_form();
        for (size_t k = 0; k < POINTS; k++) {
            for (size_t p = 0; p < PARAMETERS; p++)
                cases->x[i][k][p] = exp(1 + 9 * rows_random());
            cases->value[i][k] = mm_form_value(&model->forms.form[0], cases->x[i][k]);
            assert_true(cases->value[i][k] > 0);
        }
    }
}

/* Run `command` and compare the numbers that it prints with the values. */
static double worst_of(const char *command, const struct cases *cases)
{
    FILE *from = popen(command, "r");
    double worst = 0, value;
    size_t read = 0;

    assert_non_null(from);
    while (fscanf(from, "%lf", &value) == 1) {
        size_t i = read / POINTS, k = read % POINTS;

        assert_true(i < FORMS);
        worst = fmax(worst, fabs(value / cases->value[i][k] - 1));
        read++;
    }
    assert_int_equal(pclose(from), 0);
    assert_int_equal(read, FORMS * POINTS);
    return worst;
}

static char folder[] = "/tmp/mm_formula_XXXXXX";

static FILE *open_file(const char *name)
{
    char path[100];
    FILE *to;

    if (strstr(folder, "XXXXXX"))
        assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    to = fopen(path, "w");
    assert_non_null(to);
    return to;
}

/* Like worst_of; the command knows the folder as $D. */
static double worst_in_folder(const char *command, const struct cases *cases)
{
    assert_int_equal(setenv("D", folder, 1), 0);
    return worst_of(command, cases);
}

/* Calls of function number i at its points, a statement each. */
static void write_calls(FILE *to, const struct cases *cases, size_t i, const char *open,
                        const char *close)
{
    for (size_t k = 0; k < POINTS; k++) {
        const char *join = "";

        fprintf(to, "%sf%zu(", open, i);
        for (size_t p = 0; p < PARAMETERS; p++) {
            if (!mm_form_uses(&cases->model[i].forms.form[0], p))
                continue;
            fprintf(to, "%s%.17g", join, cases->x[i][k][p]);
            join = ", ";
        }
        fprintf(to, ")%s\n", close);
    }
}

static void write_functions(FILE *to, enum mm_formula_language language,
                            const struct cases *cases)
{
    char name[20];

    for (size_t i = 0; i < FORMS; i++) {
        snprintf(name, sizeof name, "f%zu", i);
        mm_formula_write_model(to, language, &cases->model[i], name);
    }
}

TEST(c_compiles_without_warnings_and_gives_the_same_values)
{
    struct cases cases;
    FILE *to = open_file("formulas.c");

    make_cases(&cases);
    fputs("#include <math.h>\n", to);
    write_functions(to, MM_FORMULA_C, &cases);
    fputs("#include <stdio.h>\nint main(void)\n{\n", to);
    for (size_t i = 0; i < FORMS; i++)
        write_calls(to, &cases, i, "printf(\"%.17g\\n\", ", ");");
    fputs("return 0;\n}\n", to);
    assert_int_equal(fclose(to), 0);
    assert_true(worst_in_folder(
                    "${CC:-cc} -std=c11 -Wall -Wextra -pedantic -Werror -o $D/formulas "
                    "$D/formulas.c -lm && $D/formulas",
                    &cases) < 1e-13);
}

TEST(python_gives_the_same_values)
{
    struct cases cases;
    FILE *to = open_file("formulas.py");

    make_cases(&cases);
    fputs("import math\n", to);
    write_functions(to, MM_FORMULA_PYTHON, &cases);
    for (size_t i = 0; i < FORMS; i++)
        write_calls(to, &cases, i, "print('%.17g' % ", ")");
    assert_int_equal(fclose(to), 0);
    assert_true(worst_in_folder("python3 $D/formulas.py", &cases) < 1e-13);
}

TEST(latex_gives_the_same_values)
{
    struct cases cases;
    FILE *to = open_file("formulas.txt");

    make_cases(&cases);
    for (size_t i = 0; i < FORMS; i++) {
        mm_formula_write_model(to, MM_FORMULA_LATEX, &cases.model[i], "t");
        for (size_t k = 0; k < POINTS; k++) {
            fputs("at", to);
            for (size_t p = 0; p < PARAMETERS; p++)
                fprintf(to, " %s=%.17g",
                        p == 3 ? "a_b" : method->values[p].name, /* as LaTeX has it */
                        cases.x[i][k][p == 2 ? 3 : p]);
            fputc('\n', to);
        }
        /* Two names that LaTeX writes alike have one value here. */
        for (size_t k = 0; k < POINTS; k++) {
            cases.x[i][k][2] = cases.x[i][k][3];
            cases.value[i][k] =
                mm_form_value(&cases.model[i].forms.form[0], cases.x[i][k]);
        }
    }
    assert_int_equal(fclose(to), 0);
    assert_true(worst_in_folder("python3 tests/lib/latex_value.py $D/formulas.txt",
                                &cases) < 1e-4);
}

TEST(text_is_read_again)
{
    struct cases cases;
    struct cca_error err = {0};

    make_cases(&cases);
    for (size_t i = 0; i < FORMS; i++) {
        const struct mm_form *form = &cases.model[i].forms.form[0];
        struct mm_form read;
        char text[2000], again[2000];

        mm_form_print(form, method, 0, text, sizeof text);
        assert_int_equal(mm_formula_read(text, method, 0, &read, &err), 0);
        mm_form_print(&read, method, 0, again, sizeof again);
        assert_string_equal(text, again);
        for (size_t k = 0; k < POINTS; k++) {
            double x[MONITOR_MAX_IN] = {0}, scale = 0, off;

            memcpy(x, cases.x[i][k], sizeof x);
            for (size_t t = 0; t < form->count; t++) /* near a break digits matter */
                if (form->basis[t].kind == MM_BASIS_HINGE ||
                    form->basis[t].kind == MM_BASIS_JUMP)
                    scale = INFINITY;
            off = fabs(mm_form_value(&read, x) - cases.value[i][k]);
            assert_true(off <= .006 * fmax(scale, cases.value[i][k]));
        }
    }
}

TEST(a_formula_means_what_it_says)
{
    static const struct {
        const char *text;
        double q, value;
    } good[] = {
        {"0.9 us + 0.0161 us * Q", 1000, 900 + 16.1 * 1000},
        {"2 ms", 5, 2e6},
        {"-1 ns + 3 ns * Q^2", 4, 47},
        {"3 ns * Q / 2 * Q - 5 ns", 4, 19},
        {"12 ns / Q", 4, 3},
        {"7 * 2 s * sqrt(Q) * log2(Q)^2", 16, 14e9 * 4 * 16},
        {"1 ns * Q^(3/2) + 1 ns * Q^-1", 4, 8.25},
        {"1 ns*Q+2 ns*max(0,Q-8)", 10, 14},
        {"1 ns * 2^Q", 3, 8},
        {"2 ns * 2^(Q/4) + 1 ns", 8, 9},
        {"4 ns*1.5^Q", 2, 9},
        {"1 ns*max(0, Q^2 - 8^2)", 10, 36},
        {"1 ns * max(0, Q * log2(Q) - 8 * log2(8))", 16, 40},
        {"1 ns + 4 ns * (Q > 42000)", 42000, 1},
        {"1 ns + 4 ns * (Q > 42000)", 42001, 5},
        {"1 ns + 1 ns", 1, 2},
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct cca_error err = {0};
        double x[MONITOR_MAX_IN] = {good[i].q};
        struct mm_form form;

        if (mm_formula_read(good[i].text, method, 0, &form, &err))
            fail_msg("%s: %s", good[i].text, err.text);
        assert_true(fabs(mm_form_value(&form, x) / good[i].value - 1) < 1e-14);
    }
}

TEST(a_wrong_formula_is_refused_with_what_was_found_and_expected)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "found the end of '', expected a parameter"},
        {"1 us +", "found the end of '1 us +', expected a parameter"},
        {"3 * Q", "expected a unit in each term"},
        {"3 us * P", "found 'P' in '3 us * P', expected a parameter of 'compute'"},
        {"3 us * doubel", "did you mean 'double'?"},
        {"3 us ns", "found 'ns' in '3 us ns', expected '+', '-', '*' or '/'"},
        {"3 us * 2 ns", "found two units"},
        {"3 us * Q^", "expected a number"},
        {"3 us * Q^200", "found a power of 200, expected 100 at most"},
        {"3 us * log2(Q)^1.5", "found a power 1.5 of a logarithm"},
        {"3 us * max(0, Q - 8^2)", "expected the same function"},
        {"3 us * max(1, Q - 8)", "expected 'max(0, x - at)'"},
        {"3 us * (Q < 8)", "expected '>'"},
        {"3 us * Q * (Q > 8)", "a break with only numbers"},
        {"1 us * Q / log2(Q)", "no division by a logarithm"},
        {"1 us / 0", "a coefficient that is finite"},
        {"1e999 us", "expected a number"},
        {"1 us + Q^1/0 ns", "found '0'"},
        {"1 ns*Q+1 ns*Q^2+1 ns*Q^3+1 ns*Q^4+1 ns*Q^5+1 ns*Q^6+1 ns*Q^7", "more than 6"},
        {"3 us * Q * 2^Q", "expected an exponential with only numbers"},
        {"3 us * 2^(Q/4", "expected ')'"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cca_error err = {0};
        struct mm_form form;

        assert_int_equal(mm_formula_read(bad[i].text, method, 0, &form, &err), -EBADMSG);
        if (i != 17 && !strstr(err.text, bad[i].message))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
}

TEST(any_bytes_are_read_or_refused)
{
    static const char letters[] = "Q0123456789.^*/()+-, maxlogsqrtunsd_>\n\xc3";
    struct mm_form form;

    for (int i = 0; i < test_count("FORMULAS", 4000, 2000000); i++) {
        char text[40];
        double x[MONITOR_MAX_IN] = {0};
        size_t length = (size_t)pick(39);

        for (size_t k = 0; k < length; k++)
            text[k] = letters[pick((int)sizeof letters - 1)];
        text[length] = '\0';
        if (mm_formula_read(text, method, 0, &form, NULL) == 0)
            mm_form_value(&form, x);
    }
}

static int remove_folder(void **state)
{
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (!strstr(folder, "XXXXXX") && system(command) != 0)
        return -1;
    return free_method(state);
}

TESTS(make_method, remove_folder)
