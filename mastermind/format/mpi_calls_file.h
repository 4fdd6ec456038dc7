/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls_file.h: the file of a process's MPI calls: number and time of the calls of
 * each function, and the call under way. It can be read at any moment, also after the
 * process's end.
 *
 * 0        head
 * 64       names of functions, "MPI_Abort" ..., a NUL after each
 * first    [functions] counts: the sums counted before the file existed
 * tables   one per thread, `stride` bytes apart: a table head, [functions] counts
 *
 * Byte order is the machine's; places are whole pages. Each thread writes its counts
 * while it runs: for a call that ends just now one word may be older than the other. A
 * table of zeros belongs to a thread that has not called MPI yet, or to none. */
#ifndef MASTERMIND_FORMAT_MPI_CALLS_FILE_H
#define MASTERMIND_FORMAT_MPI_CALLS_FILE_H

#include <stdint.h>

#define MEAS_CALLS_FILE "mpi.calls" /* in the folder of a rank */
#define MEAS_CALLS_MAGIC "MMMPIC\0\1"

/* The group of the timers of MPI functions. */
#define MEAS_MPI_GROUP "MPI"

struct meas_calls_head {
    char magic[8];
    uint32_t functions, name_bytes;
    uint32_t first, stride;
    uint64_t epoch_ticks;
    int64_t epoch_ns; /* CLOCK_REALTIME at epoch_ticks */
    double ns_per_tick;
    uint32_t tables, unused[3];
};

struct meas_calls_count {
    int64_t calls, ns;
};

struct meas_calls_table {
    uint64_t inside; /* 1 + number of the function whose call is under way, 0: none */
    uint64_t since;  /* ticks at its start */
    uint64_t left;   /* ticks at the end of the last one */
    uint64_t unused[5];
    struct meas_calls_count counts[];
};

#endif
