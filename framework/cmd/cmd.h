/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: shared by the verbs of the program ccafe. */
#ifndef FRAMEWORK_CMD_CMD_H
#define FRAMEWORK_CMD_CMD_H

#include "common/verbs/verbs.h"
#include "framework/cohort.h"
#include "framework/crash/crash.h"
#include "framework/script/script.h"
#include "ports/recording_options.h"
#include "framework/crash/methods.h"
#include "framework/classes/run_path.h"
#include "framework/repository.h"

#define CCAFE_VERSION "0.1.0"

/* The verbs; `run` returns an exit status, enum cca_exit. */
extern const struct cca_verb ccafe_verb_run, ccafe_verb_check, ccafe_verb_inspect,
    ccafe_verb_cflags;

/* Options of run and check; the rows of recording_options follow. */
enum { CCAFE_RUN_OPTIONS = 18 };
extern const struct cca_option ccafe_run_options[CCAFE_RUN_OPTIONS];

/* The options that run and check take, borrowed from their arguments. */
struct ccafe_options {
    int measure;
    const char *recording[RECORDING_OPTIONS]; /* values of the recording options, or
                                               * NULL */
    const char *tau_profiles;                 /* or NULL */
    double deadline_s; /* time limit of each call of a Go port, seconds; 0: no deadline */
    const struct cca_given *defines;  /* "NAME=VALUE" */
    const struct cca_given *shadows;  /* values of --shadow */
    const struct cca_given *settings; /* values of --set:
                                       * "INSTANCE.PORT.NAME=VALUE" */
    const struct cca_given *classes;  /* values of --class: "INSTANCE=CLASS" */
    const struct cca_given *dirs;     /* values of --path */
    int compat, allow_shell, trust;
    const char *mpi; /* implementation of MPI: "openmpi", "mpich", "none"; NULL: the MPI
                        launcher's implementation */
    const char *rank_output;      /* directory for each rank's output; NULL: only rank 0
                                   * prints */
    struct cca_cohort *cohort;    /* cohort of the run; NULL: this process is alone */
    const char *load, *path, *rc; /* or NULL */
    const char *script;           /* path of the script; NULL: not given; "-": standard
                                   * input */
};

/* Read and check the options. Returns -1 to go on, else the exit status after a
 * message. */
int ccafe_options_read(struct ccafe_options *options, const struct cca_args *args);
/* Return the exit status after cca_repository_path_append has failed with `code`. */
int ccafe_bad_directory(int code);

/* assembly.c: a framework and the script interpreter on it. */
struct ccafe_assembly {
    char *own; /* directory of this program's components */
    struct cca_framework *framework;
    struct cca_script *script;
};

/* Create the framework and the script interpreter. Returns 0, or an exit status after
 * a message. Call ccafe_assembly_done in either case. */
int ccafe_assembly_init(struct ccafe_assembly *assembly,
                        const struct ccafe_options *options,
                        const struct cca_script_options *how);
void ccafe_assembly_done(struct ccafe_assembly *assembly);

/* ranks.c: return this process's rank from the MPI launcher's variables; -1: no launcher.
 */
int ccafe_ranks_launched(void);
/* Join the cohort of the MPI launcher that has started this program, if any, and set
 * options->cohort. Afterwards only rank 0 prints, or each rank into its own files.
 * Returns 0, or an exit status after a message. */
int ccafe_ranks_begin(struct ccafe_options *options);
/* Wait for all ranks. Returns on all ranks 0, or the status of the first rank that
 * failed. Without ranks, returns `status`. */
int ccafe_ranks_agree(const struct ccafe_options *options, int status);
/* Leave the cohort after a run that ended with `status`. Returns the common status. */
int ccafe_ranks_end(struct ccafe_options *options, int status);
/* Return the stream for messages of rank 0. */
FILE *ccafe_ranks_words(const struct ccafe_options *options);
/* rank_input.c: run the script on rank 0's stdin on all ranks. Returns an exit status. */
int ccafe_ranks_run_stdin(struct cca_script *script, const struct ccafe_options *options,
                          const char *name);
/* Store a message until the ranks agree. Returns 0 if there is no cohort: nothing is
 * stored. */
int ccafe_ranks_complain(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));

/* messages.c: check the values of --messages and --mpi-time. Returns -1 to go on, or an
 * exit status after a message, which only rank 0 prints. The value "off" is replaced by
 * NULL. */
int ccafe_messages_check(struct ccafe_options *options);
/* Pass --messages and --mpi-time to the wrappers around MPI, before MPI is loaded.
 * `flavour` NULL: MPI will not be loaded. Returns 0, or an exit status after a
 * message. */
int ccafe_messages_pass(const struct ccafe_options *options, const char *flavour);
/* Return the port type whose provider stores the messages; NULL: none are requested. */
const char *ccafe_messages_serve(const struct ccafe_options *options);

/* Print a message once, before MPI has begun, about a mistake that all ranks have.
 * Returns CCA_EXIT_MISUSE. */
int ccafe_complain_once(const char *text);

/* --- cells.c ----------------------------------------------------------------------- */

/* Set the environment that mesh profiles need (--cells); it checks the option, too.
 * Returns -1 to go on, or an exit code after a message. */
int ccafe_cells_pass(const struct ccafe_options *options);

/* openmp.c: load the library around OpenMP if --metrics requires it, before components
 * are loaded. Returns 0, or an exit status after a message. */
int ccafe_openmp_load(const struct ccafe_options *options);

/* scripts.c: run the scripts that the options name, or standard input. Returns an exit
 * status. */
int ccafe_run_scripts(struct cca_script *script, const struct ccafe_options *options);
/* rehearsal.c: find mistakes in --set and --class before the run by checking the script.
 * Returns 0, or an exit status after a message. Collective. */
int ccafe_rehearse(const struct ccafe_options *options);
/* Return the name of the script for messages. */
const char *ccafe_script_name(const struct ccafe_options *options);
/* True if commands are typed at a terminal. */
int ccafe_is_interactive(const struct ccafe_options *options);

/* terminal.c: make a stream that reads standard input, a terminal, with a prompt for each
 * line. Returns the stream, closed by fclose, or NULL with errno. */
FILE *ccafe_terminal(void);

/* place.c: find directories near this program. Results are new, or NULL with errno. */
char *ccafe_own_dir(void); /* directory of the executable */
/* directory of components: ../lib/mastermind from there */
char *ccafe_component_dir(void);
/* Append `dir` to the path, if it exists. Returns 0 or a negative errno. */
int ccafe_component_path(struct cca_repository *repository, const char *dir,
                         struct cca_error *err);
char *ccafe_include_dir(void); /* the directory with framework/cca.h */

/* complain.c: print "ccafe: ..." to stderr; on ranks, keep it until the ranks agree.
 * Returns `status`. */
int ccafe_complain(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- inspect ------------------------------------------------------------- */

/* Print a class for `ccafe inspect`. */

struct ccafe_inspected {
    const struct cca_repository *repository;
    const struct cca_class_info *info;
    struct cca_run_path run_path;
};

void ccafe_inspect_text(const struct ccafe_inspected *inspected);
void ccafe_inspect_json(const struct ccafe_inspected *inspected);

/* Print one method, "compute(axis mode, Q = nx * ny, iterations out)", and a newline. */
void ccafe_inspect_text_method(const struct ccafe_method *method);
/* Print , "methods": [...] */
void ccafe_inspect_json_methods(const struct ccafe_methods *methods);

const char *ccafe_type_name(enum cca_type type);
const char *ccafe_compose_name(enum cca_compose compose);
/* Find the methods of a port type: in the proxy's own library, else in a proxy library on
 * the path. Returns 0, or -1: the methods are unknown. Call ccafe_methods_done in either
 * case. */
int ccafe_inspect_methods(const struct cca_repository *repository,
                          const struct cca_class_info *info, const char *type,
                          struct ccafe_methods *methods);

/* --- json.c -------------------------------------------------------------- */

void ccafe_json_string(const char *value);
/* Print , "key": value; nothing if the value is NULL. */
void ccafe_json_number(const char *key, double value);
void ccafe_json_member(const char *key, const char *value);

#endif
