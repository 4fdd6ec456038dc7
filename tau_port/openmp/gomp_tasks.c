/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_tasks.c: wrappers around the functions by which gcc's code creates tasks. A thread
 * executes tasks while it waits; that time counts as work.
 *
 * The runtime copies a task's data and later calls its function with the copy. We replace
 * the data by
 *
 *     | words that the runtime writes | struct task | the program's data
 *
 * A loop's task gets its first and last iteration in the first two words, and has its
 * reductions in the third. */
#include "tau_port/openmp/wrap.h"

#include <stdbool.h>
#include <string.h>

enum { SHARED_WORDS = 3, LARGEST = 1 << 16 };

/* Flags of GOMP_task and GOMP_taskloop, part of gcc's binary interface. */
enum { FLAG_NOGROUP = 1 << 11, FLAG_REDUCTION = 1 << 12, FLAG_DETACH = 1 << 13 };

struct task {
    long shared[SHARED_WORDS];
    int is_loop;
    void (*function)(void *);
    void (*copy)(void *to, void *from);
    void *from;    /* the task's data as the program passed them */
    size_t before; /* size of the part before the copy of that data */
    size_t bytes;
};

/* Alignment of a task's memory: the program's data in it must keep its own alignment. */
static long task_align(long align)
{
    long own = (long)_Alignof(struct task);

    return align > own ? align : own;
}

static size_t bytes_before(long align)
{
    size_t unit = (size_t)task_align(align);

    return (sizeof(struct task) + unit - 1) / unit * unit;
}

/* Called by the runtime instead of the task function of the program. */
static void run_task(void *context)
{
    const struct task *task = context;
    char *data = (char *)context + task->before;
    struct omp_call call;

    if (task->is_loop)
        memcpy(data, task->shared, 2 * sizeof *task->shared);
    call = omp_call_begin(OMP_BUSY);
    task->function(data);
    omp_call_end(call);
}

/* Called by the runtime to copy a task's data, instead of the program's copy function or
 * memcpy. */
static void copy_task(void *to, void *from)
{
    struct task *task = to;

    memcpy(to, from, sizeof *task);
    if (task->copy)
        task->copy((char *)to + task->before, task->from);
    else
        memcpy((char *)to + task->before, task->from, task->bytes);
}

static int is_measured(long bytes, unsigned flags)
{
    return omp_on && !__atomic_load_n(&omp_through, __ATOMIC_RELAXED) && bytes >= 0 &&
           bytes <= LARGEST && !(flags & FLAG_DETACH);
}

static struct task make_task(void (*function)(void *), void *data,
                             void (*copy)(void *, void *), long bytes, long align)
{
    return (struct task){.function = function,
                         .copy = copy,
                         .from = data,
                         .before = bytes_before(align),
                         .bytes = (size_t)bytes};
}

#define TASK                                                                             \
    (void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes,     \
     long align, bool condition, unsigned flags, void **depend, int priority,            \
     void *detach)

OMP_EXPORT void GOMP_task TASK;
OMP_EXPORT void GOMP_task TASK
{
    struct omp_call call;
    struct task task;
    OMP_REAL(void, GOMP_task, TASK);

    if (!is_measured(bytes, flags)) {
        real(function, data, copy, bytes, align, condition, flags, depend, priority,
             detach);
        return;
    }
    task = make_task(function, data, copy, bytes, align);
    call = omp_call_begin(OMP_CONTROL);
    real(run_task, &task, copy_task, (long)task.before + bytes, task_align(align),
         condition, flags, depend, priority, detach);
    omp_call_end(call);
}

/* The runtime waits for the tasks, unless the program's code has the clause nogroup. */
#define TASKLOOP(name, number)                                                           \
    OMP_EXPORT void name(void (*function)(void *), void *data,                           \
                         void (*copy)(void *, void *), long bytes, long align,           \
                         unsigned flags, unsigned long tasks, int priority, number from, \
                         number to, number step);                                        \
    OMP_EXPORT void name(void (*function)(void *), void *data,                           \
                         void (*copy)(void *, void *), long bytes, long align,           \
                         unsigned flags, unsigned long tasks, int priority, number from, \
                         number to, number step)                                         \
    {                                                                                    \
        struct omp_call call;                                                            \
        struct task task;                                                                \
        OMP_REAL(void, name,                                                             \
                 (void (*)(void *), void *, void (*)(void *, void *), long, long,        \
                  unsigned, unsigned long, int, number, number, number));                \
                                                                                         \
        if (!is_measured(bytes, flags)) {                                                \
            real(function, data, copy, bytes, align, flags, tasks, priority, from, to,   \
                 step);                                                                  \
            return;                                                                      \
        }                                                                                \
        task = make_task(function, data, copy, bytes, align);                            \
        task.is_loop = 1;                                                                \
        if (flags & FLAG_REDUCTION)                                                      \
            task.shared[2] = ((const long *)data)[2];                                    \
        call = omp_call_begin(flags & FLAG_NOGROUP ? OMP_CONTROL : OMP_BARRIER);         \
        real(run_task, &task, copy_task, (long)task.before + bytes, task_align(align),   \
             flags, tasks, priority, from, to, step);                                    \
        omp_call_end(call);                                                              \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
