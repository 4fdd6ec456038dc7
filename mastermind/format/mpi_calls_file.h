/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls_file.h: layout of the file of a process's MPI calls: number and time of the
 * calls of each function, and each thread's current call. The file can be read at any
 * time, also after the process's end.
 *
 * 0        head
 * 64       names of functions, "MPI_Abort" ..., a NUL after each
 * first    [functions] counts: sums of the calls before the file existed
 * tables   one for each thread, `stride` bytes apart: a table head, [functions] counts
 *
 * Byte order is the machine's; parts begin at whole pages. Each thread writes its own
 * counts while it runs, so a reader may see one word updated and the other not. A table
 * of zeros is not used, or its thread has not called MPI yet. */
#ifndef MASTERMIND_FORMAT_MPI_CALLS_FILE_H
#define MASTERMIND_FORMAT_MPI_CALLS_FILE_H

#include <stdint.h>

#define MEAS_CALLS_FILE "mpi.calls" /* file in the directory of a rank */
#define MEAS_CALLS_MAGIC "MMMPIC\0\1"

/* Name of the group of timers to which MPI functions belong. */
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
    uint64_t inside; /* 1 + index of the function whose call is open; 0: none */
    uint64_t since;  /* start of the open call in ticks */
    uint64_t left;   /* end of the previous call in ticks */
    uint64_t unused[5];
    struct meas_calls_count counts[];
};

#endif
