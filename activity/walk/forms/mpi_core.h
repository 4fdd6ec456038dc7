/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_core.h: what files that write programs in C and MPI share.
 *
 *   mpi.c            declarations, the walk, main()
 *   mpi_elements.c   statements of elements
 *   mpi_words.c      names and expressions in C
 *   mpi_head.c       functions that all programs have */
#ifndef ACTIVITY_WALK_FORMS_MPI_CORE_H
#define ACTIVITY_WALK_FORMS_MPI_CORE_H

#include "activity/walk/walk.h"

struct mpi {
    FILE *out;
    const struct act_model *model;
    int indent;
    int *has_nodes; /* an expression so far asked for nnode */
};

extern const char act_mpi_head[], act_mpi_functions[];

/* A variable's name that is no word of C and none of ours; "cost_NAME". In a ring of
 * texts: good for the next eight. */
const char *act_mpi_name(const char *name);
const char *act_mpi_prefixed(const char *prefix, const char *name);
void act_mpi_expression(const struct mpi *p, const struct act_expr *e);
/* `otherwise` where there is none. */
void act_mpi_expression_or(const struct mpi *p, const struct act_expr *e,
                           const char *otherwise);
/* A condition, also where compilers would take a number for a mistake. */
void act_mpi_guard(const struct mpi *p, const struct act_expr *e);
void act_mpi_indent(const struct mpi *p);
const char *act_mpi_type(enum act_type type);

void act_mpi_begin_block(struct mpi *p);
void act_mpi_end_block(struct mpi *p);
void act_mpi_enter_element(struct mpi *p, const struct act_node *n);
void act_mpi_leave_element(struct mpi *p, const struct act_element *e);

#endif
