/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c: read the header in a child process with limits. */
#include "tools/proxygen/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
/* true in builds with the address sanitizer, which reserves more address space than the
 * limit */
enum { SANITIZED = 1 };
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

static struct rlimit cpu_before, memory_before;

/* Return the limit in seconds that the environment variable `name` sets, or `usual`. */
static int seconds_from_environment(const char *name, int usual)
{
    const char *text = getenv(name);
    char *end;
    long given = text ? strtol(text, &end, 10) : 0;

    return text && *text && !*end && given > 0 && given <= 1000000 ? (int)given : usual;
}

/* Return the CPU seconds for clang: our own limit, or the limit of this process if that
 * is smaller. */
static int cpu_seconds(void)
{
    int limit = seconds_from_environment("PROXYGEN_CPU_S", PG_GUARD_CPU_S);
    struct rlimit own;

    return getrlimit(RLIMIT_CPU, &own) == 0 && own.rlim_cur < (rlim_t)limit
               ? (int)own.rlim_cur
               : limit;
}

/* Lower a limit of this process, and store the old limit in `before`. */
static void lower_limit(int resource, rlim_t value, struct rlimit *before)
{
    struct rlimit lower;

    if (getrlimit(resource, before) < 0 || before->rlim_cur <= value)
        return;
    lower = *before;
    lower.rlim_cur = value;
    setrlimit(resource, &lower);
}

int pg_guard_lift(void)
{
    int compile = seconds_from_environment("PROXYGEN_COMPILE_S", PG_GUARD_COMPILE_S);
    struct rlimit before;

    alarm(0);
    setrlimit(RLIMIT_CPU, &cpu_before);
    lower_limit(RLIMIT_CPU, (rlim_t)compile, &before);
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &memory_before);
    return compile;
}

/* --- The child ------------------------------------------------------------ */

/* In the child: make a process group of its own, so that all programs that it starts can
 * be ended, and set an empty standard input and the limits. */
static void prepare_child(pid_t parent)
{
    int nothing = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(IO_ERROR);
    if (nothing > 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
    signal(SIGTTOU, SIG_IGN);
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)seconds_from_environment("PROXYGEN_WALL_S", PG_GUARD_WALL_S));
    lower_limit(RLIMIT_CPU, (rlim_t)cpu_seconds(), &cpu_before);
    if (!SANITIZED)
        lower_limit(RLIMIT_AS, (rlim_t)PG_GUARD_MEMORY_GIB << 30, &memory_before);
}

/* --- The parent ----------------------------------------------------------- */

/* number of the signal that will end this process; 0: none */
static volatile sig_atomic_t caught;
static volatile pid_t worker;

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static void forward_signal(int signal)
{
    caught = signal;
    if (worker > 0)
        kill(-worker, SIGTERM);
}

static void catch_signals(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = forward_signal};

    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before[i]) == 0 &&
            before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
}

static void restore_signals(const struct sigaction *before)
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaction(ending[i], &before[i], NULL);
}

/* End the programs that the child started. A compiler that gets SIGTERM removes its own
 * files, for which it has two seconds. */
static void end_started_programs(void)
{
    for (int i = 0; i < 200 && kill(-worker, i ? 0 : SIGTERM) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Remove the unfinished files of the child, .NAME.PID and .NAME.PID.so */
static void remove_partial_files(const char *directory)
{
    DIR *files = directory ? opendir(directory) : NULL;
    char tail[40], library[44];
    struct dirent *file;

    snprintf(tail, sizeof tail, ".%ld", (long)worker);
    snprintf(library, sizeof library, "%s.so", tail);
    while (files && (file = readdir(files)) != NULL) {
        size_t length = strlen(file->d_name);

        if (*file->d_name == '.' &&
            ((length > strlen(tail) &&
              !strcmp(file->d_name + length - strlen(tail), tail)) ||
             (length > strlen(library) &&
              !strcmp(file->d_name + length - strlen(library), library))))
            unlinkat(dirfd(files), file->d_name, 0);
    }
    if (files)
        closedir(files);
}

static int report_signal(const char *header, int signal)
{
    if (signal == SIGXCPU)
        fprintf(
            stderr,
            "%.200s: error: clang has not read it in the %d s of computing that it may "
            "take\n",
            header, cpu_seconds());
    else if (signal == SIGALRM)
        fprintf(stderr, "%.200s: error: clang has not read it in %d s\n", header,
                seconds_from_environment("PROXYGEN_WALL_S", PG_GUARD_WALL_S));
    else
        fprintf(stderr, "%.200s: error: clang ended on it: %s\n", header,
                strsignal(signal));
    return BAD_INPUT;
}

int pg_guard_run(int (*work)(const struct command *command),
                 const struct command *command)
{
    struct sigaction before[sizeof ending / sizeof *ending];
    pid_t parent = getpid(), child;
    int status;

    fflush(NULL);
    catch_signals(before);
    child = fork();
    if (child < 0) {
        fprintf(stderr, "proxygen: cannot start a process: %s\n", strerror(errno));
        return IO_ERROR;
    }
    if (child == 0) {
        restore_signals(before);
        prepare_child(parent);
        exit(work(command));
    }
    setpgid(child, child);
    worker = child;
    if (caught)
        kill(-worker, SIGTERM);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return IO_ERROR;
    if (caught || !WIFEXITED(status)) {
        end_started_programs();
        remove_partial_files(command->options.directory);
    }
    kill(-worker, SIGKILL); /* end all programs that the child started */
    restore_signals(before);
    if (caught)
        raise(caught);
    return WIFEXITED(status) ? WEXITSTATUS(status)
                             : report_signal(command->options.header, WTERMSIG(status));
}
