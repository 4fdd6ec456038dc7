/* SPDX-License-Identifier: BSD-3-Clause */
/* script.h: the assembly of a run as a script for ccafe, with other classes and values.
 */
#ifndef MASTERMIND_CMD_CHOOSE_SCRIPT_H
#define MASTERMIND_CMD_CHOOSE_SCRIPT_H

#include "mastermind/cmd/cmd.h"

/* A class for an instance, as an experiment ran it. All borrowed. */
struct mm_script_class {
    const char *instance, *class_name;
    const struct mm_experiment *from; /* has an instance of the class */
    const struct mm_instance *like;   /* this instance */
};

/* A value for a parameter, "instance.port.name", in the place of that of the run. */
struct mm_script_value {
    const char *name, *text;
};

struct mm_script {
    const struct mm_experiment *base;
    const struct mm_script_class *classes;
    size_t class_count;
    const struct mm_script_value *values;
    size_t value_count;
    const char *remark; /* for a line at its head: what was chosen, and from what */
};

/* The text of the script: instances, connections, the parameters that the run's script
 * had set (all, where the experiment does not know), go commands. The path gets the
 * folders of components that did not come with ccafe.
 *
 * A class in the place of another is connected by port types; it gets the parameters that
 * it has. New, or NULL with `err`: -ENODATA no wiring or no go command; -ENOMEM. */
char *mm_script_text(const struct mm_script *script, struct cca_error *err);

/* Write `text` to `path` by a new file that is renamed. -1 to go on, else an exit code
 * after a message: the file exists and `force` is 0, or I/O. */
int mm_script_write(const char *path, const char *text, int force);

/* The command line of the run with other classes: "ccafe --class flux=HLLCFlux ...
 * shock.rc", without options of measuring, broken into lines that end with a backslash.
 * New; NULL: not known, or out of memory. */
char *mm_script_command(const struct mm_script *script);

#endif
