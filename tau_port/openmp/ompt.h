/* SPDX-License-Identifier: BSD-3-Clause */
/* ompt.h: the parts of OMPT that are used here, with the numbers of OpenMP 5.1, chapter 4
 * and appendix B, so that LLVM's own header is not needed. */
#ifndef TAU_PORT_OPENMP_OMPT_H
#define TAU_PORT_OPENMP_OMPT_H

#include <stdint.h>

/* A word for the tool's use, which the runtime keeps for a task, a region, a thread. */
union ompt_word {
    uint64_t value;
    void *pointer;
};

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_function callback);

struct ompt_tool {
    int (*initialize)(ompt_lookup lookup, int device, union ompt_word *tool);
    void (*finalize)(union ompt_word *tool);
    union ompt_word word;
};

enum ompt_event {
    OMPT_PARALLEL_BEGIN = 3,
    OMPT_PARALLEL_END = 4,
    OMPT_TASK_CREATE = 5,
    OMPT_TASK_SCHEDULE = 6,
    OMPT_IMPLICIT_TASK = 7,
    OMPT_SYNC_REGION_WAIT = 16,
    OMPT_MUTEX_ACQUIRE = 26,
    OMPT_MUTEX_ACQUIRED = 27,
    OMPT_NEST_LOCK = 28
};

enum ompt_endpoint { OMPT_BEGIN = 1, OMPT_END = 2 };
enum ompt_mutex { OMPT_TEST_LOCK = 2, OMPT_TEST_NEST_LOCK = 4 };
enum ompt_task_flag { OMPT_TASK_INITIAL = 1, OMPT_TASK_EXPLICIT = 4 };
enum ompt_task_status { OMPT_COMPLETE = 1, OMPT_CANCEL = 3, OMPT_DETACH = 4 };
enum ompt_parallel_flag { OMPT_LEAGUE = 0x40000000 };

#endif
