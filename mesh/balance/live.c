/* SPDX-License-Identifier: BSD-3-Clause */
/* live.c: run a policy during a program's run, with the partitions of earlier steps. */
#include "mesh/balance/live.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/balance/judge.h"

struct mesh_live {
    struct mesh_partitioner partitioner;
    /* partitioner in use: found by name, or the caller's */
    const struct mesh_partitioner *cut;
    struct mesh_policy policy;
    struct mesh_live_wish wish;
    struct mesh_judge judge;
    int64_t asked, began; /* asked: number of queries so far; began: query that made the
                           * current partition */
    int64_t every;
    double means; /* sum over the steps so far of the mean load of a part */
    /* past: ring buffer of the latest partitions, at query % MESH_PAST; stands: current
     * partition */
    struct mesh_partition past[MESH_PAST], stands;
    double past_load[MESH_PAST], past_price[MESH_PAST];
    uint16_t *owners;
    struct mesh_seen seen;
};

static int open_parts(struct mesh_live *live, const struct mesh_source *source,
                      struct cca_error *err)
{
    const struct mesh_live_wish *wish = &live->wish;
    int rc;

    if (wish->parts < 1 || wish->parts > MESH_PARTS)
        return cca_error_set(err, -EINVAL, "found %d parts, expected 1 to %d",
                             wish->parts, MESH_PARTS);
    rc = mesh_policy_read(&live->policy, wish->policy, err);
    if (rc)
        return rc;
    if (!mesh_policy_is_live(&live->policy))
        return cca_error_set(
            err, -EINVAL,
            "policy: found %s, which needs the whole trace, expected one "
            "that a running program can ask",
            wish->policy);
    live->cut = wish->other ? wish->other : &live->partitioner;
    if (!wish->other)
        rc = mesh_partitioner_open(&live->partitioner, wish->partitioner, source, err);
    return rc;
}

static int check(const struct mesh_live *live, const float *weights,
                 struct cca_error *err)
{
    return mesh_weights_check(live->judge.source,
                              live->asked ? live->asked * live->every - 1 : 0, weights,
                              err);
}

/* Make the first partition. */
static int begin(struct mesh_live *live, const float *weights, struct cca_error *err)
{
    int64_t cells = mesh_source_cells(live->judge.source);
    float *equal = NULL;
    int rc = 0;

    if (weights)
        rc = check(live, weights, err);
    else if (!(equal = malloc((size_t)cells * sizeof *equal)))
        rc = cca_no_memory(err);
    for (int64_t c = 0; equal && c < cells; c++)
        equal[c] = 1;
    if (!rc) {
        mesh_judge_by(&live->judge, weights ? weights : equal);
        rc = mesh_judge_cut(&live->judge, live->cut, NULL, &live->stands, err);
    }
    free(equal);
    if (!rc)
        mesh_partition_owners(live->judge.source, &live->stands, live->owners);
    return rc;
}

struct mesh_live *mesh_live_new(const struct mesh_source *source,
                                const struct mesh_live_wish *wish, const float *weights,
                                struct cca_error *err)
{
    struct mesh_live *live = calloc(1, sizeof *live);
    int rc;

    if (!live) {
        cca_no_memory(err);
        return NULL;
    }
    live->wish = *wish;
    live->every = wish->every > 1 ? wish->every : 1;
    rc = open_parts(live, source, err);
    if (!rc) {
        live->owners = malloc((size_t)mesh_source_cells(source) * sizeof *live->owners);
        rc = mesh_judge_init(&live->judge, source, wish->parts, 0);
        rc = rc || !live->owners ? cca_no_memory(err) : begin(live, weights, err);
    }
    if (!rc)
        return live;
    mesh_live_free(live);
    return NULL;
}

void mesh_live_free(struct mesh_live *live)
{
    if (!live)
        return;
    for (int a = 0; a < MESH_PAST; a++)
        mesh_partition_free(&live->past[a]);
    mesh_partition_free(&live->stands);
    mesh_partitioner_close(&live->partitioner);
    mesh_policy_done(&live->policy);
    mesh_judge_done(&live->judge);
    free(live->owners);
    free(live);
}

/* Return the current prices. A price in mean loads of a part is multiplied by the mean
 * over the steps seen so far. */
static struct mesh_price price_now(const struct mesh_live *live)
{
    double mean = live->means / (double)live->asked;
    double cells = (double)mesh_source_cells(live->judge.source);
    struct mesh_price price = {.repartition = live->wish.repartition.value,
                               .cell = live->wish.move.value};

    if (live->wish.repartition.in_loads)
        price.repartition *= mean;
    if (live->wish.move.in_loads)
        price.cell *= mean / cells;
    return price;
}

/* Fill in the facts for the policy. The newest partition in `past` was made of these
 * weights. */
static void see(struct mesh_live *live, const float *weights)
{
    int64_t cells = mesh_source_cells(live->judge.source), newest = live->asked - 1;
    const struct mesh_partition *fresh = &live->past[newest % MESH_PAST];
    int64_t past = mesh_policy_sees_past(&live->policy) ? MESH_PAST : 1;
    struct mesh_seen *seen = &live->seen;
    struct mesh_price price;
    double total = 0;

    for (int64_t c = 0; c < cells; c++)
        total += (double)weights[c];
    live->means += total / live->wish.parts;
    price = price_now(live);
    memset(seen, 0, sizeof *seen);
    for (int64_t a = 0; a <= newest && a < past; a++) {
        const struct mesh_partition *old = &live->past[(newest - a) % MESH_PAST];

        live->past_load[a] = mesh_judge_largest(&live->judge, old);
        live->past_price[a] = mesh_price_moved(
            &price, newest - a, newest, mesh_judge_moved(&live->judge, old, fresh));
        seen->past_count = a + 1;
    }
    seen->step = live->asked * live->every;
    seen->age = (live->asked - live->began) * live->every;
    seen->every = live->every;
    seen->largest = mesh_judge_largest(&live->judge, &live->stands);
    seen->mean = total / live->wish.parts;
    seen->fresh = live->past_load[0];
    seen->price = mesh_price_moved(&price, live->began, live->asked,
                                   mesh_judge_moved(&live->judge, &live->stands, fresh));
    seen->past = live->past_load;
    seen->past_price = live->past_price;
    if (live->wish.steps > seen->step)
        seen->remaining = live->wish.steps - seen->step;
}

/* Replace the current partition by the newest. */
static int replace(struct mesh_live *live, struct cca_error *err)
{
    const struct mesh_partition *fresh = &live->past[(live->asked - 1) % MESH_PAST];
    struct mesh_partition copy;

    if (mesh_partition_copy(live->judge.source, fresh, &copy))
        return cca_no_memory(err);
    mesh_partition_free(&live->stands);
    live->stands = copy;
    live->began = live->asked;
    mesh_partition_owners(live->judge.source, &live->stands, live->owners);
    return 1;
}

int mesh_live_step(struct mesh_live *live, const float *weights, struct cca_error *err)
{
    struct mesh_partition *newest = &live->past[live->asked % MESH_PAST];
    struct mesh_partition fresh = {0};
    int rc;

    live->asked++;
    rc = check(live, weights, err);
    if (!rc) {
        mesh_judge_by(&live->judge, weights);
        rc = mesh_judge_cut(&live->judge, live->cut, &live->stands, &fresh, err);
    }
    if (rc) {
        live->asked--;
        return rc;
    }
    mesh_partition_free(newest);
    *newest = fresh;
    see(live, weights);
    rc = mesh_policy_decide(&live->policy, &live->seen);
    if (rc < 0)
        return cca_error_set(err, rc, "the policy failed: %s", strerror(-rc));
    return rc ? replace(live, err) : 0;
}

const uint16_t *mesh_live_owners(const struct mesh_live *live)
{
    return live->owners;
}
