/* SPDX-License-Identifier: BSD-3-Clause */
/* recording_options.h: the options that choose what a run records, one table for `ccafe`
 * and `mastermind record`.
 *
 * The table lies in ports/ because both programs may include it, while neither may
 * include headers of the other: `ccafe` passes each value on as the framework property
 * `key`, `mastermind record` as the environment variable MASTERMIND_RECORD_<KEY>. The
 * recording process reads and checks the value. */
#ifndef RECORDING_OPTIONS_H
#define RECORDING_OPTIONS_H

#include <stddef.h>

struct recording_option {
    const char *key;    /* "size_limit" */
    const char *name;   /* "--size-limit" */
    const char *letter; /* "-o", or NULL */
    /* description of the expected value, for messages: "a number of bytes" */
    const char *value;
    const char *argument; /* name of the argument in the help text, "BYTES" */
    const char *help;     /* paragraph of the help */
};

enum {
    RECORDING_EXPERIMENT,
    RECORDING_STORAGE,
    RECORDING_SIZE_LIMIT,
    RECORDING_METRICS,
    RECORDING_MESSAGES,
    RECORDING_MPI_TIME,
    RECORDING_CELLS,
    RECORDING_OPTIONS
};

static const struct recording_option recording_options[RECORDING_OPTIONS] = {
    {"experiment", "--experiment", "-o", "a directory", "DIR",
     "the directory for measurements; new or empty (default: here, SCRIPT-N.mm or "
     "PROGRAM-N.mm)"},
    {"storage", "--storage", NULL, "a mode", "MODE",
     "which calls get a row: auto[:ROWS] (the first ROWS of each method, default "
     "1,000,000), rows (all), sample:N (one in N), reservoir:K, aggregates (none); all "
     "others are summed up"},
    {"size_limit", "--size-limit", NULL, "a number of bytes", "BYTES",
     "sum up instead of rows beyond this size; with K, M or G, at least 1M"},
    {"metrics", "--metrics", NULL, "names with commas between", "LIST",
     "record these for each call, too: CPU_TIME, MPI_SPLIT (time in MPI by class), "
     "OPENMP (times of OpenMP), under `mastermind record` MEMORY (as "
     "--memory), ENERGY (of processor packages) and NAME=FILE:UNIT (a counter in a "
     "file); under ccafe also counters, as PAPI_TOT_CYC; names with commas between"},
    {"messages", "--messages", NULL, "a request as P-0.01-FREQ, on or off", "A-X-B",
     "sample messages of MPI: A is P (each with probability X), C (each X-th) or T (X "
     "seconds apart); B is OFF, STAT, FREQ or WRITE; on: P-0.01-FREQ. What may follow "
     "after commas is in docs/guide/parallel.md"},
    {"mpi_time", "--mpi-time", NULL, "on or off", "on|off",
     "time each call of MPI (default: on)"},
    {"cells", "--cells", NULL, "probes, as work,cost, or all", "PROBES",
     "record the costs of the cells of a mesh, if the program reports them: names of "
     "probes or all, then :cells, :blocks or :auto, :every=K steps, :eps=E "
     "(docs/guide/mesh.md)"},
};

#endif
