/* SPDX-License-Identifier: BSD-3-Clause */
/* compile.h: models compiled to C, run in a child process.
 *
 * The C of a model (emit.h) goes through the machine's compiler ($CC, else cc, gcc,
 * clang) into a shared object in $XDG_CACHE_HOME/mastermind/activity, else ~/.cache/..,
 * found again by the hash of its text, the compiler and the flags; without a cache, in a
 * folder of its own that is removed. A child loads it, so that what it does wrong ends
 * the child. */
#ifndef ACTIVITY_COMPILE_COMPILE_H
#define ACTIVITY_COMPILE_COMPILE_H

#include "activity/run/program.h"

struct act_object; /* what the generated C gives */

/* Make the shared object of a text of C. Its path is *path, the caller's to free;
 * *folder, which may be NULL, is one to remove with it (act_compile_done). 0; with `err`:
 * -ENOENT there is no compiler; -ENOEXEC it refused the text, `name`'s (its words went to
 * standard error), or cannot run; an I/O error. */
int act_compile(const char *name, const char *text, char **path, char **folder,
                struct cca_error *err);
/* Remove what was made without a cache. NULLs are fine; frees both. */
void act_compile_done(char *path, char *folder);

/* Load the object's program `suffix` into this process. -EINVAL with `err`: it is of
 * another version. *handle is for dlclose. */
int act_compile_load(const char *path, const char *suffix, const struct act_model *model,
                     const struct act_costs *costs, struct act_program *program,
                     void **handle, struct cca_error *err);

enum act_compiled {
    ACT_COMPILED_ENDED, /* *code is what `work` returned */
    ACT_COMPILED_FAULT, /* an overflow, a division by zero ..: the interpreter knows which
                         */
    ACT_COMPILED_DIED,  /* of a signal: *code */
    ACT_COMPILED_TOO_LONG /* it was killed */
};

/* In a child process, which has `seconds`: load the program of a model, call
 * work(program, context) and end with what it returns, 0 to 125; standard output and
 * error are flushed. 0 with *how and *code; else as act_compile, with -EINVAL also where
 * the model has C of its own and `allow_c` is 0, or too many elements; -EAGAIN, no
 * process. */
int act_compile_run(const struct act_model *model, const struct act_costs *costs,
                    int allow_c, double seconds,
                    int (*work)(struct act_program *program, void *context),
                    void *context, enum act_compiled *how, int *code,
                    struct cca_error *err);

#endif
