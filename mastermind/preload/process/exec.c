/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.c: programs that the recorded one starts. Where the recorder cannot be preloaded
 * into a program, and where the dynamic linker only lists a program's libraries (ldd),
 * the libraries of the recorder are taken out of LD_PRELOAD: else the dynamic linker
 * complains, or refuses to run the program.
 *
 * Children made by vfork call these functions, too: they use the stack alone. */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "common/loadable.h"
#include "proxies/interpose.h"

/* The functions of the C library. */
static struct {
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                 const posix_spawnattr_t *, char *const *, char *const *);
    int (*spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                  const posix_spawnattr_t *, char *const *, char *const *);
} real;

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof found);
}

/* Before other constructors of this library: after a search that failed, dlsym frees its
 * message, and a recorded `free` searches for the real one by dlsym. */
__attribute__((constructor(101))) static void find_all(void)
{
    find("execve", &real.execve);
    find("execvpe", &real.execvpe);
    find("posix_spawn", &real.spawn);
    find("posix_spawnp", &real.spawnp);
}

/* --- The environment -------------------------------------------------------- */

static const char preload[] = "LD_PRELOAD=", listing[] = "LD_TRACE_LOADED_OBJECTS=";

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* True for a library that `mastermind record` has put into LD_PRELOAD. */
static int is_recorders(const char *item, size_t length)
{
    static const char made[] = "_interpose.so";
    const char *name = item;

    for (size_t i = 0; i < length; i++)
        if (item[i] == '/')
            name = item + i + 1;
    return begins(name, "libmm_preload.so") || begins(name, "libmeas_") ||
           (length >= sizeof made - 1 &&
            memcmp(item + length - (sizeof made - 1), made, sizeof made - 1) == 0);
}

/* Write the variable LD_PRELOAD without the recorder's libraries to `to`, which has the
 * size of `from`. Returns 0 if nothing is left. */
static int leave_others(char *to, const char *from)
{
    const char *item = from + sizeof preload - 1;
    char *end = to + sizeof preload - 1;
    int left = 0;

    memcpy(to, preload, sizeof preload);
    while (*item) {
        size_t length = strcspn(item, ": ");

        if (length && !is_recorders(item, length)) {
            if (left++)
                *end++ = ':';
            memcpy(end, item, length);
            end += length;
        }
        item += length + (item[length] != '\0');
    }
    *end = '\0';
    return left;
}

/* True for a program that LD_PRELOAD would disturb. A static one ignores it, and may
 * start others. */
static int is_harmful(const char *path)
{
    const char *why = cca_loadable_refusal(path);

    return why && why != cca_loadable_static;
}

/* The index of LD_PRELOAD in an environment from which the recorder has to be taken, if
 * the program `path` is to get it; -1: none. */
static int find_preload(const char *path, char *const *environment)
{
    int found = -1, is_listing = 0;

    if (!real.execve) /* the constructor of another library */
        find_all();
    for (int i = 0; environment && environment[i]; i++) {
        if (begins(environment[i], preload))
            found = i;
        is_listing |= begins(environment[i], listing);
    }
    return found >= 0 && (is_listing || is_harmful(path)) ? found : -1;
}

static size_t count_words(char *const *words)
{
    size_t count = 0;

    while (words && words[count])
        count++;
    return count;
}

/* Memory of the caller's frame for a changed environment. */
#define ROOM(environment, index)                                                         \
    alloca((count_words(environment) + 1) * sizeof(char *) +                             \
           strlen((environment)[index]) + 1)

/* Make the environment without the recorder in `room`. */
static char **without_recorder(void *room, char *const *environment, int index)
{
    size_t count = count_words(environment), to = 0;
    char **changed = room, *text = (char *)(changed + count + 1);

    for (size_t i = 0; i < count; i++) {
        if (i != (size_t)index)
            changed[to++] = environment[i];
        else if (leave_others(text, environment[i]))
            changed[to++] = text;
    }
    changed[to] = NULL;
    return changed;
}

/* Find a program as execvp does, in PATH; `path` has PATH_MAX bytes. */
static const char *on_path(const char *name, char *path)
{
    const char *list = getenv("PATH");

    if (strchr(name, '/'))
        return name;
    for (list = list ? list : "/bin:/usr/bin"; list; list = strchr(list, ':')) {
        size_t length;

        list += *list == ':';
        length = strcspn(list, ":");
        if (length + strlen(name) + 2 > PATH_MAX)
            continue;
        memcpy(path, list, length);
        path[length] = '/';
        strcpy(path + length + (length != 0), name);
        if (access(path, X_OK) == 0)
            return path;
    }
    return name;
}

/* --- The functions ------------------------------------------------------------ */

INTERPOSE_EXPORT int execve(const char *path, char *const *words,
                            char *const *environment)
{
    int index = find_preload(path, environment);

    if (index >= 0) {
        void *room = ROOM(environment, index);

        environment = without_recorder(room, environment, index);
    }
    return real.execve(path, words, environment);
}

INTERPOSE_EXPORT int execvpe(const char *name, char *const *words,
                             char *const *environment)
{
    char path[PATH_MAX];
    int index = find_preload(on_path(name, path), environment);

    if (index >= 0) {
        void *room = ROOM(environment, index);

        environment = without_recorder(room, environment, index);
    }
    return real.execvpe(name, words, environment);
}

INTERPOSE_EXPORT int execv(const char *path, char *const *words)
{
    return execve(path, words, environ);
}

INTERPOSE_EXPORT int execvp(const char *name, char *const *words)
{
    return execvpe(name, words, environ);
}

/* The words of a call of execl and its like, up to NULL, in the caller's frame. */
#define LIST_WORDS(words, first, rest)                                                   \
    do {                                                                                 \
        va_list counted;                                                                 \
        size_t count = 1;                                                                \
                                                                                         \
        va_copy(counted, rest);                                                          \
        for (const char *word = first; word; word = va_arg(counted, const char *))       \
            count++;                                                                     \
        va_end(counted);                                                                 \
        (words) = alloca(count * sizeof *(words));                                       \
        (words)[0] = (char *)(first);                                                    \
        for (size_t i = 1; i < count; i++)                                               \
            (words)[i] = va_arg(rest, char *);                                           \
    } while (0)

INTERPOSE_EXPORT int execl(const char *path, const char *first, ...)
{
    char **words;
    va_list rest;

    va_start(rest, first);
    LIST_WORDS(words, first, rest);
    va_end(rest);
    return execve(path, words, environ);
}

INTERPOSE_EXPORT int execlp(const char *name, const char *first, ...)
{
    char **words;
    va_list rest;

    va_start(rest, first);
    LIST_WORDS(words, first, rest);
    va_end(rest);
    return execvpe(name, words, environ);
}

INTERPOSE_EXPORT int execle(const char *path, const char *first, ...)
{
    char **words, **environment;
    va_list rest;

    va_start(rest, first);
    LIST_WORDS(words, first, rest);
    environment = va_arg(rest, char **);
    va_end(rest);
    return execve(path, words, environment);
}

INTERPOSE_EXPORT int posix_spawn(pid_t *pid, const char *path,
                                 const posix_spawn_file_actions_t *actions,
                                 const posix_spawnattr_t *attributes, char *const *words,
                                 char *const *environment)
{
    int index = find_preload(path, environment);

    if (index >= 0) {
        void *room = ROOM(environment, index);

        environment = without_recorder(room, environment, index);
    }
    return real.spawn(pid, path, actions, attributes, words, environment);
}

INTERPOSE_EXPORT int posix_spawnp(pid_t *pid, const char *name,
                                  const posix_spawn_file_actions_t *actions,
                                  const posix_spawnattr_t *attributes, char *const *words,
                                  char *const *environment)
{
    char path[PATH_MAX];
    int index = find_preload(on_path(name, path), environment);

    if (index >= 0) {
        void *room = ROOM(environment, index);

        environment = without_recorder(room, environment, index);
    }
    return real.spawnp(pid, name, actions, attributes, words, environment);
}
