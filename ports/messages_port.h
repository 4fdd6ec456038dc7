/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_port.h: the sampled messages of MPI of this process, asked while it runs: by a
 * component that balances load or chooses how to communicate.
 *
 * The Mastermind provides it. Asking reads the process's own file of messages, some 10 us
 * and more with many channels or classes. */
#ifndef PORTS_MESSAGES_PORT_H
#define PORTS_MESSAGES_PORT_H

#include "ports/cca_port.h"

#define MESSAGES_PORT_TYPE "mastermind.MessagesPort/1"

/* Counts of this process so far. */
struct messages_counts {
    int64_t sent, received; /* messages, exact */
    int64_t sampled;        /* of those sent */
    int64_t joined;         /* samples received here of which both halves are known */
    int64_t lost;           /* samples dropped, of unverified channels, or suspect */
};

/* One end of a channel: messages of a communicator, pair of processes and tag. */
struct messages_channel {
    uint64_t communicator; /* the same on all its processes */
    int peer, tag;         /* peer: rank in MPI_COMM_WORLD; below 0: of another job */
    int is_send;
    int64_t messages; /* exact */
    int64_t bytes;    /* exact; 0 where this process receives */
};

/* Messages received here from one callsite at another, of one size: sums over samples,
 * each of which stands for 1/p messages. Under STAT and FREQ. */
struct messages_class {
    int source;                       /* rank in MPI_COMM_WORLD; -1: all others */
    int64_t bytes_low, bytes_high;    /* sizes from, to */
    uint64_t send_site, receive_site; /* the same on all processes */
    int64_t samples;
    double messages; /* estimated, as is all below; ns */
    double latency_ns, late_sender_ns, late_receiver_ns, transfer_ns; /* totals */
    double latency_min_ns, latency_max_ns;                            /* of samples */
};

struct messages_port {
    struct cca_port base;

    /* Fill `counts`. Returns 0; -ENODATA: no messages are sampled, or their file is not
     * there yet (before the first go); -EBADMSG, -EIO, -ENOMEM with `err`. Any thread. */
    int (*counts)(struct messages_port *self, struct messages_counts *counts,
                  struct cca_error *err) CCA_UNMEASURED;

    /* Call `visit` for each channel, or class; it borrows its argument for the call, and
     * ends the walk with a result other than 0, which is returned. `context` is handed
     * on. Otherwise returns as counts does. */
    int (*channels)(struct messages_port *self,
                    int (*visit)(void *context, const struct messages_channel *channel),
                    void *context, struct cca_error *err) CCA_UNMEASURED;
    int (*classes)(struct messages_port *self,
                   int (*visit)(void *context, const struct messages_class *entry),
                   void *context, struct cca_error *err) CCA_UNMEASURED;
};

#endif
