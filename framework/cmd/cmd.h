/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: what the verbs of the program ccafe share. */
#ifndef FRAMEWORK_CMD_CMD_H
#define FRAMEWORK_CMD_CMD_H

#include "framework/cohort.h"
#include "framework/crash/crash.h"
#include "framework/script/script.h"
#include "ports/recording_options.h"

#define CCAFE_VERSION "0.1.0"

/* Each verb: argv[0] is its name. Returns an exit status, enum cca_exit. */
int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_cflags(int argc, char **argv);

/* The options that run and check take, borrowed from argv. */
struct ccafe_options {
    int measure;
    const char *recording[RECORDING_OPTIONS]; /* a value a row of the table, or NULL */
    const char *tau_profiles;                 /* or NULL */
    double deadline_s;                        /* of each go; 0: none */
    const char **defines;                     /* "NAME=VALUE" */
    size_t define_count;
    const char **dirs; /* of --path */
    size_t dir_count;
    int compat, allow_shell, trust;
    const char *mpi;           /* "openmpi", "mpich", "none"; NULL: as the launcher was */
    const char *rank_output;   /* directory, or NULL: only rank 0 prints */
    struct cca_cohort *cohort; /* of the run; NULL: this process is alone */
    const char *load, *path, *rc; /* or NULL */
    const char *script;           /* NULL: none was named; "-": standard input */
};

/* Parse them. -1: go on; else the exit status (help, version, misuse). */
int ccafe_options_parse(struct ccafe_options *options, int argc, char **argv);
/* Complain about what getopt_long has returned ('?', or ':' where a value is missing). */
int ccafe_bad_option(int letter, char **argv);
/* The exit status where a directory of components could not be taken; `code` as of
 * cca_repository_path_append. */
int ccafe_bad_directory(int code);
void ccafe_options_done(struct ccafe_options *options);

/* A framework and the script interpreter on it, made as the options say. */
struct ccafe_assembly {
    char *own; /* the directory of this program's components */
    struct cca_framework *framework;
    struct cca_script *script;
};

/* 0 or an exit status; complains to stderr. Done with ccafe_assembly_done in either case.
 */
int ccafe_assembly_init(struct ccafe_assembly *assembly,
                        const struct ccafe_options *options,
                        const struct cca_script_options *how);
void ccafe_assembly_done(struct ccafe_assembly *assembly);

/* ranks.c: where an MPI launcher has started this program, be one rank of its cohort:
 * sets options->cohort, and from there on only rank 0 prints, or each into files of its
 * own. 0, or an exit status after a complaint. */
int ccafe_ranks_begin(struct ccafe_options *options);
/* All ranks have come so far, or one has complained: then all get its exit status. Alone:
 * `status`. */
int ccafe_ranks_agree(const struct ccafe_options *options, int status);
/* The end of a rank whose run comes to `status`; what that is for all. */
int ccafe_ranks_end(struct ccafe_options *options, int status);
/* Where rank 0 speaks for all. */
FILE *ccafe_ranks_words(const struct ccafe_options *options);
/* Run the script that rank 0 has on standard input, on all ranks. An exit status.
 * rank_input.c */
int ccafe_ranks_run_stdin(struct cca_script *script, const struct ccafe_options *options,
                          const char *name);
/* Take a complaint, to be told when the ranks agree. 0: this process is alone. */
int ccafe_ranks_complain(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));

/* scripts.c: run the scripts that the options name, or what comes from standard input.
 * Returns an exit status. */
int ccafe_run_scripts(struct cca_script *script, const struct ccafe_options *options);
/* What messages call the script. */
const char *ccafe_script_name(const struct ccafe_options *options);
/* True where a person at a terminal is to give the commands. */
int ccafe_is_interactive(const struct ccafe_options *options);

/* terminal.c: standard input, a terminal, as a stream that asks for each line; new
 * (fclose), or NULL with errno. */
FILE *ccafe_terminal(void);

/* place.c: where this program lies. Results are new, or NULL with errno. */
char *ccafe_own_dir(void);       /* directory of the executable */
char *ccafe_component_dir(void); /* ../lib/mastermind beside it */
/* Put the latter last on the path; there may be none yet. Returns 0 or a negative errno.
 */
int ccafe_component_path(struct cca_repository *repository, const char *dir,
                         struct cca_error *err);
char *ccafe_include_dir(void); /* what `#include "framework/cca.h"` is relative to */

/* complain.c: print "ccafe: ..." to stderr; on ranks, keep it until the ranks agree.
 * Returns `status`. */
int ccafe_complain(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
