/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.c: build and check a problem; cost and qualities of one assignment. */
#include "mastermind/choice/exact/problem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct mm_problem *mm_problem_new(void)
{
    return calloc(1, sizeof(struct mm_problem));
}

void mm_problem_free(struct mm_problem *problem)
{
    if (!problem)
        return;
    for (size_t i = 0; i < problem->slot_count; i++)
        free(problem->slots[i].classes);
    for (size_t i = 0; i < problem->coupling_count; i++)
        free(problem->couplings[i].costs);
    for (size_t i = 0; i < problem->quality_count; i++)
        free(problem->qualities[i].values);
    free(problem->slots);
    free(problem->couplings);
    free(problem->qualities);
    free(problem);
}

int mm_problem_add_slot(struct mm_problem *problem, const char *name,
                        struct cca_error *err)
{
    struct mm_problem_slot *slot;

    if (problem->slot_count == MM_PROBLEM_SLOTS)
        return cca_error_set(err, -E2BIG, "slot '%s': expected at most %d slots", name,
                             MM_PROBLEM_SLOTS);
    slot = cca_array_add(&problem->slots, &problem->slot_count, sizeof *slot);
    if (!slot)
        return cca_no_memory(err);
    slot->name = name;
    return (int)problem->slot_count - 1;
}

static int check_slot(const struct mm_problem *problem, size_t slot,
                      struct cca_error *err)
{
    if (slot >= problem->slot_count)
        return cca_error_set(err, -EINVAL, "slot %zu: found %zu slots", slot,
                             problem->slot_count);
    return 0;
}

static int add_class(struct mm_problem *problem, size_t at, const char *name, double cost,
                     int offered, struct cca_error *err)
{
    struct mm_problem_slot *slot;
    struct mm_problem_class *item;

    if (check_slot(problem, at, err))
        return -EINVAL;
    slot = &problem->slots[at];
    if (slot->coupled)
        return cca_error_set(err, -EINVAL,
                             "slot '%s': class '%s' was added after the slot was coupled",
                             slot->name, name);
    if (slot->class_count == MM_PROBLEM_CLASSES)
        return cca_error_set(err, -E2BIG,
                             "slot '%s': class '%s': expected at most %d classes",
                             slot->name, name, MM_PROBLEM_CLASSES);
    if (!isfinite(cost))
        return cca_error_set(err, -EINVAL, "slot '%s': class '%s' has a cost of %g",
                             slot->name, name, cost);
    item = cca_array_add(&slot->classes, &slot->class_count, sizeof *item);
    if (!item)
        return cca_no_memory(err);
    *item = (struct mm_problem_class){name, cost, offered};
    return (int)slot->class_count - 1;
}

int mm_problem_add_class(struct mm_problem *problem, size_t slot, const char *name,
                         double cost, struct cca_error *err)
{
    return add_class(problem, slot, name, cost, 1, err);
}

int mm_problem_add_missing(struct mm_problem *problem, size_t slot, const char *name,
                           struct cca_error *err)
{
    return add_class(problem, slot, name, 0, 0, err);
}

static int check_coupling(const struct mm_problem_slot *a,
                          const struct mm_problem_slot *b, const double *costs,
                          struct cca_error *err)
{
    for (size_t i = 0; i < a->class_count; i++) {
        for (size_t k = 0; k < b->class_count; k++) {
            double cost = costs[i * b->class_count + k];

            if (a->classes[i].offered && b->classes[k].offered && !isfinite(cost))
                return cca_error_set(err, -EINVAL,
                                     "slots '%s' and '%s': classes '%s' and '%s' have a "
                                     "cost of %g",
                                     a->name, b->name, a->classes[i].name,
                                     b->classes[k].name, cost);
        }
    }
    return 0;
}

int mm_problem_couple(struct mm_problem *problem, size_t a, size_t b, const double *costs,
                      struct cca_error *err)
{
    struct mm_problem_slot *one, *other;
    struct mm_problem_coupling coupling = {.slots = {a, b}};
    size_t bytes;

    if (check_slot(problem, a, err) || check_slot(problem, b, err))
        return -EINVAL;
    one = &problem->slots[a];
    other = &problem->slots[b];
    if (a == b)
        return cca_error_set(err, -EINVAL, "slot '%s' is coupled with itself", one->name);
    if (!one->class_count || !other->class_count)
        return cca_error_set(err, -EINVAL, "slot '%s' has no class and cannot be coupled",
                             one->class_count ? other->name : one->name);
    if (check_coupling(one, other, costs, err))
        return -EINVAL;
    bytes = one->class_count * other->class_count * sizeof *costs;
    if (cca_array_reserve(&problem->couplings, problem->coupling_count, sizeof coupling))
        return cca_no_memory(err);
    coupling.costs = malloc(bytes);
    if (!coupling.costs)
        return cca_no_memory(err);
    memcpy(coupling.costs, costs, bytes);
    problem->couplings[problem->coupling_count++] = coupling;
    one->coupled = other->coupled = 1;
    return 0;
}

int mm_problem_add_quality(struct mm_problem *problem, const char *name,
                           enum mm_composition rule, struct cca_error *err)
{
    struct mm_problem_quality *quality;

    quality =
        cca_array_add(&problem->qualities, &problem->quality_count, sizeof *quality);
    if (!quality)
        return cca_no_memory(err);
    quality->name = name;
    quality->rule = rule;
    quality->low = -INFINITY;
    quality->high = INFINITY;
    return (int)problem->quality_count - 1;
}

static int check_quality(const struct mm_problem *problem, size_t quality,
                         struct cca_error *err)
{
    if (quality >= problem->quality_count)
        return cca_error_set(err, -EINVAL, "quality %zu: found %zu qualities", quality,
                             problem->quality_count);
    return 0;
}

int mm_problem_set_value(struct mm_problem *problem, size_t quality, size_t slot,
                         size_t class_at, double value, struct cca_error *err)
{
    struct mm_problem_quality *q;
    struct mm_problem_value *item;

    if (check_quality(problem, quality, err) || check_slot(problem, slot, err))
        return -EINVAL;
    q = &problem->qualities[quality];
    if (class_at >= problem->slots[slot].class_count)
        return cca_error_set(err, -EINVAL, "slot '%s': class %zu: found %zu classes",
                             problem->slots[slot].name, class_at,
                             problem->slots[slot].class_count);
    if (!isfinite(value))
        return cca_error_set(err, -EINVAL, "slot '%s': class '%s' has '%s' of %g",
                             problem->slots[slot].name,
                             problem->slots[slot].classes[class_at].name, q->name, value);
    for (size_t i = 0; i < q->value_count; i++) {
        if (q->values[i].slot == slot && q->values[i].class_at == class_at) {
            q->values[i].value = value;
            return 0;
        }
    }
    item = cca_array_add(&q->values, &q->value_count, sizeof *item);
    if (!item)
        return cca_no_memory(err);
    *item = (struct mm_problem_value){slot, class_at, value};
    return 0;
}

int mm_problem_bound(struct mm_problem *problem, size_t quality, double low, double high,
                     struct cca_error *err)
{
    struct mm_problem_quality *q;

    if (check_quality(problem, quality, err))
        return -EINVAL;
    q = &problem->qualities[quality];
    if (isnan(low) || isnan(high))
        return cca_error_set(err, -EINVAL, "quality '%s' is bounded by %g", q->name,
                             (double)NAN);
    q->bounded = 1;
    q->low = fmax(q->low, low);
    q->high = fmin(q->high, high);
    return 0;
}

/* The largest magnitude of a coupling between offered classes. */
static double coupling_magnitude(const struct mm_problem *problem,
                                 const struct mm_problem_coupling *coupling)
{
    const struct mm_problem_slot *a = &problem->slots[coupling->slots[0]];
    const struct mm_problem_slot *b = &problem->slots[coupling->slots[1]];
    double most = 0;

    for (size_t i = 0; i < a->class_count; i++)
        for (size_t k = 0; k < b->class_count; k++)
            if (a->classes[i].offered && b->classes[k].offered)
                most = fmax(most, fabs(coupling->costs[i * b->class_count + k]));
    return most;
}

/* Check that partial products neither overflow nor lose digits, in any order. */
static int check_range(const struct mm_problem *problem,
                       const struct mm_problem_quality *q, struct cca_error *err)
{
    double largest[MM_PROBLEM_SLOTS] = {0}, least[MM_PROBLEM_SLOTS] = {0};
    double sum = 0, up = 0, down = 0;

    for (size_t i = 0; i < q->value_count; i++) {
        double value = fabs(q->values[i].value);
        size_t slot = q->values[i].slot;

        largest[slot] = fmax(largest[slot], value);
        if (value > 0 && value < 1)
            least[slot] = fmax(least[slot], 1 / value);
    }
    for (size_t i = 0; i < problem->slot_count; i++) {
        sum += largest[i];
        up += largest[i] > 1 ? log2(largest[i]) : 0;
        down += least[i] > 1 ? log2(least[i]) : 0;
    }
    if (q->rule == MM_COMPOSITION_SUM && !isfinite(sum))
        return cca_error_set(err, -ERANGE, "sums of '%s' overflow", q->name);
    if (q->rule == MM_COMPOSITION_PRODUCT && !(up < 1000 && down < 900))
        return cca_error_set(err, -ERANGE, "products of '%s' overflow", q->name);
    return 0;
}

int mm_problem_check(const struct mm_problem *problem, struct cca_error *err)
{
    double total = 0;

    if (!problem->slot_count)
        return cca_error_set(err, -EINVAL, "the problem has no slot");
    for (size_t i = 0; i < problem->slot_count; i++) {
        const struct mm_problem_slot *slot = &problem->slots[i];
        double most = 0;
        int offered = 0;

        if (!slot->class_count)
            return cca_error_set(err, -EINVAL, "slot '%s' has no class", slot->name);
        for (size_t k = 0; k < slot->class_count; k++) {
            offered |= slot->classes[k].offered;
            most = fmax(most, fabs(slot->classes[k].cost));
        }
        if (!offered)
            return cca_error_set(err, -ENODATA, "slot '%s': no class has a cost",
                                 slot->name);
        total += most;
    }
    for (size_t i = 0; i < problem->coupling_count; i++)
        total += coupling_magnitude(problem, &problem->couplings[i]);
    if (!isfinite(total))
        return cca_error_set(err, -ERANGE, "sums of costs overflow");
    for (size_t i = 0; i < problem->quality_count; i++)
        if (check_range(problem, &problem->qualities[i], err))
            return -ERANGE;
    return 0;
}

double mm_problem_cost(const struct mm_problem *problem, const size_t *classes)
{
    double cost = 0;

    for (size_t i = 0; i < problem->slot_count; i++)
        cost += problem->slots[i].classes[classes[i]].cost;
    for (size_t i = 0; i < problem->coupling_count; i++) {
        const struct mm_problem_coupling *c = &problem->couplings[i];
        size_t width = problem->slots[c->slots[1]].class_count;

        cost += c->costs[classes[c->slots[0]] * width + classes[c->slots[1]]];
    }
    return cost;
}

double mm_composition_apply(enum mm_composition rule, double a, double b)
{
    switch (rule) {
    case MM_COMPOSITION_MAX:
        return fmax(a, b);
    case MM_COMPOSITION_MIN:
        return fmin(a, b);
    case MM_COMPOSITION_SUM:
        return a + b;
    case MM_COMPOSITION_PRODUCT:
        return a * b;
    }
    return NAN;
}

double mm_problem_value(const struct mm_problem *problem, size_t quality,
                        const size_t *classes)
{
    const struct mm_problem_quality *q = &problem->qualities[quality];
    double composed = NAN;

    for (size_t slot = 0; slot < problem->slot_count; slot++) {
        const struct mm_problem_value *found = NULL;
        int stated = 0;

        for (size_t i = 0; i < q->value_count; i++) {
            if (q->values[i].slot != slot)
                continue;
            stated = 1;
            if (q->values[i].class_at == classes[slot])
                found = &q->values[i];
        }
        if (stated && !found)
            return NAN;
        if (found)
            composed = isnan(composed)
                           ? found->value
                           : mm_composition_apply(q->rule, composed, found->value);
    }
    return composed;
}
