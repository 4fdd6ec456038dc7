/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c: schedules, and live policies of the simulator (mesh/balance). */
#include "mesh/mrtd/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/partition.h"
#include "mesh/balance/policy.h"
#include "mesh/mrtd/schedule.h"

/* What is known of the partition that stands. A new one is not made only to judge this
 * one: its largest load is taken as the mean now times what this one's was when new. */
struct standing {
    int32_t since;
    double fresh; /* largest load over the mean when it was new; 0: not yet known */
    double moved; /* cells that its making has moved; at first all */
};

struct mrtd_plan {
    struct mesh_partitioner partitioner; /* cut NULL: random */
    uint64_t seed;
    struct mesh_policy policy;
    struct mesh_price price;
    struct mesh_source source;
    struct mrtd_schedule *schedule; /* NULL: the policy decides */
    struct standing standing;
    int32_t ranks;
};

static int read_random(struct mrtd_plan *plan, const char *name)
{
    char *end;

    plan->seed = strtoull(name, &end, 10);
    return *name && !*end ? 0 : -EINVAL;
}

static int read_plan(struct mrtd_plan *plan, const struct mrtd_options *o,
                     struct cca_error *err)
{
    const char *policy = o->policy[0] ? o->policy : "never";
    int rc;

    if (strncmp(o->partitioner, "random:", 7))
        rc =
            mesh_partitioner_open(&plan->partitioner, o->partitioner, &plan->source, err);
    else
        rc = read_random(plan, o->partitioner + 7);
    if (rc)
        return cca_error_set(err, rc, "--partitioner: found '%s', expected random:SEED",
                             o->partitioner);
    rc = mesh_policy_read(&plan->policy, policy, err);
    if (!rc && !mesh_policy_is_live(&plan->policy))
        return cca_error_set(err, -EINVAL,
                             "--policy: '%s' knows the whole run before it: let "
                             "`mastermind balance --schedule` write a schedule",
                             policy);
    if (!rc && o->schedule[0]) {
        plan->schedule = mrtd_schedule_read(o->schedule, o->n, plan->ranks, err);
        rc = plan->schedule ? 0 : -EINVAL;
    }
    return rc;
}

struct mrtd_plan *mrtd_plan_new(const struct mrtd_options *o, int32_t ranks, int speak)
{
    struct mrtd_plan *plan = calloc(1, sizeof *plan);
    struct cca_error err = {0};

    if (!plan) {
        fprintf(stderr, "mrtd: out of memory\n");
        return NULL;
    }
    plan->ranks = ranks;
    plan->price = (struct mesh_price){o->price, o->move};
    plan->source =
        (struct mesh_source){.dims = 3, .n = {o->n[0], o->n[1], o->n[2]}, .steps = 1};
    plan->standing.moved = (double)mesh_source_cells(&plan->source);
    if (!read_plan(plan, o, &err))
        return plan;
    if (speak)
        fprintf(stderr, "mrtd: %s\n", err.text);
    mrtd_plan_free(plan);
    return NULL;
}

void mrtd_plan_free(struct mrtd_plan *plan)
{
    if (!plan)
        return;
    mesh_partitioner_close(&plan->partitioner);
    mrtd_schedule_free(plan->schedule);
    free(plan);
}

static void cut_random(struct mrtd_plan *plan, int32_t *owner)
{
    int64_t cells = mesh_source_cells(&plan->source);

    for (int64_t c = 0; c < cells; c++) {
        plan->seed = plan->seed * 6364136223846793005u + 1442695040888963407u;
        owner[c] = (int32_t)((plan->seed >> 33) % (uint64_t)plan->ranks);
    }
}

/* Owners by the partitioner; work NULL: all cells weigh alike. *fresh is the largest load
 * over the mean. */
static int cut_cells(struct mrtd_plan *plan, const unsigned char *work, int32_t *owner,
                     double *fresh)
{
    int64_t cells = mesh_source_cells(&plan->source);
    struct mesh_partition cut = {0};
    float *weights = malloc((size_t)cells * sizeof *weights);
    uint16_t *found = malloc((size_t)cells * sizeof *found);
    double *loads = calloc((size_t)plan->ranks, sizeof *loads), sum = 0, most = 0;
    int rc = weights && found && loads ? 0 : -ENOMEM;

    for (int64_t c = 0; c < cells && !rc; c++)
        weights[c] = work ? work[c] : 1;
    if (!rc && plan->partitioner.cut)
        rc = plan->partitioner.cut(plan->partitioner.context, &plan->source, weights,
                                   plan->ranks, NULL, &cut, NULL);
    if (!rc && plan->partitioner.cut) {
        mesh_partition_owners(&plan->source, &cut, found);
        for (int64_t c = 0; c < cells; c++)
            owner[c] = found[c];
    } else if (!rc)
        cut_random(plan, owner);
    for (int64_t c = 0; c < cells && !rc; c++) {
        loads[owner[c]] += weights[c];
        sum += weights[c];
    }
    for (int32_t r = 0; r < plan->ranks && !rc; r++)
        most = loads[r] > most ? loads[r] : most;
    *fresh = sum > 0 ? most * plan->ranks / sum : 1;
    mesh_partition_free(&cut);
    free(weights);
    free(found);
    free(loads);
    return rc;
}

int mrtd_plan_first(struct mrtd_plan *plan, int32_t *owner)
{
    if (plan->schedule)
        return mrtd_schedule_owner(plan->schedule, 0, owner) ? 0 : -EINVAL;
    return cut_cells(plan, NULL, owner, &plan->standing.fresh);
}

int mrtd_plan_wants_loads(const struct mrtd_plan *plan)
{
    return !plan->schedule && plan->policy.kind != MESH_NEVER &&
           plan->policy.kind != MESH_EACH && plan->policy.kind != MESH_FIXED;
}

int mrtd_plan_wants_work(const struct mrtd_plan *plan)
{
    return !plan->schedule && plan->partitioner.cut;
}

int mrtd_plan_due(struct mrtd_plan *plan, int32_t step, const int64_t *loads)
{
    struct mesh_seen seen = {.step = step, .age = step - plan->standing.since};
    double sum = 0;

    if (plan->schedule)
        return mrtd_schedule_has(plan->schedule, step);
    for (int32_t r = 0; loads && r < plan->ranks; r++) {
        seen.largest = loads[r] > seen.largest ? (double)loads[r] : seen.largest;
        sum += (double)loads[r];
    }
    seen.mean = sum / plan->ranks;
    seen.fresh = seen.mean * plan->standing.fresh;
    seen.price = plan->price.repartition + plan->price.cell * plan->standing.moved;
    if (seen.fresh > seen.largest) /* as good as new */
        seen.fresh = seen.largest;
    return mesh_policy_decide(&plan->policy, &seen);
}

int mrtd_plan_next(struct mrtd_plan *plan, int32_t step, const unsigned char *work,
                   int32_t *owner)
{
    int64_t cells = mesh_source_cells(&plan->source);
    int32_t *before;
    int rc;

    if (plan->schedule)
        return mrtd_schedule_owner(plan->schedule, step, owner) ? 0 : -EINVAL;
    before = malloc((size_t)cells * sizeof *before);
    if (!before)
        return -ENOMEM;
    memcpy(before, owner, (size_t)cells * sizeof *before);
    rc = cut_cells(plan, work, owner, &plan->standing.fresh);
    plan->standing.since = step;
    plan->standing.moved = 0;
    for (int64_t c = 0; c < cells && !rc; c++)
        plan->standing.moved += before[c] != owner[c];
    free(before);
    return rc;
}
