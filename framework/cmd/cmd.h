/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: shared by the verbs of the program ccafe. */
#ifndef FRAMEWORK_CMD_CMD_H
#define FRAMEWORK_CMD_CMD_H

#include "common/verbs/verbs.h"
#include "framework/cohort.h"
#include "framework/crash/crash.h"
#include "framework/script/script.h"
#include "ports/recording_options.h"

#define CCAFE_VERSION "0.1.0"

/* The verbs; `run` returns an exit status, enum cca_exit. */
extern const struct cca_verb ccafe_verb_run, ccafe_verb_check, ccafe_verb_inspect,
    ccafe_verb_cflags;

/* Options of run and check; the rows of recording_options come behind. */
enum { CCAFE_RUN_OPTIONS = 17 };
extern const struct cca_option ccafe_run_options[CCAFE_RUN_OPTIONS];

/* The options that run and check take, borrowed from their arguments. */
struct ccafe_options {
    int measure;
    const char *recording[RECORDING_OPTIONS]; /* a value a row of the table, or NULL */
    const char *tau_profiles;                 /* or NULL */
    double deadline_s;                        /* of each go; 0: none */
    const struct cca_given *defines;          /* "NAME=VALUE" */
    const struct cca_given *settings;         /* of --set: "INSTANCE.PORT.NAME=VALUE" */
    const struct cca_given *classes;          /* of --class: "INSTANCE=CLASS" */
    const struct cca_given *dirs;             /* of --path */
    int compat, allow_shell, trust;
    const char *mpi;           /* "openmpi", "mpich", "none"; NULL: as the launcher was */
    const char *rank_output;   /* directory, or NULL: only rank 0 prints */
    struct cca_cohort *cohort; /* of the run; NULL: this process is alone */
    const char *load, *path, *rc; /* or NULL */
    const char *script;           /* NULL: none was named; "-": standard input */
};

/* Read and check the options. -1: go on; else the exit status after a complaint. */
int ccafe_options_read(struct ccafe_options *options, const struct cca_args *args);
/* The exit status after cca_repository_path_append has failed with `code`. */
int ccafe_bad_directory(int code);

/* assembly.c: a framework and the script interpreter on it. */
struct ccafe_assembly {
    char *own; /* the directory of this program's components */
    struct cca_framework *framework;
    struct cca_script *script;
};

/* 0 or an exit status; complains to stderr. ccafe_assembly_done in either case. */
int ccafe_assembly_init(struct ccafe_assembly *assembly,
                        const struct ccafe_options *options,
                        const struct cca_script_options *how);
void ccafe_assembly_done(struct ccafe_assembly *assembly);

/* ranks.c: the rank that the launcher of MPI has given this process; -1: no launcher. */
int ccafe_ranks_launched(void);
/* Join the cohort of the MPI launcher that has started this program, if one has:
 * sets options->cohort. From then on rank 0 alone prints, or each rank into files of its
 * own. 0, or an exit status after a complaint. */
int ccafe_ranks_begin(struct ccafe_options *options);
/* Wait until all ranks come here. Returns 0 on all, or on all the status of the first
 * that failed. Without ranks: `status`. */
int ccafe_ranks_agree(const struct ccafe_options *options, int status);
/* Leave the cohort after a run that ended with `status`. Returns the status of all. */
int ccafe_ranks_end(struct ccafe_options *options, int status);
/* The stream of rank 0's messages. */
FILE *ccafe_ranks_words(const struct ccafe_options *options);
/* rank_input.c: run the script on rank 0's stdin on all ranks. An exit status. */
int ccafe_ranks_run_stdin(struct cca_script *script, const struct ccafe_options *options,
                          const char *name);
/* Keep a complaint until the ranks agree. 0: there is no cohort, it is not kept. */
int ccafe_ranks_complain(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));

/* messages.c: --messages and --mpi-time. Check their values: -1, or an exit status after
 * a complaint, which rank 0 alone makes. "off" becomes no request. */
int ccafe_messages_check(struct ccafe_options *options);
/* Hand them to the wrappers around MPI; before MPI is loaded. `flavour` NULL: it is not
 * going to be. 0, or an exit status after a complaint. */
int ccafe_messages_pass(const struct ccafe_options *options, const char *flavour);
/* The port type whose provider keeps the messages, or NULL: they are not asked for. */
const char *ccafe_messages_serve(const struct ccafe_options *options);

/* A wrong word that is wrong on all ranks, before MPI has begun: said once. Returns
 * CCA_EXIT_MISUSE. */
int ccafe_complain_once(const char *text);

/* --- cells.c ----------------------------------------------------------------------- */

/* Set the environment that mesh profiles need (--cells), which check the option, too. -1,
 * or an exit code after a message. */
int ccafe_cells_pass(const struct ccafe_options *options);

/* openmp.c: load the library around OpenMP if --metrics asks for it; before components
 * are loaded. 0, or an exit status after a complaint. */
int ccafe_openmp_load(const struct ccafe_options *options);

/* scripts.c: run the scripts that the options name, or standard input. Returns an exit
 * status. */
int ccafe_run_scripts(struct cca_script *script, const struct ccafe_options *options);
/* rehearsal.c: find mistakes of --set and --class before anything runs, by checking the
 * script. 0, or an exit status after a complaint. Collective. */
int ccafe_rehearse(const struct ccafe_options *options);
/* The name of the script in messages. */
const char *ccafe_script_name(const struct ccafe_options *options);
/* True if a person at a terminal types the commands. */
int ccafe_is_interactive(const struct ccafe_options *options);

/* terminal.c: a stream of standard input, a terminal, with a prompt for each line. New
 * (fclose), or NULL with errno. */
FILE *ccafe_terminal(void);

/* place.c: directories around this program. Results are new, or NULL with errno. */
char *ccafe_own_dir(void);       /* of the executable */
char *ccafe_component_dir(void); /* ../lib/mastermind beside it */
/* Put `dir` last on the path, if it exists. 0 or a negative errno. */
int ccafe_component_path(struct cca_repository *repository, const char *dir,
                         struct cca_error *err);
char *ccafe_include_dir(void); /* the one that holds framework/cca.h */

/* complain.c: print "ccafe: ..." to stderr; on ranks, keep it until the ranks agree.
 * Returns `status`. */
int ccafe_complain(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
