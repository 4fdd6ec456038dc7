/* SPDX-License-Identifier: BSD-3-Clause */
/* script.h: the assembly of a run as a ccafe script, with other classes and values. */
#ifndef MASTERMIND_CMD_CHOOSE_SCRIPT_H
#define MASTERMIND_CMD_CHOOSE_SCRIPT_H

#include "mastermind/cmd/cmd.h"

/* A class for an instance, and an experiment that ran the class. All borrowed. */
struct mm_script_class {
    const char *instance, *class_name;
    const struct mm_experiment *from; /* experiment with an instance of the class */
    const struct mm_instance *like;   /* instance of the class in `from` */
};

/* A new value for a parameter, "instance.port.name". */
struct mm_script_value {
    const char *name, *text;
};

struct mm_script {
    const struct mm_experiment *base;
    const struct mm_script_class *classes;
    size_t class_count;
    const struct mm_script_value *values;
    size_t value_count;
    const char *remark; /* comment at the head of the script: the choice and its
                         * experiments */
};

/* Return the text of the script: instances, connections, parameters that the run's script
 * had set (all parameters, where the experiment does not record which), go commands, and
 * the folders of components that are not installed with ccafe.
 *
 * A replaced class is connected by port types; it gets the parameters that it declares.
 * New, or NULL with `err`: -ENODATA no wiring or no go command; -ENOMEM. */
char *mm_script_text(const struct mm_script *script, struct cca_error *err);

/* Write `text` to `path` by renaming a new file. Returns -1 to go on, else an exit code
 * after a message: the file exists and `force` is 0, or an I/O error. */
int mm_script_write(const char *path, const char *text, int force);

/* The command line of the run with other classes, "ccafe --class flux=HLLCFlux ...
 * shock.rc", without measuring options, broken into lines that end with a backslash. New;
 * NULL: the command line is unknown, or out of memory. */
char *mm_script_command(const struct mm_script *script);

#endif
