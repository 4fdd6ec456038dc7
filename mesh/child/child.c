/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c: exchange bytes with a child under a deadline, and find out how it ended. */
#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "mesh/child/parts.h"

enum { WORDS = 16384, LINE = 200 };

int mesh_child_gone(struct mesh_child *child, double seconds)
{
    double until = cca_clock_s(CLOCK_MONOTONIC) + seconds;
    const struct timespec tick = {0, 5000000};

    while (child->pid > 0) {
        pid_t pid = waitpid(child->pid, &child->status, WNOHANG);

        if (pid == child->pid || (pid < 0 && errno != EINTR)) {
            /* processes that the child started are in its process group */
            kill(-child->pid, SIGKILL);
            child->pid = 0;
        } else if (cca_clock_s(CLOCK_MONOTONIC) >= until) {
            return 0;
        } else {
            nanosleep(&tick, NULL);
        }
    }
    return 1;
}

/* End the process group, first by SIGTERM: then a launcher ends its ranks, which would
 * survive its SIGKILL. */
static void kill_group(struct mesh_child *child)
{
    if (child->socket >= 0)
        close(child->socket);
    child->socket = -1;
    if (child->pid <= 0 || mesh_child_gone(child, 0))
        return;
    kill(-child->pid, SIGTERM);
    if (mesh_child_gone(child, 1))
        return;
    kill(-child->pid, SIGKILL);
    mesh_child_gone(child, 10);
}

/* Return how informative a line of output is: lines with an error rank highest; Open
 * MPI's frames around a backtrace and lines without letters rank lowest. */
static int line_rank(const char *text, size_t size)
{
    int letters = 0;

    for (size_t i = 0; i < size; i++) {
        if (size - i >= 3 && strncmp(text + i, "***", 3) == 0)
            return 0;
        if (size - i >= 5 && strncasecmp(text + i, "error", 5) == 0)
            letters = 2;
        letters = letters ? letters : isalpha((unsigned char)text[i]) != 0;
    }
    return letters;
}

/* Find the most informative line of the child's output, the last one of equal rank; at
 * most LINE bytes. */
static void find_line(const struct mesh_child *child, char line[LINE])
{
    char text[WORDS];
    off_t size = lseek(child->words, 0, SEEK_END);
    off_t from = size > WORDS ? size - WORDS : 0;
    ssize_t n = size > 0 ? pread(child->words, text, WORDS, from) : 0;
    int best = 1;

    line[0] = '\0';
    for (ssize_t i = 0, end; i < n; i = end + 1) {
        int rank;

        for (end = i; end < n && text[end] != '\n';)
            end++;
        rank = line_rank(text + i, (size_t)(end - i));
        if (rank < best)
            continue;
        best = rank;
        snprintf(line, LINE, "%.*s", (int)(end - i), text + i);
    }
}

int mesh_child_fault(struct mesh_child *child, int code, struct cca_error *err)
{
    char line[LINE], how[96];

    if (child->fault.code)
        goto known;
    if (code == -EPROTO && !mesh_child_gone(child, 2))
        snprintf(how, sizeof how, "closed its socket");
    else if (code == -ETIMEDOUT)
        snprintf(how, sizeof how, "did not answer within %g s", child->seconds);
    else if (WIFSIGNALED(child->status))
        snprintf(how, sizeof how, "was ended by signal %d (%s)", WTERMSIG(child->status),
                 strsignal(WTERMSIG(child->status)));
    else
        snprintf(how, sizeof how, "ended with exit code %d", WEXITSTATUS(child->status));
    kill_group(child);
    find_line(child, line);
    cca_error_set(&child->fault, code, "%s: the process %s%s%s", child->name, how,
                  *line ? "; it printed: " : "", line);
known:
    return cca_error_set(err, child->fault.code, "%s", child->fault.text);
}

int mesh_child_refuse(struct mesh_child *child, const char *what, struct cca_error *err)
{
    kill_group(child);
    cca_error_set(&child->fault, -EPROTO, "%s: %s", child->name, what);
    return cca_error_set(err, child->fault.code, "%s", child->fault.text);
}

/* Wait until the socket is ready. Returns 0 or the child's error. */
static int await(struct mesh_child *child, short events, struct cca_error *err)
{
    for (;;) {
        struct pollfd file = {child->socket, events, 0};
        double left = child->until - cca_clock_s(CLOCK_MONOTONIC);

        if (left <= 0)
            return mesh_child_fault(child, -ETIMEDOUT, err);
        if (poll(&file, 1, left > 1 ? 1000 : (int)(1000 * left) + 1) > 0)
            return 0;
    }
}

/* Send, or receive, all of [size] bytes. */
static int transfer(struct mesh_child *child, char *at, size_t size, int is_send,
                    struct cca_error *err)
{
    while (size > 0) {
        ssize_t n = is_send ? send(child->socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                            : recv(child->socket, at, size, MSG_DONTWAIT);
        int rc = 0;

        if (n < 0 && errno == EAGAIN)
            rc = await(child, is_send ? POLLOUT : POLLIN, err);
        else if ((n < 0 && errno != EINTR) || (n == 0 && !is_send))
            rc = mesh_child_fault(child, -EPROTO, err);
        if (rc)
            return rc;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int mesh_child_send(struct mesh_child *child, const void *bytes, size_t size,
                    struct cca_error *err)
{
    if (child->fault.code)
        return mesh_child_fault(child, child->fault.code, err);
    child->until = cca_clock_s(CLOCK_MONOTONIC) + child->seconds;
    return transfer(child, (char *)(uintptr_t)bytes, size, 1, err);
}

int mesh_child_receive(struct mesh_child *child, void *bytes, size_t size,
                       struct cca_error *err)
{
    return child->fault.code ? mesh_child_fault(child, child->fault.code, err)
                             : transfer(child, bytes, size, 0, err);
}

struct mesh_child *mesh_child_start(const struct mesh_child_wish *wish,
                                    struct cca_error *err)
{
    struct mesh_child *child = calloc(1, sizeof *child);
    int rc;

    if (!child) {
        cca_no_memory(err);
        return NULL;
    }
    snprintf(child->name, sizeof child->name, "%s", wish->name);
    child->socket = -1;
    child->seconds = wish->seconds;
    child->until = cca_clock_s(CLOCK_MONOTONIC) + wish->seconds;
    child->words = memfd_create("mesh child", MFD_CLOEXEC);
    if (child->words < 0)
        rc = cca_error_set(err, -errno, "%s: %s", wish->name, strerror(errno));
    else
        rc = wish->arguments ? mesh_child_spawn(child, wish, err)
                             : mesh_child_fork(child, wish, err);
    if (!rc)
        return child;
    mesh_child_end(child);
    return NULL;
}

void mesh_child_end(struct mesh_child *child)
{
    if (!child)
        return;
    /* A child exits by itself when its socket is closed. */
    if (child->socket >= 0)
        close(child->socket);
    child->socket = -1;
    if (!child->fault.code)
        mesh_child_gone(child, 2);
    kill_group(child);
    if (child->words >= 0)
        close(child->words);
    free(child);
}
