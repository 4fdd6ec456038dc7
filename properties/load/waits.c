/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c: estimate waiting inside MPI by method, from samples.
 *
 * A sample contains only the innermost method. Its waiting time is distributed over the
 * method's calling contexts in proportion to their MPI time, and thus to the enclosing
 * methods. */
#include <errno.h>
#include <stdlib.h>

#include "properties/load/parts.h"
#include "properties/load/sums/tree.h"

/* limit of ranks, because collectives are read once for each rank */
enum { MOST_RANKS = 256 };

struct waits {
    struct mm_load *load;
    size_t methods;
    double *own_ns; /* [ranks][methods + 1] own time of each method; the last entry: time
                       outside of all methods */
    int rank;
};

static double *wait_of(const struct waits *w, int rank, const struct mm_method_info *m)
{
    return &w->own_ns[(size_t)rank * (w->methods + 1) +
                      (m ? w->load->same[m->index] : w->methods)];
}

static void add_group(struct waits *w, const struct mm_message_group *g)
{
    int ranks = w->load->e->ranks;

    if (g->other)
        return;
    if (g->dst >= 0 && g->dst < ranks)
        *wait_of(w, g->dst, g->recv_method) +=
            mm_estimate_total(&g->sums, &g->sums.late_sender).value;
    if (g->src >= 0 && g->src < ranks)
        *wait_of(w, g->src, g->send_method) +=
            mm_estimate_total(&g->sums, &g->sums.late_receiver).value;
}

static int takes_rank(void *context, int process, uint64_t site,
                      const struct mm_method_info *method)
{
    const struct waits *w = context;

    (void)site;
    (void)method;
    return process == w->rank;
}

static int add_collectives(struct waits *w, const struct mm_load_messages *m, int rank)
{
    struct mm_collectives own = {0};
    int result;

    w->rank = rank;
    result = mm_collectives_read(&own, m->messages, w->load->options->most_memory,
                                 takes_rank, w, w->load->err);
    for (size_t i = 0; i < own.table.count && !result; i++) {
        const struct mm_collective_group *g = mm_word_table_value(&own.table, i);

        *wait_of(w, rank, g->method) += g->total_ns;
    }
    mm_collectives_done(&own);
    return result == -ENOMEM ? cca_no_memory(w->load->err) : result;
}

/* --- Distribution over contexts ------------------------------------------- */

/* Share of a cell (a context on one unit) in the MPI time of its method; if that time is
 * 0, in the method's calls. */
static double share_of(const struct mm_load_sum *sum, const struct mm_tree_cell *c)
{
    if (sum->own[MM_LOAD_MPI] > 0)
        return (double)c->own[MM_LOAD_MPI] / (double)sum->own[MM_LOAD_MPI];
    return sum->calls ? (double)c->calls / (double)sum->calls : 0;
}

static void spread_cell(const struct waits *w, struct mm_tree_cell *c)
{
    struct mm_load *load = w->load;
    struct mm_load_unit *unit = &load->units[c->unit];
    const struct mm_tree_context *contexts = load->tree->contexts;
    size_t method = contexts[c->context].method;
    int64_t ns;

    if (!unit->sums || (c->unit && unit[-1].rank == unit->rank))
        return; /* messages of a rank are attributed to its first thread */
    ns = (int64_t)(*wait_of(w, unit->rank, load->e->methods[method]) *
                   share_of(&unit->sums[method], c));
    if (ns <= 0)
        return;
    c->own[MM_LOAD_WAIT] += ns;
    unit->sums[method].own[MM_LOAD_WAIT] += ns;
    for (uint32_t at = c->context; at; at = contexts[at].parent)
        unit->sums[contexts[at].method].all[MM_LOAD_WAIT] += ns;
}

static void spread_all(const struct waits *w)
{
    struct mm_load *load = w->load;

    for (size_t i = 0; i < load->tree->cell_count; i++)
        spread_cell(w, &load->tree->cells[i]);
    for (size_t i = 0; i < load->unit_count; i++) {
        struct mm_load_unit *unit = &load->units[i];

        if (i && unit[-1].rank == unit->rank)
            continue;
        for (size_t k = 0; k <= w->methods; k++)
            unit->roots.all[MM_LOAD_WAIT] +=
                (int64_t)w->own_ns[(size_t)unit->rank * (w->methods + 1) + k];
    }
    load->has_waits = 1;
}

int mm_load_waits(struct mm_load_messages *m)
{
    struct mm_load *load = m->load;
    struct waits w = {.load = load, .methods = load->e->method_count};
    int result = 0;

    if (!load->tree)
        return mm_load_missing(load, "wait_time", "calling contexts were left out");
    if (load->e->ranks > MOST_RANKS && m->collectives.table.count)
        return mm_load_missing(load, "wait_time",
                               "collectives are not read for more than %d ranks",
                               MOST_RANKS);
    w.own_ns = calloc((size_t)load->e->ranks * (w.methods + 1), sizeof *w.own_ns);
    if (!w.own_ns)
        return cca_no_memory(load->err);
    for (size_t i = 0; i < mm_message_groups_count(&m->groups); i++)
        add_group(&w, mm_message_groups_at(&m->groups, i));
    for (int rank = 0; rank < load->e->ranks && m->collectives.table.count && !result;
         rank++)
        result = add_collectives(&w, m, rank);
    if (!result)
        spread_all(&w);
    free(w.own_ns);
    return result;
}
