/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h: the machine a model runs on: nodes, their cores, networks inside and between
 * them.
 *
 * Without a file: four cores of speed 1 per node, as the machine of Pllana's paper, and
 * networks that take no time. */
#ifndef ACTIVITY_MACHINE_MACHINE_H
#define ACTIVITY_MACHINE_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include "ports/cca_error.h"

/* LogGP (A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, 1995): a message of m bytes
 * arrives send_s + (m - 1) byte_s + latency_s after its send began, and takes receive_s
 * to receive; the next message of the process leaves at least (m - 1) byte_s + gap_s
 * after this one. Above `eager` bytes the sender waits until the receiver is ready, and
 * there is no gap. Seconds, seconds per byte. */
struct act_network {
    double latency_s, send_s, receive_s, gap_s, byte_s;
    int64_t eager; /* largest eager message, bytes; -1: no limit */
};

enum { ACT_INSIDE, ACT_BETWEEN, ACT_NETWORKS };
enum act_placement { ACT_BLOCK, ACT_CYCLIC };

struct act_machine {
    int64_t nodes; /* maximum number of nodes; 0: any number */
    int64_t cores; /* number of cores per node */
    /* number of threads per process outside of parallel regions: nthread */
    int64_t threads;
    double speed; /* speed of a core: costs are divided by it */
    /* memory bandwidth of a node, bytes per second, shared by its cores; 0: unlimited */
    double memory;
    double noise; /* relative standard deviation of costs (log-normal, mean 1) */
    enum act_placement placement; /* placement of processes; "block": of P processes on N
                                   * nodes, process pid is on node pid*N/P */
    int expanded; /* 1: collectives without `as` are expanded into messages, not simulated
                   * by their cost */
    struct act_network networks[ACT_NETWORKS];
};

/* Set the default machine: nodes of four cores, networks that take no time. */
void act_machine_usual(struct act_machine *machine);

/* Read a file:
 *
 *     [machine]              [node]            [inside]             [between]
 *     nodes = 16             cores = 4         latency = 1e-6       latency = 5e-6
 *     threads = 1            speed = 1         send = 2e-7          ...
 *     placement = block      memory = 2e10     receive = 2e-7
 *     collectives = cost                       gap = 0
 *     noise = 0.02                             byte = 1e-10
 *                                              eager = 65536
 *
 * Keys that are missing have defaults. Returns 0; -EINVAL "path:line:column: found,
 * expected"; an I/O error. */
int act_machine_load(struct act_machine *machine, const char *path,
                     struct cca_error *err);

/* Write a machine file. Returns 0 or a negative errno of the stream. */
int act_machine_print(const struct act_machine *machine, FILE *out);

/* "N2P8": 2 nodes, 8 processes in all; "N2P8T4": 4 threads each. */
struct act_config {
    /* numbers of the configuration; threads 0: the machine's value */
    int64_t nodes, processes, threads;
};

/* Read configurations, "N1P4,N8P32", into configs[most]. Returns their number, or
 * -EINVAL. */
int act_configs_read(const char *text, struct act_config *configs, int most,
                     struct cca_error *err);

#endif
