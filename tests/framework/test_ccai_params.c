/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_params.c: what parameters accept, refuse and print. */
#include "tests/lib/test.h"

#include <locale.h>
#include <math.h>

#include "framework/assembly/params.h"

static const struct cca_param_decl decls[] = {
    {.name = "i", .type = CCA_INT, .value = "1"},
    {.name = "l", .type = CCA_LONG, .value = "-1", .low = "-5", .high = "0x10"},
    {.name = "d", .type = CCA_DOUBLE, .value = "0.1"},
    {.name = "e", .type = CCA_DOUBLE, .value = "1", .low = "0", .high = "1e3"},
    {.name = "f", .type = CCA_FLOAT, .value = "0.5", .low = "-1e3", .high = "0.1e4"},
    {.name = "b", .type = CCA_BOOL, .value = "no"},
    {.name = "s", .type = CCA_STRING, .value = ""},
    {.name = "c", .type = CCA_STRING, .value = "b", .choices = "a|b|cc"},
    {.name = "r",
     .type = CCA_STRING,
     .value = "",
     .choices = "|rows|auto:1..18446744073709551600|8..12K|..|x..9"},
    {0}};

#define EXPECT_R                                                                         \
    "parameter 'r' of 'who' is empty or one of "                                         \
    "rows|auto:1..18446744073709551600|8..12K|..|x..9, "

TEST(each_text_is_accepted_or_refused)
{
    static const struct {
        const char *name, *value;
        int status;
        const char *text; /* afterwards, or the words of the error */
        /* clang-format off */
    } cases[] = {
        {"i", "42", 0, "42"}, {"i", "+42", 0, "42"}, {"i", "-0x1f", 0, "-31"},
        {"i", "2147483647", 0, "2147483647"},
        {"i", "2147483648", -ERANGE, "parameter 'i' of 'who': '2147483648' does not fit its type"},
        {"i", "1e6", -EINVAL, "parameter 'i' of 'who' is an integer, found '1e6'"},
        {"i", "", -EINVAL, "parameter 'i' of 'who' is an integer, found ''"},
        {"i", " 1", -EINVAL, "parameter 'i' of 'who' is an integer, found ' 1'"},
        {"i", "1 ", -EINVAL, "parameter 'i' of 'who' is an integer, found '1 '"},
        {"i", "-", -EINVAL, "parameter 'i' of 'who' is an integer, found '-'"},
        {"i", "- 1", -EINVAL, "parameter 'i' of 'who' is an integer, found '- 1'"},
        {"i", "1.0", -EINVAL, "parameter 'i' of 'who' is an integer, found '1.0'"},
        {"i", "one", -EINVAL, "parameter 'i' of 'who' is an integer, found 'one'"},
        {"l", "16", 0, "16"},
        {"l", "17", -ERANGE, "parameter 'l' of 'who' lies between -5 and 0x10, found '17'"},
        {"l", "-6", -ERANGE, "parameter 'l' of 'who' lies between -5 and 0x10, found '-6'"},
        {"l", "99999999999999999999", -ERANGE,
         "parameter 'l' of 'who' lies between -5 and 0x10, found '99999999999999999999'"},
        {"d", "0.1", 0, "0.1"}, {"f", "0.1", 0, "0.1"}, {"f", "0.10000000149", 0, "0.1"},
        {"f", "1e3", 0, "1000"},
        {"f", "1000.0001", -ERANGE, "parameter 'f' of 'who' lies between -1e3 and 0.1e4, found '1000.0001'"},
        {"f", "1e39", -ERANGE, "parameter 'f' of 'who' lies between -1e3 and 0.1e4, found '1e39'"},
        {"f", "inf", -EINVAL, "parameter 'f' of 'who' is a finite number, found 'inf'"},
        {"f", "", -EINVAL, "parameter 'f' of 'who' is a finite number, found ''"},
        {"d", "1e6", 0, "1000000"}, {"d", "-2.5E-3", 0, "-0.0025"},
        {"d", "0x1p-1", 0, "0.5"}, {"d", "1e-320", 0, "9.99988867182683e-321"},
        {"d", "1e999", -ERANGE, "parameter 'd' of 'who': '1e999' does not fit its type"},
        {"d", "nan", -EINVAL, "parameter 'd' of 'who' is a finite number, found 'nan'"},
        {"d", "nan(7)", -EINVAL, "parameter 'd' of 'who' is a finite number, found 'nan(7)'"},
        {"d", "inf", -EINVAL, "parameter 'd' of 'who' is a finite number, found 'inf'"},
        {"d", "-INFINITY", -EINVAL, "parameter 'd' of 'who' is a finite number, found '-INFINITY'"},
        {"d", "0,5", -EINVAL, "parameter 'd' of 'who' is a finite number, found '0,5'"},
        {"d", " 1", -EINVAL, "parameter 'd' of 'who' is a finite number, found ' 1'"},
        {"d", "1s", -EINVAL, "parameter 'd' of 'who' is a finite number, found '1s'"},
        {"d", "", -EINVAL, "parameter 'd' of 'who' is a finite number, found ''"},
        {"e", "1000", 0, "1000"},
        {"e", "1000.0000000001", -ERANGE, "parameter 'e' of 'who' lies between 0 and 1e3, found '1000.0000000001'"},
        {"b", "true", 0, "true"}, {"b", "off", 0, "false"}, {"b", "1", 0, "true"},
        {"b", "2", -EINVAL, "parameter 'b' of 'who' is true or false, found '2'"},
        {"b", "True", -EINVAL, "parameter 'b' of 'who' is true or false, found 'True'"},
        {"s", "any  thing\n", 0, "any  thing\n"}, {"c", "cc", 0, "cc"},
        {"c", "c", -EINVAL, "parameter 'c' of 'who' is one of a|b|cc, found 'c'"},
        {"c", "", -EINVAL, "parameter 'c' of 'who' is one of a|b|cc, found ''"},
        {"c", "a|b", -EINVAL, "parameter 'c' of 'who' is one of a|b|cc, found 'a|b'"},
        {"r", "", 0, ""}, {"r", "rows", 0, "rows"}, {"r", "auto:1", 0, "auto:1"},
        {"r", "auto:007", 0, "auto:007"},
        {"r", "auto:18446744073709551600", 0, "auto:18446744073709551600"},
        {"r", "8K", 0, "8K"}, {"r", "12K", 0, "12K"}, {"r", "..", 0, ".."},
        {"r", "x..9", 0, "x..9"},
        {"r", "row", -EINVAL, EXPECT_R "found 'row'"},
        {"r", "rowss", -EINVAL, EXPECT_R "found 'rowss'"},
        {"r", "auto", -EINVAL, EXPECT_R "found 'auto'"},
        {"r", "auto:", -EINVAL, EXPECT_R "found 'auto:'"},
        {"r", "auto:0", -EINVAL, EXPECT_R "found 'auto:0'"},
        {"r", "auto:18446744073709551601", -EINVAL, EXPECT_R "found 'auto:18446744073709551601'"},
        {"r", "auto:99999999999999999999", -EINVAL, EXPECT_R "found 'auto:99999999999999999999'"},
        {"r", "auto:1x", -EINVAL, EXPECT_R "found 'auto:1x'"},
        {"r", "auto:-1", -EINVAL, EXPECT_R "found 'auto:-1'"},
        {"r", "auto:+1", -EINVAL, EXPECT_R "found 'auto:+1'"},
        {"r", "auto: 1", -EINVAL, EXPECT_R "found 'auto: 1'"},
        {"r", "7K", -EINVAL, EXPECT_R "found '7K'"},
        {"r", "13K", -EINVAL, EXPECT_R "found '13K'"},
        {"r", "8", -EINVAL, EXPECT_R "found '8'"},
        {"r", "K", -EINVAL, EXPECT_R "found 'K'"},
        {"r", "10k", -EINVAL, EXPECT_R "found '10k'"},
        {"r", "x5", -EINVAL, EXPECT_R "found 'x5'"},
        {"r", "auto:1..18446744073709551600", -EINVAL, EXPECT_R "found 'auto:1..18446744073709551600'"},
        {"C", "a", -ENOENT, "'who' has no parameter 'C'"},
    };
    /* clang-format on */
    struct cca_params params;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cca_error err = {0};
        char *before = NULL;

        assert_int_equal(cca_params_init(&params, decls, "Class", &err), 0);
        if (cca_params_find(&params, cases[i].name, NULL))
            before = strdup(cca_params_find(&params, cases[i].name, NULL)->text);
        assert_int_equal(
            cca_params_set(&params, cases[i].name, cases[i].value, "who", &err),
            cases[i].status);
        if (cases[i].status != -ENOENT)
            assert_string_equal(cases[i].status
                                    ? err.text
                                    : cca_params_find(&params, cases[i].name, NULL)->text,
                                cases[i].text);
        if (cases[i].status && before)
            assert_string_equal(cca_params_find(&params, cases[i].name, NULL)->text,
                                before);
        free(before);
        cca_params_done(&params);
    }
}

TEST(doubles_read_back_as_printed)
{
    static const double values[] = {0.1,    1.0 / 3, 1e300,
                                    5e-324, -0.0,    123456789.123456789};
    struct cca_params params;
    unsigned seed = 7;

    assert_int_equal(cca_params_init(&params, decls, "Class", NULL), 0);
    for (size_t i = 0; i < 2000; i++) {
        double value, back;
        char text[64];

        if (i < sizeof values / sizeof values[0]) {
            value = values[i];
        } else {
            seed = seed * 1103515245u + 12345u;
            value = ldexp((double)seed, (int)(seed >> 16) % 600 - 300);
        }
        snprintf(text, sizeof text, "%.17g", value);
        assert_int_equal(cca_params_set(&params, "d", text, "who", NULL), 0);
        back = strtod(cca_params_find(&params, "d", NULL)->text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
    cca_params_done(&params);
}

/* Whatever the program's locale: the decimal point is a point. Where no locale with a
 * comma is installed one is made. */
TEST(the_locale_does_not_matter)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
    char dir[] = "/tmp/ccai_params.XXXXXX", command[200];
    struct cca_params params;
    const char *set = NULL;

    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < 4 && !set; i++)
        set = setlocale(LC_NUMERIC, commas[i]);
    if (!set) {
        snprintf(command, sizeof command,
                 "localedef -i de_DE -f ISO-8859-1 %s/comma >/dev/null 2>&1", dir);
        setenv("LOCPATH", dir, 1);
        if (!system(command))
            set = setlocale(LC_NUMERIC, "comma");
        unsetenv("LOCPATH");
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    if (!set)
        skip();
    assert_int_equal(cca_params_init(&params, decls, "Class", NULL), 0);
    assert_int_equal(cca_params_set(&params, "d", "2.5", "who", NULL), 0);
    assert_string_equal(cca_params_find(&params, "d", NULL)->text, "2.5");
    assert_int_equal(cca_params_set(&params, "d", "2,5", "who", NULL), -EINVAL);
    cca_params_done(&params);
    setlocale(LC_NUMERIC, "C");
}

TEST(wrong_declarations_are_named)
{
    static const struct {
        struct cca_param_decl decl;
        const char *words;
        /* clang-format off */
    } cases[] = {
        {{.name = "a.b", .type = CCA_INT, .value = "1"},
         "class 'C' declares parameter 'a.b': its name is not made of letters, digits, '_' and '-'"},
        {{.name = "a", .type = CCA_FCOMPLEX, .value = "1"},
         "class 'C' declares parameter 'a': it has a type that parameters do not have"},
        {{.name = "a", .type = CCA_INT}, "class 'C' declares parameter 'a': it has no default"},
        {{.name = "a", .type = CCA_INT, .value = "x"}, "parameter 'a' of 'C' is an integer, found 'x'"},
        {{.name = "a", .type = CCA_INT, .value = "1", .low = "x"},
         "class 'C' declares parameter 'a': its bounds are not of its type"},
        {{.name = "a", .type = CCA_INT, .value = "1", .low = "2"}, "parameter 'a' of 'C' is at least 2, found '1'"},
        {{.name = "a", .type = CCA_INT, .value = "1", .high = "0"}, "parameter 'a' of 'C' is at most 0, found '1'"},
        {{.name = "a", .type = CCA_BOOL, .value = "1", .high = "0"},
         "class 'C' declares parameter 'a': it has bounds and is no number"},
        {{.name = "i", .type = CCA_BOOL, .value = "1"}, "class 'C' declares parameter 'i': it is declared twice"},
    };
    /* clang-format on */
    struct cca_params params;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cca_param_decl wrong[] = {decls[0], cases[i].decl, {0}};
        struct cca_error err = {0};

        assert_int_not_equal(cca_params_init(&params, wrong, "C", &err), 0);
        assert_string_equal(err.text, cases[i].words);
        cca_params_done(&params);
    }
    assert_int_equal(cca_params_init(&params, NULL, "C", NULL), 0);
    assert_int_equal(params.count, 0);
}

TESTS(NULL, NULL)
