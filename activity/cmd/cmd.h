/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: functions shared by the verbs of the program `activity`. */
#ifndef ACTIVITY_CMD_CMD_H
#define ACTIVITY_CMD_CMD_H

#include "activity/model/tree.h"
#include "common/verbs/verbs.h"
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

/* The verbs. A new verb is added here and in main.c. */
extern const struct cca_verb act_verb_calibrate, act_verb_check, act_verb_import,
    act_verb_print, act_verb_run;

/* Print a message as "activity: MESSAGE\n". Returns `code`. */
int act_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print an error's text. Returns the exit code of `activity` for this error. */
int act_complain(const struct cca_error *err);
/* Check the values of --set, each "NAME=VALUE". Returns -1 if all are valid, else an exit
 * code. */
int act_check_sets(const struct cca_given *sets);
/* Set globals by the values of --set, which were checked. Returns 0 or an error of
 * act_model_set. */
int act_set_globals(struct act_model *model, const struct cca_given *sets,
                    struct cca_error *err);
/* The name of output format `i` of `activity print`, and its summary; NULL: there are no
 * more. cmd_print.c */
const char *act_form_name(const void *forms, size_t i, const char **summary);
/* Flush standard output. Returns `code`, or reports the error and returns its exit
 * code. */
int act_finish_output(int code);
#endif
