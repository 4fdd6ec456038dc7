/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_table.c: the hash table and the list, against a plain array that does the
 * same. */
#include "tests/lib/test.h"

#include "framework/base/list.h"
#include "framework/base/table.h"

enum { KEYS = 500, STEPS = 100000 };

TEST(puts_finds_and_removals_agree_with_an_array)
{
    static char keys[KEYS][16];
    static int present[KEYS];
    struct cca_table table = {0};
    size_t count = 0;
    unsigned seed = 1;

    for (int i = 0; i < KEYS; i++)
        snprintf(keys[i], sizeof keys[i], "key-%d", i);
    for (int step = 0; step < STEPS; step++) {
        int i = (int)((seed = seed * 1103515245u + 12345u) >> 16) % KEYS;

        if (seed & 1u << 30) {
            assert_int_equal(cca_table_put(&table, keys[i], keys[i]),
                             present[i] ? -EEXIST : 0);
            count += !present[i];
            present[i] = 1;
        } else {
            cca_table_remove(&table, keys[i]);
            count -= present[i];
            present[i] = 0;
        }
        i = (i * 7 + step) % KEYS;
        assert_ptr_equal(cca_table_find(&table, keys[i]), present[i] ? keys[i] : NULL);
        assert_int_equal(table.count, count);
    }
    for (int i = 0; i < KEYS; i++)
        assert_ptr_equal(cca_table_find(&table, keys[i]), present[i] ? keys[i] : NULL);
    cca_table_done(&table);
    assert_null(cca_table_find(&table, "key-1"));
}

struct element {
    struct cca_link link;
    int number;
};

static int number_at(struct cca_list *list, size_t index)
{
    struct cca_link *link = cca_list_at(list, index);

    return link ? ((struct element *)(void *)link)->number : -1;
}

TEST(a_list_is_walked_by_number)
{
    struct element elements[6];
    struct cca_list list;

    cca_list_init(&list);
    assert_null(cca_list_first(&list));
    assert_null(cca_list_last(&list));
    for (int i = 0; i < 6; i++) {
        elements[i].number = i;
        cca_list_append(&list, &elements[i].link);
        assert_int_equal(number_at(&list, (size_t)i), i);
    }
    assert_int_equal(number_at(&list, 2), 2);
    assert_int_equal(number_at(&list, 5), 5);
    assert_int_equal(number_at(&list, 6), -1);
    cca_list_remove(&list, &elements[2].link);
    assert_int_equal(number_at(&list, 1), 1);
    assert_int_equal(number_at(&list, 2), 3);
    cca_list_remove(&list, &elements[5].link);
    assert_int_equal(number_at(&list, 4), -1);
    assert_ptr_equal(cca_list_last(&list), &elements[4].link);
    assert_ptr_equal(cca_list_before(&list, &elements[3].link), &elements[1].link);
    assert_null(cca_list_before(&list, &elements[0].link));
    assert_null(cca_list_next(&list, &elements[4].link));
}

TESTS(NULL, NULL)
