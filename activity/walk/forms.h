/* SPDX-License-Identifier: BSD-3-Clause */
/* forms.h: output formats of a model. */
#ifndef ACTIVITY_WALK_FORMS_H
#define ACTIVITY_WALK_FORMS_H

#include "activity/machine/machine.h"
#include "activity/walk/walk.h"

struct act_form_options {
    /* the configuration, for formats that describe a single one: goal */
    struct act_config config;
};

/* Write a model in one format. Returns 0; -ENOTSUP with `err` "file:line:column: found
 * ..., expected ..." if the format cannot express it; -EDOM: an error in the model
 * (goal); -ENOMEM; an error of the stream. */
typedef int (*act_form_write)(const struct act_model *model,
                              const struct act_form_options *options, FILE *out,
                              struct cca_error *err);

/* Write the model in the activity language. */
int act_form_text(const struct act_model *model, const struct act_form_options *options,
                  FILE *out, struct cca_error *err);
/* Write the C that `activity run` compiles. */
int act_form_c(const struct act_model *model, const struct act_form_options *options,
               FILE *out, struct cca_error *err);
/* Write C++ as in Figures 4.2 and 5.4 of Pllana's paper (model/tree.h). */
int act_form_prophet(const struct act_model *model,
                     const struct act_form_options *options, FILE *out,
                     struct cca_error *err);
/* Write a program in C and MPI that spins for the model's costs. */
int act_form_mpi(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err);
/* Write the tree as JSON: docs/schemas/activity-model.json. */
int act_form_json(const struct act_model *model, const struct act_form_options *options,
                  FILE *out, struct cca_error *err);
/* Write UML 2 in XMI (activity/xmi/export.h). */
int act_form_xmi(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err);
/* Write activity diagrams of UML, in SVG. */
int act_form_svg(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err);
/* Write GOAL, the input of LogGOPSim: the operations of each process of a
 * configuration. */
int act_form_goal(const struct act_model *model, const struct act_form_options *options,
                  FILE *out, struct cca_error *err);

/* Write a format that a shared object defines; a child process loads the object first.
 * Returns -EINVAL with `err` if it cannot be loaded or defines no format. */
int act_form_plugin(const char *path, const struct act_model *model, FILE *out,
                    struct cca_error *err);

/* Walk a model with a handler, along one of the two navigators. Returns 0 or the
 * handler's error, as act_traverser.walk does. */
int act_form_walk(const struct act_model *model, int along_flow,
                  const struct act_content_handler *handler, struct cca_error *err);

#endif
