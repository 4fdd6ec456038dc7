/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_dispatch.h: the choice of a target in each call of a proxy, by rules about the
 * values that are known before it, in-values and hints.
 *
 *     compute: GodunovScalar when axis = x and Q <= 640
 *     compute: GodunovVector
 *
 * The bounds of all rules of a method cut each value into intervals, and thus all values
 * into cells. The rules are evaluated once for each cell. A call counts the cuts that are
 * at most its value, which gives its cell: the time is constant, as no branch depends on
 * a value.
 *
 *     axis  < 0 | 0 | 1 ..              cells   Q absent  .. 640  641 ..
 *     Q     absent | .. 640 | 641 ..    axis 0  Vector    Scalar  Vector
 *                                       axis 1  Vector    Vector  Vector
 */
#ifndef PROXIES_PROXY_DISPATCH_H
#define PROXIES_PROXY_DISPATCH_H

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "ports/dispatch_port.h"
#include "proxies/proxy_learn.h"
#include "proxies/proxy_table.h"

#define PROXY_NO_RULE UINT16_MAX

enum { PROXY_MOST_CELLS = 1 << 16 };

/* The range of a condition. */
struct proxy_test {
    union monitor_value low, high; /* both included */
    uint8_t is_double;
    uint8_t value;   /* index of the in-value */
    uint8_t outside; /* true: the value must be outside the range */
};

/* The cuts of one in-value. */
struct proxy_cuts {
    union monitor_value *cuts; /* [count] ascending; an absent value is below all */
    size_t count;
    size_t stride; /* distance of two cells that are neighbours in this value */
    uint8_t value; /* index of the in-value */
    uint8_t is_double;
};

/* The cells of a method. */
struct proxy_cells {
    struct proxy_cuts values[MONITOR_MAX_IN];
    size_t value_count; /* number of values that rules are about */
    uint16_t *targets;  /* index of the target of each cell */
    uint16_t *rules;    /* number of the rule among the method's, or PROXY_NO_RULE */
    struct proxy_learner *learner; /* NULL: rules stay as they are */
};

/* A target, and the recorder's structs for its methods. */
struct proxy_target {
    void *port;
    struct dispatch_target about;
    struct monitor_method **methods; /* of the measured methods */
};

struct proxy_dispatch {
    struct proxy_target *targets;
    size_t target_count;
    struct proxy_cells *cells; /* of each measured method */
    size_t cell_count;         /* number of elements of `cells` */
};

/* The index of a call's cell. */
static inline size_t proxy_cell(const struct proxy_cells *cells,
                                const union monitor_value *in)
{
    size_t at = 0;

    for (size_t v = 0; v < cells->value_count; v++) {
        const struct proxy_cuts *cuts = &cells->values[v];
        const union monitor_value x = in[cuts->value];
        size_t passed = 0;

        if (cuts->is_double)
            for (size_t i = 0; i < cuts->count; i++)
                /* no FE_INVALID for a NaN, such as the absent value */
                passed += (size_t)__builtin_isgreaterequal(x.d, cuts->cuts[i].d);
        else
            for (size_t i = 0; i < cuts->count; i++)
                passed += x.i >= cuts->cuts[i].i;
        at += passed * cuts->stride;
    }
    return at;
}

/* Choose the target of a call of measured method `method` by the rules alone. */
static inline const struct proxy_target *
proxy_choose(const struct proxy_dispatch *dispatch, size_t method,
             const union monitor_value *in)
{
    const struct proxy_cells *cells = &dispatch->cells[method];

    return &dispatch->targets[cells->targets[proxy_cell(cells, in)]];
}

/* --- Rules to cells ------------------------------------------------------- */

static inline void proxy_dispatch_free(struct proxy_dispatch *dispatch)
{
    for (size_t i = 0; dispatch && i < dispatch->target_count; i++)
        free(dispatch->targets[i].methods);
    for (size_t m = 0; dispatch && m < dispatch->cell_count; m++) {
        for (size_t v = 0; v < dispatch->cells[m].value_count; v++)
            free(dispatch->cells[m].values[v].cuts);
        free(dispatch->cells[m].targets);
        free(dispatch->cells[m].rules);
        proxy_learner_free(dispatch->cells[m].learner);
    }
    if (dispatch) {
        free(dispatch->targets);
        free(dispatch->cells);
    }
    free(dispatch);
}

static inline int proxy_bound_label(const struct monitor_value_decl *decl,
                                    const char *text, int64_t *value)
{
    for (size_t i = 0; i < decl->label_count; i++)
        if (strcmp(decl->labels[i].text, text) == 0) {
            *value = decl->labels[i].value;
            return 1;
        }
    return 0;
}

/* Make the range of an integer value. An integral relation to a number with a fraction is
 * that to the integer beside it. */
static inline int proxy_test_int64(struct proxy_test *test,
                                   const struct monitor_value_decl *decl,
                                   const struct dispatch_condition *condition)
{
    const enum dispatch_relation relation = condition->relation;
    int64_t low = INT64_MIN + 1, high = INT64_MAX; /* INT64_MIN is the absent value */
    int64_t bound = 0;
    double number;
    char *end;

    if (!proxy_bound_label(decl, condition->bound, &bound)) {
        errno = 0;
        bound = strtoll(condition->bound, &end, 10);
        if (errno || end == condition->bound || *end) {
            number = strtod(condition->bound, &end);
            if (end == condition->bound || *end || !__builtin_isfinite(number))
                return -EINVAL;
            bound = number >= 0x1p63   ? INT64_MAX
                    : number < -0x1p63 ? INT64_MIN + 1
                                       : (int64_t)number;
            if ((double)bound != number &&
                (relation == DISPATCH_EQUAL || relation == DISPATCH_UNEQUAL))
                return -EINVAL;
            if (relation == DISPATCH_MORE || relation == DISPATCH_AT_MOST)
                bound -= (double)bound > number;
            else
                bound += (double)bound < number && bound < INT64_MAX;
        }
    }
    if (relation == DISPATCH_EQUAL || relation == DISPATCH_UNEQUAL)
        low = high = bound;
    else if (relation == DISPATCH_LESS || relation == DISPATCH_AT_MOST)
        high = bound - (relation == DISPATCH_LESS && bound > INT64_MIN);
    else if (relation == DISPATCH_MORE && bound == INT64_MAX)
        high = low - 1; /* no value is larger */
    else
        low = bound + (relation == DISPATCH_MORE);
    if (low < INT64_MIN + 1)
        low = INT64_MIN + 1;
    test->low.i = low;
    test->high.i = high;
    return 0;
}

/* The double next to `bound` on the side of larger or smaller numbers, as nextafter(),
 * for which proxies would need libm. */
static inline double proxy_beside(double bound, int larger)
{
    int64_t bits;

    if (__builtin_isinf(bound))
        return bound;
    if (bound == 0.0)
        return larger ? DBL_TRUE_MIN : -DBL_TRUE_MIN;
    memcpy(&bits, &bound, sizeof bits);
    bits += (bound > 0) == larger ? 1 : -1;
    memcpy(&bound, &bits, sizeof bits);
    return bound;
}

static inline int proxy_test_double(struct proxy_test *test,
                                    const struct dispatch_condition *condition)
{
    const enum dispatch_relation relation = condition->relation;
    char *end;
    const double bound = strtod(condition->bound, &end);

    if (end == condition->bound || *end || !__builtin_isfinite(bound))
        return -EINVAL;
    test->is_double = 1;
    test->low.d = -__builtin_inf();
    test->high.d = __builtin_inf();
    if (relation != DISPATCH_LESS && relation != DISPATCH_AT_MOST)
        test->low.d = relation == DISPATCH_MORE ? proxy_beside(bound, 1) : bound;
    if (relation != DISPATCH_MORE && relation != DISPATCH_AT_LEAST)
        test->high.d = relation == DISPATCH_LESS ? proxy_beside(bound, 0) : bound;
    return 0;
}

/* Make the test of a condition on a method. */
static inline int proxy_test_make(struct proxy_test *test,
                                  const struct proxy_table_method *method,
                                  const struct dispatch_condition *condition,
                                  struct cca_error *err)
{
    size_t i = 0, known = method->in_count;
    int status;

    while (known < method->in_count + method->out_count &&
           method->values[known].kind == MONITOR_HINT)
        known++;
    while (i < known && strcmp(method->values[i].name, condition->value) != 0)
        i++;
    if (i == known)
        return cca_error_set(err, -EINVAL, "found '%s', expected an in-value of %s%s%s",
                             condition->value, method->name,
                             i ? ", such as " : ", which has none",
                             i ? method->values[0].name : "");
    test->value = (uint8_t)i;
    test->outside = condition->relation == DISPATCH_UNEQUAL;
    status = method->values[i].type == MONITOR_DOUBLE
                 ? proxy_test_double(test, condition)
                 : proxy_test_int64(test, &method->values[i], condition);
    return status ? cca_error_set(err, status, "found '%s', expected a number%s for %s",
                                  condition->bound,
                                  method->values[i].label_count ? " or a label" : "",
                                  condition->value)
                  : 0;
}

static inline int proxy_test_holds(const struct proxy_test *test, union monitor_value v)
{
    if (test->is_double)
        return test->outside ? v.d < test->low.d || v.d > test->high.d
                             : v.d >= test->low.d && v.d <= test->high.d;
    return test->outside
               ? v.i != MONITOR_ABSENT && (v.i < test->low.i || v.i > test->high.i)
               : v.i >= test->low.i && v.i <= test->high.i;
}

/* Insert a cut at `cut` into a sorted array with room for it, unless it is there. */
static inline void proxy_cut(struct proxy_cuts *cuts, union monitor_value cut)
{
    size_t at = cuts->count;

    while (at > 0 && (cuts->is_double ? cuts->cuts[at - 1].d > cut.d
                                      : cuts->cuts[at - 1].i > cut.i))
        at--;
    if (at > 0 &&
        (cuts->is_double ? cuts->cuts[at - 1].d == cut.d : cuts->cuts[at - 1].i == cut.i))
        return;
    memmove(&cuts->cuts[at + 1], &cuts->cuts[at],
            (cuts->count - at) * sizeof *cuts->cuts);
    cuts->cuts[at] = cut;
    cuts->count++;
}

/* Cut a value at both ends of the range of a test, and below all values that are not
 * absent. `room`: number of tests. Returns 0 or -ENOMEM. */
static inline int proxy_cut_range(struct proxy_cells *cells,
                                  const struct proxy_test *test, size_t room)
{
    struct proxy_cuts *cuts = cells->values;
    union monitor_value cut;

    while (cuts < cells->values + cells->value_count && cuts->value != test->value)
        cuts++;
    if (cuts == cells->values + cells->value_count) {
        cuts->cuts = (union monitor_value *)calloc(2 * room + 1, sizeof *cuts->cuts);
        if (!cuts->cuts)
            return -ENOMEM;
        cells->value_count++;
        cuts->value = test->value;
        cuts->is_double = test->is_double;
        if (cuts->is_double)
            cut.d = -__builtin_inf();
        else
            cut.i = MONITOR_ABSENT + 1;
        proxy_cut(cuts, cut);
    }
    proxy_cut(cuts, test->low);
    cut = test->high;
    if (cuts->is_double && !__builtin_isinf(cut.d))
        cut.d = proxy_beside(cut.d, 1);
    else if (!cuts->is_double && cut.i < INT64_MAX)
        cut.i++;
    else
        return 0; /* no value is above the range */
    proxy_cut(cuts, cut);
    return 0;
}

/* The rules of one method, as tests. */
struct proxy_rules {
    const struct proxy_table_method *method;
    const struct dispatch_rule *rules; /* of all methods */
    size_t rule_count;
    struct proxy_test
        *tests; /* of the conditions of the method's rules, in their order */
    size_t test_count;
};

/* The target of calls with the values `in`, and the number of their rule. */
static inline size_t proxy_rules_target(const struct proxy_rules *rules,
                                        const union monitor_value *in, size_t *number)
{
    const struct proxy_test *test = rules->tests;

    *number = 0;

    for (size_t r = 0; r < rules->rule_count; r++) {
        const struct dispatch_rule *rule = &rules->rules[r];
        size_t held = 0;

        if (strcmp(rule->method, rules->method->name) != 0)
            continue;
        for (size_t c = 0; c < rule->condition_count; c++)
            held += (size_t)proxy_test_holds(&test[c], in[test[c].value]);
        if (held == rule->condition_count)
            return rule->target;
        test += rule->condition_count;
        ++*number;
    }
    *number = PROXY_NO_RULE;
    return 0;
}

/* Evaluate the rules for a value out of each cell. Returns 0, -EINVAL: too many cells, or
 * -ENOMEM. */
static inline int proxy_cells_fill(struct proxy_cells *cells,
                                   const struct proxy_rules *rules)
{
    union monitor_value in[MONITOR_MAX_IN];
    size_t count = 1, rule;

    memset(in, 0, sizeof in);
    for (size_t v = 0; v < cells->value_count; v++) {
        cells->values[v].stride = count;
        count *= cells->values[v].count + 1;
        if (count > PROXY_MOST_CELLS)
            return -EINVAL;
    }
    cells->targets = (uint16_t *)calloc(count, sizeof *cells->targets);
    cells->rules = (uint16_t *)calloc(count, sizeof *cells->rules);
    if (!cells->targets || !cells->rules)
        return -ENOMEM;
    if (rules->rule_count >= PROXY_NO_RULE)
        return -EINVAL;
    for (size_t at = 0; at < count; at++) {
        for (size_t v = 0; v < cells->value_count; v++) {
            const struct proxy_cuts *cuts = &cells->values[v];
            const size_t passed = at / cuts->stride % (cuts->count + 1);

            if (passed)
                in[cuts->value] = cuts->cuts[passed - 1];
            else if (cuts->is_double)
                in[cuts->value].i = MONITOR_ABSENT_BITS;
            else
                in[cuts->value].i = MONITOR_ABSENT;
        }
        cells->targets[at] = (uint16_t)proxy_rules_target(rules, in, &rule);
        cells->rules[at] = (uint16_t)rule;
    }
    return 0;
}

/* Make the tests of a method's rules, and its cells. `tests` has room for the conditions
 * of all rules. */
static inline int proxy_cells_make(struct proxy_cells *cells,
                                   const struct proxy_table_method *method,
                                   const struct dispatch_rule *rules, size_t rule_count,
                                   struct proxy_test *tests, int *line,
                                   struct cca_error *err)
{
    struct proxy_rules made = {method, rules, rule_count, tests, 0};
    int status = 0;

    for (size_t r = 0; r < rule_count && !status; r++) {
        if (strcmp(rules[r].method, method->name) != 0)
            continue;
        *line = rules[r].line;
        for (size_t c = 0; c < rules[r].condition_count && !status; c++) {
            struct proxy_test *test = &tests[made.test_count++];

            memset(test, 0, sizeof *test);
            status = proxy_test_make(test, method, &rules[r].conditions[c], err);
        }
    }
    for (size_t i = 0; i < made.test_count && !status; i++)
        status = proxy_cut_range(cells, &tests[i], made.test_count);
    if (!status)
        status = proxy_cells_fill(cells, &made);
    if (status == -ENOMEM)
        return cca_no_memory(err);
    if (status)
        return cca_error_set(err, status, "the rules of %s have too many conditions",
                             method->name);
    *line = 0;
    return 0;
}

/* Check that each rule names a measured method that its target implements. A port's
 * struct is its base and then a pointer for each method. */
static inline int proxy_dispatch_check(const struct proxy_table *table,
                                       const struct dispatch_target *targets,
                                       const struct dispatch_rule *rules, size_t count,
                                       int *line, struct cca_error *err)
{
    typedef void (*function)(void);

    if (table->port_size !=
        sizeof(struct cca_port) + table->method_count * sizeof(function))
        return cca_error_set(err, -ENOTSUP, "%s has more than methods in its struct",
                             table->port_type);
    for (size_t r = 0; r < count; r++) {
        const struct dispatch_rule *rule = &rules[r];
        function found;
        size_t m = 0;

        *line = rule->line;
        while (m < table->method_count &&
               strcmp(table->methods[m].name, rule->method) != 0)
            m++;
        if (m == table->method_count)
            return cca_error_set(err, -EINVAL, "found '%s', expected a method of %s",
                                 rule->method, table->port_type);
        if (table->methods[m].unmeasured)
            return cca_error_set(err, -EINVAL,
                                 "%s of %s is marked as unmeasured: its calls are only "
                                 "forwarded",
                                 rule->method, table->port_type);
        memcpy(&found,
               (const char *)targets[rule->target].port + sizeof(struct cca_port) +
                   m * sizeof found,
               sizeof found);
        if (!found)
            return cca_error_set(err, -EINVAL, "class %s has no %s",
                                 targets[rule->target].class_name, rule->method);
    }
    *line = 0;
    return 0;
}

/* Make the cells of all methods. Returns NULL with `err` set. */
static inline struct proxy_dispatch *
proxy_dispatch_make(const struct proxy_table *table,
                    const struct dispatch_target *targets, size_t target_count,
                    const struct dispatch_rule *rules, size_t rule_count, int *line,
                    struct cca_error *err)
{
    struct proxy_dispatch *dispatch;
    struct proxy_test *tests;
    size_t conditions = 0;
    int status = 0;

    if (proxy_dispatch_check(table, targets, rules, rule_count, line, err))
        return NULL;
    for (size_t r = 0; r < rule_count; r++)
        conditions += rules[r].condition_count;
    dispatch = (struct proxy_dispatch *)calloc(1, sizeof *dispatch);
    tests = (struct proxy_test *)calloc(conditions + 1, sizeof *tests);
    if (dispatch) {
        dispatch->targets =
            (struct proxy_target *)calloc(target_count, sizeof *dispatch->targets);
        dispatch->cells =
            (struct proxy_cells *)calloc(table->method_count, sizeof *dispatch->cells);
    }
    if (!dispatch || !tests || !dispatch->targets || !dispatch->cells)
        status = cca_no_memory(err);
    for (size_t t = 0; t < target_count && !status; t++) {
        struct proxy_target *target = &dispatch->targets[dispatch->target_count++];

        target->about = targets[t];
        target->port = targets[t].port;
        target->methods = (struct monitor_method **)calloc(table->method_count,
                                                           sizeof *target->methods);
        status = target->methods ? 0 : cca_no_memory(err);
    }
    for (size_t m = 0; m < table->method_count && !status; m++)
        if (!table->methods[m].unmeasured)
            status =
                proxy_cells_make(&dispatch->cells[dispatch->cell_count++],
                                 &table->methods[m], rules, rule_count, tests, line, err);
    free(tests);
    if (!status)
        return dispatch;
    proxy_dispatch_free(dispatch);
    return NULL;
}

/* Let the costs of the calls correct the rules. Returns 0, or a negative errno with
 * `err`. */
static inline int proxy_dispatch_learn(struct proxy_dispatch *dispatch,
                                       const struct proxy_table *table,
                                       const struct dispatch_rule *rules,
                                       size_t rule_count,
                                       const struct dispatch_learning *learning,
                                       int *line, struct cca_error *err)
{
    struct proxy_cells *cells = dispatch->cells;

    for (size_t m = 0; m < table->method_count; m++) {
        if (table->methods[m].unmeasured)
            continue;
        cells->learner = proxy_learner_make(&table->methods[m], rules, rule_count,
                                            learning, dispatch->target_count, line, err);
        if (!cells++->learner)
            return err && err->code ? err->code : -EINVAL;
    }
    return 0;
}

#endif
