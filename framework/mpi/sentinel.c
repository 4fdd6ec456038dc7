/* SPDX-License-Identifier: BSD-3-Clause */
/* sentinel.c: a process that reports which rank's process ended first.
 *
 * A socket connects it to the rank that created it. The rank sends the ids of the
 * processes to watch, and one byte at the end of the run. epoll returns events in order
 * of arrival, so the order is right even if the sentinel is scheduled late. */
#include "framework/mpi/parts.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCKET = 3, THE_RANK_ITSELF = -1 };

struct watched {
    int32_t rank; /* -1 ends the list */
    int32_t pid;
};

/* --- The sentinel: nothing here may need a lock, the process that made it may have
 * threads --- */

static int read_whole(void *to, size_t size)
{
    char *at = to;

    while (size > 0) {
        ssize_t got = read(SOCKET, at, size);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            return -1;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static _Noreturn void report_and_exit(int rank)
{
    char line[96];
    int length =
        snprintf(line, sizeof line,
                 "rank %d: its process has ended in the middle of the run\n", rank);

    _exit(length > 0 && write(STDERR_FILENO, line, (size_t)length) == length ? 0 : 1);
}

/* Watch the process of a rank. Returns 0, or -1: the process has already ended. */
static int add_rank(int epoll, int fd, int rank)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = (uint32_t)rank}};

    return fd < 0 ? -1 : epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void add_all(int epoll)
{
    struct watched watched;

    if (add_rank(epoll, SOCKET, THE_RANK_ITSELF))
        _exit(1);
    for (;;) {
        if (read_whole(&watched, sizeof watched))
            _exit(0); /* the sentinel is not needed */
        if (watched.rank < 0)
            return;
        if (add_rank(epoll, (int)syscall(SYS_pidfd_open, (pid_t)watched.pid, 0),
                     watched.rank))
            report_and_exit(watched.rank);
    }
}

static _Noreturn void stand_guard(void)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    char over;

    if (epoll < 0)
        _exit(1);
    add_all(epoll);
    for (;;) {
        if (epoll_wait(epoll, &event, 1, -1) != 1)
            continue;
        if ((int32_t)(uint32_t)event.data.u64 != THE_RANK_ITSELF)
            report_and_exit((int32_t)(uint32_t)event.data.u64);
        if (read(SOCKET, &over, 1) == 1)
            _exit(0);
        /* the rank closed the socket without the final byte: the event of its process
         * reports the end */
        epoll_ctl(epoll, EPOLL_CTL_DEL, SOCKET, NULL);
    }
}

/* Leave the rank's session, and close all its files but standard error. */
static _Noreturn void become_sentinel(int fd)
{
    static const int handled[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGSEGV,
                                  SIGBUS, SIGFPE, SIGILL,  SIGABRT};
    pid_t own;

    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        signal(handled[i], SIG_DFL);
    prctl(PR_SET_NAME, "ccafe-sentinel");
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    if (setsid() < 0 || dup2(fd, SOCKET) < 0 ||
        syscall(SYS_close_range, SOCKET + 1, ~0U, 0))
        _exit(1);
    own = getpid();
    if (write(SOCKET, &own, sizeof own) != (ssize_t)sizeof own)
        _exit(1);
    stand_guard();
}

/* --- The rank ------------------------------------------------------------- */

/* Fork twice, so that the sentinel is no child of the rank: a component that waits for
 * all its children would wait for it, too. */
static int fork_twice(int fd)
{
    int status;
    pid_t child = _Fork();

    if (child == 0) {
        child = _Fork();
        if (child == 0)
            become_sentinel(fd);
        _exit(child < 0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return child > 0 && status == 0 ? 0 : -1;
}

void sentinel_begin(struct sentinel *s)
{
    int ends[2];

    *s = (struct sentinel){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return;
    s->fd = ends[0];
    if (fork_twice(ends[1])) {
        close(s->fd);
        s->fd = -1;
    }
    close(ends[1]);
    /* a sentinel that could not start closes the socket */
    if (s->fd >= 0 &&
        recv(s->fd, &s->pid, sizeof s->pid, MSG_WAITALL) != (ssize_t)sizeof s->pid)
        sentinel_end(s);
}

static void send_words(const struct sentinel *s, const void *what, size_t size)
{
    if (s->fd >= 0 && send(s->fd, what, size, MSG_NOSIGNAL) < 0)
        return; /* the sentinel ended without a report */
}

void sentinel_watch(const struct sentinel *s, const int *ranks, const pid_t *pids,
                    int count)
{
    const struct watched last = {.rank = -1};

    for (int i = 0; i < count; i++) {
        struct watched watched = {.rank = ranks[i], .pid = pids[i]};

        send_words(s, &watched, sizeof watched);
    }
    send_words(s, &last, sizeof last);
}

void sentinel_end(struct sentinel *s)
{
    send_words(s, "", 1);
    if (s->fd >= 0)
        close(s->fd);
    *s = (struct sentinel){.fd = -1};
}

void sentinel_silence(pid_t pid)
{
    if (pid > 0)
        kill(pid, SIGKILL);
}
