/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: the options of run and check. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"

enum {
    MEASURE,
    TAU_PROFILES,
    DEADLINE,
    COMPAT,
    TRUST,
    ALLOW_SHELL,
    LOAD,
    RC,
    MPI,
    RANK_OUTPUT,
    DEFINE,
    SET,
    CLASS,
    SHADOW,
    PATH,
    OLD_LOAD,
    OLD_RC,
    OLD_PATH,
    FIRST_RECORDING
};
const struct cca_option ccafe_run_options[CCAFE_RUN_OPTIONS] = {
    [MEASURE] = {"--measure", NULL,
                 "record all calls: put a proxy in front of every provides port"},
    [TAU_PROFILES] = {"--tau-profiles", "DIR",
                      "write profiles of TAU to DIR at the end; new or empty"},
    [DEADLINE] = {"--deadline", "SECONDS",
                  "end the run with status 4 if a go takes longer"},
    [COMPAT] = {"--compat", "ccaffeine",
                "read scripts as Ccaffeine does; go on after mistakes"},
    [TRUST] = {"--trust", NULL, "accept components that other users could have written"},
    [ALLOW_SHELL] = {"--allow-shell", NULL, "allow the command 'shell'"},
    [LOAD] = {"--load", "A:B", "classes that 'repository init' loads"},
    [RC] = {"--rc", "FILE", "run this script first; it begins with #!ccaffeine"},
    [MPI] = {"--mpi", "openmpi|mpich|none",
             "the implementation of MPI (default: the launcher's)"},
    [RANK_OUTPUT] = {"--rank-output", "DIR",
                     "write the output of each rank to files in DIR; without it only "
                     "rank 0 prints"},
    [DEFINE] = {"--define", "NAME=VALUE", "define a variable for the script", "-D"},
    [SET] = {"--set", "INSTANCE.PORT.NAME=VALUE",
             "set a parameter to VALUE, whatever the script sets it to"},
    [CLASS] = {"--class", "INSTANCE=CLASS",
               "make an instance of CLASS, whatever the script makes it of"},
    [SHADOW] =
        {"--shadow", "SLOT=CLASS,...:RATE%",
         "at RATE of the calls of SLOT, INSTANCE or INSTANCE.PORT, call each CLASS "
         "on copies of the arguments"},
    [PATH] = {"--path", "DIR", "search DIR for components first; may be repeated"},
    /* Options by the names that they have in Ccaffeine. */
    [OLD_LOAD] = {"--ccafe-component-load", "A:B", NULL},
    [OLD_RC] = {"--ccafe-rc", "FILE", NULL},
    [OLD_PATH] = {"--ccafe-component-path", "PATH", NULL},
};
_Static_assert((int)FIRST_RECORDING == (int)CCAFE_RUN_OPTIONS, "one row an option");

/* Return the value of an option, which may be given by its old name. */
static const char *either(const struct cca_args *args, int option, int old)
{
    const char *value = cca_given_value(&args->options[option]);

    return value ? value : cca_given_value(&args->options[old]);
}

static int check_deadline(const char *word, double *seconds)
{
    char *end;

    if (!word)
        return -1;
    *seconds = strtod(word, &end);
    if (end != word && !*end && *seconds > 0 && *seconds <= 1e9)
        return -1;
    return ccafe_complain(CCA_EXIT_MISUSE,
                          "--deadline '%s': expected seconds, more than 0", word);
}

/* Refuse an empty word, which comes from a shell variable that is not set. */
static int check_word(const char *word, const char *option, const char *what)
{
    return !word || *word ? -1
                          : ccafe_complain(CCA_EXIT_MISUSE, "%s needs %s", option, what);
}

static int check_metrics(const char *list)
{
    const char *name = list;

    for (;;) {
        name += strspn(name, " \t");
        if (!*name || *name == ',')
            return ccafe_complain(CCA_EXIT_MISUSE,
                                  "--metrics '%s': expected names with commas between",
                                  list);
        name += strcspn(name, ",");
        if (!*name++)
            return -1;
    }
}

/* Check an option of recording_options. ccafe_messages_check checks --messages and
 * --mpi-time. */
static int check_recording(const struct ccafe_options *options, int row)
{
    const char *word = options->recording[row];

    if (!word || row == RECORDING_MESSAGES || row == RECORDING_MPI_TIME)
        return -1;
    if (row == RECORDING_METRICS && check_metrics(word) >= 0)
        return CCA_EXIT_MISUSE;
    return check_word(word, recording_options[row].name, recording_options[row].value);
}

/* Check the value of an option that takes one of the words in its table, with | between.
 */
static int check_one_of(const struct cca_args *args, int option)
{
    const char *word = cca_given_value(&args->options[option]);
    const char *words = ccafe_run_options[option].argument;

    for (const char *at = words; word && *at; at += *at == '|') {
        size_t length = strcspn(at, "|");

        if (strlen(word) == length && strncmp(word, at, length) == 0)
            return -1;
        at += length;
    }
    return word ? ccafe_complain(CCA_EXIT_MISUSE, "%s '%s': expected %s",
                                 ccafe_run_options[option].name, word,
                                 option == MPI ? "openmpi, mpich or none" : words)
                : -1;
}

static int check_values(struct ccafe_options *options, const struct cca_args *args)
{
    int status = check_one_of(args, COMPAT);

    status = status < 0 ? check_one_of(args, MPI) : status;
    status = status < 0
                 ? check_word(options->tau_profiles, "--tau-profiles", "a directory")
                 : status;
    for (int i = 0; i < RECORDING_OPTIONS && status < 0; i++)
        status = check_recording(options, i);
    return status < 0 ? check_deadline(cca_given_value(&args->options[DEADLINE]),
                                       &options->deadline_s)
                      : status;
}

int ccafe_options_read(struct ccafe_options *options, const struct cca_args *args)
{
    const struct cca_given *given = args->options;
    int status;

    *options =
        (struct ccafe_options){.measure = given[MEASURE].given,
                               .tau_profiles = cca_given_value(&given[TAU_PROFILES]),
                               .defines = &given[DEFINE],
                               .settings = &given[SET],
                               .classes = &given[CLASS],
                               .shadows = &given[SHADOW],
                               .dirs = &given[PATH],
                               .compat = given[COMPAT].given,
                               .allow_shell = given[ALLOW_SHELL].given,
                               .trust = given[TRUST].given,
                               .mpi = cca_given_value(&given[MPI]),
                               .rank_output = cca_given_value(&given[RANK_OUTPUT]),
                               .load = either(args, LOAD, OLD_LOAD),
                               .path = cca_given_value(&given[OLD_PATH]),
                               .rc = either(args, RC, OLD_RC),
                               .script = args->count ? args->words[0] : NULL};
    for (int i = 0; i < RECORDING_OPTIONS; i++)
        options->recording[i] = cca_given_value(&given[FIRST_RECORDING + i]);
    status = check_values(options, args);
    if (status >= 0)
        return status;
    if (args->count > 1 && access(options->script, F_OK) < 0)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "'%s' is no script, nor run, check, inspect or cflags",
                              options->script);
    if (args->count > 1)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "'%s': one script is enough, options come before it",
                              args->words[1]);
    status = ccafe_messages_check(options);
    return status < 0 ? ccafe_cells_pass(options) : status;
}

/* Return the exit status for a directory that cannot be used: a wrong name is misuse, a
 * failure of the system is not. */
int ccafe_bad_directory(int code)
{
    return code == -ENOENT || code == -ENOTDIR || code == -EACCES || code == -EPERM ||
                   code == -ELOOP || code == -ENAMETOOLONG
               ? CCA_EXIT_MISUSE
               : CCA_EXIT_IO_OR_MEMORY;
}
