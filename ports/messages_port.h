/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_port.h: query the sampled MPI messages of this process while it runs, for a
 * component that balances load or chooses how to communicate.
 *
 * The Mastermind provides it. A query reads the process's own message file, which takes
 * 10 us, and more with many channels or classes. */
#ifndef PORTS_MESSAGES_PORT_H
#define PORTS_MESSAGES_PORT_H

#include "ports/cca_port.h"

#define MESSAGES_PORT_TYPE "mastermind.MessagesPort/1"

/* Counts of this process so far. */
struct messages_counts {
    int64_t sent, received; /* exact numbers of messages */
    int64_t sampled;        /* samples among the sent messages */
    int64_t joined;         /* samples received here with both records, the sender's and
                             * the receiver's */
    int64_t lost; /* samples that were dropped, are suspect, or belong to unverified
                     channels */
};

/* Messages of one channel (communicator, pair of processes and tag) at one of its two
 * ends. */
struct messages_channel {
    uint64_t communicator; /* id of the communicator, the same on all its processes */
    int peer, tag; /* peer: rank of the other process in MPI_COMM_WORLD; < 0: it belongs
                      to another job */
    int is_send;
    int64_t messages; /* exact */
    int64_t bytes;    /* exact number of bytes; 0 if this process is the receiver */
};

/* Messages of one range of sizes that one callsite sent and another callsite received in
 * this process. They exist in the sampling modes STAT and FREQ. Values are sums over
 * samples, each of which stands for 1/p messages. */
struct messages_class {
    int source;                       /* sender's rank in MPI_COMM_WORLD; -1: all other
                                       * ranks */
    int64_t bytes_low, bytes_high;    /* range of sizes */
    uint64_t send_site, receive_site; /* ids of the callsites, the same on all
                                       * processes */
    int64_t samples;
    double messages; /* estimated number of messages; the following members are estimates,
                        too; times in ns */
    /* Sums over all messages of the class. */
    double latency_ns, late_sender_ns, late_receiver_ns, transfer_ns;
    double latency_min_ns, latency_max_ns; /* least and greatest latency among the
                                            * samples */
};

struct messages_port {
    struct cca_port base;

    /* Fill `counts`. Returns 0; -ENODATA: no messages are sampled, or their file does not
     * exist yet (before the first call of a Go port); -EBADMSG, -EIO, -ENOMEM with `err`.
     * Any thread. */
    int (*counts)(struct messages_port *self, struct messages_counts *counts,
                  struct cca_error *err) CCA_UNMEASURED;

    /* Call `visit` for each channel, or class, with `context`. Its argument is valid
     * during the call only. A result of `visit` other than 0 ends the walk and is
     * returned. Otherwise the result is like that of `counts`. */
    int (*channels)(struct messages_port *self,
                    int (*visit)(void *context, const struct messages_channel *channel),
                    void *context, struct cca_error *err) CCA_UNMEASURED;
    int (*classes)(struct messages_port *self,
                   int (*visit)(void *context, const struct messages_class *entry),
                   void *context, struct cca_error *err) CCA_UNMEASURED;
};

#endif
