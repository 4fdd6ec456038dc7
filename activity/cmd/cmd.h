/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: functions shared by the verbs of the program `activity`. */
#ifndef ACTIVITY_CMD_CMD_H
#define ACTIVITY_CMD_CMD_H

#include <getopt.h>

#include "activity/model/tree.h"
#include "ports/cca_error.h"

/* Exit codes, as in docs/guide/activity.md. */
enum {
    ACT_EXIT_DONE = 0,
    ACT_EXIT_NO = 1,     /* a model breaks a rule */
    ACT_EXIT_MISUSE = 2, /* wrong options or arguments */
    ACT_EXIT_INPUT = 3,  /* an error in an input file */
    ACT_EXIT_FAULT = 4,  /* an error in the model, at run time */
    ACT_EXIT_SYSTEM = 5  /* an error of files or memory */
};

/* Each verb gets its name and the arguments after it, and returns an exit code. A new
 * verb is added here and in main.c. */
int act_cmd_check(int argc, char **argv);
int act_cmd_print(int argc, char **argv);
int act_cmd_run(int argc, char **argv);
int act_cmd_import(int argc, char **argv);
int act_cmd_calibrate(int argc, char **argv);

/* Print a message as "activity: MESSAGE\n". Returns `code`. */
int act_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print an error's text; returns its exit code. */
int act_complain(const struct cca_error *err);
/* Set globals by the texts of --set, each "NAME=VALUE" with a '='. Returns as
 * act_model_set. */
int act_set_globals(struct act_model *model, const char *const *sets, int count,
                    struct cca_error *err);
/* Flush standard output. Returns `code`, or reports the error and returns its exit
 * code. */
int act_finish_output(int code);
/* After getopt_long returned '?' or 'h': print `help`, or a line that refers to it.
 * Returns the exit code. */
int act_usage(int option, const char *verb, const char *help);

#endif
