/* SPDX-License-Identifier: BSD-3-Clause */
/* deep_calls.c: calls deep.h, and prints what each call should be recorded with: in the words of
 * tests/headers/compare.py. It knows nothing of measuring.
 *
 *     deep_calls            all kinds of calls
 *     deep_calls THREADS    handles that are made, used and ended in so many threads at once */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deep.h"

/* --- Places ------------------------------------------------------------------------------- */

/* "name=number", or "name" alone where there is none. */
static void tell(const char *name, int there, double value)
{
    printf(there ? " %s=%.17g" : " %s", name, value);
}

static void visit(deep_node_t *list, const char *kind, enum deep_colour colour, bool on,
                  const int *v, size_t count, struct deep_point by, char trans, long *seen)
{
    const deep_node_t *next = list ? list->next : NULL;
    long result;

    errno = 77;
    result = deep_visit(list, kind, colour, on, v, count, by, trans, seen);
    if (errno != 77)
        exit(9);
    printf("deep_visit");
    tell("second", next != NULL, next ? next->n : 0);
    tell("rows", list != NULL, list ? list->dims[1] * 4 : 0);
    tell("any", list && list->n >= 0 && list->n < 4,
         list && list->n >= 0 && list->n < 4 ? list->dims[list->n] : 0);
    tell("x", list != NULL, by.x + (list ? list->at.y : 0));
    tell("bits", list != NULL, list ? (double)list->low + 2.0 * list->high - list->wide : 0);
    tell("length", kind != NULL, kind ? (double)strlen(kind) : 0);
    tell("title", list && list->title, list && list->title ? (double)strnlen(list->title, 5) : 0);
    tell("bytes", 1, (double)(sizeof *list * count + sizeof *list + sizeof(struct deep_point)));
    tell("v", v && list, (v ? v[2] : 0) + (list ? (double)list->second : 0));
    printf(" colour=%d on=%d", (int)colour, on);
    printf(" kind=%d", !kind ? -2 : strcmp(kind, "fast") == 0 ? 0 : strcmp(kind, "slow") == 0 ? 1 : -1);
    tell("name", list != NULL,
         !list || (strncmp(list->name, "abcdefgh", 8) != 0 && strcmp(list->name, "abc") != 0)
             ? -1
             : strcmp(list->name, "abc") != 0);
    printf(" trans=%d big=%d green=%d", trans, !list ? 2 : list->n > 10, colour == DEEP_GREEN);
    tell("result", 1, (double)result);
    tell("seen", seen != NULL, seen ? (double)*seen : 0);
    tell("last", result < 0 ? seen != NULL : next != NULL,
         result < 0 ? seen ? (double)*seen : 0 : next ? next->n : 0);
    tell("found", result == 0 || list, result && list && list->title);
    putchar('\n');
}

static void visits(void)
{
    deep_node_t second = {.n = 40, .name = "abcd", .title = "x"};
    deep_node_t first = {.next = &second, .n = 3,    .dims = {7, -8, 9, 10}, .at = {1.5, -2.25},
                         .low = 5,        .high = 1234, .wide = -3,          .name = "abcdefgh",
                         .second = 1L << 40, .title = "a long title"};
    const int v[3] = {1, 2, -3};
    struct deep_point by = {0.125, 3};
    long seen = 5;

    visit(&first, "fast", DEEP_RED, true, v, 10, by, 'N', &seen);
    visit(&second, "slow", DEEP_GREEN, false, v, 0, by, 'T', &seen);
    visit(NULL, NULL, DEEP_BLUE, true, NULL, 1, by, '*', NULL);
    visit(NULL, "fas", DEEP_RED, true, v, 1, by, 'n', &seen);
    visit(&first, "faster", DEEP_RED, false, NULL, 3, by, 'N', NULL);
    first.n = 4; /* one beyond the array */
    memcpy(first.name, "abc", 4);
    visit(&first, "", (enum deep_colour)3, false, v, (size_t)1 << 40, by, 'N', &seen);
    first.n = -1;
    first.next = NULL;
    first.title = NULL;
    visit(&first, "slow ", DEEP_GREEN, true, v, 2, by, 'T', &seen);
}

/* --- Handles ------------------------------------------------------------------------------ */

static void run(deep_plan plan, int size, double weight)
{
    deep_plan_run(plan);
    printf("deep_plan_run");
    tell("size", size >= 0, size);
    tell("cost", size >= 0, weight * size);
    putchar('\n');
}

static void plans(void)
{
    deep_plan a, b, copy, none;

    a = deep_plan_make(6, 7, 0.5);
    printf("deep_plan_make\n");
    b = deep_plan_make(2, 3, 4);
    printf("deep_plan_make\n");
    run(a, 42, 0.5);
    run(b, 6, 4);
    deep_plan_copy(a, &copy);
    printf("deep_plan_copy size=42\n");
    run(copy, 42, 0.5);
    deep_plan_end(a);
    printf("deep_plan_end size=42\n");
    run(a, -1, 0); /* it has ended: absent, not 0 */
    run(copy, 42, 0.5);
    a = deep_plan_make(1, 1, 1); /* where the first one was */
    printf("deep_plan_make\n");
    run(a, 1, 1);
    deep_plan_drop(&a);
    if (deep_plan_copy(a, &none) == 0)
        exit(9);
    printf("deep_plan_copy size\n");
    run(NULL, -1, 0);
    none = deep_plan_make(-1, 5, 1); /* makes nothing, and nothing is remembered */
    printf("deep_plan_make\n");
    run(none, -1, 0);
    a = deep_plan_make(0, 9, 1); /* 0 is remembered as such */
    printf("deep_plan_make\n");
    run(a, 0, 1);
}

static void use(int id, long size)
{
    deep_use(id);
    printf("deep_use");
    tell("size", size >= 0, (double)size);
    putchar('\n');
}

static void numbers(void)
{
    int first = deep_open("a", 100), second = deep_open("b", 200), none = deep_open(NULL, 300);

    use(second, 200);
    use(first, 100); /* it is 0 */
    use(none, -1);
    use(77, -1);
    deep_close(first);
    printf("deep_close size=100\n");
    use(first, -1);
    use(second, 200);
}

/* --- Getters ------------------------------------------------------------------------------ */

static void multiply(deep_matrix a, int m, long n)
{
    deep_matrix product = NULL;
    int before, status;

    before = deep_called();
    errno = 77;
    status = deep_multiply(a, &product);
    if (errno != 99 || deep_called() <= before) /* the library's own */
        exit(9);
    printf("deep_multiply");
    tell("size", m != 13, (double)m * (double)n);
    tell("wide", m != 13 && m * (m + 1) > 20, (double)(m * (m + 1)));
    tell("norm", product != NULL, (double)n + m / 4.0);
    printf(" error=%d\n", status);
}

static void matrices(void)
{
    int m;

    multiply(deep_matrix_make(5, 8), 5, 8);
    multiply(deep_matrix_make(3, 1), 3, 1);
    multiply(deep_matrix_make(13, 2), 13, 2); /* its size is not told */
    multiply(deep_matrix_make(6, 0), 6, 0);   /* there is no product */
    deep_matrix_size(deep_matrix_make(1, 1), &m, NULL);
    printf("deep_matrix_size here=1\n");
}

/* --- Threads ------------------------------------------------------------------------------ */

static void *churn(void *argument)
{
    int seed = *(const int *)argument;

    for (int i = 0; i < 2000; i++) {
        deep_plan plans[3];

        for (int j = 0; j < 3; j++)
            plans[j] = deep_plan_make(seed + i, j + 1, seed + i);
        for (int j = 0; j < 3; j++) {
            deep_plan_run(plans[j]);
            if (j == 1)
                deep_plan_drop(&plans[j]);
            else
                deep_plan_end(plans[j]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 0, seeds[16];
    pthread_t threads[16];

    visits();
    if (!count) {
        plans();
        numbers();
        matrices();
        return 0;
    }
    for (int i = 0; i < count && i < 16; i++) {
        seeds[i] = 1 + i * 100000;
        pthread_create(&threads[i], NULL, churn, &seeds[i]);
    }
    for (int i = 0; i < count && i < 16; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
