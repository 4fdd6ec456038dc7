/* SPDX-License-Identifier: BSD-3-Clause */
/* GhostsPerPatch.c: update ghost cells with one message for each pair of patches on two
 * ranks.
 *
 * The simple method: each pair has its own buffer. Many short messages cost more than the
 * few long ones of GhostsPerNeighbour. */
#include <errno.h>

#include "components/message.h"
#include "components/ranks.h"
#include "ports/ghost_port_signature.h"

/* Messages to other ranks, or from them, one for each pair of patches. */
struct messages {
    int count;
    struct message *at;
};

struct plan {
    int64_t stamp; /* serial number of the plan; 0: there is no plan */
    struct copies here;
    struct messages out, in;
    int started;
    struct copy_values values; /* values that the current update copies */
};

struct ghosts {
    struct ghost_port port;
    struct cca_services *services;
    int has_met; /* 1: ranks_meet was called */
    struct plan plans[GHOST_LEVELS];
};

static struct plan *plan_of(struct ghost_port *self, int level)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);

    return level >= 0 && level < GHOST_LEVELS ? &k->plans[level] : NULL;
}

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

/* A copy between two ranks, and its index in the list that both have. */
struct entry {
    const struct ghost_copy *copy;
    int peer;
};

/* Order of messages: the same on both ranks. */
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

static int ghosts_plan(struct ghost_port *self, int level, int64_t stamp,
                       const struct ghost_copy *copies, int count, struct cca_error *err)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    int rank = ranks ? ranks->rank(ranks) : 0, size = ranks ? ranks->size(ranks) : 1;
    struct plan *plan = plan_of(self, level);
    int code;

    if (!plan)
        return cca_error_set(err, -EINVAL, "no level %d; 0 to %d are served", level,
                             GHOST_LEVELS - 1);
    code = ranks_meet(ranks, &k->has_met);
    if (code)
        return cca_error_set(err, code, "another rank has failed");
    plan_done(plan);
    for (int n = 0; n < count && !code; n++) {
        if (copies[n].from.rank >= size || copies[n].to.rank >= size)
            return cca_error_set(err, -ENOTCONN,
                                 "copies from rank %d to rank %d, but there are %d",
                                 copies[n].from.rank, copies[n].to.rank, size);
        if (copies[n].from.rank == rank && copies[n].to.rank == rank)
            code = copies_add(&plan->here, &copies[n]);
    }
    if (!code)
        code = messages_plan(&plan->out, copies, count, rank, 1);
    if (!code)
        code = messages_plan(&plan->in, copies, count, rank, 0);
    if (code)
        return cca_error_set(err, code, "out of memory for %d copies", count);
    plan->stamp = stamp;
    return 0;
}

static void ghosts_forget(struct ghost_port *self, int level)
{
    struct plan *plan = plan_of(self, level);

    if (plan)
        plan_done(plan);
}

/* --- Updates --------------------------------------------------------------- */

static int ghosts_start(struct ghost_port *self, int level, int64_t stamp, int components,
                        const struct ghost_values *values, double fraction)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct plan *plan = plan_of(self, level);
    int code = 0;

    if (!plan || !plan->stamp || plan->stamp != stamp)
        return -ESTALE;
    plan->values = (struct copy_values){.fraction = fraction, .components = components};
    memcpy(plan->values.parts, values, sizeof plan->values.parts);
    for (int n = 0; n < plan->in.count && !code; n++)
        code = message_receive(&plan->in.at[n], ranks, level, components);
    for (int n = 0; n < plan->out.count && !code; n++)
        code = message_send(&plan->out.at[n], ranks, level, &plan->values);
    if (!code)
        copies_run(&plan->here, &plan->values);
    plan->started = !code;
    return code;
}

/* Number of ranks among the messages out and in, which are sorted by rank. */
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

static int ghosts_finish(struct ghost_port *self, int level, int64_t *cells,
                         int64_t *bytes, int64_t *messages, int64_t *peers)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct plan *plan = plan_of(self, level);
    int64_t sent = 0, received = 0;
    int code;

    if (!plan || !plan->started)
        return -EINVAL;
    plan->started = 0;
    code = ranks ? ranks->wait(ranks) : 0;
    if (code)
        return code;
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
    return 0;
}

static const struct ghost_port port = {
    .base = {GHOST_PORT_TYPE, sizeof port},
    .plan = ghosts_plan,
    .forget = ghosts_forget,
    .start = ghosts_start,
    .finish = ghosts_finish,
};

static void ghosts_destroy(void *self)
{
    struct ghosts *k = self;

    for (int level = 0; level < GHOST_LEVELS; level++)
        ghosts_forget(&k->port, level);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct ghosts, services),
    .name = "GhostsPerPatch",
    .summary = "ghost cells of a mesh: one message for each pair of patches",
    CCA_SIGNATURES(GHOST_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"ghosts", offsetof(struct ghosts, port), &port.base}),
    CCA_USES(RANKS_USES),
    .destroy = ghosts_destroy,
};
