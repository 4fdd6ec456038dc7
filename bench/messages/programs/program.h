/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h: what the measured programs share: options, and the count that each keeps of
 * its own messages, beside and not through whatever measures it. */
#ifndef BENCH_MESSAGES_PROGRAMS_PROGRAM_H
#define BENCH_MESSAGES_PROGRAMS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* One option: `--name NUMBER`, or `--name` alone where `most` is 0, which sets 1. */
struct program_option {
    const char *name;
    int *value;      /* holds the default, is overwritten */
    int least, most; /* of the number; both inclusive */
};

/* Read the command line; MPI is initialised.
 *
 *   options   in  array, ended by an entry without a name; borrowed for the call
 *
 * Ends the run with status 2 on all ranks, after one line by rank 0, where a word is
 * wrong; all ranks have the same words. Called once, by the main thread. */
void program_options(int argc, char **argv, const struct program_option *options);

enum { TRAFFIC_SIZES = 32 };

/* Messages of this process, as it sends them. */
struct traffic {
    int ranks;
    int64_t *messages, *bytes;    /* [ranks]: to that rank of MPI_COMM_WORLD; owned */
    int64_t sizes[TRAFFIC_SIZES]; /* [0]: empty; [i]: of 2^(i-1) to 2^i - 1 bytes */
};

/* Make it empty. Returns 0, or -ENOMEM. traffic_done frees what it holds. */
int traffic_init(struct traffic *t, int ranks);
void traffic_done(struct traffic *t);

/* One message of so many bytes went to a rank of MPI_COMM_WORLD. One thread at a time. */
void traffic_sent(struct traffic *t, int to, size_t bytes);

/* Print on rank 0, to standard output:
 *   pair FROM TO messages N bytes N         for each pair with messages
 *   size LEAST MOST messages N              for each class of sizes with messages
 *   total messages N bytes N
 * Collective on MPI_COMM_WORLD, by collective calls alone: it adds no message. */
void traffic_print(const struct traffic *t);

/* The end of a program: all ranks agree whether each found its result right; rank 0
 * prints one line, `NAME: verified` or `NAME: WRONG`. Returns the exit status, 0 or 1,
 * the same on all ranks. Collective on MPI_COMM_WORLD. */
int program_verdict(const char *name, int right);

#endif
