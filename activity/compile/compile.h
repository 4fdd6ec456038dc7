/* SPDX-License-Identifier: BSD-3-Clause */
/* compile.h: models compiled to C, run in a child process.
 *
 * The machine's compiler ($CC, else cc, gcc, clang) compiles the C of a model (emit.h) to
 * a shared object in $XDG_CACHE_HOME/mastermind/activity, else ~/.cache/.., where it is
 * found again by the hash of the text, the compiler and the flags. Without a cache the
 * object lies in a temporary directory. A child process loads it, so that a crash ends
 * only the child. */
#ifndef ACTIVITY_COMPILE_COMPILE_H
#define ACTIVITY_COMPILE_COMPILE_H

#include "activity/run/program.h"

struct act_object; /* interface of a compiled model, defined by the generated C */

/* Compile C text to a shared object. Its path is *path, freed by the caller; *folder, if
 * not NULL, is a directory to remove with it (act_compile_done). Returns 0; with `err`:
 * -ENOENT: there is no compiler; -ENOEXEC: it cannot run, or refused the text of model
 * `name` (its messages went to standard error); an I/O error. */
int act_compile(const char *name, const char *text, char **path, char **folder,
                struct cca_error *err);
/* Remove a shared object that was made without a cache, at `path`, and its folder. Frees
 * `path` and `folder`; either may be NULL. */
void act_compile_done(char *path, char *folder);

/* Load a program from the object at `path` into this process; `suffix` ends the names of
 * its functions, as in act_emit. Returns 0; -EINVAL with `err`: the object is of another
 * version. *handle is for dlclose. */
int act_compile_load(const char *path, const char *suffix, const struct act_model *model,
                     const struct act_costs *costs, struct act_program *program,
                     void **handle, struct cca_error *err);

enum act_compiled {
    ACT_COMPILED_ENDED,   /* *code is the return value of `work` */
    ACT_COMPILED_FAULT,   /* the model has an error (an overflow, a division by zero ..),
                           * which the interpreter can name */
    ACT_COMPILED_DIED,    /* the child was ended by signal *code */
    ACT_COMPILED_TOO_LONG /* the child was killed at its deadline */
};

/* In a child process that is killed after `seconds`: load the program of a model, call
 * work(program, context) and exit with its return value, 0 to 125; standard output and
 * error are flushed. Returns 0 with *how and *code; errors as in act_compile; -EINVAL,
 * too, if the model has too many elements, or C code of its own and `allow_c` is 0;
 * -EAGAIN: no process. */
int act_compile_run(const struct act_model *model, const struct act_costs *costs,
                    int allow_c, double seconds,
                    int (*work)(struct act_program *program, void *context),
                    void *context, enum act_compiled *how, int *code,
                    struct cca_error *err);

#endif
