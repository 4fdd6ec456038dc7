/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c: a library that was never loaded before is loaded by a child first. One that kills the
 * child, or does not return, is blocked, until it is another.
 *
 * What came of it is kept in CACHE/libraries, a line each, the last of a library counts:
 *
 *     good SIZE MTIME_NS BUILD_ID PATH
 *     bad SIZE MTIME_NS BUILD_ID PATH <tab> REASON
 *
 * The child is a copy of this process, made while it has one thread: a copy of a process with
 * others could wait for ever for what they held. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"

enum { DEADLINE_MS = 5000, LOADED = 77, NOT_LOADED = 76, MOST_BYTES = 1024 * 1024 };

/* --- What is known ------------------------------------------------------------------- */

static int is_directory(const char *path)
{
    struct stat kind;

    return stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
}

/* "DIR/libraries", new; NULL: there is no place. `make`: make it. */
static char *cache_file(const char *wanted, int make)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *dir = NULL, *file = NULL;

    if (wanted)
        dir = strdup(wanted);
    else if (base && *base == '/')
        dir = asprintf(&file, "%s/mastermind", base) < 0 ? NULL : file;
    else if (home && *home == '/')
        dir = asprintf(&file, "%s/.cache/mastermind", home) < 0 ? NULL : file;
    file = NULL;
    if (dir && make) {
        char *slash = strrchr(dir, '/');

        if (slash && slash > dir) {
            *slash = '\0';
            (void)mkdir(dir, 0700);
            *slash = '/';
        }
        (void)mkdir(dir, 0700);
    }
    if (dir && (!is_directory(dir) || access(dir, W_OK | X_OK) < 0 ||
                asprintf(&file, "%s/libraries", dir) < 0))
        file = NULL;
    free(dir);
    return file;
}

/* "SIZE MTIME_NS BUILD_ID PATH", new; NULL: there is no such file now, or its name is odd. */
static char *key_of(const struct cca_class_info *info)
{
    struct stat kind;
    char *key;

    if (stat(info->file, &kind) < 0 || strpbrk(info->file, "\t\n") ||
        asprintf(&key, "%lld %lld%09ld %s %s", (long long)kind.st_size,
                 (long long)kind.st_mtim.tv_sec, kind.st_mtim.tv_nsec, info->build_id,
                 info->file) < 0)
        return NULL;
    return key;
}

/* The last line on `key`: 1 good, 0 bad with its reason in `reason`, -1 none. */
static int recall(const char *path, const char *key, char *reason, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t length = strlen(key), room = 0;
    char *line = NULL;
    int verdict = -1;

    while (file && getline(&line, &room, file) > 0) {
        size_t word = strncmp(line, "good ", 5) == 0 ? 5 : strncmp(line, "bad ", 4) == 0 ? 4 : 0;

        line[strcspn(line, "\n")] = '\0';
        if (!word || strncmp(line + word, key, length) != 0)
            continue;
        if (word == 5 && !line[word + length]) {
            verdict = 1;
        } else if (word == 4 && line[word + length] == '\t') {
            verdict = 0;
            snprintf(reason, size, "%s", line + word + length + 1);
        }
    }
    free(line);
    if (file)
        fclose(file);
    return verdict;
}

/* One write: what several processes add does not mix. Without it is probed again. */
static void remember(const char *path, const char *key, const char *reason)
{
    struct stat kind;
    char *line = NULL;
    int length, fd;

    if (stat(path, &kind) == 0 && kind.st_size > MOST_BYTES)
        unlink(path);
    length = reason ? asprintf(&line, "bad %s\t%s\n", key, reason)
                    : asprintf(&line, "good %s\n", key);
    fd = length < 0 ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)!write(fd, line, (size_t)length);
        close(fd);
    }
    if (length >= 0)
        free(line);
}

/* --- The child ----------------------------------------------------------------------- */

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
static _Noreturn void load_in_child(const char *file)
{
    static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
                               SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    const struct rlimit none = {0, 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        signal(ours[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    _exit(dlopen(file, RTLD_NOW | RTLD_LOCAL) ? LOADED : NOT_LOADED);
}

/* Is a process that ended so a reason to block what it did? Somebody may have killed it. */
static int is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

/* The child holds the other end of the pipe as long as it lives. */
static int wait_for(pid_t child, int pipe_end, char *reason, size_t size)
{
    struct pollfd ended = {.fd = pipe_end, .events = POLLIN};
    int status = 0, late;

    while ((late = poll(&ended, 1, DEADLINE_MS)) < 0 && errno == EINTR)
        continue;
    if (late == 0)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (late == 0)
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

/* 1: it can be loaded; 0: not, `reason` says why; -1: not known. */
static int try_in_child(const char *file, char *reason, size_t size)
{
    int ends[2], verdict = -1;
    pid_t child;

    if (!has_one_thread() || pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    child = fork();
    if (child == 0)
        load_in_child(file);
    close(ends[1]);
    if (child > 0)
        verdict = wait_for(child, ends[0], reason, size);
    close(ends[0]);
    return verdict;
}

/* --- For the repository -------------------------------------------------------------- */

int ccafe_probe_blocked(const char *cache, const struct cca_class_info *info, char *reason,
                        size_t size)
{
    char *file = cache_file(cache, 0), *key = key_of(info);
    int blocked = file && key && recall(file, key, reason, size) == 0;

    free(file);
    free(key);
    return blocked;
}

static int probe(void *context, const struct cca_class_info *info, struct cca_error *err)
{
    const struct ccafe_options *options = context;
    char *file = cache_file(options->cache, 1), *key = key_of(info), reason[128] = "";
    int verdict = file && key ? recall(file, key, reason, sizeof reason) : 1;

    if (verdict < 0) {
        verdict = try_in_child(info->file, reason, sizeof reason);
        if (verdict >= 0)
            remember(file, key, verdict ? NULL : reason);
    }
    if (verdict == 0)
        cca_error_set(err, -ELIBBAD, "class '%s' is blocked: %s; '%s' is tried again once it "
                      "has changed", info->cls.name, reason, info->file);
    free(file);
    free(key);
    return verdict == 0 ? -ELIBBAD : 0;
}

/* A sanitizer sees such faults itself; what is preloaded is about this process alone; of ranks,
 * each would make its own children. */
void ccafe_probe_begin(struct cca_repository *repository, const struct ccafe_options *options)
{
    if (!CCAFE_SANITIZED && !options->cohort && !getenv("LD_PRELOAD"))
        cca_repository_ask_first(repository, probe, (void *)options);
}
