/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_sync.c: wrappers around the functions of gcc's OpenMP in which a thread waits for
 * others. Executing tasks meanwhile is not counted as waiting: gomp_tasks.c. */
#include "tau_port/openmp/wrap.h"

#include <stdbool.h>

OMP_WRAP_VOID(GOMP_barrier, (void), (), OMP_BARRIER)
OMP_WRAP(bool, GOMP_barrier_cancel, (void), (), OMP_BARRIER)
OMP_WRAP_VOID(GOMP_loop_end, (void), (), OMP_BARRIER)
OMP_WRAP(bool, GOMP_loop_end_cancel, (void), (), OMP_BARRIER)
OMP_WRAP_VOID(GOMP_sections_end, (void), (), OMP_BARRIER)
OMP_WRAP(bool, GOMP_sections_end_cancel, (void), (), OMP_BARRIER)
OMP_WRAP(void *, GOMP_single_copy_start, (void), (), OMP_BARRIER)
OMP_WRAP_VOID(GOMP_single_copy_end, (void *data), (data), OMP_BARRIER)
OMP_WRAP_VOID(GOMP_taskwait, (void), (), OMP_BARRIER)
OMP_WRAP_VOID(GOMP_taskwait_depend, (void **depend), (depend), OMP_BARRIER)
OMP_WRAP_VOID(GOMP_taskgroup_end, (void), (), OMP_BARRIER)

OMP_WRAP_VOID(GOMP_critical_start, (void), (), OMP_MUTEX)
OMP_WRAP_VOID(GOMP_critical_name_start, (void **name), (name), OMP_MUTEX)
OMP_WRAP_VOID(GOMP_atomic_start, (void), (), OMP_MUTEX)
OMP_WRAP_VOID(GOMP_ordered_start, (void), (), OMP_MUTEX)

/* Leaving a critical region wakes other threads: its time is control of parallelism. */
OMP_WRAP_VOID(GOMP_critical_end, (void), (), OMP_CONTROL)
OMP_WRAP_VOID(GOMP_critical_name_end, (void **name), (name), OMP_CONTROL)
OMP_WRAP_VOID(GOMP_atomic_end, (void), (), OMP_CONTROL)
OMP_WRAP_VOID(GOMP_ordered_end, (void), (), OMP_CONTROL)
