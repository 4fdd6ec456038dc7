/* SPDX-License-Identifier: BSD-3-Clause */
/* script_core.h: internals of the script interpreter, shared by its files. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_CORE_H
#define FRAMEWORK_SCRIPT_SCRIPT_CORE_H

#include "framework/cohort.h"
#include <sys/types.h>

#include "framework/classes/dotcca.h"
#include "framework/script/script.h"
#include "framework/script/script_facts.h"
#include "framework/script/script_override.h"
#include "framework/script/script_reader.h"

/* A pair of strings: a variable and its value, or an entry of a list for `check`. */
struct cca_script_pair {
    char *name, *value; /* value may be NULL */
    int used;           /* true if the pair is a variable that the script has read */
};

struct cca_script_pairs {
    struct cca_script_pair *items;
    size_t count;
};

/* An open file, and the file that sources it. */
struct cca_script_frame {
    dev_t device;
    ino_t number;
    const struct cca_script_frame *outer;
};

struct cca_script {
    const struct cca_script_command *commands;
    struct cca_framework *framework;
    struct cca_repository *repository;
    struct builder_port *builder;
    struct cca_cohort *cohort; /* ranks that run the same script; NULL: this process is
                                * alone */
    struct cca_script_options options;
    struct cca_script_pairs variables;
    struct cca_script_pairs own_variables; /* variables set by
                                            * cca_script_define_default */
    struct cca_script_overrides overrides;
    struct cca_script_pairs made;        /* names of created instances, kept if there
                                          * are overrides; values unused */
    struct cca_script_settings settings; /* parameters set by commands or options */
    int facts_are_new; /* true if variables or settings changed since the last call of a
                          Go port */
    struct cca_script_pairs first_dirs; /* directories of --path; values unused */
    struct cca_script_pairs ghosts;     /* instances that could not be created */
    /* instance and uses port of connections that were mistakes */
    struct cca_script_pairs doubtful;
    struct cca_script_pairs lost_dirs; /* with .compat: directories of the path that do
                                          not exist; values unused */
    struct cca_script_pairs palette;   /* with .check: classes that would be loaded */
    struct cca_dotcca index;           /* with .compat: the *.cca files of the path */
    const char *file;                  /* file of the current command */
    int line;
    /* with .compat: resolved instance names of the current command */
    char resolved[2][128];
    char undefined[256];  /* an undefined variable in the current statement, or "" */
    int undefined_beyond; /* true if a word other than word 1 has an undefined variable */
    int depth;            /* depth of `source` */
    const struct cca_script_frame *frame;
    int went;          /* a `go` was run */
    int path_is_wrong; /* true if a `path` command was a mistake */
    int quitting;      /* `quit` was run */
    int exit_status;
    int ended;   /* true if the script has ended, by `quit` or an error */
    int failure; /* exit status of the first mistake */
    /* number of all mistakes, and of the mistakes in --set and --class */
    int mistakes, misuses;
    int unread; /* true if a file could not be read */
    int echo;   /* true to print each command before it runs (command `debug`) */
    size_t unproxied_told, findings_told, swaps_told;
};

/* With .check and .compat, consequences of a mistake are not reported. */
static inline int cca_script_presumes(const struct cca_script *script)
{
    return script->options.check || script->options.compat;
}

static inline int cca_script_goes_on(const struct cca_script *script)
{
    return cca_script_presumes(script) || script->options.interactive;
}

typedef int cca_script_action(struct cca_script *script, char **words, size_t count,
                              struct cca_error *err);

/* A command of the language: names, help and code. */
struct cca_script_command {
    const char *names[5]; /* names of the command, NULL after the last */
    int last_is_ours;     /* true if the last of `names` is not a name in Ccaffeine */
    const char *usage, *summary;
    const char *more;  /* lines of help after the first, each with its newline, or NULL */
    const char *kinds; /* kinds of the command's first arguments: i an instance, s
                          anything else */
    size_t least, most; /* smallest and largest number of arguments */
    size_t class_word;  /* number of the argument that is a class name, counted from 1; 0:
                         * none */
    /* `words[0]` is the command's name and is included in `count`. Returns enum cca_exit,
     * with `err` set unless CCA_EXIT_DONE. */
    cca_script_action *run;
    /* Function called in place of `run` if an argument names a ghost; NULL: do
     * nothing. */
    cca_script_action *run_ghost;
};

/* script_result.c */
int cca_script_exit_of(const struct cca_error *err); /* enum cca_exit */
int cca_script_bad(struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cca_script_say(struct cca_script *script, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print a word, quoted for a script. */
void cca_script_say_word(struct cca_script *script, const char *word);
void cca_script_say_parameter(struct cca_script *script, const char *instance,
                              const char *port, const char *name, const char *value);
/* Return the element of `words` that is equal to `word`, or the only element that begins
 * with it; NULL with `err`. */
const char *cca_script_subcommand(const char *command, const char *word,
                                  const char *const *words, size_t count,
                                  struct cca_error *err);
/* Return the exit status for the result `code` of a framework function. On a failure
 * `err` is set unless it was set before. */
int cca_script_outcome(int code, struct cca_error *err);
/* Join words from `from` on with single blanks. Returns a new string; NULL: out of
 * memory. */
char *cca_script_join(char **words, size_t from, size_t count);
/* Write `text` with '?' in place of control characters. */
void cca_script_put_printable(FILE *out, const char *text);

/* script_run.c */
int cca_script_source(struct cca_script *script, const char *file, struct cca_error *err);
/* Return, as a new string, the path of `file` relative to the file `from`; NULL: out of
 * memory. */
char *cca_script_beside(const char *from, const char *file);

/* script_pairs.c */
const struct cca_script_pair *cca_script_pairs_find(const struct cca_script_pairs *pairs,
                                                    const char *name, const char *value);
int cca_script_pairs_add(struct cca_script_pairs *pairs, const char *name,
                         const char *value);
void cca_script_pairs_remove(struct cca_script_pairs *pairs, const char *name);
void cca_script_pairs_done(struct cca_script_pairs *pairs);

/* script_commands.c: all commands; the last entry has no .run and ends the array. */
extern const struct cca_script_command cca_script_commands[];

/* script_statement.c */
/* Find the command that a word names. Returns NULL with `err` if there is none; `*likely`
 * is then the nearest command, or NULL. */
const struct cca_script_command *
cca_script_command_find(const struct cca_script *script, const char *word,
                        const struct cca_script_command **likely, struct cca_error *err);
/* Record the consequences of a mistaken command, so that they are not reported. Returns 0
 * or -ENOMEM. */
int cca_script_presume(struct cca_script *script,
                       const struct cca_script_command *command, char **words,
                       size_t count);
/* Agree that all ranks are about to run this statement, or if it is NULL, that all are at
 * the end of a script. Returns like the functions of script_cohort.c. */
int cca_script_agree_on_statement(struct cca_script *script,
                                  const struct cca_script_statement *statement);

/* script_cohort.c: agreement of the ranks on each step. Without a cohort the functions
 * always succeed. Each function returns the common status: CCA_EXIT_DONE, or the status
 * of a failure, which was reported, and `err` is empty. */
/* Agree that all ranks are at the step with this digest; `*all_failed`, unless NULL, is
 * set to true if all have failed in the same way. */
int cca_script_agree(struct cca_script *script, uint64_t digest, int status,
                     const char *text, int *all_failed);
/* Agree that all ranks have opened the script `name`, or failed with `status`. */
int cca_script_agree_on_file(struct cca_script *script, int status, FILE *file,
                             const char *name, struct cca_error *err);
/* Agree that all ranks have the same assembly, ready for a call of a Go port. */
int cca_script_agree_to_go(struct cca_script *script, int status, struct cca_error *err);
/* Agree on the result of a command: either `err` is set or `status` is CCA_EXIT_DONE.
 *
 *   goes_on  out  true if all have failed in the same way and may continue together */
int cca_script_agree_on_result(struct cca_script *script, int status, const char *text,
                               int *goes_on);

/* script_path.c */
cca_script_action cca_script_path_command, cca_script_repository;
/* Find a class; NULL with `err`. `*shown`, unless `shown` is NULL, is the class's name in
 * scripts. */
const struct cca_class_info *cca_script_class(struct cca_script *script, const char *name,
                                              const char **shown, struct cca_error *err);
/* script_assembly.c */
cca_script_action cca_script_instantiate, cca_script_connect, cca_script_connect_ghost,
    cca_script_disconnect, cca_script_remove, cca_script_remove_ghost, cca_script_nuke,
    cca_script_insert, cca_script_eject, cca_script_dispatch, cca_script_shadow,
    cca_script_swap, cca_script_parameter, cca_script_go;
/* Record an instance that could not be created. If `name` is NULL, it is the default
 * name. Returns 0, -ENOMEM. */
int cca_script_make_ghost(struct cca_script *script, const char *class_name,
                          const char *name);
/* script_property.c */
cca_script_action cca_script_property, cca_script_port_property;
/* Print all properties of an instance, in the form of commands that set them. */
int cca_script_say_properties(struct cca_script *script, const char *instance,
                              struct cca_error *err);
/* script_session.c */
cca_script_action cca_script_quit, cca_script_source_command, cca_script_debug,
    cca_script_nodebug, cca_script_shell;
/* script_display.c */
cca_script_action cca_script_display, cca_script_arena, cca_script_palette,
    cca_script_chain;

/* script_compat.c: resolve names as Ccaffeine does */
/* True for a command of Ccaffeine's graphical interface. */
int cca_script_is_gui_word(const char *word);
/* True for Ccaffeine's built-in instance for MPI, whose ports the framework provides
 * itself. */
int cca_script_is_builtin(struct cca_script *script, const char *instance);
/* Accept a connection to the built-in instance for MPI, which need not be made. Returns
 * CCA_EXIT_DONE if the user's port may be connected so. */
int cca_script_connect_builtin(struct cca_script *script, char **words,
                               struct cca_error *err);
/* Resolve the instance names among the arguments of a command, of which it has two at
 * most. The results are valid until the next command. */
void cca_script_resolve(struct cca_script *script, const char *kinds, char **words,
                        size_t count);
/* Record, for a dry run, that a class would be loaded. Returns 0 or -ENOMEM. */
int cca_script_on_palette(struct cca_script *script, const struct cca_class_info *info);
/* Find a class as cca_script_class does. */
const struct cca_class_info *cca_script_compat_class(struct cca_script *script,
                                                     const char *name, const char **shown,
                                                     struct cca_error *err);

/* script_check.c: handle mistakes so that none is reported twice. */
/* Handle the result of a command; see the comment in script_check.c. */
int cca_script_settle(struct cca_script *script, int status, const struct cca_error *err);
int cca_script_is_ghost(const struct cca_script *script, const char *instance);
/* Write the default name of an instance: its class and the lowest free number. */
void cca_script_default_name(struct cca_script *script, const char *class_name,
                             char *name, size_t size);
/* True if the class (NULL: any proxy) is missing and a mistake in the path may be the
 * reason: then only the mistake in the path is reported. */
int cca_script_class_may_exist(const struct cca_script *script, const char *name);
int cca_script_doubt(struct cca_script *script, const char *instance, const char *port);
int cca_script_is_doubtful(const struct cca_script *script, const char *instance,
                           const char *port);
int cca_script_has_instance(struct cca_script *script, const char *instance);
/* Like cca_script_has_instance, but also fills in `*found`. */
int cca_script_find_instance(struct cca_script *script, const char *name,
                             struct builder_instance *found);
/* Check that an instance has a uses (or provides) port of this name. Returns
 * CCA_EXIT_DONE if it has. */
int cca_script_check_port(struct cca_script *script, const char *instance,
                          const char *port, int uses, struct cca_error *err);
/* Report missing connections of instances that `instance` can call (NULL: of all). With
 * .check and .compat each is a mistake of its own. Returns their number. */
int cca_script_missing(struct cca_script *script, const char *instance);

#endif
