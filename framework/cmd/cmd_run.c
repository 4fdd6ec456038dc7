/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_run.c: ccafe [run] [options] SCRIPT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory.h"
#include "framework/cmd/cmd.h"

/* Check before the run that the directory for a measurement can be created and that
 * nothing is overwritten. */
static int check_place(const char *option, const char *dir)
{
    struct stat kind;
    char *parent, *slash;
    int usable;

    if (stat(dir, &kind) == 0)
        return S_ISDIR(kind.st_mode) && cca_directory_is_empty(dir) > 0
                   ? 0
                   : ccafe_complain(CCA_EXIT_MISUSE, "%s '%s' exists already and is %s",
                                    option, dir,
                                    S_ISDIR(kind.st_mode) ? "not empty" : "no directory");
    if (errno != ENOENT)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s '%s': %s", option, dir,
                              strerror(errno));
    parent = strdup(dir);
    if (!parent)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    while (*parent && parent[strlen(parent) - 1] == '/')
        parent[strlen(parent) - 1] = '\0';
    slash = strrchr(parent, '/');
    if (slash)
        slash[slash == parent] = '\0';
    usable = access(slash ? parent : ".", W_OK | X_OK) == 0;
    free(parent);
    return usable ? 0
                  : ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s '%s': %s", option, dir,
                                   strerror(errno));
}

/* Quote the command line for a shell. Returns a new string, or NULL. */
static char *command_line(int argc, char **argv)
{
    size_t size = 1;
    char *line, *end;

    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + 3;
    line = end = malloc(size);
    if (line)
        *end = '\0';
    for (int i = 0; line && i < argc; i++) {
        const char *word = argv[i];
        int plain =
            *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-+=./:,@%") == strlen(word);

        end = stpcpy(end, i ? " " : "");
        end = stpcpy(end, plain ? "" : "'");
        for (; *word; word++)
            end = *word == '\'' ? stpcpy(end, "'\\''") : (*end = *word, end + 1);
        *end = '\0';
        end = stpcpy(end, plain ? "" : "'");
    }
    return line;
}

static int set_properties(struct cca_framework *framework,
                          const struct ccafe_options *options, const char *command)
{
    int failed =
        !command || cca_framework_set_property(framework, "command", command) < 0 ||
        cca_framework_set_property(framework, "script", ccafe_script_name(options)) < 0 ||
        (options->tau_profiles && cca_framework_set_property(framework, "tau_profiles",
                                                             options->tau_profiles) < 0);

    for (int i = 0; i < RECORDING_OPTIONS && !failed; i++)
        failed = options->recording[i] &&
                 cca_framework_set_property(framework, recording_options[i].key,
                                            options->recording[i]) < 0;
    return failed ? ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory") : 0;
}

/* True if `dir` is below `parent`: the directory of profiles may be inside the
 * experiment's, which does not exist yet. */
static int is_below(const char *dir, const char *parent)
{
    size_t length = parent ? strlen(parent) : 0;

    return length && strncmp(dir, parent, length) == 0 &&
           (parent[length - 1] == '/' || dir[length] == '/');
}

/* Check the directories of a measurement on rank 0, which creates them. */
static int check_places(const struct ccafe_options *options)
{
    const char *experiment = options->recording[RECORDING_EXPERIMENT];
    const char *profiles = options->tau_profiles;
    int status = 0;

    if (options->cohort && options->cohort->rank != 0)
        return 0;
    if (experiment)
        status = check_place("--experiment", experiment);
    if (!status && profiles && !is_below(profiles, experiment))
        status = check_place("--tau-profiles", profiles);
    return status;
}

/* Report options of a measurement that no component has used. */
static void report_unused_options(struct cca_framework *framework,
                                  const struct ccafe_options *options)
{
    char list[256] = "";
    size_t used = 0;

    for (int i = 0; i <= RECORDING_OPTIONS; i++) {
        int own = i == RECORDING_OPTIONS;
        const char *value = own ? options->tau_profiles : options->recording[i];

        if (value && !cca_framework_property_asked(
                         framework, own ? "tau_profiles" : recording_options[i].key))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used ? ", " : "",
                                     own ? "--tau-profiles" : recording_options[i].name);
    }
    if (used && (!options->cohort || options->cohort->rank == 0))
        fprintf(stderr, "ccafe: no component uses %s%s\n", list,
                options->measure ? ""
                                 : "; without --measure nothing is measured by default");
}

/* Run the assembly from its first command to its end. */
static int run_assembly(const struct ccafe_options *options, const char *command)
{
    const struct cca_script_options how = {.compat = options->compat,
                                           .interactive = ccafe_is_interactive(options),
                                           .allow_shell = options->allow_shell,
                                           .load = options->load,
                                           .path = options->path,
                                           .words = ccafe_ranks_words(options),
                                           .progress = ccafe_signals_progress};
    struct ccafe_deadline *deadline = NULL;
    struct ccafe_assembly assembly;
    int status = ccafe_assembly_init(&assembly, options, &how);

    if (status == 0)
        status = set_properties(assembly.framework, options, command);
    if (status == 0 && options->deadline_s > 0) {
        deadline = ccafe_deadline_new(assembly.framework, options->deadline_s);
        if (!deadline)
            status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "no thread for --deadline");
    }
    status = ccafe_ranks_agree(options, status);
    if (status == 0)
        status = ccafe_run_scripts(assembly.script, options);
    if (ccafe_deadline_free(deadline) && status == CCA_EXIT_DONE)
        status = CCA_EXIT_COMPONENT;
    if (status == CCA_EXIT_DONE)
        report_unused_options(assembly.framework, options);
    ccafe_assembly_done(&assembly);
    return status == CCA_EXIT_DONE && cca_are_files_lost() ? CCA_EXIT_IO_OR_MEMORY
                                                           : status;
}

static int run_rank(struct ccafe_options *options, const char *command)
{
    int status;

    ccafe_signals_arm();
    status = ccafe_openmp_load(options);
    if (status == 0)
        status = ccafe_ranks_begin(options);
    if (status == 0)
        status = ccafe_ranks_agree(options, check_places(options));
    if (status == 0)
        status = ccafe_rehearse(options);
    if (status == 0)
        status = run_assembly(options, command);
    status = ccafe_ranks_end(options, status);
    ccafe_signals_disarm();
    return status;
}

static int run_verb(const struct cca_args *args)
{
    struct ccafe_options options;
    int status = ccafe_options_read(&options, args);
    char *arguments = status < 0 ? command_line(args->all_count, args->all) : NULL;
    char *command = NULL;

    if (arguments &&
        asprintf(&command, "ccafe%s%s", *arguments ? " " : "", arguments) < 0)
        command = NULL;
    if (status < 0)
        status = run_rank(&options, command);
    free(command);
    free(arguments);
    return status;
}

const struct cca_verb ccafe_verb_run = {
    .name = "run",
    .summary = "run an assembly; without SCRIPT, or with -, read standard input",
    .usage =
        "ccafe [run] [options] [SCRIPT]   run an assembly; without SCRIPT, or with\n"
        "                                 -, read commands from standard input\n"
        "ccafe check [options] SCRIPT     find all mistakes; runs no component\n"
        "ccafe inspect [--json] [--path DIR] CLASS|FILE.so\n"
        "                                 print the class descriptor of a component\n"
        "ccafe cflags                     print the flags that compile a component\n"
        "ccafe help [VERB]                print the usage of a verb\n",
    .options = ccafe_run_options,
    .option_count = CCAFE_RUN_OPTIONS,
    .recording = RECORDING_OPTIONS,
    .options_first = 1,
    .notes = "Exit status: that of 'quit', else 0 done, 2 misuse, 3 a mistake in the "
             "script or the wiring, 4 a component failed or refused, 5 I/O or memory.\n",
    .run = run_verb,
};
