/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_parallel.c: wrappers around the functions by which code of gcc 4.9 and later
 * begins a parallel region. The runtime calls run_body in each thread instead of the
 * body. */
#include "mastermind/format/openmp_file.h"
#include "tau_port/openmp/wrap.h"

static int thread_number(void)
{
    static void *cell;
    int (*real)(void);

    *(void **)&real = omp_real(&cell, "omp_get_thread_num");
    return real();
}

static int thread_count(void)
{
    static void *cell;
    int (*real)(void);

    *(void **)&real = omp_real(&cell, "omp_get_num_threads");
    return real();
}

static void run_body(void *context)
{
    struct omp_team *team = context;
    int index = thread_number();

    omp_team_start(team, index, index ? 0 : thread_count(), index ? 0 : omp_could());
    team->function(team->data);
    omp_team_leave();
}

/* Begin a region. NULL: it is not measured, or OMPT reports it. */
static struct omp_team *begin(void (*function)(void *), void *data, unsigned threads)
{
    struct omp_team *team;
    int could;

    if (!omp_on)
        return NULL;
    if (__atomic_load_n(&omp_through, __ATOMIC_RELAXED)) {
        omp_body = (struct omp_body){*(void **)&function, NULL};
        return NULL;
    }
    could = omp_could();
    if (threads && threads < 1 << 20)
        could = (int)threads;
    team = omp_team_begin(MEAS_OPENMP_OF_GOMP, *(void **)&function, NULL, NULL, could);
    if (!team)
        return NULL;
    team->function = function;
    team->data = data;
    return team;
}

static void end(struct omp_team *team)
{
    if (team)
        omp_team_end(team, omp_could());
}

/* Arguments for the runtime: function and data of the region's body; for a measured
 * region run_body and the team. */
#define BODY team ? run_body : function, team ? (void *)team : data

/* Define the wrapper of a function that begins a region.
 *
 *   more       in  parameters after the number of threads, with a comma before them
 *   arguments  in  their names, likewise */
#define PARALLEL(name, more, arguments)                                                  \
    OMP_EXPORT void name(void (*function)(void *), void *data, unsigned threads more);   \
    OMP_EXPORT void name(void (*function)(void *), void *data, unsigned threads more)    \
    {                                                                                    \
        struct omp_team *team;                                                           \
        OMP_REAL(void, name, (void (*)(void *), void *, unsigned more));                 \
                                                                                         \
        team = begin(function, data, threads);                                           \
        real(BODY, threads arguments);                                                   \
        end(team);                                                                       \
    }

#define COMMA ,
#define LOOP                                                                             \
    COMMA long from COMMA long to COMMA long step COMMA long chunk COMMA unsigned flags
#define LOOP_NAMES COMMA from COMMA to COMMA step COMMA chunk COMMA flags
#define RUNTIME COMMA long from COMMA long to COMMA long step COMMA unsigned flags
#define RUNTIME_NAMES COMMA from COMMA to COMMA step COMMA flags

PARALLEL(GOMP_parallel, COMMA unsigned flags, COMMA flags)
PARALLEL(GOMP_parallel_loop_static, LOOP, LOOP_NAMES)
PARALLEL(GOMP_parallel_loop_dynamic, LOOP, LOOP_NAMES)
PARALLEL(GOMP_parallel_loop_guided, LOOP, LOOP_NAMES)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP, LOOP_NAMES)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, LOOP, LOOP_NAMES)
PARALLEL(GOMP_parallel_loop_runtime, RUNTIME, RUNTIME_NAMES)
PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, RUNTIME, RUNTIME_NAMES)
PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, RUNTIME, RUNTIME_NAMES)
PARALLEL(GOMP_parallel_sections, COMMA unsigned count COMMA unsigned flags,
         COMMA count COMMA flags)

/* Wrapper of a function whose runtime reads the reductions from the first word of the
 * data. */
OMP_EXPORT unsigned GOMP_parallel_reductions(void (*function)(void *), void *data,
                                             unsigned threads, unsigned flags);
OMP_EXPORT unsigned GOMP_parallel_reductions(void (*function)(void *), void *data,
                                             unsigned threads, unsigned flags)
{
    struct omp_team *team;
    unsigned size;
    OMP_REAL(unsigned, GOMP_parallel_reductions,
             (void (*)(void *), void *, unsigned, unsigned));

    team = begin(function, data, threads);
    if (team)
        team->first = *(uintptr_t *)data;
    size = real(BODY, threads, flags);
    end(team);
    return size;
}
