/* SPDX-License-Identifier: BSD-3-Clause */
/* GhostsPerPatch.c: update ghost cells with one message for each pair of patches on two
 * ranks.
 *
 * The simple method: each pair has its own buffer. Many short messages cost more than the
 * few long ones of GhostsPerNeighbour. */
#include "components/message.h"
#include "components/ranks.h"

/* Messages to other ranks, or from other ranks, one for each pair of patches. */
struct messages {
    int count;
    struct message *at;
};

struct plan {
    int64_t stamp;
    struct copies here;
    struct messages out, in;
    int started;
    struct copy_values values;
};

#include "components/ghosts.h"

static void messages_done(struct messages *messages)
{
    for (int n = 0; n < messages->count; n++)
        message_done(&messages->at[n]);
    free(messages->at);
    *messages = (struct messages){0};
}

static void plan_done(struct plan *plan)
{
    copies_done(&plan->here);
    messages_done(&plan->out);
    messages_done(&plan->in);
    *plan = (struct plan){0};
}

/* --- Pairs of patches ------------------------------------------------------ */

/* A copy between two ranks, and its index in the list of copies that both ranks have. */
struct entry {
    const struct ghost_copy *copy;
    int peer;
};

/* Compare entries for the order of messages, which is the same on both ranks. */
static int entry_compare_pair(const struct entry *a, const struct entry *b)
{
    const int x[] = {a->peer, a->copy->part, a->copy->from.patch, a->copy->to.patch};
    const int y[] = {b->peer, b->copy->part, b->copy->from.patch, b->copy->to.patch};

    for (int n = 0; n < 4; n++)
        if (x[n] != y[n])
            return x[n] < y[n] ? -1 : 1;
    return 0;
}

static int entry_compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = entry_compare_pair(x, y);

    return order ? order : x->copy < y->copy ? -1 : x->copy > y->copy;
}

/* Make one message for each pair among sorted entries. Returns 0 or -ENOMEM. */
static int messages_make(struct messages *messages, const struct entry *entries,
                         int count)
{
    int code = 0;

    messages->at = calloc((size_t)count + 1, sizeof *messages->at);
    if (!messages->at)
        return -ENOMEM;
    for (int n = 0; n < count && !code; n++) {
        if (!n || entry_compare_pair(&entries[n - 1], &entries[n]))
            messages->at[messages->count++].rank = entries[n].peer;
        code = copies_add(&messages->at[messages->count - 1].copies, entries[n].copy);
    }
    return code;
}

/* Plan the messages of this rank in one direction. Returns 0 or -ENOMEM. */
static int messages_plan(struct messages *messages, const struct ghost_copy *copies,
                         int count, int rank, int out)
{
    struct entry *entries = malloc(((size_t)count + 1) * sizeof *entries);
    int found = 0, code = -ENOMEM;

    for (int n = 0; n < count && entries; n++) {
        int mine = out ? copies[n].from.rank : copies[n].to.rank;
        int peer = out ? copies[n].to.rank : copies[n].from.rank;

        if (mine == rank && peer != rank)
            entries[found++] = (struct entry){&copies[n], peer};
    }
    if (entries) {
        qsort(entries, (size_t)found, sizeof *entries, entry_compare);
        code = messages_make(messages, entries, found);
    }
    free(entries);
    return code;
}

static int plan_make(struct plan *plan, const struct ghost_copy *copies, int count,
                     int rank, int size)
{
    int code = 0;

    (void)size;
    plan_done(plan);
    for (int n = 0; n < count && !code; n++)
        if (copies[n].from.rank == rank && copies[n].to.rank == rank)
            code = copies_add(&plan->here, &copies[n]);
    if (!code)
        code = messages_plan(&plan->out, copies, count, rank, 1);
    if (!code)
        code = messages_plan(&plan->in, copies, count, rank, 0);
    return code;
}

/* --- Updates --------------------------------------------------------------- */

static int plan_start(struct plan *plan, struct exchange_port *ranks, int level)
{
    int code = 0;

    for (int n = 0; n < plan->in.count && !code; n++)
        code = message_receive(&plan->in.at[n], ranks, level, plan->values.components);
    for (int n = 0; n < plan->out.count && !code; n++)
        code = message_send(&plan->out.at[n], ranks, level, &plan->values);
    if (!code)
        copies_run(&plan->here, &plan->values);
    return code;
}

/* Count the ranks to which messages `out` go or from which messages `in` come; both are
 * sorted by rank. */
static int64_t peers_count(const struct messages *out, const struct messages *in)
{
    int64_t peers = 0;

    for (int a = 0, b = 0; a < out->count || b < in->count; peers++) {
        int rank = b >= in->count || (a < out->count && out->at[a].rank < in->at[b].rank)
                       ? out->at[a].rank
                       : in->at[b].rank;

        while (a < out->count && out->at[a].rank == rank)
            a++;
        while (b < in->count && in->at[b].rank == rank)
            b++;
    }
    return peers;
}

static void plan_finish(struct plan *plan, int64_t *cells, int64_t *bytes,
                        int64_t *messages, int64_t *peers)
{
    int64_t sent = 0, received = 0;

    for (int n = 0; n < plan->in.count; n++) {
        message_unpack(&plan->in.at[n], &plan->values);
        received += plan->in.at[n].copies.cells;
    }
    for (int n = 0; n < plan->out.count; n++)
        sent += plan->out.at[n].copies.cells;
    if (cells)
        *cells = plan->here.cells + received;
    if (bytes)
        *bytes = (sent + received) * plan->values.components * (int64_t)sizeof(double);
    if (messages)
        *messages = (int64_t)plan->out.count + plan->in.count;
    if (peers)
        *peers = peers_count(&plan->out, &plan->in);
}

CCA_EXPORT const struct cca_class cca_class = {
    .name = "GhostsPerPatch",
    GHOSTS_CLASS("ghost cells of a mesh: one message for each pair of patches"),
};
