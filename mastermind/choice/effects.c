/* SPDX-License-Identifier: BSD-3-Clause */
/* effects.c: differences between forecasts of assemblies that differ in one slot or two.
 */
#include "mastermind/choice/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/same.h"

struct finder {
    struct mm_effects *effects;
    struct mm_open_choice *choice;
    struct mm_cost_tally *tally;
    const struct mm_wiring *wiring; /* connections of the instances of a run; NULL:
                                       unknown */
    size_t *at;                     /* [slot_count] indexes of classes; scratch memory */
    struct cca_error *err;
};

/* The cost of the base assembly with other classes in the slots `a` and `b`; slot_count
 * in place of a slot: no change. */
static const struct mm_tallied *changed(struct finder *f, size_t a, size_t class_a,
                                        size_t b, size_t class_b)
{
    size_t count = f->choice->slot_count;

    memcpy(f->at, f->effects->base, count * sizeof *f->at);
    if (a < count)
        f->at[a] = class_a;
    if (b < count)
        f->at[b] = class_b;
    return mm_tally_cost(f->tally, f->at, f->err);
}

/* --- The base assembly ------------------------------------------------------------- */

/* Change the class of one slot so that the first part without a cost gets one. Returns 1;
 * 0 if no class helps. */
static int replace_one(struct finder *f, const struct mm_tallied *bad)
{
    size_t none = f->choice->slot_count;

    for (size_t s = 0; s < none; s++) {
        for (size_t c = 0; c < f->choice->slots[s].class_count; c++) {
            const struct mm_tallied *item = changed(f, s, c, none, 0);

            if (!item)
                return f->err->code;
            if (isnan(item->total_ns) &&
                (item->unknown == bad->unknown || !item->costs || !bad->costs ||
                 !isnan(bad->costs[item->unknown])))
                continue;
            f->effects->base[s] = c;
            return 1;
        }
    }
    return 0;
}

/* Find a base assembly whose parts all have a cost. */
static int find_base(struct finder *f)
{
    size_t none = f->choice->slot_count;

    for (size_t tries = 0; tries <= none; tries++) {
        const struct mm_tallied *item = changed(f, none, 0, none, 0);
        int result;

        if (!item)
            return f->err->code;
        f->effects->base_ns = item->total_ns;
        if (!isnan(item->total_ns))
            return 0;
        result = tries < none ? replace_one(f, item) : 0;
        if (result < 0)
            return result;
        if (!result)
            return cca_error_set(f->err, -ENODATA, "%s", item->why);
    }
    return 0;
}

/* --- Effects of single slots ------------------------------------------------------- */

static int find_alone(struct finder *f, size_t slot)
{
    struct mm_effects *e = f->effects;
    struct mm_open_slot *own = &f->choice->slots[slot];
    size_t none = f->choice->slot_count, vertices = f->tally->vertex_count + 1;

    e->alone[slot] = calloc(own->class_count, sizeof *e->alone[slot]);
    e->touched[slot] = calloc(vertices, 1);
    if (!e->alone[slot] || !e->touched[slot])
        return cca_no_memory(f->err);
    for (size_t c = 0; c < own->class_count; c++) {
        const struct mm_tallied *item = changed(f, slot, c, none, 0), *base;

        base = item ? changed(f, none, 0, none, 0) : NULL;
        if (!base)
            return f->err->code;
        e->alone[slot][c] = item->total_ns - e->base_ns;
        own->classes[c].known = !isnan(item->total_ns);
        if (!own->classes[c].known)
            snprintf(own->classes[c].why, sizeof own->classes[c].why, "%s", item->why);
        for (size_t v = 0; own->classes[c].known && v < vertices; v++)
            e->touched[slot][v] |=
                fabs(item->costs[v] - base->costs[v]) > CCA_SAME * e->base_ns;
    }
    return 0;
}

/* --- Effects of pairs of slots ----------------------------------------------------- */

static int are_connected(const struct finder *f, size_t a, size_t b)
{
    const char *one = f->choice->slots[a].instance, *other = f->choice->slots[b].instance;

    for (size_t i = 0; f->wiring && i < f->wiring->connection_count; i++) {
        const struct mm_connection *c = &f->wiring->connections[i];

        if ((strcmp(c->user, one) == 0 && strcmp(c->provider, other) == 0) ||
            (strcmp(c->user, other) == 0 && strcmp(c->provider, one) == 0))
            return 1;
    }
    return 0;
}

/* True if slots may interact: they are connected, or both change the cost of one method.
 */
static int may_couple(const struct finder *f, size_t a, size_t b)
{
    for (size_t v = 0; v <= f->tally->vertex_count; v++)
        if (f->effects->touched[a][v] && f->effects->touched[b][v])
            return 1;
    return are_connected(f, a, b);
}

/* Cost of a class in each of two slots beyond the sum of their effects. Returns 0 or
 * -ENOMEM. */
static int pair_cost(struct finder *f, size_t a, size_t class_a, size_t b, size_t class_b,
                     double *cost)
{
    const struct mm_effects *e = f->effects;
    const struct mm_tallied *item;

    *cost = 0;
    if (!f->choice->slots[a].classes[class_a].known ||
        !f->choice->slots[b].classes[class_b].known || class_a == e->base[a] ||
        class_b == e->base[b])
        return 0;
    item = changed(f, a, class_a, b, class_b);
    if (!item)
        return f->err->code;
    *cost = item->total_ns - e->base_ns - e->alone[a][class_a] - e->alone[b][class_b];
    if (fabs(*cost) <= CCA_SAME * e->base_ns)
        *cost = 0;
    return 0;
}

static void join_groups(struct mm_effects *e, size_t a, size_t b)
{
    size_t low = e->group[a] < e->group[b] ? e->group[a] : e->group[b];
    size_t high = e->group[a] < e->group[b] ? e->group[b] : e->group[a];

    for (size_t s = 0; s < e->slot_count; s++)
        if (e->group[s] == high)
            e->group[s] = low;
}

static int find_pair(struct finder *f, size_t a, size_t b)
{
    struct mm_effects *e = f->effects;
    size_t rows = f->choice->slots[a].class_count;
    size_t columns = f->choice->slots[b].class_count;
    double *costs = calloc(rows * columns, sizeof *costs);
    struct mm_pair_effect *pair;
    int coupled = 0;

    if (!costs)
        return cca_no_memory(f->err);
    for (size_t i = 0; i < rows * columns; i++) {
        if (pair_cost(f, a, i / columns, b, i % columns, &costs[i])) {
            free(costs);
            return f->err->code;
        }
        coupled |= costs[i] != 0; /* the slots are coupled also if a cost is unknown
                                     (NaN) */
    }
    pair = coupled ? cca_array_add(&e->pairs, &e->pair_count, sizeof *pair) : NULL;
    if (!pair) {
        free(costs);
        return coupled ? cca_no_memory(f->err) : 0;
    }
    *pair = (struct mm_pair_effect){{a, b}, costs};
    join_groups(e, a, b);
    return 0;
}

/* --- Effects of all slots ---------------------------------------------------------- */

static int allocate(struct mm_effects *e, size_t slots)
{
    e->slot_count = slots;
    e->base = calloc(slots + 1, sizeof *e->base);
    e->group = calloc(slots + 1, sizeof *e->group);
    e->alone = calloc(slots + 1, sizeof *e->alone);
    e->touched = calloc(slots + 1, sizeof *e->touched);
    for (size_t s = 0; e->group && s < slots; s++)
        e->group[s] = s;
    return e->base && e->group && e->alone && e->touched ? 0 : -ENOMEM;
}

int mm_effects_find(struct mm_effects *effects, struct mm_open_choice *choice,
                    struct mm_cost_tally *tally, const struct mm_wiring *wiring,
                    struct cca_error *err)
{
    struct cca_error own = {0};
    struct finder f = {effects, choice, tally, wiring, NULL, &own};
    int result;

    *effects = (struct mm_effects){0};
    f.at = calloc(choice->slot_count + 1, sizeof *f.at);
    result = !f.at || allocate(effects, choice->slot_count) ? cca_no_memory(&own) : 0;
    if (!result)
        result = find_base(&f);
    for (size_t s = 0; s < choice->slot_count && !result; s++)
        result = find_alone(&f, s);
    for (size_t a = 0; a < choice->slot_count && !result; a++)
        for (size_t b = a + 1; b < choice->slot_count && !result; b++)
            if (may_couple(&f, a, b))
                result = find_pair(&f, a, b);
    free(f.at);
    return result ? cca_error_set(err, result, "%s", own.text) : 0;
}

void mm_effects_done(struct mm_effects *e)
{
    for (size_t s = 0; s < e->slot_count; s++) {
        if (e->alone)
            free(e->alone[s]);
        if (e->touched)
            free(e->touched[s]);
    }
    for (size_t i = 0; i < e->pair_count; i++)
        free(e->pairs[i].costs);
    free(e->base);
    free(e->group);
    free(e->alone);
    free(e->touched);
    free(e->pairs);
}

size_t mm_effects_ways(const struct mm_effects *effects,
                       const struct mm_open_choice *choice, size_t group, size_t most,
                       size_t *slots)
{
    size_t ways = 1;

    *slots = 0;
    for (size_t s = 0; s < choice->slot_count; s++) {
        size_t known = 0;

        if (effects->group[s] != group)
            continue;
        for (size_t c = 0; c < choice->slots[s].class_count; c++)
            known += choice->slots[s].classes[c].known != 0;
        ways = ways > most ? ways : ways * known;
        ++*slots;
    }
    return ways > most ? most + 1 : ways;
}
