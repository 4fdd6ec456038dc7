/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.c: run another program and take what it prints. */
#include "mastermind/library/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* All that comes through `fd`. NULL: out of memory. */
static char *take(int fd, size_t *length)
{
    size_t room = 1 << 16, count = 0;
    char *text = malloc(room);
    ssize_t got = 1;

    while (text && got) {
        if (room - count < 4096) {
            char *more = realloc(text, 2 * room);

            if (!more) {
                free(text);
                return NULL;
            }
            text = more;
            room *= 2;
        }
        got = read(fd, text + count, room - count - 1);
        if (got < 0 && errno != EINTR)
            got = 0;
        count += got > 0 ? (size_t)got : 0;
    }
    if (text)
        text[count] = 0;
    *length = count;
    return text;
}

int mm_tool_run(char *const argv[], int errors, char **text, size_t *length)
{
    posix_spawn_file_actions_t actions;
    int ends[2], failed, status = 0;
    size_t count = 0;
    pid_t child;

    *text = NULL;
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (errors)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    else
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        *text = take(ends[0], &count);
    close(ends[0]);
    if (failed)
        return -failed;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (length)
        *length = count;
    if (!*text)
        return -ENOMEM;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
