/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.c: a small program that becomes the measured one, or measures it.
 *
 *     launcher --usage DIRECTORY COMMAND...
 *
 * Run a command, as one rank of a parallel program, and leave its CPU time and its peak
 * of memory in DIRECTORY/HOST.PID, in us and KiB: mastermind may be on another host.
 *
 *     launcher FD
 *
 * The kernel's peak of a process's memory begins with the peak of the process which
 * called exec, and a fork of `mastermind` would count its tables. So `mastermind` starts
 * this program first, which makes a child of its own parent (CLONE_PARENT) and ends. The
 * child has some hundred KiB. It waits for a message at FD, a socket:
 *
 *     launcher    int32_t process id of the child, or a negative errno
 *     mastermind  struct launch_head, and its strings, each with its end: path,
 *                 arguments, environment
 *     child       nothing where it has become the program, else int32_t errno of exec */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mastermind/library/launch/launcher/message.h"

static int receive(int fd, void *memory, size_t size)
{
    char *at = memory;

    while (size) {
        ssize_t got = read(fd, at, size);

        if (got <= 0 && !(got < 0 && errno == EINTR))
            return -1;
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        }
    }
    return 0;
}

static void send_number(int fd, int32_t number)
{
    while (write(fd, &number, sizeof number) < 0 && errno == EINTR)
        ;
}

/* Set words[count] to the strings in `text`, and a NULL after them. Returns the end of
 * the strings. */
static char *split_words(char *text, char **words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        words[i] = text;
        text += strlen(text) + 1;
    }
    words[count] = NULL;
    return text;
}

/* Become the program; returns the errno of a failure. */
static int become(const struct launch_head *head, char *text)
{
    char **words = calloc((size_t)head->word_count + 1, sizeof *words);
    char **environment = calloc((size_t)head->variable_count + 1, sizeof *environment);
    char *path = text;

    if (!words || !environment)
        return ENOMEM;
    text = split_words(path + strlen(path) + 1, words, head->word_count);
    split_words(text, environment, head->variable_count);
    prctl(PR_SET_PDEATHSIG, head->death_signal);
    execvpe(path, words, environment); /* runs scripts without a first line, too */
    return errno;
}

/* Write the resources that a command used. */
static void write_usage(const char *directory, const struct rusage *usage)
{
    char host[65] = "", path[4096];
    long long cpu_us = 1000000ll * (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                       usage->ru_utime.tv_usec + usage->ru_stime.tv_usec;
    FILE *file;

    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "%s/%s.%ld", directory, host, (long)getpid());
    file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%lld %ld\n", cpu_us, usage->ru_maxrss);
    fclose(file);
}

/* Run the command words[1]... and leave its resources in the directory words[0]. Returns
 * its status. */
static int measure(char **words)
{
    pid_t child = fork();
    struct rusage usage;
    int status = 0;

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execvp(words[1], words + 1);
        fprintf(stderr, "mastermind: cannot run '%s': %s\n", words[1], strerror(errno));
        _exit(127);
    }
    if (child < 0)
        return 126;
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return 126;
    write_usage(words[0], &usage);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? atoi(argv[1]) : -1;
    struct launch_head head;
    char *text;
    long child;

    if (argc > 3 && strcmp(argv[1], "--usage") == 0)
        return measure(argv + 2);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC))
        return 2;
    child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child) {
        send_number(fd, child < 0 ? -errno : (int32_t)child);
        return child < 0;
    }
    if (receive(fd, &head, sizeof head)) /* `mastermind` closed the socket: there is no
                                            program to start */
        return 0;
    text = malloc(head.bytes);
    send_number(fd, !text                                ? ENOMEM
                    : receive(fd, text, head.bytes) != 0 ? EIO
                                                         : become(&head, text));
    return 127;
}
