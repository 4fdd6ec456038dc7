/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_times.h: times and counts that a library of wrappers (around MPI, OpenMP or
 * malloc) keeps for each thread, and their names in --metrics.
 *
 * Such a library is in the process's global scope, or absent. It is found by
 * dlsym(RTLD_DEFAULT, ...), so that its users need no MPI or OpenMP themselves. */
#ifndef COMMON_THREAD_TIMES_H
#define COMMON_THREAD_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MEAS_TIMES_OPENMP "meas_openmp_times_1"
#define MEAS_TIMES_MPI_SPLIT "meas_mpi_split_times_1"
#define MEAS_TIMES_MEMORY "meas_memory_1"
/* A function int64_t (void) of the library of MEMORY: the peak of the process's resident
 * memory in bytes, also if calls have reset the kernel's. */
#define MEAS_MEMORY_PEAK "meas_memory_peak_1"
/* A function void (int begins) of that library, to be called where the recorder begins
 * (1) and ends (0) its preparations, whose memory is not the program's. */
#define MEAS_MEMORY_PREPARE "meas_memory_prepare_1"

/* Moments at which counters of outermost calls are read: the call begins, ends, or was
 * left by longjmp. */
enum meas_outer { MEAS_OUTER_BEGINS, MEAS_OUTER_ENDS, MEAS_OUTER_LEFT };

/* Value of a counter that only outermost calls have, in all other calls. */
#define MEAS_NESTED (INT64_MIN + 1)

struct meas_times {
    int count;                /* number of times, at most MEAS_TIMES_MOST */
    const char *const *names; /* [count] names of metrics, "OMP_SYNC_TIME" */
    const char *const *units; /* [count] their units; NULL: all are ns */
    /* Read the calling thread's cumulative times. They only grow. Preserves errno. Any
     * thread.
     *
     *   values  out  [count] numbers in their unit; INT64_MIN: not known; MEAS_NESTED: a
     *                counter of outermost calls */
    void (*read)(int64_t *values);
    /* Read the counters of outermost calls; NULL: there are none. A call's count is its
     * value at the end less its value at the begin. The caller has blocked signals and
     * preserves errno. Any thread.
     *
     *   began   in     [count] values at the begin of the call; NULL at MEAS_OUTER_BEGINS
     *   values  inout  [count] only counters of outermost calls are set; INT64_MIN: not
     *                  known */
    void (*read_outer)(enum meas_outer moment, const int64_t *began, int64_t *values);
};

enum { MEAS_TIMES_MOST = 8 };

/* A metric's name in --metrics, the symbol of the struct meas_times that measures it, and
 * the reason why the metric is missing if no library has that symbol. The symbol is ""
 * for a name that `mastermind record` replaces by others. */
struct meas_times_word {
    const char *word, *symbol, *why;
};

/* Find a metric by its name of `length` characters; NULL: not found. */
static inline const struct meas_times_word *meas_times_find(const char *word,
                                                            size_t length)
{
    static const struct meas_times_word words[] = {
        {"OPENMP", MEAS_TIMES_OPENMP,
         "only the option --metrics loads the library that measures it"},
        {"MPI_SPLIT", MEAS_TIMES_MPI_SPLIT, "no library of MPI is wrapped here"},
        {"MEMORY", MEAS_TIMES_MEMORY, "only `mastermind record` loads what measures it"},
        {"ENERGY", "", "no counter of energy can be read in /sys/class/powercap"},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0)
            return &words[i];
    return NULL;
}

/* Return the next name of a comma-separated list at `*rest`, without blanks around it,
 * and move `*rest` past it. NULL: there are no more names. */
static inline const char *meas_times_next(const char **rest, size_t *length)
{
    const char *name = *rest;

    if (!name)
        return NULL;
    name += strspn(name, " \t");
    *length = strcspn(name, ",");
    *rest = name[*length] ? name + *length + 1 : NULL;
    while (*length && strchr(" \t", name[*length - 1]))
        (*length)--;
    return name;
}

/* True if a list of metrics contains the name `word`. The list may be NULL: it is
 * empty. */
static inline int meas_times_asked(const char *list, const char *word)
{
    const char *name;
    size_t length;

    while ((name = meas_times_next(&list, &length)))
        if (strlen(word) == length && strncmp(name, word, length) == 0)
            return 1;
    return 0;
}

#endif
