/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_reader.h: experiments of Mastermind for other programs: libmm_reader.
 *
 *     cc prog.c $(pkg-config --cflags --libs mm_reader)
 *
 *     char error[MMR_ERROR];
 *     struct mmr_experiment *e = mmr_open("shock-1.mm", error);
 *     for (size_t m = 0; e && m < mmr_methods(e); m++) {
 *         struct mmr_table *t = mmr_table_new(e, m, error);
 *         ...t->wall_ns[i], t->value[v].integer[i]...
 *         mmr_table_free(t);
 *     }
 *     mmr_close(e);
 *
 * All functions: `error` [MMR_ERROR] gets a one-line message on failure, "file: found,
 * expected", and may be NULL. Strings are owned by the experiment until mmr_close; they
 * are UTF-8 if the experiment's are. One thread at a time for an experiment; experiments
 * are independent of each other. Times are ns. The library contains the code that it
 * needs and exports only the symbols declared here; its version is in its name
 * (libmm_reader.so.1). Structs only grow at their ends: `size` is their length. */
#ifndef MM_READER_H
#define MM_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MMR_VERSION 1
#define MMR_ERROR 512

/* Return the value of MMR_VERSION in the loaded library. */
int mmr_version(void);

struct mmr_experiment;

/* Open an experiment directory, packed or not, also of a run in progress. NULL with a
 * message. */
struct mmr_experiment *mmr_open(const char *path, char *error);
/* Close an experiment; NULL is allowed. */
void mmr_close(struct mmr_experiment *experiment);

/* Properties of the run. Unknown numbers are 0, unknown strings NULL. */
const char *mmr_name(const struct mmr_experiment *experiment);
const char *mmr_host(const struct mmr_experiment *experiment);
const char *mmr_cpu(const struct mmr_experiment *experiment);
/* Argument `index` of the command line; NULL: there are fewer. */
const char *mmr_command(const struct mmr_experiment *experiment, size_t index);
int mmr_ranks(const struct mmr_experiment *experiment);
/* True if the run ended normally. */
int mmr_finished(const struct mmr_experiment *experiment);

/* --- Methods -------------------------------------------------------------- */

size_t mmr_methods(const struct mmr_experiment *experiment);

enum mmr_text {
    MMR_NAME, /* printed name, "flux.flux.compute": instance, port, method */
    MMR_INSTANCE,
    MMR_PORT,
    MMR_METHOD,
    MMR_CLASS,
    MMR_BUILD_ID,
    MMR_PORT_TYPE
};
/* For `method` < mmr_methods; else NULL. */
const char *mmr_method(const struct mmr_experiment *experiment, size_t method,
                       enum mmr_text text);

/* Kinds of values of a method: parameters and modes, from before the call, then
 * out-values. */
enum mmr_kind { MMR_PARAMETER, MMR_MODE, MMR_OUT };
enum mmr_type { MMR_INTEGER, MMR_REAL };
size_t mmr_values(const struct mmr_experiment *experiment, size_t method);
const char *mmr_value_name(const struct mmr_experiment *experiment, size_t method,
                           size_t value);
enum mmr_kind mmr_value_kind(const struct mmr_experiment *experiment, size_t method,
                             size_t value);
enum mmr_type mmr_value_type(const struct mmr_experiment *experiment, size_t method,
                             size_t value);

/* Sums over all ranks, threads and calls of a method, including aggregated calls. As in
 * `mastermind report`, times are own time and exclude the recording cost. */
struct mmr_sums {
    size_t size;
    uint64_t calls;
    int64_t inclusive_ns, exclusive_ns;
    uint64_t without_row; /* number of calls that were aggregated, without a row; part
                             of `calls` */
    /* Time off the core: the host ran something else, which is not part of the times
     * above; and waiting, which is. 0: unknown. */
    int64_t host_ns, host_exclusive_ns, wait_ns, wait_exclusive_ns;
};
/* Returns 0, or -1 with a message. The caller sets `sums->size` to sizeof *sums. */
int mmr_method_sums(struct mmr_experiment *experiment, size_t method,
                    struct mmr_sums *sums, char *error);

/* --- Rows ----------------------------------------------------------------- */

enum mmr_status { MMR_DONE, MMR_UNWOUND, MMR_LONGJMP, MMR_OPEN };
#define MMR_ABSENT INT64_MIN /* a missing integer; a missing real is NaN */

/* A column of values: one of the two pointers is set. */
struct mmr_column {
    const int64_t *integer;
    const double *real;
};

/* The rows of one method, in the order of `mastermind records`, as columns [rows]. */
struct mmr_table {
    size_t size;
    size_t rows;
    const int32_t *rank, *thread, *status;
    const uint64_t *invocation, *caller;   /* numbers of the invocation and its caller
                                              in their thread, from 1; 0: none */
    const int64_t *start_ns;               /* start of the invocation, since the start
                                              of the experiment's clock */
    const int64_t *wall_ns, *exclusive_ns; /* inclusive and exclusive time as measured */
    const int64_t *mpi_ns, *cpu_ns;        /* inclusive time inside MPI and on the CPU;
                                              MMR_ABSENT: not measured */
    size_t values;
    const struct mmr_column *value; /* [values] columns of the method's values */
    /* The parts of wall_ns and exclusive_ns in which the thread was off its core: the
     * host ran something else, or it waited. MMR_ABSENT: unknown. */
    const int64_t *host_ns, *host_exclusive_ns, *wait_ns, *wait_exclusive_ns;
};
/* Read the rows of a method. New, or NULL with a message; its memory grows with the rows.
 * It outlives the experiment. */
struct mmr_table *mmr_table_new(struct mmr_experiment *experiment, size_t method,
                                char *error);
void mmr_table_free(struct mmr_table *table);

#ifdef __cplusplus
}
#endif

#endif
