/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the program ccafe and its verbs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <sys/auxv.h>

#include "framework/cmd/cmd.h"
#include "framework/crash/probe.h"

/* Check that standard output was written: a full disk is a failure. */
static int finish(int status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CCA_EXIT_DONE)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "standard output: %s",
                              strerror(errno));
    return status;
}

/* Open standard descriptors that are closed, so that no file of a measurement becomes
 * stderr. They remain unusable. */
static void occupy_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static const struct cca_verb *const verbs[] = {&ccafe_verb_run, &ccafe_verb_check,
                                               &ccafe_verb_inspect, &ccafe_verb_cflags};
static char version[64];
static const struct cca_program program = {
    .name = "ccafe",
    .version = version,
    .summary = "run programs made of components",
    .usage = "ccafe [VERB] [options] [SCRIPT]\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof *verbs,
    .default_verb = &ccafe_verb_run,
    .refuse = ccafe_complain,
    .finish = finish,
};

/* ccafe runs code that its caller names, so it refuses to run with more rights than its
 * caller (set-user-ID, set-group-ID, capabilities). */
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
    snprintf(version, sizeof version, "%s, component ABI %u", CCAFE_VERSION, CCA_ABI);
    return finish(cca_program_run(&program, argc, argv));
}
