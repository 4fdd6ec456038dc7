/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_property.c: properties from text and back, of every type. */
#include "tests/lib/test.h"

#include <float.h>

#include "framework/assembly/properties.h"

/* What a value reads as, or why it does not. */
TEST(each_text_is_taken_or_refused)
{
    static const struct {
        const char *type, *text;
        int status;
        const char *read; /* back, or the words of the error */
    } cases[] = {
        {"Int", "-7", 0, "-7"},
        {"Int", "2147483648", -ERANGE, "'2147483648' is no value of type Int"},
        {"Float", "0.1", 0, "0.1"},
        {"Float", "16777217", 0, "16777216"}, /* the nearest float */
        {"Float", "1.000000059604644775390625001", 0,
         "1.0000001"}, /* past the middle of two */
        {"Float", "1e39", -ERANGE, "'1e39' is no value of type Float"},
        {"Float", "nan", -EINVAL, "'nan' is no value of type Float"},
        {"Float", "1 2", -EINVAL, "'1 2' is no value of type Float"},
        {"Double", "1e39", 0, "1e+39"},
        {"Fcomplex", "(0.1,-2)", 0, "(0.1,-2)"},
        {"Fcomplex", "3", 0, "(3,0)"},
        {"Fcomplex", "(3)", -EINVAL, "'(3)' is no value of type Fcomplex"},
        {"Fcomplex", "1,2", -EINVAL, "'1,2' is no value of type Fcomplex"},
        {"Fcomplex", "(1,2", -EINVAL, "'(1,2' is no value of type Fcomplex"},
        {"Fcomplex", "(1,1e39)", -ERANGE, "'(1,1e39)' is no value of type Fcomplex"},
        {"Fcomplex", "(,)", -EINVAL, "'(,)' is no value of type Fcomplex"},
        {"Dcomplex", "(1e39,1e-300)", 0, "(1e+39,1e-300)"},
        {"Dcomplex", "", -EINVAL, "'' is no value of type Dcomplex"},
        {"Dcomplex", "(", -EINVAL, "'(' is no value of type Dcomplex"},
        {"Bool", "yes", 0, "true"},
        {"String", " two  \"words\" ", 0, " two  \"words\" "},
        {"String", "", 0, ""},
        {"IntArray", " 1  -2 0x10 ", 0, "1 -2 16"},
        {"IntArray", "", 0, ""},
        {"IntArray", "1 two", -EINVAL, "'1 two' is no value of type IntArray"},
        {"IntArray", "1 \"2\"", 0, "1 2"},
        {"LongArray", "9223372036854775807 0", 0, "9223372036854775807 0"},
        {"FloatArray", "0.1 1e-45", 0, "0.1 1.4013e-45"},
        {"DoubleArray", "0.1 .5", 0, "0.1 0.5"},
        {"FcomplexArray", "(1,2) 3", 0, "(1,2) (3,0)"},
        {"DcomplexArray", "(1,2) (0.1,0)", 0, "(1,2) (0.1,0)"},
        {"DcomplexArray", "(1,2) (0.1, 0)", -EINVAL,
         "'(1,2) (0.1, 0)' is no value of type DcomplexArray"},
        {"BoolArray", "yes no 1", 0, "true false true"},
        {"StringArray", "a \"b c\" \"\" \"q\\\"\\\\\" d\\e", 0,
         "a \"b c\" \"\" q\"\\ d\\e"},
        {"StringArray", "\"\\\"\"", 0, "\"\\\"\""},
        {"StringArray", "a \"b", -EINVAL, "'a \"b' is no value of type StringArray"},
        {"StringArray", "\"a\"b", -EINVAL, "'\"a\"b' is no value of type StringArray"},
        {"StringArray", "\"a\\", -EINVAL, "'\"a\\' is no value of type StringArray"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cca_typemap *map = cca_typemap_new();
        struct cca_error err = {0};
        enum cca_type type = cca_property_type(cases[i].type, &err);
        char *text;

        assert_int_equal(err.code, 0);
        assert_string_equal(cca_property_type_name(type), cases[i].type);
        assert_int_equal(cca_property_put(map, "key", type, cases[i].text, &err),
                         cases[i].status);
        if (cases[i].status) {
            assert_string_equal(err.text, cases[i].read);
            assert_int_equal(err.exception, CCA_EXCEPTION_BAD_PROPERTIES);
            assert_int_equal(cca_typemap_type_of(map, "key"), CCA_NONE);
        } else {
            assert_int_equal(cca_typemap_type_of(map, "key"), type);
            text = cca_property_text(map, "key");
            assert_string_equal(text, cases[i].read);
            /* What is printed reads as the same. */
            assert_int_equal(cca_property_put(map, "key", type, text, &err), 0);
            free(text);
            text = cca_property_text(map, "key");
            assert_string_equal(text, cases[i].read);
            free(text);
        }
        cca_typemap_free(map);
    }
}

TEST(values_are_those_that_components_read)
{
    struct cca_typemap *map = cca_typemap_new();
    const char *const *strings;
    const double *dcomplex;
    const float *fcomplex;
    const int *bools;
    size_t count;

    assert_int_equal(cca_property_put(map, "f", CCA_FLOAT, "0.1", NULL), 0);
    assert_true(cca_typemap_get_float(map, "f", 0) == 0.1f);
    assert_int_equal(cca_property_put(map, "fc", CCA_FCOMPLEX, "(1.5,-2)", NULL), 0);
    fcomplex = cca_typemap_get_fcomplex(map, "fc", NULL);
    assert_true(fcomplex[0] == 1.5f && fcomplex[1] == -2.0f);
    assert_int_equal(
        cca_property_put(map, "dc", CCA_DCOMPLEX_ARRAY, "(1,2) (3,0.1)", NULL), 0);
    dcomplex = cca_typemap_get_array(map, "dc", CCA_DCOMPLEX_ARRAY, &count);
    assert_int_equal(count, 2);
    assert_true(dcomplex[2] == 3 && dcomplex[3] == 0.1);
    assert_int_equal(
        cca_property_put(map, "s", CCA_STRING_ARRAY, "one \"two three\"", NULL), 0);
    strings = cca_typemap_get_array(map, "s", CCA_STRING_ARRAY, &count);
    assert_int_equal(count, 2);
    assert_string_equal(strings[0], "one");
    assert_string_equal(strings[1], "two three");
    assert_int_equal(cca_property_put(map, "b", CCA_BOOL_ARRAY, "on off", NULL), 0);
    bools = cca_typemap_get_array(map, "b", CCA_BOOL_ARRAY, &count);
    assert_true(count == 2 && bools[0] == 1 && bools[1] == 0);
    cca_typemap_free(map);
}

TEST(a_property_keeps_its_type)
{
    struct cca_typemap *map = cca_typemap_new();
    struct cca_error err = {0};
    char *text;

    assert_int_equal(cca_typemap_put_array(map, "k", CCA_INT_ARRAY, NULL, 0), 0);
    assert_int_equal(cca_property_put(map, "k", CCA_INT, "1", &err), -EEXIST);
    assert_string_equal(err.text,
                        "property 'k' is of type IntArray, found a value of type Int");
    text = cca_property_text(map, "k");
    assert_string_equal(text, "");
    free(text);
    text = cca_property_text(map, "none");
    assert_string_equal(text, "");
    free(text);
    err = (struct cca_error){0};
    assert_int_equal(cca_property_put(map, "", CCA_INT, "1", &err), -EINVAL);
    assert_string_equal(err.text, "the name of a property is empty");
    err = (struct cca_error){0};
    assert_int_equal(cca_property_type("Array", &err), CCA_NONE);
    assert_non_null(strstr(err.text, "'Array' is no type of a property; expected Int, "));
    assert_null(cca_property_type_name(CCA_NONE));
    cca_typemap_free(map);
}

/* Random floats, doubles and strings read back as they were, bit for bit. */
TEST(what_is_printed_reads_back)
{
    static const char letters[] = "ab \t\"\\'$";
    enum { ROUNDS = 2000, MOST = 6 };
    struct cca_typemap *map = cca_typemap_new(), *back = cca_typemap_new();

    srand(7);
    for (int i = 0; i < ROUNDS; i++) {
        float f = (float)(rand() - RAND_MAX / 2) * (float)(1 << (rand() % 30)) / 3.0f;
        double pair[2] = {f / 7.0 * DBL_MIN * (rand() % 100), rand() / 3.0};
        char words[MOST][8];
        const char *strings[MOST], *const *read;
        size_t count = (size_t)rand() % MOST, found;
        char *text;

        for (size_t k = 0; k < count; k++) {
            size_t length = (size_t)rand() % 7;

            for (size_t c = 0; c < length; c++)
                words[k][c] = letters[(size_t)rand() % (sizeof letters - 1)];
            words[k][length] = '\0';
            strings[k] = words[k];
        }
        assert_int_equal(cca_typemap_put_float(map, "f", f), 0);
        assert_int_equal(cca_typemap_put_dcomplex(map, "d", pair), 0);
        assert_int_equal(
            cca_typemap_put_array(map, "s", CCA_STRING_ARRAY, strings, count), 0);
        for (size_t k = 0; k < 3; k++) {
            const char *key = cca_typemap_key(map, k);

            text = cca_property_text(map, key);
            assert_non_null(text);
            assert_int_equal(
                cca_property_put(back, key, cca_typemap_type_of(map, key), text, NULL),
                0);
            free(text);
        }
        assert_true(cca_typemap_get_float(back, "f", 0) == f);
        assert_memory_equal(cca_typemap_get_dcomplex(back, "d", NULL), pair, sizeof pair);
        read = cca_typemap_get_array(back, "s", CCA_STRING_ARRAY, &found);
        assert_int_equal(found, count);
        for (size_t k = 0; k < count; k++)
            assert_string_equal(read[k], strings[k]);
    }
    cca_typemap_free(map);
    cca_typemap_free(back);
}

TESTS(NULL, NULL)
