/* SPDX-License-Identifier: BSD-3-Clause */
/* plug_calls.c: an awkward plug-in, called through a wrapped table and beside it; what arrives, what
 * comes back, errno, rounding and floating-point flags are the same. Prints what it called, as
 * "METHOD COUNT". plug_calls [COUNT]: so many calls of `fail`, 30,000 if not given. */
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plug_tables.h"

#define CHECK(what) \
    ((what) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what), exit(9)))

static const struct plug_ops inner, bare, second;
static int notes;

static int twice(struct plug_ops *self, int n)
{
    CHECK(self == &inner || self == &second);
    return self->limit + 2 * n;
}

static int limited(int n, const struct plug_ops *self)
{
    CHECK(self == &inner);
    return n < self->limit ? n : self->limit;
}

static int step(void *context, int n)
{
    return *(int *)context += n;
}

static int nothing(void)
{
    errno = E2BIG;
    return 7;
}

static void note(const char *text)
{
    notes += (int)strlen(text);
}

static struct point move(struct point p, union number n, _Bool flip)
{
    return (struct point){flip ? p.y + n.d : p.x, flip ? p.x : p.y + n.d, -p.weight};
}

static double _Complex turn(double _Complex z)
{
    return z * I;
}

static __int128 wide(__int128 a)
{
    return a << 1;
}

static int each(int n, const int values[3], int (*visit)(int value, void *context), void *context)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += visit(values[i], context);
    return sum;
}

static int vformat(char *to, size_t size, const char *format, va_list list)
{
    return vsnprintf(to, size, format, list);
}

static int format(char *to, size_t size, const char *text, ...)
{
    (void)text;
    return snprintf(to, size, "never: the va_list variant is called"), -1;
}

static int sum(int count, ...)
{
    va_list list;
    int total = 0;

    va_start(list, count);
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static int plus_one(int n)
{
    return n + 1;
}

static int open_object(void *context, struct plug_object **out)
{
    static struct plug_object object;

    object = (struct plug_object){&second, *(int *)context};
    *out = &object;
    return 0;
}

static void init(struct plug_object *object)
{
    object->ops = &second;
}

static struct plug_object *create(int value)
{
    static struct plug_object object;

    object = (struct plug_object){&second, value};
    return &object;
}

static const struct plug_ops *get_ops(void)
{
    return &second;
}

static int query(int which, const struct plug_ops **out)
{
    *out = which ? &second : NULL;
    return which;
}

/* Leaves everything that a call may leave. */
static int fail(int number)
{
    CHECK(fegetround() == FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    errno = number;
    return -number;
}

static void *newest(void)
{
    return (void *)&inner;
}

static const struct plug_ops inner = {
    .name = "inner", .version = 3, .flags = 0xabcdef, .next = NULL, .limit = 100,
    .twice = twice, .limited = limited, .step = step, .nothing = nothing, .note = note,
    .move = move, .turn = turn, .wide = wide, .each = each, .format = format,
    .vformat = vformat, .sum = sum, .anonymous = plus_one, .either = plus_one,
    .several = {plus_one, plus_one}, .open = open_object, .init = init, .create = create,
    .get_ops = get_ops, .query = query, .fail = fail, .later = plus_one, .newest = newest,
};
static const struct plug_ops second = {.name = "second", .version = 1, .limit = 5,
                                       .twice = twice, .later = plus_one};
static const struct plug_ops bare = {.name = "bare", .version = 3};

static int visit(int value, void *context)
{
    return value * *(int *)context;
}

static void *many(void *table)
{
    const struct plug_ops *ops = table;

    for (int i = 0; i < 1000; i++)
        CHECK(ops->anonymous(i) == i + 1);
    return plug_ops_wrap(&inner, "plug"); /* and found again while others do */
}

static void check_signatures(const plug_ops *ops)
{
    struct point p = ops->move((struct point){1, 2, 3}, (union number){.d = 0.5}, 1);
    int context = 3, values[3] = {1, 2, 3};
    char text[60];

    CHECK(p.x == 2.5 && p.y == 1 && p.weight == -3);
    CHECK(ops->turn(1 + 2 * I) == -2 + 1 * I);
    CHECK(ops->wide((__int128)1 << 100) == (__int128)1 << 101);
    CHECK(ops->each(3, values, visit, &context) == 18);
    CHECK(ops->format(text, sizeof text, "%d %s %.1f", 5, "words", 1.5) == 11);
    CHECK(strcmp(text, "5 words 1.5") == 0);
    CHECK(ops->sum(3, 1, 2, 3) == 6 && ops->sum == sum);
    CHECK(ops->either == plus_one && ops->several[1] == plus_one);
    CHECK(ops->step(&context, 4) == 7 && context == 7);
    CHECK(ops->newest() == &inner);
    ops->note("four");
    CHECK(notes == 4);
}

static void check_objects(const plug_ops *ops)
{
    plug_ops *known = plug_ops_wrap(&second, "plug");
    struct plug_object *object = NULL, own = {NULL, 0};
    const plug_ops *out = NULL;
    int context = 11;

    CHECK(ops->open(&context, &object) == 0 && object->value == 11 && object->ops == known);
    CHECK(object->ops->twice((plug_ops *)object->ops, 4) == 13);
    ops->init(&own);
    CHECK(own.ops == &second); /* not said in the sidecar */
    CHECK(ops->create(4)->ops == known && ops->get_ops() == known);
    CHECK(ops->query(1, &out) == 1 && out == known);
    CHECK(ops->query(0, &out) == 0 && out == NULL);
    CHECK(ops->query(0, &out) == 0);
    CHECK(known->later == NULL && known->newest == NULL); /* of version 1 */
}

static void check_untouched(const plug_ops *ops, int count)
{
    errno = ENOTTY;
    CHECK(ops->twice((plug_ops *)ops, 5) == 110 && errno == ENOTTY);
    CHECK(ops->limited(500, ops) == 100);
    CHECK(ops->nothing() == 7 && errno == E2BIG);
    for (int i = 1; i <= count; i++) { /* through every way that a recorder may go */
        fesetround(FE_UPWARD);
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(FE_UNDERFLOW);
        errno = 0;
        CHECK(ops->fail(i) == -i);
        CHECK(errno == i);
        CHECK(fetestexcept(FE_ALL_EXCEPT) == (FE_UNDERFLOW | FE_DIVBYZERO));
        CHECK(fegetround() == FE_UPWARD);
    }
    fesetround(FE_TONEAREST);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 30000;
    plug_ops *ops = plug_ops_wrap(&inner, "plug"), *copied = malloc(sizeof *copied);
    plug_ops *empty = plug_ops_wrap(&bare, NULL);
    pthread_t threads[4];
    void *again;

    CHECK(ops != &inner && ops->name == inner.name && ops->version == 3);
    CHECK(ops->flags == 0xabcdef && ops->limit == 100);
    CHECK(!empty->twice && !empty->nothing && !empty->format && empty->name == bare.name);
    check_signatures(ops);
    check_objects(ops);
    check_untouched(ops, count);
    CHECK(copied);
    memcpy(copied, ops, sizeof *copied); /* as libraries do */
    CHECK(copied->nothing() == 7);
    free(copied);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, many, ops);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], &again) == 0 && again == ops);
    for (int i = 0; i < 20; i++) {
        plug_ops *one = malloc(sizeof *one);

        CHECK(one);
        memcpy((void *)one, &inner, sizeof *one);
        /* 8 slots, three of which are taken. */
        CHECK((plug_ops_wrap(one, "plug") == one) == (i >= 5));
        if (i >= 5)
            free(one);
    }
    printf("move 1\nturn 1\nwide 1\neach 1\nformat 1\nstep 1\nnewest 1\nnote 1\nopen 1\ninit 1\n"
         "create 1\nget_ops 1\nquery 3\ntwice 2\nlimited 1\nnothing 2\nfail %d\nanonymous 4000\n", count);
    return 0;
}
