/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_times.h: times that a library of wrappers keeps for each thread, and the words
 * by which --metrics asks for them.
 *
 * Such a library stands in the process's global scope, or is absent. Users find it by
 * dlsym(RTLD_DEFAULT, ...), so they need neither MPI nor OpenMP themselves. */
#ifndef COMMON_THREAD_TIMES_H
#define COMMON_THREAD_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MEAS_TIMES_OPENMP "meas_openmp_times_1"
#define MEAS_TIMES_MPI_SPLIT "meas_mpi_split_times_1"

struct meas_times {
    int count;                /* times, at most MEAS_TIMES_MOST */
    const char *const *names; /* [count] of metrics, "OMP_SYNC_TIME"; the unit is ns */
    /* Read the calling thread's cumulative times. They only grow. Preserves errno. Any
     * thread.
     *
     *   values  out  [count] nanoseconds; INT64_MIN: not known */
    void (*read)(int64_t *values);
};

enum { MEAS_TIMES_MOST = 8 };

/* A word of --metrics, the symbol of its struct meas_times, and the reason for a missing
 * metric where no library has that symbol. */
struct meas_times_word {
    const char *word, *symbol, *why;
};

/* Find a word of `length` characters; NULL: it is none of them. */
static inline const struct meas_times_word *meas_times_find(const char *word,
                                                            size_t length)
{
    static const struct meas_times_word words[] = {
        {"OPENMP", MEAS_TIMES_OPENMP, "only the option --metrics loads what measures it"},
        {"MPI_SPLIT", MEAS_TIMES_MPI_SPLIT, "no library of MPI is wrapped here"},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0)
            return &words[i];
    return NULL;
}

/* The next name of a list with commas between, without blanks around it, at `*rest`,
 * which moves behind it. NULL: there is no other. */
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

/* Does a list of metrics hold the word? NULL: no list. */
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
