/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_dispatch.c: the target that a proxy chooses is that of a plain reading of the
 * rules, for random rules and values. */
#include "tests/lib/test.h"

#include <fenv.h>
#include <math.h>

#include "proxies/proxy_dispatch.h"

enum { RULES = 6, CONDITIONS = 3, TARGETS = 4, CALLS = 200, ROUNDS = 2000 };

static const struct monitor_label labels[] = {{0, "x"}, {1, "y"}};
static const struct monitor_value_decl values[] = {
    {.name = "axis", .kind = MONITOR_MODE, .labels = labels, .label_count = 2},
    {.name = "n", .type = MONITOR_INT64},
    {.name = "h", .type = MONITOR_DOUBLE},
    {.name = "done", .kind = MONITOR_OUT}};
static const struct proxy_table_method methods[] = {
    {.name = "first", .values = values, .in_count = 3, .out_count = 1},
    {.name = "plain", .unmeasured = 1},
    {.name = "second", .values = values, .in_count = 2}};

struct port {
    struct cca_port base;
    void (*first)(void), (*plain)(void), (*second)(void);
};

static const struct proxy_table table = {.port_type = "test.Port/1",
                                         .port_size = sizeof(struct port),
                                         .methods = methods,
                                         .method_count = 3};

static void nothing(void)
{
}

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static const char *const bounds[][6] = {
    {"x", "y", "0", "1", "2", "-1"},
    {"0", "3", "7.5", "-2", "9223372036854775807", "-7.5"},
    {"0", "0.5", "-1.5", "1e300", "-1e300", "4"}};

static double number(const char *bound)
{
    return strcmp(bound, "x") == 0   ? 0
           : strcmp(bound, "y") == 0 ? 1
                                     : strtod(bound, NULL);
}

static int holds(const struct dispatch_condition *condition,
                 const union monitor_value *in)
{
    const int v = condition->value[0] == 'a' ? 0 : condition->value[0] == 'n' ? 1 : 2;
    const long double x = v == 2 ? (long double)in[v].d : (long double)in[v].i;
    const long double b = v == 1 && strlen(condition->bound) > 10
                              ? (long double)INT64_MAX
                              : (long double)number(condition->bound);

    if (monitor_value_absent(in[v], v == 2 ? MONITOR_DOUBLE : MONITOR_INT64))
        return 0;
    switch (condition->relation) {
    case DISPATCH_EQUAL:
        return x == b;
    case DISPATCH_UNEQUAL:
        return x < b || x > b;
    case DISPATCH_LESS:
        return x < b;
    case DISPATCH_AT_MOST:
        return x <= b;
    case DISPATCH_MORE:
        return x > b;
    default:
        return x >= b;
    }
}

static struct dispatch_condition draw_condition(unsigned value_count)
{
    static const char *const names[] = {"axis", "n", "h"};
    const unsigned v = draw(value_count);
    struct dispatch_condition made = {names[v], (enum dispatch_relation)draw(6),
                                      bounds[v][draw(6)]};

    /* an integer is never equal to a fraction */
    if (v == 1 && strchr(made.bound, '.') && made.relation <= DISPATCH_UNEQUAL)
        made.bound = "3";
    return made;
}

static union monitor_value draw_value(int v)
{
    static const int64_t whole[] = {
        0, 1, 2, -1, 3, 7, 8, -2, -7, -8, INT64_MAX, INT64_MIN + 1, MONITOR_ABSENT};
    static const double real[] = {0, .5, -1.5, 1e300, 4, 3.9999999999999996, NAN};
    union monitor_value value;

    if (v < 2)
        value.i = whole[draw(13)];
    else if (draw(8) == 0)
        value.i = MONITOR_ABSENT_BITS;
    else
        value.d = real[draw(7)];
    return value;
}

TEST(the_first_rule_that_holds_decides)
{
    struct port ports[TARGETS];
    struct dispatch_target targets[TARGETS];
    struct dispatch_rule rules[RULES];
    struct dispatch_condition conditions[RULES][CONDITIONS];
    size_t chosen[TARGETS] = {0};

    for (int t = 0; t < TARGETS; t++) {
        ports[t] = (struct port){.first = nothing, .plain = nothing, .second = nothing};
        targets[t] = (struct dispatch_target){.port = &ports[t].base, .class_name = "C"};
    }
    state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t count = 1 + draw(RULES);
        struct proxy_dispatch *dispatch;
        struct cca_error err = {0};
        int line;

        for (size_t r = 0; r < count; r++) {
            const int second = draw(3) == 0;

            rules[r] = (struct dispatch_rule){.line = (int)r + 1,
                                              .method = second ? "second" : "first",
                                              .conditions = conditions[r],
                                              .condition_count = draw(CONDITIONS + 1),
                                              .target = draw(TARGETS)};
            for (size_t c = 0; c < rules[r].condition_count; c++)
                conditions[r][c] = draw_condition(second ? 2 : 3);
        }
        dispatch =
            proxy_dispatch_make(&table, targets, TARGETS, rules, count, &line, &err);
        assert_string_equal(err.text, "");
        assert_non_null(dispatch);
        for (int call = 0; call < CALLS / 10; call++) {
            const union monitor_value in[3] = {draw_value(0), draw_value(1),
                                               draw_value(2)};

            for (size_t m = 0; m < 2; m++) {
                size_t want = 0, found;

                for (size_t r = 0; r < count; r++) {
                    size_t c = 0;

                    if ((rules[r].method[0] == 's') != (m == 1))
                        continue;
                    while (c < rules[r].condition_count && holds(&conditions[r][c], in))
                        c++;
                    if (c == rules[r].condition_count) {
                        want = rules[r].target;
                        break;
                    }
                }
                feclearexcept(FE_ALL_EXCEPT);
                found = (size_t)(proxy_choose(dispatch, m, in) - dispatch->targets);
                assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
                assert_int_equal(found, want);
                chosen[found]++;
            }
        }
        proxy_dispatch_free(dispatch);
    }
    for (int t = 0; t < TARGETS; t++)
        assert_true(chosen[t] > 1000);
}

TEST(wrong_rules_are_named)
{
    struct port whole = {.first = nothing}; /* without "second" */
    const struct dispatch_target target = {.port = &whole.base, .class_name = "Half"};
    static const struct {
        const char *method;
        struct dispatch_condition condition;
        const char *text;
    } cases[] = {
        {"third",
         {"n", DISPATCH_LESS, "1"},
         "found 'third', expected a method of test.Port/1"},
        {"plain",
         {"n", DISPATCH_LESS, "1"},
         "plain of test.Port/1 is marked as unmeasured: its calls are only forwarded"},
        {"second", {"n", DISPATCH_LESS, "1"}, "class Half has no second"},
        {"first",
         {"m", DISPATCH_LESS, "1"},
         "found 'm', expected an in-value of first, such as axis"},
        {"first",
         {"done", DISPATCH_LESS, "1"},
         "found 'done', expected an in-value of first, such as axis"},
        {"first",
         {"axis", DISPATCH_EQUAL, "z"},
         "found 'z', expected a number or a label for axis"},
        {"first", {"n", DISPATCH_EQUAL, "1.5"}, "found '1.5', expected a number for n"},
        {"first", {"n", DISPATCH_LESS, "nan"}, "found 'nan', expected a number for n"},
        {"first", {"h", DISPATCH_LESS, "nan"}, "found 'nan', expected a number for h"},
        {"first", {"h", DISPATCH_LESS, "inf"}, "found 'inf', expected a number for h"},
        {"first", {"h", DISPATCH_LESS, "1 m"}, "found '1 m', expected a number for h"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct dispatch_rule rule = {.line = 7,
                                           .method = cases[i].method,
                                           .conditions = &cases[i].condition,
                                           .condition_count = 1};
        struct cca_error err = {0};
        int line = 0;

        assert_null(proxy_dispatch_make(&table, &target, 1, &rule, 1, &line, &err));
        assert_int_equal(line, 7);
        assert_string_equal(err.text, cases[i].text);
    }
}

TESTS(NULL, NULL)
