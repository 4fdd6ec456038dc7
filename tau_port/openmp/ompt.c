/* SPDX-License-Identifier: BSD-3-Clause */
/* ompt.c: a tool of OMPT, for clang's OpenMP: LLVM's runtime calls ompt_start_tool when
 * it starts, and then the callbacks. */
#include "tau_port/openmp/ompt.h"

#include "mastermind/format/openmp_file.h"
#include "tau_port/openmp/openmp.h"

#include <stddef.h>

int omp_ompt_runs;
__thread struct omp_body omp_body;

/* --- Regions -------------------------------------------------------------- */

/* Begin a region of the calling thread. NULL: neither it nor nested regions are
 * measured. */
static struct omp_team *begin_region(const struct omp_body *body, const void *call,
                                     unsigned wanted)
{
    struct omp_thread *mine = omp_thread();
    struct omp_team *team = NULL;

    if (!mine)
        return NULL;
    if (!mine->skipped)
        team = omp_team_begin(MEAS_OPENMP_OF_OMPT, body->code ? body->code : call, call,
                              body->source, wanted && wanted < 1 << 20 ? (int)wanted : 1);
    if (!team) {
        mine->skipped++;
        return NULL;
    }
    team->next = mine->open;
    mine->open = team;
    return team;
}

/* A region is identified by its body, since a call at the end of a function may be a tail
 * call, and `call` would then be an address in the runtime. A league of teams is not
 * measured. */
static void parallel_begin(union ompt_word *task, const void *frame,
                           union ompt_word *region, unsigned wanted, int flags,
                           const void *call)
{
    struct omp_body body = omp_body;

    (void)task;
    (void)frame;
    omp_body = (struct omp_body){0};
    region->pointer = flags & OMPT_LEAGUE ? NULL : begin_region(&body, call, wanted);
}

/* The region's data word cannot be used: LLVM's runtime frees the memory of a nested team
 * before it calls this. But a thread ends its regions in order. */
static void parallel_end(union ompt_word *region, union ompt_word *task, int flags,
                         const void *code)
{
    struct omp_thread *mine = omp_mine;
    struct omp_team *team;

    (void)region;
    (void)task;
    (void)code;
    if (!mine || flags & OMPT_LEAGUE)
        return;
    if (mine->skipped) {
        mine->skipped--;
        return;
    }
    team = mine->open;
    if (!team)
        return;
    mine->open = team->next;
    omp_team_end(team, omp_could());
}

static void implicit_task(int endpoint, union ompt_word *region, union ompt_word *task,
                          unsigned size, unsigned index, int flags)
{
    int is_initial = flags & OMPT_TASK_INITIAL;

    (void)task;
    if (endpoint != OMPT_BEGIN)
        return;
    if (!is_initial && region && region->pointer)
        omp_team_start(region->pointer, (int)index, (int)size,
                       index == 0 ? omp_could() : 0);
    else if (is_initial || index)
        omp_team_none();
}

/* --- Waiting -------------------------------------------------------------- */

/* At the end of a region its threads wait outside of any region: a worker's wait ends
 * when the next region begins, and the first thread's wait is corrected when the region
 * ends. */
static void sync_region_wait(int kind, int endpoint, union ompt_word *region,
                             union ompt_word *task, const void *code)
{
    struct omp_thread *mine = omp_thread();

    (void)kind;
    (void)task;
    (void)code;
    if (mine && endpoint == OMPT_BEGIN)
        omp_push(mine, OMP_BARRIER);
    else if (mine && endpoint == OMPT_END && region)
        omp_pop(mine);
}

/* Attempts to take a lock without waiting (test) are not counted: the runtime does not
 * report the end of a failed attempt. */
static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t id,
                          const void *code)
{
    struct omp_thread *mine = omp_thread();

    (void)hint;
    (void)how;
    (void)id;
    (void)code;
    if (mine && kind != OMPT_TEST_LOCK && kind != OMPT_TEST_NEST_LOCK)
        omp_push(mine, OMP_MUTEX);
}

static void mutex_acquired(int kind, uint64_t id, const void *code)
{
    struct omp_thread *mine = omp_mine;

    (void)id;
    (void)code;
    if (mine && mine->state == OMP_MUTEX && kind != OMPT_TEST_LOCK &&
        kind != OMPT_TEST_NEST_LOCK)
        omp_pop(mine);
}

/* End the wait for a nestable lock that the thread already holds. */
static void nest_lock(int endpoint, uint64_t id, const void *code)
{
    struct omp_thread *mine = omp_mine;

    (void)id;
    (void)code;
    if (mine && mine->state == OMP_MUTEX && endpoint == OMPT_BEGIN)
        omp_pop(mine);
}

/* --- Tasks ---------------------------------------------------------------- */

static void task_create(union ompt_word *creator, const void *frame,
                        union ompt_word *task, int flags, int dependent, const void *code)
{
    (void)creator;
    (void)frame;
    (void)dependent;
    (void)code;
    if (flags & OMPT_TASK_EXPLICIT)
        task->value = OMPT_TASK_EXPLICIT;
}

static int is_explicit(const union ompt_word *task)
{
    return task && task->value == OMPT_TASK_EXPLICIT;
}

/* Handle the event that the thread changes to another task, usually while it waits. */
static void task_schedule(union ompt_word *prior, int status, union ompt_word *next)
{
    struct omp_thread *mine = omp_thread();
    int is_over =
        status == OMPT_COMPLETE || status == OMPT_CANCEL || status == OMPT_DETACH;

    if (!mine)
        return;
    if (is_explicit(prior) && is_over)
        omp_pop(mine);
    else if (is_explicit(next))
        omp_push(mine, OMP_BUSY);
}

/* --- The tool ------------------------------------------------------------- */

static const struct {
    int event;
    ompt_function callback;
} callbacks[] = {
    {OMPT_PARALLEL_BEGIN, (ompt_function)parallel_begin},
    {OMPT_PARALLEL_END, (ompt_function)parallel_end},
    {OMPT_IMPLICIT_TASK, (ompt_function)implicit_task},
    {OMPT_SYNC_REGION_WAIT, (ompt_function)sync_region_wait},
    {OMPT_MUTEX_ACQUIRE, (ompt_function)mutex_acquire},
    {OMPT_MUTEX_ACQUIRED, (ompt_function)mutex_acquired},
    {OMPT_NEST_LOCK, (ompt_function)nest_lock},
    {OMPT_TASK_CREATE, (ompt_function)task_create},
    {OMPT_TASK_SCHEDULE, (ompt_function)task_schedule},
};

static int initialize(ompt_lookup lookup, int device, union ompt_word *tool)
{
    ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");

    (void)device;
    (void)tool;
    for (size_t i = 0; set && i < sizeof callbacks / sizeof *callbacks; i++)
        set(callbacks[i].event, callbacks[i].callback);
    __atomic_store_n(&omp_ompt_runs, set != NULL, __ATOMIC_RELEASE);
    return set != NULL;
}

static void finalize(union ompt_word *tool)
{
    (void)tool;
}

__attribute__((visibility("default"))) struct ompt_tool *
ompt_start_tool(unsigned version, const char *runtime);
__attribute__((visibility("default"))) struct ompt_tool *
ompt_start_tool(unsigned version, const char *runtime)
{
    static struct ompt_tool tool = {.initialize = initialize, .finalize = finalize};

    (void)version;
    (void)runtime;
    return omp_on ? &tool : NULL;
}
