/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_vandal.c: changes what belongs to the whole process, and calls before and after. */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/fa_go.h"

enum { DESCRIPTORS = 256 };

struct vandal {
    struct fa_go own;
};

static int change_locale(void)
{
    return setlocale(LC_ALL, "") ? 0 : -1;
}

static int change_rounding(void)
{
    return fesetround(FE_UPWARD);
}

static int close_descriptors(void)
{
    for (int fd = 3; fd < DESCRIPTORS; fd++)
        close(fd);
    return 0;
}

static int close_all(void)
{
    close(STDIN_FILENO);
    close(STDERR_FILENO);
    return close_descriptors();
}

/* Let a file take all descriptors: a write to one that was closed lands in it. */
static int take_descriptors(void)
{
    int file = open("vandal.file", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    for (int fd = 3; fd < DESCRIPTORS; fd++)
        if (fd != file && dup2(file, fd) < 0)
            return -1;
    return file < 0 ? -1 : 0;
}

static int leave_directory(void)
{
    return chdir("/");
}

static int hide_files(void)
{
    umask(0777);
    return 0;
}

static int use_up_descriptors(void)
{
    const struct rlimit limit = {64, 64};

    if (setrlimit(RLIMIT_NOFILE, &limit))
        return -1;
    while (open("/dev/null", O_RDONLY) >= 0)
        continue;
    return errno == EMFILE ? 0 : -1;
}

static int limit_files(void)
{
    const struct rlimit limit = {4096, 4096};

    return setrlimit(RLIMIT_FSIZE, &limit);
}

static int ignore_signals(void)
{
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            signal(number, SIG_IGN);
    return 0;
}

static int block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    return sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Remove the directory that the environment names, with its contents. */
static int remove_directory(void)
{
    const char *directory = getenv("FAULT_REMOVE");
    char command[512];

    if (!directory)
        return -1;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

static int change(const char *what)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } changes[] = {{"locale", change_locale},
                   {"rounding", change_rounding},
                   {"close", close_descriptors},
                   {"close-all", close_all},
                   {"dup2", take_descriptors},
                   {"chdir", leave_directory},
                   {"umask", hide_files},
                   {"remove", remove_directory},
                   {"descriptors", use_up_descriptors},
                   {"file-size", limit_files},
                   {"ignore-signals", ignore_signals},
                   {"block-signals", block_signals}};

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (strcmp(changes[i].name, what) == 0)
            return changes[i].run();
    return -1;
}

static int fa_run(struct fa_go *own)
{
    struct vandal *vandal = cca_container_of(own, struct vandal, own);
    const char *what = cca_services_param_string(vandal->own.services, "what");
    int calls = fa_int(own, "calls"), done = 0;
    struct flux_port *flux = own->flux;

    for (int i = 0; i < calls; i++)
        done += fa_call(flux, 1, NULL) == 0;
    if (change(what))
        return cca_services_fail(vandal->own.services, -EPERM, "'%s' cannot be done",
                                 what);
    for (int i = 0; i < calls; i++)
        done += fa_call(flux, 1, NULL) == 0;
    printf("%d calls, %.1f\n", done, done / 2.0);
    return 0;
}

FA_CLASS(vandal, "FaultVandal",
         CCA_PARAMS({.name = "what", .type = CCA_STRING, .value = "chdir"},
                    {.name = "calls", .type = CCA_INT, .value = "20000", .low = "0"}));
