/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c: a program that connects to a socket of this process, or a fork.
 *
 * A program started by an MPI launcher inherits no open files, so it gets the address of
 * a socket in the abstract name space, which leaves no file behind. The connecting
 * process must belong to the same user. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "mesh/child/parts.h"

extern char **environ;

enum { ARGUMENTS = 32, ADDRESS = 64 };

/* --- A program. --- */

/* Whether a variable must be removed: it would make the child a part of this process's
 * MPI job, or have it recorded. */
static int is_dropped(const char *variable)
{
    static const char *const prefixes[] = {
        "PMIX_",         "PMI_",         "OMPI_COMM_", "OMPI_UNIVERSE",
        "OMPI_MCA_orte", "OMPI_MCA_ess", "MPI_LOCAL",  "MASTERMIND_RECORD"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

/* Make the environment of the child: a new array of borrowed strings, ended by NULL;
 * NULL: no memory. */
static const char **make_environment(const char *const *added)
{
    size_t count = 0, more = 0, used = 0;
    const char **all;

    while (environ && environ[count])
        count++;
    while (added && added[more])
        more++;
    all = calloc(count + more + 1, sizeof *all);
    /* getenv finds the first of equal names */
    for (size_t i = 0; all && i < more; i++)
        all[used++] = added[i];
    for (size_t i = 0; all && i < count; i++)
        if (!is_dropped(environ[i]))
            all[used++] = environ[i];
    return all;
}

/* Open a listening socket; its name, without the leading 0, is stored in `address`. */
static int listen_somewhere(char address[ADDRESS])
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = sizeof name;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&name, sizeof name.sun_family) ||
        getsockname(fd, (struct sockaddr *)&name, &size) || listen(fd, 4) ||
        size <= sizeof name.sun_family + 1 || size - sizeof name.sun_family > ADDRESS) {
        close(fd);
        return -1;
    }
    memcpy(address, name.sun_path + 1, size - sizeof name.sun_family - 1);
    address[size - sizeof name.sun_family - 1] = '\0';
    return fd;
}

static int is_ours(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
           who.uid == geteuid();
}

static int accept_child(struct mesh_child *child, int listening, struct cca_error *err)
{
    while (child->socket < 0) {
        struct pollfd file = {listening, POLLIN, 0};

        if (poll(&file, 1, 20) > 0) {
            child->socket = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
            if (child->socket >= 0 && !is_ours(child->socket)) {
                close(child->socket);
                child->socket = -1;
            }
        } else if (mesh_child_gone(child, 0)) {
            return mesh_child_fault(child, -EPROTO, err);
        } else if (cca_clock_s(CLOCK_MONOTONIC) > child->until) {
            return mesh_child_fault(child, -ETIMEDOUT, err);
        }
    }
    return 0;
}

static int spawn(struct mesh_child *child, const char *const *arguments,
                 const char *const *environment)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    int rc = posix_spawn_file_actions_init(&files);

    if (rc)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (!rc) {
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
        rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        if (!rc)
            rc = posix_spawn_file_actions_adddup2(&files, child->words, 1);
        if (!rc)
            rc = posix_spawn_file_actions_adddup2(&files, child->words, 2);
        if (!rc)
            rc = posix_spawnp(&child->pid, arguments[0], &files, &attributes,
                              (char *const *)(uintptr_t)arguments,
                              (char *const *)(uintptr_t)environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

int mesh_child_spawn(struct mesh_child *child, const struct mesh_child_wish *wish,
                     struct cca_error *err)
{
    const char *arguments[ARGUMENTS + 2] = {NULL};
    const char **environment = make_environment(wish->environment);
    char address[ADDRESS];
    int listening = listen_somewhere(address), rc = 0;

    for (int i = 0; i < ARGUMENTS && wish->arguments[i]; i++) {
        arguments[i] = wish->arguments[i];
        arguments[i + 1] = address;
    }
    if (!environment)
        rc = cca_no_memory(err);
    else if (listening < 0)
        rc = cca_error_set(err, -errno, "%s: a socket: %s", child->name, strerror(errno));
    if (!rc) {
        int code = spawn(child, arguments, environment);

        if (code) {
            child->pid = 0;
            rc = cca_error_set(err, -code, "%s: %s: %s", child->name, arguments[0],
                               strerror(code));
        }
    }
    free(environment);
    if (!rc)
        rc = accept_child(child, listening, err);
    if (listening >= 0)
        close(listening);
    return rc;
}

int mesh_child_connect(const char *address)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t length = strlen(address);
    int fd = -1;

    errno = EINVAL;
    if (length + 1 <= sizeof name.sun_path)
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    memcpy(name.sun_path + 1, address, length);
    if (connect(fd, (struct sockaddr *)&name,
                (socklen_t)(sizeof name.sun_family + 1 + length)) == 0)
        return fd;
    close(fd);
    return -1;
}

/* --- A fork. --- */

static _Noreturn void be_child(const struct mesh_child_wish *wish, pid_t parent, int fd,
                               int words)
{
    static const int usual[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT,
                                SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2};
    const struct rlimit no_core = {0, 0};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), code;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal(usual[i], SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    if (getppid() != parent || nothing < 0 || dup2(nothing, 0) < 0 ||
        dup2(words, 1) < 0 || dup2(words, 2) < 0)
        _exit(111);
    /* buffered output of this process must be written by the parent only */
    code = wish->serve(wish->context, fd);
    _exit(code);
}

int mesh_child_fork(struct mesh_child *child, const struct mesh_child_wish *wish,
                    struct cca_error *err)
{
    pid_t parent = getpid();
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return cca_error_set(err, -errno, "%s: a socket: %s", child->name,
                             strerror(errno));
    child->pid = fork();
    if (child->pid == 0) {
        close(pair[0]);
        be_child(wish, parent, pair[1], child->words);
    }
    close(pair[1]);
    child->socket = pair[0];
    if (child->pid > 0) {
        setpgid(child->pid, child->pid); /* parent and child both set the process group,
                                            as either may run first */
        return 0;
    }
    child->pid = 0;
    return cca_error_set(err, -errno, "%s: a process: %s", child->name, strerror(errno));
}

/* --- In the child. --- */

int mesh_socket_read(int socket, void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        ssize_t n = recv(socket, at, size, 0);

        if (n == 0)
            return 1;
        if (n < 0 && errno != EINTR)
            return errno == ECONNRESET ? 1 : -1;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

int mesh_socket_write(int socket, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t n = send(socket, at, size, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            return errno == EPIPE || errno == ECONNRESET ? 1 : -1;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return 0;
}
