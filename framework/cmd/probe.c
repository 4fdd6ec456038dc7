/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c: a library that was never loaded before is loaded by a child first. One that
 * kills the child, or does not return, is blocked, until it is another.
 *
 * The child is a copy of this process while it has one thread, for libraries may need
 * what was loaded before. A copy of a process with others could wait for ever for what
 * they held, and one of a rank would have its connections: there it is a process of its
 * own, of this program. Of several processes that come to the same library at once, as
 * ranks do, one tries and the others wait for what comes of it. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"
#include "framework/cmd/verdicts.h"

/* Of a child that sleeps, or that has had so much of a core; of one that gets none, as on
 * a machine that has too much to do; of others, who wait for what comes of it. */
enum { DEADLINE_MS = 5000, LATEST_MS = 60000, OTHERS_MS = LATEST_MS + 1000 };
enum { LOADED = 77, NOT_LOADED = 76 };

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
static const int ending_it[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* --- The child ------------------------------------------------------------ */

static int has_one_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *item;
    int count = 0;

    while (tasks && (item = readdir(tasks)))
        count += item->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count == 1;
}

/* What the library does as it is loaded shall reach nobody. */
static _Noreturn void load_and_end(const char *file)
{
    const struct rlimit none = {0, 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    for (size_t i = 0; i < sizeof ending_it / sizeof *ending_it; i++)
        signal(ending_it[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    _exit(dlopen(file, RTLD_NOW | RTLD_LOCAL) ? LOADED : NOT_LOADED);
}

int cmd_probe(int argc, char **argv)
{
    if (argc != 2)
        return ccafe_complain(CCA_EXIT_MISUSE, "%s takes one library", CCAFE_PROBE);
    load_and_end(argv[1]);
}

/* Is a process that ended so a reason to block what it did? Somebody may have killed it.
 */
static int is_fault(int number)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i] == number)
            return 1;
    return 0;
}

/* Does it want to go on, and has not had the time that it may take? */
static int is_starved(pid_t child)
{
    char path[64], line[512] = "";
    struct timespec used;
    const char *state;
    clockid_t clock;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    file = fopen(path, "re");
    if (!file)
        return 0;
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    fclose(file);
    state = strrchr(line, ')'); /* behind the name of the program */
    return state && (state[2] == 'R' || state[2] == 'D') &&
           clock_getcpuclockid(child, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
           used.tv_sec * 1000 + used.tv_nsec / 1000000 < DEADLINE_MS;
}

/* Wait for the end of the child, which holds the other end of the pipe as long as it
 * lives; so does a process that the library has left behind. 0; 1: it took too long and
 * was ended; -1. */
static int see_end(pid_t child, int pipe_end, int *status)
{
    struct pollfd ended = {.fd = pipe_end, .events = POLLIN};
    int ready, pause_ms = DEADLINE_MS, left_ms = LATEST_MS;

    do {
        ready = poll(&ended, 1, pause_ms);
        if (ready == 0) {
            left_ms -= pause_ms;
            pause_ms = 1000;
        }
    } while ((ready < 0 && errno == EINTR) ||
             (ready == 0 && left_ms > 0 && is_starved(child)));
    if (ready == 0 && waitpid(child, status, WNOHANG) == child)
        return 0;
    if (ready == 0)
        kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return ready == 0;
}

static int wait_for(pid_t child, int pipe_end, char *reason, size_t size)
{
    int status = 0, late = see_end(child, pipe_end, &status);

    if (late < 0)
        return -1;
    if (late)
        snprintf(reason, size, "loading it took more than %d s", DEADLINE_MS / 1000);
    else if (WIFSIGNALED(status) && is_fault(WTERMSIG(status)))
        snprintf(reason, size, "loading it ended in signal %d", WTERMSIG(status));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != LOADED &&
             WEXITSTATUS(status) != NOT_LOADED)
        snprintf(reason, size, "loading it ended the program with status %d",
                 WEXITSTATUS(status));
    else
        return WIFEXITED(status) && WEXITSTATUS(status) == LOADED ? 1 : -1;
    return 0;
}

/* This program anew, which holds `pipe_end` open. Its process, or -1. */
static pid_t begin_anew(const char *file, int pipe_end)
{
    char *const words[] = {(char *)"ccafe", (char *)CCAFE_PROBE, (char *)file, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    pid_t child = -1;

    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&files) != 0)
        return -1;
    if (posix_spawnattr_init(&how) == 0) {
        if (posix_spawnattr_setsigmask(&how, &none) != 0 ||
            posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK) != 0 ||
            posix_spawn_file_actions_adddup2(&files, pipe_end, pipe_end) != 0 ||
            posix_spawn(&child, "/proc/self/exe", &files, &how, words, environ) != 0)
            child = -1;
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return child;
}

/* 1: it can be loaded; 0: not, `reason` says why; -1: not known. */
static int try_in_child(const char *file, int copy, char *reason, size_t size)
{
    int ends[2], verdict = -1;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    child = copy ? fork() : begin_anew(file, ends[1]);
    if (child == 0)
        load_and_end(file);
    close(ends[1]);
    if (child > 0)
        verdict = wait_for(child, ends[0], reason, size);
    close(ends[0]);
    return verdict;
}

/* --- For the repository --------------------------------------------------- */

int ccafe_probe_blocked(const char *cache, const struct cca_class_info *info,
                        char *reason, size_t size)
{
    char *file = ccafe_verdicts_file(cache, 0), *key = ccafe_verdicts_key(info);
    int blocked = file && key && ccafe_verdicts_recall(file, key, reason, size) == 0;

    free(file);
    free(key);
    return blocked;
}

/* The verdict on a library of which nothing was known just now; as ccafe_verdicts_recall.
 */
static int find_out(const struct ccafe_options *options, const char *library,
                    const char *file, const char *key, char *reason, size_t size)
{
    int lock = ccafe_verdicts_lock(file, OTHERS_MS);
    int verdict = ccafe_verdicts_recall(file, key, reason, size);

    if (verdict < 0 && lock >= 0) {
        verdict =
            try_in_child(library, !options->cohort && has_one_thread(), reason, size);
        if (verdict >= 0)
            ccafe_verdicts_remember(file, key, verdict ? NULL : reason);
    }
    if (lock >= 0)
        close(lock);
    return verdict;
}

static int probe(void *context, const struct cca_class_info *info, struct cca_error *err)
{
    const struct ccafe_options *options = context;
    char *file = ccafe_verdicts_file(options->cache, 1), *key = ccafe_verdicts_key(info);
    char reason[128] = "";
    int verdict =
        file && key ? ccafe_verdicts_recall(file, key, reason, sizeof reason) : 1;

    if (verdict < 0)
        verdict = find_out(options, info->file, file, key, reason, sizeof reason);
    if (verdict == 0)
        cca_error_set(err, -ELIBBAD,
                      "class '%s' is blocked: %s; '%s' is tried again once it "
                      "has changed",
                      info->cls.name, reason, info->file);
    free(file);
    free(key);
    return verdict == 0 ? -ELIBBAD : 0;
}

/* A sanitizer sees such faults itself; what is preloaded is about this process alone. */
void ccafe_probe_begin(struct cca_repository *repository,
                       const struct ccafe_options *options)
{
    if (!CCAFE_SANITIZED && !getenv("LD_PRELOAD"))
        cca_repository_ask_first(repository, probe, (void *)options);
}
