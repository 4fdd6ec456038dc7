/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.c: run another program and read its output. */
#include "mastermind/library/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

extern char **environ;

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
        cca_file_take(ends[0], SIZE_MAX / 4, text, &count);
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
