/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: what the verbs of the program `activity` share. */
#ifndef ACTIVITY_CMD_CMD_H
#define ACTIVITY_CMD_CMD_H

#include <getopt.h>

#include "activity/model/tree.h"
#include "ports/cca_error.h"

/* Exit codes; docs/guide/activity.md. */
enum {
    ACT_EXIT_DONE = 0,
    ACT_EXIT_NO = 1,     /* a rule of a model is broken */
    ACT_EXIT_MISUSE = 2, /* options or arguments */
    ACT_EXIT_INPUT = 3,  /* a file that is read */
    ACT_EXIT_FAULT = 4,  /* of the model, while it runs */
    ACT_EXIT_SYSTEM = 5  /* files or memory */
};

/* Each verb takes its name and what is behind it, and returns an exit code. A verb is
 * added here and in main.c. */
int act_cmd_check(int argc, char **argv);
int act_cmd_print(int argc, char **argv);
int act_cmd_run(int argc, char **argv);
int act_cmd_import(int argc, char **argv);
int act_cmd_calibrate(int argc, char **argv);

/* Print a message, with "activity: " before it and a newline behind. Returns `code`. */
int act_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print an error's text; returns its exit code. */
int act_complain(const struct cca_error *err);
/* Give globals the values of --set: texts "NAME=VALUE", which have a '='. As
 * act_model_set. */
int act_set_globals(struct act_model *model, const char *const *sets, int count,
                    struct cca_error *err);
/* Flush standard output. Returns `code`, or says what is wrong with it. */
int act_finish_output(int code);
/* What to do after getopt_long gave '?' or 'h': print `help`, or where it is. The code.
 */
int act_usage(int option, const char *verb, const char *help);

#endif
