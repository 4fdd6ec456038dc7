/* SPDX-License-Identifier: BSD-3-Clause */
/* code.h: a model as instructions that can stop anywhere: a process is a place in them
 * and its variables. */
#ifndef ACTIVITY_RUN_CODE_H
#define ACTIVITY_RUN_CODE_H

#include "activity/model/tree.h"

enum act_op {
    ACT_OP_SET,    /* variable = value; NULL: 0 */
    ACT_OP_UNLESS, /* go to `target` where `value` is 0 */
    ACT_OP_JUMP,
    ACT_OP_CALL,   /* an activity, at `target` */
    ACT_OP_RETURN, /* of Main: the process ends */
    ACT_OP_LAST,   /* slot `last` = value: a loop's upper bound */
    ACT_OP_PAST,   /* go to `target` where the variable is above slot `last` */
    ACT_OP_NEXT,   /* where the variable is below slot `last`: one more, go to `target` */
    ACT_OP_EVENT,  /* the element is next */
    ACT_OP_PARALLEL, /* its threads run behind this, up to END; the process goes to
                        `target` */
    ACT_OP_FORK, /* the same; each JUMP behind it, one a branch, tells where it begins */
    ACT_OP_END,  /* of a thread */
    ACT_OP_LOCK,
    ACT_OP_UNLOCK,
    ACT_OP_ENTER, /* an activity that has a method */
    ACT_OP_LEAVE
};

struct act_instruction {
    enum act_op op;
    int target, last;
    const struct act_variable *variable;
    const struct act_expr *value;
    const struct act_element *element; /* it belongs to; NULL: none */
};

struct act_code {
    struct act_instruction *all;
    size_t count;
    int slots;   /* variables of a process */
    int deepest; /* calls within calls, at most */
};

/* Instructions of a model, which is borrowed while they live. Those of Main come first
 * behind the globals' values. 0 or -ENOMEM; freed by act_code_free in both cases. */
int act_code_make(struct act_code *code, const struct act_model *model);
void act_code_free(struct act_code *code);

#endif
