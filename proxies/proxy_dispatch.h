/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_dispatch.h: the choice of a target in each call of a proxy, by rules about the
 * call's in-values.
 *
 * Rules are kept as an array of tests. A test is a range of one value, and the index of
 * the next test if the value is outside; a rule is its tests and then a test without a
 * value, which names the target:
 *
 *     compute: GodunovScalar when axis = x and Q <= 640
 *     compute: GodunovVector
 *
 *     0: axis in [0, 0], else 3      2: target 1
 *     1: Q in [min, 640], else 3     3: target 2
 */
#ifndef PROXIES_PROXY_DISPATCH_H
#define PROXIES_PROXY_DISPATCH_H

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "ports/dispatch_port.h"
#include "proxies/proxy_table.h"

enum proxy_test_kind { PROXY_TARGET, PROXY_INT64, PROXY_DOUBLE };

struct proxy_test {
    union monitor_value low, high; /* the range, both ends included */
    uint16_t otherwise;            /* the next test if this one fails */
    uint16_t target;               /* of PROXY_TARGET */
    uint8_t kind;                  /* enum proxy_test_kind */
    uint8_t value;                 /* index of the in-value */
    uint8_t outside;               /* true: the value must be outside the range */
};

/* A target and what the monitor knows of it. */
struct proxy_target {
    void *port;
    struct dispatch_target about;
    struct monitor_method **methods; /* of the measured methods; NULL: none */
};

struct proxy_dispatch {
    struct proxy_target *targets;
    size_t target_count;
    struct proxy_test *tests;
    uint16_t *starts; /* index of the first test of each measured method */
};

static inline int proxy_test_holds(const struct proxy_test *test, union monitor_value v)
{
    if (test->kind == PROXY_INT64)
        return test->outside
                   ? v.i != MONITOR_ABSENT && (v.i < test->low.i || v.i > test->high.i)
                   : v.i >= test->low.i && v.i <= test->high.i;
    return test->outside ? v.d < test->low.d || v.d > test->high.d
                         : v.d >= test->low.d && v.d <= test->high.d;
}

/* Choose the target of a call of measured method `method`. */
static inline const struct proxy_target *
proxy_choose(const struct proxy_dispatch *dispatch, size_t method,
             const union monitor_value *in)
{
    const struct proxy_test *test = &dispatch->tests[dispatch->starts[method]];

    while (test->kind != PROXY_TARGET)
        test = proxy_test_holds(test, in[test->value])
                   ? test + 1
                   : &dispatch->tests[test->otherwise];
    return &dispatch->targets[test->target];
}

/* --- Rules to tests ------------------------------------------------------- */

static inline void proxy_dispatch_free(struct proxy_dispatch *dispatch)
{
    for (size_t i = 0; dispatch && i < dispatch->target_count; i++)
        free(dispatch->targets[i].methods);
    if (dispatch) {
        free(dispatch->targets);
        free(dispatch->tests);
        free(dispatch->starts);
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

    test->kind = PROXY_INT64;
    if (!proxy_bound_label(decl, condition->bound, &bound)) {
        errno = 0;
        bound = strtoll(condition->bound, &end, 10);
        if (errno || end == condition->bound || *end) {
            number = strtod(condition->bound, &end);
            if (end == condition->bound || *end || !__builtin_isfinite(number))
                return -EINVAL;
            bound = number >= 0x1p63    ? INT64_MAX
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

/* The double next to `bound` on the side of larger or smaller numbers, as nextafter(), for
 * which proxies would need libm. */
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

    if (end == condition->bound || *end || __builtin_isnan(bound))
        return -EINVAL;
    test->kind = PROXY_DOUBLE;
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
    size_t i = 0;
    int status;

    while (i < method->in_count && strcmp(method->values[i].name, condition->value) != 0)
        i++;
    if (i == method->in_count)
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

/* Append the tests of all rules of a method, and a test that names target 0. */
static inline int proxy_dispatch_method(struct proxy_dispatch *dispatch, size_t *used,
                                        const struct proxy_table_method *method,
                                        const struct dispatch_rule *rules,
                                        size_t rule_count, int *line,
                                        struct cca_error *err)
{
    int status = 0;

    for (size_t r = 0; r < rule_count && !status; r++) {
        const struct dispatch_rule *rule = &rules[r];
        const uint16_t next = (uint16_t)(*used + rule->condition_count + 1);

        if (strcmp(rule->method, method->name) != 0)
            continue;
        for (size_t c = 0; c < rule->condition_count && !status; c++) {
            struct proxy_test *test = &dispatch->tests[(*used)++];

            test->otherwise = next;
            status = proxy_test_make(test, method, &rule->conditions[c], err);
        }
        dispatch->tests[(*used)++].target = (uint16_t)rule->target;
        *line = status ? rule->line : 0;
    }
    (*used)++;
    return status;
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

/* Make the tests of rules. Returns NULL with `err` set. */
static inline struct proxy_dispatch *
proxy_dispatch_make(const struct proxy_table *table, const struct dispatch_target *targets,
                    size_t target_count, const struct dispatch_rule *rules,
                    size_t rule_count, int *line, struct cca_error *err)
{
    struct proxy_dispatch *dispatch;
    size_t room = table->method_count + rule_count, used = 0, measured = 0;

    if (proxy_dispatch_check(table, targets, rules, rule_count, line, err))
        return NULL;
    for (size_t r = 0; r < rule_count; r++)
        room += rules[r].condition_count;
    if (room > UINT16_MAX) {
        cca_error_set(err, -EINVAL, "%zu conditions are too many", room);
        return NULL;
    }
    dispatch = (struct proxy_dispatch *)calloc(1, sizeof *dispatch);
    if (dispatch) {
        dispatch->targets = (struct proxy_target *)calloc(
            target_count, sizeof *dispatch->targets);
        dispatch->tests = (struct proxy_test *)calloc(room, sizeof *dispatch->tests);
        dispatch->starts =
            (uint16_t *)calloc(table->method_count, sizeof *dispatch->starts);
    }
    if (!dispatch || !dispatch->targets || !dispatch->tests || !dispatch->starts) {
        proxy_dispatch_free(dispatch);
        cca_no_memory(err);
        return NULL;
    }
    for (dispatch->target_count = 0; dispatch->target_count < target_count;
         dispatch->target_count++) {
        struct proxy_target *target = &dispatch->targets[dispatch->target_count];

        target->about = targets[dispatch->target_count];
        target->port = target->about.port;
        target->methods = (struct monitor_method **)calloc(table->method_count,
                                                           sizeof *target->methods);
        if (!target->methods) {
            proxy_dispatch_free(dispatch);
            cca_no_memory(err);
            return NULL;
        }
    }
    for (size_t m = 0; m < table->method_count; m++) {
        if (table->methods[m].unmeasured)
            continue;
        dispatch->starts[measured++] = (uint16_t)used;
        if (proxy_dispatch_method(dispatch, &used, &table->methods[m], rules, rule_count,
                                  line, err)) {
            proxy_dispatch_free(dispatch);
            return NULL;
        }
    }
    return dispatch;
}

#endif
