/* SPDX-License-Identifier: BSD-3-Clause */
/* best_list.c: a heap of assignments, the worst first. */
#include "mastermind/choice/exact/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void mm_best_list_init(struct mm_best_list *list, size_t slot_count, size_t most,
                       int64_t limit)
{
    *list = (struct mm_best_list){.slot_count = slot_count, .most = most, .limit = limit};
}

void mm_best_list_done(struct mm_best_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].chosen);
    for (size_t i = 0; i < list->older_count; i++)
        free(list->older[i].chosen);
    free(list->items);
    free(list->older);
    list->items = list->older = NULL;
    list->older_count = list->count = list->capacity = 0;
}

int64_t mm_best_list_cutoff(const struct mm_best_list *list)
{
    return list->count == list->most ? list->items[0].cost : list->limit;
}

double mm_best_list_value(const struct mm_best_list *list)
{
    return list->count == list->most ? list->items[0].value : INFINITY;
}

static int is_worse(const struct mm_found *a, const struct mm_found *b)
{
    return a->cost != b->cost ? a->cost > b->cost : a->value > b->value;
}

static void swap(struct mm_found *a, struct mm_found *b)
{
    struct mm_found c = *a;

    *a = *b;
    *b = c;
}

static void sift_up(struct mm_best_list *list, size_t at)
{
    while (at && is_worse(&list->items[at], &list->items[(at - 1) / 2])) {
        swap(&list->items[at], &list->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct mm_best_list *list)
{
    size_t at = 0;

    for (;;) {
        size_t worst = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < list->count && is_worse(&list->items[child], &list->items[worst]))
                worst = child;
        if (worst == at)
            return;
        swap(&list->items[at], &list->items[worst]);
        at = worst;
    }
}

int mm_best_list_offer(struct mm_best_list *list, int64_t cost, double value,
                       const size_t *chosen)
{
    struct mm_found found = {cost, value, NULL};
    struct mm_found *at;

    if (cost > list->limit)
        return 0;
    if (list->count == list->most) {
        if (!is_worse(&list->items[0], &found))
            return 0;
        at = &list->items[0];
    } else {
        found.chosen = malloc(list->slot_count * sizeof *found.chosen);
        if (!found.chosen || cca_array_extend(&list->items, &list->capacity,
                                              sizeof *list->items, list->count + 1)) {
            free(found.chosen);
            return -ENOMEM;
        }
        at = &list->items[list->count++];
        *at = found;
    }
    at->cost = cost;
    at->value = value;
    for (size_t i = 0; i < list->slot_count; i++)
        at->chosen[i] = (uint16_t)chosen[i];
    if (at == &list->items[0])
        sift_down(list);
    else
        sift_up(list, list->count - 1);
    return 0;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct mm_found *a = left, *b = right;
    const struct mm_best_list *list = context;

    if (is_worse(a, b) || is_worse(b, a))
        return is_worse(a, b) ? 1 : -1;
    for (size_t i = 0; i < list->slot_count; i++)
        if (a->chosen[i] != b->chosen[i])
            return a->chosen[i] < b->chosen[i] ? -1 : 1;
    return 0;
}

/* Remove duplicate assignments from the sorted list, and assignments after the first
 * `most`. */
static void drop_repeats(struct mm_best_list *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (count == list->most ||
            (count && !compare(&list->items[count - 1], &list->items[i], list)))
            free(list->items[i].chosen);
        else
            list->items[count++] = list->items[i];
    }
    list->count = count;
}

int mm_best_list_sort(struct mm_best_list *list)
{
    if (list->older_count) {
        if (cca_array_extend(&list->items, &list->capacity, sizeof *list->items,
                             list->count + list->older_count))
            return -ENOMEM;
        memcpy(list->items + list->count, list->older,
               list->older_count * sizeof *list->older);
        list->count += list->older_count;
        list->older_count = 0;
    }
    if (list->count)
        qsort_r(list->items, list->count, sizeof *list->items, compare, list);
    drop_repeats(list);
    return 0;
}

int mm_best_list_restart(struct mm_best_list *list)
{
    if (mm_best_list_sort(list) < 0)
        return -ENOMEM;
    if (list->count == list->most)
        list->limit = list->items[list->count - 1].cost - !list->ties;
    free(list->older);
    list->older = list->items;
    list->older_count = list->count;
    list->items = NULL;
    list->count = list->capacity = 0;
    return 0;
}
