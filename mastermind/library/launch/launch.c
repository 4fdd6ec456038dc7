/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c: start the launcher, and send it the program. */
#include "mastermind/library/launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/beside.h"
#include "mastermind/library/launch/launcher/message.h"

static void wait_for(pid_t pid)
{
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Receive a number from the child; -EPIPE: the child has closed its end of the socket. */
static int receive_number(int fd, int32_t *number)
{
    ssize_t got;

    do
        got = recv(fd, number, sizeof *number, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *number ? 0 : -EPIPE;
}

static int send_all(int fd, const void *memory, size_t size)
{
    const char *at = memory;

    while (size) {
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR)
            return -errno;
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
        }
    }
    return 0;
}

/* In the child: become the launcher, with one end of the socket. */
static void become_launcher(const char *path, int fd)
{
    char number[12];
    int own = dup(fd); /* the copy has no close-on-exec flag */

    snprintf(number, sizeof number, "%d", own);
    execl(path, path, number, (char *)NULL);
    _exit(127);
}

int mm_launch_path(char *path, size_t size)
{
    int result = cca_path_beside(path, size, "../libexec/mastermind/launcher");

    return !result && access(path, X_OK) ? -errno : result;
}

int mm_launch_begin(struct mm_launch *launch, void (*prepare)(void *context),
                    void *context, struct cca_error *err)
{
    char path[PATH_MAX + 64];
    int ends[2], result;
    int32_t number = 0;
    pid_t launcher;

    *launch = (struct mm_launch){.fd = -1};
    result = mm_launch_path(path, sizeof path);
    if (!result && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        result = -errno;
    if (result)
        return cca_error_set(err, result, "cannot start '%.150s': %s", path,
                             strerror(-result));
    fflush(NULL);
    launcher = fork();
    if (launcher == 0) {
        if (prepare)
            prepare(context);
        become_launcher(path, ends[1]);
    }
    result = launcher < 0 ? -errno : 0;
    close(ends[1]);
    if (!result)
        result = receive_number(ends[0], &number);
    if (!result && number < 0)
        result = number;
    wait_for(launcher);
    if (result) {
        close(ends[0]);
        return cca_error_set(err, result, "cannot make a process: %s", strerror(-result));
    }
    *launch = (struct mm_launch){.pid = number, .fd = ends[0]};
    return 0;
}

/* Append strings to `text`, which has `bytes` bytes; NULL: only count. `number` gets
 * their number. Returns the number of bytes then. */
static uint64_t put_strings(char *text, uint64_t bytes, char *const *strings,
                            uint32_t *number)
{
    for (*number = 0; strings[*number]; ++*number) {
        size_t size = strlen(strings[*number]) + 1;

        if (text)
            memcpy(text + bytes, strings[*number], size);
        bytes += size;
    }
    return bytes;
}

int mm_launch_program(struct mm_launch *launch, const char *path, char *const *words,
                      int death_signal)
{
    struct launch_head head = {.death_signal = death_signal};
    size_t path_size = strlen(path) + 1;
    char *text = NULL;
    int32_t number = 0;
    int result;

    for (int pass = 0; pass < 2; pass++) {
        head.bytes = put_strings(text, path_size, words, &head.word_count);
        head.bytes = put_strings(text, head.bytes, environ, &head.variable_count);
        if (!pass && !(text = malloc(head.bytes)))
            return -ENOMEM;
    }
    memcpy(text, path, path_size);
    result = send_all(launch->fd, &head, sizeof head);
    if (!result)
        result = send_all(launch->fd, text, head.bytes);
    if (!result && receive_number(launch->fd, &number) == 0) {
        result = -number;
        wait_for(launch->pid);
        launch->pid = 0;
    }
    free(text);
    close(launch->fd);
    launch->fd = -1;
    return result;
}

void mm_launch_end(struct mm_launch *launch)
{
    if (launch->fd < 0)
        return;
    close(launch->fd);
    launch->fd = -1;
    wait_for(launch->pid);
    launch->pid = 0;
}
