/* SPDX-License-Identifier: BSD-3-Clause */
/* script_core.h: what the parts of the script interpreter share. */
#ifndef FRAMEWORK_SCRIPT_CORE_H
#define FRAMEWORK_SCRIPT_CORE_H

#include "framework/script.h"

/* Pairs of names: variables and their values, and what `check` remembers. */
struct cca_script_pair {
    char *name, *value; /* value may be NULL */
};

struct cca_script_pairs {
    struct cca_script_pair *items;
    size_t count;
};

struct cca_script {
    struct cca_framework *framework;
    struct cca_repository *repository;
    struct builder_port *builder;
    struct cca_script_options options;
    struct cca_script_pairs variables;
    struct cca_script_pairs first_dirs; /* of --path; values unused */
    struct cca_script_pairs ghosts;     /* check: instances that could not be made */
    struct cca_script_pairs
        doubtful;     /* check: instance, port: its connection was a mistake */
    const char *file; /* of the command at work */
    int line;
    char undefined[256]; /* check: a variable that the statement at work names, or "" */
    int depth;           /* of `source` */
    int went;            /* a `go` was met */
    int quitting;        /* `quit` was met */
    int exit_status;
    int mistakes;
    size_t unproxied_told;
};

/* A command: how it is called, and what it does. */
struct cca_script_command {
    const char *names[5]; /* NULL after the last; the first is the main one */
    const char *usage;
    size_t least, most; /* arguments */
    /* `words[0]` is the command's name, `count` counts it. Returns enum cca_exit; `err`
     * has the words for anything but CCA_EXIT_DONE. */
    int (*run)(struct cca_script *script, char **words, size_t count,
               struct cca_error *err);
};

/* script.c */
int cca_script_exit_of(const struct cca_error *err); /* enum cca_exit */
int cca_script_bad(struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The one function that every result passes through: see its comment. */
int cca_script_settle(struct cca_script *script, int status, const struct cca_error *err);
int cca_script_source(struct cca_script *script, const char *file, struct cca_error *err);
void cca_script_say(struct cca_script *script, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *cca_script_variable(struct cca_script *script, const char *name);
const struct cca_script_pair *cca_script_pairs_find(const struct cca_script_pairs *pairs,
                                                    const char *name, const char *value);
int cca_script_pairs_add(struct cca_script_pairs *pairs, const char *name,
                         const char *value);
void cca_script_pairs_remove(struct cca_script_pairs *pairs, const char *name);
void cca_script_pairs_done(struct cca_script_pairs *pairs);

/* script_commands.c */
/* The command that is meant, or NULL with `err` and, in `*likely`, the one that may have
 * been meant, or NULL. */
const struct cca_script_command *
cca_script_command_find(const char *word, const struct cca_script_command **likely,
                        struct cca_error *err);
/* check: a command that could not even be tried was a mistake; what would follow from it
 * is none. 0 or -ENOMEM. */
int cca_script_presume(struct cca_script *script,
                       const struct cca_script_command *command, char **words,
                       size_t count);

/* script_display.c */
int cca_script_display(struct cca_script *script, char **words, size_t count,
                       struct cca_error *err);
void cca_script_say_parameter(struct cca_script *script, const char *instance,
                              const char *port, const char *name, const char *value);

/* script_check.c: find mistakes without reporting one mistake twice. */
int cca_script_is_ghost(const struct cca_script *script, const char *instance);
int cca_script_make_ghost(struct cca_script *script, const char *class_name,
                          const char *name);
int cca_script_doubt(struct cca_script *script, const char *instance, const char *port);
int cca_script_is_doubtful(const struct cca_script *script, const char *instance,
                           const char *port);
int cca_script_has_instance(struct cca_script *script, const char *instance);
/* CCA_EXIT_DONE if the instance has that uses (or provides) port. */
int cca_script_check_port(struct cca_script *script, const char *instance,
                          const char *port, int uses, struct cca_error *err);
/* Missing connections of what `instance` reaches, NULL: of everything. With .check each
 * is settled as a mistake of its own. Returns how many there are. */
int cca_script_missing(struct cca_script *script, const char *instance);

#endif
