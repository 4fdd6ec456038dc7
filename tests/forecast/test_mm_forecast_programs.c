/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of random programs: trees of methods with exact counts and costs, modes and
 * recursion. A forecast is exact, or states that a law is none. */
#include "tests/forecast/made_runs.h"

#define METHODS 6
#define EXACT 1e-9

static const char *const names[METHODS] = {"a", "b", "c", "d", "e", "f"};

struct run_size {
    int nx, patch, steps;
};

/* Calls of a method, each time its caller is called. */
enum times { ONCE, TWICE, THRICE, PIECES, PATCHES, STEPS, TIMES };
/* Its parameter; the depth to which it calls itself; its cost. */
enum size { NO_SIZE, AREA, WIDTH, STRIP, SIDE, SIZES };
enum depth { NOT, THREE, AS_STEPS };
enum cost { CONSTANT, LINEAR, N_LOG_N, POWER, PROPORTIONAL, COSTS };

struct method {
    int caller;
    enum times times;
    enum size size;
    enum depth depth;
    enum cost cost;
    int has_mode; /* the first of its calls is of another one */
    double a, b;
};

struct program {
    struct method methods[METHODS];
};

static int times_of(const struct method *m, const struct run_size *s)
{
    int pieces = (s->nx + s->patch - 1) / s->patch;
    const int times[TIMES] = {1, 2, 3, pieces, pieces * pieces, s->steps};

    return times[m->times];
}

static double size_of(const struct method *m, const struct run_size *s)
{
    const double size[SIZES] = {0, (double)s->patch * s->patch, s->nx,
                                (double)s->nx * s->patch, s->patch};

    return size[m->size];
}

static double cost_of(const struct method *m, double q)
{
    switch (m->cost) {
    case CONSTANT:
        return m->a;
    case LINEAR:
        return m->a + m->b * q;
    case N_LOG_N:
        return m->a + m->b * q * log2(q);
    case POWER:
        return m->a + m->b * pow(q, 1.5) / 30;
    default:
        return m->b * q;
    }
}

static void call_method(struct made_run *r, const struct program *p, int at,
                        const struct run_size *s)
{
    const struct method *m = &p->methods[at];
    int times = times_of(m, s);
    int depth = m->depth == NOT ? 1 : m->depth == THREE ? 3 : s->steps;
    double q = size_of(m, s);

    for (int i = 0; i < times; i++) {
        double in[2] = {q, i == 0};

        if (!m->size)
            in[0] = in[1];
        for (int d = 0; d < depth; d++) {
            made_call(r, (size_t)at, in);
            made_work(r, cost_of(m, q) * (m->has_mode && i == 0 ? 1.5 : 1));
        }
        for (int k = at + 1; k < METHODS; k++)
            if (p->methods[k].caller == at)
                call_method(r, p, k, s);
        for (int d = 0; d < depth; d++)
            made_return(r);
    }
}

static struct made_run *program_run(const struct program *p, const struct run_size *s,
                                    int silent)
{
    struct made_run *r = made_run_new(1);

    for (int k = 0; k < METHODS; k++) {
        struct mm_method_info *m =
            rows_method(&r->rows, names[k], "run", names[k], names[k]);

        if (p->methods[k].size)
            rows_value(m, "q", MONITOR_INT64, MONITOR_PARAM);
        if (p->methods[k].has_mode)
            rows_value(m, "first", MONITOR_INT64, MONITOR_MODE);
    }
    made_variable(r, "NX", s->nx);
    made_variable(r, "PATCH", s->patch);
    made_variable(r, "STEPS", s->steps);
    r->silent = silent;
    call_method(r, p, 0, s);
    return r;
}

static int chance(int of)
{
    return (int)(of * rows_random());
}

static struct program program_new(void)
{
    struct program p = {0};

    for (int k = 0; k < METHODS; k++) {
        struct method *m = &p.methods[k];

        m->caller = k ? chance(k) : -1;
        m->times = k ? (enum times)chance(TIMES) : ONCE;
        m->size = k ? (enum size)chance(SIZES) : NO_SIZE;
        m->depth = k && !chance(5) ? (enum depth)(1 + chance(2)) : NOT;
        m->cost = m->size ? (enum cost)(1 + chance(COSTS - 1)) : CONSTANT;
        m->has_mode = !chance(4);
        m->a = 1e9 * (1 + chance(9));
        m->b = 1e7 * (1 + chance(9));
        /* Laws have up to three factors. */
        if (m->times == PATCHES && p.methods[m->caller].times >= PIECES)
            m->times = ONCE;
    }
    return p;
}

/* 1: exact; 0: off, with a law that states its interval. */
static int try_size(struct made *made, const struct program *p, const struct run_size *s)
{
    struct made_run *truth = program_run(p, s, 1);
    struct cca_error err = {0};
    struct mm_forecast *f = made_ask(made, truth, &err);
    int exact, stated = 0;

    assert_non_null(f);
    exact = fabs(f->total_ns / truth->total_ns - 1) < EXACT;
    for (size_t i = 0; i < f->doubt_count; i++)
        stated |= strncmp(f->doubts[i].name, "sums", 4) == 0 && f->doubts[i].half > EXACT;
    if (!exact && !stated)
        made_print(made, f);
    assert_true(exact || stated);
    mm_forecast_free(f);
    made_run_free(truth);
    return exact;
}

TEST(forecasts_of_random_programs_are_exact_or_state_a_law_that_is_not)
{
    static const struct run_size runs[] = {
        {16, 4, 3},  {24, 4, 5},  {32, 4, 4},   {32, 8, 7}, {48, 8, 3},  {64, 8, 6},
        {64, 16, 5}, {80, 16, 9}, {96, 16, 4},  {40, 8, 2}, {60, 12, 5}, {72, 12, 8},
        {30, 6, 4},  {54, 6, 7},  {100, 20, 3}, {60, 20, 6}};
    static const struct run_size asked[] = {{128, 16, 12}, {72, 8, 10}};
    int programs = test_count("PROGRAMS", 25, 1000), exact = 0;

    for (int i = 0; i < programs; i++) {
        struct made made = {0};
        struct program p;

        rows_seed = (uint64_t)(i + 1) * 7919;
        p = program_new();
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
            made_add(&made, program_run(&p, &runs[k], 0));
        made_learn(&made);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            exact += try_size(&made, &p, &asked[k]);
        made_done(&made);
    }
    print_message("%d of %d forecasts are exact\n", exact, 2 * programs);
    assert_true(exact >= .85 * 2 * programs);
}

TESTS(NULL, NULL)
