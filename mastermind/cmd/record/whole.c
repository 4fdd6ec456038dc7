/* SPDX-License-Identifier: BSD-3-Clause */
/* whole.c: watch a child to its end. */
#include "mastermind/cmd/record/whole.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"

/* --- Watching --------------------------------------------------------------- */

enum { PAUSE_MS = 200, DEEPEST = 64 };

/* Time that a thread was ready but waited for a core, from the kernel's schedstat ("RAN
 * QUEUED SLICES"). */
static int64_t queued_ns(pid_t pid, const char *thread)
{
    char path[80];
    long long ran, queued;
    FILE *file;
    int found;

    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/schedstat", (long)pid, thread);
    file = fopen(path, "re");
    if (!file)
        return 0;
    found = fscanf(file, "%lld %lld", &ran, &queued) == 2;
    fclose(file);
    return found ? queued : 0;
}

/* Threads with their last reading; kept after the thread's end. */
struct threads {
    struct thread {
        char name[20];
        int64_t queued_ns;
    } * list;
    size_t count;
    struct mm_whole *whole;
};

static void see_thread(struct threads *threads, pid_t pid, const char *name)
{
    struct thread *thread = NULL;

    for (size_t i = 0; i < threads->count && !thread; i++)
        if (strcmp(threads->list[i].name, name) == 0)
            thread = &threads->list[i];
    if (!thread) {
        thread = cca_array_add(&threads->list, &threads->count, sizeof *thread);
        if (!thread)
            return;
        snprintf(thread->name, sizeof thread->name, "%.19s", name);
    }
    thread->queued_ns = queued_ns(pid, name);
}

static void see_threads(struct threads *threads, pid_t pid, int depth);

/* Read the times of all processes that a thread has started and that live. */
static void see_children(struct threads *threads, pid_t pid, const char *thread,
                         int depth)
{
    char path[80];
    FILE *file;
    int child;

    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", (long)pid, thread);
    file = depth < DEEPEST ? fopen(path, "re") : NULL;
    while (file && fscanf(file, "%d", &child) == 1) {
        mm_whole_see_rank(threads->whole, child);
        see_threads(threads, child, depth + 1);
    }
    if (file)
        fclose(file);
}

/* Read the times of all threads of a process and of its children. */
static void see_threads(struct threads *threads, pid_t pid, int depth)
{
    char path[60];
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)))
        if (*entry->d_name != '.') {
            see_thread(threads, pid, entry->d_name);
            see_children(threads, pid, entry->d_name, depth);
        }
    if (folder)
        closedir(folder);
}

/* Time that the hypervisor gave to other guests, on all processors of this machine. */
static int64_t stolen_ns(void)
{
    FILE *file = fopen("/proc/stat", "re");
    long ticks = sysconf(_SC_CLK_TCK);
    long long stolen = 0;

    if (file && fscanf(file, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &stolen) != 1)
        stolen = 0;
    if (file)
        fclose(file);
    return ticks > 0 ? stolen * (1000000000 / ticks) : 0;
}

static int find_returns(void *context, pid_t pid, struct mm_sample_returns *returns)
{
    const struct mm_run_notes *notes = context;
    uint32_t count = __atomic_load_n(&notes->stubs.count, __ATOMIC_ACQUIRE);

    if (!count || notes->recorded != pid)
        return 0;
    *returns = (struct mm_sample_returns){notes->stubs.stubs,
                                          notes->stubs.slots,
                                          notes->stubs.stub_bytes,
                                          notes->stubs.slot_bytes,
                                          notes->stubs.entry_at,
                                          notes->stubs.site_at,
                                          count};
    return 1;
}

void mm_whole_sample(struct mm_whole *whole, pid_t pid, int is_kept,
                     enum mm_whole_stacks stacks, struct mm_run_notes *notes)
{
    struct cca_error err = {0};

    whole->sampler = is_kept ? mm_sampler_new_kept(pid, &err) : mm_sampler_new(pid, &err);
    if (!whole->sampler)
        snprintf(whole->unsampled, sizeof whole->unsampled, "%.190s", err.text);
    else if (stacks == MM_STACKS_PLAIN || (stacks && notes))
        mm_sampler_add_stacks(whole->sampler, pid,
                              stacks == MM_STACKS_PLAIN ? NULL : find_returns, notes);
}

void mm_whole_begin(struct mm_whole *whole, pid_t pid)
{
    char thread[20];

    snprintf(thread, sizeof thread, "%ld", (long)pid);
    whole->queued_ns = -queued_ns(pid, thread);
    whole->wall_ns = -cca_clock_ns(CLOCK_MONOTONIC);
    whole->began_ns = cca_clock_ns(CLOCK_REALTIME);
    whole->stolen_ns = -stolen_ns();
}

void mm_whole_wait(struct mm_whole *whole, pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct threads threads = {.whole = whole};
    siginfo_t info = {.si_pid = 0};
    int64_t seen_ns = 0, now_ns;

    do {
        struct pollfd ends = {.fd = fd, .events = POLLIN};

        if (whole->sampler) {
            mm_sampler_wait(whole->sampler, fd, PAUSE_MS);
            mm_sampler_collect(whole->sampler);
        } else {
            poll(&ends, 1, PAUSE_MS);
        }
        now_ns = cca_clock_ns(CLOCK_MONOTONIC);
        if (now_ns - seen_ns >= PAUSE_MS * 1000000LL / 2) {
            see_threads(&threads, pid, 0);
            seen_ns = now_ns;
        }
    } while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == 0);
    see_threads(&threads, pid, 0);
    whole->wall_ns += cca_clock_ns(CLOCK_MONOTONIC);
    whole->stolen_ns += stolen_ns();
    while (wait4(pid, &whole->status, 0, &whole->usage) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < threads.count; i++)
        whole->queued_ns += threads.list[i].queued_ns;
    free(threads.list);
    if (fd >= 0)
        close(fd);
}

/* --- Counting --------------------------------------------------------------- */

static double time_ns(const struct timeval *time)
{
    return 1e9 * (double)time->tv_sec + 1e3 * (double)time->tv_usec;
}

/* Without the kernel's samples, its part is the CPU time without a sample. Processes that
 * are shorter than a sample's period have such time, too: where the part differs from the
 * kernel's own account, which it takes from ticks of 1 to 10 ms, that account holds. */
static void add_kernel(struct mm_whole *whole)
{
    struct mm_samples *samples = &whole->samples;
    double user = (double)samples->count,
           unsampled = whole->cpu_ns / (double)samples->period_ns - user,
           account = whole->user_ns > 0 ? user * (whole->cpu_ns / whole->user_ns - 1)
                                        : unsampled;

    if (samples->has_kernel || !(user > 0))
        return;
    if (fabs(unsampled - account) > 3 * sqrt(10 * account + 10))
        unsampled = account;
    if (unsampled > 0)
        samples->kernel = (uint64_t)llround(unsampled);
    samples->count += samples->kernel;
}

/* Processes that nobody has waited for, such as ranks that a launcher has ended, are in
 * the samples, but not in the kernel's account. */
static void add_unaccounted(struct mm_whole *whole)
{
    const struct mm_samples *samples = &whole->samples;
    double sampled_ns = (double)samples->count * (double)samples->period_ns;

    if (samples->has_kernel && sampled_ns > 1.03 * whole->cpu_ns + 2e7)
        whole->cpu_ns = sampled_ns;
    for (size_t i = 0; i < whole->rank_count; i++)
        if (whole->rank_list[i].peak_bytes > whole->peak_bytes)
            whole->peak_bytes = whole->rank_list[i].peak_bytes;
}

int mm_whole_collect(struct mm_whole *whole)
{
    int result = 0;

    whole->user_ns = time_ns(&whole->usage.ru_utime);
    whole->cpu_ns = whole->user_ns + time_ns(&whole->usage.ru_stime);
    whole->peak_bytes = 1024LL * whole->usage.ru_maxrss;
    whole->is_sampled = whole->sampler != NULL;
    whole->is_timed = !whole->sampler && whole->calls;
    if (whole->is_timed)
        return mm_whole_read_calls(whole, &whole->samples, &whole->measuring_ns);
    if (whole->is_sampled) {
        result = mm_sampler_count(whole->sampler, &whole->samples);
        add_kernel(whole);
    }
    if (!result && whole->is_sampled)
        result = mm_whole_count_ranks(whole);
    add_unaccounted(whole);
    return result || !whole->is_sampled
               ? result
               : mm_callers_read(&whole->callers, whole->sampler);
}

void mm_whole_done(struct mm_whole *whole)
{
    mm_sampler_free(whole->sampler);
    whole->sampler = NULL;
    mm_whole_forget_calls(whole);
    mm_samples_done(&whole->samples);
    mm_callers_done(&whole->callers);
    json_decref(whole->root);
    free(whole->lines);
    free(whole->rank_list);
    free(whole->processes);
    whole->rank_list = NULL;
    whole->processes = NULL;
    whole->rank_count = whole->process_count = 0;
    whole->root = whole->lines = NULL;
}
