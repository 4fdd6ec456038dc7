/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the program ccafe: pick the verb. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/auxv.h>

#include "framework/cmd/cmd.h"
#include "framework/crash/probe.h"

static int cmd_help(int argc, char **argv);

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {{"run", cmd_run},
             {"check", cmd_check},
             {"inspect", cmd_inspect},
             {"cflags", cmd_cflags},
             {"help", cmd_help}};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return &verbs[i];
    return NULL;
}

/* ccafe help [VERB]: the same as VERB -h */
static int cmd_help(int argc, char **argv)
{
    const struct verb *verb = find_verb(argc > 1 ? argv[1] : "run");
    char *words[] = {argv[argc > 1], (char *)"-h", NULL};

    if (!verb || verb->run == cmd_help || argc > 2)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "help: found '%s', expected run, check, "
                              "inspect or cflags",
                              argv[argc - 1]);
    return verb->run(2, words);
}

/* A full disk is no success: check that the output was written. */
static int finish(int status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CCA_EXIT_DONE)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "standard output: %s",
                              strerror(errno));
    return status;
}

/* A file of a measurement must not become stderr. What is closed stays unusable. */
static void occupy_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* The first argument may be a verb; without one, run. ccafe runs code that its caller
 * names, so it refuses rights that its caller lacks (set-user-ID, set-group-ID,
 * capabilities). */
int main(int argc, char **argv)
{
    occupy_standard_files();
    if (getauxval(AT_SECURE))
        return ccafe_complain(
            CCA_EXIT_MISUSE,
            "refused: it runs code that its caller names, and was installed "
            "with rights of its own (set-user-ID, set-group-ID, capabilities)");
    if (argc == 3 && strcmp(argv[1], CCAFE_PROBE) == 0)
        ccafe_probe_child(argv[2]);
    if (argc > 1 && find_verb(argv[1]))
        return finish(find_verb(argv[1])->run(argc - 1, argv + 1));
    return finish(cmd_run(argc, argv));
}
