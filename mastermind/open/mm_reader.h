/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_reader.h: read experiments of Mastermind in other programs, by the library
 * libmm_reader.
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
 * For all functions: after a failure, error[MMR_ERROR] has a message of one line, "file:
 * found, expected"; `error` may be NULL. Strings are owned by the experiment until
 * mmr_close; they are UTF-8 if the experiment's files are. An experiment may be used by
 * one thread at a time; experiments are independent of each other. Times are in ns. The
 * library contains the code that it needs and exports only the symbols declared here; its
 * version is in its name (libmm_reader.so.1). In later versions, structs only get new
 * members at their ends; `size` is the length of a struct. */
#ifndef MM_READER_H
#define MM_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MMR_VERSION 1
#define MMR_ERROR 512

/* Return the value that MMR_VERSION had when the loaded library was built. */
int mmr_version(void);

struct mmr_experiment;

/* Open an experiment directory, packed or not, also of a run in progress. Returns NULL
 * with a message after a failure. */
struct mmr_experiment *mmr_open(const char *path, char *error);
/* Close an experiment; NULL is allowed. */
void mmr_close(struct mmr_experiment *experiment);

/* Properties of the run. Unknown numbers are 0, unknown strings NULL. */
const char *mmr_name(const struct mmr_experiment *experiment);
const char *mmr_host(const struct mmr_experiment *experiment);
const char *mmr_cpu(const struct mmr_experiment *experiment);
/* Return the argument `index` of the command line; NULL: there are fewer. */
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
/* Return a text about the method with this index; NULL if `method` is not less than
 * mmr_methods. */
const char *mmr_method(const struct mmr_experiment *experiment, size_t method,
                       enum mmr_text text);

/* Kinds of values of a method: parameters and modes are known before the call, out-values
 * after it. */
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
 * `mastermind report`, times contain neither the host's time nor the cost of
 * recording. */
struct mmr_sums {
    size_t size;
    uint64_t calls;
    int64_t inclusive_ns, exclusive_ns;
    /* number of calls that were aggregated and have no row; they are counted in `calls`,
     * too */
    uint64_t without_row;
    /* Time in which threads were off their core. host_: the host ran something else; the
     * times above do not contain this. wait_: the thread waited; the times above contain
     * this. 0: unknown. */
    int64_t host_ns, host_exclusive_ns, wait_ns, wait_exclusive_ns;
};
/* Compute the sums of a method. The caller sets `sums->size` to sizeof *sums. Returns 0,
 * or -1 with a message. */
int mmr_method_sums(struct mmr_experiment *experiment, size_t method,
                    struct mmr_sums *sums, char *error);

/* --- Rows ----------------------------------------------------------------- */

enum mmr_status { MMR_DONE, MMR_UNWOUND, MMR_LONGJMP, MMR_OPEN };
/* value of a missing integer; a missing real number is NaN */
#define MMR_ABSENT INT64_MIN

/* A column of values: one of the two pointers is not NULL. */
struct mmr_column {
    const int64_t *integer;
    const double *real;
};

/* The rows of one method, in the order of `mastermind records`, as columns with `rows`
 * elements each. */
struct mmr_table {
    size_t size;
    size_t rows;
    const int32_t *rank, *thread, *status;
    /* numbers of the invocation and of its caller in their thread, counted from 1; 0: no
     * caller */
    const uint64_t *invocation, *caller;
    /* start of the invocation, counted from the start of the experiment's clock */
    const int64_t *start_ns;
    const int64_t *wall_ns, *exclusive_ns; /* inclusive and exclusive time as measured */
    const int64_t *mpi_ns, *cpu_ns;        /* inclusive time inside MPI and on the CPU;
                                              MMR_ABSENT: not measured */
    size_t values;
    const struct mmr_column *value; /* [values] columns of the method's values */
    /* The parts of wall_ns and exclusive_ns in which the thread was off its core. host_:
     * the host ran something else; wait_: the thread waited. MMR_ABSENT: unknown. */
    const int64_t *host_ns, *host_exclusive_ns, *wait_ns, *wait_exclusive_ns;
};
/* Read the rows of a method into a new table, whose memory grows with the number of rows.
 * The table remains valid after mmr_close. Returns NULL with a message after a
 * failure. */
struct mmr_table *mmr_table_new(struct mmr_experiment *experiment, size_t method,
                                char *error);
void mmr_table_free(struct mmr_table *table);

#ifdef __cplusplus
}
#endif

#endif
