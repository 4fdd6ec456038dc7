/* SPDX-License-Identifier: BSD-3-Clause */
/* qualities.c: qualities and requirements in a problem. */
#include "mastermind/choice/qualities.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static enum mm_composition rule_of(const struct mm_quality *quality)
{
    return quality->compose == MM_COMPOSE_SUM   ? MM_COMPOSITION_SUM
           : quality->compose == MM_COMPOSE_MAX ? MM_COMPOSITION_MAX
                                                : MM_COMPOSITION_MIN;
}

int mm_problem_state(struct mm_problem *problem, const struct mm_instance *instance,
                     size_t slot, size_t class_at, struct cca_error *err)
{
    for (size_t q = 0; q < problem->quality_count; q++) {
        struct mm_problem_quality *required = &problem->qualities[q];
        const struct mm_quality *quality = mm_instance_quality(instance, required->name);

        if (!quality)
            continue;
        if (!required->value_count)
            required->rule = rule_of(quality);
        if (required->rule != rule_of(quality))
            return cca_error_set(err, -EBADMSG,
                                 "%s composes the quality '%s' by another rule than the "
                                 "instances before it",
                                 instance->class_name, quality->name);
        if (mm_problem_set_value(problem, q, slot, class_at, quality->value, err) < 0)
            return err->code;
    }
    return 0;
}

int mm_problem_quality(struct mm_problem *problem, const char *name,
                       struct cca_error *err)
{
    for (size_t q = 0; q < problem->quality_count; q++)
        if (strcmp(problem->qualities[q].name, name) == 0)
            return (int)q;
    return mm_problem_add_quality(problem, name, MM_COMPOSITION_MAX, err);
}

int mm_problem_require(struct mm_problem *problem, const struct mm_requirement *r,
                       struct cca_error *err)
{
    double low = -INFINITY, high = INFINITY;
    int quality = mm_problem_quality(problem, r->quality, err);

    switch (r->relation) {
    case MM_LESS:
        high = nextafter(r->bound, -INFINITY);
        break;
    case MM_LESS_EQUAL:
        high = r->bound;
        break;
    case MM_EQUAL:
        low = high = r->bound;
        break;
    case MM_GREATER_EQUAL:
        low = r->bound;
        break;
    case MM_GREATER:
        low = nextafter(r->bound, INFINITY);
        break;
    }
    return quality < 0 ? quality
                       : mm_problem_bound(problem, (size_t)quality, low, high, err);
}
