/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_typemap.c: typed maps keep types, order and values. */
#include "tests/test.h"

#include <errno.h>

#include "framework/assembly.h"

static void values_come_back_by_type(void **state)
{
    struct cca_typemap *map = cca_typemap_new();

    (void)state;
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

static void a_key_keeps_its_type(void **state)
{
    struct cca_typemap *map = cca_typemap_new();

    (void)state;
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

static void merging_copies(void **state)
{
    struct cca_typemap *from = cca_typemap_new(), *to = cca_typemap_new();

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_by_type),
        cmocka_unit_test(a_key_keeps_its_type),
        cmocka_unit_test(merging_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
