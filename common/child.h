/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h: run another program and wait for it. */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

enum {
    CCA_CHILD_NOWHERE = -1
}; /* instead of a file descriptor: the child's output goes to /dev/null */

/* Wait for a child of this process, also if signals interrupt. Returns the child's exit
 * status; 128 + n if signal n ended it; or a negative errno. */
static inline int cca_child_wait(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Start the program words[0], which is searched on the PATH, without standard input.
 *
 *   words           in   the program and its arguments, ending with NULL
 *   output, errors  in   file descriptors for its output, or CCA_CHILD_NOWHERE
 *   child           out  id of its process
 *
 * Returns 0 or a negative errno. */
static inline int cca_child_start(const char *const *words, int output, int errors,
                                  pid_t *child)
{
    posix_spawn_file_actions_t files;
    int to[] = {output, errors};
    int rc = posix_spawn_file_actions_init(&files);

    if (rc)
        return -rc;
    rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < 2 && !rc; i++)
        rc = to[i] == CCA_CHILD_NOWHERE
                 ? posix_spawn_file_actions_addopen(&files, i + 1, "/dev/null", O_WRONLY,
                                                    0)
                 : posix_spawn_file_actions_adddup2(&files, to[i], i + 1);
    if (!rc)
        rc = posix_spawnp(child, words[0], &files, NULL, (char *const *)(uintptr_t)words,
                          environ);
    posix_spawn_file_actions_destroy(&files);
    return -rc;
}

/* Start a program and wait for it. Returns its exit status; 128 + n if signal n ended it;
 * or a negative
 * errno. */
static inline int cca_child_run(const char *const *words, int output, int errors)
{
    pid_t child;
    int rc = cca_child_start(words, output, errors, &child);

    return rc ? rc : cca_child_wait(child);
}

/* Run a program like cca_child_run, and store its output.
 *
 *   with_errors  in   true to store standard error, too; else it is discarded
 *   text         out  the output, new, with a NUL at its end; NULL: the program could not
 *                     be run
 *   length       out  length of the output in bytes; may be NULL */
static inline int cca_child_capture(const char *const *words, int with_errors,
                                    char **text, size_t *length)
{
    size_t count = 0;
    int ends[2], rc, status;
    pid_t child;

    *text = NULL;
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    rc = cca_child_start(words, ends[1], with_errors ? ends[1] : CCA_CHILD_NOWHERE,
                         &child);
    close(ends[1]);
    if (!rc)
        cca_file_take(ends[0], SIZE_MAX / 4, text, &count);
    close(ends[0]);
    if (rc)
        return rc;
    status = cca_child_wait(child);
    if (length)
        *length = count;
    return *text ? status : -ENOMEM;
}

#endif
