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

/* Pairs of strings: variables with their values, notes of `check`. */
struct cca_script_pair {
    char *name, *value; /* value may be NULL */
    int used;           /* of a variable: the script has read it */
};

struct cca_script_pairs {
    struct cca_script_pair *items;
    size_t count;
};

/* A file at work, and which one sources it. */
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
    struct cca_cohort *cohort; /* NULL: this process is alone */
    struct cca_script_options options;
    struct cca_script_pairs variables;
    struct cca_script_pairs own_variables; /* of cca_script_define_default */
    struct cca_script_overrides overrides;
    struct cca_script_pairs made;        /* with overrides: instances; values unused */
    struct cca_script_settings settings; /* parameters that were set */
    int facts_are_new;                   /* variables or settings, since the last go */
    struct cca_script_pairs first_dirs;  /* of --path; values unused */
    struct cca_script_pairs ghosts;      /* instances that could not be made */
    struct cca_script_pairs doubtful; /* instance, port: its connection was a mistake */
    struct cca_script_pairs
        lost_dirs; /* compat: of the path, but not there; values unused */
    struct cca_script_pairs palette; /* check: classes that would be loaded */
    struct cca_dotcca index;         /* compat: the *.cca files of the path */
    const char *file;                /* of the command at work */
    int line;
    char resolved[2][128]; /* compat: resolved instance names of the current command */
    char undefined[256];   /* a variable that the statement at work names, or "" */
    int undefined_beyond;  /* one of them is not in its word 1 */
    int depth;             /* of `source` */
    const struct cca_script_frame *frame;
    int went;          /* a `go` was met */
    int path_is_wrong; /* a `path` was a mistake */
    int quitting;      /* `quit` was met */
    int exit_status;
    int ended;             /* by `quit` or by an error */
    int failure;           /* the status of the first mistake */
    int mistakes, misuses; /* all; those of overrides */
    int unread;            /* a file could not be read */
    int echo;              /* `debug`: print each command before it runs */
    size_t unproxied_told, findings_told;
};

/* With .check and .compat, consequences of a mistake are no further mistakes. */
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

/* A command: its names, its help and its code. */
struct cca_script_command {
    const char *names[5]; /* NULL after the last */
    int last_is_ours;     /* Ccaffeine lacks the last name */
    const char *usage, *summary;
    const char *more;   /* further lines of help, each with its newline, or NULL */
    const char *kinds;  /* of its first arguments: i an instance, s anything else */
    size_t least, most; /* arguments */
    size_t class_word;  /* the argument that is a class name, from 1 on; 0: none */
    /* `words[0]` is the command's name, and counted in `count`. Returns enum cca_exit,
     * with `err` set unless CCA_EXIT_DONE. */
    cca_script_action *run;
    /* Called instead if an argument names a ghost; NULL: nothing to do. */
    cca_script_action *run_ghost;
};

/* script_result.c */
int cca_script_exit_of(const struct cca_error *err); /* enum cca_exit */
int cca_script_bad(struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cca_script_say(struct cca_script *script, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print a word, quoted as in a script. */
void cca_script_say_word(struct cca_script *script, const char *word);
void cca_script_say_parameter(struct cca_script *script, const char *instance,
                              const char *port, const char *name, const char *value);
/* The element of `words` that is equal to `word`, or the only one that begins so. NULL
 * with `err`. */
const char *cca_script_subcommand(const char *command, const char *word,
                                  const char *const *words, size_t count,
                                  struct cca_error *err);
/* The exit status for a return value of the framework. Sets `err` on failure unless
 * set. */
int cca_script_outcome(int code, struct cca_error *err);
/* Join words from `from` on with single blanks: new, or NULL: out of memory. */
char *cca_script_join(char **words, size_t from, size_t count);
/* Write `text` with '?' for control characters. */
void cca_script_put_printable(FILE *out, const char *text);

/* script_run.c */
int cca_script_source(struct cca_script *script, const char *file, struct cca_error *err);

/* script_pairs.c */
const struct cca_script_pair *cca_script_pairs_find(const struct cca_script_pairs *pairs,
                                                    const char *name, const char *value);
int cca_script_pairs_add(struct cca_script_pairs *pairs, const char *name,
                         const char *value);
void cca_script_pairs_remove(struct cca_script_pairs *pairs, const char *name);
void cca_script_pairs_done(struct cca_script_pairs *pairs);

/* script_commands.c: all commands; the last one has no .run. */
extern const struct cca_script_command cca_script_commands[];

/* script_statement.c */
/* Find the command of a word. NULL with `err`; `*likely`: then the nearest command, or
 * NULL. */
const struct cca_script_command *
cca_script_command_find(const struct cca_script *script, const char *word,
                        const struct cca_script_command **likely, struct cca_error *err);
/* Note the consequences of a command that was a mistake, so they are not reported. 0 or
 * -ENOMEM. */
int cca_script_presume(struct cca_script *script,
                       const struct cca_script_command *command, char **words,
                       size_t count);
/* All are about to do this; NULL: all are at the end of a script. As in script_cohort.c.
 */
int cca_script_agree_on_statement(struct cca_script *script,
                                  const struct cca_script_statement *statement);

/* script_cohort.c: agreement of the ranks on each step; without a cohort always given.
 * Each function returns the common status: CCA_EXIT_DONE, or that of the failure, which
 * was reported, and `err` is empty. */
/* All are at the step of this digest; `*all_failed`, unless NULL: all in the same way. */
int cca_script_agree(struct cca_script *script, uint64_t digest, int status,
                     const char *text, int *all_failed);
/* All have opened the script `name`, or failed with `status`. */
int cca_script_agree_on_file(struct cca_script *script, int status, FILE *file,
                             const char *name, struct cca_error *err);
/* All hold the same assembly, ready for a go. */
int cca_script_agree_to_go(struct cca_script *script, int status, struct cca_error *err);
/* The result of a command: either `err` is set or `status` is CCA_EXIT_DONE.
 *
 *   goes_on  out  all failed in the same way and may go on together */
int cca_script_agree_on_result(struct cca_script *script, int status, const char *text,
                               int *goes_on);

/* script_path.c */
cca_script_action cca_script_path_command, cca_script_repository;
/* Find a class; NULL with `err`. `*shown`, unless `shown` is NULL: the name that scripts
 * know it by. */
const struct cca_class_info *cca_script_class(struct cca_script *script, const char *name,
                                              const char **shown, struct cca_error *err);
/* script_assembly.c */
cca_script_action cca_script_instantiate, cca_script_connect, cca_script_connect_ghost,
    cca_script_disconnect, cca_script_remove, cca_script_remove_ghost, cca_script_nuke,
    cca_script_insert, cca_script_eject, cca_script_parameter, cca_script_go;
/* Note an instance that could not be made. `name` NULL: the default one. 0, -ENOMEM. */
int cca_script_make_ghost(struct cca_script *script, const char *class_name,
                          const char *name);
/* script_property.c */
cca_script_action cca_script_property, cca_script_port_property;
/* All properties of an instance, as the commands that set them. */
int cca_script_say_properties(struct cca_script *script, const char *instance,
                              struct cca_error *err);
/* script_session.c */
cca_script_action cca_script_quit, cca_script_source_command, cca_script_debug,
    cca_script_nodebug, cca_script_shell;
/* script_display.c */
cca_script_action cca_script_display, cca_script_arena, cca_script_palette,
    cca_script_chain;

/* script_compat.c: how Ccaffeine takes names */
/* Is it a word of the graphical interface? */
int cca_script_is_gui_word(const char *word);
/* Is it Ccaffeine's built-in instance for MPI? The framework serves its ports instead. */
int cca_script_is_builtin(struct cca_script *script, const char *instance);
/* A connection to that one, which is there without being made: CCA_EXIT_DONE if the
 * user's port can have it. */
int cca_script_connect_builtin(struct cca_script *script, char **words,
                               struct cca_error *err);
/* Resolve instance names in the arguments of a command, two at most. The results last
 * until the next command. */
void cca_script_resolve(struct cca_script *script, const char *kinds, char **words,
                        size_t count);
/* Remember, for a dry run, that a class would be loaded. 0 or -ENOMEM. */
int cca_script_on_palette(struct cca_script *script, const struct cca_class_info *info);
/* As cca_script_class. */
const struct cca_class_info *cca_script_compat_class(struct cca_script *script,
                                                     const char *name, const char **shown,
                                                     struct cca_error *err);

/* script_check.c: find mistakes without reporting one mistake twice. */
/* Report a result; see the comment in script_check.c. */
int cca_script_settle(struct cca_script *script, int status, const struct cca_error *err);
int cca_script_is_ghost(const struct cca_script *script, const char *instance);
/* The name that an instance without one gets: its class and the lowest free number. */
void cca_script_default_name(struct cca_script *script, const char *class_name,
                             char *name, size_t size);
/* A mistake in the path is the one to report, not each class that the path would have
 * had: true where the class (NULL: any proxy) is not there and that may be why. */
int cca_script_class_may_exist(const struct cca_script *script, const char *name);
int cca_script_doubt(struct cca_script *script, const char *instance, const char *port);
int cca_script_is_doubtful(const struct cca_script *script, const char *instance,
                           const char *port);
int cca_script_has_instance(struct cca_script *script, const char *instance);
/* Like cca_script_has_instance; fills in `*found`. */
int cca_script_find_instance(struct cca_script *script, const char *name,
                             struct builder_instance *found);
/* CCA_EXIT_DONE if the instance has that uses (or provides) port. */
int cca_script_check_port(struct cca_script *script, const char *instance,
                          const char *port, int uses, struct cca_error *err);
/* Report missing connections that `instance` can reach, NULL: all. With .check and
 * .compat each is settled as a mistake of its own. Returns their number. */
int cca_script_missing(struct cca_script *script, const char *instance);

#endif
