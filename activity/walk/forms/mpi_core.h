/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_core.h: functions shared by the files that write programs in C and MPI.
 *
 *   mpi.c            declarations, the walk, main()
 *   mpi_elements.c   statements of elements
 *   mpi_words.c      names and expressions in C
 *   mpi_head.c       functions that all written programs contain */
#ifndef ACTIVITY_WALK_FORMS_MPI_CORE_H
#define ACTIVITY_WALK_FORMS_MPI_CORE_H

#include "activity/walk/walk.h"

struct mpi {
    FILE *out;
    const struct act_model *model;
    int indent;
    int *has_nodes; /* becomes 1 if an expression written so far uses nnode */
};

extern const char act_mpi_head[], act_mpi_functions[];

/* A variable's name in C, changed if it is a keyword or one of the program's own names;
 * "cost_NAME" of functions. A result is valid for eight calls. */
const char *act_mpi_name(const char *name);
const char *act_mpi_prefixed(const char *prefix, const char *name);
void act_mpi_expression(const struct mpi *p, const struct act_expr *e);
/* Write the expression, or `otherwise` if there is none. */
void act_mpi_expression_or(const struct mpi *p, const struct act_expr *e,
                           const char *otherwise);
/* Write a condition in a form that compilers do not warn about. */
void act_mpi_guard(const struct mpi *p, const struct act_expr *e);
void act_mpi_indent(const struct mpi *p);
const char *act_mpi_type(enum act_type type);

void act_mpi_begin_block(struct mpi *p);
void act_mpi_enter_element(struct mpi *p, const struct act_node *n);
void act_mpi_leave_element(struct mpi *p, const struct act_element *e);

#endif
