/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.h: a schedule of copies: copies on this rank, and for each other rank one
 * message to it and one message from it. */
#ifndef COMPONENTS_NEIGHBOURS_H
#define COMPONENTS_NEIGHBOURS_H

#include "components/message.h"

/* A schedule of copies. Zeroed memory is an empty schedule. Buffers are kept when a new
 * schedule is made. */
struct neighbours {
    struct copies here;       /* copies with source and target on this rank */
    int ranks;                /* number of all ranks, including this one */
    struct message *out, *in; /* [ranks] messages to and from each rank; a message
                               * without copies is not sent */
};

static inline void neighbours_done(struct neighbours *n)
{
    for (int rank = 0; rank < n->ranks; rank++) {
        message_done(&n->out[rank]);
        message_done(&n->in[rank]);
    }
    free(n->out);
    free(n->in);
    copies_done(&n->here);
    memset(n, 0, sizeof *n);
}

/* Empty the schedule for `ranks` ranks. Returns 0 or -ENOMEM. */
static inline int neighbours_clear(struct neighbours *n, int ranks)
{
    if (ranks != n->ranks) {
        neighbours_done(n);
        n->out = calloc((size_t)ranks, sizeof *n->out);
        n->in = calloc((size_t)ranks, sizeof *n->in);
        if (!n->out || !n->in) {
            neighbours_done(n);
            return -ENOMEM;
        }
        n->ranks = ranks;
    }
    copies_clear(&n->here);
    for (int rank = 0; rank < ranks; rank++) {
        n->out[rank].rank = n->in[rank].rank = rank;
        copies_clear(&n->out[rank].copies);
        copies_clear(&n->in[rank].copies);
    }
    return 0;
}

/* Add a copy, if `rank` takes part in it. Returns 0 or -ENOMEM. */
static inline int neighbours_add(struct neighbours *n, int rank,
                                 const struct ghost_copy *copy)
{
    if (copy->from.rank == rank && copy->to.rank == rank)
        return copies_add(&n->here, copy);
    if (copy->from.rank == rank)
        return copies_add(&n->out[copy->to.rank].copies, copy);
    if (copy->to.rank == rank)
        return copies_add(&n->in[copy->from.rank].copies, copy);
    return 0;
}

/* Start all messages, then make the copies on this rank, which overlap with them. `port`
 * is unused if there are no messages. Returns 0 or a negative errno. */
static inline int neighbours_start(struct neighbours *n, struct exchange_port *port,
                                   int tag, const struct copy_values *v)
{
    int code = 0;

    for (int rank = 0; rank < n->ranks && !code; rank++)
        if (n->in[rank].copies.count)
            code = message_receive(&n->in[rank], port, tag, v->components);
    for (int rank = 0; rank < n->ranks && !code; rank++)
        if (n->out[rank].copies.count)
            code = message_send(&n->out[rank], port, tag, v);
    if (!code)
        copies_run(&n->here, v);
    return code;
}

/* After the wait of the port: copy received values to their targets. */
static inline void neighbours_unpack(const struct neighbours *n,
                                     const struct copy_values *v)
{
    for (int rank = 0; rank < n->ranks; rank++)
        if (n->in[rank].copies.count)
            message_unpack(&n->in[rank], v);
}

/* Return the number of cells that come from other ranks. */
static inline int64_t neighbours_received(const struct neighbours *n)
{
    int64_t cells = 0;

    for (int rank = 0; rank < n->ranks; rank++)
        cells += n->in[rank].copies.cells;
    return cells;
}

/* Count what one run with `components` components does on this rank: the out-parameters
 * of `finish` in ports/ghost_port.h. */
static inline void neighbours_count(const struct neighbours *n, int components,
                                    int64_t *cells, int64_t *bytes, int64_t *messages,
                                    int64_t *peers)
{
    int64_t received = neighbours_received(n), sent = 0, count = 0, found = 0;

    for (int rank = 0; rank < n->ranks; rank++) {
        int out = n->out[rank].copies.count > 0, in = n->in[rank].copies.count > 0;

        sent += n->out[rank].copies.cells;
        count += out + in;
        found += out || in;
    }
    if (cells)
        *cells = n->here.cells + received;
    if (bytes)
        *bytes = (sent + received) * components * (int64_t)sizeof(double);
    if (messages)
        *messages = count;
    if (peers)
        *peers = found;
}

#endif
