/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: the words of our profile. */
#include "activity/xmi/words.h"

#include <strings.h>

static const char *const stereotypes[ACT_KINDS] = {
    [ACT_ACTION] = "ActionPlus",   [ACT_DO] = "Code",
    [ACT_SEND] = "Send",           [ACT_RECV] = "Receive",
    [ACT_ISEND] = "ISend",         [ACT_IRECV] = "IReceive",
    [ACT_WAIT] = "Wait",           [ACT_EXCHANGE] = "Exchange",
    [ACT_BCAST] = "Broadcast",     [ACT_REDUCE] = "Reduce",
    [ACT_ALLREDUCE] = "AllReduce", [ACT_BARRIER] = "Barrier",
    [ACT_ALLTOALL] = "AllToAll",   [ACT_PARALLEL] = "ParallelRegion",
    [ACT_CRITICAL] = "Critical",   [ACT_FORK] = "Fork",
    [ACT_BRANCH] = "Branch"};

const char *xmi_stereotype(enum act_kind kind)
{
    return stereotypes[kind];
}

enum act_kind xmi_kind_of(const char *stereotype)
{
    for (int k = 0; k < ACT_KINDS && stereotype; k++)
        if ((stereotypes[k] && strcasecmp(stereotypes[k], stereotype) == 0) ||
            strcasecmp(act_kind_name((enum act_kind)k), stereotype) == 0)
            return (enum act_kind)k;
    return stereotype && strcasecmp(stereotype, "action_") == 0 ? ACT_ACTION : ACT_KINDS;
}
