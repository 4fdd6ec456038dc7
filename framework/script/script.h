/* SPDX-License-Identifier: BSD-3-Clause */
/* script.h: run or check an assembly script. docs/reference/script.md describes the
 * language. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_H
#define FRAMEWORK_SCRIPT_SCRIPT_H

#include <stdio.h>

#include "framework/base/base.h"
#include "framework/framework.h"

struct cca_script;

struct cca_script_options {
    int check; /* check the script only: continue after mistakes; the framework is dry;
                * `out` is unused */
    int only_overrides; /* with .check: print only mistakes in --set and --class
                           (overrides) */
    int compat; /* read scripts as Ccaffeine does, see docs/reference/script.md; continue
                 * after mistakes */
    int interactive;  /* commands are typed: continue after mistakes, which do not change
                       * the exit status */
    int allow_shell;  /* allow the command `shell` */
    const char *load; /* classes "A:B" for `repository init` to load, or NULL */
    const char *path; /* directories "A:B" appended by `path init`, or NULL */
    FILE *out;        /* stream for the output of commands; NULL: stdout */
    FILE *words;      /* stream for messages; NULL: stderr */
    /* Function that is called before each command; may be NULL. Strings are valid during
     * the call. */
    void (*progress)(void *context, const char *file, int line, const char *command);
    void *context;
};

/* Make an interpreter that works on `framework`, borrowed. Returns NULL: out of memory.
 */
CCA_API struct cca_script *cca_script_new(struct cca_framework *framework,
                                          const struct cca_script_options *options);
CCA_API void cca_script_free(struct cca_script *script);

/* Define a variable; it hides the environment variable of that name. Returns 0; -EINVAL:
 * not a name; -ENOMEM. */
CCA_API int cca_script_define(struct cca_script *script, const char *name,
                              const char *value);
/* Define a default: a variable that cca_script_define and the environment can hide.
 * Returns like cca_script_define. */
CCA_API int cca_script_define_default(struct cca_script *script, const char *name,
                                      const char *value);

/* Override scripts that run later (docs/reference/script.md). The last of several
 * overrides for one name is used. Returns 0, -EINVAL wrong form, -ENOMEM.
 *
 *   text   in   "INSTANCE.PORT.NAME=VALUE": the parameter is set when its instance has
 * been made, and commands of the script that set it use this value, too */
CCA_API int cca_script_override_parameter(struct cca_script *script, const char *text);
/*   text   in   "INSTANCE=CLASS": the instance is created from this class instead of the
 *               class in the command, which may even be an undefined variable */
CCA_API int cca_script_override_class(struct cca_script *script, const char *text);
/* After the last script: write a line about the override with index `index` among the
 * overrides without effect, because the scripts have not created the instance, or it has
 * no such parameter. Returns 0; -ENOENT beyond the last. */
CCA_API int cca_script_unmet(struct cca_script *script, size_t index,
                             struct cca_error *err);
/* Add a directory that remains first on the path, also after `path set`; several such
 * directories keep their order. Returns 0 or a negative errno as
 * cca_repository_path_append. */
CCA_API int cca_script_path(struct cca_script *script, const char *dir,
                            struct cca_error *err);

/* Run the script `file` to its end, its `quit` or its first error, which is printed.
 * Returns an exit status: the argument of `quit`, or enum cca_exit. With .check: 0,
 * CCA_EXIT_BAD_INPUT, or CCA_EXIT_MISUSE if only overrides have mistakes. With .compat:
 * the status of the first error, unless `quit` has a status other than 0. May be called
 * for several files, one after the other, until one of them ends the script. */
CCA_API int cca_script_run(struct cca_script *script, const char *file);
/* Like cca_script_run for an open stream, borrowed, called `name` in messages. */
CCA_API int cca_script_run_stream(struct cca_script *script, FILE *stream,
                                  const char *name);
/* True if an error has ended the script, or it could not be read. */
CCA_API int cca_script_failed(const struct cca_script *script);
/* True if a `quit` or an error has ended the script. */
CCA_API int cca_script_ended(const struct cca_script *script);

#endif
