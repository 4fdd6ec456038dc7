/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c: redistribute by a schedule, or by a live policy of the simulator
 * (mesh/balance). */
#include "examples/mrtd/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/live.h"
#include "mesh/schedule/file.h"

struct mrtd_plan {
    struct mesh_schedule *schedule; /* schedule read from a file; NULL: use a policy */
    struct mesh_live *live; /* live policy that uses loads; NULL: use `policy`, which
                               depends on step numbers only */
    struct mesh_policy policy;
    /* partitioner in use; if its `cut` is NULL, owners are random */
    struct mesh_partitioner partitioner;
    uint64_t seed;
    struct mesh_source source;
    float *weights; /* weight of each cell, [cells] */
    int32_t ranks, decide;
};

static int read_random(struct mrtd_plan *plan, const char *name, struct cca_error *err)
{
    char *end;

    plan->seed = strtoull(name, &end, 10);
    return *name && !*end ? 0
                          : cca_error_set(err, -EINVAL,
                                          "--partitioner: found 'random:%s', expected "
                                          "random:SEED",
                                          name);
}

/* Open a policy that uses loads and is queried every `decide` steps. */
static int open_live(struct mrtd_plan *plan, const struct mrtd_options *o,
                     struct cca_error *err)
{
    struct mesh_live_wish wish = {.partitioner = o->partitioner,
                                  .policy = o->policy,
                                  .parts = plan->ranks,
                                  .steps = o->steps,
                                  .every = o->decide};

    if (mesh_price_read(&wish.repartition, o->price, err) ||
        mesh_price_read(&wish.move, o->move, err))
        return -EINVAL;
    plan->live = mesh_live_new(&plan->source, &wish, NULL, err);
    return plan->live ? 0 : -EINVAL;
}

static int read_plan(struct mrtd_plan *plan, const struct mrtd_options *o,
                     struct cca_error *err)
{
    enum mesh_policy_kind kind;
    int is_random = !strncmp(o->partitioner, "random:", 7);
    int rc = mesh_policy_read(&plan->policy, o->policy[0] ? o->policy : "never", err);

    if (rc)
        return rc;
    if (!mesh_policy_is_live(&plan->policy))
        return cca_error_set(err, -EINVAL,
                             "--policy: '%s' needs the whole run before it begins: let "
                             "`mastermind balance --schedule` write a schedule",
                             o->policy);
    kind = plan->policy.kind;
    if (o->schedule[0]) {
        plan->schedule = mesh_schedule_file_read(
            o->schedule, 3, (const int64_t[]){o->n[0], o->n[1], o->n[2]}, plan->ranks,
            err);
        return plan->schedule ? 0 : -EINVAL;
    }
    if (is_random)
        return read_random(plan, o->partitioner + 7, err);
    if (kind != MESH_NEVER && kind != MESH_EACH && kind != MESH_FIXED)
        return open_live(plan, o, err);
    return mesh_partitioner_open(&plan->partitioner, o->partitioner, &plan->source, err);
}

struct mrtd_plan *mrtd_plan_new(const struct mrtd_options *o, int32_t ranks, int speak)
{
    struct mrtd_plan *plan = calloc(1, sizeof *plan);
    struct cca_error err = {0};
    int rc = plan ? 0 : cca_error_set(&err, -ENOMEM, "out of memory");

    if (!rc) {
        plan->ranks = ranks;
        plan->decide = o->decide;
        plan->source =
            (struct mesh_source){.dims = 3, .n = {o->n[0], o->n[1], o->n[2]}, .steps = 1};
        plan->weights =
            malloc((size_t)mesh_source_cells(&plan->source) * sizeof *plan->weights);
        rc = plan->weights ? read_plan(plan, o, &err)
                           : cca_error_set(&err, -ENOMEM, "out of memory");
    }
    if (!rc)
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
    mesh_live_free(plan->live);
    mesh_partitioner_close(&plan->partitioner);
    mesh_schedule_file_free(plan->schedule);
    free(plan->weights);
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

static void set_weights(struct mrtd_plan *plan, const unsigned char *work)
{
    int64_t cells = mesh_source_cells(&plan->source);

    for (int64_t c = 0; c < cells; c++)
        plan->weights[c] = work ? work[c] : 1;
}

static int copy_owners(const struct mrtd_plan *plan, const uint16_t *from, int32_t *owner)
{
    int64_t cells = mesh_source_cells(&plan->source);

    for (int64_t c = 0; c < cells; c++)
        owner[c] = from[c];
    return 0;
}

/* Compute owners with the partitioner and plan->weights. */
static int cut_cells(struct mrtd_plan *plan, int32_t *owner)
{
    int64_t cells = mesh_source_cells(&plan->source);
    struct mesh_partition cut = {0};
    uint16_t *found;
    int rc;

    if (!plan->partitioner.cut) {
        cut_random(plan, owner);
        return 0;
    }
    found = malloc((size_t)cells * sizeof *found);
    rc = found ? plan->partitioner.cut(plan->partitioner.context, &plan->source,
                                       plan->weights, plan->ranks, NULL, &cut, NULL)
               : -ENOMEM;
    if (!rc) {
        mesh_partition_owners(&plan->source, &cut, found);
        rc = copy_owners(plan, found, owner);
    }
    mesh_partition_free(&cut);
    free(found);
    return rc;
}

int mrtd_plan_first(struct mrtd_plan *plan, int32_t *owner)
{
    if (plan->schedule)
        return mesh_schedule_file_owner(plan->schedule, 0, owner) ? 0 : -EINVAL;
    if (plan->live)
        return copy_owners(plan, mesh_live_owners(plan->live), owner);
    set_weights(plan, NULL);
    return cut_cells(plan, owner);
}

int mrtd_plan_asks(struct mrtd_plan *plan, int32_t step)
{
    if (plan->schedule)
        return mesh_schedule_file_has(plan->schedule, step);
    if (plan->live)
        return step % plan->decide ? 0 : 2;
    if (!mesh_policy_decide(&plan->policy, &(struct mesh_seen){.step = step, .age = 1}))
        return 0;
    return plan->partitioner.cut ? 2 : 1;
}

int mrtd_plan_next(struct mrtd_plan *plan, int32_t step, const unsigned char *work,
                   int32_t *owner)
{
    int rc;

    if (plan->schedule)
        return mesh_schedule_file_owner(plan->schedule, step, owner);
    set_weights(plan, work);
    if (!plan->live) {
        rc = cut_cells(plan, owner);
        return rc ? rc : 1;
    }
    rc = mesh_live_step(plan->live, plan->weights, NULL);
    if (rc == 1)
        copy_owners(plan, mesh_live_owners(plan->live), owner);
    return rc;
}
