/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: the command line of run and check. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/nearest.h"
#include "common/options.h"
#include "framework/cmd/cmd.h"

/* The value of getopt_long for row 0 of recording_options. */
enum { FIRST_RECORDING = 256 };

static const char help_head[] =
    "usage: ccafe [run] [options] [SCRIPT]   run an assembly; without SCRIPT, or with\n"
    "                                        -, read commands from standard input\n"
    "       ccafe check [options] SCRIPT     find all mistakes; runs no component\n"
    "       ccafe inspect [--json] [--path DIR] CLASS|FILE.so\n"
    "                                        print the class descriptor of a component\n"
    "       ccafe cflags                     print the flags that compile a component\n"
    "       ccafe help [VERB]                print the usage of a verb\n"
    "\n"
    "  --measure          record all calls: put a proxy in front of every provides\n"
    "                     port\n";
static const char help_tail[] =
    "  --tau-profiles DIR write profiles of TAU to DIR at the end; new or empty\n"
    "  --deadline SECONDS end the run with status 4 if a go takes longer\n"
    "  --compat=ccaffeine read scripts as Ccaffeine does; go on after mistakes\n"
    "  --trust            accept components that other users could have written\n"
    "  --allow-shell      allow the command 'shell'\n"
    "  --load A:B         classes that 'repository init' loads\n"
    "  --rc FILE          run this script first; it begins with #!ccaffeine\n"
    "  --mpi FLAVOUR      openmpi, mpich or none (default: that of the launcher)\n"
    "  --rank-output DIR  write the output of each rank to files in DIR; without it\n"
    "                     only rank 0 prints\n"
    "  -D NAME=VALUE      define a variable for the script\n"
    "  --set INSTANCE.PORT.NAME=VALUE\n"
    "                     set a parameter to VALUE, whatever the script sets it to\n"
    "  --class INSTANCE=CLASS\n"
    "                     make an instance of CLASS, whatever the script makes it of\n"
    "  --path DIR         search DIR for components first; may be repeated\n"
    "  -h, --help         print this text\n"
    "  -V, --version      print the version\n"
    "\n"
    "Exit status: that of 'quit', else 0 done, 2 misuse, 3 a mistake in the script or\n"
    "the wiring, 4 a component failed or refused, 5 I/O or memory.\n";

/* The option that was meant, as "; did you mean '--path'?", or where to find it. */
static const char *option_hint(const char *word, const struct option *longs, char *text,
                               size_t size)
{
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, strncmp(word, "--", 2) == 0 ? word + 2 : "");
    for (; longs->name; longs++)
        cca_nearest_offer(&nearest, longs->name);
    if (nearest.best)
        snprintf(text, size, "; did you mean '--%s'?", nearest.best);
    return nearest.best ? text : "; 'ccafe -h' shows what there is";
}

int ccafe_bad_option(int letter, char **argv, const struct option *longs)
{
    const char *word = argv[optind - 1]; /* getopt is past it */
    const char one[] = {'-', (char)optopt, '\0'};
    int is_long = strncmp(word, "--", 2) == 0;
    char hint[80];

    if (letter == ':')
        return ccafe_complain(CCA_EXIT_MISUSE, "'%s' needs a value",
                              is_long ? word : one);
    if (optopt && is_long)
        return ccafe_complain(CCA_EXIT_MISUSE, "'%.*s' takes no value",
                              (int)strcspn(word, "="), word);
    return ccafe_complain(CCA_EXIT_MISUSE, "unknown option '%s'%s", optopt ? one : word,
                          option_hint(word, longs, hint, sizeof hint));
}

static int take_deadline(struct ccafe_options *options)
{
    char *end;

    options->deadline_s = strtod(optarg, &end);
    if (end != optarg && !*end && options->deadline_s > 0 && options->deadline_s <= 1e9)
        return -1;
    return ccafe_complain(CCA_EXIT_MISUSE,
                          "--deadline '%s': expected seconds, more than 0", optarg);
}

/* An empty word comes from a shell variable that is not set. */
static int take_word(const char **word, const char *option, const char *what)
{
    *word = optarg;
    return *optarg ? -1 : ccafe_complain(CCA_EXIT_MISUSE, "%s needs %s", option, what);
}

static int check_metrics(void)
{
    const char *name = optarg;

    for (;;) {
        name += strspn(name, " \t");
        if (!*name || *name == ',')
            return ccafe_complain(CCA_EXIT_MISUSE,
                                  "--metrics '%s': expected names with commas between",
                                  optarg);
        name += strcspn(name, ",");
        if (!*name++)
            return -1;
    }
}

/* The row of recording_options that getopt_long has found; -1: none of them. */
static int recording_row(int letter)
{
    for (int i = 0; i < RECORDING_OPTIONS; i++)
        if (letter == FIRST_RECORDING + i ||
            (recording_options[i].letter && letter == recording_options[i].letter[1]))
            return i;
    return -1;
}

static int take_recording(struct ccafe_options *options, int row)
{
    const struct recording_option *option = &recording_options[row];

    if (row == RECORDING_MESSAGES || row == RECORDING_MPI_TIME) {
        options->recording[row] = optarg; /* ccafe_messages_check sees it later */
        return -1;
    }
    return row == RECORDING_METRICS && check_metrics() >= 0
               ? CCA_EXIT_MISUSE
               : take_word(&options->recording[row], option->name, option->value);
}

static void print_help(void)
{
    fputs(help_head, stdout);
    for (int i = 0; i < RECORDING_OPTIONS; i++) {
        const struct recording_option *row = &recording_options[i];

        cca_option_print(
            stdout,
            &(struct cca_option){row->name, row->argument, row->help, row->letter}, 21);
    }
    fputs(help_tail, stdout);
}

static int take_option(struct ccafe_options *options, int letter, char **argv,
                       const struct option *longs)
{
    int row = recording_row(letter);

    if (row >= 0)
        return take_recording(options, row);
    switch (letter) {
    case 'm':
        options->measure = 1;
        return -1;
    case 'T':
        return take_word(&options->tau_profiles, "--tau-profiles", "a directory");
    case 'd':
        return take_deadline(options);
    case 'D':
        options->defines[options->define_count++] = optarg;
        return -1;
    case 'S':
        options->settings[options->setting_count++] = optarg;
        return -1;
    case 'C':
        options->classes[options->class_count++] = optarg;
        return -1;
    case 'p':
        options->dirs[options->dir_count++] = optarg;
        return -1;
    case 'c':
        options->compat = strcmp(optarg, "ccaffeine") == 0;
        return options->compat
                   ? -1
                   : ccafe_complain(CCA_EXIT_MISUSE, "--compat '%s': expected ccaffeine",
                                    optarg);
    case 'a':
        options->allow_shell = 1;
        return -1;
    case 't':
        options->trust = 1;
        return -1;
    case 'l':
        options->load = optarg;
        return -1;
    case 'r':
        options->rc = optarg;
        return -1;
    case 'P':
        options->path = optarg;
        return -1;
    case 'i':
        options->mpi = optarg;
        return !strcmp(optarg, "openmpi") || !strcmp(optarg, "mpich") ||
                       !strcmp(optarg, "none")
                   ? -1
                   : ccafe_complain(CCA_EXIT_MISUSE,
                                    "--mpi '%s': expected openmpi, mpich or none",
                                    optarg);
    case 'R':
        options->rank_output = optarg;
        return -1;
    case 'h':
        print_help();
        return CCA_EXIT_DONE;
    case 'V':
        printf("ccafe %s, component ABI %u\n", CCAFE_VERSION, CCA_ABI);
        return CCA_EXIT_DONE;
    default:
        return ccafe_bad_option(letter, argv, longs);
    }
}

/* The rows of recording_options as getopt_long wants them, before `longs` and behind the
 * letters of ccafe itself. */
static void add_recording(struct option *longs, char *letters)
{
    char *end = stpcpy(letters, "+:D:hV");

    for (int i = 0; i < RECORDING_OPTIONS; i++) {
        longs[i] = (struct option){recording_options[i].name + 2, required_argument, NULL,
                                   FIRST_RECORDING + i};
        if (recording_options[i].letter) {
            *end++ = recording_options[i].letter[1];
            *end++ = ':';
        }
    }
    *end = '\0';
}

int ccafe_options_parse(struct ccafe_options *options, int argc, char **argv)
{
    static const struct option own[] = {
        {"measure", no_argument, NULL, 'm'},
        {"tau-profiles", required_argument, NULL, 'T'},
        {"deadline", required_argument, NULL, 'd'},
        {"compat", required_argument, NULL, 'c'},
        {"allow-shell", no_argument, NULL, 'a'},
        {"trust", no_argument, NULL, 't'},
        {"load", required_argument, NULL, 'l'},
        {"rc", required_argument, NULL, 'r'},
        {"ccafe-component-load", required_argument, NULL, 'l'},
        {"ccafe-component-path", required_argument, NULL, 'P'},
        {"ccafe-rc", required_argument, NULL, 'r'},
        {"mpi", required_argument, NULL, 'i'},
        {"rank-output", required_argument, NULL, 'R'},
        {"define", required_argument, NULL, 'D'},
        {"set", required_argument, NULL, 'S'},
        {"class", required_argument, NULL, 'C'},
        {"path", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0}};
    struct option longs[RECORDING_OPTIONS + sizeof own / sizeof *own];
    char letters[2 * RECORDING_OPTIONS + 16];
    int letter, status = -1;

    *options = (struct ccafe_options){0};
    options->defines = calloc((size_t)argc + 1, sizeof *options->defines);
    options->settings = calloc((size_t)argc + 1, sizeof *options->settings);
    options->classes = calloc((size_t)argc + 1, sizeof *options->classes);
    options->dirs = calloc((size_t)argc + 1, sizeof *options->dirs);
    if (!options->defines || !options->settings || !options->classes || !options->dirs)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    add_recording(longs, letters);
    memcpy(longs + RECORDING_OPTIONS, own, sizeof own);
    optind = 1;
    opterr = 0;
    while (status < 0 && (letter = getopt_long(argc, argv, letters, longs, NULL)) != -1)
        status = take_option(options, letter, argv, longs);
    if (status >= 0)
        return status;
    options->script = optind < argc ? argv[optind++] : NULL;
    if (optind < argc && access(options->script, F_OK) < 0)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "'%s' is no script, nor run, check, inspect or cflags",
                              options->script);
    if (optind < argc)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "'%s': one script is enough, options come before it",
                              argv[optind]);
    status = ccafe_messages_check(options);
    return status < 0 ? ccafe_cells_pass(options) : status;
}

void ccafe_options_done(struct ccafe_options *options)
{
    free(options->defines);
    free(options->settings);
    free(options->classes);
    free(options->dirs);
}

/* A wrong name is misuse, a system that fails is not. */
int ccafe_bad_directory(int code)
{
    return code == -ENOENT || code == -ENOTDIR || code == -EACCES || code == -EPERM ||
                   code == -ELOOP || code == -ENAMETOOLONG
               ? CCA_EXIT_MISUSE
               : CCA_EXIT_IO_OR_MEMORY;
}
