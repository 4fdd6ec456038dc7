/* SPDX-License-Identifier: BSD-3-Clause */
/* code.h: a model as instructions that can be suspended anywhere. The state of a process
 * is a program counter and its variables. */
#ifndef ACTIVITY_RUN_CODE_H
#define ACTIVITY_RUN_CODE_H

#include "activity/model/tree.h"

enum act_op {
    ACT_OP_SET,    /* variable = value; NULL: value 0 */
    ACT_OP_UNLESS, /* go to `target` where `value` is 0 */
    ACT_OP_JUMP,
    ACT_OP_CALL,     /* call the activity at `target` */
    ACT_OP_RETURN,   /* return; in Main the process ends */
    ACT_OP_LAST,     /* store `value`, the upper bound of a loop, in slot `last` */
    ACT_OP_PAST,     /* go to `target` if the variable is above slot `last` */
    ACT_OP_NEXT,     /* end of an iteration: if the loop variable is below slot `last`,
                        increment it and go to `target` */
    ACT_OP_EVENT,    /* return the element to the engine as an event */
    ACT_OP_PARALLEL, /* the threads' code follows, up to END; the process continues at
                      * `target` */
    ACT_OP_FORK, /* like PARALLEL; each of the following JUMPs is the start of a branch */
    ACT_OP_END,  /* the thread ends */
    ACT_OP_LOCK,
    ACT_OP_UNLOCK,
    ACT_OP_ENTER, /* enter an activity that has a method */
    ACT_OP_LEAVE
};

struct act_instruction {
    enum act_op op;
    int target, last;
    const struct act_variable *variable;
    const struct act_expr *value;
    /* element to which the instruction belongs; NULL: none */
    const struct act_element *element;
};

struct act_code {
    struct act_instruction *all;
    size_t count;
    int slots;   /* number of a process's variables */
    int deepest; /* maximum depth of nested calls */
};

/* Make the instructions of a model, which is borrowed while they live. Initialisation
 * of globals comes first, then Main. Returns 0 or -ENOMEM; call act_code_free in both
 * cases. */
int act_code_make(struct act_code *code, const struct act_model *model);
void act_code_free(struct act_code *code);

#endif
