/* SPDX-License-Identifier: BSD-3-Clause */
/* recording_options.h: the options that choose what a run records, one table for `ccafe`
 * and `mastermind record`.
 *
 * The table lies in ports/ because both programs may include it, and neither the other:
 * `ccafe` passes each value on as the framework property `key` and knows nothing else of
 * it; `mastermind record` passes it on as the environment variable
 * MASTERMIND_RECORD_<KEY>. Whoever records reads and checks the value. */
#ifndef RECORDING_OPTIONS_H
#define RECORDING_OPTIONS_H

#include <stddef.h>

struct recording_option {
    const char *key;    /* "size_limit" */
    const char *name;   /* "--size-limit" */
    const char *letter; /* "-o", or NULL */
    const char *value;  /* what it needs, for messages: "a number of bytes" */
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
    {"experiment", "--experiment", "-o", "a directory"},
    {"storage", "--storage", NULL, "a mode"},
    {"size_limit", "--size-limit", NULL, "a number of bytes"},
    {"metrics", "--metrics", NULL, "names with commas between"},
    {"messages", "--messages", NULL, "a request as P-0.01-FREQ, on or off"},
    {"mpi_time", "--mpi-time", NULL, "on or off"},
    {"cells", "--cells", NULL, "probes, as work,cost, or all"},
};

/* Their lines in the help text of both programs. */
#define RECORDING_OPTIONS_HELP                                                           \
    "  -o, --experiment DIR\n"                                                           \
    "                     the directory for measurements; new or empty (default:\n"      \
    "                     here, SCRIPT-N.mm or PROGRAM-N.mm)\n"                          \
    "  --storage MODE     which calls get a row: auto[:ROWS] (the first ROWS of each\n"  \
    "                     method, default 1,000,000), rows (all), sample:N (one\n"       \
    "                     in N), reservoir:K, aggregates (none); all others are\n"       \
    "                     summed up\n"                                                   \
    "  --size-limit BYTES sum up instead of rows beyond this size; with K, M or G, at\n" \
    "                     least 1M\n"                                                    \
    "  --metrics LIST     record these for each call, too: CPU_TIME, MPI_SPLIT (time\n"  \
    "                     in MPI by class), OPENMP (times of OpenMP); under ccafe "      \
    "also\n"                                                                             \
    "                     counters, as PAPI_TOT_CYC; names with commas between\n"        \
    "  --messages A-X-B   sample messages of MPI: A is P (each with probability X), C\n" \
    "                     (each X-th) or T (X seconds apart); B is OFF, STAT, FREQ or\n" \
    "                     WRITE; on: P-0.01-FREQ. What may follow after commas is in\n"  \
    "                     docs/messages.md\n"                                            \
    "  --mpi-time on|off  time each call of MPI (default: on)\n"                         \
    "  --cells PROBES     keep what the cells of a mesh cost, where the program tells\n"  \
    "                     it: names of probes or all, then :cells, :blocks or :auto,\n"  \
    "                     :every=K steps, :eps=E (docs/mesh-probes.md)\n"

#endif
