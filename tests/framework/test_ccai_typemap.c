/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_typemap.c: typed maps keep types, order and values. */
#include "tests/lib/test.h"

#include "framework/assembly/assembly.h"

TEST(values_come_back_by_type)
{
    struct cca_typemap *map = cca_typemap_new();

    assert_int_equal(cca_typemap_put_int(map, "i", -3), 0);
    assert_int_equal(cca_typemap_put_long(map, "l", INT64_C(1) << 40), 0);
    assert_int_equal(cca_typemap_put_double(map, "d", 2.5), 0);
    assert_int_equal(cca_typemap_put_bool(map, "b", 5), 0);
    assert_int_equal(cca_typemap_put_string(map, "s", "text"), 0);
    assert_int_equal(cca_typemap_get_int(map, "i", 0), -3);
    assert_true(cca_typemap_get_long(map, "l", 0) == INT64_C(1) << 40);
    assert_true(cca_typemap_get_double(map, "d", 0) == 2.5);
    assert_int_equal(cca_typemap_get_bool(map, "b", 0), 1);
    assert_string_equal(cca_typemap_get_string(map, "s", ""), "text");
    assert_int_equal(cca_typemap_get_int(map, "l", 17), 17);
    assert_int_equal(cca_typemap_get_int(map, "none", 18), 18);
    assert_int_equal(cca_typemap_get_int(NULL, "i", 19), 19);
    assert_int_equal(cca_typemap_type_of(map, "d"), CCA_DOUBLE);
    assert_int_equal(cca_typemap_type_of(map, "none"), CCA_NONE);
    assert_string_equal(cca_typemap_key(map, 4), "s");
    assert_null(cca_typemap_key(map, 5));
    cca_typemap_free(map);
}

TEST(a_key_keeps_its_type)
{
    struct cca_typemap *map = cca_typemap_new();

    assert_int_equal(cca_typemap_put_string(map, "k", "a"), 0);
    assert_int_equal(cca_typemap_put_string(map, "k", "b"), 0);
    assert_string_equal(cca_typemap_get_string(map, "k", ""), "b");
    assert_int_equal(cca_typemap_put_int(map, "k", 1), -EEXIST);
    assert_int_equal(cca_typemap_put_int(map, "", 1), -EINVAL);
    assert_int_equal(cca_typemap_put_string(map, "", "x"), -EINVAL);
    assert_int_equal(cca_typemap_put_int(map, "m", 1), 0);
    assert_int_equal(cca_typemap_put_string(map, "m", "x"), -EEXIST);
    assert_int_equal(cca_typemap_remove(map, "k"), 0);
    assert_int_equal(cca_typemap_remove(map, "k"), -ENOENT);
    assert_int_equal(cca_typemap_put_int(map, "k", 1), 0);
    assert_string_equal(cca_typemap_key(map, 0), "m");
    assert_string_equal(cca_typemap_key(map, 1), "k");
    cca_typemap_free(map);
    cca_typemap_free(NULL);
}

TEST(merging_copies)
{
    struct cca_typemap *from = cca_typemap_new(), *to = cca_typemap_new();

    cca_typemap_put_string(from, "s", "text");
    cca_typemap_put_double(from, "d", .5);
    assert_int_equal(cca_typemap_merge(to, from), 0);
    assert_int_equal(cca_typemap_merge(to, NULL), 0);
    cca_typemap_free(from);
    assert_string_equal(cca_typemap_get_string(to, "s", ""), "text");
    from = cca_typemap_new();
    cca_typemap_put_int(from, "s", 1);
    assert_int_equal(cca_typemap_merge(to, from), -EEXIST);
    cca_typemap_free(from);
    cca_typemap_free(to);
}

TEST(every_type_is_kept_and_cloned)
{
    const float fc[2] = {1.5f, -2};
    const double dc[2] = {0.25, 3};
    const int ints[] = {1, -2, 3}, bools[] = {1, 0};
    const int64_t longs[] = {INT64_MIN, INT64_MAX};
    const float floats[] = {0.5f};
    const double doubles[] = {0.1, 0.2};
    const float fcs[2][2] = {{1, 2}, {3, 4}};
    const double dcs[1][2] = {{5, 6}};
    const char *strings[] = {"", "two words"};
    struct cca_typemap *map = cca_typemap_new(), *clone;
    const struct {
        enum cca_type type;
        const void *values;
        size_t count, size;
    } arrays[] = {{CCA_INT_ARRAY, ints, 3, sizeof ints},
                  {CCA_LONG_ARRAY, longs, 2, sizeof longs},
                  {CCA_FLOAT_ARRAY, floats, 1, sizeof floats},
                  {CCA_DOUBLE_ARRAY, doubles, 2, sizeof doubles},
                  {CCA_FCOMPLEX_ARRAY, fcs, 2, sizeof fcs},
                  {CCA_DCOMPLEX_ARRAY, dcs, 1, sizeof dcs},
                  {CCA_BOOL_ARRAY, bools, 2, sizeof bools}};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    const char *const *texts;
    size_t count;
    char key[8];

    assert_int_equal(cca_typemap_put_float(map, "f", 0.5f), 0);
    assert_int_equal(cca_typemap_put_fcomplex(map, "fc", fc), 0);
    assert_int_equal(cca_typemap_put_dcomplex(map, "dc", dc), 0);
    for (size_t i = 0; i < ARRAYS; i++) {
        snprintf(key, sizeof key, "a%zu", i);
        assert_int_equal(
            cca_typemap_put_array(map, key, arrays[i].type, arrays[i].values, 1), 0);
        assert_int_equal(cca_typemap_put_array(map, key, arrays[i].type, arrays[i].values,
                                               arrays[i].count),
                         0);
    }
    assert_int_equal(cca_typemap_put_array(map, "s", CCA_STRING_ARRAY, strings, 2), 0);
    assert_int_equal(cca_typemap_put_array(map, "e", CCA_INT_ARRAY, NULL, 0), 0);
    assert_int_equal(cca_typemap_put_array(map, "e", CCA_LONG_ARRAY, longs, 1), -EEXIST);
    assert_int_equal(cca_typemap_put_array(map, "x", CCA_INT, ints, 1), -EINVAL);
    clone = cca_typemap_clone(map);
    assert_non_null(clone);
    cca_typemap_free(map);

    assert_true(cca_typemap_get_float(clone, "f", 0) == 0.5f);
    assert_true(cca_typemap_get_float(clone, "fc", 7) == 7);
    assert_memory_equal(cca_typemap_get_fcomplex(clone, "fc", NULL), fc, sizeof fc);
    assert_memory_equal(cca_typemap_get_dcomplex(clone, "dc", NULL), dc, sizeof dc);
    assert_null(cca_typemap_get_dcomplex(clone, "fc", NULL));
    assert_ptr_equal(cca_typemap_get_fcomplex(clone, "dc", fc), fc);
    for (size_t i = 0; i < ARRAYS; i++) {
        snprintf(key, sizeof key, "a%zu", i);
        assert_memory_equal(cca_typemap_get_array(clone, key, arrays[i].type, &count),
                            arrays[i].values, arrays[i].size);
        assert_int_equal(count, arrays[i].count);
        assert_int_equal(cca_typemap_type_of(clone, key), arrays[i].type);
    }
    texts = cca_typemap_get_array(clone, "s", CCA_STRING_ARRAY, &count);
    assert_int_equal(count, 2);
    assert_string_equal(texts[0], "");
    assert_string_equal(texts[1], "two words");
    assert_non_null(cca_typemap_get_array(clone, "e", CCA_INT_ARRAY, &count));
    assert_int_equal(count, 0);
    assert_null(cca_typemap_get_array(clone, "s", CCA_INT_ARRAY, &count));
    cca_typemap_free(clone);
    clone = cca_typemap_clone(NULL);
    assert_null(cca_typemap_key(clone, 0));
    cca_typemap_free(clone);
}

TESTS(NULL, NULL)
